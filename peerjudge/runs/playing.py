"""One invocation of a run: what is still to be played, within which bounds, and what it came to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Protocol

from peerjudge.data import StopReason, Transcript, Usage
from peerjudge.engine import Reviewer, Staging, play_all
from peerjudge.runs.bounds import Bounded, Deadlines, at_most
from peerjudge.runs.budget import Amount, Budget
from peerjudge.runs.estimate import Count, counter, on_paper
from peerjudge.runs.halt import TOO_MANY_FAILURES, FailureRate, play_until
from peerjudge.runs.plan import Part
from peerjudge.runs.prepare import Prepared
from peerjudge.runs.spans import Spans, Traced
from peerjudge.runs.summary import RunSummary, Tally
from peerjudge.store import Store

__all__ = ["Observer", "Playing"]

# How many discussions are looked up in the store at a time.
_CHUNK = 200


class Observer(Protocol):
    """Whoever watches a run."""

    def planned(self, prepared: Prepared) -> None:
        """Told once, before the first discussion."""
        ...

    def began(self, transcript: Transcript) -> None:
        """Told of every discussion that is about to be played, with the turns it has."""
        ...

    def ended(self, transcript: Transcript) -> None:
        """Told of every discussion that ended now."""
        ...

    def skipped(self, count: int) -> None:
        """Told of discussions that were done before."""
        ...


class Playing:
    """One invocation of a run, from the first discussion to the summary."""

    def __init__(
        self,
        *,
        prepared: Prepared,
        store: Store,
        reviewers: Mapping[str, Reviewer],
        budget: Budget | None,
        deadlines: Deadlines | None,
        failures: FailureRate | None,
        observer: Observer | None,
        spans: Spans | None,
    ) -> None:
        self._prepared = prepared
        self._store = store
        self._budget = budget
        self._deadlines = deadlines
        self._failures = failures
        self._observer = observer
        self._spans = spans
        self._count: Count = counter(prepared.plan.cast)
        self._bounded: dict[str, Bounded] = {}
        self._scouts: dict[str, str] = {}
        self._reviewers = {name: self._wrapped(one) for name, one in reviewers.items()}
        self._tally = Tally(store, prepared.costs, on_end=(self._ended,))

    async def play(self, *, max_connections: int) -> None:
        """Play what is still to be played, to its end or to a limit."""
        stops = [] if self._budget is None else [self._budget.exhausted]
        stops += [] if self._failures is None else [self._failures.hopeless]
        observer = self._observer
        playing = play_all(
            self._stagings(),
            max_connections=max_connections,
            journal=self._tally,
            on_end=None if observer is None else observer.ended,
        )
        await play_until(playing, *stops)

    def summary(self, *, store: str, folder: Path | None) -> RunSummary:
        """What it came to."""
        tally = self._tally
        return RunSummary(
            run=self._prepared.run_id,
            store=store,
            folder=None if folder is None else str(folder),
            discussions=tally.discussions,
            calls=tally.calls,
            tokens=tally.tokens,
            cached_tokens=tally.cached_tokens,
            cost_usd=tally.cost if tally.cost_known else None,
            cost_known=tally.cost_known,
            stopped=self._stopped,
            failures=tally.failures,
            enough=None if self._budget is None else self._budget.enough,
        )

    @property
    def _stopped(self) -> str | None:
        if self._hopeless:
            return TOO_MANY_FAILURES
        return None if self._budget is None else self._budget.reached

    @property
    def _hopeless(self) -> bool:
        return self._failures is not None and self._failures.hopeless.is_set()

    async def _stagings(self) -> AsyncIterator[Staging]:
        """What is still to be played, looked up in the store a chunk at a time."""
        prepared = self._prepared
        named = {part.condition.name: part for part in prepared.plan.parts}
        planned = iter(prepared.plan)
        while chunk := list(islice(planned, _CHUNK)):
            to_play = await self._store.enlist(prepared.run_id, chunk)
            if done := len(chunk) - len(to_play):
                self._tally.skipped(done)
                if self._observer is not None:
                    self._observer.skipped(done)
            # A stored discussion may bear another condition's name, so it is found by its id.
            parts = {head.id: named[head.condition] for head in chunk}
            for transcript in to_play:
                staging = self._staging(transcript, parts[transcript.id])
                if self._hopeless or not await self._affords(staging):
                    return
                if self._observer is not None:
                    self._observer.began(transcript)
                yield staging

    def _staging(self, transcript: Transcript, part: Part) -> Staging:
        cast = self._prepared.plan.cast
        return Staging(
            transcript=transcript,
            protocol=part.protocol,
            reviewers={seat.id: self._reviewers[seat.reviewer] for seat in transcript.seats},
            pack=part.pack,
            roles={seat.id: cast[seat.reviewer].role for seat in transcript.seats},
        )

    async def _affords(self, staging: Staging) -> bool:
        """Whether there is room for this discussion; waits while others may make some."""
        if self._budget is None:
            return True
        await self._scouted(staging.transcript)
        whole, slack = Amount(), Amount()
        for call in on_paper(
            staging.transcript,
            staging.protocol,
            pack=staging.pack,
            roles=staging.roles,
            count=self._count,
        ):
            reviewer, heard = call.seat.reviewer, self._bounded[call.seat.reviewer]
            longest = at_most(call.messages, call.seat.sampling, reply=heard.longest)
            usual = Usage(
                prompt_tokens=call.usage.prompt_tokens,
                completion_tokens=max(call.usage.completion_tokens, heard.usual),
            )
            each, most = self._amount(reviewer, usual), self._amount(reviewer, longest)
            whole += each
            slack = slack.most(most - each)
        # With room for the longest of its calls, it seldom has to wait for others to end.
        return await self._budget.open(staging.transcript.id, whole + slack)

    async def _scouted(self, transcript: Transcript) -> None:
        """Wait until it is known how long the replies are for which no seat sets a bound.

        The first discussion of each reviewer finds that out while those after it wait: what many
        calls may cost at most has to be known before they are made at the same time. One that goes
        on tells it by what was said in it before.
        """
        for turn in transcript.turns:
            reviewer = transcript.seat(turn.cue.seat).reviewer
            self._bounded[reviewer].learn(turn.utterance.usage.completion_tokens)
        free = {seat.reviewer for seat in transcript.seats if seat.sampling.max_tokens is None}
        for name in sorted(free):
            if name in self._scouts:
                await self._bounded[name].known.wait()
        for name in free - self._scouts.keys():
            self._scouts[name] = transcript.id

    def _amount(self, reviewer: str, usage: Usage) -> Amount:
        cost = self._prepared.costs.of(reviewer, usage)
        return Amount(usage.prompt_tokens + usage.completion_tokens, cost or 0.0)

    def _wrapped(self, reviewer: Reviewer) -> Reviewer:
        """The reviewer within the bounds of the run, and with spans where those are wanted."""
        if self._budget is not None or self._deadlines is not None:
            cost = self._cost_of(reviewer.name)
            bounded = Bounded(reviewer, cost=cost, budget=self._budget, deadlines=self._deadlines)
            self._bounded[reviewer.name] = reviewer = bounded
        return reviewer if self._spans is None else Traced(reviewer, self._spans)

    def _cost_of(self, reviewer: str) -> Callable[[Usage], float | None]:
        return lambda usage: self._prepared.costs.of(reviewer, usage)

    def _ended(self, transcript: Transcript) -> None:
        for name, scout in self._scouts.items():
            if scout == transcript.id:
                self._bounded[name].known.set()
        if self._budget is not None:
            self._budget.close(transcript.id)
        if self._deadlines is not None:
            self._deadlines.close(transcript.id)
        if self._failures is not None:
            self._failures.count(failed=transcript.stop is StopReason.FAILED)
        if self._spans is not None:
            self._spans.end(transcript)
