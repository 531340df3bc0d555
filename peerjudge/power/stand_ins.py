"""Who is simulated in a planned study: simulated reviewers themselves, and stand-ins for the others."""

from __future__ import annotations

from collections.abc import Mapping

from peerjudge.data import Card, ReviewerKind, replace
from peerjudge.errors import CardError
from peerjudge.shelf import Shelf

__all__ = ["simulated_cast"]


def simulated_cast(
    cast: Mapping[str, Card], stand_ins: Mapping[str, str], shelf: Shelf
) -> dict[str, Card]:
    """A simulated card for every reviewer of the cast, under the reviewer's own name and family.

    Raises:
        CardError: a reviewer is not simulated and nobody stands in for it, a stand-in is not
            simulated, or stands in for somebody who has no seat.
    """
    strangers = sorted(set(stand_ins) - set(cast))
    if strangers:
        msg = (
            f"{strangers[0]!r} has no seat in this experiment; seated are {', '.join(sorted(cast))}"
        )
        raise CardError(msg)
    missing = [
        name
        for name, card in cast.items()
        if name not in stand_ins and card.kind is not ReviewerKind.SIMULATED
    ]
    if missing:
        example = " ".join(f"--stand-in {name}=sim_gpt4" for name in missing)
        msg = (
            f"{', '.join(map(repr, missing))}: not simulated, so say which simulated reviewer stands in "
            f"for each, for example {example} (`peerjudge list agents` shows them)"
        )
        raise CardError(msg)
    return {
        name: _played(stand_ins[name], card, shelf) if name in stand_ins else card
        for name, card in cast.items()
    }


def _played(stand_in: str, card: Card, shelf: Shelf) -> Card:
    played = shelf.card(stand_in)
    if played.kind is not ReviewerKind.SIMULATED:
        msg = f"card {stand_in!r} cannot stand in for {card.name!r}: it is not simulated"
        raise CardError(msg)
    return replace(played, name=card.name, family=card.family or played.family)
