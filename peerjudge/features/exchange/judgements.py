"""Datasets from judgements of other tools: comparisons, gold of people's votes, recorded reviews.

A format reads its rows as judgements: a question, answers in the order shown, a judge and its verdict.
Judgements on the same answers to the same question, in any order, are reviews of one comparison.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Dataset,
    GoldRule,
    Question,
    RecordedReview,
    Scalar,
    Verdict,
    content_hash,
)
from peerjudge.datasets.codes import Choice, Codebook, check_codes
from peerjudge.datasets.formats import rename
from peerjudge.datasets.lines import Row
from peerjudge.datasets.names import clean_name
from peerjudge.datasets.rows import LISTED, describe_repeated, list_rows, take_rows
from peerjudge.datasets.source import Request, score_vote, settle_gold
from peerjudge.errors import DataError

NAMELESS = "arena_user"
"""Name of all people whose votes have no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An answer and its author; both may be empty, not both of all answers."""

    text: str
    author: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "author", clean_name(self.author))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One judgement of another tool's file.

    `row` is its place. `asked` names the question where texts are missing or repeated; else the text
    does. `unit` is the id of the question where several `asked` share it, as turns of a conversation do.
    `answers` are in the order shown, if `ordered`. A judgement of `person` is a vote. `label` is a gold
    verdict that comes with the row. Without a `judge` there is no review. A `rating` is of a lone answer.
    """

    row: Row
    question: str
    answers: tuple[Written, ...]
    choice: Choice = None
    judge: str = ""
    person: bool = False
    label: Choice = None
    asked: str = ""
    unit: str = ""
    category: str = ""
    subset: str = ""
    explanation: str = ""
    ordered: bool = True
    rating: float | None = None
    meta: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])

    def __post_init__(self) -> None:
        for name in ("asked", "unit", "judge", "category", "subset"):
            object.__setattr__(self, name, clean_name(getattr(self, name)))

    def change(
        self,
        *,
        choice: Choice,
        judge: str | None = None,
        answers: tuple[Written, ...] | None = None,
        explanation: str = "",
        person: bool = False,
        rating: float | None = None,
        row: Row | None = None,
    ) -> Judgement:
        """Return this judgement by another judge or in another order, without the label of the row."""
        return replace(
            self,
            label=None,
            choice=choice,
            judge=self.judge if judge is None else judge,
            answers=self.answers if answers is None else answers,
            explanation=explanation,
            person=person or self.person,
            rating=rating,
            row=row or self.row,
        )


_QUESTIONS = ("question", "prompt", "instruction")
_PAIR_FIELDS = frozenset((*_QUESTIONS, "answer_a", "answer_b", "author_a", "author_b"))


def read_pair(row: Row, part: str, names: Mapping[str, str]) -> Judgement:
    """Return a judgement without a verdict on the texts in a part of a row, whose fields are renamed.

    The texts are `question` (or `prompt`, `instruction`), `answer_a` and `answer_b`, with the contestants
    `author_a` and `author_b`; the id of the row names the question.
    """
    unknown = sorted(names.keys() - _PAIR_FIELDS)
    if unknown:
        known = ", ".join(sorted(_PAIR_FIELDS))
        msg = f"--map names {unknown[0]!r}, which is not read; choose one of {known}"
        raise DataError(msg)
    data = rename(names, row.part(part))
    return Judgement(
        row=row,
        asked=row.label("id"),
        question=next((data.cell(key) for key in _QUESTIONS if data.cell(key)), ""),
        answers=(
            Written(text=data.text("answer_a"), author=data.label("author_a")),
            Written(text=data.text("answer_b"), author=data.label("author_b")),
        ),
    )


_Key: TypeAlias = tuple[str, tuple[Written, ...]]


@dataclass(slots=True)
class _Entry:
    """A comparison while its judgements are read: the first one, gold labels, votes and reviews."""

    first: Judgement
    answers: tuple[Answer, ...]
    id: str
    label: Verdict | None = None
    votes: list[int] = field(default_factory=list[int])
    reviews: list[RecordedReview] = field(default_factory=list[RecordedReview])
    voted: dict[str, Row] = field(default_factory=dict[str, Row])
    seen: set[tuple[str, tuple[str, ...]]] = field(default_factory=set[tuple[str, tuple[str, ...]]])


