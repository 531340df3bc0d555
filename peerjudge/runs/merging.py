"""Merge of several runs into one run folder: discussions, book of calls, and where each came from."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from peerjudge.data import Comparison, StopReason, Transcript, content_hash, replace, to_plain
from peerjudge.errors import DataError, StoreError
from peerjudge.runs.manifest import MERGED, find_versions, require_empty, write_manifest
from peerjudge.runs.sources import OpenRun, name_run, open_run
from peerjudge.runs.transcript_files import is_bundle, is_transcript_file
from peerjudge.store import Archive, Store

_CHUNK = 200
_IDENTITY = ("run", "reviewer", "model", "discussion", "turn")
"""Columns of the book that stay the same from the sending of a call to its outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedSource:
    """A run that was merged: its discussions, those of them that no earlier source had, and its calls.

    `calls` are those booked from here; `repeated` were in an earlier source's book. `booked` is false for
    a source without a book, such as a transcript file.
    """

    name: str
    run: str
    discussions: int
    new: int
    calls: int
    repeated: int
    booked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRun:
    """The folder of the merged run, and its sources."""

    folder: Path
    run: str
    discussions: int
    comparisons: int
    sources: tuple[MergedSource, ...]


async def merge_runs(*sources: str, out: Path) -> MergedRun:
    """Write several runs as one run folder that every command reads.

    For runs of one experiment on different parts of the data, with other seeds, or with other reviewers. A
    discussion that several have is written once, with the most turns that one of them has. Runs that
    contradict each other are refused: a condition, card or prompt pack of one name that differs, or a
    comparison with another content. The book of calls is that of all folders, and of the runs alone for
    databases. The merged run cannot be resumed; resume its sources and merge again.

    Args:
        sources: Run folders, store URLs (PLACE#RUN), transcript files or bundles; two or more.
        out: The new run folder.

    Raises:
        StoreError: A source cannot be opened, is given twice, or the folder holds files.
        DataError: Two runs contradict each other; nothing is left in the folder.
    """
    _require_places(sources, out)
    async with AsyncExitStack() as stack:
        runs = [await stack.enter_async_context(open_run(source)) for source in sources]
        names = [name_run(source, run) for source, run in zip(sources, runs, strict=True)]
        manifest = build_merged_manifest(names, [run.manifest for run in runs])
        merger = _Merger(content_hash(*sorted(run.id for run in runs)))
        try:
            async with Store.open(out) as store:
                merged = [
                    await merger.add(store, name, run)
                    for name, run in zip(names, runs, strict=True)
                ]
                whole = {
                    "run": merger.run,
                    **manifest,
                    "comparisons": len(merger.comparisons),
                    MERGED: [
                        {**_describe(source), "manifest": dict(run.manifest)}
                        for source, run in zip(merged, runs, strict=True)
                    ],
                    "written": datetime.now(UTC).isoformat(timespec="seconds"),
                }
                await store.record_run(merger.run, whole)
            # The manifest makes the folder a run, so it comes last.
            write_manifest(out, whole)
        except BaseException:
            # The folder was new: what is half merged must not stand in the way of the next attempt.
            shutil.rmtree(out, ignore_errors=True)
            raise
    return MergedRun(
        folder=out,
        run=merger.run,
        discussions=sum(source.new for source in merged),
        comparisons=len(merger.comparisons),
        sources=tuple(merged),
    )


