"""Prices, and the estimate of calls, tokens and cost before a run.

Discussions are simulated without reviewers: replies have an assumed length and seats never agree, so
a discussion that could end early counts at its full length. If a second model rereads replies, it
rereads each verdict of a reviewer that is not simulated. Questions for a choice that a form plans are calls
like any other; those that follow replies without a choice are counted apart, as few replies need one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from peerjudge.data import (
    ASK_TASK,
    Comparison,
    Cue,
    Expects,
    Message,
    PromptPack,
    Request,
    ReviewerKind,
    Transcript,
    Turn,
    Usage,
    add_costs,
)
from peerjudge.engine import FOLLOWING_TASKS, RequestBuilder, request_choice, request_rereading
from peerjudge.errors import ExperimentError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs.rehearsal import Reply, simulate_course
from peerjudge.runs.schedule import Cast, Plan

if TYPE_CHECKING:
    from peerjudge.clients import Price

ASSUMED_REPLY = 300
"""Assumed length of a reply, or the seat's `max_tokens` if that is less. [tokens]"""

_FREE = frozenset({ReviewerKind.SIMULATED, ReviewerKind.RECORDED, ReviewerKind.HUMAN})
_SAMPLE = 30
"""Most comparisons that are simulated; the totals are scaled to all."""
_BYTES_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 3

_Task: TypeAlias = tuple[str, bool, bool]
"""A task, whether it is private, and whether it is a question that only some replies need."""

TokenCounter = Callable[[str, str], int]
"""Returns the tokens of a text for the model of a reviewer."""


