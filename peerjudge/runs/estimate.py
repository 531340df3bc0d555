"""What a run would take: discussions played through on paper, with replies of an assumed length.

Nobody is asked. Seats on paper never agree, so that a discussion that could end early is counted at
its full length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from peerjudge.data import (
    Comparison,
    Cue,
    Expects,
    Message,
    PromptPack,
    Review,
    ReviewerKind,
    Seat,
    Transcript,
    Turn,
    Usage,
    Utterance,
    Verdict,
)
from peerjudge.engine import MAX_TURNS, Asking
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs.costs import Costs
from peerjudge.runs.plan import Cast, Plan

__all__ = ["ASSUMED_REPLY", "Estimate", "PaperCall", "PartEstimate", "Step", "estimate", "on_paper"]

ASSUMED_REPLY = 300
"""Length that a reply is assumed to have where its seat allows no less. [tokens]"""

_COMPARISONS = 30
"""At most so many comparisons are played through; the others are taken to be like them."""

_BYTES_PER_TOKEN = 4
_PER_MESSAGE = 3

Count = Callable[[str, str], int]
"""Tokens of a text in the vocabulary of a reviewer's model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperCall:
    """A call as it would be made: to which seat, with which cue and prompt, how many tokens.

    `draw` identifies it: calls of one reviewer with the same draw and messages are one call.
    """

    seat: Seat
    cue: Cue
    messages: tuple[Message, ...]
    usage: Usage
    draw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The calls of a condition to one task. Tokens and cost are of the calls that are paid.

    `shared` counts calls that bring the reply of an earlier one, and so are not paid. `cost_usd` is
    `None` where a price is not known.
    """

    task: str
    private: bool
    calls: int
    shared: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEstimate:
    """A condition, step by step in the order of its discussions."""

    condition: str
    discussions: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would take at most, if replies are as long as assumed.

    `sampled` of `comparisons` were played through. `simulated` says that no real model is asked.
    """

    parts: tuple[PartEstimate, ...]
    comparisons: int
    sampled: int
    reply_tokens: int = ASSUMED_REPLY
    simulated: bool = False

    @property
    def steps(self) -> tuple[Step, ...]:
        """Those of all conditions."""
        return tuple(step for part in self.parts for step in part.steps)

    @property
    def calls(self) -> int:
        """Calls in all, without those that bring an earlier reply."""
        return sum(step.calls - step.shared for step in self.steps)

    @property
    def tokens(self) -> int:
        """Prompt and replies of all calls."""
        return sum(step.prompt_tokens + step.completion_tokens for step in self.steps)

    @property
    def cost_usd(self) -> float | None:
        """The cost in USD; `None` where a price is not known."""
        costs = [step.cost_usd for step in self.steps]
        return None if None in costs else sum(cost or 0.0 for cost in costs)


@dataclass(slots=True, kw_only=True)
class _Sum:
    calls: float = 0.0
    shared: float = 0.0
    prompt: float = 0.0
    completion: float = 0.0
    cost: float = 0.0
    known: bool = True
    place: float = 0.0


def _no_sums() -> dict[tuple[str, bool], _Sum]:
    return {}


@dataclass(slots=True)
class _Walk:
    discussions: int = 0
    sums: dict[tuple[str, bool], _Sum] = field(default_factory=_no_sums)


