"""Text, HTML and frames of objects whose rooms lie below the rooms that render them, and amounts of money.

Discussions and results hold no words for people: a class names the module that renders it, which is
imported when an object is first shown, so that a script that shows nothing does not load it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import floor, log10
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Displayed", "Framed", "Printer", "money", "print_pretty"]

_OF_PARTS = "peerjudge.reporting.fragments"
"""The module that renders what `list_parts` returns."""


def money(cost: float | None) -> str:
    """Format an amount in US dollars: `$12.50`, `$0.0042`, `$0.00`; `None` is `unknown`.

    An amount below one cent has two digits that are not zero.
    """
    if cost is None:
        return "unknown"
    decimals = 1 - floor(log10(cost)) if 0.0 < cost < 0.01 else 2
    return f"${cost:,.{decimals}f}"


class Printer(Protocol):
    """Part of IPython's pretty printer. `stack` has the objects that are being printed, outermost first."""

    stack: list[int]

    def text(self, obj: str) -> None:
        """Write a text."""


def print_pretty(
    shown: object, printer: Printer, describe: Callable[[], str] | None = None
) -> None:
    """Print an object for IPython: as text where it stands alone, as one line inside another object.

    `describe` returns the text where it is another one than that of `print`.
    """
    alone = len(printer.stack) <= 1
    printer.text((describe or shown.__str__)() if alone else repr(shown))


class Displayed:
    """Base of objects that print as text and show themselves in a notebook.

    Each is one line inside of other objects. All texts are escaped, and control characters marked.
    `renderer` names the module that renders the type.
    """

    __slots__ = ()

    renderer: ClassVar[str]

    def describe_briefly(self) -> str:
        """Return one line, as `repr` is."""
        raise NotImplementedError

    # IPython takes `__repr__` of a subclass before `_repr_pretty_` of its base.
    def __repr__(self) -> str:
        return self.describe_briefly()

    def __str__(self) -> str:
        return _render(self, "render_text")

    def _repr_html_(self) -> str:
        return _render(self, "render_html")

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:  # noqa: FBT001  called by IPython
        print_pretty(self, printer)


class Framed(Displayed):
    """Base of such objects with a frame."""

    __slots__ = ()

    @property
    def df(self) -> pd.DataFrame:
        """The rows as a frame; `peerjudge.results.columns.COLUMNS` describes its columns.

        Raises:
            DataError: pandas is not installed.
        """
        return _find(self).build_df(self)


def _find(shown: Displayed) -> Any:  # noqa: ANN401  a module
    return import_module(shown.renderer)


def _render(shown: Displayed, form: str) -> str:
    """Render the parts that the module of a type lists, or the object by the module's own function."""
    module = _find(shown)
    if hasattr(module, "list_parts"):
        return getattr(import_module(_OF_PARTS), form)(module.list_parts(shown))
    return getattr(module, form)(shown)
