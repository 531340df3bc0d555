"""Panels against their best member, as `agreement --panel` shows them: two tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from peerjudge.analysis import Ballots
from peerjudge.analysis.selecting import number_judges
from peerjudge.data import to_plain
from peerjudge.features.panels.panels import PanelRow, Panels, measure_panels
from peerjudge.reporting.formats import percent, points, share
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.base import Document, FramedResult, Shown
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain

__all__ = ["PanelsResult", "add_panels"]

_NAMES: Mapping[str, str] = {
    "equal": "equal weights",
    "prd": "peer weights of PRD",
    "damped": "damped peer weights",
    "slopes": "slopes",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PanelsResult(FramedResult):
    """Panels under several weighting schemes against their best member."""

    frame: ClassVar[str] = "agreement"
    panels: Panels

    def document(self) -> Document:
        """Return the document, which `peerjudge agreement --panel --json` has under `added`."""
        return make_plain(cast("dict[str, object]", to_plain(self.panels)))

    def parts(self) -> Shown:
        """Return the tables of accuracies and weights, and what they show."""
        found = self.panels
        return [_build_table(found), _build_weights_table(found), "", *_say(found)]

    def rows(self) -> Iterator[Cells]:
        """Yield accuracy and differences of every panel, and the best member with ties broken."""
        found = self.panels
        for one in found.ties_broken:
            name = _name_broken(found.best, one.next)
            yield {"reviewers": name, "measure": "accuracy", **list_cells(one.accuracy)}
        for row in found.rows:
            panel = {"reviewers": f"panel:{row.scheme}"}
            yield {**panel, "measure": "accuracy", **list_cells(row.accuracy)}
            yield {**panel, "measure": f"minus {found.best}", **list_cells(row.over_best)}
            for one, over in zip(found.ties_broken, row.over_ties_broken, strict=True):
                measure = f"minus {_name_broken(found.best, one.next)}"
                yield {**panel, "measure": measure, **list_cells(over)}


def add_panels(ballots: Ballots, seed: int) -> PanelsResult | None:
    """Return the panels of these judges; `None` for people, whose votes are the gold, or without gold."""
    if not {name for name, _ in number_judges(ballots)}.isdisjoint(ballots.humans):
        return None
    found = measure_panels(ballots, seed=seed)
    return None if found is None else PanelsResult(panels=found)


def _name_broken(best: str, other: str) -> str:
    return f"{best}, ties by {other}"


def _build_table(found: Panels) -> Table:
    return build_table(
        f"Panels minus their best member, {found.best}, in % and points",
        found.rows,
        Column("Weights", "scheme"),
        Column("Right", "accuracy", "share", 1),
        Column(f"Minus {found.best}", "over_best", "points", 1, key="over_best"),
        *(
            Column(
                f"Ties by {one.next}",
                f"over_ties_broken.{place}",
                "points",
                1,
                about=f"minus {found.best} with its ties broken by {one.next}, the next by {one.by}",
                key=f"over_ties_broken_{place}",
            )
            for place, one in enumerate(found.ties_broken)
        ),
        note="Questions are resampled, with the weights found again in every sample.",
    )


def _build_weights_table(found: Panels) -> Table:
    def read(row: PanelRow) -> Column:
        return Column(row.scheme, lambda name: row.weights[name], digits=3, key=row.scheme)

    return build_table(
        "Weights of the panels",
        list(found.rows[0].weights),
        Column("Reviewer", ""),
        *map(read, found.rows),
    )


def _say(found: Panels) -> Iterator[str]:
    """Yield what the best member is worth alone, what the panels add to it, and what is left out."""
    alone = f"{found.best} alone: {percent(found.accuracy, 1)} % right"
    broken = [f"{percent(one.accuracy, 1)} with ties by {one.next}" for one in found.ties_broken]
    yield "; ".join([alone, *broken]) + "."
    first = max(found.rows, key=lambda row: row.accuracy.value)
    if found.chooses < 1.0:
        yield (
            f"Where {found.best} chooses ({share(found.chooses)} % of items), it is right in "
            f"{share(found.best_where_it_chooses, 1)} %, and the panel with {_NAMES[first.scheme]} in "
            f"{share(first.where_best_chooses, 1)} %."
        )
    yield _say_lead(found, first)
    slopes = next((row for row in found.rows if row.scheme == "slopes"), None)
    if slopes is not None and slopes.over_best.high < 0.0:
        yield (
            f"Weights by slopes follow agreement alone, and are {points(slopes.over_best, 1)} points from "
            f"{found.best}: where most judges share an error, agreement crowns the wrong ones. Agreement "
            "among judges says nothing about gold."
        )
    for reason in dict.fromkeys(found.left_out.values()):
        names = [name for name, why in found.left_out.items() if why == reason]
        yield f"Without {' and '.join(names)}: {reason}."


def _say_lead(found: Panels, row: PanelRow) -> str:
    """Return what the panel that is right most often adds to the best member."""
    name = f"The panel with {_NAMES[row.scheme]}"
    if row.over_best.high < 0.0:
        return f"{name} does worse than {found.best}: {points(row.over_best, 1)} points."
    if not row.over_best.low > 0.0:
        return f"{name} is not shown to beat {found.best}: {points(row.over_best, 1)} points."
    said = f"{name} beats {found.best} by {points(row.over_best, 1)} points"
    unshown = [
        f"{points(over, 1)} with ties by {one.next}"
        for one, over in zip(found.ties_broken, row.over_ties_broken, strict=True)
        if over.low <= 0.0
    ]
    if not unshown:
        return f"{said}."
    return f"{said}, and is not shown to do more than break its ties: {', '.join(unshown)}."
