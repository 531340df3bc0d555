"""Discussions: seats, cues, utterances, reviews, turns and transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import ClassVar, Literal, Protocol, cast

from peerjudge.data.comparisons import UNREADABLE, Comparison, Scalar, Verdict
from peerjudge.data.nouns import Count, Noun
from peerjudge.errors import DataError
from peerjudge.marks import mark_controls
from peerjudge.shown import Displayed

Control = Literal["none", "placebo", "stance", "irrelevant", "swapped", "unnamed"]
"""The controls of a discussion: what a turn hears in place of the others' arguments.

`placebo`: nothing, and a request to reconsider. `stance`: the others' choices without their words.
`irrelevant`: their choices, argued with another matter. `swapped`: the others' words, where they and the
listener saw the answers in different orders, so that an argument for one answer speaks of another.
`unnamed`: all words, also the listener's own, as those of a reviewer who is not named.
"""

WITHOUT_REASONS: frozenset[Control] = frozenset({"stance", "irrelevant"})
"""The controls under which others' choices are heard, and none of their words."""


class Role(StrEnum):
    """The roles of seats whose protocol declares none. In a discussion of two, the leader speaks first."""

    JUDGE = "judge"
    LEADER = "leader"
    FOLLOWER = "follower"
    PANELIST = "panelist"

    @classmethod
    def of_seats(cls, count: int) -> tuple[Role, ...]:
        """Return the roles of this number of seats: a judge; leader and follower; or a panel."""
        return {1: (cls.JUDGE,), 2: (cls.LEADER, cls.FOLLOWER)}.get(count, (cls.PANELIST,) * count)


class Expects(StrEnum):
    """The kind of reply that a cue asks for; it decides how the reply is read."""

    TEXT = "text"
    """An explanation without a verdict."""
    VERDICT = "verdict"
    RATING = "rating"


class StopReason(StrEnum):
    """The reasons why a discussion ended."""

    COMPLETE = "complete"
    """The protocol had no further cue."""
    FAILED = "failed"
    """A turn failed for good; `Transcript.failure` says why."""


REASONING_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The amounts of thinking that providers take by name; each takes some of them."""


ReplyForm = Literal["line", "schema", "two_step"]
"""The form in which a verdict or a rating is asked for.

