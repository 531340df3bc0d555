"""Play of the study: cards written, conditions played one after the other, resumable at any time.

The folder of a play holds `study.json` (its settings), the cards in `agents/`, and one run folder for
each data set, which `peerjudge events`, `report` and all other commands read.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import os
import platform
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from peerjudge.cli.console import print_status, show_progress
from peerjudge.cli.dry_run import print_estimate
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.data import Condition, Experiment
from peerjudge.errors import ExperimentError
from peerjudge.runs import Prepared, RunSummary, prepare, run
from peerjudge.shelf import Shelf
from studies.real_models import design, pairs
from studies.real_models.design import MODELS
from studies.real_models.resuming import read_published, store_published

SETTINGS = "study.json"
SAMPLE, LLMBAR = "sample", "llmbar"
_MOST_FAILURES = 0.5
"""Share of failed discussions at which a condition stops: the server is gone."""
_STEPS = 12
_CONNECTIONS = 4
"""Most discussions at a time. A server of one slot queues: four slots were slower on two cores."""
_PATIENCE = 30.0
"""Time in which a server must answer a question about itself. [s]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A model as it is served: the URL, what the server says, and the file if it was named."""

    url: str
    reported: Mapping[str, object] = field(hash=False)
    file: Mapping[str, object] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that the user chose; `llmbar` is empty where LLMBar is not played."""

    turns: int = design.TURNS
    comparisons: int = design.COMPARISONS
    short_pairs: int = design.SHORT_PAIRS
    prompts: str = design.PROMPTS
    llmbar: str = ""
    simulated: bool = False

    @property
    def data(self) -> dict[str, tuple[str, int]]:
        """The data sets that are played by name: what the reader is given, and how many comparisons."""
        found = {SAMPLE: (pairs.SAMPLE, self.comparisons)} if self.comparisons else {}
        if self.llmbar and self.short_pairs:
            found[LLMBAR] = (self.llmbar, self.short_pairs)
        return found


def play(
    folder: Path,
    settings: Settings,
    *,
    servers: Mapping[str, str],
    files: Mapping[str, Path],
    only: Sequence[str] = (),
    published: Path | None = None,
    estimate: bool = False,
) -> int:
    """Play every condition whose models are served, or go on; return the exit code.

    Args:
        folder: of the play.
        settings: of the play; those of an earlier play into the same folder must agree in all but the
            number of comparisons.
        servers: by size of the model (`large`, `small`) the URL of its server. A condition with a model
            that is not served waits for a later play.
        files: by size of the model its file, whose digest goes into the manifest.
        only: names of the conditions to play; all by default.
        published: folder of a publication whose discussions are not to be played again.
        estimate: print the numbers of calls, and play nothing.
    """
    _set_up(folder, settings, servers, files)
    shelf = Shelf(project=folder.resolve())
    conditions = _choose(settings, find_cards(folder), only)
    if estimate:
        _print_estimate(settings, conditions, shelf)
        return 0
    if published is not None:
        _take_over(folder, settings, conditions, shelf, published)
    return asyncio.run(_play_all(folder, settings, conditions, shelf))


def prepare_data(
    name: str, settings: Settings, conditions: Sequence[Condition], shelf: Shelf
) -> Prepared:
    """Return the experiment on one data set, ready to play."""
    experiment, limit = _declare(name, settings, conditions)
    return prepare(experiment, limit=limit, shelf=shelf)


def read_settings(folder: Path) -> tuple[Settings, dict[str, object]]:
    """Return the settings of a play, and the whole of its `study.json`.

    Raises:
        ExperimentError: the folder holds no play.
    """
    try:
        held = cast("dict[str, object]", json.loads((folder / SETTINGS).read_text("utf-8")))
    except (OSError, ValueError) as cause:
        msg = f"{folder} holds no play of the study ({cause}); `play --out {folder}` begins one"
        raise ExperimentError(msg) from cause
    return Settings(**cast("dict[str, object]", held["settings"])), held  # pyright: ignore[reportArgumentType]


