"""The rich console of all commands: texts are literal, and control characters in them are marked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from peerjudge.cli.output import LAYOUT, unmarked
from peerjudge.marks import mark_controls

__all__ = ["Terminal"]


class Terminal(Console):
    """Console that reads no markup and no emoji codes in texts, and marks their control characters.

    Args:
        file: Stream to write to.
        width: Width in columns, by default that of the terminal.
    """

    def __init__(self, file: TextIO, *, width: int | None = None) -> None:
        super().__init__(
            file=unmarked(file), width=width, highlight=False, markup=False, emoji=False
        )

    def render_str(self, text: str, **look: Any) -> Text:  # noqa: ANN401  rich's own options
        """Return a text as it is shown, with marks, so that its width is measured with them."""
        return super().render_str(mark_controls(text, keep=LAYOUT), **look)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield segments with marks; only the console itself moves the cursor."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield segment._replace(text=mark_controls(segment.text, keep=LAYOUT))
