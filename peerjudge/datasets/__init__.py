"""Datasets: the sample, published ones, tables and readers of the user's own.

A dataset is one module in `peerjudge.datasets.sources`, with the module's name, or one file of the
user's own with the same constant `SOURCE`.
"""

from __future__ import annotations

from peerjudge.data import GoldRule
from peerjudge.datasets.catalogue import list_datasets, load
from peerjudge.datasets.fetching import download
from peerjudge.datasets.lines import Row, read_items, read_lines, read_rows
from peerjudge.datasets.names import clean_name
from peerjudge.datasets.source import Options, Request, Source, settle_gold
from peerjudge.datasets.specs import add_to_spec
from peerjudge.datasets.table import build_dataset

__all__ = [
    "GoldRule",
    "Options",
    "Request",
    "Row",
    "Source",
    "add_to_spec",
    "build_dataset",
    "clean_name",
    "download",
    "list_datasets",
    "load",
    "read_items",
    "read_lines",
    "read_rows",
    "settle_gold",
]
