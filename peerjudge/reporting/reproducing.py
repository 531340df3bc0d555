"""Tables of the values of a paper beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from peerjudge.analysis.reproducing import FEWEST_QUESTIONS, Origin, PublishedItem, ReproducedCell
from peerjudge.data import Measurement
from peerjudge.reporting.figures import Figure, Mark, Row, Rows
from peerjudge.reporting.formats import MISSING, counted, decimal, interval, plain_tick
from peerjudge.reporting.layout import Column, Table, build_table

_DRAWN = "drawn"


def build_item_table(item: PublishedItem, cells: Sequence[ReproducedCell]) -> Table:
    """Return the values of one item that the source gives, with a row for each."""
    given = [cell for cell in cells if cell.ours is not None]
    notes = dict.fromkeys(cell.note for cell in given if cell.note)
    return build_table(
        f"{item.name}: {item.title}",
        given,
        Column("Value", "name"),
        (
            "Published",
            lambda cell: _DRAWN if cell.published is None else _number(cell, "published"),
        ),
        ("Ours", lambda cell: _number(cell, "ours")),
        ("95 % interval", _interval),
        ("n", lambda cell: MISSING if cell.n is None else f"{cell.n:,}"),
        Column("From", "source"),
        ("Compared", _verdict),
        note=" ".join(
            note if note.endswith(".") else f"{note[:1].upper()}{note[1:]}." for note in notes
        ),
    )


def draw_items(
    items: Sequence[PublishedItem], cells: Sequence[ReproducedCell]
) -> dict[str, Figure]:
    """Return a figure of the published values beside ours, with a mark each, for every grid with numbers."""
    figures: dict[str, Figure] = {}
    for item in items:
        own = [cell for cell in cells if cell.item == item.name]
        for grid in dict.fromkeys(cell.grid for cell in own):
            rows = [
                Row(name=cell.name.removeprefix(f"{grid}, "), marks=[mark])
                for cell in own
                if cell.grid == grid and (mark := _mark(cell)) is not None
            ]
            if rows:
                name = " ".join(filter(None, (item.name, grid)))
                letters = (letter if letter.isalnum() else "-" for letter in name.lower())
                figure = Figure(
                    id="-".join(filter(None, "".join(letters).split("-"))),
                    description=f"{name}: {item.title}, ours with 95 % intervals.",
                    chart=Rows(rows=rows, across=grid or item.title, unit=plain_tick),
                )
                figures[figure.id] = figure
    return figures


def _mark(cell: ReproducedCell) -> Mark | None:
    if cell.ours is None or isinstance(cell.ours, str) or isinstance(cell.published, str):
        return None
    low, high = (cell.ours if end is None else end for end in (cell.low, cell.high))
    measured = Measurement(value=cell.ours, low=low, high=high, n=1)
    return Mark(measured=measured, note=interval(measured, cell.digits), printed=cell.published)


def describe_missing_values(item: PublishedItem, cells: Sequence[ReproducedCell]) -> str:
    """Return what gives the values of an item that this source does not; empty where it gives all."""
    missing = [cell for cell in cells if cell.ours is None]
    reasons = dict.fromkeys(cell.note.removesuffix(".") for cell in missing)
    part = "" if len(missing) == len(cells) else f" ({counted(len(missing), 'value')})"
    return f"{item.name}{part}: {'; '.join(reasons)}." if missing else ""


def describe_counts(cells: Sequence[ReproducedCell], *, questions: int) -> list[str]:
    """Return how the values compare, one sentence for each kind of source, and how many are missing."""
    found: list[str] = []
    for source in Origin:
        own = [cell for cell in cells if cell.source is source]
        compared = [cell for cell in own if cell.equal is not None or cell.inside is not None]
        agreeing = sum(bool(cell.equal or cell.inside) for cell in compared)
        if compared:
            said = (
                "within our interval"
                if source.is_fresh
                else "equal to ours at the printed rounding"
            )
            fitted = "; the cards were fitted to them, so this is no reproduction"
            found.append(
                f"{source.capitalize()}: {agreeing} of {counted(len(compared), 'published value')} {said}"
                f"{fitted * (source is Origin.FITTED)}."
            )
        if own[len(compared) :]:
            few = questions < FEWEST_QUESTIONS and source.is_fresh
            found.append(
                f"{source.capitalize()}: {counted(len(own) - len(compared), 'value')} shown without "
                f"comparison{f', which takes {FEWEST_QUESTIONS} questions' * few}."
            )
    missing = sum(cell.ours is None for cell in cells)
    return [*found, *([f"{counted(missing, 'value')} not from this source."] if missing else [])]


def _number(cell: ReproducedCell, of: str) -> str:
    value: float | str | None = getattr(cell, of)
    if value is None or isinstance(value, str):
        return value or MISSING
    return decimal(value, cell.digits)


def _interval(cell: ReproducedCell) -> str:
    if cell.low is None or cell.high is None:
        return MISSING
    return f"[{decimal(cell.low, cell.digits)}, {decimal(cell.high, cell.digits)}]"


def _verdict(cell: ReproducedCell) -> str:
    if cell.equal is not None:
        return "equal" if cell.equal else "differs"
    if cell.inside is None:
        return MISSING
    return "inside" if cell.inside else "outside"
