"""Finds datasets by name and loads them: the built-in sample, published ones, the user's own.

A dataset is one module in `peerjudge.datasets.sources`; its name is the dataset's name.
"""

from __future__ import annotations

from peerjudge.datasets.catalogue import Listing, load, names
from peerjudge.datasets.gold import GoldRule

__all__ = ["GoldRule", "Listing", "load", "names"]
