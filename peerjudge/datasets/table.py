"""Comparisons, votes and reviews from the rows of a user's table (JSON Lines or CSV).

The columns:

* `question`: the text of the question. Required.
* The answers, 1 to 4: `answer_a`, `answer_b`, ... or `answer_1`, `answer_2`, ...; in JSON Lines
  also `answers`, a list of texts or of objects with `text` and optionally `id` and `author`.
* `gold`: the id of the better answer, or `tie`; absent or empty where it is unknown. The ids are
  those in `answers`, else those in the column names. In either case `a` or `1` also means the first
  answer, `b` or `2` the second, and so on, in upper case too; numbers start at 1.
* `annotator`: the person whose vote `gold` is. Rows with the same question and the same two answers, in
  either order, are votes on one comparison, one by each person; a row without gold is no vote. The gold
  of the comparison is settled by a `GoldRule`, and each vote is a recorded review.
* `reviewer` and `verdict`: a judge, such as a model, and its choice among the answers, which are in the order
  that it was shown: as in `gold`, or `unreadable` or `refused`; an empty verdict is none. Rows with the same
  question and answers, in either order, are reviews of one comparison; `gold` is that of the comparison.
* `author_a`, `author_b`, ... (or `author_1`, ...): the contestants who wrote the answers.
* `id`: the comparison's name, unique in the file; the line number by default. Rows with the same
  `question` are comparisons of one question, and are resampled together.
* `category`, `subset`: groups for tables.
* `gold_ASPECT`: the gold rating of a lone answer on an aspect, kept in the comparison's `meta` as a number.

Any other column with text, a number or a boolean is kept in the comparison's `meta`; of votes on one
comparison, where all have the same value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache, partial
from math import isfinite
from typing import cast

from peerjudge.data import (
    MAX_ANSWERS,
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
    replace,
)
from peerjudge.datasets.codes import Choice, Codebook, check_codes, name_places
from peerjudge.datasets.guesses import describe_guesses
from peerjudge.datasets.lines import ColumnsError, Row
from peerjudge.datasets.rows import describe_repeated, list_rows, take_rows
from peerjudge.datasets.source import FILE_OPTIONS, Request, score_vote, settle_gold
from peerjudge.errors import DataError

_LETTERS = "abcd"
_NUMBERS = "1234"
_GOLD_RATING = "gold_"
"""Beginning of a column with gold ratings of a lone answer, before the aspect."""
_LARGEST = 2**63
"""First number that does not fit the store."""
_MISSPELT = 0.8
"""Similarity to a known column name above which a name is a typing error (`golden`, `anser_a`)."""
_SPELT = frozenset(("id", "question", "answers", "gold", "annotator", "category", "subset")) | {
    f"{column}_{key}" for column in ("answer", "author") for key in _LETTERS + _NUMBERS
}
_REVIEW = ("reviewer", "verdict")
"""Columns of a recorded review; one of them without the other is a column like any other."""
_NO_ANSWERS = {"tie": TIE, "unreadable": UNREADABLE, "refused": REFUSED}


@dataclass(slots=True)
class _Entry:
    """A comparison with the row that it is first in, its votes by annotator, and its reviews.

    Its gold is that of rows without an annotator.
    """

    row: Row
    comparison: Comparison
    judged: bool
    votes: dict[str, tuple[Row, RecordedReview]] = field(
        default_factory=dict[str, tuple[Row, RecordedReview]]
    )
    reviews: list[RecordedReview] = field(default_factory=list[RecordedReview])
    seen: set[tuple[str, tuple[str, ...]]] = field(default_factory=set[tuple[str, tuple[str, ...]]])


OWN_OPTIONS = FILE_OPTIONS - {"files"} | {"codes"}
"""The options of tables of one's own; people stand in the column `annotator`."""
# Without an empty second answer, the comparison would become a rating of the first.
_MAY_BE_EMPTY = frozenset(("answer_a", "answer_b", "answer_1", "answer_2"))


def read_own(request: Request) -> Dataset:
    """Return the comparisons and votes in tables of one's own: CSV in any form, JSON Lines or a JSON list.

    Raises:
        DataError: as `build_dataset`, and for a list of answers in a CSV; the first ten rows that cannot be
            read, if they are more than `skip_bad`.
    """
    table = _Table(Codebook(check_codes(request.options.codes)))
    rows = partial(list_rows, request, may_be_empty=_MAY_BE_EMPTY)
    left_out = take_rows(rows, table.add, request.options)
    return replace(_build(table, request), left_out=left_out)


