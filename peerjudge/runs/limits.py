"""Limits of a run: cost and tokens, time per discussion, and share of failed discussions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

from peerjudge.data import Message, Request, ReviewerKind, Sampling, Seat, Usage, Utterance
from peerjudge.engine import Connections, DiscussionSetup, Reviewer, ReviewerProxy
from peerjudge.logs import get_logger
from peerjudge.runs.bounds import Bounds
from peerjudge.runs.budget import Amount, Budget
from peerjudge.runs.estimate import (
    ASSUMED_REPLY,
    Costs,
    SimulatedCall,
    build_token_counter,
    count_prompt,
    simulate_calls,
)
from peerjudge.runs.ledger import BookedReviewer, Ledger
from peerjudge.runs.schedule import Cast

SHORTEST_RESERVE = 1024
"""Reserve for a reply whose seat sets no `max_tokens`, until a longer one was seen. [tokens]"""

_BYTES_PER_TOKEN = 3
"""Bytes per token of the densest text, so that counts are not too low."""
_TOKENS_PER_MESSAGE = 8
_MARGIN = 1.25
"""Reserve for the next reply as a multiple of the longest one seen."""
_TOO_MANY_FAILURES = "too many failures"
_FEWEST_FAILURES = 5
"""A share computed from fewer failures stops no run."""

_CALLED = frozenset({ReviewerKind.MODEL, ReviewerKind.PYTHON, ReviewerKind.SIMULATED})
"""Reviewers whose calls take time; records answer at once, and people in their own."""

_log = get_logger()


class DiscussionDeadlineError(Exception):
    """A discussion took longer than the deadline of the run."""


class _Reserve:
    """The reserve of a call in the budget, renewed for each further attempt if one was billed."""

    def __init__(self, limits: Limits, budget: Budget, request: Request, most: Amount) -> None:
        self.is_refused = False
        """Whether the budget had no room for another attempt."""
        self._limits, self._budget, self._most = limits, budget, most
        self._discussion, self._turn = request.discussion, request.turn
        self._reviewer = request.seat.reviewer
        self._settled = limits.ledger.spent_on_turn(request.discussion, request.turn)
        self._simulated = Amount()

    @classmethod
    @asynccontextmanager
    async def hold(
        cls, limits: Limits, budget: Budget, request: Request, most: Usage
    ) -> AsyncGenerator[_Reserve]:
        """Wait until the budget has room, hold it during the call, and settle what the call cost."""
        amount = limits.price(request.seat.reviewer, most)
        call = request.discussion, request.turn
        await budget.reserve(*call, amount)
        reserve = cls(limits, budget, request, amount)
        renewals = limits.ledger.renewals
        renewals[call] = reserve.renew
        try:
            yield reserve
        finally:
            # Failed attempts may be billed as well, and a cancelled call counts with its estimate.
            del renewals[call]
            budget.settle(*call, reserve._take_cost())

    def add_simulated(self, reply: Utterance) -> None:
        """Count a simulated reply, which is in no ledger."""
        if reply.simulated and not reply.cached:
            self._simulated = self._limits.price(self._reviewer, reply.usage)

    def renew(self) -> bool:
        """Reserve the cost of another attempt; return `False` if there is no room for it now.

        It does not wait: a call that waits for room could hold a connection, or the claim to a
        shared reply, that the calls which make room wait for.
        """
        cost = self._take_cost()
        if cost == Amount():
            return True
        self.is_refused = not self._budget.renew(self._discussion, self._turn, cost, self._most)
        return not self.is_refused

    def _take_cost(self) -> Amount:
        """Return the cost since the last time."""
        spent = self._limits.ledger.spent_on_turn(self._discussion, self._turn)
        spent += self._simulated
        cost = spent - self._settled
        self._settled = spent
        return cost


class LimitedReviewer(ReviewerProxy):
    """A reviewer whose calls are reserved in the budget and end at the deadline.

    The length of a reply is unknown if its seat sets no `max_tokens`: reasoning models may write ten
    times as much as others. The reserve therefore follows the replies seen so far.
    """

    def __init__(self, reviewer: Reviewer, limits: Limits) -> None:
        super().__init__(reviewer)
        self._limits = limits
        self.reserve = SHORTEST_RESERVE
        """Tokens to reserve for a reply without `max_tokens`."""
        self.length_known = asyncio.Event()
        """Set after the first reply, or when the discussion that should bring one has ended."""
        self._replies = self._tokens = 0
        self._warned = False

    @property
    def mean_length(self) -> int:
        """Mean tokens of the replies so far, 0 before the first."""
        return round(self._tokens / self._replies) if self._replies else 0

    async def speak(self, request: Request) -> Utterance:
        """Return the reviewer's reply, waiting until the budget has room for the call.

        Raises `DiscussionDeadlineError` at the deadline, and any error of the reviewer.
        """
        budget = self._limits.budget
        if budget is None:
            return await self._speak_in_time(request)
        most = bound_usage(request.messages, request.seat.sampling, reply=self.reserve)
        left = self._limits.cast[self.name].limits.attempts
        while True:
            left -= 1
            async with _Reserve.hold(self._limits, budget, request, most) as reserve:
                try:
                    reply = await self._speak_in_time(request)
                except Exception:
                    # Without room for its next attempt the call has ended; it begins again below.
                    if not (reserve.is_refused and left):
                        raise
                    continue
                reserve.add_simulated(reply)
            self._check_reserve(reply.usage.completion_tokens, most.completion_tokens)
            self.learn_length(reply.usage.completion_tokens)
            return reply

    def learn_length(self, tokens: int) -> None:
        """Update the reserve and the mean with the length of a reply."""
        self._replies += 1
        self._tokens += tokens
        self.reserve = max(self.reserve, round(tokens * _MARGIN))
        self.length_known.set()

    def _check_reserve(self, tokens: int, reserved: int) -> None:
        if tokens > reserved and self.length_known.is_set() and not self._warned:
            self._warned = True
            _log.warning(
                "a reply was longer than the tokens reserved for it; set max_tokens in its card",
                reviewer=self.name,
                tokens=tokens,
                reserved=reserved,
            )

    async def _speak_in_time(self, request: Request) -> Utterance:
        async with self._limits.until_deadline(request.discussion):
            return await self._reviewer.speak(request)


class Limits:
    """The limits of one run and the reviewers and discussions they apply to."""

    def __init__(self, *, cast: Cast, costs: Costs, ledger: Ledger, bounds: Bounds) -> None:
        self.budget: Budget | None = None
        if bounds.token_limit is not None or bounds.cost_limit is not None:
            if bounds.cost_limit is not None:
                ledger.warn_unpriced()
            # The limits include what earlier runs into the place have spent.
            self.budget = Budget(
                tokens=bounds.token_limit, usd=bounds.cost_limit, spent=ledger.before.amount
            )
        self.ledger = ledger
        self.failure_limit_reached = asyncio.Event()
        self.cast = cast
        self._costs = costs
        self._deadline = bounds.deadline
        self._deadlines: dict[str, float] = {}
        self._failure_rate = bounds.fail_on_error
        self._ended = self._failed = 0
        self._count = build_token_counter(cast)
        self._reviewers: Mapping[str, LimitedReviewer] = {}
        self._first_discussions: dict[str, str] = {}

    async def run(self, playing: Awaitable[None], *, stops: Sequence[asyncio.Event] = ()) -> None:
        """Await the work until it ends, a limit is reached, or one of the events is set.

        What is in flight then is cancelled. Raises any error of the work, and `CancelledError` if this
        task is cancelled; the work then is cancelled as well.
        """
        exhausted = () if self.budget is None else (self.budget.exhausted,)
        task = asyncio.ensure_future(playing)
        waiting = [
            asyncio.ensure_future(stop.wait())
            for stop in (*exhausted, self.failure_limit_reached, *stops)
        ]
        try:
            await asyncio.wait({task, *waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped = not task.done()
            for each in (task, *waiting):
                each.cancel()
            await asyncio.wait({task, *waiting})
        if not (stopped and task.cancelled()):
            task.result()

    @property
    def stopped(self) -> str | None:
        """The limit that stopped the run, if any."""
        if self.failure_limit_reached.is_set():
            return _TOO_MANY_FAILURES
        return None if self.budget is None else self.budget.reached

    def apply(
        self, reviewers: Mapping[str, Reviewer], *, connections: Connections | None = None
    ) -> Mapping[str, Reviewer]:
        """Return the reviewers, by card, with their replies booked and the limits applied to their calls.

        Clients of models book their own calls. `connections` bounds the calls at a time, if it is given; a
        call that waits for room in the budget holds none.
        """
        booked = {
            name: self._book(name, reviewer, connections) for name, reviewer in reviewers.items()
        }
        if self.budget is None and self._deadline is None:
            return booked
        self._reviewers = {name: LimitedReviewer(each, self) for name, each in booked.items()}
        return self._reviewers

    def _book(self, name: str, reviewer: Reviewer, connections: Connections | None) -> Reviewer:
        kind = self.cast[name].kind
        if connections is not None and kind in _CALLED:
            reviewer = connections.bind(reviewer)
        if kind is ReviewerKind.PYTHON:
            return BookedReviewer(reviewer, self.ledger, self._costs)
        return reviewer

    def price(self, reviewer: str, usage: Usage) -> Amount:
        """Return the tokens of a call and their cost, 0 if the price is unknown."""
        cost = self._costs.of(reviewer, usage)
        return Amount(usage.prompt_tokens + usage.completion_tokens, cost or 0.0)

    async def admit(self, setup: DiscussionSetup) -> bool:
        """Return whether the discussion may begin; waits while open ones may make room for it."""
        transcript = setup.transcript
        if self.budget is not None:
            for turn in (*transcript.turns, *transcript.ahead):
                reviewer = transcript.seat(turn.cue.seat).reviewer
                self._reviewers[reviewer].learn_length(turn.utterance.usage.completion_tokens)
        calls = simulate_calls(
            transcript,
            setup.protocol,
            pack=setup.pack,
            roles=setup.roles,
            count=self._count,
        )
        return await self._open(transcript.id, transcript.seats, calls)

    async def admit_call(self, request: Request) -> bool:
        """Return whether a call that is a whole discussion may begin; waits like `admit`."""
        reviewer, sampling = request.seat.reviewer, request.seat.sampling
        length = min(ASSUMED_REPLY, sampling.max_tokens or ASSUMED_REPLY)
        prompt = count_prompt(request.messages, reviewer, self._count)
        usage = Usage(prompt_tokens=prompt, completion_tokens=length)
        return await self._open(
            request.discussion, (request.seat,), [SimulatedCall(request, usage, 0)]
        )

    def end(self, discussion: str, *, failed: bool) -> None:
        """Release the shares of a discussion that has ended, and count it."""
        self.release(discussion)
        self._ended += 1
        self._failed += failed
        rate = self._failure_rate
        if rate is not None and self._failed >= max(_FEWEST_FAILURES, rate * self._ended):
            self.failure_limit_reached.set()

    def release(self, discussion: str) -> None:
        """Release the shares of a discussion that is no longer played."""
        for name, first in self._first_discussions.items():
            if first == discussion:
                self._reviewers[name].length_known.set()
        if self.budget is not None:
            self.budget.close(discussion)
        self.ledger.close(discussion)
        self._deadlines.pop(discussion, None)

    @asynccontextmanager
    async def until_deadline(self, discussion: str) -> AsyncGenerator[None]:
        """Cancel the block at the deadline of the discussion; raise `DiscussionDeadlineError` then."""
        if self._deadline is None:
            yield
            return
        now = asyncio.get_running_loop().time()
        timer = asyncio.timeout_at(self._deadlines.setdefault(discussion, now + self._deadline))
        try:
            async with timer:
                yield
        except TimeoutError as cause:
            if not timer.expired():
                raise
            msg = f"the discussion was not over after {self._deadline:g} s"
            raise DiscussionDeadlineError(msg) from cause

    async def _open(
        self, discussion: str, seats: Sequence[Seat], calls: Iterable[SimulatedCall]
    ) -> bool:
        """Set aside the expected cost of these calls, with room for the longest of them."""
        if self.failure_limit_reached.is_set():
            return False
        if self.budget is None:
            return True
        await self._await_length_estimate(discussion, seats)
        whole, slack = Amount(), Amount()
        for request, usage, _ in calls:
            reviewer = self._reviewers[request.seat.reviewer]
            longest = bound_usage(request.messages, request.seat.sampling, reply=reviewer.reserve)
            length = max(usage.completion_tokens, reviewer.mean_length)
            usual = Usage(prompt_tokens=usage.prompt_tokens, completion_tokens=length)
            expected = self.price(reviewer.name, usual)
            whole += expected
            slack = slack.maximum(self.price(reviewer.name, longest) - expected)
        # With room for its longest call, a discussion seldom has to wait for others to end.
        return await self.budget.open(discussion, whole + slack)

    async def _await_length_estimate(self, discussion: str, seats: Sequence[Seat]) -> None:
        """Wait until the reply length of each seat without `max_tokens` is known.

        The first discussion of a reviewer measures it while later ones wait: parallel calls need a
        known bound.
        """
        free = {seat.reviewer for seat in seats if seat.sampling.max_tokens is None}
        for name in sorted(free):
            if name in self._first_discussions:
                await self._reviewers[name].length_known.wait()
        for name in free - self._first_discussions.keys():
            self._first_discussions[name] = discussion


def bound_usage(messages: Sequence[Message], sampling: Sampling, *, reply: int) -> Usage:
    """Return an upper bound of the tokens of a call; `reply` applies without `max_tokens`."""
    prompt = sum(
        len(message.text.encode(errors="replace")) // _BYTES_PER_TOKEN + _TOKENS_PER_MESSAGE
        for message in messages
    )
    return Usage(prompt_tokens=prompt, completion_tokens=sampling.max_tokens or reply)