`line`: prose whose last line states it. `schema`: JSON with the argument first and then the choice or
rating, bound by a schema where the server takes one. `two_step`: reasons in prose, then a question for it.
"""

ARGUMENT, CHOICE, NO_CHOICE = "argument", "choice", "none"
"""Keys of a verdict as JSON, in the order in which they are written, and the choice of no answer."""

RATING, REASONS, SCORE = "rating", "reasons", "score"
"""Key of a rating as JSON, after an `argument`, and the keys of the study of `score_reasons`."""

EXPLANATIONS = frozenset({ARGUMENT, REASONS})
"""Keys whose value explains a verdict or rating, and is none."""

ASK_TASK = "ask"
"""Task of the question for a choice."""

REPLY_FORMS: tuple[ReplyForm, ...] = ("line", "schema", "two_step")


class Sampling(Noun, frozen=True, kw_only=True):
    """Sampling of a seat's replies, sent with every call; `None` leaves the provider's default.

    `max_tokens` bounds the whole reply, its thinking included; `thinking_tokens` bounds the thinking
    alone, and `reasoning_effort` asks for more or less of it.
    """

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    logprobs: bool = False
    reasoning_effort: str | None = None
    thinking_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.reasoning_effort is not None and self.reasoning_effort not in REASONING_EFFORTS:
            known = ", ".join(REASONING_EFFORTS)
            msg = f"reasoning_effort is one of {known}, not {self.reasoning_effort!r}"
            raise DataError(msg)
        for name, value, least, most in (
            ("temperature", self.temperature, 0, 2),
            ("top_p", self.top_p, 0, 1),
            ("max_tokens", self.max_tokens, 1, inf),
            ("thinking_tokens", self.thinking_tokens, 0, inf),
        ):
            if value is not None and not least <= value <= most:
                top = "" if most == inf else f" to {most}"
                msg = f"{name} is {least}{top or ' or more'}, not {value}"
                raise DataError(msg)


class Seat(Noun, frozen=True, kw_only=True):
    """A place in a discussion. `id` is unique in it; `reviewer` names the card that speaks here.

    The same reviewer may hold two seats (self-discussion). `identity` is the digest of everything
    that changes the reviewer's replies (model, role prompt, traits): a changed card is another seat,
    and its stored turns are not reused. `role` is what the seat is in the discussion: one of `Role`, or
    one that the protocol declares, such as `debater`. `form` is the form of verdicts and ratings, if its card
    sets one.
    """

    id: str
    reviewer: str
    role: str = Role.JUDGE
    sampling: Sampling = Sampling()
    identity: str = ""
    form: ReplyForm | None = None


class Cue(Noun, frozen=True, kw_only=True):
    """The next speaker, its task, the answers it sees, the turns it hears, and the reply expected.

    A cue with a seat, task, `sees`, `hears` or `expects` of another type raises `DataError`.

    Attributes:
        seat: The id of the seat that speaks.
        task: The name of a task of the prompt pack.
        sees: Answer ids, in the order in which this cue shows them.
        hears: Indices of earlier turns, ascending, the seat's own included.
        expects: The kind of reply.
        private: Marks a turn before the seat has heard another seat.
        ties: Allows a tie as verdict.
        aspects: Names the pack's criteria in the instruction.
        remind: Repeats the seat's role in the instruction.
        scale: The worst and the best rating; ten is the worst in `(10, 1)`.
        reply: The pack's form of reply, where it is not the usual one for what is expected.
        blind: Names the answers in `sees` without showing them or the question.
        logprobs: Requests log-probabilities of the reply's tokens, independent of the seat's sampling.
        control: What the seat hears in place of the others' arguments.
        withheld: The turns that a control withholds from the seat.
    """

    seat: str
    task: str
    sees: tuple[str, ...]
    hears: tuple[Count, ...] = ()
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
    withheld: tuple[Count, ...] = ()

    def __post_init__(self) -> None:
        if not _fits_cue(self.seat, self.task, self.sees, self.hears, self.expects):
            msg = (
                "a cue needs a seat id and a task as text, answer ids (text) as a tuple in sees, turn "
                f"numbers as a tuple in hears, and an Expects, not seat={self.seat!r}, "
                f"task={self.task!r}, sees={self.sees!r}, hears={self.hears!r}, expects={self.expects!r}"
            )
            raise DataError(msg)


def _fits_cue(seat: object, task: object, sees: object, hears: object, expects: object) -> bool:
    # Protocols construct cues on every turn: these checks take a fraction of a microsecond.
    return (
        isinstance(seat, str)
        and isinstance(task, str)
        and isinstance(expects, Expects)
        and isinstance(sees, tuple)
        and isinstance(hears, tuple)
        and {*map(type, cast("tuple[object, ...]", sees))} <= _TEXT
        and {*map(type, cast("tuple[object, ...]", hears))} <= _NUMBERS
    )


_TEXT, _NUMBERS = frozenset({str}), frozenset({int})


class Message(Noun, frozen=True, kw_only=True):
    """One chat message of a prompt. `source` is the seat that said it, empty for the moderator."""

    role: Literal["system", "user", "assistant"]
    text: str
    source: str = ""


class Usage(Noun, frozen=True, kw_only=True):
    """Tokens of one reply. `estimated` marks counts that the server did not report.

    `thinking_tokens` are the part of `completion_tokens` that a reasoning model spent on its thinking,
    as reported or, without a report, counted in the text of the thinking.
    """

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    estimated: bool = False
    thinking_tokens: Count = 0


def add_costs(costs: Iterable[float | None]) -> float | None:
    """Return the sum of costs; `None` if one is unknown."""
    known = list(costs)
    return None if None in known else sum(cost or 0.0 for cost in known)


class TokenLogprob(Noun, frozen=True, kw_only=True):
    """A generated token with its log-probability, and the server's alternatives (token, logprob)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


InnerKind = Literal["message", "thought", "tool call", "tool result", "tool error", "note"]
"""The kinds of inner talk; a `note` says what is not kept."""


