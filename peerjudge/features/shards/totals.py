"""Totals of shards: their progress while they run, and one summary of their summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from peerjudge.data import add_costs
from peerjudge.features.shards.tasks import ShardProgress
from peerjudge.runs.ledger import Spending
from peerjudge.runs.results import (
    CallCounts,
    CutOffCount,
    DiscussionCounts,
    FailureCount,
    RunSummary,
    SecondCallCounts,
)
from peerjudge.store import UncertainCalls


def add_progress(each: Iterable[ShardProgress]) -> ShardProgress:
    """Return the counts of all shards together."""
    given = tuple(each)
    return ShardProgress(
        **_sum(given, "done", "before", "active", "failed", "tokens", "cost"),
        cost_known=all(one.cost_known for one in given),
        calls=sum((one.calls for one in given), CallCounts()),
    )


def _sum(each: Sequence[object], *names: str) -> dict[str, Any]:
    return {name: sum(getattr(one, name) for one in each) for name in names}


def continue_summary(first: RunSummary, later: RunSummary) -> RunSummary:
    """Return the summary of a shard that was played on in the same command."""
    both = add_summaries((first, later))
    counts = replace(
        later.discussions, done=both.discussions.done, skipped=first.discussions.skipped
    )
    return replace(
        both,
        discussions=counts,
        spent_before=first.spent_before,
        uncertain=later.uncertain,
        failures=later.failures,
        stopped=later.stopped,
        enough=later.enough,
    )


def add_summaries(each: Sequence[RunSummary]) -> RunSummary:
    """Return the summary of all shards together, with the place, limit and run of the first."""
    counts = [one.discussions for one in each]
    uncertain = [one.uncertain for one in each]
    return replace(
        each[0],
        discussions=DiscussionCounts(**_sum(counts, "done", "failed", "skipped", "waiting")),
        calls=sum((one.calls for one in each), CallCounts()),
        **_sum(each, "tokens", "cached_tokens", "thinking_tokens"),
        cost_usd=add_costs(one.cost_usd for one in each),
        cost_known=all(one.cost_known for one in each),
        spent_before=_add_spending(one.spent_before for one in each),
        spent_now=_add_spending(one.spent_now for one in each),
        uncertain=UncertainCalls(
            **_sum(uncertain, "calls", "tokens"), usd=add_costs(one.usd for one in uncertain)
        ),
        stopped=_choose_stop(each),
        failures=_add_failures(each),
        cut_off=_add_cut_off(each),
        asked=_add_second(one.asked for one in each),
        reread=_add_second(one.reread for one in each),
        enough=_find_enough(each),
    )


def _find_enough(each: Sequence[RunSummary]) -> float | None:
    """Return the lowest limit of the whole with which one of the shards that stopped could play on."""
    stop = _choose_stop(each)
    wanted = [one for one in each if one.enough is not None and one.stopped == stop]
    if not wanted:
        return None
    of_tokens = stop == "token limit"
    spent = {id(one): _get_spent(one, of_tokens=of_tokens) for one in each}
    return sum(spent.values()) + min((one.enough or 0.0) - spent[id(one)] for one in wanted)


def _get_spent(summary: RunSummary, *, of_tokens: bool) -> float:
    both = (summary.spent_before, summary.spent_now)
    return sum((one.tokens or 0) if of_tokens else (one.usd or 0.0) for one in both)


def _choose_stop(each: Sequence[RunSummary]) -> str | None:
    """Return a limit that stopped a shard if there is one, else what stopped the first that was stopped."""
    stops = [one.stopped for one in each if one.stopped is not None]
    limits = [stop for stop in stops if stop.endswith("limit")]
    return next(iter([*limits, *stops]), None)


def _add_spending(each: Iterable[Spending]) -> Spending:
    given = list(each)
    return Spending(
        tokens=sum(one.tokens or 0 for one in given), usd=add_costs(one.usd for one in given)
    )


def _add_second(each: Iterable[SecondCallCounts]) -> SecondCallCounts:
    given = list(each)
    return SecondCallCounts(
        replies=sum(one.replies for one in given),
        verdicts=sum(one.verdicts for one in given),
        failed=sum(one.failed for one in given),
    )


def _add_failures(each: Iterable[RunSummary]) -> tuple[FailureCount, ...]:
    found: dict[tuple[str, str], FailureCount] = {}
    for failure in (failure for one in each for failure in one.failures):
        key = (failure.reviewer, failure.kind)
        earlier = found.get(key)
        count = failure.count + (0 if earlier is None else earlier.count)
        found[key] = replace(earlier or failure, count=count)
    return tuple(sorted(found.values(), key=lambda failure: -failure.count))


def _add_cut_off(each: Iterable[RunSummary]) -> tuple[CutOffCount, ...]:
    counts: Counter[tuple[str, int | None]] = Counter()
    for cut in (cut for one in each for cut in one.cut_off):
        counts[cut.reviewer, cut.max_tokens] += cut.count
    return tuple(
        CutOffCount(reviewer=reviewer, max_tokens=most, count=count)
        for (reviewer, most), count in counts.most_common()
    )
