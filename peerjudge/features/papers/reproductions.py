"""Reproduction of a paper: the values that it prints beside ours, from recorded reviews or a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.published import identify_name
from peerjudge.analysis.selecting import number_authors
from peerjudge.data import Measurement
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import ConvergenceError, DataError, UnconnectedError
from peerjudge.features.papers.declared import Estimate, find_estimates
from peerjudge.features.papers.reading import read_paper
from peerjudge.features.papers.reproducing import (
    FEWEST_QUESTIONS,
    Estimates,
    Evidence,
    Origin,
    Paper,
    PublishedCell,
    PublishedItem,
    ReproducedCell,
    assign_names,
    compare_cell,
)
from peerjudge.reporting.figures import Figure, Mark, Row, Rows
from peerjudge.reporting.formats import MISSING, counted, decimal, interval, plain_tick, preface
from peerjudge.reporting.layout import Cell, Column, Table, build_table
from peerjudge.results.base import Document, Shown, SourcedResult, list_names
from peerjudge.results.columns import Cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Material, Source, Stored, locate_source, read_material

_DRAWN = "drawn"
_SCHEMA = "Reproduction/2"
_ORDERED = (
    "A published one is inside if the two differ by no more than these orders explain (95 %)."
)
_EXPLAINED = {
    Origin.SIMULATED: "Simulated: reviewers of this value are simulated, and say nothing about real models.",
    Origin.FITTED: "Fitted: traits of a simulated reviewer were fitted to this value, so that they agree "
    "is no reproduction.",
}
_PARTLY = (
    "Some reviewers are simulated: values marked simulated or fitted say nothing about real models."
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReproduceResult(SourcedResult):
    """The printed values of a paper beside ours; `stand_ins` has names of the paper by reviewer.

    `unnamed` says how to name reviewers of a run that stand for none; empty where all do.
    """

    frame: ClassVar[str] = "reproduce"
    paper: Paper
    source: str
    items: tuple[PublishedItem, ...]
    cells: tuple[ReproducedCell, ...]
    stand_ins: Mapping[str, str]
    unnamed: str
    simulated: bool
    questions: int

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Published values beside ours, by item and grid."""
        return _draw_items(self.items, self.cells)

    def document(self) -> Document:
        """Return the document of `peerjudge reproduce --json`."""
        cells = [asdict(cell) for cell in self.cells]
        for cell in cells:
            del cell["digits"]
        return make_plain(
            {
                "schema": _SCHEMA,
                "paper": self.paper.name,
                "title": self.paper.source,
                "source": self.source,
                "simulated": self.simulated,
                "stand_ins": dict(self.stand_ins),
                "cells": cells,
                "items": [self._count(item) for item in self.items],
            }
        )

    def parts(self) -> Shown:
        """Return a table for each item that the source gives, then what the others need."""
        real = any(cell.origin is Origin.RUN for cell in self.cells)
        parts: list[str | Table] = [
            *([_PARTLY] if self.simulated and real else []),
            *preface(simulated=self.simulated and not real, questions=self.questions),
        ]
        if self.stand_ins:
            pairs = ", ".join(f"{name} for {model}" for name, model in self.stand_ins.items())
            parts.append(f"Reviewers that stand for those of the paper: {pairs}.")
        parts += [self.unnamed] if self.unnamed else []
        parts += [_build_item_table(item, self._of(item)) for item in self.items]
        missing = [_describe_missing_values(item, self._of(item)) for item in self.items]
        whole = len(self.items) == len(self.paper.items)
        without = [self.paper.without_values] if whole and self.paper.without_values else []
        return [
            *parts,
            "",
            *filter(None, missing),
            *without,
            "",
            *self.describe_counts(),
        ]

    def describe_counts(self) -> list[str]:
        """Return how the values compare, a sentence for each origin, and how many are missing."""
        sentences: list[str] = []
        for origin in Origin:
            own = [cell for cell in self.cells if cell.origin is origin]
            equal = [cell.equal for cell in own if cell.equal is not None]
            inside = [cell.inside for cell in own if cell.inside is not None]
            held = "as near to ours as random orders explain"
            if origin.is_fresh:
                held = "within our interval"
            for compared, kind in (
                (equal, "equal to ours at the printed rounding"),
                (inside, held),
            ):
                if compared:
                    fitted = "; the cards were fitted to them, so this is no reproduction"
                    sentences.append(
                        f"{origin.capitalize()}: {sum(compared)} of "
                        f"{counted(len(compared), 'published value')} {kind}"
                        f"{fitted * (origin is Origin.FITTED)}."
                    )
            if uncompared := len(own) - len(equal) - len(inside):
                few = self.questions < FEWEST_QUESTIONS and origin.is_fresh
                sentences.append(
                    f"{origin.capitalize()}: {counted(uncompared, 'value')} shown without "
                    f"comparison{f', which takes {FEWEST_QUESTIONS} questions' * few}."
                )
        if missing := sum(cell.ours is None for cell in self.cells):
            sentences.append(f"{counted(missing, 'value')} not from this source.")
        return sentences

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each value."""
        yield from (asdict(cell) for cell in self.cells)

    def _of(self, item: PublishedItem) -> list[ReproducedCell]:
        return [cell for cell in self.cells if cell.item == item.name]

    def _count(self, item: PublishedItem) -> dict[str, object]:
        cells = self._of(item)
        origins = {cell.origin for cell in cells if cell.origin is not None}
        return {
            "name": item.name,
            "title": item.title,
            "source": item.source,
            "cells": len(cells),
            "given": sum(cell.ours is not None for cell in cells),
            "by_origin": {
                origin: _count_compared([cell for cell in cells if cell.origin is origin])
                for origin in sorted(origins)
            },
            "missing": _describe_missing_values(item, cells),
        }


@check_arguments
def reproduce(
    paper: str,
    source: Source,
    *,
    items: str | Sequence[str] | None = None,
    stand_ins: Mapping[str, str] | None = None,
    seed: int = 0,
) -> ReproduceResult:
    """Put the values that a paper prints beside ours, with 95 % intervals, table by table.

    Values from the recorded data of the paper are equal at the printed rounding, or differ; means over random
    orders are inside if they differ by no more than these orders explain (95 %). Of a run, a published value
    is inside if it lies in our interval or equals ours. Each value has its own origin: recorded, run,
    simulated if one of its reviewers is, or fitted if traits of one were fitted to this value. A value that
    the source does not give is listed with the source that it needs.

    Args:
        paper: Name of the paper; `peerjudge list papers` lists them.
        source: Run, dataset `NAME:PATH` with reviews, or transcripts.
        items: Only these tables, figures and sections (`Table 3`).
        stand_ins: Models of the paper by the reviewers of the source that stand for them, where neither
            their own names nor those of their seats in the experiment say so.
        seed: Seed of the resampling.

    Raises:
        DataError: There is no such paper or item, or the source gives nothing of it.
        StoreError: There is no such run.
    """
    wanted = read_paper(paper)
    chosen = _choose_items(wanted, list_names(items))
    material = read_material(source)
    place = locate_source(source) if isinstance(source, Stored) else material.ballots.name
    given = stand_ins or {}
    evidence = _build_evidence(wanted, chosen[0], material, given, seed=seed)
    moved = _find_moved(wanted, material, given)
    unnamed = _ask_names(wanted, material, evidence.reviewers)
    estimates = find_estimates(wanted.name)
    cells: list[ReproducedCell] = []
    found = False
    for item in chosen:
        estimated = _estimate(replace(evidence, item=item), estimates.get(item.name))
        cells += _compare(item, estimated, material, moved)
        found = found or bool(estimated.values and not (estimated.origin and items is None))
    if not found:
        raise DataError(_explain_nothing(wanted, chosen, place, material.data, unnamed))
    return ReproduceResult(
        paper=wanted,
        source=place,
        items=chosen,
        cells=tuple(cells),
        stand_ins={
            name: model
            for model, names in evidence.reviewers.items()
            for name in names
            if material.of_run and name != model
        },
        unnamed=unnamed,
        simulated=any(cell.origin in _EXPLAINED for cell in cells),
        questions=material.ballots.count_questions(),
    )


def _build_item_table(item: PublishedItem, cells: Sequence[ReproducedCell]) -> Table:
    """Return the values of one item that the source gives, with a row for each."""

    def show_interval(cell: ReproducedCell) -> Cell | None:
        if cell.low is None or cell.high is None:
            return None
        text = f"[{decimal(cell.low, cell.digits)}, {decimal(cell.high, cell.digits)}]"
        return Cell(text, {"_low": cell.low, "_high": cell.high})

    given = [cell for cell in cells if cell.ours is not None]
    notes = dict.fromkeys(cell.note for cell in given if cell.note)
    origins = {cell.origin for cell in given}
    notes |= {text: None for origin, text in _EXPLAINED.items() if origin in origins}
    return build_table(
        f"{item.name}: {item.title}",
        given,
        Column("Value", "name"),
        Column(
            "Published",
            lambda cell: _DRAWN if cell.published is None else _number(cell, "published"),
        ),
        Column("Ours", lambda cell: _number(cell, "ours")),
        Column("95 % interval", show_interval, key="interval"),
        Column("n", "n"),
        Column("Origin", "origin"),
        ("Compared", _verdict),
        note=" ".join(
            note if note.endswith(".") else f"{note[:1].upper()}{note[1:]}." for note in notes
        ),
    )


def _draw_items(
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


def _describe_missing_values(item: PublishedItem, cells: Sequence[ReproducedCell]) -> str:
    """Return what gives the values of an item that this source does not; empty where it gives all."""
    missing = [cell for cell in cells if cell.ours is None]
    reasons = dict.fromkeys(cell.note.removesuffix(".") for cell in missing)
    part = "" if len(missing) == len(cells) else f" ({counted(len(missing), 'value')})"
    return f"{item.name}{part}: {'; '.join(reasons)}." if missing else ""


def _number(cell: ReproducedCell, of: str) -> Cell | str | None:
    value: float | str | None = getattr(cell, of)
    if value is None or isinstance(value, str):
        return value or None
    return Cell(decimal(value, cell.digits), {"": value})


def _verdict(cell: ReproducedCell) -> str:
    if cell.equal is not None:
        return "equal" if cell.equal else "differs"
    if cell.inside is None:
        return MISSING
    return "inside" if cell.inside else "outside"


def _count_compared(cells: Sequence[ReproducedCell]) -> dict[str, int]:
    """Return how many values of one origin were compared, and how many are equal or inside."""
    fresh = any(cell.origin is not None and cell.origin.is_fresh for cell in cells)
    equal = [cell.equal for cell in cells if cell.equal is not None]
    inside = [cell.inside for cell in cells if cell.inside is not None]
    return {
        "compared": len(equal) + len(inside),
        **({} if fresh else {"equal": sum(equal)}),
        **({"inside": sum(inside)} if fresh or inside else {}),
    }


def _choose_items(paper: Paper, names: Sequence[str] | None) -> tuple[PublishedItem, ...]:
    if names is None:
        return paper.items
    known = {item.name.lower(): item for item in paper.items}
    unknown = [name for name in names if name.lower() not in known]
    if unknown or not names:
        msg = (
            f"{paper.title} has no {unknown[0] if unknown else 'item without a name'!r}; choose from "
            f"{', '.join(item.name for item in paper.items)}"
        )
        raise DataError(msg)
    wanted = {name.lower() for name in names}
    return tuple(item for name, item in known.items() if name in wanted)


def _build_evidence(
    paper: Paper, item: PublishedItem, material: Material, given: Mapping[str, str], *, seed: int
) -> Evidence:
    """Return the ballots with the names of the paper for its reviewers and contestants."""
    ballots = material.ballots
    names = _list_judges(ballots)
    for name, model in given.items():
        if name not in names or model not in paper.names:
            msg = (
                f"{name}={model}: {name} is to be one of {', '.join(names)}, and {model} one of "
                f"{', '.join(paper.names)}"
            )
            raise DataError(msg)
    reviewers = _name_reviewers(paper, material, given)
    contestants = assign_names(number_authors(ballots)[0], paper, {})
    own = {
        name: contestants[model][0]
        for model, several in reviewers.items()
        for name in several
        if model in contestants
    }
    return Evidence(
        item=item,
        ballots=replace(ballots, contestant_of={**ballots.contestant_of, **own}),
        reviewers=reviewers,
        contestants=contestants,
        data=material.data or "",
        seed=seed,
    )


def _list_judges(ballots: Ballots) -> list[str]:
    return [name for name in ballots.reviewers if name not in ballots.humans]


def _name_reviewers(
    paper: Paper, material: Material, given: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the reviewers by the model of the paper for which each stands.

    Its contestant says which, else its name, else its seat. Where several would stand for one model, their
    seats decide.
    """
    ballots = material.ballots
    seated = {name: one for name, (one, *more) in _list_seats(paper, material).items() if not more}
    # A contestant says which model its reviewer is; the name of a card may have letters of the data.
    own = {
        name: identify_name(contestant, paper.names)
        for name, contestant in ballots.contestant_of.items()
    }
    models = {
        name: own.get(name) or identify_name(name, paper.names) or seated.get(name, "")
        for name in _list_judges(ballots)
    }
    several = {model for model, count in Counter(models.values()).items() if count > 1}
    for name, model in models.items():
        if model in several:
            models[name] = seated.get(name, model)
    declared = {own[name] for name in models if own.get(name) == models[name]}
    models = {
        name: model
        for name, model in models.items()
        if model not in {"", *given.values()} and (own.get(name) == model or model not in declared)
    }
    return assign_names(_list_judges(ballots), replace(paper, names={}), {**models, **given})


