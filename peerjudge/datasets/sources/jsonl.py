"""Your own comparisons in JSON Lines: one comparison or vote per line, UTF-8.

    {"question": "...", "answer_a": "...", "answer_b": "...", "gold": "a"}

The columns are those of `peerjudge.datasets.table`. A file that ends in `.gz` is gzip.
"""

from __future__ import annotations

from peerjudge.data import Dataset
from peerjudge.datasets.lines import read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.datasets.table import build_dataset


def _read(request: Request) -> Dataset:
    return build_dataset(read_rows(request.path), request)


SOURCE = Source(
    description="your own JSON Lines: question, answer_a, answer_b, gold, annotator, ...",
    read=_read,
    votes=True,
)
