"""Declarations of an experiment: reviewer cards, prompt packs, conditions, and the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import UnionType
from typing import Literal, TypeAlias, TypeVar, cast, get_args

from msgspec import field
from msgspec.structs import force_setattr

from peerjudge.data.comparisons import Comparison, Scalar
from peerjudge.data.conventions import Conventions, GoldRule
from peerjudge.data.discussion import ReplyForm, Sampling
from peerjudge.data.nouns import Declared, Noun
from peerjudge.data.ranking import RecordedReview
from peerjudge.errors import DataError, ExperimentError
from peerjudge.marks import mark_controls

E = TypeVar("E", bound=StrEnum)


def read_choice(kind: type[E], given: object, where: str) -> E:
    """Return the value of an enum that is given as such or as text."""
    if isinstance(given, str) and given in tuple(kind):
        return kind(given)
    msg = f"{where} is one of {', '.join(kind)}, not {given!r}"
    raise DataError(msg)


def _read_items(given: object, kind: type | UnionType, where: str, what: str) -> tuple[object, ...]:
    """Return a tuple of items that are given as a list, a tuple, or a single item."""
    items: tuple[object, ...] = (
        tuple(cast("Iterable[object]", given)) if isinstance(given, list | tuple) else (given,)
    )
    for item in items:
        if not isinstance(item, kind):
            msg = f"{where} takes {what}, not {item!r:.80}"
            raise DataError(msg)
    return items


class ReviewerKind(StrEnum):
    """The kinds of reviewer that a card can declare."""

    MODEL = "model"
    """A language model behind an AutoGen model client."""
    SIMULATED = "simulated"
    """A stochastic reviewer with known traits."""
    RECORDED = "recorded"
    """Recorded reviews, replayed."""
    PYTHON = "python"
    """The user's own object: an AutoGen agent, team or client, or a callable."""
    HUMAN = "human"
    """A person, who answers at the desk of a run."""


class ModelSpec(Noun, frozen=True, kw_only=True):
    """A model and its service.

    `provider` is a name (`openai`, `anthropic`, `ollama`, ...) or the dotted path of an AutoGen
    component. `key_env` names the environment variable with the key; the key itself is never stored.
    `options` go to the client's constructor; their values are plain (JSON-able). `batch` tells whether
    the service has the batch API of its provider; `None` stands for the provider's own address only.
    `unset` names settings, of those in `UNSETTABLE`, that the model does not take. `headers_env` and
    `query_env` name the environment variables with the values of headers and query parameters.
    """

    provider: str
    name: str = ""
    base_url: str | None = None
    key_env: str | None = None
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    batch: bool | None = None
    unset: tuple[str, ...] = ()
    headers_env: Mapping[str, str] = field(default_factory=dict[str, str])
    query_env: Mapping[str, str] = field(default_factory=dict[str, str])


UNSETTABLE = (
    "temperature",
    "top_p",
    "seed",
    "logprobs",
    "reasoning_effort",
    "thinking_tokens",
    "form",
    "system",
)
"""What a model may not take: settings of a seat, the bound form of a reply, and the system role."""


class Limits(Noun, frozen=True, kw_only=True):
    """Limits of the calls of one card. `timeout` is in seconds per call; rates are per minute."""

    max_connections: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    attempts: int = 5


class Reaction(Noun, frozen=True, kw_only=True):
    """Reaction of a simulated reviewer to the words of its prompt; `[[responds]]` on a card.

    Where it applies, `add` is added to the trait of this name. It applies to a prompt whose wording has
    `pattern` and `needs` and lacks `unless` (regular expressions, found anywhere, in any case), and whose
    reply form is `form`; empty ones do not count. The wording is that of the prompt pack and the role,
    never that of the question, the answers or the replies.
    """

    trait: str
    add: float
    pattern: str = ""
    form: str = ""
    needs: str = ""
    unless: str = ""


class Card(Declared, frozen=True, kw_only=True):
    """A reviewer, as a file on the `agents/` shelf declares it.

    `name` is the file's stem and a Python identifier (AutoGen requires that). `role` is the role
    prompt. `family` groups the models of one maker, for self-enhancement. `contestant` is the author
    name of the reviewer's own answers where that is not `name`: a contestant can have any name, such as
    `vicuna-13b`. `traits` and `responds` belong to simulated reviewers, `source` (a dataset `NAME:PATH`)
    and `reviewer` to recorded ones, `aspects` to people, who can score each answer by them. `form` is the
    form of verdicts (`None`: that of the prompt pack).
    """

    name: str
    kind: ReviewerKind = ReviewerKind.MODEL
    description: str = ""
    role: str = ""
    family: str = ""
    contestant: str = ""
    model: ModelSpec | None = None
    sampling: Sampling = Sampling()
    limits: Limits = Limits()
    traits: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    responds: tuple[Reaction, ...] = ()
    source: str = ""
    reviewer: str = ""
    aspects: tuple[str, ...] = ()
    form: ReplyForm | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "kind", read_choice(ReviewerKind, self.kind, "kind of a card"))

    def __hash__(self) -> int:
        return hash((self.name, self.role))


