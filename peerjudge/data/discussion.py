"""What happens in a discussion: seats, cues, what was said, what was read from it, and the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import Literal

from peerjudge.data.noun import Noun
from peerjudge.data.outcomes import UNREADABLE, Verdict
from peerjudge.data.questions import Comparison, Scalar
from peerjudge.errors import DataError

__all__ = [
    "Control",
    "Cue",
    "Expects",
    "Failure",
    "Message",
    "Request",
    "Review",
    "Role",
    "Sampling",
    "Seat",
    "StopReason",
    "TokenLogprob",
    "Transcript",
    "Turn",
    "Usage",
    "Utterance",
]


Control = Literal["none", "placebo", "irrelevant", "swapped"]
"""What a turn of a discussion hears in place of the others' arguments, to tell what these do.

`placebo`: nothing, and is asked to reconsider. `irrelevant`: that the others choose what they chose,
argued from something off the matter. `swapped`: the others' words, while they and the listener saw
the answers in different orders, so that an argument for one answer speaks of another.
"""


class Role(StrEnum):
    """The part a seat plays. In a discussion of two, the leader speaks first."""

    JUDGE = "judge"
    LEADER = "leader"
    FOLLOWER = "follower"
    PANELIST = "panelist"


class Expects(StrEnum):
    """The kind of reply a cue asks for, and so how the reply is read."""

    TEXT = "text"
    """An explanation; no verdict is asked for and none is read."""
    VERDICT = "verdict"
    RATING = "rating"


class StopReason(StrEnum):
    """Why a discussion ended."""

    COMPLETE = "complete"
    """The protocol had no further cue."""
    FAILED = "failed"
    """A turn failed for good; `Transcript.failure` says why."""


class Sampling(Noun, frozen=True, kw_only=True):
    """How a seat's replies are drawn; `None` leaves the provider's default. Sent with every call."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    logprobs: bool = False

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("temperature", self.temperature, 0, 2),
            ("top_p", self.top_p, 0, 1),
            ("max_tokens", self.max_tokens, 1, inf),
        ):
            if value is not None and not least <= value <= most:
                top = "" if most == inf else f" to {most}"
                msg = f"{name} is {least}{top or ' or more'}, not {value}"
                raise DataError(msg)


class Seat(Noun, frozen=True, kw_only=True):
    """A place in a discussion. `id` is unique in it; `reviewer` names the card that speaks here.

    The same reviewer may hold two seats (self-discussion). `identity` is the digest of what makes
    the reviewer answer as it does (model, role prompt, traits), so that a changed card is another
    seat and its stored turns are not reused.
    """

    id: str
    reviewer: str
    role: Role = Role.JUDGE
    sampling: Sampling = Sampling()
    identity: str = ""


class Cue(Noun, frozen=True, kw_only=True):
    """Who speaks next, to which task, seeing which answers and hearing which earlier turns.

    `task` names a part of the prompt pack. `sees` holds answer ids, in the order in which this cue
    shows them, which is that of the comparison unless the protocol asks in several orders; `hears`
    holds indices of earlier turns, ascending, the seat's own included. `private` marks what is said
    before the seat has heard anybody. `ties` allows a tie as verdict. `aspects` names the pack's
    criteria in the instruction; `remind` repeats the seat's role in it. `scale` holds the worst and
    the best rating (ten is the worst in `(10, 1)`), where a rating is expected. `reply` names the
    pack's reply form where it is not the usual one for what is expected. `blind` names the answers it
    sees without showing them or the question: all to go by is what it hears. `logprobs` asks for the
    log-probabilities of the reply's tokens, whatever the seat's sampling says. `control` says what is
    heard in place of the others' arguments; `withheld` holds the turns that are kept from the seat
    then, which it would have heard otherwise.
    """

    seat: str
    task: str
    sees: tuple[str, ...]
    hears: tuple[int, ...] = ()
    expects: Expects = Expects.VERDICT
    private: bool = False
    ties: bool = False
    aspects: bool = True
    remind: bool = False
    scale: tuple[int, int] = (1, 5)
    reply: str = ""
    blind: bool = False
    logprobs: bool = False
    control: Control = "none"
    withheld: tuple[int, ...] = ()