def _declare(
    name: str, settings: Settings, conditions: Sequence[Condition]
) -> tuple[Experiment, int]:
    place, limit = settings.data[name]
    experiment = design.declare_experiment(
        name, tuple(conditions), data=place, prompts=settings.prompts
    )
    return experiment, limit


def _take_over(
    folder: Path,
    settings: Settings,
    conditions: Sequence[Condition],
    shelf: Shelf,
    published: Path,
) -> None:
    """Store the published discussions of this study, and say how many there are."""
    manifest, transcripts = read_published(published)
    for name in settings.data:
        prepared, held = prepare_data(name, settings, conditions, shelf), transcripts.get(name, ())
        found = asyncio.run(store_published(folder / name, prepared, held))
        print_status(f"{name}: {found} of {len(held)} published discussions taken over")
    study = folder / SETTINGS
    begun = {"begun": cast("str", manifest["played"]["begun"])}
    study.write_text(
        json.dumps(json.loads(study.read_text("utf-8")) | begun, indent=2) + "\n", "utf-8"
    )


async def _play_all(
    folder: Path, settings: Settings, conditions: Sequence[Condition], shelf: Shelf
) -> int:
    """Play all conditions on a few comparisons of each data set, then on a few more, to the end.

    A play that is interrupted so has every condition on the same comparisons. The server keeps the
    beginnings of prompts, which the conditions of one comparison share.
    """
    failed = 0
    async with cancel_on_signal():
        for step in range(1, _STEPS + 1):
            failed = 0  # A later step plays the failed discussions of an earlier one again.
            for name in settings.data:
                summary = await _play(folder, name, settings, conditions, shelf, step=step)
                if summary.stopped is not None:
                    failure = summary.failures[0].message if summary.failures else ""
                    print_status(f"Stopped: {summary.stopped}. {failure}")
                    return 1
                counts = summary.discussions
                print_status(
                    f"{name}, step {step} of {_STEPS}: {counts.skipped + counts.done} discussions "
                    f"complete, {counts.failed} failed; run {folder / name}"
                )
                failed += counts.failed
    return 1 if failed else 0


async def _play(
    folder: Path,
    name: str,
    settings: Settings,
    conditions: Sequence[Condition],
    shelf: Shelf,
    *,
    step: int,
) -> RunSummary:
    experiment, most = _declare(name, settings, conditions)
    with show_progress("plain", logs="text") as observer:
        return await run(
            experiment,
            out=folder / name,
            limit=math.ceil(most * step / _STEPS),
            max_connections=_CONNECTIONS,
            fail_on_error=_MOST_FAILURES,
            shelf=shelf,
            observer=observer,
        )


def _choose(
    settings: Settings, cards: frozenset[str], only: Sequence[str]
) -> tuple[Condition, ...]:
    """Return the conditions to play: those chosen, as far as their models are served."""
    conditions = design.list_conditions(settings.turns)
    unknown = sorted(set(only) - {one.name for one in conditions})
    if unknown:
        known = ", ".join(one.name for one in conditions)
        msg = f"no condition is called {unknown[0]!r}; choose from {known}"
        raise ExperimentError(msg)
    chosen = [one for one in conditions if not only or one.name in only]
    ready = tuple(one for one in chosen if design.list_reviewers(one) <= cards)
    for one in chosen:
        if one not in ready:
            missing = ", ".join(sorted(design.list_reviewers(one) - cards))
            print_status(f"{one.name} waits: {missing} is not served")
    if not ready:
        msg = (
            "no condition can be played: give the server of a model with --large URL or --small URL"
        )
        raise ExperimentError(msg)
    return ready


def find_cards(folder: Path) -> frozenset[str]:
    """Return the names of the cards of a play."""
    return frozenset(path.stem for path in (folder / "agents").glob("*.toml"))