class InnerMessage(Noun, frozen=True, kw_only=True):
    """A message inside the turn of an agent or team. `source` is the agent that wrote it."""

    source: str
    kind: InnerKind
    text: str


class Utterance(Noun, frozen=True, kw_only=True):
    """A reviewer's words and the cost of the call. Latency is in seconds.

    `simulated` is true where no real model spoke. A `cached` reply was paid for by an earlier call.
    `thinking` is what a reasoning model wrote before its reply: it is kept, but neither read nor shown
    to another seat. `unset` names the settings of the seat that the model does not take. `inner` are the
    messages and tool calls of an agent or team before the reply, also neither read nor shown to others.
    `confidence` is that of a person, from 0 to 100, where one was given; others are not shown it.
    """

    text: str
    usage: Usage = Usage()
    model: str = ""
    finish_reason: str = "stop"
    latency: float = 0.0
    attempts: Count = 1
    cached: bool = False
    simulated: bool = False
    logprobs: tuple[TokenLogprob, ...] | None = None
    thinking: str = ""
    unset: tuple[str, ...] = ()
    inner: tuple[InnerMessage, ...] = ()
    confidence: Count | None = None


WritingMark = Literal["", "empty", "refusal", "cut off"]
"""What is wrong with a text that a card wrote: it has no words, declines the task, or has no end."""


class Writing(Noun, frozen=True, kw_only=True):
    """A text that a card wrote on request, as a place keeps it.

    `key` is the identity of the request. `task` is the kind of text, such as `answer`.
    """

    key: str
    card: str
    task: str
    utterance: Utterance
    mark: WritingMark = ""


class Review(Noun, frozen=True, kw_only=True):
    """The verdict or score read from an utterance. `rule` names the reading rule, for audits.

    `verdict` is `None` where the cue asks for none; where it asks for a rating, it is `REFUSED` if the
    reviewer declined. `score` is the rating of the one answer shown, if it could be read.
    """

    verdict: Verdict | None = None
    score: float | None = None
    rule: str = ""


Origin = Literal["spoken", "inherited", "edited"]
"""Where the words of a turn come from: its discussion, its parent, or the parent with other words."""


class Turn(Noun, frozen=True, kw_only=True):
    """One cue, its reply and the review read from it. `index` counts from 0.

    `reread` is the reply of a second model that was asked which verdict the words state, as no rule
    found one. The review is then that model's reading, and never part of an opinion event. `asked` is the
    reviewer's own reply to the question for its choice or rating; it is asked where the words state none.
    A fork inherits the turns before its own ones: `origin` marks them, and `speaker` names the reviewer
    that spoke where it is not the one that has the seat now.
    """

    index: Count
    cue: Cue
    utterance: Utterance
    review: Review
    asked: Utterance | None = None
    reread: Utterance | None = None
    origin: Origin = "spoken"
    speaker: str = ""


class Fork(Noun, frozen=True, kw_only=True):
    """The parent of a forked discussion, and what is different in the fork.

    `parent` is the id of the discussion of which it keeps the turns before `at`. `change` is
    `KEY=VALUE`, empty for none. `draw` is 0 for the random draws of the parent, else the number of the
    redraw.
    """

    parent: str
    at: Count
    change: str = ""
    draw: Count = 0


class Failure(Noun, frozen=True, kw_only=True):
    """The reason why a turn failed for good. `kind` is the type of the error, e.g. `RateLimitError`."""

    kind: str
    message: str
    seat: str
    turn: Count


class TitledText(Noun, frozen=True, kw_only=True):
    """A text under a title, such as `Answer (a)` or `Reviewer 2 replied`."""

    title: str
    text: str


class TaskSheet(Noun, frozen=True, kw_only=True):
    """What a request shows to a person: the words of the prompt, without how a model must write its reply.

    Attributes:
        role: The role prompt of the card; may be empty.
        place: The place of the person in the discussion; empty in private.
        question: The question; empty where the cue shows none.
        reference: The reference answer, where the pack shows one.
        answers: The answers in the shown order, titled by their labels; without texts in a blind cue.
        heard: The earlier turns that the cue hears, in order.
        instruction: Criteria and task.
    """

    role: str = ""
    place: str = ""
    question: str = ""
    reference: str = ""
    answers: tuple[TitledText, ...] = ()
    heard: tuple[TitledText, ...] = ()
    instruction: str = ""


