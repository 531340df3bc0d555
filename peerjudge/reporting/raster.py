"""Figures as PNG: drawn by resvg, where it is installed and finds a font to write with."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Render", "png_renderer", "resvg"]

Render = Callable[[str], bytes]
"""From the text of an SVG document to the bytes of a PNG."""

_SCALE = 4.0
"""Pixels per unit: at the width of a column of text (8 cm) nearly 1000 to the inch."""
_NO_PACKAGE = (
    "the figures are saved as SVG only: PNG needs the package resvg-py, "
    "`pip install 'peerjudge[figures]'` brings it"
)
_NO_FONT = (
    "the figures are saved as SVG only: this machine has no font to write with, so PNGs would "
    "have no words; install one (Debian: fonts-liberation) or turn the SVGs into PNGs elsewhere"
)


def png_renderer(render: Render | None = None) -> tuple[Render | None, str]:
    """What draws PNGs here (by default `resvg()`), or `None` and the sentence that says why nothing."""
    render = render or resvg()
    if render is None:
        return None, _NO_PACKAGE
    # Without fonts resvg leaves all text out and says nothing.
    return (render, "") if render(_probe("Ag")) != render(_probe("")) else (None, _NO_FONT)


def resvg(*, system_fonts: bool = True) -> Render | None:
    """The renderer of the package resvg-py; `None` where it is not installed."""
    try:
        import resvg_py
    except ImportError:
        return None

    def render(drawn: str) -> bytes:
        return resvg_py.svg_to_bytes(
            svg_string=drawn, zoom=_SCALE, skip_system_fonts=not system_fonts
        )

    return render


def _probe(word: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20">'
        f'<text y="15" font-family="Helvetica, Arial, sans-serif">{word}</text></svg>'
    )
