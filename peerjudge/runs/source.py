"""Opens what can be analysed: a run folder, a store, or a dataset that carries reviews."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import Comparison, Dataset, RecordedReview, Transcript
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import StoreError
from peerjudge.ranking import Stance, reviews_from_transcripts
from peerjudge.runs.folder import MANIFEST, read_manifest
from peerjudge.store import Archive
from peerjudge.store.location import locate

__all__ = ["OpenRun", "is_run", "load", "open_run", "read_source", "shown"]


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run to read from: its manifest, and its discussions one by one in a fixed order."""

    id: str
    manifest: Mapping[str, object]
    store: Archive
    folder: Path | None

    def transcripts(self) -> AsyncIterator[Transcript]:
        """The discussions that have begun, by condition and comparison."""
        return self.store.transcripts(run=self.id)


def is_run(source: str) -> bool:
    """Whether this names a run folder or a store, and not a dataset."""
    if ".py:" in source:
        return False
    return "://" in source or Path(source).is_dir() or Path(source).suffix in {".db", ".sqlite"}


def shown(place: str | Path) -> str:
    """The place of a run as it may be shown: the URL of a server without its password."""
    return locate(place).name if "://" in str(place) else str(place)


@asynccontextmanager
async def open_run(source: str | Path) -> AsyncGenerator[OpenRun]:
    """Open a run for reading; works while another process plays it.

    Args:
        source: A run folder, or a store URL. A store that holds several runs wants `URL#RUN`, with
            the beginning of the run's id.

    Raises:
        StoreError: There is no run there, or several and none is chosen.
    """
    place, _, wanted = str(source).partition("#")
    folder = None if "://" in place else Path(place)
    if folder is not None and folder.is_dir() and not wanted:
        wanted = str(read_manifest(folder)["run"])
    elif folder is not None and not folder.exists():
        msg = f"there is no run folder {folder}; `peerjudge run` prints where it puts one"
        raise StoreError(msg)
    async with Archive.open(place) as store:
        runs = [run for run in await store.runs() if run.id.startswith(wanted)]
        if len(runs) != 1:
            known = ", ".join(run.id[:8] for run in await store.runs()) or "none"
            msg = (
                f"{shown(place)} has {len(runs)} runs that fit; choose one as PLACE#RUN of: {known}"
            )
            raise StoreError(msg)
        (run,) = runs
        at_home = folder if folder is not None and (folder / MANIFEST).exists() else None
        yield OpenRun(id=run.id, manifest=run.manifest, store=store, folder=at_home)


async def load(source: str | Path) -> tuple[Transcript, ...]:
    """All discussions of a run, in a fixed order. For very large runs, iterate `open_run` instead."""
    async with open_run(source) as opened:
        return tuple([transcript async for transcript in opened.transcripts()])


async def read_source(source: str, *, stance: Stance = "private") -> Dataset:
    """A run or a dataset as comparisons with reviews.

    Of a run, every seat's stance is a review by its reviewer: the one it came with (`private`) or
    the one it left with (`final`).
    """
    if not is_run(source):
        return load_dataset(source)
    comparisons: dict[str, Comparison] = {}
    reviews: list[RecordedReview] = []
    simulated = False
    place = source.partition("#")[0]
    async with open_run(source) as opened:
        name = source if opened.folder is not None else f"{shown(place)}#{opened.id[:8]}"
        async for transcript in opened.transcripts():
            comparisons.setdefault(transcript.comparison.id, transcript.comparison)
            simulated = simulated or transcript.simulated
            reviews.extend(reviews_from_transcripts([transcript], stance=stance))
    return Dataset(
        name=name,
        description="a run",
        comparisons=tuple(comparisons.values()),
        reviews=tuple(reviews),
        simulated=simulated,
    )
