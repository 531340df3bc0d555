"""Base class of results: one set of numbers as a JSON document, as tables and sentences, and as text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

from peerjudge.analysis import Ballots
from peerjudge.analysis.selecting import HUMAN
from peerjudge.reporting.layout import Table

Document: TypeAlias = dict[str, Any]
"""A JSON object of plain values."""

Shown: TypeAlias = Sequence[str | Table]
"""Sentences and tables in the order in which they are shown; an empty text is a blank line."""


class Result(ABC):
    """A result of the analysis."""

    @abstractmethod
    def document(self) -> Any:  # noqa: ANN401  the value of a JSON text
        """Return the result as the command prints it with `--json`; NaN and infinity are `None`."""

    @abstractmethod
    def parts(self) -> Shown:
        """Return what the command prints without `--json`."""


def list_names(names: str | Sequence[str] | None) -> list[str] | None:
    """Return names as a list; one name may stand alone, and `None` stays `None`."""
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def name_gold(ballots: Ballots, gold: str) -> str:
    """Return the name of gold: `gold` where the data name no people as its source."""
    return "gold" if gold == HUMAN and not ballots.humans else gold
