"""Prices, and the estimate of calls, tokens and cost before a run.

Discussions are simulated without reviewers: replies have an assumed length and seats never agree, so
a discussion that could end early counts at its full length. If a second model rereads replies, it
rereads each verdict of a reviewer that is not simulated. Questions for a choice that a form plans are calls
like any other; those that follow replies without a choice are counted apart, as few replies need one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
        costs = [step.cost_usd for step in self.steps]
        return None if None in costs else sum(cost or 0.0 for cost in costs)


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
    discussions = dict.fromkeys(parts, 0)
    # First turn, calls, shared calls, prompt and completion tokens, cost (NaN if unknown), and people.
    sums: dict[tuple[str, str, bool, bool], list[float]] = {}
    waves, windows = dict.fromkeys(parts, 0), dict.fromkeys(parts, 0)
    count = build_token_counter(plan.cast)
    seen: set[bytes] = set()
    real = {name for name, card in plan.cast.items() if card.kind is not ReviewerKind.SIMULATED}
    asked = {
        name
        for name, card in plan.cast.items()
        if card.kind in (ReviewerKind.MODEL, ReviewerKind.PYTHON)
    }
    for head in replace(plan, comparisons=chosen):
        part = parts[head.condition]
        discussions[head.condition] += 1
        roles = {seat.id: plan.cast[seat.reviewer].role for seat in head.seats}
        calls = simulate_calls(
            head, part.protocol, pack=part.pack, roles=roles, count=count, reread=real, ask=asked
        )
        waited: set[tuple[int, str]] = set()
        for request, usage, wave in calls:
            reviewer, cue = request.seat.reviewer, request.cue
            # Only models and people are asked once, and only private requests can be known to be equal.
            kind = plan.cast[reviewer].kind
            once = cue.private and kind in (ReviewerKind.MODEL, ReviewerKind.HUMAN)
            added: tuple[float, ...] = (1, 1, 0, 0, 0, 0)
            if once and not _is_new(request, seen):
                pass
            elif kind is ReviewerKind.HUMAN:
                added = (1, 0, 0, 0, 0, 1)
            else:
                cost = costs.of(reviewer, usage)
                tokens = (usage.prompt_tokens, usage.completion_tokens)
                added = (1, 0, *tokens, nan if cost is None else cost, 0)
            share = 1.0 if reached is None else reached[head.condition][request.turn]
            spare = cue.task == ASK_TASK and request.form != "two_step"
            waves[head.condition] = max(waves[head.condition], wave + 1)
            if reviewer in batched and not spare:
                waited.add((wave, cue.task if cue.task in FOLLOWING_TASKS else ""))
            key = (head.condition, cue.task, cue.private, spare)
            row = sums.setdefault(key, [request.turn, 0, 0, 0, 0, 0, 0])
            row[1:] = [total + share * value for total, value in zip(row[1:], added, strict=True)]
        windows[head.condition] = max(windows[head.condition], len(waited))
    whole = {name: len(replace(plan, parts=(part,))) for name, part in parts.items()}
    scales = {name: whole[name] / (number or 1) for name, number in discussions.items()}
    steps = {
        spare: tuple(
            Step(
                condition=condition,
                task=task,
                private=private,
                calls=round(calls * scales[name]),
                shared=round(shared * scales[name]),
                prompt_tokens=round(prompt * scales[name]),
                completion_tokens=round(completion * scales[name]),
                cost_usd=None if isnan(cost) else cost * scales[name],
                people=round(people * scales[name]),
            )
            for name in parts
            for (condition, task, private, apart), (
                _,
                calls,
                shared,
                prompt,
                completion,
                cost,
                people,
            ) in sorted(sums.items(), key=lambda item: item[1][0])
            if condition == name and apart == spare
        )
        for spare in (False, True)
    }
    return Estimate(
        discussions=whole,
        waves=waves,
        windows=windows,
        steps=steps[False],
        asks=steps[True],
        comparisons=len(plan.comparisons),
        sampled=len(chosen),
        simulated=all(
            card.kind is ReviewerKind.SIMULATED
            for card in plan.cast.values()
            if card.kind is not ReviewerKind.HUMAN
        ),
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
