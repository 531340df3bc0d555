"""Finds datasets by name, loads them and downloads them: the sample, published ones, your own.

A dataset is one module in `peerjudge.datasets.sources`; its name is the dataset's name.
"""

from __future__ import annotations

from peerjudge.datasets.catalogue import Listing, names
from peerjudge.datasets.fetching import download
from peerjudge.datasets.gold import GoldRule
from peerjudge.datasets.loading import load

__all__ = ["GoldRule", "Listing", "download", "load", "names"]