def _list_seats(paper: Paper, material: Material) -> dict[str, list[str]]:
    """Return the models whose seats each card has, by the names of the seats in the experiment."""
    models: dict[str, list[str]] = {}
    for seat, card in material.seats.items():
        if model := identify_name(seat, paper.names):
            models.setdefault(card, []).append(model)
    return models


def _ask_names(paper: Paper, material: Material, reviewers: Mapping[str, Sequence[str]]) -> str:
    """Return which options name the reviewers of a run that stand for no model; empty if all do."""
    named = {name for several in reviewers.values() for name in several}
    without = [name for name in _list_judges(material.ballots) if name not in named]
    if not material.of_run or not without:
        return ""
    seats = _list_seats(paper, material)
    options = [
        " or ".join(f"--as {name}={model}" for model in seats.get(name, ["MODEL"]))
        for name in without
    ]
    models = ", ".join(model for model, letters in paper.names.items() if letters)
    choice = (
        f", with MODEL one of {models}"
        if any(option.endswith("=MODEL") for option in options)
        else ""
    )
    return (
        "Neither its name nor its seat says which model of the paper each of these stands for: add "
        f"{' '.join(options)}{choice}."
    )


def _find_moved(paper: Paper, material: Material, given: Mapping[str, str]) -> set[str]:
    """Return the reviewers that stand for another model than their own names say."""
    own = _name_reviewers(paper, material, {})
    return {name for name, model in given.items() if name not in own.get(model, ())}


