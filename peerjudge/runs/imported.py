"""Discussions that were held elsewhere: imported into a run folder, or made of the reviews of a dataset."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from peerjudge.data import (
    Comparison,
    Cue,
    Dataset,
    Expects,
    RecordedReview,
    Review,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Utterance,
    content_hash,
)
from peerjudge.datasets.source import Options, Request
from peerjudge.datasets.sources.discussions import Discussions, read_discussions
from peerjudge.datasets.sources.records import digest_file
from peerjudge.runs.manifest import IMPORTED, find_versions, require_empty, write_manifest
from peerjudge.store import Store

RECORDED = "recorded"
"""Name of the protocol and the task of a recorded review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRun:
    """Discussions that were imported, and the run folder that has them."""

    discussions: Discussions
    folder: Path


async def import_discussions(
    path: Path, *, out: Path, options: Options | None = None, licence: str = ""
) -> ImportedRun:
    """Read discussions from a file, and further ones in `options.files`, into a new run folder.

    Raises:
        DataError: A row is no discussion, see `read_discussions`.
        StoreError: The folder holds files, or cannot be written.
    """
    options = options or Options()
    discussions = read_discussions(Request(path=path, options=options))
    require_empty(out)
    manifest = _build_manifest(discussions, (path, *options.files), licence=licence)
    run = str(manifest["run"])
    async with Store.open(out) as store:
        await store.record_run(run, manifest)
        await store.add(run, discussions.transcripts)
    # The manifest makes the folder a run, so it comes last.
    write_manifest(out, manifest)
    return ImportedRun(discussions=discussions, folder=out)


def _build_manifest(
    discussions: Discussions, files: Sequence[Path], *, licence: str
) -> dict[str, object]:
    transcripts = discussions.transcripts
    protocols = {each.condition: each.protocol for each in transcripts}
    return {
        "schema": "peerjudge-manifest/1",
        "run": content_hash(*(each.id for each in transcripts)),
        "experiment": {
            "name": files[0].name.partition(".")[0],
            "question": "",
            "conditions": [
                {"name": name, "protocol": protocol, "seats": _list_speakers(transcripts, name)}
                for name, protocol in protocols.items()
            ],
        },
        IMPORTED: {
            "format": "discussions",
            "files": {file.name: digest_file(file) for file in files},
            "discussions": len(transcripts),
            "left_out": dict(discussions.left_out),
            "licence": licence,
        },
        "comparisons": len({each.comparison.id for each in transcripts}),
        "cards": {},
        "versions": find_versions(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _list_speakers(transcripts: Sequence[Transcript], condition: str) -> list[str]:
    reviewers = (
        seat.reviewer for each in transcripts if each.condition == condition for seat in each.seats
    )
    return list(dict.fromkeys(reviewers))


def list_recorded(dataset: Dataset) -> Iterator[Transcript]:
    """Yield each review as the discussion of a lone judge, by comparison.

    The answers are in the order shown. A reviewer's further reviews in one order are repetitions.
    """
    reviews: defaultdict[str, list[RecordedReview]] = defaultdict(list)
    for review in dataset.reviews:
        reviews[review.comparison].append(review)
    for comparison in dataset.comparisons:
        repeated = Counter[tuple[str, tuple[str, ...]]]()
        for review in reviews[comparison.id]:
            key = (review.reviewer, review.shown)
            yield _convert(review, comparison, repeated[key], simulated=dataset.simulated)
            repeated[key] += 1


def _convert(
    review: RecordedReview, comparison: Comparison, repetition: int, *, simulated: bool
) -> Transcript:
    shown = comparison.reordered(review.shown)
    rated = len(review.shown) == 1
    cue = Cue(
        seat=review.reviewer,
        task=RECORDED,
        sees=review.shown,
        expects=Expects.RATING if rated else Expects.VERDICT,
        private=True,
        ties=True,
    )
    score = review.scores[0] if rated and review.scores else None
    turn = Turn(
        index=0,
        cue=cue,
        utterance=Utterance(text=review.text, simulated=simulated),
        review=Review(verdict=None if rated else review.verdict, score=score, rule=RECORDED),
    )
    return Transcript(
        id=content_hash(comparison.id, review.reviewer, list(review.shown), repetition),
        comparison=shown,
        protocol=RECORDED,
        seats=(Seat(id=review.reviewer, reviewer=review.reviewer),),
        turns=(turn,),
        stop=StopReason.COMPLETE,
        verdict=review.verdict,
        condition=RECORDED,
        repetition=repetition,
    )
