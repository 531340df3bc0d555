"""Alembic's own table says which revision a store has; the table `meta` said it before.

Revision: 0002
Revises: 0001
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    """Drop what is said elsewhere now."""
    op.drop_table("meta")