def build_judged(
    request: Request,
    read: Callable[[Row, Codebook], Iterable[Judgement]],
    *,
    description: str,
) -> Dataset:
    """Return the dataset of a file's judgements, comparisons in the order of their first judgement.

    The answers of a comparison are ordered by author and text, so a file that lists them the other
    way round gives the same comparisons. Votes of people settle gold by the rule of the request, where
    no row has a label.

    Args:
        request: the file and how to read it.
        read: returns the judgements of one row, whose codes it reads with the codebook; raises `DataError`
            for a row that it cannot read.
        description: of the dataset, before the name of the file.

    Raises:
        DataError: with file and line, for rows that cannot be read, a second vote by one person on the
            same answers, or a label that contradicts an earlier one; the first
            ten of them, if they are more than `skip_bad`.
    """
    table = _Table(humans=set(map(clean_name, request.options.humans)))
    codebook = Codebook(check_codes(request.options.codes))

    def add_row(row: Row) -> None:
        for one in read(row, codebook):
            table.add(one)

    left_out = take_rows(partial(list_rows, request), add_row, request.options)
    codebook.check()
    if codebook.offered and not any(entry.reviews for entry in table.entries.values()):
        reasons = ", ".join(f"{count} {reason}" for reason, count in codebook.left_out.items())
        msg = (
            f"no vote was read from {codebook.offered} answers in {request.path} "
            f"({reasons or 'none has a vote'}); name the question with --map vote=NAME, or check the export"
        )
        raise DataError(msg)
    table.notes += codebook.describe()
    left_out = {**left_out, **codebook.left_out}
    return _build(request, table, description=description, left_out=left_out)


def build_compared(
    request: Request,
    judgements: Iterable[Judgement],
    *,
    description: str,
    left_out: Mapping[str, int],
) -> Dataset:
    """Return the dataset of these judgements, in the same way as `build_judged`.

    `left_out` counts what of the files is not among them, by reason.
    """
    table = _Table(humans=set(map(clean_name, request.options.humans)))
    for judgement in judgements:
        table.add(judgement)
    return _build(request, table, description=description, left_out=left_out)


def _build(
    request: Request, table: _Table, *, description: str, left_out: Mapping[str, int]
) -> Dataset:
    if not table.entries:
        msg = f"{request.path} holds no judgement"
        raise DataError(msg)
    rule = request.gold or GoldRule.SIGN_OF_MEAN
    found = list(table.entries.values())
    present = {review.reviewer for entry in found for review in entry.reviews}
    absent = sorted(set(map(clean_name, request.options.humans)) - present)
    if absent:
        msg = f"no judge is called {absent[0]!r}; --human names one of {', '.join(sorted(present)) or 'none'}"
        raise DataError(msg)
    name = request.path.name
    return Dataset(
        name=name,
        description=f"{description} from {name}",
        comparisons=tuple(_build_comparison(entry, rule) for entry in found),
        reviews=tuple(review for entry in found for review in entry.reviews)
        if request.reviews
        else (),
        humans=tuple(sorted(table.humans & present)),
        gold_rule=rule,
        missing_texts=_describe_missing(found),
        unordered=tuple(sorted(table.unordered)),
        labeled=tuple(entry.id for entry in found if entry.label is not None and entry.votes),
        left_out=left_out,
        notes=table.describe(),
    )


@dataclass(slots=True)
class _Table:
    """The comparisons of a file while it is read, and the judges that are people."""

    humans: set[str]
    unordered: set[str] = field(default_factory=set[str])
    entries: dict[_Key, _Entry] = field(default_factory=dict[_Key, _Entry])
    names: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    questions: dict[str, str] = field(default_factory=dict[str, str])
    reworded: set[str] = field(default_factory=set[str])
    repeated: Counter[str] = field(default_factory=Counter[str])

    def describe(self) -> tuple[str, ...]:
        """Return notes on repeated judgements and on ids with several texts."""
        found = (
            describe_repeated(self.repeated),
            _describe_ids("another question", sorted(self.reworded)),
            _describe_ids("other answers of the same contestants", self.rewritten),
        )
        return (*self.notes, *filter(None, found))

    @property
    def rewritten(self) -> list[str]:
        """The ids of questions that the same contestants answered with several texts."""
        found = Counter[tuple[str, tuple[str, ...]]]()
        for (asked, answers), entry in self.entries.items():
            if entry.first.asked and all(answer.author for answer in answers):
                found[asked, tuple(answer.author for answer in answers)] += 1
        return sorted({asked for (asked, _), count in found.items() if count > 1})

    def add(self, one: Judgement) -> None:
        """Add a judgement, or raise `DataError` where it contradicts another."""
        entry = _find_entry(self.entries, self.names, one)
        if self.questions.setdefault(one.asked, one.question) != one.question and one.asked:
            self.reworded.add(one.asked)
        _add_label(entry, one)
        if not one.judge or one.choice is None:
            return
        person = one.person or one.judge in self.humans
        _add_review(entry, one, person=person)
        key = (one.judge, tuple(_place(entry, one)) if one.ordered else ())
        self.repeated[one.judge] += key in entry.seen
        entry.seen.add(key)
        if person:
            self.humans.add(one.judge)
        if not one.ordered:
            self.unordered.add(one.judge)


