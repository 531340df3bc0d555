"""Panels of judges against their best member."""

from peerjudge.registry import Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Panels of judges against their best member.",
    hooks={"panel of reviewers": {"panels": "results:add_panels"}},
)
