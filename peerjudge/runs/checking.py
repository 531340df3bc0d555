"""Check of the shelves: loads each item and rehearses protocols, without calling a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from peerjudge.data import ReviewerKind
from peerjudge.errors import PeerJudgeError
from peerjudge.runs.rehearsal import rehearse
from peerjudge.runs.resolve import load_cards, load_parts
from peerjudge.shelf import Kind, Shelf
from peerjudge.simulation import read_traits


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One item on a shelf. `problem` is empty if it loads; `shadows` is the built-in that it hides."""

    kind: Kind
    name: str
    path: str
    problem: str = ""
    shadows: str = ""


def check_shelves(shelf: Shelf) -> Iterator[Checked]:
    """Load every item of every shelf; Python files are executed."""
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
            load_parts(experiment, shelf, load_cards(experiment, shelf))
