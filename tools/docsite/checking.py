"""Checks of pages: links and anchors of the Markdown sources and of the built site, and foreign hosts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADS = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "object": ("data",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "form": ("action",),
}
"""Attributes whose address a browser loads without a click."""
_CODE = {"code", "pre", "script", "style"}
_STYLE_URL = re.compile(r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""")
_FOREIGN = re.compile(r"^(?:https?:)?//")
_NO_LOAD = {"canonical", "next", "prev", "alternate", "license"}
"""Relations of `link` elements that name an address and load nothing."""


class Page(HTMLParser):
    """Links, anchors and loaded addresses of one HTML page."""

    def __init__(self, text: str) -> None:
        """Read the page."""
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.fences: list[str] = []
        self._in_style = False
        self._codes = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the element names, links and loads."""
        values = {name: value for name, value in attrs if value}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self._in_style = tag == "style"
        self._codes += tag in _CODE
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.loads += _STYLE_URL.findall(values.get("style", ""))
        if tag == "link" and set(values.get("rel", "").split()) & _NO_LOAD:
            return
        for name in _LOADS.get(tag, ()):
            self.loads += [
                part.split()[0] for part in values.get(name, "").split(",") if part.strip()
            ]

    def handle_endtag(self, tag: str) -> None:
        """End a style sheet, or code."""
        if tag == "style":
            self._in_style = False
        self._codes -= tag in _CODE

    def handle_data(self, data: str) -> None:
        """Keep the addresses that a style sheet loads, and fences outside of code."""
        if self._in_style:
            self.loads += _STYLE_URL.findall(data)
        elif not self._codes and "```" in data:
            self.fences.append(data.strip().partition("\n")[0])


def check_site(site: Path) -> list[str]:
    """Return the faults of a built site: broken links and anchors, foreign hosts, blocks shown as text."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    faults = [f"{site}: no pages"] if not pages else []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        faults += [f"{name}: loads {one}" for one in page.loads if _FOREIGN.match(one)]
        faults += [f"{name}: block shown as text: {one}" for one in page.fences]
        if name != "404.html":  # Its links are relative to an address that is not known.
            links = [*page.links, *page.loads]
            faults += [f"{name}: {one}" for one in _check_links(path, links, site, pages)]
    for path in sorted(site.rglob("*.css")):
        found = _STYLE_URL.findall(path.read_text("utf-8"))
        faults += [f"{path.relative_to(site)}: loads {address}" for address in found]
    return faults


def _check_links(
    path: Path, links: Iterable[str], site: Path, pages: dict[Path, Page]
) -> Iterator[str]:
    for link in dict.fromkeys(links):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = path
        if parts.path:
            target = Path(os.path.normpath(path.parent / unquote(parts.path)))
        if target.is_dir():
            target /= "index.html"
        if not target.is_relative_to(site) or not target.is_file():
            yield f"broken link {link}"
        elif parts.fragment and target in pages and not _has(pages[target], parts.fragment):
            yield f"no anchor {link}"


def _has(page: Page, fragment: str) -> bool:
    return fragment in page.anchors or unquote(fragment) in page.anchors


_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1[ \t]*$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`+[^`\n]+`+")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)? *$", re.MULTILINE)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|//")
_TARGET = re.compile(r"\]\(([^()\s]+)\)")


def check_sources(root: Path, names: Iterable[str], *, generated: Iterable[str] = ()) -> list[str]:
    """Return the broken links of Markdown files, given relative to a folder.

    `generated` are paths of pages that exist on the site only.
    """
    texts = {name: (root / name).read_text("utf-8") for name in names}
    known = set(generated)
    faults: list[str] = []
    for name, text in texts.items():
        for link in _TARGET.findall(_INLINE.sub("", _FENCE.sub("", text))):
            path, _, anchor = link.partition("#")
            if _ABSOLUTE.match(link):
                continue
            target = os.path.normpath(Path(name).parent / unquote(path)) if path else name
            if target in known:
                continue
            if not (root / target).exists():
                faults.append(f"{name}: broken link {link}")
            elif anchor and target.endswith(".md"):
                heads = texts.get(target) or (root / target).read_text("utf-8")
                if anchor not in list_anchors(heads):
                    faults.append(f"{name}: no anchor {link}")
    return faults


def list_anchors(text: str) -> list[str]:
    """Return the anchors of the headings of a Markdown text, as GitHub and the site make them."""
    anchors: list[str] = []
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        repeated = anchors.count(anchor)
        anchors.append(f"{anchor}-{repeated}" if repeated else anchor)
    return anchors
