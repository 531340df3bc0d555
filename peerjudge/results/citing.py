"""Works to cite for a run or dataset: its data, the sources of its protocols, its search, and PeerJudge."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, cast

from peerjudge.datasets import load as load_dataset
from peerjudge.errors import ShelfError
from peerjudge.reporting.latex import escape_latex
from peerjudge.reporting.layout import Column, build_table
from peerjudge.results.base import Document, FramedResult, Shown
from peerjudge.results.columns import COLUMNS, Cells
from peerjudge.runs.manifest import MANIFEST, SEARCH
from peerjudge.runs.reading import Stored, locate_source, read_run
from peerjudge.runs.sources import is_run
from peerjudge.shelf import Shelf
from peerjudge.shelf.folders import read_text

__all__ = ["Citations", "Work", "cite"]

_SOURCE = re.compile(r"(?s)\bSource: (.*?)(?:\n\s*\n|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A work to cite, and why: `for_what` says what of the source rests on it.

    A work that is known by the docstring of a protocol only has a `title` with its words, and no `key`.
    """

    key: str
    type: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    arxiv: str = ""
    version: str = ""
    for_what: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The reference in words: authors, year, title, place."""
        names = [" ".join(reversed(name.split(", "))) for name in self.authors]
        last = f" and {names[-1]}" if len(names) > 1 else ""
        who = f"{', '.join(names[:-1])}{last}" if len(names) > 1 else "".join(names)
        head = f"{who} ({self.year}). " if self.year else f"{who}. " if who else ""
        arxiv = f"arXiv:{self.arxiv}" if self.arxiv else ""
        released = f"Version {self.version}" if self.version else ""
        rest = [part for part in (self.venue, arxiv, released) if part]
        return f"{head}{self.title.rstrip('.')}. {', '.join(rest)}{'.' if rest else ''}".strip()

    @property
    def bibtex(self) -> str:
        """The reference as an entry of a bibliography; empty for a work without a key."""
        if not self.key:
            return ""
        place = "booktitle" if self.type == "inproceedings" else "journal"
        journal = self.venue or (f"arXiv preprint arXiv:{self.arxiv}" if self.arxiv else "")
        fields = {
            "title": f"{{{escape_latex(self.title)}}}",
            "author": " and ".join(
                author if ", " in author else f"{{{author}}}" for author in self.authors
            ),
            "year": str(self.year or ""),
            place: escape_latex(journal),
            "eprint": self.arxiv,
            "archiveprefix": "arXiv" if self.arxiv else "",
            "version": self.version,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.type}{{{self.key},", *lines, "}"])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Citations(FramedResult):
    """Works to cite, PeerJudge first."""

    frame: ClassVar[str] = "cite"
    works: tuple[Work, ...]

    def document(self) -> Document:
        """Return the document of `peerjudge cite --json`."""
        names = ("key", "type", "title", "authors", "year", "venue", "arxiv", "version", "for_what")
        return {"works": [{name: getattr(work, name) for name in names} for work in self.works]}

    def parts(self) -> Shown:
        """Return a table of what rests on which work, and the works in words."""
        table = build_table(
            "Works to cite",
            self.works,
            ("For", lambda one: ", ".join(one.for_what)),
            Column("Work", "text"),
            names=2,
        )
        return [table]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each work."""
        for work in self.works:
            yield {
                **{name: getattr(work, name) for name in COLUMNS["cite"]},
                "authors": "; ".join(work.authors),
                "for_what": ", ".join(work.for_what),
            }

    def bibtex(self) -> str:
        """Return the works as a bibliography; those without an entry as comments."""
        entries = [
            work.bibtex or f"% {work.text} (for {', '.join(work.for_what)})" for work in self.works
        ]
        return "\n\n".join(entries) + "\n"


def cite(source: Stored, *, shelf: Shelf | None = None) -> Citations:
    """Return the works that a run, a search or a dataset rests on.

    Protocols name their sources in their docstrings (`Source: ...`); the data are known by name. The list
    is a beginning: which models you asked, and what your own prompts rest on, only you know.

    Args:
        source: Run, transcripts, folder of a search, or dataset `NAME:PATH`.
        shelf: The shelf with the protocols; by default that of the working directory.

    Raises:
        StoreError: There is no such run.
        DataError: There is no such dataset.

    Example:
        >>> [work.key for work in pj.cite("study").works]
        ['peerjudge', 'prd', 'prepair']
    """
    data, protocols, searches = _find_parts(source)
    shelf = shelf or Shelf()
    reasons: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for name, fields in _read_references().items():
        for given, found in (("data", data), ("searches", searches)):
            for one in sorted({*found} & {*cast("list[str]", fields.get(given, []))}):
                reasons.setdefault(name, []).append(f"{given.removesuffix('es')} {one}")
    for protocol in sorted(protocols):
        keys, words = find_sources(protocol, shelf)
        for key in keys:
            reasons.setdefault(key, []).append(f"protocol {protocol}")
        if words and not keys:
            others.setdefault(words, []).append(f"protocol {protocol}")
    software = Work(
        key="peerjudge",
        type="software",
        title="PeerJudge: peer-discussion experiments with language-model reviewers",
        authors=("The PeerJudge authors",),
        version=version("peerjudge"),
        for_what=("software",),
    )
    known = [
        Work(
            key=name,
            type=fields["type"],
            title=fields["title"],
            authors=tuple(fields["authors"]),
            year=fields["year"],
            venue=fields.get("venue", ""),
            arxiv=fields["arxiv"],
            for_what=tuple(reasons[name]),
        )
        for name, fields in _read_references().items()
        if name in reasons
    ]
    rest = [
        Work(key="", type="misc", title=words, for_what=tuple(why)) for words, why in others.items()
    ]
    return Citations(works=(software, *known, *rest))


def _find_parts(source: Stored) -> tuple[set[str], set[str], set[str]]:
    """Return the names of the data, the protocols and the methods of a search."""
    place = locate_source(source)
    searches: set[str] = set()
    file = Path(place) / SEARCH
    if file.is_file():
        search = cast("dict[str, Any]", json.loads(read_text(file)))
        searches.add(str(search.get("method", "")))
        if not (file.parent / MANIFEST).is_file():
            return {str(search.get("data", "")).partition(":")[0]}, set(), searches
    if not is_run(place):
        return {load_dataset(place, reviews=False).name}, set(), searches
    data, protocols = read_run(
        source,
        lambda opened: (
            str(opened.run.manifest.get("dataset") or ""),
            {head.protocol for head in opened.heads()[0]},
        ),
    )
    return {data}, protocols, searches


def find_sources(protocol: str, shelf: Shelf) -> tuple[list[str], str]:
    """Return the keys of the sources in the docstring of a protocol, and its words about them."""
    try:
        text = read_text(shelf.find("protocols", protocol).path)
        docstring = ast.get_docstring(ast.parse(text)) or ""
    except (ShelfError, SyntaxError):
        return [], ""
    folded = _fold(docstring)
    keys = [
        name
        for name, fields in _read_references().items()
        if _fold(str(fields["title"])) in folded or str(fields["arxiv"]) in docstring
    ]
    source = _SOURCE.search(docstring)
    return keys, " ".join(source[1].split()) if source else ""


def _fold(text: str) -> str:
    return re.sub(r"\W+", " ", text).lower()


@cache
def _read_references() -> Mapping[str, Mapping[str, Any]]:
    text = files("peerjudge.reporting").joinpath("references.toml").read_text("utf-8")
    return tomllib.loads(text)