class PromptPack(Declared, frozen=True, kw_only=True):
    """The words of one family of prompts. Every text but the aspects is a Jinja template.

    `system` opens every prompt. `scene` shows the question and the answers, each named by `label`; in a
    discussion, `seat` then names the speaker and the others; `heard` shows one earlier turn. `tasks`
    holds the instruction of each task, `criteria` its text about the `aspects` (in order of importance),
    `remind` the role reminder that can precede it. `reply` holds the request for each form of reply:
    `verdict`, `verdict_or_tie`, `rating`, and the forms of a rating as JSON. `fence` is how questions,
    answers and replies are delimited: every line quoted (`lines`), or between fence lines with a mark
    (`marks`). `reference` shows the reference answer of a comparison below the question; a pack without
    it shows none. `form` is the form of verdicts that the pack is made for.
    """

    name: str
    description: str
    system: str
    label: str
    seat: str
    scene: str
    heard: str
    criteria: str
    remind: str
    tasks: Mapping[str, str]
    reply: Mapping[str, str]
    aspects: tuple[str, ...] = ()
    fence: Literal["lines", "marks"] = "lines"
    reference: str = ""
    form: ReplyForm = "line"

    def __hash__(self) -> int:
        return hash((self.name, self.system))


class Leader(StrEnum):
    """The reviewer that speaks first in the discussion."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"
    """Drawn once per comparison from the experiment's seed."""
    BOTH = "both"
    """Each comparison is discussed once under each leader."""


class Orders(StrEnum):
    """The orders in which the answers of a comparison are shown."""

    GIVEN = "given"
    """The order of the dataset."""
    SWAPPED = "swapped"
    RANDOM = "random"
    """Drawn once per comparison from the experiment's seed."""
    BOTH = "both"
    """The given and the reverse order; for three and more answers, every rotation."""
    ALL = "all"
    """Every order: 2 of two answers, 6 of three, 24 of four."""


class Seating(Declared, frozen=True, kw_only=True):
    """A reviewer in a seat with its temperature there (`None`: the card's own)."""

    reviewer: str
    temperature: float | None = None


class Condition(Declared, frozen=True, kw_only=True):
    """One protocol with its reviewers; an experiment compares conditions.

    `seats` names cards (or `Seating`s), leader first; a single one needs no tuple. `leader` and
    `orders` may be given as text. `options` are the protocol's; `prompts` names a pack where it
    differs from the experiment's. With `contestants`, only comparisons all of whose answers are by these
    authors are judged.
    """

    name: str
    protocol: str
    seats: tuple[str | Seating, ...]
    leader: Leader = Leader.FIRST
    orders: Orders = Orders.BOTH
    options: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    prompts: str = ""
    contestants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        where = f"condition {self.name!r}"
        force_setattr(self, "leader", read_choice(Leader, self.leader, f"{where}: leader"))
        force_setattr(self, "orders", read_choice(Orders, self.orders, f"{where}: orders"))
        seats = _read_items(
            self.seats, str | Seating, f"{where}: seats", "names of cards or Seatings"
        )
        force_setattr(self, "seats", seats)

    @property
    def cards(self) -> tuple[str, ...]:
        """The names of the cards in the seats."""
        return tuple(seat.reviewer if isinstance(seat, Seating) else seat for seat in self.seats)


Alternative: TypeAlias = Literal["mean seat", "better seat", "self-consistency", "vote"]
"""Cheaper ways to judge that a discussion is compared with."""


class Primary(Noun, frozen=True, kw_only=True):
    """The contrast that an experiment declares before it is run: a condition over an alternative."""

    condition: str
    alternative: Alternative


def read_primary(text: str, conditions: Iterable[str]) -> Primary | None:
    """Return the contrast that `primary` of an experiment declares; `None` for an empty text.

    Args:
        text: CONDITION over ALTERNATIVE.
        conditions: names of the conditions of the experiment.

    Raises:
        DataError: the condition or the alternative is unknown.
    """
    if not text:
        return None
    names = list(conditions)
    text = text.replace(" over best seat", " over better seat")  # as runs of 0.2 store it
    known: tuple[Alternative, ...] = get_args(Alternative)
    for name in names:
        for alternative in known:
            if text == f"{name} over {alternative}":
                return Primary(condition=name, alternative=alternative)
    msg = (
        f"primary is 'CONDITION over ALTERNATIVE', not {text!r}; choose a condition of "
        f"{', '.join(map(repr, names))} and an alternative of {', '.join(map(repr, known))}"
    )
    raise DataError(msg)


