"""Sources to analyse: run folders, stores, transcript files, bundles, and datasets with reviews."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from peerjudge.analysis.pricing import Prices
from peerjudge.analysis.stopping import Decision
from peerjudge.data import Primary, Transcript, read_primary
from peerjudge.datasets.catalogue import name_format
from peerjudge.datasets.specs import split_spec
from peerjudge.errors import StoreError
from peerjudge.logs import get_logger
from peerjudge.runs.blocking import block
from peerjudge.runs.manifest import MANIFEST, ManifestRun, read_decision, read_manifest, read_prices
from peerjudge.runs.transcript_files import (
    import_bundle,
    import_transcripts,
    is_bundle,
    is_transcript_file,
)
from peerjudge.store import Archive
from peerjudge.store.database import locate

_log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun(ManifestRun):
    """A run opened for reading. `folder` is `None` for a run in a database or a transcript file.

    `place` is where its store is, as `Archive.open` takes it.
    """

    store: Archive
    folder: Path | None
    place: str | Path

    @property
    def primary(self) -> Primary | None:
        """The primary contrast that the experiment declared, if any."""
        return read_primary(str(self.declared.get("primary") or ""), self.conditions)

    @property
    def families(self) -> dict[str, str]:
        """The families that the cards of the run declare, by card."""
        return self._read_cards("family")

    @property
    def contestants(self) -> dict[str, str]:
        """The contestants that the cards of the run declare to be, by card."""
        return self._read_cards("contestant")

    @property
    def seats(self) -> dict[str, str]:
        """The cards in the seats that the experiment names, by the name of the seat."""
        return dict(cast("Mapping[str, str]", self.declared.get("seats") or {}))

    def _read_cards(self, field: str) -> dict[str, str]:
        cards = cast("Mapping[str, Mapping[str, object]]", self.manifest.get("cards") or {})
        return {name: str(card[field]) for name, card in cards.items() if card.get(field)}

    @property
    def prices(self) -> Prices:
        """The prices of the reviewers at the time of the run."""
        return read_prices(self.manifest)

    @property
    def decision(self) -> Decision | None:
        """The last look of a run with a stopping rule, if there was one."""
        return read_decision(self.manifest)

    @property
    def data(self) -> str | None:
        """The dataset that the run judged, as `NAME:PATH`, if its manifest names one."""
        return str(self.declared.get("data") or "") or None

    def sort_heads(self, heads: Sequence[Transcript]) -> list[Transcript]:
        """Return discussions by condition in the order of the experiment, else in the order given."""
        declared = {name: place for place, name in enumerate(self.conditions)}
        return sorted(heads, key=lambda head: declared.get(head.condition, len(declared)))

    async def transcripts(self) -> AsyncIterator[Transcript]:
        """Read the discussions that have begun by condition, in the order of the experiment."""
        if not self.conditions:
            async for transcript in self.store.transcripts(run=self.id):
                yield transcript
        for name in self.conditions:
            async for transcript in self.store.transcripts(run=self.id, condition=name):
                yield transcript


def is_run(source: str) -> bool:
    """Return whether the source is a run folder, store, transcript file or bundle, not a dataset."""
    place, _ = split_spec(source)
    if place != source or ".py:" in source or name_format(source).startswith(("records:", "csv:")):
        return False
    if is_transcript_file(source) or is_bundle(source):
        return True
    return "://" in source or Path(source).is_dir() or Path(source).suffix in {".db", ".sqlite"}


def hide_password(place: str | Path) -> str:
    """Return the place of a run for display; the password of a database URL is masked."""
    return locate(place).name if "://" in str(place) else str(place)


@asynccontextmanager
async def open_run(source: str | Path) -> AsyncGenerator[OpenRun]:
    """Open a run for reading; another process may be writing it.

    Args:
        source: Run folder, store URL, transcript file, or bundle; `URL#RUN` with the beginning of a run id
            selects one of several runs in a store.

    Raises:
        StoreError: There is no such run, or several match.
        DataError: The transcript file or the bundle cannot be read.
    """
    if is_transcript_file(source):
        async with import_transcripts(Path(source)) as imported, open_run(imported) as run:
            yield run
        return
    if is_bundle(source):
        async with import_bundle(Path(source)) as imported, open_run(imported) as run:
            yield run
        return
    place, _, wanted = str(source).partition("#")
    folder = None if "://" in place else Path(place)
    if folder is not None and folder.is_dir() and not wanted:
        wanted = str(read_manifest(folder)["run"])
    elif folder is not None and not folder.exists():
        msg = f"there is no run folder {folder}; `peerjudge run` prints the folder it writes"
        raise StoreError(msg)
    async with Archive.open(place) as store:
        stored = await store.runs()
        runs = [run for run in stored if run.id.startswith(wanted)]
        if len(runs) != 1:
            known = ", ".join(run.id[:8] for run in stored) or "none"
            msg = (
                f"{len(runs)} runs in {hide_password(place)} match; choose one with PLACE#RUN from: "
                f"{known}"
            )
            raise StoreError(msg)
        (run,) = runs
        if folder is not None and not (folder / MANIFEST).exists():
            folder = None
        if run.manifest.get("next") == "open":
            _log.warning(
                "this run was played with --next open, which no longer exists: results chose its "
                "comparisons, so bounds of its rankings are too narrow; rank a run in plain order"
            )
        yield OpenRun(id=run.id, manifest=run.manifest, store=store, folder=folder, place=place)


async def load(source: str | Path) -> tuple[Transcript, ...]:
    """Load all discussions of a run, in a fixed order; iterate `open_run` for very large runs.

    Args:
        source: Run folder, store URL, transcript file or bundle.

    Raises:
        StoreError: There is no such run, or it cannot be read.

    Example:
        >>> transcripts = asyncio.run(pj.load("study"))
        >>> len(transcripts)
        112
    """
    async with open_run(source) as opened:
        return tuple([transcript async for transcript in opened.transcripts()])


def name_run(source: str, opened: OpenRun) -> str:
    """Return the name of a run for messages, without the password of a database."""
    place = source.partition("#")[0]
    if opened.folder is not None or is_transcript_file(source) or is_bundle(source):
        return source
    return f"{hide_password(place)}#{opened.id[:8]}"


load_sync = block(load)
"""`load`, which returns the transcripts; it also works where an event loop runs."""
