"""Damaged manifests, transcripts and stores: every reader answers with a sentence or with what is whole."""

from __future__ import annotations

import copy
import json
import shutil
import sqlite3
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.data import Transcript, from_json, read_manifest_text, to_json
from peerjudge.data.discussion import require_fitting
from peerjudge.errors import DataError, PeerJudgeError
from peerjudge.results.rankings import rank
from peerjudge.results.scores import score

WRONG = (
    '"text"',
    "null",
    "[]",
    "[1]",
    "{}",
    "NaN",
    '"\\ud800"',
    "1e999",
    "-1",
    "9" * 30,
    "true",
    "9" * 5000,
    "[" * 5000,
    None,
)
"""Values of another kind as JSON; `None` leaves the key out."""
MARK = "the value that is replaced"
ROWS = (
    ("runs", "manifest"),
    ("discussions", "head"),
    ("turns", "body"),
    ("comparisons", "body"),
)


def list_places(plain, place=()):
    """Yield the path of each value in a document; of a list, of its first item."""
    yield place
    if isinstance(plain, dict):
        for key, value in plain.items():
            yield from list_places(value, (*place, key))
    elif isinstance(plain, list) and plain:
        yield from list_places(plain[0], (*place, 0))


def damage(plain, place, wrong):
    """Return the document as JSON with another value at a place, or without it."""
    if not place:
        return wrong or ""
    changed = copy.deepcopy(plain)
    found = changed
    for key in place[:-1]:
        found = found[key]
    if wrong is None:
        del found[place[-1]]
        return json.dumps(changed)
    found[place[-1]] = MARK
    return json.dumps(changed).replace(json.dumps(MARK), wrong)


def list_damaged(plain, *, times=1):
    """Yield damaged forms of a document: so many of each place, with the wrong values in turn."""
    turn = cycle(WRONG)
    for place in list_places(plain):
        for _ in range(times):
            yield damage(plain, place, next(turn))


@pytest.fixture(scope="module")
def whole(kept):
    """The manifest and a discussion of a run, as plain values."""
    manifest = json.loads((Path(kept.folder) / "manifest.json").read_text("utf-8"))
    told = next(one for one in pj.load_sync(kept.folder) if len(one.turns) > 2)
    return manifest, json.loads(to_json(told))


def test_a_damaged_manifest_or_discussion_is_refused_where_it_is_read(whole):
    """What is decoded has the types that every reader expects; all else is a `DataError`."""
    manifest, told = whole
    refused = 0
    for text in list_damaged(manifest, times=3):
        try:
            found = read_manifest_text(text)
        except DataError:
            refused += 1
        else:
            assert isinstance(found, dict)
    for text in list_damaged(told, times=3):
        try:
            require_fitting(from_json(Transcript, text))
        except DataError:
            refused += 1
    assert refused > 200


@pytest.mark.parametrize(
    "change",
    [
        {"seats": []},
        {"verdict": {"outcome": "choice", "choice": "nobody"}},
        {"failure": {"kind": "x", "message": "y", "seat": "nobody", "turn": 0}},
    ],
)
def test_a_discussion_names_only_what_it_has(whole, change):
    """Seats, answers and turns that a conclusion or a cue names are those of the discussion."""
    _, told = whole
    with pytest.raises(DataError):
        require_fitting(from_json(Transcript, json.dumps({**told, "data": told["data"] | change})))


@pytest.mark.parametrize(
    ("key", "value"), [("seat", "nobody"), ("sees", ["nobody"]), ("hears", [7]), ("withheld", [1])]
)
def test_a_cue_names_only_what_its_discussion_has(whole, key, value):
    """A turn cannot speak for a missing seat, see a missing answer, or hear itself or a later turn."""
    told = copy.deepcopy(whole[1])
    told["data"]["turns"][1]["cue"][key] = value
    with pytest.raises(DataError, match="turn 1 names"):
        require_fitting(from_json(Transcript, json.dumps(told)))


def analyse(source: Path) -> None:
    """Analyse a source; an error of usage is an answer."""
    for measure in (score, rank):
        with suppress(PeerJudgeError):
            str(measure(source))


def test_a_damaged_transcript_file_is_analysed_or_refused(whole, tmp_path):
    """Whatever is decoded can be counted: no value that passes makes an analysis fail."""
    file = tmp_path / "talk.jsonl"
    decoded: list[str] = []
    for text in list_damaged(whole[1]):
        with suppress(DataError):
            from_json(Transcript, text)
            decoded.append(text)
    assert len(decoded) > 10
    for text in decoded[:: len(decoded) // 8]:
        file.write_text(f"{text}\n", "utf-8")
        analyse(file)


@pytest.mark.parametrize(("table", "column"), ROWS)
def test_a_damaged_row_of_a_store_is_skipped_or_refused(kept, tmp_path, table, column):
    """The other rows are analysed, and the examination of the store names the row that is not."""
    rows = Path(shutil.copytree(kept.folder, tmp_path / "study"))
    (store,) = rows.glob("*.db")
    with sqlite3.connect(store) as database:
        number, text = database.execute(f"SELECT rowid, {column} FROM {table} LIMIT 1").fetchone()
    plain = json.loads(text)
    forms = [*list_damaged(plain)]
    for form in [forms[0], *forms[:: max(1, len(forms) // 4)]]:
        with sqlite3.connect(store) as database:
            change = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
            database.execute(change, (form, number))
        analyse(rows)
