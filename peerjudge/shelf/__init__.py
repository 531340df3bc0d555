"""Finds and loads what a study varies: reviewer cards, protocols, prompt packs and experiments."""

from peerjudge.shelf.folders import Entry, Kind, builtin_root
from peerjudge.shelf.shelf import OverlaidShelf, Shelf, validate

__all__ = ["Entry", "Kind", "OverlaidShelf", "Shelf", "builtin_root", "validate"]
