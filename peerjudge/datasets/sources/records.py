"""Records that `peerjudge import` wrote: a folder with comparisons, reviews and their origin."""

from __future__ import annotations

from peerjudge.datasets.records import read_records
from peerjudge.datasets.source import Source

SOURCE = Source(description="a folder that `peerjudge import` wrote", read=read_records, votes=True)
