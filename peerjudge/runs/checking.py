"""Loads everything on the shelves, and plays protocols on paper, without calling anybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from peerjudge.data import ReviewerKind
from peerjudge.errors import PeerJudgeError
from peerjudge.runs.plan import cast_parts
from peerjudge.runs.rehearsal import rehearse
from peerjudge.runs.settings import cards_of
from peerjudge.shelf import Kind, Shelf
from peerjudge.simulation import read_traits

__all__ = ["Checked", "check_shelves"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One item on a shelf. `problem` is empty when it loads; `shadows` says what it hides."""

    kind: Kind
    name: str
    path: str
    problem: str = ""
    shadows: str = ""


def check_shelves(shelf: Shelf) -> Iterator[Checked]:
    """Every item of every shelf. Python files are executed: checking them is naming them."""
    for kind in get_args(Kind):
        for entry in shelf.entries(kind):
            try:
                _load(shelf, kind, entry.name)
                problem = ""
            except PeerJudgeError as mistake:
                problem = str(mistake)
            yield Checked(
                kind=kind,
                name=entry.name,
                path=str(entry.path),
                problem=problem,
                shadows=str(entry.shadows or ""),
            )


def _load(shelf: Shelf, kind: Kind, name: str) -> None:
    match kind:
        case "agents":
            card = shelf.card(name)
            if card.kind is ReviewerKind.SIMULATED:
                read_traits(card)
        case "protocols":
            protocol = shelf.protocol(name)
            rehearse(protocol, seats=protocol.seats[0])
        case "prompts":
            shelf.prompts(name)
        case "experiments":
            experiment = shelf.experiment(name)
            cast_parts(experiment, shelf, cards_of(experiment, shelf))
