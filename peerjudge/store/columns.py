"""Reads discussions without their texts, a few thousand turns at a time, for frames and statistics."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic_core import from_json as plain_json
from sqlalchemy import Row, func, select

from peerjudge.analysis.frames import TurnRow, without_texts
from peerjudge.data import (
    Comparison,
    Cue,
    Expects,
    Outcome,
    Review,
    Transcript,
    Turn,
    Usage,
    Utterance,
    Verdict,
    from_json,
)
from peerjudge.store.archive import Archive
from peerjudge.store.rows import transcript_from
from peerjudge.store.schema import comparisons, discussions, members, turns

__all__ = ["Columns"]

# How many discussions are read at a time: about ten thousand turns.
_PAGE = 2000


class Columns(Archive):
    """A store read by columns. Texts pass by one page at a time and are not kept."""

    async def heads(self, *, run: str) -> tuple[list[Transcript], list[int]]:
        """The discussions of a run without turns and texts, and how many turns each has.

        In the order of `Archive.transcripts`.
        """
        shown = {
            row.key: without_texts(from_json(Comparison, row.body))
            for row in await self._rows(select(comparisons))
        }
        counted = select(turns.c.discussion, func.count()).group_by(turns.c.discussion)
        counts = {row[0]: row[1] for row in await self._rows(counted)}
        columns = discussions.c
        query = (
            select(
                members.c.condition,
                members.c.comparison_id,
                columns.id,
                columns.comparison,
                columns.head,
            )
            .select_from(members.join(discussions, members.c.discussion == columns.id))
            .where(members.c.run == run)
            .order_by(members.c.condition, members.c.comparison_id, columns.id)
        )
        heads = [
            transcript_from(
                row.id,
                condition=row.condition,
                head=row.head,
                comparison=shown[row.comparison],
                turns=(),
            )
            for row in await self._rows(query)
        ]
        return heads, [counts.get(head.id, 0) for head in heads]

    async def turn_rows(self, heads: Sequence[Transcript]) -> AsyncIterator[list[TurnRow]]:
        """The turns of these discussions, in batches and in no particular order."""
        at: dict[str, list[int]] = {}
        for number, head in enumerate(heads):
            at.setdefault(head.id, []).append(number)
        async for rows in self._pages(sorted(at)):
            yield [
                _turn_row(number, body)
                for discussion, body in rows
                for number in at.get(discussion, ())
            ]
