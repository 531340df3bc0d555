"""The few statements that write, turned into SQL once for a dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Self

from sqlalchemy import Dialect, Insert, Table, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from peerjudge.store.schema import comparisons, discussions, members, runs, turns

__all__ = ["Statement", "Statements"]

Values = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """An insert as SQL, and how it takes its values from a row.

    `names_others`: it names rows that other statements insert, which must come before it.
    """

    sql: str
    values: Callable[[Mapping[str, object]], Values]
    names_others: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Inserts by what they do when the row is there already.

    `new_turn` fails then, for two processes would be playing one discussion; `old_turn`,
    `comparison` and `member` leave the row alone; `head` and `run` replace what may have changed.
    """

    new_turn: Statement
    old_turn: Statement
    comparison: Statement
    member: Statement
    head: Statement
    run: Statement

    @classmethod
    def of(cls, dialect: Dialect) -> Self:
        """The statements in this dialect."""
        head = _insert(dialect, discussions)
        run = _insert(dialect, runs)
        known = select(discussions.c.number).where(discussions.c.id == bindparam("id"))
        turn = _insert(dialect, turns).values(discussion=known.scalar_subquery())
        inserts = {
            "new_turn": turn,
            "old_turn": turn.on_conflict_do_nothing(),
            "comparison": _insert(dialect, comparisons).on_conflict_do_nothing(),
            "member": _insert(dialect, members).on_conflict_do_nothing(),
            "head": head.on_conflict_do_update(
                index_elements=["id"],
                set_={"stop": head.excluded.stop, "head": head.excluded.head},
            ),
            "run": run.on_conflict_do_update(
                index_elements=["id"], set_={"manifest": run.excluded.manifest}
            ),
        }
        return cls(**{name: _compiled(insert, dialect) for name, insert in inserts.items()})


def _insert(dialect: Dialect, table: Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if dialect.name == "sqlite" else postgresql.insert(table)


def _compiled(insert: Insert, dialect: Dialect) -> Statement:
    # Compiling costs more than executing, and what is executed is always the same.
    columns = [each.name for each in insert.table.columns if each is not discussions.c.number]
    compiled = insert.inline().compile(dialect=dialect, column_keys=columns)
    values = itemgetter(*(compiled.positiontup or columns))
    return Statement(str(compiled), values, names_others=insert.table is turns)