def build_dataset(
    rows: Iterable[Row], request: Request, *, name: str = "", description: str = ""
) -> Dataset:
    """Return the comparisons of these rows, in their order, and the votes on them.

    Without a name and a description, the dataset is named after its file.

    Raises:
        DataError: with file and line, for a row that breaks the rules above, repeats an id, or
            has the question and answers of another row, in any order, without being another
            person's vote or a review. A rule for votes is given, and there are none.
    """
    table = _Table(Codebook(check_codes(request.options.codes)))
    for row in rows:
        table.add(row)
    return _build(table, request, name=name, description=description)


def _build(table: _Table, request: Request, *, name: str = "", description: str = "") -> Dataset:
    table.codebook.check()
    entries = list(table.entries.values())
    humans = sorted({who for entry in entries for who in entry.votes})
    if request.gold and not humans:
        msg = (
            f"{request.path} has no column 'annotator', so each comparison has one gold verdict and "
            f"the gold rule {request.gold.value!r} does not apply"
        )
        raise DataError(msg)
    rule = request.gold or GoldRule.SIGN_OF_MEAN
    reviews = [
        review
        for entry in entries
        for review in (*(vote for _, vote in entry.votes.values()), *entry.reviews)
    ]
    return Dataset(
        name=name or request.path.name,
        description=description or f"comparisons from {request.path.name}",
        comparisons=tuple(_settle(entry, rule) for entry in entries),
        reviews=tuple(reviews) if request.reviews else (),
        humans=tuple(humans),
        gold_rule=rule,
        notes=(*table.codebook.describe(), *filter(None, [describe_repeated(table.repeated)])),
        labeled=tuple(
            entry.comparison.id for entry in entries if entry.votes and entry.comparison.gold
        ),
    )


@dataclass(slots=True)
class _Table:
    """The comparisons of a table while it is read, and the line of each id."""

    codebook: Codebook
    entries: dict[object, _Entry] = field(default_factory=dict[object, _Entry])
    lines: dict[str, Row] = field(default_factory=dict[str, Row])
    repeated: Counter[str] = field(default_factory=Counter[str])

    def add(self, row: Row) -> None:
        """Add a row, or raise `DataError` where it contradicts another."""
        comparison = read_comparison(row, self.codebook)
        annotator, reviewer = _read_judges(row)
        entry = self._find_entry(
            row, comparison, judged=bool(annotator or reviewer), vote=bool(annotator)
        )
        if annotator:
            _add_vote(entry, row, comparison, annotator)
        if reviewer:
            number = len(entry.reviews)
            _add_review(entry, row, comparison, reviewer, self.codebook)
            for one in entry.reviews[number:]:
                key = (one.reviewer, one.shown)
                self.repeated[reviewer] += key in entry.seen
                entry.seen.add(key)

    def _find_entry(self, row: Row, comparison: Comparison, *, judged: bool, vote: bool) -> _Entry:
        content = (comparison.question.text, *sorted(answer.text for answer in comparison.answers))
        entry = self.entries.get(content)
        if entry is not None and not vote and _has_other_authors(entry, comparison):
            content = (content, *sorted(one.author for one in comparison.answers))
            entry = self.entries.get(content)
        if entry is None:
            if comparison.id in self.lines:
                place = self.lines[comparison.id].describe(row)
                msg = f"id {comparison.id!r} is also on {place}; give each row its own"
                raise row.error(msg)
            self.lines[comparison.id] = row
            own = replace(comparison, gold=None) if vote else comparison
            entry = self.entries[content] = _Entry(row, own, judged)
        elif not (judged and entry.judged):
            msg = (
                f"the same question and answers are also on {entry.row.describe(row)}; keep one of the two, "
                "or name the person who judged each row in a column 'annotator', or the model that did in "
                "'reviewer', with its choice in 'verdict'"
            )
            raise row.error(msg)
        return entry


def _read_judges(row: Row) -> tuple[str, str]:
    """Return the person whose vote a row is and the reviewer whose review it is, one of them empty."""
    annotator = row.label("annotator")
    reviewer = row.label("reviewer") if all(key in row.fields for key in _REVIEW) else ""
    if annotator and reviewer:
        msg = (
            f"a row is the vote of {annotator!r} (annotator) or the review of {reviewer!r} (reviewer); "
            "give each a row of its own"
        )
        raise row.error(msg)
    return annotator, reviewer


def _has_other_authors(entry: _Entry, comparison: Comparison) -> bool:
    """Return whether no vote is in the entry, and the same words are by other contestants here."""
    authors = [
        sorted(answer.author for answer in each.answers) for each in (entry.comparison, comparison)
    ]
    return authors[0] != authors[1] and not entry.row.label("annotator")


