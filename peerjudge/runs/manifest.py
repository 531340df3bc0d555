"""Run folder and its manifest: experiment, versions, file hashes, seeds and prices."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

from peerjudge.analysis.pricing import Prices
from peerjudge.analysis.stopping import Decision
from peerjudge.data import (
    Experiment,
    content_hash,
    from_plain,
    read_manifest_text,
    replace,
    to_plain,
)
from peerjudge.errors import DataError, StoreError
from peerjudge.runs.schedule import Plan
from peerjudge.shelf import Kind, Shelf
from peerjudge.store import Store

MANIFEST = "manifest.json"
SEARCH = "search.json"
"""Result of a search, in the folder of its runs."""

IMPORTED = "imported"
"""Entry of a manifest with the files from which discussions were imported, which nothing plays further."""

MERGED = "merged"
"""Entry of a manifest with the runs that were merged into one, which nothing plays further."""

FORKED = "forked_from"
"""Entry of a manifest of forks: the run that they fork, the turn, and the change of each condition."""

DECISION = "decision"
"""Entry of a manifest with the last look of a run with a stopping rule."""

LIMITS = "limits"
"""Entry of a manifest with the limits of the last command that played the run: `usd` and `tokens`."""

SHARD = "shard"
"""Entry of a manifest with the part of the questions that the run plays, as `K/N`."""

_VERSIONS_OF = ("peerjudge", "autogen-agentchat", "numpy", "networkx", "sqlalchemy", "tiktoken")


def default_folder(experiment: Experiment) -> Path:
    """Return `runs/NAME-xxxxxxxx`, the same for the same experiment with any `--limit`."""
    identity = content_hash(identify_experiment(experiment))
    return Path("runs") / f"{experiment.name}-{identity[:8]}"


def identify_experiment(experiment: Experiment) -> dict[str, object]:
    """Return what tells an experiment from others: all but question, names of seats, and empty fields.

    A declared primary contrast is part of it, so that one declared later is recorded as another run.
    """
    plain = dict(cast("Mapping[str, object]", to_plain(replace(experiment, question=""))))
    del plain["seats"]  # names of seats, which change nothing that is run
    for condition in cast("Sequence[dict[str, object]]", plain["conditions"]):
        if not condition["contestants"]:
            del condition["contestants"]
    for name in ("primary", "reread"):
        if not plain[name]:
            # Experiments of earlier versions, which had no such field, keep their identity.
            del plain[name]
    if plain["reask"] == 1:
        del plain["reask"]
    return plain


def build_manifest(plan: Plan, shelf: Shelf, *, dataset: str) -> dict[str, object]:
    """Return the manifest of a run: resolved experiment, cards, versions and file hashes."""
    experiment = plan.experiment
    digest = hashlib.sha256()
    for comparison in plan.comparisons:
        digest.update(content_hash(to_plain(comparison)).encode())
    return {
        "schema": "peerjudge-manifest/1",
        "experiment": to_plain(experiment),
        "dataset": dataset,
        "comparisons": len(plan.comparisons),
        "data_hash": digest.hexdigest(),
        "cards": {name: to_plain(card) for name, card in plan.cast.items()},
        "files": _hash_files(plan, shelf),
        "versions": find_versions(),
        "python": platform.python_version(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def require_own(folder: Path, experiment: Experiment, *, shard: str = "") -> None:
    """Raise `StoreError` if the folder holds a run of another experiment or shard, or takes no more."""
    if not (folder / MANIFEST).exists():
        return
    manifest = read_manifest(folder)
    if manifest.get(IMPORTED):
        msg = (
            f"{folder} holds imported discussions, to which nothing can be added; choose another folder "
            "with --out"
        )
        raise StoreError(msg)
    if manifest.get(MERGED):
        msg = (
            f"{folder} is a merge of runs, to which nothing can be added; resume the run that is to be "
            "extended and merge again, or choose another folder with --out"
        )
        raise StoreError(msg)
    held = manifest.get("experiment")
    name = cast("Mapping[str, object]", held).get("name") if isinstance(held, dict) else None
    if name != experiment.name:
        msg = (
            f"{folder} holds a run of {name!r}, not of {experiment.name!r}; choose another folder "
            "with --out"
        )
        raise StoreError(msg)
    part = str(manifest.get(SHARD) or "")
    if part != shard:
        msg = (
            f"{folder} holds {f'shard {part}' if part else 'all questions'} of {name!r}, not "
            f"{f'shard {shard}' if shard else 'all questions'}; choose another folder with --out"
        )
        raise StoreError(msg)


def require_empty(folder: Path) -> None:
    """Raise `StoreError` if the folder of a new run is there and holds files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"{folder} holds other files; name a new folder with --out"
        raise StoreError(msg)


