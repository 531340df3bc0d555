"""Figures as SVG, PNG and PDF, in the embedded font."""

from __future__ import annotations

import base64
import io
import re
import struct
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib import resources
from importlib.util import find_spec

__all__ = ["ENDINGS", "Render", "find_renderers"]

Render = Callable[[str], bytes]
"""From the text of an SVG document to the bytes of a file."""

ENDINGS = (".svg", ".png", ".pdf")
"""Endings of the files that a figure is saved as."""

_SCALE = 4.0
"""Pixels per unit: at the width of a column of text (8 cm) nearly 1000 to the inch."""
_FAMILY = "Arimo"
_WEIGHTS = {400: "Arimo-Regular.ttf", 600: "Arimo-SemiBold.ttf"}
_FAMILIES = re.compile(r"(font-family: )([^;]+;)")
_SOFTWARE = b"tEXtSoftware\0PeerJudge"
_AFTER_HEADER = 8 + 25
"""Bytes of the signature of a PNG and of its first chunk, the header."""
_END_OF_PDF = b"\n%PeerJudge\n"
_OTHER_SCRIPTS = re.compile(
    "[^\\x00-\u024f\u0370-\u045f\u1e00-\u1eff\u2000-\u209f\u20a0-\u22ff\u25a0-\u25ff\ufffd]"
)
"""A character outside the embedded subset (see `fonts/README.md`)."""


def find_renderers() -> tuple[Mapping[str, Render], str]:
    """Return a renderer by ending, and a message where packages of an extra are missing.

    SVG is always there; without fontTools it names fonts and embeds none. Text of the other forms is
    written in the embedded font, so a figure looks the same on every machine. The fonts of the machine
    are loaded only for a figure with characters that the embedded font lacks.
    """
    renderers: dict[str, Render] = {".svg": str.encode}
    missing: list[str] = []
    for ending, render, package, what in (
        (".svg", _embed_font, "fontTools", "fonts in SVG need `pip install 'peerjudge[figures]'`"),
        (".png", _render_png, "resvg_py", "PNG needs `pip install 'peerjudge[figures]'`"),
        (".pdf", _render_pdf, "svg2pdf_py", "PDF needs `pip install 'peerjudge[pdf]'`"),
    ):
        if find_spec(package):
            renderers[ending] = render
        else:
            missing.append(what)
    return renderers, "; ".join(missing)


def _render_png(drawn: str) -> bytes:
    import resvg_py

    with _open_fonts() as files:
        png = resvg_py.svg_to_bytes(
            svg_string=drawn,
            zoom=_SCALE,
            skip_system_fonts=not _OTHER_SCRIPTS.search(drawn),
            font_files=list(files.values()),
            sans_serif_family=_FAMILY,
        )
    # The text `Software: PeerJudge` lets later commands recognise the file.
    length = struct.pack(">I", len(_SOFTWARE) - len(b"tEXt"))
    signed = length + _SOFTWARE + struct.pack(">I", zlib.crc32(_SOFTWARE))
    return png[:_AFTER_HEADER] + signed + png[_AFTER_HEADER:]


def _render_pdf(drawn: str) -> bytes:
    import svg2pdf_py

    fonts = svg2pdf_py.FontDatabase()
    with _open_fonts() as files:
        for path in files.values():
            fonts.load_font_file(path)
        if _OTHER_SCRIPTS.search(drawn):
            fonts.load_system_fonts()
        # The library has no fallback for a generic family.
        return svg2pdf_py.svg_to_pdf(_prefer_family(drawn), fonts) + _END_OF_PDF


def _embed_font(drawn: str) -> bytes:
    """Return the document with the letters that it uses, as one font for each weight."""
    with _open_fonts() as files:
        faces = "".join(
            f'@font-face {{ font-family: "{_FAMILY}"; font-weight: {weight}; '
            f"src: url(data:font/woff;base64,{_subset(path, drawn)}) }}\n"
            for weight, path in files.items()
        )
    before, style, after = _prefer_family(drawn).partition("<style>")
    return (before + style + faces + after if style else drawn).encode()


def _prefer_family(drawn: str) -> str:
    return _FAMILIES.sub(rf"\1{_FAMILY}, \2", drawn, count=1)


def _subset(path: str, letters: str) -> str:
    """Return the glyphs of these letters as WOFF in base64, the same bytes each time."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    font = TTFont(path, recalcTimestamp=False)
    subsetter = Subsetter(Options(layout_features=["kern", "tnum", "mark", "mkmk", "ccmp", "locl"]))
    subsetter.populate(text=letters)  # pyright: ignore[reportUnknownMemberType]
    subsetter.subset(font)  # pyright: ignore[reportUnknownMemberType]
    font.flavor = "woff"
    subset = io.BytesIO()
    font.save(subset)
    return base64.b64encode(subset.getvalue()).decode()


@contextmanager
def _open_fonts() -> Generator[Mapping[int, str]]:
    """Yield the path of the embedded font of each weight."""
    folder = resources.files("peerjudge.reporting") / "fonts"
    with resources.as_file(folder) as fonts:
        yield {weight: str(fonts / name) for weight, name in _WEIGHTS.items()}
