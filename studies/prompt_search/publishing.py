"""Publication of finished searches: their records, and every discussion that scored a candidate."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any, cast

from peerjudge.data import Dataset, Transcript, from_plain, replace, to_json
from peerjudge.errors import ExperimentError
from peerjudge.features.search.nouns import SearchState
from peerjudge.features.search.targets import lay_over
from peerjudge.features.search.writing import HISTORY, SEARCH
from peerjudge.runs import Prepared, prepare
from peerjudge.shelf import Shelf
from peerjudge.store import Archive
from studies.prompt_search.reading import MANIFEST, TRANSCRIPTS
from studies.real_models.shortening import shorten_transcript


def publish(
    folders: Sequence[Path],
    target: Path,
    *,
    experiment: str,
    project: Path,
    data: str | None,
    limit: int | None,
    weights: Path | None,
    model: str,
    server: str,
) -> None:
    """Write the records and discussions of searches that `peerjudge optimize` finished.

    Args:
        folders: of the searches, one per method.
        target: folder of the publication.
        experiment: of all searches, like `data` and `limit`.
        project: folder with the shelves of the experiment.
        data: see `experiment`.
        limit: see `experiment`.
        weights: file of the model, whose digest and size are recorded.
        model: its title.
        server: software and version that served it.

    Raises:
        ExperimentError: a folder holds no finished search of this experiment.
    """
    shelf = Shelf(project=project.resolve())
    found: dict[str, Transcript] = {}
    searches: dict[str, object] = {}
    for folder in folders:
        kept = _read(folder / HISTORY)
        base = prepare(
            experiment,
            data=data,
            limit=limit,
            seed=kept["seed"],
            # As `optimize` does: the margin is computed from log-probabilities.
            settings={"logprobs": "true"} if kept["search"]["objective"] == "margin" else {},
            shelf=shelf,
        )
        for one in asyncio.run(_collect(folder, kept, base, shelf)):
            found[f"{one.condition} {one.id}"] = one
        # The items that OPRO shows are texts of the data, and nothing is computed from them.
        options: dict[str, object] = {**kept["options"], "exemplars": []}
        proposer = shelf.card(kept["search"]["proposer"])
        searches[folder.name] = {
            **kept,
            "options": options,
            "temperature": proposer.sampling.temperature,
            # The path of the data says where they were, not what they are.
            "result": _read(folder / SEARCH) | {"data": base.dataset.name},
        }
    target.mkdir(parents=True, exist_ok=True)
    content = _pack(found.values())
    (target / TRANSCRIPTS).write_bytes(content)
    manifest = {
        "model": model,
        "weights": _describe_weights(weights),
        "server": server,
        "versions": {"python": python_version(), "peerjudge": version("peerjudge")},
        "discussions": len(found),
        "transcripts": {"sha256": sha256(content).hexdigest(), "bytes": len(content)},
        "searches": searches,
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (target / MANIFEST).write_text(f"{text}\n", "utf-8")


async def _collect(
    folder: Path, kept: Mapping[str, Any], base: Prepared, shelf: Shelf
) -> list[Transcript]:
    """Return the discussions of every candidate, with its id as their condition, without texts."""
    state = from_plain(SearchState, kept["state"])
    result = _read(folder / SEARCH)
    heads: dict[str, str] = {}
    for one in state.candidates:
        asked = set(state.scores[one.id].scores) if one.id in state.scores else set[str]()
        if one.id in kept["select"]:
            asked |= set(kept["splits"]["select"])
        if result["adopted"] and one.id in {result["base"], result["chosen"]}:
            asked |= set(kept["splits"]["test"])
        if asked:
            dataset = _limit(base.dataset, base, asked)
            prepared = prepare(
                base.plan.experiment,
                shelf=lay_over(shelf, one.texts, base),
                dataset=dataset,
            )
            heads |= {head.id: one.id for head in prepared.plan}
    async with Archive.open(folder) as store:
        stored = [one async for one in store.transcripts_of(list(heads))]
    if len(stored) != len(heads):
        msg = f"{folder} holds {len(stored)} of {len(heads)} discussions of its search; finish it first"
        raise ExperimentError(msg)
    return [
        replace(shorten_transcript(one, texts=False), condition=heads[one.id]) for one in stored
    ]


def _limit(dataset: Dataset, base: Prepared, asked: set[str]) -> Dataset:
    comparisons = tuple(one for one in base.plan.comparisons if one.question.id in asked)
    return replace(dataset, comparisons=comparisons)


def _pack(transcripts: Iterable[Transcript]) -> bytes:
    """Return the discussions as compressed lines; without a name and a time the bytes repeat."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        file.write("".join(f"{to_json(one)}\n" for one in transcripts).encode())
    return packed.getvalue()


def _describe_weights(path: Path | None) -> Mapping[str, object]:
    if path is None:
        return {}
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 22):
            digest.update(block)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        msg = f"{path} is missing; finish the search with `peerjudge optimize` first"
        raise ExperimentError(msg)
    return cast("dict[str, Any]", json.loads(path.read_text("utf-8")))
