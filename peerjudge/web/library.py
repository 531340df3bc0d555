"""Runs that a viewer shows: their stores, open for reading, and an index of each that follows it."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from peerjudge.analysis.pricing import Prices
from peerjudge.errors import PeerJudgeError, StoreError
from peerjudge.logs import get_logger
from peerjudge.places import find_cache
from peerjudge.registry import offers
from peerjudge.runs.manifest import MANIFEST, ManifestRun, read_prices
from peerjudge.runs.sources import hide_password, open_run
from peerjudge.runs.transcript_files import is_bundle, is_transcript_file
from peerjudge.store.archive import RunRecord
from peerjudge.store.browsing import IndexReader
from peerjudge.store.database import STORE_FILE, locate
from peerjudge.store.index import IndexWriter
from peerjudge.store.numbered import Mark, NumberedArchive

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

KEY_LENGTH = 12
"""Characters of the id of a run in an address."""

_LOOKED = 6.0
"""Time after a request in which the index of a store follows it. [s]"""
_PAUSE = 0.4
"""Time between two looks at a store. [s]"""

_log = get_logger()


class Follower(threading.Thread):
    """Thread that fills the index of one store, and keeps it up to date while a page is open.

    Args:
        place: The store.
        folder: The folder of indexes.
    """

    def __init__(self, place: str | Path, folder: Path) -> None:
        super().__init__(name="index", daemon=True)
        self._place = place
        self._folder = folder
        self._ended = threading.Event()
        self._wake = threading.Event()
        self._ready = threading.Event()
        self._looked = 0.0
        self.reader: IndexReader | None = None
        self.whole = threading.Event()
        """Set once the index has had every discussion of the store."""
        self.error = ""

    def look(self) -> None:
        """Note that a page of the store was asked for."""
        self._looked = time.monotonic()
        self._wake.set()

    def stop(self) -> None:
        """End the thread after its current batch."""
        self._ended.set()
        self._wake.set()

    def wait_for_rows(self, timeout: float) -> bool:
        """Wait until the first discussions are in the index, or all of them; return whether they are."""
        return self._ready.wait(timeout)

    def run(self) -> None:
        """Fill and follow until `stop`."""
        try:
            asyncio.run(self._follow())
        except (PeerJudgeError, OSError) as cause:
            self.error = str(cause)
            _log.warning("the index of a store stopped", cause=str(cause))
        finally:
            self._ready.set()

    async def _follow(self) -> None:
        location = locate(self._place)
        file = location.file
        name = location.name if file is None else str(file.resolve())
        writer = IndexWriter.open(self._folder, name)
        try:
            self.reader = IndexReader(writer.file)
            async with NumberedArchive.open(self._place) as store:
                await self._work(writer, store)
        finally:
            writer.close()

    async def _work(self, writer: IndexWriter, store: NumberedArchive) -> None:
        seen: Mark | None = None
        prices = await _read_prices(store)
        while not self._ended.is_set():
            mark = store.mark()
            if mark is None or mark != seen:
                prices = {**prices, **await _read_prices(store)}
                while not self._ended.is_set() and await writer.refresh(store, prices):
                    self._ready.set()
                seen = mark
            self.whole.set()
            self._ready.set()
            idle = time.monotonic() - self._looked > _LOOKED
            self._wake.clear()
            if self._ended.is_set():
                return
            if idle:
                await asyncio.to_thread(self._wake.wait, 5.0)
            else:
                await asyncio.sleep(_PAUSE)


async def _read_prices(store: NumberedArchive) -> dict[str, Prices]:
    return {run.id: read_prices(run.manifest) for run in await store.runs()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownRun(ManifestRun):
    """A run in the library. `folder` is `None` in a database.

    `source` names the run on pages; `address` names it for commands, with the password of a database.
    """

    key: str
    created: str
    source: str
    address: str
    folder: Path | None
    store: NumberedArchive
    follower: Follower

    @property
    def question(self) -> str:
        """The question that the experiment asks, empty where it has none."""
        return str(self.declared.get("question") or "")

    @property
    def reader(self) -> IndexReader:
        """The index of the store; raises `StoreError` where it could not be made."""
        self.follower.look()
        if self.follower.reader is None or self.follower.error:
            msg = f"the index of {self.source} could not be made: {self.follower.error or 'not ready'}"
            raise StoreError(msg)
        return self.follower.reader


Page: TypeAlias = "Callable[[Request], Awaitable[Response]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownKind:
    """Folders of a kind, such as studies of annotators, with their pages below `/NAME` of the offer.

    Attributes:
        noun: Name of one, and of several.
        link: Words of the link from the list of runs.
        find: Returns the folders of this kind at a place: the place itself, or those in it.
        list_pages: Returns the pages of a library by address; `/NAME` lists all.
    """

    noun: tuple[str, str]
    link: str
    find: Callable[[Path], Sequence[Path]]
    list_pages: Callable[[Library], Mapping[str, Page]]


class Library:
    """Open runs, and folders of other kinds by the name of the kind, by the keys of their addresses."""

    def __init__(
        self, runs: Sequence[ShownRun], others: Mapping[str, Sequence[Path]] | None = None
    ) -> None:
        self.runs: Mapping[str, ShownRun] = {run.key: run for run in runs}
        self.others: Mapping[str, Mapping[str, Path]] = {
            name: _name_folders((others or {}).get(name, ()), noun=kind.noun[0])
            for name, kind in list_kinds().items()
        }

    def find(self, key: str) -> ShownRun | None:
        """Return the run with this key."""
        return self.runs.get(key)


def list_kinds() -> dict[str, ShownKind]:
    """Return the kinds that features offer, by name."""
    return offers("viewer")


@asynccontextmanager
async def open_library(
    sources: Sequence[str], *, cache: Path | None = None
) -> AsyncGenerator[Library]:
    """Open runs for reading, and begin to index their stores.

    Args:
        sources: Run folders, folders of studies, folders of these, `.db` files, store URLs (`URL#RUN` for
            one run), transcript files and bundles.
        cache: The folder of indexes; by default `view` in the cache of PeerJudge.

    Raises:
        StoreError: A source is no run, or cannot be read.
        DataError: A transcript file or bundle cannot be read.
    """
    folder = cache or find_cache("view")
    async with AsyncExitStack() as stack:
        runs: list[ShownRun] = []
        followers: dict[str, Follower] = {}

        others = _list_folders(sources)
        for source in _list_sources(sources, others):
            kept, store, found, wanted = await _open_store(source, stack)
            if str(kept) not in followers:
                followers[str(kept)] = Follower(kept, folder)
            place, alone = source.partition("#")[0], len(found) == 1 and not wanted
            for run in found:
                key = _choose_key(run.id, {one.key for one in runs})
                runs.append(_show(run, key, place, store, followers[str(kept)], alone=alone))
        for follower in followers.values():
            follower.start()
        stack.callback(_stop, followers)
        yield Library(runs, others)


def _list_sources(sources: Sequence[str], others: Mapping[str, Sequence[Path]]) -> list[str]:
    """Return the runs of the sources that are no folders of another kind."""
    shown = [one for folders in others.values() for one in folders]
    left = [one for one in sources if Path(one) not in shown]
    return [one for given in left for one in _find_runs(given, alone=not shown)]


async def _open_store(
    source: str, stack: AsyncExitStack
) -> tuple[str | Path, NumberedArchive, tuple[RunRecord, ...], str]:
    """Return the place of a store, the store, its runs that the source names, and how it names them."""
    kept, _, wanted = source.partition("#")
    place: str | Path = kept
    if is_transcript_file(source) or is_bundle(source):
        place, wanted = (await stack.enter_async_context(open_run(source))).place, ""
    store = await stack.enter_async_context(NumberedArchive.open(place))
    found = tuple(run for run in await store.runs() if run.id.startswith(wanted))
    if not found:
        msg = f"no run in {hide_password(kept)} matches {wanted!r}"
        raise StoreError(msg)
    return place, store, found, wanted


def _stop(followers: Mapping[str, Follower]) -> None:
    for follower in followers.values():
        follower.stop()
    for follower in followers.values():
        follower.join(2.0)


def _choose_key(run: str, taken: Container[str]) -> str:
    """Return the key of a run; the same experiment run in another folder has the same id."""
    key, number = run[:KEY_LENGTH], 1
    while key in taken:
        number += 1
        key = f"{run[:KEY_LENGTH]}-{number}"
    return key


def _show(
    run: RunRecord, key: str, place: str, store: NumberedArchive, follower: Follower, *, alone: bool
) -> ShownRun:
    folder = Path(place) if "://" not in place and (Path(place) / MANIFEST).exists() else None
    mark = "" if alone else f"#{run.id[:8]}"
    return ShownRun(
        key=key,
        id=run.id,
        created=run.created,
        manifest=run.manifest,
        source=(hide_password(place) if "://" in place else place) + mark,
        address=place + mark,
        folder=folder,
        store=store,
        follower=follower,
    )


def _find_folders(source: str) -> dict[str, list[Path]]:
    """Return the folders of each kind at a source; a URL has none."""
    place = Path(source)
    if "://" in source or not place.is_dir():
        return {}
    return {name: [*kind.find(place)] for name, kind in list_kinds().items()}


def _name_folders(folders: Sequence[Path], *, noun: str) -> dict[str, Path]:
    """Return folders by key: the name of the folder, and a number where it is taken."""
    named: dict[str, Path] = {}
    for folder in folders:
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", folder.resolve().name) or noun
        number = sum(1 for key in named if key == name or key.startswith(f"{name}-"))
        named[f"{name}-{number + 1}" if number else name] = folder
    return named


def _list_folders(sources: Sequence[str]) -> dict[str, list[Path]]:
    """Return the folders of each kind at all sources."""
    found: dict[str, list[Path]] = {}
    for given in sources:
        for name, folders in _find_folders(given).items():
            found.setdefault(name, []).extend(folders)
    return found


def _find_runs(source: str, *, alone: bool = True) -> list[str]:
    """Return the run folders in a folder; any other source as it is.

    Raises `StoreError` for a folder without runs, if runs `alone` are to be shown.
    """
    place = source.partition("#")[0]
    if "://" in place or not Path(place).is_dir():
        if "://" not in place and not Path(place).exists():
            msg = f"there is no run folder {place}; `peerjudge run` prints the folder it writes"
            raise StoreError(msg)
        return [source]
    folder = Path(place)
    if (folder / STORE_FILE).exists():
        return [source]
    found = sorted(one.parent for one in folder.glob(f"*/{STORE_FILE}"))
    if not found and alone:
        msg = f"{folder} holds no run: neither it nor its folders have a {STORE_FILE}"
        raise StoreError(msg)
    return [str(one) for one in found]
