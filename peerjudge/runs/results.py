"""Results of a run: discussions, calls, tokens and cost, counted while it runs."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import structlog

from peerjudge.analysis.stopping import Decision
from peerjudge.data import (
    Seat,
    StopReason,
    Transcript,
    Turn,
    Usage,
    Utterance,
    Verdict,
    content_hash,
    to_plain,
)
from peerjudge.engine import Journal
from peerjudge.logs import get_logger
from peerjudge.marks import mark_controls
from peerjudge.runs.estimate import Costs
from peerjudge.runs.ledger import Ledger, Spending
from peerjudge.shown import Framed, money
from peerjudge.store import UncertainCalls
from peerjudge.verdicts import ASKED, ASKING_FAILED, CUT_OFF, REREAD_FAILED

WAITING = "waiting for people"
"""Value of `RunSummary.stopped` where only discussions are left that wait for the answer of a person."""
DETACHED = "waiting for batches"
"""Value of `RunSummary.stopped` where a run left its batches at the provider."""

_QUIET: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
    structlog.PrintLogger(), wrapper_class=structlog.make_filtering_bound_logger(logging.INFO)
)
_UNFILTERED = structlog.make_filtering_bound_logger(logging.NOTSET)
"""Logger class of a program that configures structlog without a level: it would print every turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionCounts:
    """Discussions completed now, failed now, complete before, and waiting for the answer of a person."""

    done: int = 0
    failed: int = 0
    skipped: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCounts:
    """Paid and cached replies of real models, failed turns, and simulated replies.

    `unmetered` are replies of own code that reported no tokens: what they took is in no total.
    """

    paid: int = 0
    cached: int = 0
    failed: int = 0
    simulated: int = 0
    unmetered: int = 0

    def __add__(self, other: CallCounts) -> CallCounts:
        return CallCounts(
            paid=self.paid + other.paid,
            cached=self.cached + other.cached,
            failed=self.failed + other.failed,
            simulated=self.simulated + other.simulated,
            unmetered=self.unmetered + other.unmetered,
        )

    def describe_tokens(self, tokens: int) -> str:
        """Return a number of tokens, or that it is unknown in whole or in part."""
        known = f"{tokens:,} tokens"
        if not self.unmetered:
            return known
        return f"{known} and an unknown number more" if tokens else "tokens unknown"


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
class SecondCallCounts:
    """New replies to a second call about a reply without a choice: all, with a verdict, and failed calls.

    The second call asks the reviewer itself for its choice, or a second model to reread the reply.
    """

    replies: int = 0
    verdicts: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCounts:
    """Answers that the contestants of a run wrote before: now, kept from earlier, failed, left out.

    `pairs` is the number of comparisons made of them.
    """

    written: int
    kept: int
    failed: int
    missing: int
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunSummary(Framed):
    """The results of one `run` command.

    `store` is the place of the store without the password of a URL. `spent_before` is the sum
    of all earlier runs in the place, with any settings, and `spent_now` that of this run; `limit` applies
    to both together. `uncertain` are the calls of all runs without a complete reply: they count as spent
    with an estimate, as a provider may bill them, until
    `peerjudge doctor --settle-lost` frees it. `thinking_tokens` counts the thinking in the replies.
    `tokens` and `cost_usd` repeat `spent_now`; `cached_tokens` were paid for by earlier calls.
    `cost_usd` is `None` if the price of a paid model, or the tokens of own code, are unknown.

    `stopped` is `None` for a complete run, else `token limit`, `cost limit`, `too many failures`,
    `waiting for people`, `waiting for batches`, or,
    where its stopping rule is met, `decided` or `precise`; `decision` is the last look of such a rule.
    `enough` is the lowest limit, in tokens or USD, with which another discussion could have run.
    `failures` and `cut_off` begin with the most frequent. `reread` counts the replies in which no rule
    found a verdict and which a second model read, `asked` those whose reviewer was asked for its choice.
    `answers` counts the answers of a run on questions; their calls and cost are in those of the run. A
    notebook and `print` show a small table, and what to do next.
    """

    renderer: ClassVar[str] = "peerjudge.results.summaries"

    run: str
    store: str
    folder: str | None
    discussions: DiscussionCounts
    calls: CallCounts
    tokens: int
    cost_usd: float | None
    cost_known: bool
    spent_before: Spending
    spent_now: Spending
    limit: Spending
    uncertain: UncertainCalls = field(default_factory=UncertainCalls)
    cached_tokens: int = 0
    thinking_tokens: int = 0
    stopped: str | None = None
    decision: Decision | None = None
    failures: tuple[FailureCount, ...] = ()
    cut_off: tuple[CutOffCount, ...] = ()
    asked: SecondCallCounts = field(default_factory=SecondCallCounts)
    reread: SecondCallCounts = field(default_factory=SecondCallCounts)
    enough: float | None = None
    answers: AnswerCounts | None = None

    def describe_briefly(self) -> str:
        """Return one line, as `repr` is."""
        counts = self.discussions
        parts = [f"{counts.done:,} discussions completed"]
        for count, what in (
            (counts.skipped, "already complete"),
            (counts.failed, "failed"),
            (counts.waiting, "waiting"),
        ):
            parts += [f"{count:,} {what}"] if count else []
        parts += [
            self.calls.describe_tokens(self.tokens),
            f"cost: {money(self.cost_usd)}",
            self.stopped or "complete",
        ]
        return mark_controls(f"<RunSummary of {self.folder or self.store}: {', '.join(parts)}>")


