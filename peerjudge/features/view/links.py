"""Addresses of lists: filters, search, order and place, to and from the query of a URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from peerjudge.analysis.listing import Key
from peerjudge.store.browsing import FACETS, SORTS, UNITS, Filter, Sort

_LONGEST = 500
"""Characters of one value that are read."""
_LARGEST = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAddress:
    """Filter, order and place of a list; `back` says that the page ends before the place."""

    chosen: Filter
    sort: Sort = "number"
    after: Key | None = None
    back: bool = False

    def query(self, *, after: Key | None = None, back: bool = False) -> str:
        """Return the query of the URL of this list, beginning with `?`, at a place; empty for the default."""
        pairs = [(facet, self.chosen.get(facet)) for facet in FACETS]
        pairs.append(("q", self.chosen.words))
        pairs += [
            (f"{name}_min", f"{value / UNITS[name]:.10g}")
            for name, value in self.chosen.least.items()
        ]
        pairs.append(("sort", "" if self.sort == "number" else self.sort))
        pairs.append(("after", "" if after is None else "_".join(map(str, after))))
        pairs.append(("back", "1" if back else ""))
        text = urlencode([pair for pair in pairs if pair[1]])
        return f"?{text}" if text else ""

    @property
    def is_filtered(self) -> bool:
        """True if some discussions are filtered out."""
        return self.chosen != Filter()


def read_address(query: Mapping[str, str]) -> ListAddress:
    """Return the list that a query names; an unknown order, a bad place or bound is ignored."""
    given = {name: value[:_LONGEST] for name, value in query.items()}
    facets = {facet: given.get(facet, "") for facet in FACETS}
    sort = given.get("sort", "")
    least: dict[Sort, int] = {}
    for name, unit in UNITS.items():
        if (value := _read_bound(given.get(f"{name}_min", ""), unit)) is not None:
            least[name] = value
    return ListAddress(
        chosen=Filter(**facets, words=given.get("q", "").strip(), least=least),
        sort=sort if sort in SORTS else "number",
        after=_read_place(given.get("after", "")),
        back=given.get("back") == "1",
    )


def _read_bound(text: str, unit: float) -> int | None:
    try:
        value = float(text) * unit
    except ValueError:
        return None
    return round(value) if 0 < value < _LARGEST else None


def _read_place(text: str) -> Key | None:
    parts = text.split("_")
    try:
        value, number, condition = (int(part) for part in parts)
    except ValueError:
        return None
    if max(abs(value), abs(number), abs(condition)) > _LARGEST:
        return None
    return value, number, condition
