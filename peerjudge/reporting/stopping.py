"""Sentences about the early stop of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.reporting.formats import isolated, minus_signs, points

if TYPE_CHECKING:
    from peerjudge.analysis.stopping import Decision

_FOUND = {
    "better": "is above 0",
    "worse": "is below 0",
    "equivalent": "is equivalent to 0 within the margin",
    "precise": "is known precisely enough",
    "undecided": "is not decided",
}


_FIXED = "Tests and intervals of the table are for a number of questions fixed in advance."


def note_decision(decision: Decision | None, *, isolate: bool = True) -> list[str]:
    """Return a note below a table of contrasts whose intervals do not allow for the looks, if any."""
    if decision is None:
        return []
    return [f"{describe_decision(decision, isolate=isolate)} {_FIXED}"]


def describe_decision(decision: Decision, *, isolate: bool = True) -> str:
    """Return the last look of a run with a stopping rule, with the interval that is valid there.

    Args:
        decision: the last look.
        isolate: set the name of the contrast apart for a page, where it may have another direction.
    """
    contrast = isolated(decision.contrast) if isolate else decision.contrast
    at = (
        f"look {decision.look}, after {decision.questions:,} of {decision.available:,} questions in "
        "random order"
    )
    verb = "Not stopped at" if decision.stop_reason is None else "Stopped at"
    known = minus_signs(points(decision.anytime))
    said = (
        f"{verb} {at}, by the rule \u201c{decision.rule}\u201d: the contrast "
        f"\u201c{contrast}\u201d {_FOUND[decision.outcome]}, {known} points "
        f"({decision.anytime.level:.0%} at all looks together)."
    )
    if decision.outcome == "precise":
        said += (
            f" The interval of the rule, {minus_signs(points(decision.usual))}, is for a number of "
            "questions fixed in advance."
        )
    if decision.continued:
        said += " The run was continued after this look without the rule."
    return said