class Request(Noun, frozen=True, kw_only=True, dict=True, gc=True):
    """One request to a reviewer.

    `messages` is the whole prompt (system first); a reviewer without state needs nothing else. `heard`
    are the turns that the cue hears. `draw` identifies the random draw: it is equal for equal content
    and repetition in any discussion, so seeded reviewers are reproducible at any concurrency, and a
    private review is the same in every protocol. It is computed by `drawn` when it is first read.
    `discussion` and `turn` name the turn to which the call is billed. `lay_out` returns the parts of the
    prompt for a person; a request that is made for models only has none. `form` is the form of the
    verdict or rating, and `choices` are the labels of the answers and of a tie, or the ratings. `keys` are
    those of the reply as JSON, in their order; for a `schema`, `in_prose` returns the prompt for a server
    without schemas.
    """

    discussion: str
    turn: int
    seat: Seat
    cue: Cue
    comparison: Comparison
    heard: tuple[Turn, ...]
    messages: tuple[Message, ...]
    drawn: Callable[[], str]
    lay_out: Callable[[], TaskSheet] | None = None
    form: ReplyForm = "line"
    choices: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    in_prose: Callable[[], tuple[Message, ...]] | None = None

    @property
    def bare(self) -> bool:
        """Whether no argument is asked for."""
        return len(self.keys) < 2

    @cached_property
    def draw(self) -> str:
        """The identity of this random draw."""
        return self.drawn()


class Transcript(Displayed, Noun, frozen=True, kw_only=True):
    """A whole discussion of one comparison, ended or not.

    `id` is the content hash of everything that determines it. `turns` has no gap; `ahead` are the turns
    after a missing one, of a discussion that was interrupted while several seats spoke. `condition` is the
    experiment's name for this protocol with these seats. `stop` is `None` while the discussion can go on.
    `verdict` is the protocol's conclusion. `reread` is the second model that reads replies without a
    readable verdict, if there is one; it is no seat of the discussion. `reask` is how often a reviewer
    whose words name no choice is asked for it: 0 or 1. `fork` names the parent of a forked discussion. A
    notebook shows the turns in one lane for each seat, and `print` shows them in their order.
    """

    renderer: ClassVar[str] = "peerjudge.reporting.lanes"

    id: str
    comparison: Comparison
    protocol: str
    seats: tuple[Seat, ...]
    turns: tuple[Turn, ...] = ()
    ahead: tuple[Turn, ...] = ()
    stop: StopReason | None = None
    verdict: Verdict = UNREADABLE
    failure: Failure | None = None
    condition: str = ""
    options: Mapping[str, Scalar] | None = None
    prompts: str = ""
    repetition: Count = 0
    reask: Count = 0
    reread: Seat | None = None
    fork: Fork | None = None

    def describe_briefly(self) -> str:
        """Return one line, as `repr` is."""
        seats = " & ".join(seat.reviewer for seat in self.seats)
        parts = [self.condition, f"{self.protocol} by {seats}", f"{len(self.turns)} turns"]
        if self.failure is not None:
            parts.append(f"failed: {self.failure.kind}")
        else:
            parts.append("not ended" if self.stop is None else f"verdict: {self.verdict}")
        described = ", ".join(part for part in parts if part)
        return mark_controls(f"<Transcript {self.id[:8]} of {self.comparison.id}: {described}>")

    def seat(self, seat_id: str) -> Seat:
        """Return the seat with this id."""
        return next(seat for seat in self.seats if seat.id == seat_id)

    def temperature(self, seat: Seat) -> float | None:
        """Return the temperature of a seat; `None` without one, and where the model did not take it."""
        declared = seat.sampling.temperature
        if declared is not None and any(
            "temperature" in turn.utterance.unset
            for turn in self.turns
            if turn.utterance.unset and turn.cue.seat == seat.id
        ):
            return None
        return declared

    def speaker(self, turn: Turn) -> str:
        """Return the reviewer that spoke a turn; a fork may seat another one there since."""
        return turn.speaker or self.seat(turn.cue.seat).reviewer

    @property
    def simulated(self) -> bool:
        """True if no real model spoke in some turn."""
        return any(turn.utterance.simulated for turn in self.turns)