def _estimate(evidence: Evidence, estimate: Estimate | None) -> Estimates:
    """Return the estimates of an item; those that this source cannot give have the reason as note."""
    if estimate is None:
        return Estimates()
    try:
        estimated = estimate(evidence)
    except ConvergenceError as failed:
        return Estimates(missing=str(failed))
    except UnconnectedError as failed:
        return Estimates(missing=failed.reason)
    unknown = set(estimated.values) - {cell.key for cell in evidence.item.cells}
    if unknown:
        msg = f"{evidence.item.name} prints no {min(unknown)}"
        raise KeyError(msg)
    if estimated.origin is None and (nameless := estimated.values.keys() - estimated.reviewers):
        msg = f"{evidence.item.name} names no reviewers of {min(nameless)}"
        raise KeyError(msg)
    return estimated


def _compare(
    item: PublishedItem, estimated: Estimates, material: Material, moved: Collection[str]
) -> list[ReproducedCell]:
    data = material.data if material.of_run else material.ballots.name
    judged = (data or "").partition(":")[0].partition("+")[0]
    comparable = not item.data or judged in {item.data, "", "transcripts"}
    other = "" if comparable else f"The paper's values are on {item.data}, ours on {judged}."
    questions = material.ballots.count_questions()
    origins = {
        cell.key: estimated.origin
        or _find_origin(cell, estimated.reviewers[cell.key], material, moved)
        for cell in item.cells
        if cell.key in estimated.values
    }
    fresh = any(origin.is_fresh for origin in origins.values())
    ordered = "" if fresh or not estimated.by_chance else _ORDERED
    note = " ".join(filter(None, (estimated.note, ordered, other)))
    missing = estimated.missing or f"needs {item.needs}"
    return [
        compare_cell(
            item,
            cell,
            estimated.values.get(cell.key),
            origin=origins.get(cell.key, Origin.RECORDED),
            questions=questions,
            note=note if cell.key in estimated.values else missing,
            comparable=comparable,
            by_chance=estimated.by_chance.get(cell.key),
        )
        for cell in item.cells
    ]


def _find_origin(
    cell: PublishedCell, reviewers: Collection[str], material: Material, moved: Collection[str]
) -> Origin:
    simulated = {*reviewers} & {*material.ballots.simulated_reviewers}
    if cell.fitted & simulated - {*moved}:
        return Origin.FITTED
    if simulated:
        return Origin.SIMULATED
    return Origin.RUN if material.of_run and reviewers else Origin.RECORDED


def _explain_nothing(
    paper: Paper, items: Sequence[PublishedItem], place: str, data: str | None, unnamed: str
) -> str:
    needs = dict.fromkeys(item.needs for item in items if item.needs)
    wanted = paper.title if len(items) > 1 else f"{items[0].name} of {paper.title}"
    needed = f"which needs {'; or '.join(needs)}"
    judged = (data or "").partition(":")[0].partition("+")[0]
    if not unnamed:
        return f"{place} gives nothing of {wanted}, {needed}"
    advice = f"{unnamed[:1].lower()}{unnamed[1:].removesuffix('.')}"
    if judged in {item.data for item in items if item.data}:
        return f"{place} gives nothing of {wanted} yet: {advice}"
    return f"{place} gives nothing of {wanted}, {needed}; and {advice}"
