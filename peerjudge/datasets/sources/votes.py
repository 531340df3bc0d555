"""Votes of people in a table: one vote in each row, or one column for each person.

Rows have `question`, `answer_a`, `answer_b`, and optionally `author_a`, `author_b`, `id` of the
question, `category` and `subset`. Read from CSV (any delimiter), JSON Lines or one JSON list.

* Long: the columns `annotator` and `vote`.
* Wide: a column `vote.NAME` for each person NAME; `import --map vote.NAME=COLUMN` names columns of
  other files.

A vote is `a` or `b`, `1` or `2`, `left` or `right`, `A>B` or `B>A`, the author of the better answer, or
`tie`; an empty cell is no vote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from peerjudge.datasets.judgements import Choice, Judgement, Written, build_judged
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import Source

_WIDE = "vote."
_MEANINGS: dict[str, Choice] = {
    **dict.fromkeys(("a", "1", "left", "first", "a>b", "answer_a", "model_a", "response_a"), 0),
    **dict.fromkeys(("b", "2", "right", "second", "b>a", "answer_b", "model_b", "response_b"), 1),
    **dict.fromkeys(("tie", "equal", "same", "both", "neither", "a=b", "0"), "tie"),
}


def read_vote(row: Row, key: str, authors: Sequence[str]) -> Choice:
    """Return the vote in a cell, `None` for an empty one.

    Raises `DataError` for a text that is no vote.
    """
    said = row.label(key).strip()
    if not said:
        return None
    if said in authors and authors[0] != authors[1]:
        return authors.index(said)
    choice = _MEANINGS.get(said.lower())
    if choice is None:
        named = f", {', '.join(authors)}" if all(authors) else ""
        msg = f"{key!r} is a vote: a, b, 1, 2, left, right{named} or tie, not {said!r:.60}"
        raise row.error(msg)
    return choice


def _read_row(row: Row) -> Iterator[Judgement]:
    authors = (row.label("author_a"), row.label("author_b"))
    answers = (
        Written(text=row.label("answer_a"), author=authors[0]),
        Written(text=row.label("answer_b"), author=authors[1]),
    )
    if not all(answer.text or answer.author for answer in answers):
        msg = "a row of votes has answer_a and answer_b, or author_a and author_b; map other names"
        raise row.error(msg)
    columns = {key.removeprefix(_WIDE): key for key in row.fields if key.startswith(_WIDE)}
    if not columns and row.label("annotator"):
        columns = {row.label("annotator"): "vote"}
    given: dict[str, Choice] = {name: read_vote(row, key, authors) for name, key in columns.items()}
    none: dict[str, Choice] = {"": None}
    for name, choice in (given or none).items():
        yield Judgement(
            row=row,
            asked=row.label("id"),
            question=row.label("question"),
            answers=answers,
            choice=choice,
            judge=name,
            person=True,
            category=row.label("category"),
            subset=row.label("subset"),
        )


SOURCE = Source(
    description="votes of people, in one row each (annotator, vote) or one column each (vote.NAME)",
    read=partial(build_judged, read=_read_row, description="votes"),
    several=True,
    votes=True,
    keys=(frozenset(("question", "answer_a", "answer_b", "annotator", "vote")),),
)
