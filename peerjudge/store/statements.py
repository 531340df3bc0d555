"""The few statements that write, built once for a dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from sqlalchemy import Dialect, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from peerjudge.store.schema import comparisons, discussions, members, runs, turns

__all__ = ["Statements"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Inserts by what they do when the row is there already.

    `new_turn` fails then, for two processes would be playing one discussion; `old_turn`,
    `comparison` and `member` leave the row alone; `head` and `run` replace what may have changed.
    """

    new_turn: Insert
    old_turn: Insert
    comparison: Insert
    member: Insert
    head: Insert
    run: Insert

    @classmethod
    def of(cls, dialect: Dialect) -> Self:
        """The statements in this dialect."""
        head = _insert(dialect, discussions)
        run = _insert(dialect, runs)
        return cls(
            new_turn=_insert(dialect, turns),
            old_turn=_insert(dialect, turns).on_conflict_do_nothing(),
            comparison=_insert(dialect, comparisons).on_conflict_do_nothing(),
            member=_insert(dialect, members).on_conflict_do_nothing(),
            head=head.on_conflict_do_update(
                index_elements=["id"],
                set_={"stop": head.excluded.stop, "head": head.excluded.head},
            ),
            run=run.on_conflict_do_update(
                index_elements=["id"], set_={"manifest": run.excluded.manifest}
            ),
        )


def _insert(dialect: Dialect, table: Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if dialect.name == "sqlite" else postgresql.insert(table)
