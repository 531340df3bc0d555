"""Other reviewers in the seats of an experiment, by the names of the seats or of their cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from peerjudge.data import Condition, Experiment, Seating, replace
from peerjudge.errors import ExperimentError


def parse_seats(pairs: Sequence[str]) -> dict[str, str]:
    """Parse `["strong=gpt_4o", "weak=my_model"]` into cards by seat.

    Raises `ExperimentError` for text of another form, or a seat given twice.
    """
    return parse_pairs(pairs, noun="seat", form="NAME=CARD, as in strong=gpt_4o")


def parse_pairs(
    pairs: Sequence[str], *, noun: str, form: str, blank: bool = False
) -> dict[str, str]:
    """Parse `["key=value"]` into a mapping; `blank` accepts an empty value.

    Raises `ExperimentError`, with the noun and the form, for text without key, `=` or value, and for a
    key that is given twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (key and equals and (value or blank)):
            msg = f"a {noun} is written {form}, not {pair!r}"
            raise ExperimentError(msg)
        if key in found:
            msg = f"{noun} {key!r} is given twice: {found[key]!r} and {value!r}"
            raise ExperimentError(msg)
        found[key] = value
    return found


def apply_seats(experiment: Experiment, seats: Mapping[str, str]) -> Experiment:
    """Return the experiment with other cards in its seats.

    All replacements happen at once, so two cards can change places. Conditions whose names contain
    the name of a replaced card are renamed, also in `primary`.

    Args:
        experiment: The experiment; its `seats` names cards.
        seats: Card by seat: a name in `experiment.seats`, or a card that a condition seats.

    Raises:
        ExperimentError: No seat has this name, or two names mean one card.
    """
    seated = set(_list_cards(experiment))
    changes: dict[str, str] = {}
    for name, card in seats.items():
        old = experiment.seats.get(name, name)
        if old not in seated:
            known = ", ".join([*experiment.seats, *sorted(seated)])
            msg = f"{experiment.name or 'the experiment'} has no seat {name!r}; its seats are: {known}"
            raise ExperimentError(msg)
        if old in changes:
            msg = (
                f"seat {name!r} is the card {old!r}, which is replaced already by {changes[old]!r}"
            )
            raise ExperimentError(msg)
        changes[old] = card
    if not changes:
        return experiment
    return replace(
        experiment,
        conditions=tuple(_seat(condition, changes) for condition in experiment.conditions),
        primary=_rename(experiment.primary, changes),
        seats={name: changes.get(card, card) for name, card in experiment.seats.items()},
    )


def _list_cards(experiment: Experiment) -> Iterator[str]:
    for condition in experiment.conditions:
        for seat in condition.seats:
            yield seat.reviewer if isinstance(seat, Seating) else seat


def _seat(condition: Condition, changes: Mapping[str, str]) -> Condition:
    seats = tuple(
        replace(seat, reviewer=changes.get(seat.reviewer, seat.reviewer))
        if isinstance(seat, Seating)
        else changes.get(seat, seat)
        for seat in condition.seats
    )
    return replace(condition, name=_rename(condition.name, changes), seats=seats)


def _rename(text: str, changes: Mapping[str, str]) -> str:
    """Replace the names of cards that stand as whole words, all at once."""
    if not changes or not text:
        return text
    names = "|".join(re.escape(name) for name in sorted(changes, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", lambda found: changes[found[0]], text)