class Message(Noun, frozen=True, kw_only=True):
    """One chat message of a prompt. `source` is the seat that said it, empty for the moderator."""

    role: Literal["system", "user", "assistant"]
    text: str
    source: str = ""


class Usage(Noun, frozen=True, kw_only=True):
    """Tokens of one reply. `estimated` says that they were counted here, not by the server."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False


class TokenLogprob(Noun, frozen=True, kw_only=True):
    """A generated token, its log-probability, and the alternatives the server gave (token, logprob)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


class Utterance(Noun, frozen=True, kw_only=True):
    """What a reviewer said, word for word, and what saying it took. Latency is in seconds.

    `simulated` is true when no real model spoke. `cached` replies were paid for by an earlier call.
    """

    text: str
    usage: Usage = Usage()
    model: str = ""
    finish_reason: str = "stop"
    latency: float = 0.0
    attempts: int = 1
    cached: bool = False
    simulated: bool = False
    logprobs: tuple[TokenLogprob, ...] | None = None


class Review(Noun, frozen=True, kw_only=True):
    """What was read from an utterance. `rule` names the reading rule that applied, for audits.

    `verdict` is `None` when no verdict was asked for; where a rating was asked for it is `REFUSED`
    when the reviewer declined to give one. `score` is the rating of the one answer that the cue
    showed, when a rating was asked for and could be read.
    """

    verdict: Verdict | None = None
    score: float | None = None
    rule: str = ""


class Turn(Noun, frozen=True, kw_only=True):
    """One cue, what was said to it, and what was read from that. `index` counts from 0."""

    index: int
    cue: Cue
    utterance: Utterance
    review: Review


class Failure(Noun, frozen=True, kw_only=True):
    """Why a turn failed for good. `kind` is the type of the cause, e.g. `RateLimitError`."""

    kind: str
    message: str
    seat: str
    turn: int


class Request(Noun, frozen=True, kw_only=True, dict=True, gc=True):
    """All that a reviewer is given when it is cued.

    `messages` is the whole prompt (system first); a reviewer that keeps no state needs nothing
    else. `heard` are the turns the cue lets it hear. `draw` identifies this random draw: equal for
    equal content and repetition, whatever the discussion, so seeded reviewers are reproducible at
    any concurrency and a private review is the same in every protocol; it is only worked out, by
    `drawn`, where somebody asks for it. `discussion` and `turn` say whom to book the call to.
    """

    discussion: str
    turn: int
    seat: Seat
    cue: Cue
    comparison: Comparison
    heard: tuple[Turn, ...]
    messages: tuple[Message, ...]
    drawn: Callable[[], str]

    @cached_property
    def draw(self) -> str:
        """The identity of this random draw."""
        return self.drawn()


class Transcript(Noun, frozen=True, kw_only=True):
    """A whole discussion of one comparison, ended or not.

    `id` is the content hash of everything that determines it. `condition` is the experiment's name
    for this protocol with these seats. `stop` is `None` while the discussion can go on. `verdict`
    is what the protocol concluded.
    """

    id: str
    comparison: Comparison
    protocol: str
    seats: tuple[Seat, ...]
    turns: tuple[Turn, ...] = ()
    stop: StopReason | None = None
    verdict: Verdict = UNREADABLE
    failure: Failure | None = None
    condition: str = ""
    options: Mapping[str, Scalar] | None = None
    prompts: str = ""
    repetition: int = 0

    def seat(self, seat_id: str) -> Seat:
        """The seat with this id."""
        return next(seat for seat in self.seats if seat.id == seat_id)

    @property
    def simulated(self) -> bool:
        """Whether any turn was spoken by something other than a real model."""
        return any(turn.utterance.simulated for turn in self.turns)