def summary_document(summary: RunSummary) -> Mapping[str, object]:
    """Return the summary as the command line prints it with `--json`."""
    plain = to_plain(summary)
    assert isinstance(plain, dict)  # noqa: S101  a noun's plain form is always an object
    return plain  # pyright: ignore[reportUnknownVariableType]


class RunCounts:
    """A journal that counts turns and ends, and passes them to the store's journal."""

    def __init__(self, journal: Journal, ledger: Ledger, costs: Costs) -> None:
        self._journal = journal
        self._ledger = ledger
        self._costs = costs
        self.discussions: DiscussionCounts = DiscussionCounts()
        self._cached = self._failed = self._simulated = 0
        self._failures: dict[tuple[str, str], FailureCount] = {}
        self._cut_off: Counter[tuple[str, int | None]] = Counter()
        self._cut_texts: dict[tuple[str, str], bool] = {}
        self._asked = self._reread = SecondCallCounts()
        self.thinking_tokens = 0
        self.cached_tokens = 0
        self._failures_priced = True
        # Bound once: below level debug, the two calls for each turn and discussion then cost nothing.
        self._log: structlog.typing.FilteringBoundLogger = (
            _QUIET
            if structlog.is_configured() and structlog.get_config()["wrapper_class"] is _UNFILTERED
            else get_logger().bind()
        )

    @property
    def calls(self) -> CallCounts:
        """The replies so far."""
        return CallCounts(
            paid=self._ledger.paid.calls,
            cached=self._cached,
            failed=self._failed,
            simulated=self._simulated,
            unmetered=self._ledger.unmetered.calls,
        )

    @property
    def tokens(self) -> int:
        """The tokens of this run so far."""
        return self._ledger.tokens

    @property
    def cost(self) -> float:
        """The cost of the replies with a known price, in USD."""
        return self._ledger.usd

    @property
    def cost_known(self) -> bool:
        """Whether the price of every paid reply is known."""
        return self._ledger.cost_known and self._failures_priced

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Count the turn, then store it: a write that is cancelled still completes."""
        reply = turn.utterance
        self._count_reply(reply)
        # A simulated reply is cut by a trait of its reviewer, which no limit of tokens changes.
        if turn.review.rule == CUT_OFF and not reply.simulated:
            self._count_cut(transcript.seat(turn.cue.seat), reply)
        self._count_second_calls(transcript, turn)
        self._log.debug(
            "turn",
            seat=turn.cue.seat,
            task=turn.cue.task,
            verdict=_name(turn.review.verdict),
            score=turn.review.score,
            rule=turn.review.rule,
            tokens=reply.usage.prompt_tokens + reply.usage.completion_tokens,
            latency=reply.latency,
            attempts=reply.attempts,
            cached=reply.cached,
        )
        await self._journal.turn(transcript, turn)

    def _count_cut(self, seat: Seat, reply: Utterance) -> None:
        """Count a reply that was cut off once, in however many turns it is used."""
        key = (seat.reviewer, content_hash(reply.text, reply.thinking))
        counted_as_cached = self._cut_texts.get(key)
        if reply.cached and counted_as_cached is not None:
            return
        self._cut_texts[key] = reply.cached
        # A turn that reuses a reply can come before the turn that paid for it.
        if not counted_as_cached:
            self._cut_off[seat.reviewer, seat.sampling.max_tokens] += 1

    async def reread(self, transcript: Transcript, turn: Turn) -> None:
        """Count the repeated calls, then store the turn."""
        self._count_second_calls(transcript, turn)
        await self._journal.reread(transcript, turn)

    async def end(self, transcript: Transcript) -> None:
        """Count the end of a discussion and store it."""
        counts = self.discussions
        if transcript.stop is StopReason.FAILED:
            self.discussions = replace(counts, failed=counts.failed + 1)
            self._failed += 1
            self._count_failure(transcript)
        else:
            self.discussions = replace(counts, done=counts.done + 1)
        self._log.debug(
            "discussion ended",
            condition=transcript.condition,
            comparison=transcript.comparison.id,
            stop=transcript.stop,
            verdict=_name(transcript.verdict),
            turns=len(transcript.turns),
        )
        await self._journal.end(transcript)

    def skip(self, count: int) -> None:
        """Count discussions that were complete before this run."""
        self.discussions = replace(self.discussions, skipped=self.discussions.skipped + count)

    async def wait(self, transcript: Transcript) -> None:
        """Count a discussion that waits for the answer of a person, and store it."""
        self.discussions = replace(self.discussions, waiting=self.discussions.waiting + 1)
        await self._journal.wait(transcript)

    def resume(self) -> None:
        """Count a discussion as no longer waiting."""
        self.discussions = replace(self.discussions, waiting=self.discussions.waiting - 1)

    def summarize(
        self,
        *,
        run: str,
        store: str,
        folder: str | None,
        limit: Spending,
        stopped: str | None,
        decision: Decision | None,
        enough: float | None,
    ) -> RunSummary:
        """Return the counts as a summary of the run."""
        now = self._ledger.spent_now
        known = now.usd is not None and self._failures_priced
        return RunSummary(
            run=run,
            store=store,
            folder=folder,
            discussions=self.discussions,
            calls=self.calls,
            tokens=now.tokens or 0,
            cached_tokens=self.cached_tokens,
            thinking_tokens=self.thinking_tokens,
            cost_usd=now.usd if known else None,
            cost_known=known,
            spent_before=self._ledger.spent_before,
            spent_now=now if known else replace(now, usd=None),
            limit=limit,
            uncertain=self._ledger.uncertain,
            stopped=stopped,
            decision=decision,
            failures=tuple(sorted(self._failures.values(), key=lambda each: -each.count)),
            cut_off=tuple(
                CutOffCount(reviewer=reviewer, max_tokens=most, count=count)
                for (reviewer, most), count in self._cut_off.most_common()
            ),
            asked=self._asked,
            reread=self._reread,
            enough=enough,
        )

    def _count_second_calls(self, transcript: Transcript, turn: Turn) -> None:
        rule, verdict = turn.review.rule, turn.review.verdict
        self._asked = self._count_second_call(
            self._asked,
            turn.asked,
            has_verdict=rule.startswith(ASKED),
            failed=rule.startswith(ASKING_FAILED),
            reviewer=transcript.seat(turn.cue.seat).reviewer,
        )
        if transcript.reread is not None:
            self._reread = self._count_second_call(
                self._reread,
                turn.reread,
                has_verdict=verdict is not None and verdict.readable,
                failed=rule.startswith(REREAD_FAILED),
                reviewer=transcript.reread.reviewer,
            )

    def _count_second_call(
        self,
        counts: SecondCallCounts,
        reply: Utterance | None,
        *,
        has_verdict: bool,
        failed: bool,
        reviewer: str,
    ) -> SecondCallCounts:
        if reply is not None:
            self._count_reply(reply)
            return replace(
                counts, replies=counts.replies + 1, verdicts=counts.verdicts + has_verdict
            )
        if failed:
            self._require_price(reviewer)
            return replace(counts, failed=counts.failed + 1)
        return counts

    def _count_reply(self, reply: Utterance) -> None:
        tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
        if reply.simulated:
            self._simulated += 1
            self._ledger.simulated_tokens += tokens
        elif reply.cached:
            self._cached += 1
            self.cached_tokens += tokens
            return
        self.thinking_tokens += reply.usage.thinking_tokens

    def _count_failure(self, transcript: Transcript) -> None:
        failure = transcript.failure
        if failure is None:
            return
        reviewer = transcript.seat(failure.seat).reviewer
        self._require_price(reviewer)
        first = FailureCount(reviewer=reviewer, kind=failure.kind, count=0, message=failure.message)
        known = self._failures.get((reviewer, failure.kind), first)
        self._failures[reviewer, failure.kind] = replace(known, count=known.count + 1)

    def _require_price(self, reviewer: str) -> None:
        """Count the cost as unknown without a price, as providers charge for some failed calls."""
        priced = self._costs.of(reviewer, Usage()) is not None
        self._failures_priced = self._failures_priced and priced


def _name(verdict: Verdict | None) -> str | None:
    """Return the id of the chosen answer, or the outcome where none is chosen."""
    return None if verdict is None else verdict.choice or verdict.outcome.value
