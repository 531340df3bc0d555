"""Votes of people in a table: one vote in each row, or one column for each person.

Rows have `question`, `answer_a`, `answer_b`, and optionally `author_a`, `author_b`, `id` of the
question, `category` and `subset`. Read from CSV (any delimiter), JSON Lines or one JSON list.

* Long: the columns `annotator` and `vote`.
* Wide: a column `vote.NAME` for each person NAME; `import --map vote.NAME=COLUMN` names columns of
  other files.

A vote is `a` or `b`, `1` or `2`, `left` or `right`, `A>B` or `B>A`, the author of the better answer, or
`tie`; an empty cell is no vote. A file with 0 or -1 does not say which answer each number means:
`--codes 0=a,1=b,2=tie` does.

Everyone is a person; where `--human` names some, the others are models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from peerjudge.data import Dataset
from peerjudge.datasets.codes import Choice, Codebook, name_places
from peerjudge.datasets.lines import Row
from peerjudge.datasets.names import clean_name
from peerjudge.datasets.source import JUDGED_OPTIONS, Request, Source
from peerjudge.features.exchange.judgements import Judgement, Written, build_judged

_WIDE = "vote."
_MEANINGS: dict[str, Choice] = {
    **dict.fromkeys(("a", "1", "left", "first", "a>b", "answer_a", "model_a", "response_a"), 0),
    **dict.fromkeys(("b", "2", "right", "second", "b>a", "answer_b", "model_b", "response_b"), 1),
    **dict.fromkeys(("tie", "equal", "same", "both", "neither", "a=b"), "tie"),
    "": None,
}


def read_vote(row: Row, key: str, authors: Sequence[str], codebook: Codebook) -> Choice:
    """Return the vote in a cell, `None` for an empty one.

    Raises `DataError` for a text that is no vote.
    """
    return codebook.read(row, key, _MEANINGS, names=name_places(authors))


def _read_row(humans: frozenset[str], row: Row, codebook: Codebook) -> Iterator[Judgement]:
    authors = (row.label("author_a"), row.label("author_b"))
    answers = (
        Written(text=row.cell("answer_a"), author=authors[0]),
        Written(text=row.cell("answer_b"), author=authors[1]),
    )
    if not all(answer.text or answer.author for answer in answers):
        msg = "a row of votes has answer_a and answer_b, or author_a and author_b; map other names"
        raise row.error(msg)
    columns = {
        clean_name(key.removeprefix(_WIDE)): key for key in row.fields if key.startswith(_WIDE)
    }
    if not columns and row.label("annotator"):
        columns = {row.label("annotator"): "vote"}
    codebook.offered += len(columns)
    given: dict[str, Choice] = {
        name: read_vote(row, key, authors, codebook) for name, key in columns.items()
    }
    none: dict[str, Choice] = {"": None}
    for name, choice in (given or none).items():
        yield Judgement(
            row=row,
            asked=row.label("id"),
            question=row.cell("question"),
            answers=answers,
            choice=choice,
            judge=name,
            person=not humans or name in humans,
            category=row.label("category"),
            subset=row.label("subset"),
        )


def _read(request: Request) -> Dataset:
    humans = frozenset(map(clean_name, request.options.humans))
    return build_judged(request, partial(_read_row, humans), description="votes")


SOURCE = Source(
    description="votes of people, in one row each (annotator, vote) or one column each (vote.NAME)",
    read=_read,
    options=JUDGED_OPTIONS,
    votes=True,
    keys=(frozenset(("question", "answer_a", "answer_b", "annotator", "vote")),),
)
