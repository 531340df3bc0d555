"""What a run came to: discussions, calls, tokens and cost, counted while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from peerjudge.data import StopReason, Transcript, Turn, Usage, to_plain
from peerjudge.engine import Journal
from peerjudge.runs.budget import Amount
from peerjudge.runs.costs import Costs

__all__ = [
    "CallCounts",
    "DiscussionCounts",
    "FailureCount",
    "RunSummary",
    "Tally",
    "spent_on",
    "summary_document",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionCounts:
    """Discussions of this run: played to their end now, failed, and found done already."""

    done: int = 0
    failed: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCounts:
    """Replies of real models that were paid for or at hand, turns that failed, simulated replies."""

    paid: int = 0
    cached: int = 0
    failed: int = 0
    simulated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """Discussions that failed in one way: whose turn, the type of its failure, and one message."""

    reviewer: str
    kind: str
    count: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What one invocation did. `cost_usd` is `None` where a paid model's price is not known.

    `store` is the place of the store as it may be shown: without the password of a URL.
    `failures` says what the failed discussions failed of, the most frequent first.

    `tokens` counts prompt and completion of everything said now, `cached_tokens` what replies at
    hand saved. `stopped` is `None` for a run that was played to its end, else `token limit`,
    `cost limit` or `too many failures`; `enough` is the least limit, in tokens or USD, with which
    another discussion could have been played.
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
    stopped: str | None = None
    failures: tuple[FailureCount, ...] = ()
    enough: float | None = None


def summary_document(summary: RunSummary) -> Mapping[str, object]:
    """The summary as the command line prints it with `--json`."""
    plain = to_plain(summary)
    assert isinstance(plain, dict)  # noqa: S101  a noun's plain form is always an object
    return plain  # pyright: ignore[reportUnknownVariableType]


class Tally:
    """A journal that counts what passes through it to the journal behind it.

    Args:
        journal: Where turns are kept.
        costs: What tokens cost.
        on_end: Told of every discussion that has ended, once that is kept.
    """

    def __init__(
        self,
        journal: Journal,
        costs: Costs,
        *,
        on_end: Sequence[Callable[[Transcript], None]] = (),
    ) -> None:
        self._journal = journal
        self._costs = costs
        self._on_end = on_end
        self.discussions: DiscussionCounts = DiscussionCounts()
        self.calls: CallCounts = CallCounts()
        self._failures: dict[tuple[str, str], FailureCount] = {}
        self.tokens = self.cached_tokens = 0
        self.cost = 0.0
        self.cost_known = True

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Count the turn and keep it: what is cancelled while it is being written is written, too."""
        self._count(transcript, turn)
        await self._journal.turn(transcript, turn)

    def _count(self, transcript: Transcript, turn: Turn) -> None:
        said, calls = turn.utterance, self.calls
        tokens = said.usage.prompt_tokens + said.usage.completion_tokens
        if said.simulated:
            self.calls = replace(calls, simulated=calls.simulated + 1)
        elif said.cached:
            self.calls = replace(calls, cached=calls.cached + 1)
            self.cached_tokens += tokens
            return
        elif said.usage != Usage():  # a function or a record that asked no model costs nothing
            self.calls = replace(calls, paid=calls.paid + 1)
            cost = self._costs.of(transcript.seat(turn.cue.seat).reviewer, said.usage)
            self.cost += cost or 0.0
            self.cost_known = self.cost_known and cost is not None
        self.tokens += tokens

    async def end(self, transcript: Transcript) -> None:
        """Count the end and keep it, then tell of it."""
        counts = self.discussions
        if transcript.stop is StopReason.FAILED:
            self.discussions = replace(counts, failed=counts.failed + 1)
            self.calls = replace(self.calls, failed=self.calls.failed + 1)
            self._count_failure(transcript)
        else:
            self.discussions = replace(counts, done=counts.done + 1)
        await self._journal.end(transcript)
        for told in self._on_end:
            told(transcript)

    def _count_failure(self, transcript: Transcript) -> None:
        failure = transcript.failure
        if failure is None:
            return
        reviewer = transcript.seat(failure.seat).reviewer
        # Some failures are charged for, so what they cost is as unknown as the price.
        self.cost_known = self.cost_known and self._costs.of(reviewer, Usage()) is not None
        one = FailureCount(reviewer=reviewer, kind=failure.kind, count=0, message=failure.message)
        known = self._failures.setdefault((reviewer, failure.kind), one)
        self._failures[reviewer, failure.kind] = replace(known, count=known.count + 1)

    @property
    def failures(self) -> tuple[FailureCount, ...]:
        """What discussions failed of, the most frequent first."""
        return tuple(sorted(self._failures.values(), key=lambda each: -each.count))

    def skipped(self, count: int) -> None:
        """Count discussions that were done before."""
        self.discussions = replace(self.discussions, skipped=self.discussions.skipped + count)


def spent_on(transcript: Transcript, costs: Costs) -> Amount:
    """What the turns of a discussion took, without those whose replies were at hand."""
    spent = Amount()
    for turn in transcript.turns:
        said = turn.utterance
        if not said.cached:
            usage = said.usage
            reviewer = transcript.seat(turn.cue.seat).reviewer
            cost = 0.0 if said.simulated else costs.of(reviewer, usage)
            spent += Amount(usage.prompt_tokens + usage.completion_tokens, cost or 0.0)
    return spent