def _add_vote(entry: _Entry, row: Row, given: Comparison, annotator: str) -> None:
    """Add the vote of a row to its comparison, by the comparison's own ids of the answers."""
    if len(given.answers) != 2:
        msg = f"votes ('annotator') are on two answers, not on {len(given.answers)}"
        raise row.error(msg)
    known = _match_answers(entry, row, given)
    if given.gold is None:
        return
    verdict = _translate(given.gold, known)
    if annotator in entry.votes:
        other, vote = entry.votes[annotator]
        msg = (
            f"{annotator!r} votes for {verdict} here and for {vote.verdict} on {other.describe(row)}, "
            "on the same question and answers; keep one of the two"
        )
        raise row.error(msg)
    entry.votes[annotator] = (
        row,
        RecordedReview(
            comparison=entry.comparison.id,
            shown=tuple(known[one] for one in given.shown),
            reviewer=annotator,
            verdict=verdict,
        ),
    )


def _add_review(
    entry: _Entry, row: Row, given: Comparison, reviewer: str, codebook: Codebook
) -> None:
    """Add the review of a row to its comparison, and its gold where there was none."""
    known = _match_answers(entry, row, given)
    if given.gold is not None:
        gold = _translate(given.gold, known)
        if entry.comparison.gold not in (None, gold):
            place = entry.row.describe(row)
            msg = f"gold {gold} is {entry.comparison.gold} on {place}; write the same in both"
            raise row.error(msg)
        entry.comparison = replace(entry.comparison, gold=gold)
    verdict = read_verdict(row, "verdict", given.answers, codebook, "unreadable", "refused")
    if verdict is None:
        return
    if len(known) < 2:
        msg = f"{reviewer!r} chooses among {len(known)} answer; a verdict is on 2 to {MAX_ANSWERS}"
        raise row.error(msg)
    entry.reviews.append(
        RecordedReview(
            comparison=entry.comparison.id,
            shown=tuple(known[one] for one in given.shown),
            reviewer=reviewer,
            verdict=_translate(verdict, known),
        )
    )


def _translate(verdict: Verdict, known: Mapping[str, str]) -> Verdict:
    """Return a verdict of a row by the ids that the answers have in the comparison."""
    return verdict if verdict.choice is None else Verdict.of(known[verdict.choice])


def _match_answers(entry: _Entry, row: Row, given: Comparison) -> Mapping[str, str]:
    """Return the ids of a row's answers in the comparison, which keeps what its rows share.

    Raises `DataError` where the rows do not fit together.
    """
    first = entry.comparison
    pairs = _pair_answers(given.answers, first.answers)
    facts = [
        ("id", row.label("id") or first.id, first.id),
        ("category", given.question.category, first.question.category),
        ("subset", given.subset, first.subset),
        *(("author", one.author, other.author) for one, other in pairs),
    ]
    for what, here, there in facts:
        if here != there:
            msg = (
                f"{what} {here!r} is {there!r} on {entry.row.describe(row)}, which has the same question and "
                "answers; write the same in both"
            )
            raise row.error(msg)
    if row is not entry.row:
        entry.comparison = replace(first, meta=_share(first.meta, given.meta))
    return {one.id: other.id for one, other in pairs}


def _pair_answers(mine: Sequence[Answer], theirs: Sequence[Answer]) -> list[tuple[Answer, Answer]]:
    """Return each answer with the one of the same text, and of the same author where several have it."""
    left, pairs = list(theirs), list[tuple[Answer, Answer]]()
    for one in mine:
        alike = [other for other in left if other.text == one.text]
        pairs.append((one, next((each for each in alike if each.author == one.author), alike[0])))
        left.remove(pairs[-1][1])
    return pairs


