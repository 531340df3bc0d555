"""Applies `key=value` settings to an experiment: to its conditions, protocols and reviewers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import TypeVar

from peerjudge.data import (
    Card,
    Condition,
    Experiment,
    Leader,
    Limits,
    Orders,
    ReviewerKind,
    Sampling,
    Scalar,
    from_plain,
    replace,
    to_plain,
)
from peerjudge.errors import DataError, ExperimentError
from peerjudge.shelf import Shelf
from peerjudge.simulation import Traits

__all__ = ["apply_settings", "cards_of", "parse_settings"]

T = TypeVar("T", Sampling, Limits)

_CONDITION_KEYS = ("leader", "orders", "prompts")
_EXPERIMENT_KEYS = ("repetitions",)


def parse_settings(pairs: Sequence[str]) -> dict[str, str]:
    """`["turns=6", "stop=agreement"]` as a mapping; raises `ExperimentError` for anything else."""
    settings: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            msg = f"a setting is written key=value, not {pair!r}"
            raise ExperimentError(msg)
        if key in settings:
            msg = f"setting {key!r} is given twice: {settings[key]!r} and {value!r}"
            raise ExperimentError(msg)
        settings[key] = value
    return settings


def apply_settings(experiment: Experiment, settings: Mapping[str, str], shelf: Shelf) -> Experiment:
    """The experiment with every setting applied wherever it is understood.

    A key is looked for, in this order, among the fields of conditions (`leader`, `orders`,
    `prompts`) and of the experiment (`repetitions`), the options of its protocols, and the
    sampling, limits and traits of its reviewers. Raises `ExperimentError` for a key that nothing
    takes, naming those that something does.
    """
    for key, value in settings.items():
        experiment = _apply(experiment, key, value, shelf)
    return experiment


def cards_of(experiment: Experiment, shelf: Shelf) -> dict[str, Card]:
    """The cards that the experiment seats, with its `reviewer_settings` applied."""
    names = {
        seating if isinstance(seating, str) else seating.reviewer
        for condition in experiment.conditions
        for seating in condition.seats
    }
    return {
        name: _with_settings(shelf.card(name), experiment.reviewer_settings)
        for name in sorted(names)
    }


def _apply(experiment: Experiment, key: str, value: str, shelf: Shelf) -> Experiment:
    if key in _EXPERIMENT_KEYS:
        return replace(experiment, repetitions=_count(key, value))
    if key in _CONDITION_KEYS:
        conditions = tuple(_set_field(condition, key, value) for condition in experiment.conditions)
        return replace(experiment, conditions=conditions)
    takes = {
        condition.name
        for condition in experiment.conditions
        if key in shelf.protocol(condition.protocol, options={}).settings()
    }
    if takes:
        conditions = tuple(
            replace(condition, options={**condition.options, key: value})
            if condition.name in takes
            else condition
            for condition in experiment.conditions
        )
        return replace(experiment, conditions=conditions)
    cards = cards_of(experiment, shelf).values()
    if any(key in _card_keys(card) for card in cards):
        changed = {**experiment.reviewer_settings, key: value}
        return replace(experiment, reviewer_settings=changed)
    raise ExperimentError(_nothing_takes(experiment, key, shelf))


def _set_field(condition: Condition, key: str, value: str) -> Condition:
    if key == "prompts":
        return replace(condition, prompts=value)
    kind = Leader if key == "leader" else Orders
    if value not in tuple(kind):
        msg = f"{key} is one of {', '.join(kind)}, not {value!r}"
        raise ExperimentError(msg)
    if kind is Leader:
        return replace(condition, leader=Leader(value))
    return replace(condition, orders=Orders(value))


def _count(key: str, value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        msg = f"{key} is a whole number from 1, not {value!r}"
        raise ExperimentError(msg)
    return int(value)


def _card_keys(card: Card) -> tuple[str, ...]:
    simulated = card.kind is ReviewerKind.SIMULATED
    own = [trait.name for trait in fields(Traits)] if simulated else Limits.__struct_fields__
    return (*Sampling.__struct_fields__, *own)


def _with_settings(card: Card, settings: Mapping[str, Scalar]) -> Card:
    known = {key: value for key, value in settings.items() if key in _card_keys(card)}
    if not known:
        return card
    drawn = Sampling.__struct_fields__
    sampling = {key: value for key, value in known.items() if key in drawn}
    others = {key: value for key, value in known.items() if key not in drawn}
    try:
        card = replace(card, sampling=_updated(card.sampling, sampling))
        if card.kind is ReviewerKind.SIMULATED:
            return replace(
                card, traits={**card.traits, **{k: _number(k, v) for k, v in others.items()}}
            )
        return replace(card, limits=_updated(card.limits, others))
    except DataError as cause:
        raise ExperimentError(str(cause)) from cause


def _updated(noun: T, changes: Mapping[str, Scalar]) -> T:
    plain = to_plain(noun)
    assert isinstance(plain, dict)  # noqa: S101  a noun's plain form is always an object
    return from_plain(type(noun), {**plain, **changes})  # pyright: ignore[reportUnknownArgumentType]


def _number(key: str, value: Scalar) -> float:
    try:
        return float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError) as cause:
        msg = f"trait {key!r} is a number, not {value!r}"
        raise ExperimentError(msg) from cause


def _nothing_takes(experiment: Experiment, key: str, shelf: Shelf) -> str:
    options = {
        option
        for condition in experiment.conditions
        for option in shelf.protocol(condition.protocol, options={}).settings()
    }
    traits = {key for card in cards_of(experiment, shelf).values() for key in _card_keys(card)}
    known = sorted({*_EXPERIMENT_KEYS, *_CONDITION_KEYS, *options, *traits})
    close = get_close_matches(key, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return (
        f"nothing in experiment {experiment.name!r} takes a setting {key!r}{hint} "
        f"(known: {', '.join(known)})"
    )
