"""Comparisons from the rows of a user's table (JSON Lines or CSV).

The columns:

* `question`: the text of the question. Required.
* The answers, 1 to 4: `answer_a`, `answer_b`, ... or `answer_1`, `answer_2`, ...; in JSON Lines
  also `answers`, a list of texts or of objects with `text` and optionally `id` and `author`.
* `gold`: the id of the better answer, or `tie`; absent or empty where it is unknown. The ids are
  those in `answers`, else those in the column names. In either case `a` or `1` also means the first
  answer, `b` or `2` the second, and so on, in upper case too; numbers start at 1.
* `author_a`, `author_b`, ... (or `author_1`, ...): the contestants who wrote the answers.
* `id`: the comparison's name, unique in the file; the line number by default. Rows with the same
  `question` are comparisons of one question, and are resampled together.
* `category`, `subset`: groups for tables.

Any other column with text, a number or a boolean is kept in the comparison's `meta`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import cast

from peerjudge.data import (
    MAX_ANSWERS,
    TIE,
    Answer,
    Comparison,
    Question,
    Scalar,
    Verdict,
    content_hash,
)
from peerjudge.datasets.lines import Row
from peerjudge.errors import DataError

_LETTERS = "abcd"
_NUMBERS = "1234"
_MISSPELT = 0.8
"""Similarity to a known column name above which a name is a typing error (`golden`, `anser_a`)."""
_KNOWN = frozenset(("id", "question", "answers", "gold", "category", "subset")) | {
    f"{column}_{key}" for column in ("answer", "author") for key in _LETTERS + _NUMBERS
}


def build_comparisons(rows: Iterable[Row]) -> tuple[Comparison, ...]:
    """Return the comparisons of these rows, in their order.

    Raises:
        DataError: with file and line, for a row that breaks the rules above, repeats an id, or
            has the question and answers of another row, in any order.
    """
    lines: dict[object, int] = {}
    comparisons: list[Comparison] = []
    for row in rows:
        comparison = _comparison(row)
        content = (comparison.question.text, *sorted(one.text for one in comparison.answers))
        for key, what in (
            (comparison.id, f"id {comparison.id!r} is also on line {{}}; give each row its own"),
            (content, "the same question and answers are also on line {}; keep one of the two"),
        ):
            if key in lines:
                raise row.error(what.format(lines[key]))
            lines[key] = row.line
        comparisons.append(comparison)
    return tuple(comparisons)


def _comparison(row: Row) -> Comparison:
    name = _label(row, "id") or f"line-{row.line}"
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
                category=_label(row, "category"),
            ),
            answers=answers,
            gold=gold,
            subset=_label(row, "subset"),
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
                Answer(id=key, text=row.text(f"answer_{key}"), author=_label(row, f"author_{key}"))
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
    part = Row(row.path, row.line, cast("dict[str, object]", answer))
    return Answer(
        id=_label(part, "id") or key, text=part.text("text"), author=_label(part, "author")
    )


def _gold(row: Row, ids: tuple[str, ...]) -> Verdict | None:
    gold = _label(row, "gold").strip()
    if not gold or gold in ids:
        return Verdict.of(gold) if gold else None
    word = gold.lower()
    if word == "tie":
        return TIE
    for keys in (_LETTERS, _NUMBERS):
        if word in keys[: len(ids)]:
            return Verdict.of(ids[keys.index(word)])
    wanted = ", ".join((*ids, "tie"))
    msg = f"gold {gold!r} is none of {wanted}; leave it empty where it is not known"
    raise row.error(msg)


def _label(row: Row, key: str) -> str:
    # Ids and categories are often numbers in JSON; their text is used.
    value = row.fields.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        msg = f"{key!r} must be a text or a whole number, not {value!r:.60}"
        raise row.error(msg)
    return str(value)


def _meta(row: Row) -> Mapping[str, Scalar]:
    for key in row.fields:
        near = [] if key in _KNOWN else get_close_matches(key, _KNOWN, n=1, cutoff=_MISSPELT)
        if near and near[0] not in row.fields:
            msg = f"column {key!r} looks like {near[0]!r} misspelt; correct it, or choose another name"
            raise row.error(msg)
    return {
        key: value
        for key, value in row.fields.items()
        if key not in _KNOWN and (value is None or isinstance(value, str | int | float | bool))
    }
