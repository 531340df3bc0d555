"""Your own comparisons in JSON Lines or one JSON list: one comparison or vote per object, UTF-8.

    {"question": "...", "answer_a": "...", "answer_b": "...", "gold": "a"}

The columns are those of `peerjudge.datasets.table`. A file that ends in `.gz` is gzip.
"""

from __future__ import annotations

from peerjudge.datasets.source import Source
from peerjudge.datasets.table import OWN_OPTIONS, read_own

SOURCE = Source(
    description="your own JSON Lines: question, answer_a, answer_b, gold, annotator, ...",
    read=read_own,
    votes=True,
    options=OWN_OPTIONS,
)
