"""The first tables.

Revision: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "meta",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("manifest", sa.Text, nullable=False),
    )
    op.create_table(
        "comparisons",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "discussions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("comparison_id", sa.Text, nullable=False),
        sa.Column("comparison", sa.String(64), nullable=False),
        sa.Column("protocol", sa.Text, nullable=False),
        sa.Column("stop", sa.String(16)),
        sa.Column("head", sa.Text, nullable=False),
    )
    op.create_index("discussions_in_order", "discussions", ["condition", "comparison_id", "id"])
    op.create_table(
        "turns",
        sa.Column("discussion", sa.String(64), primary_key=True),
        sa.Column("index", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "members",
        sa.Column("run", sa.String(64), primary_key=True),
        sa.Column("condition", sa.Text, primary_key=True),
        sa.Column("comparison_id", sa.Text, primary_key=True),
        sa.Column("discussion", sa.String(64), primary_key=True),
    )