class Experiment(Declared, frozen=True, kw_only=True):
    """A question put to data: each condition is run on each comparison.

    `data` is a dataset `NAME` or `NAME:PATH`. `name` and `question` are filled from the file's stem
    and docstring if empty. `reviewer_settings` overrides settings by name (`latency`, `temperature`,
    a trait) in each card that has them. A single condition needs no tuple. `primary` declares the one
    contrast that the experiment is about, as in `"talk over better seat"`; its test is not corrected
    for others. Alternatives: mean seat, better seat, self-consistency, vote. `reread` names the card of a
    second model that reads replies in which no rule finds a verdict; empty for none. `reask` is 1 if a
    model whose reply names no choice is asked for it once, and 0 if not. `seats` gives cards
    the names by which others replace them: with `{"strong": "sim_gpt4"}`, `--seat strong=gpt_4o` seats
    `gpt_4o` wherever a condition seats `sim_gpt4`.
    """

    data: str
    conditions: tuple[Condition, ...]
    name: str = ""
    question: str = ""
    prompts: str = "long_form"
    seed: int = 0
    repetitions: int = 1
    reviewer_settings: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    primary: str = ""
    reread: str = ""
    reask: int = 1
    seats: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        conditions = _read_items(self.conditions, Condition, "conditions", "Conditions")
        force_setattr(self, "conditions", conditions)
        read_primary(self.primary, (condition.name for condition in self.conditions))
        if self.reask not in (0, 1):
            msg = f"reask is 0 or 1, not {self.reask!r}: a reviewer is asked for its choice once at most"
            raise DataError(msg)
        self._check_seats()

    def _check_seats(self) -> None:
        seated = {card for condition in self.conditions for card in condition.cards}
        for name, card in self.seats.items():
            if card not in seated:
                known = ", ".join(sorted(seated))
                msg = f"seat {name!r} names the card {card!r}, which no condition seats; they seat {known}"
                raise DataError(msg)


class Dataset(Noun, frozen=True, kw_only=True):
    """Comparisons with their gold, and the recorded reviews of them.

    `humans` names the recorded reviewers that are people: they serve as gold, and judge only where
    named. `gold_rule` settled their votes that disagree, where gold is from votes; it also settles
    them where people rank the contestants. `conventions` are those of the authors' own figures, `None`
    where nothing is published. `simulated` is true where no real model gave some of the
    reviews. `missing_texts` says, where answers have no texts, which files to add. `unordered` names the
    reviewers for whom `shown` of a review is not the order that they saw, which is not known.
    `labeled` names the comparisons with votes of people whose gold is a label and not made of the votes.
    `left_out` counts what was in the files and is not here, by reason. `notes` are sentences on how the
    files were read.
    """

    name: str
    description: str
    comparisons: tuple[Comparison, ...]
    reviews: tuple[RecordedReview, ...] = ()
    humans: tuple[str, ...] = ()
    gold_rule: GoldRule = GoldRule.SIGN_OF_MEAN
    conventions: Conventions | None = None
    simulated: bool = False
    missing_texts: str = ""
    unordered: tuple[str, ...] = ()
    labeled: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = f"{len(self.comparisons):,} comparisons, {len(self.reviews):,} reviews"
        return mark_controls(f"<Dataset {self.name}: {counts}>")


SearchMethod: TypeAlias = Literal["grips", "opro"]
"""The methods of a search."""

Objective: TypeAlias = Literal["accuracy", "consistent", "margin", "error"]
"""What a search raises, per question from 0 to 1: the share of right verdicts, of comparisons right in
every order, the probability of gold, or the nearness of a rating to gold (1 - error / range)."""


class Search(Declared, frozen=True, kw_only=True):
    """A search that an experiment declares, as the constant `SEARCH` beside `EXPERIMENT`.

    Attributes:
        method: `grips` or `opro`.
        targets: names of the texts that may change.
        objective: what the search raises.
        aspect: the aspect of the gold ratings, for the objective `error`.
        proposer: the card that writes texts; empty for none.
        steps: the greatest number of steps; 0 for the method's own.
        candidates: candidates per step; 0 for the method's own.
        patience: steps in a row without gain that end the search; 0 for never, `None` for the method's own.
        split: `paper`, or the numbers of questions to search, select and test (`"20,20,40"`); empty
            for 30, 20 and 50 %.
    """

    method: SearchMethod = "grips"
    targets: tuple[str, ...] = ()
    objective: Objective = "accuracy"
    aspect: str = ""
    proposer: str = ""
    steps: int = 0
    candidates: int = 0
    patience: int | None = None
    split: str = ""

    def __post_init__(self) -> None:
        if self.method not in get_args(SearchMethod):
            known = ", ".join(get_args(SearchMethod))
            msg = f"there is no method {self.method!r}; choose one of {known}"
            raise ExperimentError(msg)
