"""Judges by name: the experiment that a card, a protocol with cards, or an experiment stands for."""

from __future__ import annotations

import re
from pathlib import Path

from peerjudge.data import Condition, Experiment, replace
from peerjudge.data.choices import suggest_name
from peerjudge.errors import ExperimentError, ShelfError
from peerjudge.shelf import Shelf

JUDGED = "judge"
"""Entry `data` of the experiment of a judge, whose comparisons come from elsewhere."""

_ALONE = (("", "pairwise"), (" of several", "n_way"))
"""The protocols in which one card judges two answers, and three or four."""


def build_judge(by: str | Path | Experiment | Condition, shelf: Shelf) -> Experiment:
    """Return the experiment in which a judge judges single comparisons.

    Args:
        by: A card, `PROTOCOL:CARD,CARD,...`, an experiment or `EXPERIMENT#CONDITION`, the path of an
            experiment file (with `#CONDITION` too), an experiment, or a condition.
        shelf: Shelf to look names up on.

    Raises:
        ExperimentError: The name is on no shelf, is a protocol without cards, or the experiment has no
            condition of this name.
    """
    if isinstance(by, Condition):
        return Experiment(data=JUDGED, conditions=(by,), name=_make_name(by.name))
    if isinstance(by, Experiment):
        return replace(by, data=JUDGED, primary="", name=by.name or "judge")
    text = str(by)
    place, _, condition = text.partition("#")
    if place.endswith(".py"):
        return _choose_condition(shelf.experiment(place), condition)
    protocol, colon, cards = text.partition(":")
    if colon:
        return _seat_cards(protocol, cards, shelf, name=_make_name(text))
    if condition or not _has(shelf, "agents", place):
        return _choose_condition(_find_experiment(place, shelf), condition)
    alone = tuple(
        Condition(name=f"{place}{more}", protocol=protocol, seats=(place,))
        for more, protocol in _ALONE
    )
    return Experiment(data=JUDGED, conditions=alone, name=_make_name(place))


def _seat_cards(protocol: str, cards: str, shelf: Shelf, *, name: str) -> Experiment:
    seats = tuple(one.strip() for one in cards.split(",") if one.strip())
    if not seats:
        msg = f"by={protocol + ':'!r} names no cards; give PROTOCOL:CARD,CARD,..."
        raise ExperimentError(msg)
    shelf.find("protocols", protocol)
    for card in seats:
        shelf.find("agents", card)
    condition = Condition(name=protocol, protocol=protocol, seats=seats)
    return Experiment(data=JUDGED, conditions=(condition,), name=name)


def _find_experiment(name: str, shelf: Shelf) -> Experiment:
    try:
        return shelf.experiment(name)
    except ShelfError as cause:
        if _has(shelf, "experiments", name):
            raise
        least = shelf.protocol(name).seats[0] if _has(shelf, "protocols", name) else None
        if least is not None:
            example = ",".join(f"CARD{number}" for number in range(1, least + 1))
            msg = f"{name!r} is a protocol; name its reviewers as well, as in {name}:{example}"
            raise ExperimentError(msg) from cause
        msg = (
            f"no card or experiment is called {name!r}; judge by a card, an experiment (`peerjudge list "
            "agents`, `peerjudge list experiments`), EXPERIMENT#CONDITION or PROTOCOL:CARD,CARD,..."
            f"{suggest_name(name, _list_names(shelf))}"
        )
        raise ExperimentError(msg) from cause


def _choose_condition(declared: Experiment, condition: str) -> Experiment:
    known = [one.name for one in declared.conditions]
    if condition and condition not in known:
        msg = (
            f"experiment {declared.name!r} has no condition {condition!r}; choose one of "
            f"{', '.join(map(repr, known))}"
        )
        raise ExperimentError(msg)
    chosen = tuple(one for one in declared.conditions if condition in ("", one.name))
    used = {card for one in chosen for card in one.cards}
    seats = {name: card for name, card in declared.seats.items() if card in used}
    return replace(declared, data=JUDGED, primary="", conditions=chosen, seats=seats)


def _list_names(shelf: Shelf) -> list[str]:
    return [one.name for kind in ("agents", "experiments") for one in shelf.entries(kind)]


def _has(shelf: Shelf, kind: str, name: str) -> bool:
    return any(entry.name == name for entry in shelf.entries(kind))  # pyright: ignore[reportArgumentType]


def _make_name(text: str) -> str:
    """Return a name of an experiment that is fit for a file."""
    return "judge-" + re.sub(r"[^\w.]+", "-", text).strip("-")
