"""Files of a search: candidates and the best texts as packs or cards, openings of the test, its records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from peerjudge.data import content_hash, replace, to_plain
from peerjudge.errors import StoreError
from peerjudge.features.search.declaring import Declared
from peerjudge.features.search.findings import CandidateRow, Optimized
from peerjudge.features.search.nouns import CandidateScores, History, SearchState
from peerjudge.features.search.playing import Player
from peerjudge.features.search.targets import change_cards, change_packs
from peerjudge.prompts import write_pack
from peerjudge.runs.manifest import SEARCH
from peerjudge.shelf.folders import read_text

CANDIDATES, OPENINGS, HISTORY = "candidates", "openings.json", "history.json"


def count_opening(folder: Path, questions: Sequence[str], *, search: str) -> int:
    """Return how many searches in a folder have opened these test questions, this one included.

    The opening is on disk before the first of them is asked.
    """
    path = folder / OPENINGS
    found: dict[str, list[str]] = {}
    if path.is_file():
        found = cast("dict[str, list[str]]", json.loads(path.read_text("utf-8")))
    opened = found.setdefault(content_hash(sorted(questions))[:16], [])
    if search not in opened:
        opened.append(search)
        _write(path, json.dumps(found, indent=1))
    return len(opened)


def write_history(
    folder: Path,
    declared: Declared,
    history: History,
    *,
    state: SearchState,
    selected: Mapping[str, CandidateScores],
) -> None:
    """Write `history.json`: what the search was declared as, and what every step asked for and got.

    It has what `search.json` sums up: the questions of the splits, the score of every candidate on every
    question, and the replies of the proposer as they are. The same version replays the search from its
    records; `state` is what came out, for versions that draw other edits.
    """
    plain = {
        "seed": declared.seed,
        "search": to_plain(declared.search),
        "splits": to_plain(declared.splits),
        "options": to_plain(declared.options),
        "records": to_plain(history),
        "state": to_plain(state),
        "select": {name: to_plain(scored) for name, scored in selected.items()},
    }
    _write(folder / HISTORY, json.dumps(plain, indent=1, ensure_ascii=False) + "\n")


def write_candidates(folder: Path, search: Optimized, player: Player) -> None:
    """Write every candidate that was played, as files that the shelf loads."""
    for row in search.candidates:
        if row.n:
            _write_texts(folder / CANDIDATES, row, player, suffix=row.id)


def write_search(folder: Path, search: Optimized, player: Player) -> Optimized:
    """Write `search.json`, and the adopted texts as `best.toml` of each pack or card they are in.

    Returns the result with the names of these files.
    """
    files = {"search": str(folder / SEARCH), "candidates": str(folder / CANDIDATES)}
    if search.adoption is not None and search.adoption.adopted:
        files |= _write_best(folder, search.chosen, player)
    _write(folder / SEARCH, json.dumps(search.document(), indent=1, ensure_ascii=False) + "\n")
    return replace(search, files=files)


def _write_best(folder: Path, row: CandidateRow, player: Player) -> dict[str, str]:
    made = _write_texts(folder, row, player, suffix="best")
    if len(made) == 1:
        (name, path) = next(iter(made.items()))
        best = folder / "best.toml"
        path.replace(best)
        return {name: str(best)}
    return {name: str(path) for name, path in made.items()}


def _write_texts(
    folder: Path, row: CandidateRow, player: Player, *, suffix: str
) -> dict[str, Path]:
    """Write the packs and cards with the texts of a candidate; return them by kind and name."""
    made: dict[str, Path] = {}
    for name, pack in change_packs(row.texts, player.base, player.shelf).items():
        path = made[f"prompts/{name}"] = folder / f"{name}_{suffix}.toml"
        what = f"{pack.description.rstrip('.')}; texts found by a search."
        _write(path, write_pack(replace(pack, description=what)))
    for name, card in change_cards(row.texts, player.base, player.shelf).items():
        path = made[f"agents/{name}"] = folder / f"{name}_{suffix}.toml"
        _write(path, _change_role(read_text(player.shelf.find("agents", name).path), card.role))
    return made


def _change_role(text: str, role: str) -> str:
    """Return the text of a card with another role; comments and the order of fields stay."""
    import tomlkit

    document = tomlkit.parse(text)
    document["role"] = tomlkit.string(role, multiline="\n" in role)
    return tomlkit.dumps(document)


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as cause:
        msg = f"{path} cannot be written: {cause.strerror or cause}"
        raise StoreError(msg) from cause
