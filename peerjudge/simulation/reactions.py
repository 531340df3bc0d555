"""Reactions of a simulated reviewer to the words of its prompt: traits that a wording changes.

The words are those of the prompt pack and the role. Question, answers and replies are left out, so
that no text that is judged can change its judge.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn, cast

from peerjudge.data import Card, Reaction, Request, content_hash
from peerjudge.errors import CardError
from peerjudge.prompts import extract_wording
from peerjudge.simulation.traits import TRAITS, Traits, clamp_traits, correct_trait, read_traits


@dataclass(frozen=True)
class Temper:
    """Traits of a simulated reviewer with its reactions; no wording changes them without reactions.

    Args:
        card: The card; its patterns are compiled once.

    Raises:
        CardError: A trait is unknown or outside its range, a reaction names an unknown trait, has
            neither a pattern nor a form, adds nothing, or has a pattern that is no regular expression
            or is found in every text.
    """

    card: Card

    def __post_init__(self) -> None:
        _ = self.traits, self._rules

    @cached_property
    def traits(self) -> Traits:
        """Traits without reactions."""
        return read_traits(self.card)

    @cached_property
    def _rules(self) -> tuple[_Rule, ...]:
        return tuple(_read_rule(self.card, reaction) for reaction in self.card.responds)

    def find_traits(self, request: Request) -> tuple[Traits, str]:
        """Return the traits for this request, and the digest of its wording.

        The reactions that apply are added up, then every trait is moved into its range. The digest is
        empty for a card that does not read prompts.
        """
        if not reads_wording(self.card):
            return self.traits, ""
        wording = extract_wording(request.messages)
        found = [rule.reaction for rule in self._rules if rule.applies(wording, request.cue.reply)]
        return add_reactions(self.traits, found), content_hash(wording)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """Reaction with its compiled patterns; those that must be found, and those that must not."""

    reaction: Reaction
    needed: tuple[re.Pattern[str], ...]
    unwanted: tuple[re.Pattern[str], ...]

    def applies(self, wording: str, form: str) -> bool:
        """Return whether the reaction applies to this wording and reply form."""
        return (
            self.reaction.form in ("", form)
            and all(pattern.search(wording) for pattern in self.needed)
            and not any(pattern.search(wording) for pattern in self.unwanted)
        )


def reads_wording(card: Card) -> bool:
    """Return whether the replies of a simulated card depend on the words of its prompts."""
    return bool(card.responds) or bool(card.traits.get("wording_error", 0))


def add_reactions(traits: Traits, reactions: list[Reaction]) -> Traits:
    """Return the traits with these reactions added up, each trait moved into its range."""
    if not reactions:
        return traits
    values = {name: cast("float", getattr(traits, name)) for name in TRAITS}
    for reaction in reactions:
        values[reaction.trait] += reaction.add
    return clamp_traits(values)


def _read_rule(card: Card, reaction: Reaction) -> _Rule:
    if hint := correct_trait(reaction.trait):
        _refuse(card, f"with an unknown trait {reaction.trait!r}{hint}")
    if not math.isfinite(reaction.add) or reaction.add == 0:
        _refuse(card, f"with add = {reaction.add:g}; add a number other than 0")
    if not (reaction.pattern or reaction.form):
        _refuse(card, f"for {reaction.trait} without a pattern or a form; add one of them")
    return _Rule(
        reaction=reaction,
        needed=_compile(card, pattern=reaction.pattern, needs=reaction.needs),
        unwanted=_compile(card, unless=reaction.unless),
    )


def _compile(card: Card, **patterns: str) -> tuple[re.Pattern[str], ...]:
    compiled: list[re.Pattern[str]] = []
    for key, pattern in patterns.items():
        if not pattern:
            continue
        try:
            found = re.compile(pattern, re.IGNORECASE)
        except (re.error, OverflowError, RecursionError) as cause:
            _refuse(
                card,
                f"with {key} = {pattern!r}, which is no regular expression: {cause}; write a backslash "
                "before signs such as ( or * that are meant as such",
            )
        if found.search(""):
            _refuse(card, f"with {key} = {pattern!r}, which every text has; write words for it")
        compiled.append(found)
    return tuple(compiled)


def _refuse(card: Card, problem: str) -> NoReturn:
    msg = f"card {card.name!r} has a [[responds]] {problem}"
    raise CardError(msg)