def _share(one: Mapping[str, Scalar], other: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    return {key: value for key, value in one.items() if key in other and other[key] == value}


def _settle(entry: _Entry, rule: GoldRule) -> Comparison:
    """Return the comparison with the gold of its votes, if it has votes and no gold of its own."""
    if not entry.votes or entry.comparison.gold is not None:
        return entry.comparison
    pair = (entry.comparison.shown[0], entry.comparison.shown[1])
    votes = [score_vote(vote.verdict, pair) for _, vote in entry.votes.values()]
    return replace(entry.comparison, gold=settle_gold(votes, rule, pair))


def read_comparison(row: Row, codebook: Codebook) -> Comparison:
    """Return the comparison of a row, without its votes; raises `DataError` for a row that is none."""
    name = row.label("id") or f"{row.unit}-{row.line}"
    _require_columns(row)
    question = row.text("question")
    if not question.strip():
        msg = "'question' is empty; write the question that was asked"
        raise row.error(msg)
    answers = _answers(row)
    gold = read_verdict(row, "gold", answers, codebook)
    try:
        return Comparison(
            id=name,
            question=Question(
                id=f"q-{content_hash(question)[:12]}",
                text=question,
                category=row.label("category"),
            ),
            answers=answers,
            gold=gold,
            subset=row.label("subset"),
            meta=_meta(row),
        )
    except DataError as cause:
        raise row.error(str(cause)) from cause


def _require_columns(row: Row) -> None:
    """Raise `DataError` with guesses where the question or the answers have another name."""
    given = {key.partition("_")[0] for key in row.fields}
    wanted = [field for field in ("question", "gold") if field not in given]
    wanted += [] if given & {"answer", "answers"} else ["answer_a", "answer_b"]
    if wanted in ([], ["gold"]):
        return
    guesses = describe_guesses(wanted, row.fields.keys() - _SPELT)
    if guesses:
        missing = ", ".join(repr(field) for field in wanted if field != "gold")
        msg = f"no {missing} (found {sorted(row.fields)}){guesses}"
        raise ColumnsError(str(row.error(msg)))


def _answers(row: Row) -> tuple[Answer, ...]:
    listed = row.fields.get("answers")
    if listed is not None:
        return _listed_answers(row, listed)
    for keys in (_LETTERS, _NUMBERS):
        present = [key for key in keys if row.fields.get(f"answer_{key}") is not None]
        if present and "".join(present) == keys[: len(present)]:
            return tuple(
                Answer(id=key, text=row.text(f"answer_{key}"), author=row.label(f"author_{key}"))
                for key in present
            )
    msg = (
        "no answers; give 'answer_a' and 'answer_b', or 'answer_1' to 'answer_4' without a gap"
        f" (found {sorted(row.fields)})"
    )
    raise row.error(msg)


def _listed_answers(row: Row, listed: object) -> tuple[Answer, ...]:
    if not isinstance(listed, list) or not listed:
        msg = (
            "'answers' must be a list of texts or of objects with 'text'; a table has no lists, so give its "
            "columns answer_a, answer_b, ..."
        )
        raise row.error(msg)
    answers = cast("list[object]", listed)
    if len(answers) > MAX_ANSWERS:
        msg = f"{len(answers)} answers; a comparison has 1 to {MAX_ANSWERS}"
        raise row.error(msg)
    return tuple(
        _listed_answer(row, key, answer) for key, answer in zip(_LETTERS, answers, strict=False)
    )


def _listed_answer(row: Row, key: str, answer: object) -> Answer:
    if isinstance(answer, str):
        return Answer(id=key, text=answer)
    if not isinstance(answer, dict):
        msg = f"answer {key!r} must be a text or an object, not {answer!r:.60}"
        raise row.error(msg)
    part = row.enter(cast("dict[str, object]", answer))
    return Answer(id=part.label("id") or key, text=part.text("text"), author=part.label("author"))


def read_verdict(
    row: Row, key: str, answers: Sequence[Answer], codebook: Codebook, *words: Choice
) -> Verdict | None:
    """Return the verdict in a column, `None` where it is empty.

    It names an answer by its id, letter, number or author, or is `tie` or one of the other `words`.

    Raises:
        DataError: the value is none of these, or can be two of them.
    """
    ids = [answer.id for answer in answers]
    places: dict[str, Choice] = {}
    for keys in (_LETTERS, _NUMBERS):
        places |= {name: place for place, name in enumerate(keys[: len(ids)])}
    meanings: dict[str, Choice] = {**places, "tie": "tie"}
    for word in words:
        meanings[str(word)] = word
    meanings[""] = None
    names = name_places(ids, [answer.author for answer in answers])
    choice = codebook.read(row, key, meanings, names=names, from_one=True)
    if isinstance(choice, int):
        return Verdict.of(ids[choice])
    return None if choice is None else _NO_ANSWERS[choice]


def _meta(row: Row) -> Mapping[str, Scalar]:
    known = _SPELT.union(_REVIEW if all(key in row.fields for key in _REVIEW) else ())
    for key in row.fields:
        near = None if key in known else _find_misspelt(key)
        if near is not None and near not in row.fields:
            msg = f"column {key!r} looks like {near!r} misspelt; correct it, or choose another name"
            raise row.error(msg)
    for key, value in row.fields.items():
        if isinstance(value, int | float) and not abs(value) < _LARGEST:
            msg = f"{key!r} is no finite number below 2^63: {value!r:.60}"
            raise row.error(msg)
    return {
        key: _rating(value) if key.startswith(_GOLD_RATING) else value
        for key, value in row.fields.items()
        if key not in known and (value is None or isinstance(value, str | int | float | bool))
    }


@lru_cache  # once for a column, not once for a row
def _find_misspelt(column: str) -> str | None:
    """Return the column of ours that the name of another one resembles."""
    return next(iter(get_close_matches(column, _SPELT, n=1, cutoff=_MISSPELT)), None)


def _rating(value: Scalar) -> Scalar:
    """Return the number in a text, which is all that a CSV has; other text stays."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return number if isfinite(number) else value
