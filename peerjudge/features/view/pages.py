"""Templates of the viewer, with the filters and orders of its lists."""

from __future__ import annotations

from peerjudge.features.view.discussion import TURNS_PER_PAGE
from peerjudge.store.browsing import FACETS, SORTS
from peerjudge.web.pages import render_from

__all__ = ["render"]

_PACKAGE = "peerjudge.features.view"
_FACETS = {
    "condition": "Condition",
    "reviewer": "Reviewer",
    "gold": "Conclusion",
    "event": "Event",
    "move": "Move",
    "flag": "Mark",
    "state": "State",
    "subset": "Subset",
}
_SORTS = {
    "number": "as played",
    "turns": "most turns",
    "tokens": "most tokens",
    "latency": "longest",
    "cost": "most expensive",
}


def render(name: str, **values: object) -> str:
    """Return a page; all values are escaped."""
    return render_from(
        _PACKAGE,
        name,
        facets=[(facet, _FACETS[facet]) for facet in FACETS],
        sorts=[(sort, _SORTS[sort]) for sort in SORTS],
        turns_per_page=TURNS_PER_PAGE,
        **values,
    )