def _find_entry(entries: dict[_Key, _Entry], names: Counter[str], one: Judgement) -> _Entry:
    answers = tuple(sorted(one.answers, key=lambda answer: (answer.author, answer.text)))
    asked = one.asked or f"q-{content_hash(one.question)[:12]}"
    entry = entries.get((asked, answers))
    if entry is None:
        ids = _name_answers(answers)
        pair = "-".join(dict.fromkeys(answer.author for answer in answers if answer.author))
        entry = entries[asked, answers] = _Entry(
            first=one,
            answers=tuple(
                Answer(id=key, text=answer.text, author=answer.author)
                for key, answer in zip(ids, answers, strict=True)
            ),
            id=f"{asked}-{pair or content_hash([answer.text for answer in answers])[:8]}",
        )
        names[entry.id] += 1
        if names[entry.id] > 1:
            # The same authors answered the question again, with other texts.
            entry.id = f"{entry.id}#{names[entry.id]}"
    return entry


def _name_answers(answers: Sequence[Written]) -> list[str]:
    """Return the ids of answers: their authors where these differ, else letters."""
    authors = [answer.author for answer in answers]
    return (
        authors
        if all(authors) and len(set(authors)) == len(authors)
        else list("abcd")[: len(authors)]
    )


def _place(entry: _Entry, one: Judgement) -> list[str]:
    """Return the ids of the answers in the order of a judgement."""
    left = list(entry.answers)
    shown: list[str] = []
    for answer in one.answers:
        found = next(
            each for each in left if (each.author, each.text) == (answer.author, answer.text)
        )
        left.remove(found)
        shown.append(found.id)
    return shown


def _read_choice(choice: Choice, shown: Sequence[str]) -> Verdict:
    if choice == "tie":
        return TIE
    if choice == "refused":
        return REFUSED
    return Verdict.of(shown[choice]) if isinstance(choice, int) else UNREADABLE


def _add_label(entry: _Entry, one: Judgement) -> None:
    if one.label is None:
        return
    label = _read_choice(one.label, _place(entry, one))
    if entry.label is not None and entry.label != label:
        msg = f"the label says {label}, and {entry.label} on {entry.first.row.describe(one.row)}"
        raise one.row.error(msg)
    entry.label = label


def _add_review(entry: _Entry, one: Judgement, *, person: bool) -> None:
    """Add a review; a model may judge the same answers again, a person with a name may not."""
    shown = _place(entry, one)
    verdict = _read_choice(one.choice, shown)
    if person and one.judge != NAMELESS:
        row = entry.voted.get(one.judge)
        if row is not None:
            msg = (
                f"{one.judge!r} also judged these answers on {row.describe(one.row)}; keep one of the two, "
                "or give each question an id of its own"
            )
            raise one.row.error(msg)
        entry.voted[one.judge] = one.row
    entry.reviews.append(
        RecordedReview(
            comparison=entry.id,
            shown=tuple(shown),
            reviewer=one.judge,
            verdict=verdict,
            text=one.explanation,
            scores=() if one.rating is None else (one.rating,),
        )
    )
    if person and verdict.readable and len(entry.answers) == 2:
        entry.votes.append(score_vote(verdict, [answer.id for answer in entry.answers]))


def _describe_ids(what: str, ids: Sequence[str]) -> str:
    if not ids:
        return ""
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return f"the same id has {what}: {', '.join(ids[:LISTED])}{more}"


def _build_comparison(entry: _Entry, rule: GoldRule) -> Comparison:
    first, gold = entry.first, entry.label
    if gold is None and entry.votes:
        gold = settle_gold(entry.votes, rule, (entry.answers[0].id, entry.answers[1].id))
    asked = first.unit or first.asked or f"q-{content_hash(first.question)[:12]}"
    return Comparison(
        id=entry.id,
        question=Question(id=asked, text=first.question, category=first.category),
        answers=entry.answers,
        gold=gold,
        subset=first.subset,
        meta=first.meta,
    )


def _describe_missing(entries: Sequence[_Entry]) -> str:
    empty = sum(not any(answer.text for answer in entry.answers) for entry in entries)
    if not empty:
        return ""
    which = (
        "The file has" if empty == len(entries) else f"{empty} of {len(entries)} comparisons have"
    )
    return f"{which} no texts of answers: reviews can be analysed, and reviewers cannot judge them"
