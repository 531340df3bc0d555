"""Nouns of texts that cards write on request: tasks, orders, written texts, results and estimates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from peerjudge.data import (
    Answer,
    Card,
    Comparison,
    Cue,
    Expects,
    Failure,
    Message,
    Question,
    Request,
    ReviewerKind,
    Sampling,
    Seat,
    Utterance,
    WritingMark,
    content_hash,
    replace,
    to_plain,
)
from peerjudge.errors import CardError, ExperimentError
from peerjudge.runs.ledger import Spending
from peerjudge.runs.results import CallCounts
from peerjudge.shelf import Shelf
from peerjudge.shelf.cards import card_identity
from peerjudge.simulation import WRITERS

_WRITER = "writer"
"""Id of the seat that writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingTask:
    """A text to be written by a card; `id` is unique in one call.

    `task` is the kind of text: `answer`, `propose`, `rewrite`, ... `messages` are the whole prompt, without
    the role of the card. Equal messages with another `draw` are another call. `sampling` replaces the
    card's. `question` is what a simulated card writes about; its text is not sent.
    """

    id: str
    card: str
    task: str
    messages: tuple[Message, ...]
    draw: int = 0
    sampling: Sampling | None = None
    question: Question | None = None

    @property
    def prompt(self) -> str:
        """Hash of the messages."""
        return content_hash(to_plain(self.messages))

    @property
    def drawn(self) -> str:
        """Identity of the random draw, `Request.draw` of the call."""
        return content_hash(self.task, self.prompt, self.draw)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenText:
    """Result of a task: an utterance, a failure, or neither where a limit left the task out.

    `key` is the identity of the request in the place. `mark` is `empty`, `refusal` or `cut off` where
    the text is one. `kept` is true if the text was in the place before.
    """

    task: WritingTask
    key: str
    utterance: Utterance | None = None
    mark: WritingMark = ""
    failure: Failure | None = None
    kept: bool = False

    @property
    def text(self) -> str | None:
        """The text, `None` if there is none."""
        return None if self.utterance is None else self.utterance.text


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingResult:
    """Texts of all tasks in the order of the tasks, and what they cost.

    `kept` texts were read from the place. `calls`, spending, `stopped` and `enough` are those of
    `RunSummary`: `spent_before` is the sum of all earlier calls into the place, of runs too.
    """

    texts: tuple[WrittenText, ...]
    kept: int
    calls: CallCounts
    spent_before: Spending
    spent_now: Spending
    limit: Spending
    stopped: str | None = None
    enough: float | None = None

    @property
    def tokens(self) -> int:
        """Tokens of this call."""
        return self.spent_now.tokens or 0

    @property
    def cost_usd(self) -> float | None:
        """Cost of this call in USD; `None` if a price is unknown."""
        return self.spent_now.usd

    @property
    def complete(self) -> bool:
        """Whether every task has a text."""
        return all(text.utterance is not None for text in self.texts)

    @property
    def failures(self) -> tuple[WrittenText, ...]:
        """The tasks that failed for good."""
        return tuple(text for text in self.texts if text.failure is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingEstimate:
    """The most that tasks take if replies have the assumed length; `kept` texts cost nothing.

    `cost_usd` is `None` if a price is unknown; `simulated` is true if no card calls a model.
    """

    calls: int
    kept: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    simulated: bool

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens of all calls."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A task with its card and its identity in the place."""

    task: WritingTask
    card: Card
    key: str
    identity: str

    def build_request(self) -> Request:
        """Return the request to the reviewer of the card.

        It is a discussion of its own; its comparison is a placeholder, as there is nothing to judge.
        """
        task = self.task
        question = task.question or Question(id="writing", text="")
        return Request(
            discussion=self.key,
            turn=0,
            seat=Seat(
                id=_WRITER,
                reviewer=self.card.name,
                sampling=task.sampling or self.card.sampling,
                identity=self.identity,
            ),
            cue=Cue(seat=_WRITER, task=task.task, sees=(), expects=Expects.TEXT),
            comparison=Comparison(
                id="writing", question=question, answers=(Answer(id="none", text=""),)
            ),
            heard=(),
            messages=task.messages,
            drawn=lambda: task.drawn,
        )


def place_orders(tasks: Iterable[WritingTask], shelf: Shelf, *, seed: int) -> tuple[Order, ...]:
    """Return the tasks with their cards and identities.

    The identity covers the card without its role, its code or its traits, the sampling, the kind of
    text, the messages, the draw, the seed, and for a simulated card the question.

    Raises:
        ExperimentError: Two tasks share an id, or a simulated card cannot write this kind of text.
        CardError: A card replays recorded reviews, so it cannot write.
        ShelfError: A card is not on the shelf.
    """
    cards: dict[str, Card] = {}
    ids: set[str] = set()
    orders: list[Order] = []
    for task in tasks:
        if task.id in ids:
            msg = f"two texts have the id {task.id!r}; give each its own"
            raise ExperimentError(msg)
        ids.add(task.id)
        if task.card not in cards:
            cards[task.card] = shelf.card(task.card)
        card = cards[task.card]
        _require_writer(card, task)
        code = shelf.code("agents", card.name)
        identity = content_hash(card_identity(replace(card, role="")), *([code] if code else []))
        key = content_hash(
            "writing",
            card.name,
            identity,
            to_plain(task.sampling or card.sampling),
            task.drawn,
            seed,
            *(
                [to_plain(task.question)]
                if card.kind is ReviewerKind.SIMULATED and task.question
                else []
            ),
        )
        orders.append(Order(task=task, card=card, key=key, identity=identity))
    return tuple(orders)


def _require_writer(card: Card, task: WritingTask) -> None:
    if card.kind is ReviewerKind.RECORDED:
        msg = (
            f"card {card.name!r} replays recorded reviews, so it cannot write; name a card with a "
            "[model], a .py card or a simulated one"
        )
        raise CardError(msg)
    if card.kind is ReviewerKind.HUMAN:
        msg = (
            f"card {card.name!r} is a person and writes no {task.task!r}; name a card with a [model] or "
            "a .py card"
        )
        raise CardError(msg)
    if card.kind is ReviewerKind.SIMULATED and task.task not in WRITERS:
        msg = (
            f"card {card.name!r} is simulated and writes {', '.join(WRITERS)} only, not "
            f"{task.task!r}; name a card with a [model] or a .py card"
        )
        raise ExperimentError(msg)
