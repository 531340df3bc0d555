"""Traits of a simulated reviewer, as a card states them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import NoReturn, cast

from peerjudge.data import Card, ReviewerKind, Scalar
from peerjudge.data.choices import suggest_choice
from peerjudge.errors import CardError

PERSUASIVE_STEP = 0.5
"""Logits per pressing sentence; persuasiveness comes in steps of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Traits of a simulated reviewer; the defaults are those of a card that does not name them.

    The unit of judgement is the standard deviation of the whole error of one private comparison of
    two answers at temperature 1; the true difference of two answers has standard deviation 1 too,
    times `ability`. The unit of opinion change is the logit. Values of published reviewers
    differ from task to task: a card's traits hold for the task they were fitted to.
    """

    ability: float = 0.6
    """Weight of the true difference of two answers; 0 guesses. [sd]"""
    position_bias: float = 0.0
    """Pull of the first-shown answer; negative pulls to the later ones. [sd]"""
    self_enhancement: float = 0.0
    """Pull of answers by the reviewer itself or its family. [sd]"""
    machine_taste: float = 0.0
    """Pull of answers whose author is known and not human. [sd]"""
    verbosity: float = 0.0
    """Pull of length: the advantage of an answer e times as long as the other. [sd]"""
    surface: float = 0.0
    """Pull of the attractive wrong answer of an adversarial item, judged side by side. [sd]"""
    alone_dampening: float = 0.57
    """Part of `surface` left after explaining or rating each answer alone (PRePair). [factor]"""
    together_dampening: float = 0.91
    """Part of `surface` left after explaining the answers together (PRePair*). [factor]"""
    shared_error: float = 0.38
    """Part of the error's variance that all reviewers share on a comparison. [share]"""
    copy_error: float = 0.12
    """Part that only seats of the same reviewer share. [share]"""
    place_error: float = 0.0
    """Part that is a preference for a place, new on every comparison: swapping the answers reverses
    it. The rest of the variance is fresh in each reply. [share]"""
    wording_error: float = 0.0
    """Part that is new with every wording of the prompt and stays with it, so that two prompts of equal
    worth do not judge alike. [share]"""
    tie_width: float = 0.1
    """Where ties are allowed, differences smaller than this are called one. [sd]"""
    susceptibility: float = 0.0
    """Readiness to change an opinion on disagreement; the negative of stubbornness. [logit]"""
    firmness: float = 2.0
    """Reduction of that readiness in the leader of a discussion. [logit]"""
    persuasiveness: float = 0.0
    """Increase of the readiness of seats that read its reasons; 0 to 3 by halves. [logit]"""
    truth_pull: float = 0.0
    """Increase of the readiness when the other is right, decrease when wrong. It uses gold: with it a
    simulated discussion helps by construction, so plan with 0 as well. [logit]"""
    unreadable_rate: float = 0.0
    """Share of replies that break off before the verdict. [share]"""
    refusal_rate: float = 0.0
    """Share of replies that decline to judge. [share]"""
    latency: float = 0.0
    """Duration of a reply of usual length; it grows in proportion to the length. [s]"""
    length: float = 110.0
    """Usual length of a reply. [words]"""


TRAITS = tuple(field.name for field in fields(Traits))
"""The names of the traits."""

_ERRORS = ("shared_error", "copy_error", "place_error", "wording_error")
_FAILURES = ("unreadable_rate", "refusal_rate")
_SHARES = (*_ERRORS, *_FAILURES)
_NOT_NEGATIVE = (
    "ability",
    "surface",
    "alone_dampening",
    "together_dampening",
    "tie_width",
    "firmness",
    "latency",
)
_MOST_PERSUASIVE = 3.0
_LEAST_LENGTH = 20.0
_ROUNDING = 1e-9


def read_traits(card: Card) -> Traits:
    """Return the traits of a simulated reviewer's card, with defaults filled in.

    Raises:
        CardError: the card is not of kind `simulated`, names an unknown trait, or gives a trait a
            value outside its range.
    """
    if card.kind is not ReviewerKind.SIMULATED:
        _fail(card, f"is of kind {card.kind.value!r}; only a card with [traits] can be simulated")
    for name in card.traits:
        if hint := correct_trait(name):
            _fail(card, f"has an unknown trait {name!r}{hint}")
    traits = Traits(
        **{name: _read_number(card, name, value) for name, value in card.traits.items()}
    )
    _check_ranges(card, traits)
    return traits


def correct_trait(name: str) -> str:
    """Return a hint for the unknown name of a trait; empty for a known one."""
    return "" if name in TRAITS else suggest_choice(name, TRAITS)


def clamp_traits(values: Mapping[str, float]) -> Traits:
    """Return the traits with these values, each moved to the nearest one in its range.

    Shares that add up to more than 1 together are divided by their sum.
    """
    clamped = dict(values)
    for name in _NOT_NEGATIVE:
        clamped[name] = max(0.0, clamped[name])
    for name in _SHARES:
        clamped[name] = min(1.0, max(0.0, clamped[name]))
    for shares in (_ERRORS, _FAILURES):
        total = sum(clamped[name] for name in shares)
        if total > 1:
            clamped |= {name: clamped[name] / total for name in shares}
    steps = round(clamped["persuasiveness"] / PERSUASIVE_STEP)
    clamped["persuasiveness"] = min(_MOST_PERSUASIVE, max(0.0, steps * PERSUASIVE_STEP))
    clamped["length"] = max(_LEAST_LENGTH, clamped["length"])
    return Traits(**clamped)


def _read_number(card: Card, name: str, value: Scalar) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        _fail(card, f"needs a finite number for the trait {name}, not {value!r}")
    return float(value)


def _check_ranges(card: Card, traits: Traits) -> None:
    for name in _SHARES:
        share = cast("float", getattr(traits, name))
        if not 0 <= share <= 1:
            _fail(card, f"has {name} = {share:g}; a share lies between 0 and 1")
    for name in _NOT_NEGATIVE:
        amount = cast("float", getattr(traits, name))
        if amount < 0:
            _fail(card, f"has {name} = {amount:g}; it cannot be negative")
    if sum(cast("float", getattr(traits, name)) for name in _ERRORS) > 1 + _ROUNDING:
        _fail(card, f"has {', '.join(_ERRORS)} that add up to more than 1; lower one of them")
    if traits.unreadable_rate + traits.refusal_rate > 1:
        _fail(card, "has unreadable_rate and refusal_rate that add up to more than 1; lower one")
    steps = traits.persuasiveness / PERSUASIVE_STEP
    if steps != round(steps) or not 0 <= traits.persuasiveness <= _MOST_PERSUASIVE:
        _fail(
            card,
            f"has persuasiveness = {traits.persuasiveness:g}; it goes from 0 to {_MOST_PERSUASIVE:g} "
            f"in steps of {PERSUASIVE_STEP:g}, one pressing sentence each",
        )
    if traits.length < _LEAST_LENGTH:
        _fail(
            card, f"has length = {traits.length:g}; a reply needs at least {_LEAST_LENGTH:g} words"
        )


def _fail(card: Card, problem: str) -> NoReturn:
    msg = f"card {card.name!r} {problem}"
    raise CardError(msg)