def _set_up(
    folder: Path, settings: Settings, servers: Mapping[str, str], files: Mapping[str, Path]
) -> None:
    """Write the cards and the settings; refuse what would mix two plays in one folder."""
    held: dict[str, object] = {}
    if (folder / SETTINGS).exists():
        earlier, held = read_settings(folder)
        _require_same(folder, earlier, settings)
    (folder / "agents").mkdir(parents=True, exist_ok=True)
    models = cast("dict[str, object]", held.get("models", {}))
    for size, model in MODELS.items():
        card = folder / "agents" / f"{model.card}.toml"
        if settings.simulated:
            card.write_text(design.write_simulated_card(model), "utf-8")
        elif size in servers:
            text = design.write_card(model, url=servers[size])
            _require_url(card, text)
            models[size] = asdict(_describe_server(servers[size], files.get(size)))
            card.write_text(text, "utf-8")
    document = {
        "settings": asdict(settings),
        "models": models,
        "machine": _describe_machine(),
        "begun": held.get("begun", datetime.now(UTC).date().isoformat()),
        "latest": datetime.now(UTC).date().isoformat(),
    }
    (folder / SETTINGS).write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def _require_same(folder: Path, earlier: Settings, settings: Settings) -> None:
    for name in ("turns", "prompts", "simulated"):
        was, now = getattr(earlier, name), getattr(settings, name)
        if was != now:
            msg = f"{folder} was begun with {name} = {was}, not {now}; choose another folder with --out"
            raise ExperimentError(msg)


def _require_url(card: Path, text: str) -> None:
    # The address belongs to the identity of a reviewer: another one would play everything again.
    if card.exists() and card.read_text("utf-8") != text:
        msg = (
            f"{card} names another server or other settings than now; serve the model at the same URL, "
            "or choose another folder with --out"
        )
        raise ExperimentError(msg)


def _describe_server(url: str, file: Path | None) -> Served:
    """Return what a server says about itself and its model.

    Raises:
        ExperimentError: it does not answer.
    """
    listed = _ask(f"{url.rstrip('/')}/models")
    if listed is None:
        msg = f"no model server answers at {url}/models; start one, or correct the URL"
        raise ExperimentError(msg)
    entries = cast("list[Mapping[str, object]]", listed.get("data") or [{}])
    meta = cast("Mapping[str, object]", entries[0].get("meta") or {})
    props = _ask(f"{url.rstrip('/').removesuffix('/v1')}/props") or {}
    reported = {
        "owned_by": entries[0].get("owned_by", ""),
        **_pick(meta, "ftype", "n_params", "size", "n_ctx"),
        **_pick(props, "build_info", "total_slots"),
        # What the server applies to every call that does not say otherwise.
        "sampling": _pick(_find_sampling(props), "top_k", "top_p", "min_p", "repeat_penalty"),
    }
    return Served(url=url, reported=reported, file={} if file is None else _describe_file(file))


def _pick(found: Mapping[str, object], *keys: str) -> dict[str, object]:
    return {key: found[key] for key in keys if key in found}


def _find_sampling(props: Mapping[str, object]) -> Mapping[str, object]:
    """Return the sampling settings among the properties of a llama.cpp server."""
    settings = cast("Mapping[str, object]", props.get("default_generation_settings") or {})
    return cast("Mapping[str, object]", settings.get("params") or {})


def _ask(url: str) -> dict[str, object] | None:
    try:
        with urllib.request.urlopen(url, timeout=_PATIENCE) as reply:  # noqa: S310  the user's own URL
            return cast("dict[str, object]", json.load(reply))
    except (OSError, ValueError):
        return None


def _describe_file(file: Path) -> dict[str, object]:
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return {"sha256": digest, "bytes": file.stat().st_size}


def _describe_machine() -> dict[str, object]:
    """Return the class of this machine: nothing that names it."""
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "gpu": False,
    }


def _print_estimate(settings: Settings, conditions: Sequence[Condition], shelf: Shelf) -> None:
    for name in settings.data:
        print_estimate(prepare_data(name, settings, conditions, shelf), texts=None, json=False)
