"""Stores of earlier versions are brought up to date, and what is in them stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import peerjudge.store
from peerjudge.data import replace
from peerjudge.errors import StoreError
from peerjudge.store import Archive, Store
from peerjudge.store.engine import database
from peerjudge.store.location import locate
from peerjudge.store.schema import REVISION, tables
from peerjudge.testing import transcript_of

MIGRATIONS = f"{peerjudge.store.__path__[0]}/migrations"


@pytest.mark.parametrize("revision", ["0001", "0002"])
async def test_a_store_of_an_earlier_version_is_brought_up_to_date(tmp_path, older_store, revision):
    """Its discussions are read as they were, and go on from their last turn."""
    ended, begun, later = transcript_of("2|1 2 1"), transcript_of("1|1 1"), transcript_of("1|2 2")
    opened = replace(begun, turns=begun.turns[:2], stop=None)
    await older_store(tmp_path, revision, ended, opened)
    with pytest.raises(StoreError, match="run its experiment again to bring it up to date"):
        async with Archive.open(tmp_path):
            pass
    async with Store.open(tmp_path) as store:
        assert await store.transcript(ended.id) == ended
        assert await store.transcript(begun.id) == opened
        await store.turn(opened, begun.turns[2])
        for transcript in (begun, later):
            await store.end(transcript)
    async with Archive.open(tmp_path) as archive:
        for transcript in (ended, begun, later):
            assert await archive.transcript(transcript.id) == transcript


async def test_the_migrations_end_in_the_tables_of_today(tmp_path):
    """Nothing is left for Alembic to generate, and the newest revision is the one declared."""
    async with database(locate(tmp_path), writable=True) as engine, engine.begin() as connection:

        def differences(connection):
            return compare_metadata(MigrationContext.configure(connection), tables)

        assert await connection.run_sync(differences) == []
    assert ScriptDirectory(MIGRATIONS).get_heads() == [REVISION]


async def test_a_migration_that_is_cut_short_changes_nothing(tmp_path, older_store):
    """Where a later change is refused, those before it are taken back; nothing then stands in its way."""
    transcript = transcript_of("2|1 2 1")
    await older_store(tmp_path, "0001", transcript)
    file = tmp_path / "store.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE discussions_by_id (occupied INTEGER)")
    before = _content(file)
    with pytest.raises(StoreError, match="discussions_by_id"):
        async with Store.open(tmp_path):
            pass
    assert _content(file) == before
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE discussions_by_id")
    async with Store.open(tmp_path) as store:
        assert await store.transcript(transcript.id) == transcript


def _content(file):
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())