def build_merged_manifest(
    names: Sequence[str], manifests: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """Return what the manifests say together.

    Raises:
        DataError: A condition, card, or file of one name is not the same in two of them.
    """
    experiments = [_read(manifest, "experiment") for manifest in manifests]
    conditions: dict[str, tuple[str, object]] = {}
    for name, experiment in zip(names, experiments, strict=True):
        declared = cast("Sequence[Mapping[str, object]]", experiment.get("conditions") or ())
        for condition in declared:
            _agree("condition", conditions, str(condition["name"]), name, condition)
    together = {
        kind: _unite(label, names, [_read(manifest, kind) for manifest in manifests])
        for kind, label in (("cards", "card"), ("files", "file"), ("prices", "price"))
    }
    experiment = {
        **experiments[0],
        "name": " + ".join(dict.fromkeys(str(each.get("name") or "run") for each in experiments)),
        "question": _same(experiments, "question"),
        "conditions": [condition for _, condition in conditions.values()],
    }
    for key in ("primary", "data", "seed"):
        if key in experiment:
            # What differs is in the manifests of the sources.
            experiment[key] = _same(experiments, key, otherwise=None if key == "seed" else "")
    return {
        "schema": "peerjudge-manifest/1",
        "experiment": experiment,
        "dataset": ", ".join(dict.fromkeys(str(each.get("dataset") or "") for each in manifests)),
        **together,
        "versions": find_versions(),
    }


class _Merger:
    """What the sources so far have: comparisons, questions and the number of their discussions."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.comparisons: dict[str, bytes] = {}
        self._questions: dict[str, bytes] = {}

    async def add(self, store: Store, name: str, run: OpenRun) -> MergedSource:
        """Write the discussions and the calls of a run."""
        seen = new = 0
        async for chunk in _chunks(run.transcripts()):
            for transcript in chunk:
                self._require_same_content(name, transcript.comparison)
            seen += len(chunk)
            new += await self._write(store, name, chunk)
        if run.store.unreadable:
            # Their rows are in the source; a merge without them would hide the damage.
            first = next(iter(run.store.unreadable))
            msg = (
                f"{name}: {len(run.store.unreadable)} discussions cannot be read, such as {first!r}; "
                f"`peerjudge doctor {name}` names and repairs them"
            )
            raise DataError(msg)
        calls, repeated = await _copy_calls(run.store, store, None if run.folder else run.id)
        return MergedSource(
            name=name,
            run=run.id,
            discussions=seen,
            new=new,
            calls=calls,
            repeated=repeated,
            booked=not (is_transcript_file(name) or is_bundle(name)),
        )

    def _require_same_content(self, name: str, comparison: Comparison) -> None:
        plain = replace(comparison, answers=tuple(sorted(comparison.answers, key=lambda a: a.id)))
        for kind, kept, key, content in (
            ("comparison", self.comparisons, comparison.id, _digest(plain)),
            ("question", self._questions, comparison.question.id, _digest(comparison.question)),
        ):
            if kept.setdefault(key, content) != content:
                msg = (
                    f"{name}: {kind} {key!r} has another content than in an earlier run, and results "
                    f"would mix the two; give the rows of one of the data sets other ids"
                )
                raise DataError(msg)

    async def _write(self, store: Store, name: str, chunk: Sequence[Transcript]) -> int:
        """Write those that are new or have more turns; return the number of new ones."""
        stored = store.transcripts_of(transcript.id for transcript in chunk)
        held = {transcript.id: transcript async for transcript in stored}
        await store.enlist(self.run, chunk)
        ends: list[Transcript] = []
        first: dict[str, Transcript] = {}
        for transcript in chunk:
            earlier = held.get(transcript.id) or first.get(transcript.id)
            if earlier is not None:
                _require_same_turns(name, earlier, transcript)
            if earlier is None or _is_further(transcript, earlier) or _adds(transcript, earlier):
                ends.append(transcript)
                first[transcript.id] = transcript
        await asyncio.gather(*map(store.end, ends))
        for transcript in chunk:
            store.release(transcript.id)
        return len(first.keys() - held.keys())


async def _copy_calls(source: Archive, store: Store, run: str | None) -> tuple[int, int]:
    """Copy a book of calls; return the calls that were new, and those that were there.

    A number names one call of one process, so an equal number in a copied folder is the same call.
    Stores of the first schema were numbered from 1; their calls are told apart by what they are.
    """
    new = repeated = 0
    async for rows in source.list_calls(run):
        fresh = {row["number"]: row for row in rows}
        held = await store.find_calls(fresh)
        clashing = {
            number: {**row, "number": _renumber(row)}
            for number, row in fresh.items()
            if number in held and any(row[key] != held[number][key] for key in _IDENTITY)
        }
        if clashing:
            held |= await store.find_calls(row["number"] for row in clashing.values())
        writes: list[Any] = []
        for number, old in fresh.items():
            row = clashing.get(number, old)
            there = held.get(row["number"])
            repeated += there is not None
            new += there is None
            if there is None or there["outcome"] == "open":
                writes.append(store.book(row))
        await asyncio.gather(*writes)
    return new, repeated


def _renumber(row: Mapping[str, object]) -> int:
    """Return a number below 2^62 that depends on the call alone."""
    text = repr([row[key] for key in ("number", *_IDENTITY)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 2


def _require_same_turns(name: str, earlier: Transcript, later: Transcript) -> None:
    said = {turn.index: turn for turn in (*earlier.turns, *earlier.ahead)}
    for turn in (*later.turns, *later.ahead):
        before = said.get(turn.index, turn)
        if before.utterance.text != turn.utterance.text or before.review != turn.review:
            msg = (
                f"{name}: discussion {later.id!r} (condition {later.condition!r}, comparison "
                f"{later.comparison.id!r}) says something else in turn {turn.index} than in an earlier "
                "run: it was played twice. Merge one of the two runs, or play one with another seed."
            )
            raise DataError(msg)


def _adds(transcript: Transcript, other: Transcript) -> bool:
    """Return whether an open discussion has turns that the other part of it lacks."""
    if StopReason.COMPLETE in (transcript.stop, other.stop):
        return False
    there = {turn.index for turn in (*other.turns, *other.ahead)}
    return any(turn.index not in there for turn in (*transcript.turns, *transcript.ahead))


def _is_further(transcript: Transcript, other: Transcript) -> bool:
    def progress(transcript: Transcript) -> tuple[bool, int, bool]:
        return (
            transcript.stop is StopReason.COMPLETE,
            len(transcript.turns) + len(transcript.ahead),
            transcript.stop is not None,
        )

    return progress(transcript) > progress(other)


async def _chunks(items: AsyncIterator[Transcript]) -> AsyncIterator[list[Transcript]]:
    chunk: list[Transcript] = []
    async for item in items:
        chunk.append(item)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _require_places(sources: Sequence[str], out: Path) -> None:
    if len(sources) < 2 or len(set(sources)) < len(sources):
        msg = f"merge needs two or more different runs; found {', '.join(sources) or 'none'}"
        raise StoreError(msg)
    if "://" in str(out) or ":/" in str(out):
        msg = f"merge writes a run folder, not a database; name a new folder with --out, not {out}"
        raise StoreError(msg)
    require_empty(out)


def _unite(
    label: str, names: Sequence[str], parts: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    kept: dict[str, tuple[str, object]] = {}
    for name, part in zip(names, parts, strict=True):
        for key, value in part.items():
            _agree(label, kept, key, name, value)
    return {key: value for key, (_, value) in kept.items()}


def _agree(
    label: str, kept: dict[str, tuple[str, object]], key: str, name: str, value: object
) -> None:
    """Keep a value under its key, or refuse another one."""
    earlier, held = kept.setdefault(key, (name, value))
    if held == value:
        return
    fields = ""
    if isinstance(held, Mapping) and isinstance(value, Mapping):
        old, new = cast("Mapping[str, object]", held), cast("Mapping[str, object]", value)
        differing = [field for field in {**old, **new} if old.get(field) != new.get(field)]
        fields = f" in {', '.join(differing)}"
    msg = (
        f"{label} {key!r} differs{fields} between {earlier} and {name}, and results would mix the two; "
        f"rename it in one experiment and run that again, or analyse them apart: peerjudge compare "
        f"{earlier} {name}"
    )
    raise DataError(msg)


def _same(parts: Sequence[Mapping[str, object]], key: str, *, otherwise: str | None = "") -> object:
    """Return the value that all parts have, or `otherwise` where they differ."""
    values = [part.get(key) for part in parts]
    return values[0] if all(value == values[0] for value in values) else otherwise


def _read(manifest: Mapping[str, object], key: str) -> Mapping[str, object]:
    entry = manifest.get(key)
    return cast("Mapping[str, object]", entry) if isinstance(entry, Mapping) else {}


def _describe(source: MergedSource) -> dict[str, object]:
    return {
        "name": Path(source.name).name if "://" not in source.name else source.name,
        "run": source.run,
        "discussions": source.discussions,
        "new": source.new,
        "calls": source.calls,
        "calls_in_earlier_book": source.repeated,
        "booked": source.booked,
    }


def _digest(noun: object) -> bytes:
    return bytes.fromhex(content_hash(to_plain(cast("Any", noun))))[:16]
