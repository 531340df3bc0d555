"""Discussions get numbers, by which their turns name them.

Revision: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"


def upgrade() -> None:
    """Number the discussions in the order in which they are read, and write their turns anew."""
    op.drop_index("discussions_in_order", "discussions")
    op.rename_table("discussions", "old_discussions")
    op.rename_table("turns", "old_turns")
    op.create_table(
        "discussions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("comparison_id", sa.Text, nullable=False),
        sa.Column("comparison", sa.String(64), nullable=False),
        sa.Column("protocol", sa.Text, nullable=False),
        sa.Column("stop", sa.String(16)),
        sa.Column("head", sa.Text, nullable=False),
    )
    op.create_table(
        "turns",
        sa.Column("discussion", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("index", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.execute(
        "INSERT INTO discussions "
        "(id, condition, comparison_id, comparison, protocol, stop, head) "
        "SELECT id, condition, comparison_id, comparison, protocol, stop, head "
        "FROM old_discussions ORDER BY condition, comparison_id, id"
    )
    op.create_index("discussions_by_id", "discussions", ["id"], unique=True)
    op.create_index("discussions_in_order", "discussions", ["condition", "comparison_id", "id"])
    op.execute(
        'INSERT INTO turns SELECT discussions.number, old_turns."index", old_turns.body '
        "FROM discussions JOIN old_turns ON old_turns.discussion = discussions.id "
        'ORDER BY discussions.number, old_turns."index"'
    )
    op.drop_table("old_turns")
    op.drop_table("old_discussions")
