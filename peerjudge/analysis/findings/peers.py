"""Contestants and reviewers, weighed by what the reviewers said before they heard anybody."""

from __future__ import annotations

from collections.abc import Sequence

from peerjudge.analysis.findings.measures import Sampler
from peerjudge.analysis.findings.nouns import PeerFindings
from peerjudge.data import Battle

__all__ = ["peer_findings"]


def peer_findings(
    battles: Sequence[Battle], *, sampler: Sampler
) -> tuple[PeerFindings | None, str]:
    """The rankings under equal and under peer weights, or why there are none."""
    if not battles:
        return None, "No private review compared the answers of two named contestants."
    return None, "not yet"
