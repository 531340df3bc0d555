"""Pages of the site: those of `docs/`, pages from elsewhere in the repository, and the links between them.

Tutorials are notebooks; their pages show them as text, code and outputs.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from tools.docsite.tutorials import TUTORIALS, read_cells, render_page

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""
DOCS = "docs"
BORROWED: Mapping[str, str] = {
    "CHANGELOG.md": "changelog.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    "studies/README.md": "evidence.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Pages of the repository by their name on the site, where it differs from that under `docs/`."""

_LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)")
_CODE = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$|`+[^`\n]+`+", re.MULTILINE | re.DOTALL)
_FENCE_WORD = re.compile(r"^(`{3,}\w+) \w+$", re.MULTILINE)
"""Words for tests after the language of a block, which the generator would not take for a block."""
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|//")


def stage_pages(
    to: Path, *, root: Path = ROOT, outputs: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Copy all pages and their pictures into an empty folder; return the names of the pages.

    Links between pages follow them. A link to a file that is no page of the site becomes plain text.
    `outputs` are those of the code cells of tutorials, by the name of their files.
    """
    pages = {path: name_page(path) for path in list_sources(root)}
    shutil.copytree(root / DOCS, to, ignore=shutil.ignore_patterns("*.md"), dirs_exist_ok=True)
    for source, page in pages.items():
        target = to / page
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (root / source).read_text("utf-8")
        if source.endswith(".py"):
            name = Path(source).name
            text = render_page(read_cells(text), name=name, outputs=(outputs or {}).get(name, ()))
        text = _FENCE_WORD.sub(r"\1", text)
        target.write_text(move_links(text, source=source, page=page, root=root), "utf-8")
    return sorted(pages.values())


def list_sources(root: Path = ROOT) -> list[str]:
    """Return the Markdown files and notebooks that become pages, relative to the repository."""
    files = [*(root / DOCS).rglob("*.md"), *(root / TUTORIALS).glob("*.py")]
    return sorted({*(path.relative_to(root).as_posix() for path in files), *BORROWED})


def name_page(source: str) -> str:
    """Return the name on the site of a file of the repository."""
    page = BORROWED.get(source) or source.removeprefix(f"{DOCS}/")
    return page.removesuffix(".py") + ".md" if source.startswith(TUTORIALS) else page


def move_links(text: str, *, source: str, page: str, root: Path = ROOT) -> str:
    """Return the text with links that are right on the site; code is left as it is."""

    def move(found: re.Match[str]) -> str:
        target, _, anchor = found["target"].partition("#")
        if not target or _ABSOLUTE.match(target):
            return found[0]
        path = os.path.normpath(PurePosixPath(source).parent / target)
        if (root / path).is_dir() and (root / path / "README.md").is_file():
            path = f"{path}/README.md"
        if (root / path).exists() and not _is_published(path, root):
            return found["text"]
        place = os.path.relpath(name_page(path), PurePosixPath(page).parent)
        return f"[{found['text']}]({place}{'#' + anchor if anchor else ''})"

    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(text):
        # A link may have code as its text, so that only whole blocks divide the text.
        if not code["fence"]:
            continue
        parts += [_LINK.sub(move, text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, _LINK.sub(move, text[end:])])


def _is_published(path: str, root: Path) -> bool:
    if path in BORROWED:
        return True
    return path.startswith(f"{DOCS}/") and (root / path).is_file()
