"""Pages of the viewer and of features: filled, escaped, and with marks for control characters."""

from __future__ import annotations

import json
import re
from functools import cache
from shlex import quote
from typing import TYPE_CHECKING, cast

from markupsafe import Markup, escape

from peerjudge.analysis.listing import Against, Flag, Moved, State
from peerjudge.reporting.formats import counted, minus_signs, name_event, tokens
from peerjudge.reporting.fragments import build_environment, mark_page
from peerjudge.shown import money
from peerjudge.web.markdown import write_text

if TYPE_CHECKING:
    from jinja2 import Environment

    from peerjudge.reporting.layout import Table

_OWN = "peerjudge.web"
_AGAINST = {
    Against.OPEN: "not concluded",
    Against.NO_GOLD: "no gold",
    Against.RIGHT: "is gold",
    Against.WRONG: "is not gold",
    Against.UNDECIDED: "undecided",
}
_VALUES = {
    ("gold", "right"): "is gold",
    ("gold", "wrong"): "is not gold",
    ("gold", "undecided"): "undecided",
    ("gold", "none"): "no gold known",
    ("move", "towards"): "towards gold",
    ("move", "away"): "away from gold",
    ("flag", "disagreed"): "disagreed to the end",
    ("flag", "unreadable"): "unreadable or refused",
    ("event", "altered_after_agreement"): "altered after agreement",
}
_MARKS = {"=": "a tie", "?": "unreadable", "!": "refused", "-": "no verdict"}
_SHORT = 1200
"""Characters of a text that a page shows at once; the rest opens on demand."""
_MILLION = 1_000_000
_PHONE = 42
"""About the number of letters in a row of a table on a phone."""
MOST_STACKED = 12
"""The most rows of a table that become lists on a phone."""
_CODE = re.compile(r"`([^`]+)`")
_NEGATIVE = re.compile(r"(?<![\w-])-(?=\d)")


def render_from(package: str, name: str, /, **values: object) -> str:
    """Return a page of a package with a folder `templates`, which can extend those of this room.

    All values are escaped.
    """
    return mark_page(_load_templates(package).get_template(f"{name}.html.j2").render(**values))


def name_value(facet: str, value: str) -> str:
    """Return the value of a filter in words."""
    return _VALUES.get((facet, value), value)


def name_mark(mark: str) -> str:
    """Return a mark of a verdict in words."""
    return f"answer {mark}" if mark.isdigit() else _MARKS.get(mark, "undecided")


def split_text(text: str) -> tuple[str, str]:
    """Return the part of a text that is shown at once, and the rest that opens on demand."""
    if len(text) <= _SHORT * 5 // 4:
        return text, ""
    cut = max(text.rfind(" ", 0, _SHORT), text.rfind("\n", 0, _SHORT))
    cut = cut if cut > _SHORT // 2 else _SHORT
    return text[:cut], text[cut:]


def format_cost(millionths: int | None) -> str:
    """Format a cost in millionths of a USD."""
    return money(None if millionths is None else millionths / _MILLION)


def format_seconds(milliseconds: float) -> str:
    """Format a time in milliseconds: `0.4 s`, `12 s`, `3 min`, `2.5 h`."""
    seconds = milliseconds / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def format_json(value: object) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def write_sentence(text: str) -> Markup:
    """Return a sentence of a result as HTML, with minus signs and with its code marked."""
    escaped = str(escape(_NEGATIVE.sub("\u2212", text)))
    return Markup(_CODE.sub(r"<code>\1</code>", escaped))  # noqa: S704  the text is escaped


def stacks_on_phones(table: Table) -> bool:
    """Return whether the rows of a table become lists on a phone, as its columns do not fit.

    A long table scrolls instead, beside its names: as lists it would be many screens.
    """
    return len(table.rows) <= MOST_STACKED and table.is_wider_than(_PHONE)


@cache
def _load_templates(package: str) -> Environment:
    from jinja2 import ChoiceLoader

    environment = build_environment(package)
    loaders = [build_environment(one).loader for one in dict.fromkeys((package, _OWN))]
    environment.loader = ChoiceLoader([one for one in loaders if one is not None])
    cast("dict[str, object]", environment.globals).update(
        against=_AGAINST,
        Against=Against,
        State=State,
        Flag=Flag,
        Moved=Moved,
        counted=counted,
        cost=format_cost,
        json_text=format_json,
        marked=write_text,
        minus_signs=minus_signs,
        most_stacked=MOST_STACKED,
        name_event=name_event,
        name_mark=name_mark,
        name_value=name_value,
        seconds=format_seconds,
        sentence=write_sentence,
        shell_quote=quote,
        split_text=split_text,
        stacks=stacks_on_phones,
        tokens_of=tokens,
    )
    return environment
