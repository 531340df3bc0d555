"""Sources to analyse: run folders, stores, transcript files, and datasets with recorded reviews."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.collecting import BallotCollector
from peerjudge.analysis.stopping import Decision
from peerjudge.data import Primary, Transcript, read_primary
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import StoreError
from peerjudge.runs.manifest import MANIFEST, read_decision, read_manifest
from peerjudge.runs.transcript_files import import_transcripts, is_transcript_file
from peerjudge.store import Archive
from peerjudge.store.database import locate


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run opened for reading. `folder` is `None` for a run in a database or a transcript file.

    `place` is where its store is, as `Archive.open` takes it.
    """

    id: str
    manifest: Mapping[str, object]
    store: Archive
    folder: Path | None
    place: str | Path

    @property
    def primary(self) -> Primary | None:
        """The primary contrast that the experiment declared, if any."""
        declared = cast("Mapping[str, object]", self.manifest.get("experiment") or {})
        conditions = cast("Sequence[Mapping[str, object]]", declared.get("conditions") or ())
        names = [str(one["name"]) for one in conditions]
        return read_primary(str(declared.get("primary") or ""), names)

    @property
    def decision(self) -> Decision | None:
        """The last look of a run with a stopping rule, if there was one."""
        return read_decision(self.manifest)

    def transcripts(self) -> AsyncIterator[Transcript]:
        """Read the discussions that have begun, by condition and comparison."""
        return self.store.transcripts(run=self.id)


def is_run(source: str) -> bool:
    """Return whether the source is a run folder, a store or a transcript file, not a dataset."""
    if ".py:" in source:
        return False
    if is_transcript_file(source):
        return True
    return "://" in source or Path(source).is_dir() or Path(source).suffix in {".db", ".sqlite"}


def hide_password(place: str | Path) -> str:
    """Return the place of a run for display; the password of a database URL is masked."""
    return locate(place).name if "://" in str(place) else str(place)


@asynccontextmanager
async def open_run(source: str | Path) -> AsyncGenerator[OpenRun]:
    """Open a run for reading; another process may be writing it.

    Args:
        source: Run folder, store URL, or transcript file; `URL#RUN` with the beginning of a run id
            selects one of several runs in a store.

    Raises:
        StoreError: There is no such run, or several match.
        DataError: The transcript file cannot be read.
    """
    if is_transcript_file(source):
        async with import_transcripts(Path(source)) as imported, open_run(imported) as run:
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
        runs = [run for run in await store.runs() if run.id.startswith(wanted)]
        if len(runs) != 1:
            known = ", ".join(run.id[:8] for run in await store.runs()) or "none"
            msg = (
                f"{len(runs)} runs in {hide_password(place)} match; choose one with PLACE#RUN from: "
                f"{known}"
            )
            raise StoreError(msg)
        (run,) = runs
        own = folder if folder is not None and (folder / MANIFEST).exists() else None
        yield OpenRun(id=run.id, manifest=run.manifest, store=store, folder=own, place=place)


async def load(source: str | Path) -> tuple[Transcript, ...]:
    """Load all discussions of a run, in a fixed order; iterate `open_run` for very large runs."""
    async with open_run(source) as opened:
        return tuple([transcript async for transcript in opened.transcripts()])


async def read_ballots(source: str) -> Ballots:
    """Return the ballots of a run or of the recorded reviews of a dataset.

    The discussions of a run are read one at a time; their texts are not kept.
    """
    if not is_run(source):
        return collect_reviews(load_dataset(source))
    collector = BallotCollector()
    async with open_run(source) as opened:
        async for transcript in opened.transcripts():
            collector.add(transcript)
        return collector.ballots(name=_name_run(source, opened))


def _name_run(source: str, opened: OpenRun) -> str:
    place = source.partition("#")[0]
    if opened.folder is not None or is_transcript_file(source):
        return source
    return f"{hide_password(place)}#{opened.id[:8]}"
