"""What a dataset module declares about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import Dataset
from peerjudge.datasets.gold import GoldRule

__all__ = ["Loader", "Request", "Source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is wanted of a dataset. `path` is where it lies; `reviews` says whether to read those.

    `gold` settles votes that disagree; `None` is the dataset's own rule.
    """

    path: Path
    reviews: bool = True
    gold: GoldRule | None = None


Loader = Callable[[Request], Dataset]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A dataset that can be loaded by the name of its module.

    `description` is one line. `read` turns a place on disk into a dataset. `place` is where the
    data lie if they ship with PeerJudge. `upstream` is the address below which the files listed in
    `registry/NAME.txt` are published. `votes` says that the gold comes from several people's votes,
    so that a `GoldRule` applies.
    """

    description: str
    read: Loader
    place: Path | None = None
    upstream: str = ""
    votes: bool = False
