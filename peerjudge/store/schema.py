"""The tables of a store, the same on SQLite and Postgres."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, MetaData, String, Table, Text

__all__ = [
    "REVISION",
    "comparisons",
    "discussions",
    "members",
    "runs",
    "tables",
    "turns",
]

REVISION = "0003"
"""The newest of the revisions in `migrations`, which these tables are those of."""

tables = MetaData()

runs = Table(
    "runs",
    tables,
    Column("id", String(64), primary_key=True),
    Column("created", String(32), nullable=False),
    Column("manifest", Text, nullable=False),
)

# One row per comparison and shown order, not one per discussion of it.
comparisons = Table(
    "comparisons",
    tables,
    Column("key", String(64), primary_key=True),
    Column("body", Text, nullable=False),
)

# `head` holds all of a discussion but its comparison and turns; the other columns are for queries.
# By its number the turns name their discussion: of discussions that are played at the same time
# they are beside each other in the index, where by the ids each would be on a page of its own.
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
