"""Stores of earlier versions are brought up to date, and what is in them stays."""

from __future__ import annotations

import sqlite3

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

import peerjudge.store
from peerjudge.errors import StoreError
from peerjudge.store import Archive, Store
from peerjudge.store.engine import database
from peerjudge.store.location import locate
from peerjudge.store.schema import REVISION, tables
from peerjudge.testing import transcript_of

MIGRATIONS = f"{peerjudge.store.__path__[0]}/migrations"


def _at(connection, revision):
    """The tables of a revision."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", MIGRATIONS)
    command.upgrade(config, revision)


def _first_version(file):
    """An empty store as the first version made it: it named its schema in a table of its own."""
    file.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        _at(connection, "0001")
        connection.exec_driver_sql("INSERT INTO meta VALUES ('schema', '1')")
        connection.exec_driver_sql("DROP TABLE alembic_version")
    engine.dispose()


def _copied(source, target):
    """The rows of a new store, in an old one."""
    with sqlite3.connect(target) as connection:
        connection.execute("ATTACH ? AS new", (str(source),))
        for table in tables.tables:
            connection.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
    connection.close()


async def test_a_store_of_the_first_version_is_brought_up_to_date(tmp_path):
    """Its discussions are read as they were, and it can be written to."""
    transcript, later = transcript_of("2|1 2 1"), transcript_of("1|1 1")
    async with Store.open(tmp_path / "new") as store:
        await store.end(transcript)
    _first_version(tmp_path / "old" / "store.db")
    _copied(tmp_path / "new" / "store.db", tmp_path / "old" / "store.db")
    with pytest.raises(StoreError, match="run its experiment again to bring it up to date"):
        async with Archive.open(tmp_path / "old"):
            pass
    async with Store.open(tmp_path / "old") as store:
        found = [each async for each in store.transcripts()]
        await store.end(later)
    async with Archive.open(tmp_path / "old") as archive:
        assert await archive.transcript(later.id) is not None
    async with Archive.open(tmp_path / "new") as archive:
        assert found == [each async for each in archive.transcripts()]


async def test_the_migrations_end_in_the_tables_of_today(tmp_path):
    """Nothing is left for Alembic to generate, and the newest revision is the one declared."""
    async with database(locate(tmp_path), writable=True) as engine, engine.begin() as connection:

        def differences(connection):
            return compare_metadata(MigrationContext.configure(connection), tables)

        assert await connection.run_sync(differences) == []
    assert ScriptDirectory(MIGRATIONS).get_heads() == [REVISION]


async def test_a_migration_that_is_cut_short_changes_nothing(tmp_path):
    """Where the last of the changes is refused, the first one is taken back."""
    file = tmp_path / "store.db"
    _first_version(file)
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE meta")
        connection.execute("CREATE VIEW meta AS SELECT 'schema' AS key, '1' AS value")
    connection.close()
    before = _schema(file)
    with pytest.raises(StoreError):
        async with Store.open(tmp_path):
            pass
    assert _schema(file) == before


def _schema(file):
    with sqlite3.connect(file) as connection:
        found = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    connection.close()
    return found
