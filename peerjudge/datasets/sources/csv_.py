"""Your own comparisons in a table: a header line, then one comparison or vote per record, UTF-8.

    question,answer_a,answer_b,gold

The columns are those of `peerjudge.datasets.table`, without `answers`. A cell may span lines if it
is quoted. An empty cell is a missing value, except in the columns of the first and second
answer. Everything is text, other columns too. Cells may be separated by `,` `;` a tab or `|`.
"""

from __future__ import annotations

from peerjudge.datasets.source import Source
from peerjudge.datasets.table import OWN_OPTIONS, read_own

SOURCE = Source(
    description="your own CSV: question, answer_a, answer_b, gold, annotator, ...",
    read=read_own,
    votes=True,
    options=OWN_OPTIONS,
)
