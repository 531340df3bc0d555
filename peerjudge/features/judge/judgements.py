"""Nouns of a judgement: the verdict on one comparison, what its discussions said, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, TypeAlias

from peerjudge.data import Answer, Comparison, Question, Transcript, Verdict, content_hash
from peerjudge.data.cleaning import clean_text
from peerjudge.errors import DataError
from peerjudge.marks import mark_controls
from peerjudge.shown import Framed
from peerjudge.tracker import stance_of

FEWEST, MOST = 2, 4
"""Numbers of answers that can be judged."""

GivenAnswers: TypeAlias = Sequence[str | Answer] | Mapping[str, str]
"""Answers in the order in which they are numbered: texts, answers, or texts by author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStance:
    """What one seat of one discussion held before it heard another seat, and at the end.

    `shown` are the ids of the answers in the order that the seats saw. `before` and `after` are the last
    readable verdicts; `None` where there was none. `after` equals `before` for a seat that only reviewed.
    """

    discussion: str
    shown: tuple[str, ...]
    seat: str
    reviewer: str
    role: str
    before: Verdict | None
    after: Verdict | None

    def plain(self) -> dict[str, str | None]:
        """Return the seat and its stances as plain values."""
        return {
            "seat": self.seat,
            "reviewer": self.reviewer,
            "role": self.role,
            "before": None if self.before is None else str(self.before),
            "after": None if self.after is None else str(self.after),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementCost:
    """Calls, tokens and cost of one judgement; all 0 for one that was stored before.

    `paid`, `cached` and `simulated` count replies, `unmetered` those of own code that reported no tokens.
    `tokens` are those of paid and simulated replies with their prompts, `completion_tokens` those of the
    replies alone. `usd` is `None`, and `known` false, if the price of
    a paid reply or the tokens of own code are unknown.
    """

    paid: int = 0
    cached: int = 0
    simulated: int = 0
    unmetered: int = 0
    tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    @property
    def known(self) -> bool:
        """Whether the prices of all paid replies are known."""
        return self.usd is not None

    def __add__(self, other: JudgementCost) -> JudgementCost:
        return JudgementCost(
            paid=self.paid + other.paid,
            cached=self.cached + other.cached,
            simulated=self.simulated + other.simulated,
            unmetered=self.unmetered + other.unmetered,
            tokens=self.tokens + other.tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            usd=None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Judgement(Framed):
    """The verdict of a discussion on one comparison, in all orders in which it was shown.

    `verdict` is the common verdict of the orders: a choice, `TIE`, `INCONSISTENT` where the orders
    disagree, `UNREADABLE` or `REFUSED`. An unreadable verdict is never a tie. `by` names the judge,
    `transcripts` are the discussions, and `place` is the folder or database that holds them, `None` for a
    temporary one. A notebook and `print` show a table.
    """

    renderer: ClassVar[str] = "peerjudge.features.judge.showing"

    comparison: Comparison
    by: str
    verdict: Verdict
    transcripts: tuple[Transcript, ...]
    cost: JudgementCost
    place: str | None = None

    def describe_briefly(self) -> str:
        """Return one line, as `repr` is."""
        number = f"{len(self.comparison.answers)} answers in {len(self.transcripts)} discussions"
        told = f"{number}, verdict: {self.verdict}"
        return mark_controls(f"<Judgement by {self.by}: {told}>")

    @property
    def choice(self) -> Answer | None:
        """The better answer; `None` for every other verdict."""
        return None if self.verdict.choice is None else self.comparison.answer(self.verdict.choice)

    @property
    def index(self) -> int | None:
        """The place of the better answer among those given, from 0; `None` for every other verdict."""
        if self.verdict.choice is None:
            return None
        return self.comparison.shown.index(self.verdict.choice)

    @property
    def readable(self) -> bool:
        """Whether the verdict is a choice or a tie."""
        return self.verdict.readable

    @property
    def discussions(self) -> tuple[str, ...]:
        """The ids of the discussions."""
        return tuple(transcript.id for transcript in self.transcripts)

    @property
    def stances(self) -> tuple[SeatStance, ...]:
        """The stances of all seats before and after each discussion."""
        return tuple(
            SeatStance(
                discussion=transcript.id,
                shown=transcript.comparison.shown,
                seat=seat.id,
                reviewer=seat.reviewer,
                role=seat.role,
                before=stance_of(transcript, seat, stance="private"),
                after=stance_of(transcript, seat, stance="final"),
            )
            for transcript in self.transcripts
            for seat in transcript.seats
        )

    @property
    def simulated(self) -> bool:
        """Whether no real model spoke in some turn."""
        return any(transcript.simulated for transcript in self.transcripts)

    @property
    def transcript(self) -> str:
        """All discussions as text, with marks for control characters."""
        return "\n\n".join(map(str, self.transcripts))

    def document(self) -> dict[str, object]:
        """Return the judgement as plain values, without the texts of the discussions."""
        return {
            "by": self.by,
            "verdict": str(self.verdict.outcome),
            "choice": self.verdict.choice,
            "index": self.index,
            "simulated": self.simulated,
            "discussions": [
                {
                    "id": transcript.id,
                    "shown": list(transcript.comparison.shown),
                    "verdict": str(transcript.verdict),
                    "turns": len(transcript.turns),
                }
                for transcript in self.transcripts
            ],
            "stances": [
                {"discussion": stance.discussion, **stance.plain()} for stance in self.stances
            ],
            "cost": {**asdict(self.cost), "known": self.cost.known},
        }


def build_comparison(
    question: str | Question,
    answers: GivenAnswers,
    *,
    criteria: Sequence[str] = (),
    reference: str = "",
) -> Comparison:
    """Return the comparison of these answers; equal texts give an equal id.

    Answers that are given as texts have the ids `"1"`, `"2"`, ...; those by author have their authors'
    names. Criteria and a reference answer are kept in `meta`.

    Raises:
        DataError: There are fewer than 2 or more than 4 answers, one is no text, or two share an id.
    """
    numbered = list(_number_answers(answers))
    if not FEWEST <= len(numbered) <= MOST:
        msg = f"a judgement compares {FEWEST} to {MOST} answers, not {len(numbered)}"
        raise DataError(msg)
    if not any(one.text.strip() for one in numbered):
        msg = "none of the answers has a text, so there is nothing to judge"
        raise DataError(msg)
    text = clean_text(question if isinstance(question, str) else question.text)
    shown = [[one.id, one.author, one.text] for one in numbered]
    identity = content_hash(text, shown, *([reference] if reference else []))
    if isinstance(question, str):
        question = Question(id=f"q-{content_hash(text)[:12]}", text=text)
    meta = {"criteria": "\n".join(map(clean_text, criteria))} if criteria else {}
    meta |= {"reference": clean_text(reference)} if reference else {}
    return Comparison(id=identity[:16], question=question, answers=tuple(numbered), meta=meta)


def _number_answers(answers: GivenAnswers) -> Iterable[Answer]:
    if isinstance(answers, str):
        msg = "answers is a list of texts, such as [first, second], not one text"
        raise DataError(msg)
    if isinstance(answers, Mapping):
        for author, text in zip(map(clean_text, answers), answers.values(), strict=True):
            yield _read_answer(text, id_=author, author=author)
        return
    for number, given in enumerate(answers, 1):
        yield given if isinstance(given, Answer) else _read_answer(given, id_=str(number))


def _read_answer(text: object, *, id_: str, author: str = "") -> Answer:
    if not isinstance(text, str):
        msg = f"answer {id_} is {text!r:.60}; an answer is a text"
        raise DataError(msg)
    return Answer(id=id_, text=clean_text(text), author=author)