class SpokenCue(Protocol):
    """What a stored cue names; `Cue` without the settings of its prompt."""

    @property
    def seat(self) -> str:
        """The id of the seat that speaks."""
        ...

    @property
    def sees(self) -> tuple[str, ...]:
        """The answers that it sees."""
        ...

    @property
    def hears(self) -> tuple[int, ...]:
        """The earlier turns that it hears."""
        ...

    @property
    def withheld(self) -> tuple[int, ...]:
        """The earlier turns that a control withholds."""
        ...


def require_fitting_head(transcript: Transcript) -> None:
    """Raise `DataError` if the conclusion or the failure names what the discussion does not have."""
    seats = [seat.id for seat in transcript.seats]
    if not seats or len(set(seats)) < len(seats):
        msg = f"a discussion needs seats with different ids, not {seats}"
        raise DataError(msg)
    shown, choice = transcript.comparison.shown, transcript.verdict.choice
    if choice is not None and choice not in shown:
        msg = f"the verdict chooses {choice!r}, which is not among the answers {shown}"
        raise DataError(msg)
    if transcript.failure is not None and transcript.failure.seat not in seats:
        msg = f"the failure names seat {transcript.failure.seat!r}, and the seats are {seats}"
        raise DataError(msg)


def require_fitting_turn(
    transcript: Transcript, index: int, cue: SpokenCue, choice: str | None
) -> None:
    """Raise `DataError` if a turn names a seat, an answer or a turn that the discussion does not have.

    Args:
        transcript: The discussion; its turns are not read.
        index: Number of the turn.
        cue: Its cue.
        choice: The answer that its verdict chooses.
    """
    shown = transcript.comparison.shown
    if not any(seat.id == cue.seat for seat in transcript.seats):
        wrong = f"seat {cue.seat!r}"
    elif not set(cue.sees).issubset(shown) or not (choice is None or choice in shown):
        wrong = f"the answers {[*cue.sees, *([choice] if choice else [])]}"
    elif any(not 0 <= one < index for one in (*cue.hears, *cue.withheld)):
        wrong = f"the turns {[*cue.hears, *cue.withheld]}"
    else:
        return
    msg = f"turn {index} names {wrong}, which the discussion does not have"
    raise DataError(msg)


def require_fitting(transcript: Transcript) -> None:
    """Raise `DataError` if a discussion from outside names what it does not have, or lacks a turn.

    A turn may be missing in a discussion that is not complete, if those after it do not hear it.
    """
    require_fitting_head(transcript)
    there: set[int] = set()
    for turn in (*transcript.turns, *transcript.ahead):
        require_place(turn, there, whole=transcript.stop is StopReason.COMPLETE)
        verdict = turn.review.verdict
        require_fitting_turn(transcript, turn.index, turn.cue, verdict and verdict.choice)
    if any(turn.index != place for place, turn in enumerate(transcript.turns)):
        msg = "turns after a missing one belong in `ahead`"
        raise DataError(msg)


def require_place(turn: Turn, there: set[int], *, whole: bool) -> None:
    """Raise `DataError` if a turn does not fit after those that are `there`; add it to them.

    In a `whole` discussion no turn is missing. In any other one a turn may be, but not one that is heard.
    """
    expected = max(there, default=-1) + 1
    missing = {*turn.cue.hears} - there
    if turn.index < expected or (turn.index > expected and whole):
        msg = f"turn {expected} is missing, and turn {turn.index} follows"
        raise DataError(msg)
    if missing and len(there) < turn.index:
        msg = f"turn {turn.index} hears turn {min(missing)}, which is missing"
        raise DataError(msg)
    there.add(turn.index)


def split_turns(turns: Sequence[Turn]) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Return the turns before the first missing one, and those after it; all are in their order."""
    if not turns or turns[-1].index == len(turns) - 1:
        return tuple(turns), ()
    dense = next(place for place, turn in enumerate(turns) if turn.index != place)
    return tuple(turns[:dense]), tuple(turns[dense:])
