"""Tables of a store, the same on SQLite and Postgres, and the check that a database has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
    text,
)

from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection

SCHEMA = 3
"""Number of the tables below. A change of the tables needs the next number."""

tables = MetaData()

schema = Table("peerjudge_schema", tables, Column("number", Integer, primary_key=True))

runs = Table(
    "runs",
    tables,
    Column("id", String(64), primary_key=True),
    Column("created", String(32), nullable=False),
    Column("manifest", Text, nullable=False),
)

# One row per comparison and shown order, shared by its discussions.
comparisons = Table(
    "comparisons",
    tables,
    Column("key", String(64), primary_key=True),
    Column("body", Text, nullable=False),
)

# Turns refer to a discussion by its number: turns of concurrent discussions are then neighbours in the
# index, where random ids would put each on a page of its own.
discussions = Table(
    "discussions",
    tables,
    Column("number", Integer, primary_key=True),
    Column("id", String(64), nullable=False),
    Column("condition", Text, nullable=False),
    Column("comparison_id", Text, nullable=False),
    Column("comparison", String(64), nullable=False),
    Column("protocol", Text, nullable=False),
    Column("stop", String(16)),
    Column("head", Text, nullable=False),
    Index("discussions_by_id", "id", unique=True),
    Index("discussions_in_order", "condition", "comparison_id", "id"),
)

turns = Table(
    "turns",
    tables,
    Column("discussion", Integer, primary_key=True, autoincrement=False),
    Column("index", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)

# A discussion may belong to several runs, and in one run to several conditions.
members = Table(
    "members",
    tables,
    Column("run", String(64), primary_key=True),
    Column("condition", Text, primary_key=True),
    Column("comparison_id", Text, primary_key=True),
    Column("discussion", String(64), primary_key=True),
)

# One row per attempt that a provider may bill, written before it is sent and again when it has ended.
# A number holds the process in its upper half: attempts of one process are neighbours.
calls = Table(
    "calls",
    tables,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run", String(64), nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("discussion", String(64), nullable=False),
    Column("turn", Integer),
    Column("outcome", String(16), nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("estimated", Boolean, nullable=False),
    Column("usd", Float),
    Column("error", Text, nullable=False),
)

# Texts that cards wrote on request, by the identity of the request; the body is the utterance.
writings = Table(
    "writings",
    tables,
    Column("key", String(64), primary_key=True),
    Column("card", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("mark", String(16), nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)

# Rows that `peerjudge doctor --repair` changed or removed, as they were.
damaged = Table(
    "damaged",
    tables,
    Column("number", Integer, primary_key=True),
    Column("row", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("body", Text, nullable=False),
)

_LOCK = 7_230_197_511
"""Advisory lock of a Postgres database for creating the tables."""


def prepare_tables(connection: Connection, name: str, *, writable: bool) -> None:
    """Create the tables in an empty database (if `writable`), or check that they are of this version.

    Raises:
        StoreError: the database belongs to another program, lacks a table, or was written by another
            version.
    """
    if writable:
        _lock(connection)
    names = set(inspect(connection).get_table_names())
    if not names and writable:
        tables.create_all(connection, checkfirst=False)
        connection.execute(schema.insert().values(number=SCHEMA))
        return
    if names and schema.name not in names:
        msg = f"{name} is the database of something else: it has a table {min(names)!r}"
        raise StoreError(msg)
    written = connection.execute(select(schema.c.number)).scalar() if names else SCHEMA
    if written != SCHEMA:
        msg = (
            f"store {name} was written by another version of PeerJudge (store schema {written}, "
            f"this is {SCHEMA}); use that version, or start a new store with --out"
        )
        raise StoreError(msg)
    if missing := set(tables.tables) - names:
        msg = f"{name} is not a store: it has no table {min(missing)!r}"
        raise StoreError(msg)


def _lock(connection: Connection) -> None:
    # Two processes may create the same store at once; the second one waits, then finds the tables.
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
