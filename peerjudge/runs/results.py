"""Results of a run: discussions, calls, tokens and cost, counted while it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from peerjudge.data import StopReason, Transcript, Turn, Usage, to_plain
from peerjudge.engine import Journal
from peerjudge.runs.budget import Amount
from peerjudge.runs.estimate import Costs
from peerjudge.verdicts import CUT_OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionCounts:
    """Discussions completed now, failed now, and skipped because they were complete already."""

    done: int = 0
    failed: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCounts:
    """Paid and cached replies of real models, failed turns, and simulated replies."""

    paid: int = 0
    cached: int = 0
    failed: int = 0
    simulated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """Failed discussions by reviewer and type of error, with one error message."""

    reviewer: str
    kind: str
    count: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffCount:
    """New replies of a reviewer that reached their limit before a verdict or rating.

    `max_tokens` is `None` where the seat sets none, so that the limit is the server's.
    """

    reviewer: str
    max_tokens: int | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """The results of one `run` command.

    `store` is the place of the store without the password of a URL. `tokens` counts prompt and
    completion of all new replies, `thinking_tokens` the part of them that was thinking, `cached_tokens`
    those saved by the cache. `cost_usd` is `None` if
    the price of a paid model is unknown. `stopped` is `None` for a complete run, else `token limit`,
    `cost limit` or `too many failures`; `enough` is the lowest limit, in tokens or USD, with which
    another discussion could have run. `failures` and `cut_off` begin with the most frequent.
    """

    run: str
    store: str
    folder: str | None
    discussions: DiscussionCounts
    calls: CallCounts
    tokens: int
    cost_usd: float | None
    cost_known: bool
    cached_tokens: int = 0
    thinking_tokens: int = 0
    stopped: str | None = None
    failures: tuple[FailureCount, ...] = ()
    cut_off: tuple[CutOffCount, ...] = ()
    enough: float | None = None


def summary_document(summary: RunSummary) -> Mapping[str, object]:
    """Return the summary as the command line prints it with `--json`."""
    plain = to_plain(summary)
    assert isinstance(plain, dict)  # noqa: S101  a noun's plain form is always an object
    return plain  # pyright: ignore[reportUnknownVariableType]


class RunCounts:
    """A journal that counts turns and ends, and passes them to the store's journal.

    Args:
        journal: The journal that stores turns.
        costs: The prices of the reviewers.
    """

    def __init__(self, journal: Journal, costs: Costs) -> None:
        self._journal = journal
        self._costs = costs
        self.discussions: DiscussionCounts = DiscussionCounts()
        self.calls: CallCounts = CallCounts()
        self._failures: dict[tuple[str, str], FailureCount] = {}
        self._cut_off: Counter[tuple[str, int | None]] = Counter()
        self.tokens = self.cached_tokens = self.thinking_tokens = 0
        self.cost = 0.0
        self.cost_known = True

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Count the turn, then store it: a write that is cancelled still completes."""
        self._count_turn(transcript, turn)
        await self._journal.turn(transcript, turn)

    async def end(self, transcript: Transcript) -> None:
        """Count the end of a discussion and store it."""
        counts = self.discussions
        if transcript.stop is StopReason.FAILED:
            self.discussions = replace(counts, failed=counts.failed + 1)
            self.calls = replace(self.calls, failed=self.calls.failed + 1)
            self._count_failure(transcript)
        else:
            self.discussions = replace(counts, done=counts.done + 1)
        await self._journal.end(transcript)

    def skip(self, count: int) -> None:
        """Count discussions that were complete before this run."""
        self.discussions = replace(self.discussions, skipped=self.discussions.skipped + count)

    def summarize(
        self, *, run: str, store: str, folder: str | None, stopped: str | None, enough: float | None
    ) -> RunSummary:
        """Return the counts as a summary of the run."""
        return RunSummary(
            run=run,
            store=store,
            folder=folder,
            discussions=self.discussions,
            calls=self.calls,
            tokens=self.tokens,
            cached_tokens=self.cached_tokens,
            thinking_tokens=self.thinking_tokens,
            cost_usd=self.cost if self.cost_known else None,
            cost_known=self.cost_known,
            stopped=stopped,
            failures=tuple(sorted(self._failures.values(), key=lambda each: -each.count)),
            cut_off=tuple(
                CutOffCount(reviewer=reviewer, max_tokens=most, count=count)
                for (reviewer, most), count in self._cut_off.most_common()
            ),
            enough=enough,
        )

    def _count_turn(self, transcript: Transcript, turn: Turn) -> None:
        said, calls = turn.utterance, self.calls
        tokens = said.usage.prompt_tokens + said.usage.completion_tokens
        if turn.review.rule == CUT_OFF:
            seat = transcript.seat(turn.cue.seat)
            self._cut_off[seat.reviewer, seat.sampling.max_tokens] += 1
        if said.simulated:
            self.calls = replace(calls, simulated=calls.simulated + 1)
        elif said.cached:
            self.calls = replace(calls, cached=calls.cached + 1)
            self.cached_tokens += tokens
            return
        elif said.usage != Usage():  # a function or a record that called no model is free
            self.calls = replace(calls, paid=calls.paid + 1)
            cost = self._costs.of(transcript.seat(turn.cue.seat).reviewer, said.usage)
            self.cost += cost or 0.0
            self.cost_known = self.cost_known and cost is not None
        self.tokens += tokens
        self.thinking_tokens += said.usage.thinking_tokens

    def _count_failure(self, transcript: Transcript) -> None:
        failure = transcript.failure
        if failure is None:
            return
        reviewer = transcript.seat(failure.seat).reviewer
        # Providers charge for some failed calls, so without a price the cost is unknown.
        self.cost_known = self.cost_known and self._costs.of(reviewer, Usage()) is not None
        one = FailureCount(reviewer=reviewer, kind=failure.kind, count=0, message=failure.message)
        known = self._failures.setdefault((reviewer, failure.kind), one)
        self._failures[reviewer, failure.kind] = replace(known, count=known.count + 1)


def sum_spending(transcript: Transcript, costs: Costs) -> Amount:
    """Return the tokens and cost of a stored discussion, without cached replies."""
    spent = Amount()
    for turn in transcript.turns:
        said = turn.utterance
        if not said.cached:
            usage = said.usage
            reviewer = transcript.seat(turn.cue.seat).reviewer
            cost = 0.0 if said.simulated else costs.of(reviewer, usage)
            spent += Amount(usage.prompt_tokens + usage.completion_tokens, cost or 0.0)
    return spent