def estimate(
    plan: Plan, costs: Costs, *, reached: Mapping[str, Sequence[float]] | None = None
) -> Estimate:
    """What playing this plan from its beginning would take at most.

    With `reached`, by condition the share of its discussions that get to each turn, it is what these
    take instead.
    """
    every = -(-len(plan.comparisons) // _COMPARISONS) or 1
    sample = plan.comparisons[::every]
    parts = {part.condition.name: part for part in plan.parts}
    walks = {name: _Walk() for name in parts}
    count = counter(plan.cast)
    asked: set[bytes] = set()
    for head in replace(plan, comparisons=sample):
        part, walk = parts[head.condition], walks[head.condition]
        walk.discussions += 1
        roles = {seat.id: plan.cast[seat.reviewer].role for seat in head.seats}
        calls = on_paper(head, part.protocol, pack=part.pack, roles=roles, count=count)
        for place, call in enumerate(calls):
            key = (call.cue.task, call.cue.private)
            cost = costs.of(call.seat.reviewer, call.usage)
            # Only models answer from what is kept; only private replies can be foretold as equal.
            model = plan.cast[call.seat.reviewer].kind is ReviewerKind.MODEL
            shared = model and call.cue.private and not _first(call, asked)
            share = 1.0 if reached is None else reached[head.condition][place]
            total = walk.sums.setdefault(key, _Sum(place=place))
            _add(total, call.usage, cost, shared=shared, share=share)
    scale = len(plan.comparisons) / len(sample) if sample else 0.0
    return Estimate(
        parts=tuple(_part(name, walk, scale) for name, walk in walks.items()),
        comparisons=len(plan.comparisons),
        sampled=len(sample),
        simulated=all(card.kind is ReviewerKind.SIMULATED for card in plan.cast.values()),
    )


def on_paper(
    transcript: Transcript,
    protocol: DiscussionProtocol,
    *,
    pack: PromptPack,
    roles: Mapping[str, str],
    count: Count,
) -> Iterator[PaperCall]:
    """The calls that this discussion still takes, if nobody ever agrees.

    Raises `ProtocolError` for a protocol without end.
    """
    turns = transcript.turns
    asking = Asking(transcript, pack=pack, roles=roles)
    while (cue := protocol.next_cue(transcript.seats, transcript.comparison, turns)) is not None:
        if len(turns) >= MAX_TURNS:
            msg = f"protocol {protocol.name!r} has no end after {MAX_TURNS} turns"
            raise ProtocolError(msg)
        request = asking.request(cue, turns)
        seat, messages = request.seat, request.messages
        length = min(ASSUMED_REPLY, seat.sampling.max_tokens or ASSUMED_REPLY)
        yield PaperCall(
            seat=seat,
            cue=cue,
            messages=messages,
            usage=Usage(
                prompt_tokens=prompt_tokens(messages, seat.reviewer, count),
                completion_tokens=length,
                estimated=True,
            ),
            draw=request.draw,
        )
        turns = (*turns, _reply(cue, len(turns), transcript.seats, transcript.comparison, length))


def counter(cast: Cast) -> Count:
    """Counts in each model's own vocabulary where that is at hand, else by length."""
    models = {
        name: card.model.name
        for name, card in cast.items()
        if card.kind is ReviewerKind.MODEL and card.model is not None
    }
    if not models:
        return _by_length
    from peerjudge.clients.tokens import count_text

    def count(text: str, reviewer: str) -> int:
        model = models.get(reviewer)
        return _by_length(text, reviewer) if model is None else count_text(text, model=model)

    return count


def prompt_tokens(messages: Sequence[Message], reviewer: str, count: Count) -> int:
    """Tokens of a prompt, with a few for the frame of each message."""
    return sum(count(message.text, reviewer) + _PER_MESSAGE for message in messages)


def _by_length(text: str, reviewer: str) -> int:
    return max(1, len(text.encode(errors="replace")) // _BYTES_PER_TOKEN)


def _reply(
    cue: Cue, index: int, seats: Sequence[Seat], comparison: Comparison, length: int
) -> Turn:
    """A seat always chooses the answer of its own number, so that no two neighbours agree."""
    place = next((at for at, seat in enumerate(seats) if seat.id == cue.seat), 0)
    chosen = Verdict.of(comparison.shown[place % len(comparison.shown)])
    read = {
        Expects.VERDICT: Review(verdict=chosen),
        Expects.RATING: Review(score=float(cue.scale[1])),
        Expects.TEXT: Review(),
    }[cue.expects]
    said = Utterance(text="word" * length, simulated=True)
    return Turn(index=index, cue=cue, utterance=said, review=read)


def _first(call: PaperCall, asked: set[bytes]) -> bool:
    texts = "\n".join(f"{len(message.text)} {message.text}" for message in call.messages)
    key = sha256(f"{call.seat.reviewer} {call.draw} {texts}".encode(errors="replace")).digest()
    new = key not in asked
    asked.add(key)
    return new


def _add(total: _Sum, usage: Usage, cost: float | None, *, shared: bool, share: float) -> None:
    total.calls += share
    if shared:
        total.shared += share
        return
    total.prompt += share * usage.prompt_tokens
    total.completion += share * usage.completion_tokens
    total.cost += share * (cost or 0.0)
    total.known = total.known and cost is not None


def _part(name: str, walk: _Walk, scale: float) -> PartEstimate:
    ordered = sorted(walk.sums.items(), key=lambda each: each[1].place)
    return PartEstimate(
        condition=name,
        discussions=round(walk.discussions * scale),
        steps=tuple(
            Step(
                task=task,
                private=private,
                calls=round(each.calls * scale),
                shared=round(each.shared * scale),
                prompt_tokens=round(each.prompt * scale),
                completion_tokens=round(each.completion * scale),
                cost_usd=each.cost * scale if each.known else None,
            )
            for (task, private), each in ordered
        ),
    )
