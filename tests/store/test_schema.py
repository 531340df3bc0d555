"""A store has the tables of one schema, and one of another schema is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import inspect

from peerjudge.errors import StoreError
from peerjudge.store import Archive, Store
from peerjudge.store.database import locate, open_database
from peerjudge.store.schema import SCHEMA, tables
from peerjudge.testing import transcript_of

# Change SCHEMA with these, and say in docs/decisions.md what becomes of older stores.
COLUMNS = {
    "comparisons": ["key", "body"],
    "discussions": [
        "number",
        "id",
        "condition",
        "comparison_id",
        "comparison",
        "protocol",
        "stop",
        "head",
    ],
    "calls": [
        "number",
        "run",
        "reviewer",
        "model",
        "discussion",
        "turn",
        "outcome",
        "prompt_tokens",
        "completion_tokens",
        "estimated",
        "usd",
        "error",
    ],
    "damaged": ["number", "row", "cause", "body"],
    "members": ["run", "condition", "comparison_id", "discussion"],
    "peerjudge_schema": ["number"],
    "runs": ["id", "created", "manifest"],
    "turns": ["discussion", "index", "body"],
    "writings": [
        "key",
        "card",
        "task",
        "mark",
        "simulated",
        "prompt_tokens",
        "completion_tokens",
        "body",
    ],
}


async def test_a_new_store_has_the_tables_of_schema_3(tmp_path):
    """The number names exactly these tables and columns, and is written in the store."""
    async with open_database(locate(tmp_path), writable=True) as engine, engine.begin() as opened:

        def read(connection):
            found = inspect(connection)
            names = found.get_table_names()
            return {name: [each["name"] for each in found.get_columns(name)] for name in names}

        assert await opened.run_sync(read) == COLUMNS
        number = (await opened.execute(tables.tables["peerjudge_schema"].select())).scalar()
    assert number == SCHEMA == 3


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE peerjudge_schema SET number = 9999", "9999"),
        ("DELETE FROM peerjudge_schema", "None"),
    ],
)
async def test_a_store_of_another_schema_is_refused(tmp_path, change, found):
    """Reader and writer name both schemas and the way out, and leave the store as it is."""
    async with Store.open(tmp_path) as store:
        await store.end(transcript_of("2|1 2 1"))
    file = tmp_path / "store.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(change)
    before = _content(file)
    for kind in (Store, Archive):
        sentence = f"store schema {found}, this is {SCHEMA}.; use that version, or start a new"
        with pytest.raises(StoreError, match=sentence):
            async with kind.open(tmp_path):
                pass
    assert _content(file) == before


def _content(file):
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())
