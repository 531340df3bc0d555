"""Figures as PNG, drawn by resvg in the embedded font."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from importlib import resources

Render = Callable[[str], bytes]
"""From the text of an SVG document to the bytes of a PNG."""

_SCALE = 4.0
"""Pixels per unit: at the width of a column of text (8 cm) nearly 1000 to the inch."""
_FAMILY = "Arimo"
_SOFTWARE = b"tEXtSoftware\0PeerJudge"
_AFTER_HEADER = 8 + 25
"""Bytes of the signature of a PNG and of its first chunk, the header."""
_OTHER_SCRIPTS = re.compile(
    "[^\\x00-\u024f\u0370-\u045f\u1e00-\u1eff\u2000-\u209f\u20a0-\u22ff\u25a0-\u25ff\ufffd]"
)
"""A character outside the embedded subset (see `fonts/README.md`)."""
_NO_PACKAGE = (
    "The figures are saved as SVG only: PNG needs the package resvg-py; "
    "install it with `pip install 'peerjudge[figures]'`."
)


def find_png_renderer() -> tuple[Render | None, str]:
    """Return the PNG renderer, or `None` and a message where resvg-py is not installed.

    Text is written in the embedded font, so a figure looks the same on every machine. The fonts of
    the machine are loaded only for a figure with characters that the embedded font lacks.
    """
    try:
        import resvg_py
    except ImportError:
        return None, _NO_PACKAGE

    def render(drawn: str) -> bytes:
        with resources.as_file(
            resources.files("peerjudge.reporting") / "fonts" / "Arimo.ttf"
        ) as font:
            return _sign(
                resvg_py.svg_to_bytes(
                    svg_string=drawn,
                    zoom=_SCALE,
                    skip_system_fonts=not _OTHER_SCRIPTS.search(drawn),
                    font_files=[str(font)],
                    sans_serif_family=_FAMILY,
                )
            )

    return render, ""


def _sign(png: bytes) -> bytes:
    """Return the PNG with the text `Software: PeerJudge`, by which later commands recognise it."""
    length = struct.pack(">I", len(_SOFTWARE) - len(b"tEXt"))
    signed = length + _SOFTWARE + struct.pack(">I", zlib.crc32(_SOFTWARE))
    return png[:_AFTER_HEADER] + signed + png[_AFTER_HEADER:]
