"""Rows of the tables: transcripts to rows and back, and the statements that insert them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, Literal

from msgspec.structs import asdict
from sqlalchemy import Dialect, Insert, Table, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from peerjudge.data import (
    Comparison,
    Failure,
    Fork,
    Noun,
    Scalar,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Verdict,
    Writing,
    from_json,
    split_turns,
    to_json,
)
from peerjudge.engine import has_failed_rereading
from peerjudge.store.schema import calls, comparisons, discussions, members, runs, turns, writings

StatementName = Literal[
    "new_turn", "old_turn", "reread_turn", "comparison", "member", "head", "run", "call", "writing"
]


UNFINISHED = "reread failed"
"""Stop of a discussion with failed rereadings in its row, so that another run finds it."""


class Head(Noun, frozen=True, kw_only=True):
    """Transcript without its id, its comparison and its turns."""

    protocol: str
    seats: tuple[Seat, ...]
    stop: StopReason | None
    verdict: Verdict
    failure: Failure | None
    condition: str
    options: Mapping[str, Scalar] | None
    prompts: str
    repetition: int
    reask: int = 0
    reread: Seat | None = None
    fork: Fork | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Insert as SQL, and the function that takes its values from a row.

    `has_references` is true where the row refers to rows of other statements, which come first.
    """

    sql: str
    values: Callable[[Mapping[str, object]], tuple[object, ...]]
    has_references: bool


def comparison_row(comparison: Comparison, *, key: str) -> dict[str, object]:
    """Return the row of a comparison in its shown order; `key` is its `comparison_key`."""
    return {"key": key, "body": to_json(comparison)}


def head_row(transcript: Transcript, *, comparison: str) -> dict[str, object]:
    """Return the row of a discussion without its turns; `comparison` is the comparison's key."""
    head = Head(**{field: getattr(transcript, field) for field in Head.__struct_fields__})
    return {
        "id": transcript.id,
        "condition": transcript.condition,
        "comparison_id": transcript.comparison.id,
        "comparison": comparison,
        "protocol": transcript.protocol,
        "stop": UNFINISHED if has_failed_rereading(transcript) else transcript.stop,
        "head": to_json(head),
    }


def turn_row(discussion: str, turn: Turn) -> dict[str, object]:
    """Return the row of one turn of the discussion with this id."""
    return {"id": discussion, "index": turn.index, "body": to_json(turn)}


def writing_row(writing: Writing) -> dict[str, object]:
    """Return the row of a text that a card wrote."""
    utterance = writing.utterance
    return {
        "key": writing.key,
        "card": writing.card,
        "task": writing.task,
        "mark": writing.mark,
        "simulated": utterance.simulated,
        "prompt_tokens": utterance.usage.prompt_tokens,
        "completion_tokens": utterance.usage.completion_tokens,
        "body": to_json(utterance),
    }


def build_transcript(
    discussion: str, *, condition: str, head: str, comparison: Comparison, turns: Iterable[str]
) -> Transcript:
    """Return the transcript of these rows; `condition` is its condition in the run."""
    kept: dict[str, Any] = {**asdict(from_json(Head, head)), "condition": condition}
    spoken = tuple(from_json(Turn, body) for body in turns)
    dense, ahead = split_turns(spoken)
    return Transcript(id=discussion, comparison=comparison, turns=dense, ahead=ahead, **kept)


def compile_statements(dialect: Dialect) -> Mapping[StatementName, Statement]:
    """Return the inserts in this dialect; they differ in what they do with an existing row.

    `new_turn` fails, since two processes must not play one discussion; `old_turn`, `comparison`,
    `member` and `writing` leave the row alone; `reread_turn`, `head`, `run` and `call` replace what may
    have changed.
    """
    return _compile_statements(type(dialect))


@cache  # for all stores of a process
def _compile_statements(kind: type[Dialect]) -> Mapping[StatementName, Statement]:
    dialect = kind()
    call = _insert(dialect, calls)
    settled = [column.name for column in calls.columns if column is not calls.c.number]
    head = _insert(dialect, discussions)
    run = _insert(dialect, runs)
    number = select(discussions.c.number).where(discussions.c.id == bindparam("id"))
    turn = _insert(dialect, turns).values(discussion=number.scalar_subquery())
    inserts: dict[StatementName, Insert] = {
        "new_turn": turn,
        "old_turn": turn.on_conflict_do_nothing(),
        "reread_turn": turn.on_conflict_do_update(
            index_elements=["discussion", "index"], set_={"body": turn.excluded.body}
        ),
        "comparison": _insert(dialect, comparisons).on_conflict_do_nothing(),
        "member": _insert(dialect, members).on_conflict_do_nothing(),
        "head": head.on_conflict_do_update(
            index_elements=["id"], set_={"stop": head.excluded.stop, "head": head.excluded.head}
        ),
        "run": run.on_conflict_do_update(
            index_elements=["id"], set_={"manifest": run.excluded.manifest}
        ),
        "writing": _insert(dialect, writings).on_conflict_do_nothing(),
        "call": call.on_conflict_do_update(
            index_elements=["number"], set_={name: call.excluded[name] for name in settled}
        ),
    }
    return {name: _compile(insert, dialect) for name, insert in inserts.items()}


def _insert(dialect: Dialect, table: Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if dialect.name == "sqlite" else postgresql.insert(table)


def _compile(insert: Insert, dialect: Dialect) -> Statement:
    # Compiled once: compiling costs more than executing.
    columns = [column.name for column in insert.table.columns if column is not discussions.c.number]
    compiled = insert.inline().compile(dialect=dialect, column_keys=columns)
    values = itemgetter(*(compiled.positiontup or columns))
    return Statement(str(compiled), values, has_references=insert.table is turns)
