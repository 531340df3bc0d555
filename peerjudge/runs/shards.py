"""Shards of a run: parts of its questions that processes play apart, with their share of limits and rates.

The shard of a question depends on its id and on the number of shards alone, so that processes which know
nothing of each other play every question once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from peerjudge.data import Card, Comparison, content_hash, replace as replace_noun
from peerjudge.errors import ExperimentError
from peerjudge.runs.bounds import Bounds
from peerjudge.runs.budget import Amount
from peerjudge.runs.estimate import Costs, estimate_calls
from peerjudge.runs.schedule import Cast, Plan
from peerjudge.shown import money

_FORM = re.compile(r"(\d+)/(\d+)(?:%(\d+))?", re.ASCII)
_SAMPLE = 90
"""Most comparisons that are simulated to divide a limit over all shards, but `_FEWEST` in each."""
_FEWEST = 3
_RATES = ("requests_per_minute", "tokens_per_minute")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Part `number` of `of` parts, counted from 1; `together` of them are played at a time."""

    number: int
    of: int
    together: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def choose(self, comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
        """Return the comparisons of the questions that are in this part, in their order."""
        return tuple(
            comparison
            for comparison in comparisons
            if _find_shard(comparison.question.id, self.of) == self.number
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """The bounds of one shard, and a sentence about what of the whole it has; empty without limits."""

    bounds: Bounds
    sentence: str


def parse_shard(text: str) -> Shard:
    """Return the shard that a text such as `3/8` or `3/64%8` names.

    Raises:
        ExperimentError: The text has another form, or a number that no shard has.
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        msg = f"--shard takes K/N, as in 3/8, or K/N%M where M shards run at a time, not {text!r}"
        raise ExperimentError(msg)
    number, of = int(form[1]), int(form[2])
    together = of if form[3] is None else int(form[3])
    if not 1 <= number <= of:
        msg = (
            f"--shard {text}: shards count from 1, so the first of {of or 'N'} is 1/{of or 'N'}; let the "
            "array of a scheduler count from 1 too, or add 1 to its index"
        )
        raise ExperimentError(msg)
    if not 1 <= together <= of:
        msg = f"--shard {text}: of {of} shards, 1 to {of} run at a time, not {together}"
        raise ExperimentError(msg)
    return Shard(number=number, of=of, together=together)


def check_divided(*, until: str | None, batch: bool, writes: bool) -> None:
    """Raise `ExperimentError` for what a run in shards cannot keep; `writes` means answers to questions."""
    if until is not None:
        msg = (
            "--until looks at all questions so far, and a shard knows only its own: leave out --until, or "
            "play the run in one process"
        )
        raise ExperimentError(msg)
    if batch:
        msg = (
            "--batch sends up to 2,000 discussions at a time from one process: leave out the shards, or "
            "--batch"
        )
        raise ExperimentError(msg)
    if writes:
        msg = (
            "every shard would write the answers to all questions: run `peerjudge answers` first, and "
            "judge its file in shards"
        )
        raise ExperimentError(msg)


def check_place(store: str | None, *, limited: bool) -> None:
    """Raise `ExperimentError` for a shard with a limit that another shard in its place would use up."""
    if store is not None and limited:
        msg = (
            "a limit counts everything spent in a database, also by other shards: give each shard a folder "
            "with --out, or leave out the limit"
        )
        raise ExperimentError(msg)


def measure_shares(plan: Plan, costs: Costs, of: int) -> tuple[Amount, ...]:
    """Return the share of each shard in the estimated tokens and cost of a plan; the sums are 1.

    The share in a cost of 0 is that in the discussions.
    """
    sample = max(_FEWEST, _SAMPLE // of)
    tokens: list[float] = []
    usd: list[float] = []
    counts: list[float] = []
    for number in range(1, of + 1):
        shard = Shard(number=number, of=of, together=of)
        part = replace(plan, comparisons=shard.choose(plan.comparisons))
        estimate = estimate_calls(part, costs, sample=sample)
        tokens.append(estimate.tokens)
        usd.append(estimate.cost_usd or 0.0)
        counts.append(len(part))
    return tuple(
        Amount(*each) for each in zip(_norm(tokens, counts), _norm(usd, counts), strict=True)
    )


def limit_to(bounds: Bounds, most: Amount) -> Bounds:
    """Return the bounds with other values of the limits that they have; at least ones that let nothing in."""
    return replace(
        bounds,
        cost_limit=None if bounds.cost_limit is None else max(most.usd, 1e-9),
        token_limit=None if bounds.token_limit is None else max(int(most.tokens), 1),
    )


def divide_rates(cast: Cast, together: int) -> Mapping[str, Card]:
    """Return the cards with the calls and tokens a minute of one of so many shards that run at a time."""
    return {name: _divide_rates(card, together) for name, card in cast.items()}


def divide(shard: Shard, whole: Plan, costs: Costs, bounds: Bounds) -> Division:
    """Return the limits of one shard of a plan, which ends alone: its share of those of the whole."""
    parts: list[str] = []
    usd, tokens = bounds.cost_limit, bounds.token_limit
    if usd is not None or tokens is not None:
        share = measure_shares(whole, costs, shard.of)[shard.number - 1]
        most = Amount((tokens or 0) * share.tokens, (usd or 0.0) * share.usd)
        bounds = limit_to(bounds, most)
    if usd is not None:
        parts.append(f"{money(bounds.cost_limit)} of the limit of {money(usd)}")
    if tokens is not None:
        parts.append(f"{bounds.token_limit:,} of the limit of {tokens:,} tokens")
    slowed = list_slowed(whole.cast)
    if slowed and shard.together > 1:
        parts.append(
            f"1/{shard.together} of the calls and tokens a minute of {', '.join(slowed)}, as "
            f"{shard.together} shards run at a time"
        )
    return Division(
        bounds=bounds, sentence=f"shard {shard} has {'; '.join(parts)}" if parts else ""
    )


def list_slowed(cast: Cast) -> list[str]:
    """Return the names of the cards with a limit on calls or tokens a minute."""
    return [
        name for name, card in cast.items() if any(getattr(card.limits, rate) for rate in _RATES)
    ]


def _find_shard(question: str, of: int) -> int:
    return int(content_hash("shard", question), 16) % of + 1


def _norm(values: Sequence[float], counts: Sequence[float]) -> list[float]:
    chosen = values if sum(values) > 0.0 else counts
    whole = sum(chosen)
    return [value / whole if whole else 0.0 for value in chosen]


def _divide_rates(card: Card, together: int) -> Card:
    rates = {name: getattr(card.limits, name) for name in _RATES}
    divided = {name: max(1, rate // together) for name, rate in rates.items() if rate is not None}
    if not divided:
        return card
    return replace_noun(card, limits=replace_noun(card.limits, **divided))
