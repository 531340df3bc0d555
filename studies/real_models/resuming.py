"""Reading of a publication, and resumption of a play from it: published discussions are not played again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from peerjudge.data import Transcript, replace
from peerjudge.runs import Prepared
from peerjudge.runs.transcript_files import read_transcript_file
from peerjudge.store import Status, Store

MANIFEST = "manifest.json"


def read_published(target: Path) -> tuple[Mapping[str, Any], dict[str, tuple[Transcript, ...]]]:
    """Return the manifest, and the transcripts by data set.

    Raises:
        OSError: there is no publication.
    """
    manifest = cast("Mapping[str, Any]", json.loads((target / MANIFEST).read_text("utf-8")))
    return manifest, {
        entry["data"]: tuple(read_transcript_file(target / name))
        for name, entry in manifest["files"].items()
    }


async def store_published(folder: Path, prepared: Prepared, published: Sequence[Transcript]) -> int:
    """Store the published discussions that belong to the plan; return their number.

    A discussion belongs to the plan if it has the identity of a planned one: the same comparison, cards
    (with the URL of the server), prompts, protocol and seed. Its texts are those of the plan, because the
    publication may have digests in their place.
    """
    by_id = {one.id: one for one in published}
    found = {
        head.id: replace(by_id[head.id], comparison=head.comparison, condition=head.condition)
        for head in prepared.plan
        if head.id in by_id
    }
    if not found:
        return 0
    async with Store.open(folder) as store:
        await asyncio.gather(*map(store.end, await _select_new(store, found)))
    return len(found)


async def _select_new(store: Store, found: Mapping[str, Transcript]) -> list[Transcript]:
    statuses = await store.statuses(found)
    return [one for one in found.values() if statuses[one.id] is Status.NEW]
