"""What Alembic runs: on the connection it is handed, or on a URL while a revision is written.

`alembic -x url=sqlite+aiosqlite:///scratch.db upgrade head` makes a store to compare with, and
`alembic -x url=... revision --autogenerate --rev-id 0003 -m "..."` writes what has changed since.
"""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection, pool
from sqlalchemy.ext.asyncio import create_async_engine

from peerjudge.store.schema import tables


def _migrate(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=tables, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


async def _migrate_at(url: str) -> None:
    engine = create_async_engine(url, poolclass=pool.NullPool)
    async with engine.begin() as connection:
        await connection.run_sync(_migrate)
    await engine.dispose()


_given: Connection | None = context.config.attributes.get("connection")
if _given is not None:
    _migrate(_given)
else:
    asyncio.run(_migrate_at(context.get_x_argument(as_dictionary=True)["url"]))
