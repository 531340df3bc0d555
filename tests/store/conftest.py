"""Stores as earlier versions of PeerJudge left them, on either database."""

from __future__ import annotations

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

import peerjudge.store
from peerjudge.engine import comparison_key
from peerjudge.store.location import locate
from peerjudge.store.rows import comparison_row, head_row, turn_row

ROWS = {
    "comparisons": ":key, :body",
    "discussions": ":id, :condition, :comparison_id, :comparison, :protocol, :stop, :head",
    "turns": ":id, :index, :body",
}


def _upgrade(connection, revision):
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", f"{peerjudge.store.__path__[0]}/migrations")
    command.upgrade(config, revision)


def _rows(transcripts):
    """The tables' rows, as the first two revisions have them."""
    for transcript in transcripts:
        key = comparison_key(transcript.comparison)
        yield "comparisons", comparison_row(transcript.comparison, key=key)
        yield "discussions", head_row(transcript, comparison=key)
        for turn in transcript.turns:
            yield "turns", turn_row(transcript.id, turn)


@pytest.fixture
def older_store():
    """Makes a store of revision 0001 or 0002 that holds these transcripts."""

    async def make(place, revision, *transcripts):
        location = locate(place)
        if location.file is not None:
            location.file.parent.mkdir(parents=True, exist_ok=True)
        engine = create_async_engine(location.url)
        async with engine.begin() as connection:
            await connection.run_sync(_upgrade, revision)
            for table, row in _rows(transcripts):
                insert = f"INSERT INTO {table} VALUES ({ROWS[table]}) ON CONFLICT DO NOTHING"
                await connection.execute(text(insert), row)
            if revision == "0001":
                # The first version named its schema in a table of its own.
                await connection.execute(text("INSERT INTO meta VALUES ('schema', '1')"))
                await connection.execute(text("DROP TABLE alembic_version"))
        await engine.dispose()

    return make
