"""Comparisons and votes from the rows of a user's table (JSON Lines or CSV).

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
* `author_a`, `author_b`, ... (or `author_1`, ...): the contestants who wrote the answers.
* `id`: the comparison's name, unique in the file; the line number by default. Rows with the same
  `question` are comparisons of one question, and are resampled together.
* `category`, `subset`: groups for tables.
* `gold_ASPECT`: the gold rating of a lone answer on an aspect, kept in the comparison's `meta` as a number.

Any other column with text, a number or a boolean is kept in the comparison's `meta`; of votes on one
comparison, where all have the same value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from typing import cast

from peerjudge.data import (
    MAX_ANSWERS,
    TIE,
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
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import Request, score_vote, settle_gold
from peerjudge.errors import DataError

_LETTERS = "abcd"
_NUMBERS = "1234"
_GOLD_RATING = "gold_"
"""Beginning of a column with gold ratings of a lone answer, before the aspect."""
_MISSPELT = 0.8
"""Similarity to a known column name above which a name is a typing error (`golden`, `anser_a`)."""
_KNOWN = frozenset(("id", "question", "answers", "gold", "annotator", "category", "subset")) | {
    f"{column}_{key}" for column in ("answer", "author") for key in _LETTERS + _NUMBERS
}


@dataclass(slots=True)
class _Entry:
    """A comparison with the row that it is first in, and the votes on it by annotator."""

    row: Row
    comparison: Comparison
    votes: dict[str, tuple[Row, RecordedReview]] = field(
        default_factory=dict[str, tuple[Row, RecordedReview]]
    )


def build_dataset(
    rows: Iterable[Row], request: Request, *, name: str = "", description: str = ""
) -> Dataset:
    """Return the comparisons of these rows, in their order, and the votes on them.

    Without a name and a description, the dataset is named after its file.

    Raises:
        DataError: with file and line, for a row that breaks the rules above, repeats an id, or
            has the question and answers of another row, in any order, without being another
            person's vote. A rule for votes is given, and there are none.
    """
    entries = _collect(rows)
    humans = sorted({who for entry in entries for who in entry.votes})
    if request.gold and not humans:
        msg = (
            f"{request.path} has no column 'annotator', so each comparison has one gold verdict and "
            f"the gold rule {request.gold.value!r} does not apply"
        )
        raise DataError(msg)
    rule = request.gold or GoldRule.SIGN_OF_MEAN
    reviews = [review for entry in entries for _, review in entry.votes.values()]
    return Dataset(
        name=name or request.path.name,
        description=description or f"comparisons from {request.path.name}",
        comparisons=tuple(_settle(entry, rule) for entry in entries),
        reviews=tuple(reviews) if request.reviews else (),
        humans=tuple(humans),
        gold_rule=rule,
    )


def _collect(rows: Iterable[Row]) -> list[_Entry]:
    entries: dict[object, _Entry] = {}
    lines: dict[str, int] = {}
    for row in rows:
        comparison = read_comparison(row)
        annotator = row.label("annotator").strip()
        content = (comparison.question.text, *sorted(answer.text for answer in comparison.answers))
        entry = entries.get(content)
        if entry is not None and not annotator and _has_other_authors(entry, comparison):
            content = (content, *sorted(one.author for one in comparison.answers))
            entry = entries.get(content)
        if entry is None:
            if comparison.id in lines:
                msg = f"id {comparison.id!r} is also on line {lines[comparison.id]}; give each row its own"
                raise row.error(msg)
            lines[comparison.id] = row.line
            entry = entries[content] = _Entry(row, comparison)
        elif not (annotator and entry.row.label("annotator").strip()):
            msg = (
                f"the same question and answers are also on line {entry.row.line}; keep one of the two, "
                "or name the person who judged each row in a column 'annotator'"
            )
            raise row.error(msg)
        if annotator:
            _add_vote(entry, row, comparison, annotator)
    return list(entries.values())


def _has_other_authors(entry: _Entry, comparison: Comparison) -> bool:
    """Return whether no vote is in the entry, and the same words are by other contestants here."""
    authors = [
        sorted(answer.author for answer in each.answers) for each in (entry.comparison, comparison)
    ]
    return authors[0] != authors[1] and not entry.row.label("annotator").strip()


def _add_vote(entry: _Entry, row: Row, given: Comparison, annotator: str) -> None:
    """Add the vote of a row to its comparison, by the comparison's own ids of the answers."""
    if len(given.answers) != 2:
        msg = f"votes ('annotator') are on two answers, not on {len(given.answers)}"
        raise row.error(msg)
    known = _match_answers(entry, row, given)
    if row is not entry.row:
        entry.comparison = replace(entry.comparison, meta=_share(entry.comparison.meta, given.meta))
    if given.gold is None:
        return
    verdict = Verdict.of(known[given.gold.choice]) if given.gold.choice else given.gold
    if annotator in entry.votes:
        other, vote = entry.votes[annotator]
        msg = (
            f"{annotator!r} votes for {verdict} here and for {vote.verdict} on line {other.line}, "
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


def _match_answers(entry: _Entry, row: Row, given: Comparison) -> Mapping[str, str]:
    """Return the ids of a row's answers in the comparison; raise where the rows do not fit together."""
    first = entry.comparison
    mine, theirs = given.answers, first.answers
    if mine[0].text != theirs[0].text:
        theirs = theirs[::-1]
    facts = [
        ("id", row.label("id") or first.id, first.id),
        ("category", given.question.category, first.question.category),
        ("subset", given.subset, first.subset),
        *(("author", one.author, other.author) for one, other in zip(mine, theirs, strict=True)),
    ]
    for what, here, there in facts:
        if here != there:
            msg = (
                f"{what} {here!r} is {there!r} on line {entry.row.line}, which has the same question and "
                "answers; write the same in both"
            )
            raise row.error(msg)
    return {one.id: other.id for one, other in zip(mine, theirs, strict=True)}


def _share(one: Mapping[str, Scalar], other: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    return {key: value for key, value in one.items() if key in other and other[key] == value}


def _settle(entry: _Entry, rule: GoldRule) -> Comparison:
    """Return the comparison with the gold of its votes, if its rows are votes."""
    if not entry.row.label("annotator").strip():
        return entry.comparison
    pair = (entry.comparison.shown[0], entry.comparison.shown[1])
    votes = [score_vote(vote.verdict, pair) for _, vote in entry.votes.values()]
    return replace(entry.comparison, gold=settle_gold(votes, rule, pair))


def read_comparison(row: Row) -> Comparison:
    """Return the comparison of a row, without its votes; raises `DataError` for a row that is none."""
    name = row.label("id") or f"line-{row.line}"
    question = row.text("question")
    if not question.strip():
        msg = "'question' is empty; write the question that was asked"
        raise row.error(msg)
    answers = _answers(row)
    ids = tuple(answer.id for answer in answers)
    gold = _gold(row, ids)
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
        msg = "'answers' must be a list of texts or of objects with 'text'"
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


def _gold(row: Row, ids: tuple[str, ...]) -> Verdict | None:
    gold = row.label("gold").strip()
    if not gold or gold in ids:
        return Verdict.of(gold) if gold else None
    if gold.lower() == "tie":
        return TIE
    if found := read_answer_key(gold, ids):
        return found
    wanted = ", ".join((*ids, "tie"))
    msg = f"gold {gold!r} is none of {wanted}; leave it empty where it is not known"
    raise row.error(msg)


def read_answer_key(word: str, ids: Sequence[str]) -> Verdict | None:
    """Return the verdict for one of these ids, or for its letter or number; `None` for another word."""
    if word in ids:
        return Verdict.of(word)
    for keys in (_LETTERS, _NUMBERS):
        if word.lower() and word.lower() in keys[: len(ids)]:
            return Verdict.of(ids[keys.index(word.lower())])
    return None


def _meta(row: Row) -> Mapping[str, Scalar]:
    for key in row.fields:
        near = [] if key in _KNOWN else get_close_matches(key, _KNOWN, n=1, cutoff=_MISSPELT)
        if near and near[0] not in row.fields:
            msg = f"column {key!r} looks like {near[0]!r} misspelt; correct it, or choose another name"
            raise row.error(msg)
    return {
        key: _rating(value) if key.startswith(_GOLD_RATING) else value
        for key, value in row.fields.items()
        if key not in _KNOWN and (value is None or isinstance(value, str | int | float | bool))
    }


def _rating(value: Scalar) -> Scalar:
    """Return the number in a text, which is all that a CSV has; other text stays."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return number if isfinite(number) else value
