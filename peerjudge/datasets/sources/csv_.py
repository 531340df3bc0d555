"""Your own comparisons in CSV: a header line, then one comparison or vote per record, UTF-8.

    question,answer_a,answer_b,gold

The columns are those of `peerjudge.datasets.table`, without `answers`. A cell may span lines if it
is quoted. An empty cell is a missing value, except in the columns of the first and second
answer. Everything is text, other columns too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from peerjudge.data import Dataset
from peerjudge.datasets.formats import read_cells
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import Request, Source
from peerjudge.datasets.table import build_dataset

# Without an empty second answer, the comparison would become a rating of the first.
_MAY_BE_EMPTY = frozenset(("answer_a", "answer_b", "answer_1", "answer_2"))


def _read(request: Request) -> Dataset:
    return build_dataset(_read_records(request.path), request)


def _read_records(path: Path) -> Iterator[Row]:
    for row in read_cells(path, may_be_empty=_MAY_BE_EMPTY):
        if "answers" in row.fields:
            msg = "a list of answers needs JSON Lines; use answer_a, answer_b, ..."
            raise Row(path, 1, row.fields).error(msg)
        yield row


SOURCE = Source(
    description="your own CSV: question, answer_a, answer_b, gold, annotator, ...",
    read=_read,
    votes=True,
)