def write_manifest(folder: Path, manifest: Mapping[str, object]) -> None:
    """Write the manifest into the folder atomically."""
    draft = folder / f"{MANIFEST}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", "utf-8")
        draft.replace(folder / MANIFEST)
    except OSError as cause:
        msg = f"cannot write the run folder {folder}: {cause.strerror}; choose another with --out"
        raise StoreError(msg) from cause


async def record_manifest(
    store: Store,
    folder: Path | None,
    manifest: Mapping[str, object],
    decision: Decision | None = None,
) -> None:
    """Write the manifest of a run, with the last look of its stopping rule, into store and folder."""
    if decision is not None:
        manifest = {**manifest, DECISION: to_plain(decision)}
    await store.record_run(str(manifest["run"]), manifest)
    if folder is not None:
        write_manifest(folder, manifest)


def read_manifest(folder: Path) -> dict[str, object]:
    """Read the manifest of a run folder; raises `StoreError` if there is none."""
    path = folder / MANIFEST
    try:
        manifest = read_manifest_text(path.read_bytes())
    except FileNotFoundError as cause:
        msg = f"{folder} is not a run folder: it has no {MANIFEST}"
        if (folder / SEARCH).exists():
            msg = (
                f"{folder} holds a search of `peerjudge optimize` without a held-out test, so there is "
                f"no run to read; its candidates are in {folder / SEARCH}, their discussions in its store"
            )
        raise StoreError(msg) from cause
    except (OSError, DataError) as cause:
        msg = f"cannot read {path}: {cause}; restore it from a backup or choose another folder"
        raise StoreError(msg) from cause
    if not isinstance(manifest.get("run"), str):
        msg = f"{path} names no run; restore it from a backup or choose another folder"
        raise StoreError(msg)
    return manifest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ManifestRun:
    """A run, as its manifest describes it."""

    id: str
    manifest: Mapping[str, object]

    @property
    def declared(self) -> Mapping[str, object]:
        """The experiment in the manifest."""
        return cast("Mapping[str, object]", self.manifest.get("experiment") or {})

    @property
    def title(self) -> str:
        """The name of the experiment; the beginning of the id of the run where there is none."""
        return str(self.declared.get("name") or self.id[:8])

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions, in the order of the experiment."""
        conditions = cast("Sequence[Mapping[str, object]]", self.declared.get("conditions") or ())
        return [str(condition["name"]) for condition in conditions]


def read_decision(manifest: Mapping[str, object]) -> Decision | None:
    """Return the last look of a run with a stopping rule, as its manifest records it, if there was one."""
    decision = manifest.get(DECISION)
    return None if decision is None else from_plain(Decision, decision)


def read_prices(manifest: Mapping[str, object]) -> Prices:
    """Return the prices of a manifest by reviewer."""
    given = cast("Mapping[str, Mapping[str, float] | None]", manifest.get("prices") or {})
    return {
        name: None if price is None else (float(price["input"]), float(price["output"]))
        for name, price in given.items()
    }


def find_versions() -> dict[str, str | None]:
    """Return the versions of PeerJudge and of the libraries on which results depend."""
    return {name: _find_version(name) for name in _VERSIONS_OF}


def _hash_files(plan: Plan, shelf: Shelf) -> dict[str, str]:
    names: set[tuple[Kind, str]] = {("agents", name) for name in plan.cast}
    names |= {("protocols", part.protocol.name) for part in plan.parts}
    names |= {("prompts", part.pack.name) for part in plan.parts}
    return {f"{kind}/{name}": shelf.digest(kind, name) for kind, name in sorted(names)}


@cache
def _find_version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