class Costs:
    """Prices by reviewer; a price is `None` if unknown, and a reviewer without an entry is free."""

    def __init__(self, prices: Mapping[str, Price | None] | None = None) -> None:
        self.prices = dict(prices or {})

    def of(self, reviewer: str, usage: Usage) -> float | None:
        """Return the cost of these tokens in USD, or `None` if the price is unknown."""
        if reviewer not in self.prices:
            return 0.0
        price = self.prices[reviewer]
        return None if price is None else price.cost(usage)

    def of_unknown(self, reviewer: str) -> float | None:
        """Return the cost of a call whose tokens are unknown: 0 if the reviewer is free, else `None`."""
        return (
            0.0 if self.of(reviewer, Usage(prompt_tokens=1, completion_tokens=1)) == 0.0 else None
        )

    def knows(self, reviewer: str) -> bool:
        """Return whether this reviewer has a price."""
        return self.prices.get(reviewer) is not None

    def require_known(self) -> None:
        """Raise `ExperimentError` if a price is unknown; a cost limit needs all of them."""
        unknown = [name for name, price in self.prices.items() if price is None]
        if unknown:
            msg = (
                f"unknown price of {', '.join(unknown)}, so a cost limit cannot be kept: add it to "
                f'prices.toml (["{unknown[0]}"], input and output in USD per million tokens), or use '
                "--token-limit instead"
            )
            raise ExperimentError(msg)

    def document(self) -> dict[str, object]:
        """Return the prices in USD per million tokens, as the manifest stores them."""
        return {
            name: None
            if price is None
            else {"input": price.input, "output": price.output, "source": price.source}
            for name, price in sorted(self.prices.items())
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The calls of one condition for one task. Tokens and cost count paid calls only.

    `shared` is the number of calls that reuse the reply of an equal earlier call and are not paid, `people`
    the number of requests that people answer.
    `cost_usd` is `None` if a price is unknown.
    """

    condition: str
    task: str
    private: bool
    calls: int
    shared: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    people: int = 0


class SimulatedCall(NamedTuple):
    """A call that a discussion makes, its assumed tokens, and its wave, from 0.

    Calls of one wave are made at the same time, but for a question for a choice and a rereading, which
    follow the reply of their turn.
    """

    request: Request
    usage: Usage
    wave: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The most that a run takes if replies have the assumed length.

    `discussions` counts them by condition. `waves` is the number of waves of the longest discussion of each
    condition, and `windows` the number of batches after each other that it waits for, 0 without batches.
    `asks` are the calls if every reply were followed by the question for a choice; they are in no total.
    `sampled` of `comparisons` were simulated. `simulated` is true if all reviewers but people are simulated.
    """

    discussions: Mapping[str, int]
    waves: Mapping[str, int]
    windows: Mapping[str, int]
    steps: tuple[Step, ...]
    asks: tuple[Step, ...]
    comparisons: int
    sampled: int
    reply_tokens: int = ASSUMED_REPLY
    simulated: bool = False

    @property
    def calls(self) -> int:
        """Number of calls, without shared ones and requests to people."""
        return sum(step.calls - step.shared - step.people for step in self.steps)

    @property
    def people(self) -> int:
        """Number of requests that people answer."""
        return sum(step.people for step in self.steps)

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens of all calls."""
        return sum(step.prompt_tokens + step.completion_tokens for step in self.steps)

    @property
    def cost_usd(self) -> float | None:
        """Cost in USD; `None` if a price is unknown."""
        return add_costs(step.cost_usd for step in self.steps)


def read_costs(cast: Cast, *, project: Path) -> Costs:
    """Look up the prices of the reviewers, first in the project's `prices.toml`.

    Raises `CardError` if that file cannot be read.
    """
    charged = {name: card for name, card in cast.items() if card.kind not in _FREE}
    if not charged:
        return Costs()
    # Imports AutoGen, which takes most of a second; simulated reviewers do not need it.
    from peerjudge.clients import Prices

    prices = Prices.read(project)
    return Costs({name: prices.find(card) for name, card in charged.items()})


def estimate_calls(
    plan: Plan,
    costs: Costs,
    *,
    reached: Mapping[str, Sequence[float]] | None = None,
    batched: Container[str] = (),
    sample: int = _SAMPLE,
) -> Estimate:
    """Estimate the most that a run of this plan takes from its beginning.

    Args:
        plan: The discussions.
        costs: The prices.
        reached: By condition, the share of discussions that reach each turn; with it the result is
            the expected value instead of the maximum.
        batched: Cards whose calls go out as batches.
        sample: Most comparisons that are simulated.
    """
    chosen = _choose_sample(plan, sample)
    parts = {part.condition.name: part for part in plan.parts}
    tallies = {name: _Tally(condition=name) for name in parts}
    real = set(plan.cast) - _list_cards(plan.cast, ReviewerKind.SIMULATED)
    asked = _list_cards(plan.cast, ReviewerKind.MODEL, ReviewerKind.PYTHON)
    count = build_token_counter(plan.cast)
    seen: set[bytes] = set()
    for head in replace(plan, comparisons=chosen):
        part = parts[head.condition]
        roles = {seat.id: plan.cast[seat.reviewer].role for seat in head.seats}
        calls = simulate_calls(
            head, part.protocol, pack=part.pack, roles=roles, count=count, reread=real, ask=asked
        )
        tallies[head.condition].add(
            [
                (call, _count_call(call, plan.cast[call.request.seat.reviewer].kind, costs, seen))
                for call in calls
            ],
            shares=None if reached is None else reached[head.condition],
            batched=batched,
        )
    whole = {name: len(replace(plan, parts=(part,))) for name, part in parts.items()}

    def list_steps(*, spare: bool) -> tuple[Step, ...]:
        return tuple(
            step
            for name, tally in tallies.items()
            for step in tally.list_steps(whole[name], spare=spare)
        )

    return Estimate(
        discussions=whole,
        waves={name: tally.waves for name, tally in tallies.items()},
        windows={name: tally.windows for name, tally in tallies.items()},
        steps=list_steps(spare=False),
        asks=list_steps(spare=True),
        comparisons=len(plan.comparisons),
        sampled=len(chosen),
        simulated=real <= _list_cards(plan.cast, ReviewerKind.HUMAN),
    )


def _list_cards(cast: Cast, *kinds: ReviewerKind) -> set[str]:
    return {name for name, card in cast.items() if card.kind in kinds}


class _Sums(NamedTuple):
    """Sums over calls; the cost is NaN if a price is unknown."""

    calls: float = 0
    shared: float = 0
    prompt_tokens: float = 0
    completion_tokens: float = 0
    people: float = 0
    cost: float = 0

    def add(self, other: _Sums, share: float) -> _Sums:
        """Return the sums with this share of others."""
        return _Sums(*(total + share * value for total, value in zip(self, other, strict=True)))


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What the discussions of a condition take, and the first turn of each task."""

    condition: str
    discussions: int = 0
    waves: int = 0
    windows: int = 0
    turns: dict[_Task, int] = field(default_factory=dict[_Task, int])
    sums: dict[_Task, _Sums] = field(default_factory=dict[_Task, _Sums])

    def add(
        self,
        calls: Iterable[tuple[SimulatedCall, _Sums]],
        *,
        shares: Sequence[float] | None,
        batched: Container[str],
    ) -> None:
        """Add the calls of a discussion, of each turn the share of discussions that reach it."""
        self.discussions += 1
        waited: set[tuple[int, str]] = set()
        for call, added in calls:
            request, cue = call.request, call.request.cue
            spare = cue.task == ASK_TASK and request.form != "two_step"
            self.waves = max(self.waves, call.wave + 1)
            if call.request.seat.reviewer in batched and not spare:
                waited.add((call.wave, cue.task if cue.task in FOLLOWING_TASKS else ""))
            key = (cue.task, cue.private, spare)
            self.turns.setdefault(key, request.turn)
            share = 1.0 if shares is None else shares[request.turn]
            self.sums[key] = self.sums.get(key, _Sums()).add(added, share)
        self.windows = max(self.windows, len(waited))

    def list_steps(self, discussions: int, *, spare: bool) -> Iterator[Step]:
        """Yield the steps of so many discussions, in the order of their first turns."""
        scale = discussions / (self.discussions or 1)
        for key in sorted(self.sums, key=self.turns.__getitem__):
            (task, private, apart), sums = key, self.sums[key]
            if apart == spare:
                yield Step(
                    condition=self.condition,
                    task=task,
                    private=private,
                    cost_usd=None if isnan(sums.cost) else sums.cost * scale,
                    **{name: round(getattr(sums, name) * scale) for name in sums._fields[:-1]},
                )


def _count_call(call: SimulatedCall, kind: ReviewerKind, costs: Costs, seen: set[bytes]) -> _Sums:
    # Only models and people are asked once, and only private requests can be known to be equal.
    once = call.request.cue.private and kind in (ReviewerKind.MODEL, ReviewerKind.HUMAN)
    if once and not _is_new(call.request, seen):
        return _Sums(calls=1, shared=1)
    if kind is ReviewerKind.HUMAN:
        return _Sums(calls=1, people=1)
    cost, usage = costs.of(call.request.seat.reviewer, call.usage), call.usage
    return _Sums(
        calls=1,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=nan if cost is None else cost,
    )


def _choose_sample(plan: Plan, most: int) -> list[Comparison]:
    """Return comparisons at equal distances, of all that each condition judges."""
    chosen: set[int] = set()
    for part in plan.parts:
        judged = [place for place, each in enumerate(plan.comparisons) if part.judges(each)]
        chosen.update(judged[:: -(-len(judged) // most) or 1])
    return [plan.comparisons[place] for place in sorted(chosen)]


def simulate_calls(
    transcript: Transcript,
    protocol: DiscussionProtocol,
    *,
    pack: PromptPack,
    roles: Mapping[str, str],
    count: TokenCounter,
    reread: Container[str] = (),
    ask: Container[str] = (),
    reply: Reply | None = None,
) -> Iterator[SimulatedCall]:
    """Yield each call that the discussion still makes if its seats never agree.

    If the discussion has a second model, it rereads each reply with a verdict of the reviewers in
    `reread`. Each verdict or rating of those in `ask` is followed by the question for it; where the
    form plans that question, replies of all reviewers are. The replies are of the assumed length, or those
    of `reply`.

    Raises `ProtocolError` if the protocol does not end.
    """
    requests = RequestBuilder(transcript, pack=pack, roles=roles)
    second = transcript.reread
    lengths = {
        seat.id: min(ASSUMED_REPLY, seat.sampling.max_tokens or ASSUMED_REPLY)
        for seat in (*transcript.seats, *([] if second is None else [second]))
    }

    def fill(_: int, cue: Cue) -> str:
        return "word" * lengths[cue.seat]

    def measure(request: Request) -> Usage:
        prompt = count_prompt(request.messages, request.seat.reviewer, count)
        length = lengths[request.seat.id]
        return Usage(prompt_tokens=prompt, completion_tokens=length, estimated=True)

    for course, index in simulate_course(protocol, transcript, reply=reply or fill):
        turn = course.said[index]
        request = requests.build(index, course.cues, course.said, course.waves)
        wave = course.waves[index]
        yield SimulatedCall(request, measure(request), wave)
        if _may_ask(turn, transcript, request, ask):
            question = request_choice(turn.utterance, request)
            yield SimulatedCall(question, measure(question), wave)
        has_verdict = turn.cue.expects is Expects.VERDICT
        if second is not None and has_verdict and request.seat.reviewer in reread:
            again = request_rereading(turn, transcript, second, pack=pack)
            yield SimulatedCall(again, measure(again), wave)


def _may_ask(
    turn: Turn, transcript: Transcript, request: Request, reviewers: Container[str]
) -> bool:
    if turn.cue.expects is Expects.TEXT or (request.bare and request.form == "two_step"):
        return False
    spare = bool(transcript.reask) and request.seat.reviewer in reviewers
    return request.form == "two_step" or spare


def build_token_counter(cast: Cast) -> TokenCounter:
    """Return a counter that uses each model's own vocabulary where available, else text length."""
    models = {
        name: card.model.name
        for name, card in cast.items()
        if card.kind is ReviewerKind.MODEL and card.model is not None
    }
    if not models:
        return _count_by_length
    from peerjudge.clients.tokens import count_text

    def count(text: str, reviewer: str) -> int:
        model = models.get(reviewer)
        return _count_by_length(text, reviewer) if model is None else count_text(text, model=model)

    return count


def count_prompt(messages: Sequence[Message], reviewer: str, count: TokenCounter) -> int:
    """Return the tokens of a prompt, including a few per message for its framing."""
    return sum(count(message.text, reviewer) + _TOKENS_PER_MESSAGE for message in messages)


def _count_by_length(text: str, reviewer: str) -> int:
    return max(1, len(text.encode(errors="replace")) // _BYTES_PER_TOKEN)


def _is_new(request: Request, seen: set[bytes]) -> bool:
    """Return whether the request differs from all earlier ones in reviewer, draw or messages."""
    texts = "\n".join(f"{len(message.text)} {message.text}" for message in request.messages)
    text = f"{request.seat.reviewer} {request.draw} {texts}"
    key = sha256(text.encode(errors="replace")).digest()
    new = key not in seen
    seen.add(key)
    return new
