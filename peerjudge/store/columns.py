"""Reads discussions without their texts, a few thousand at a time, for frames and statistics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic_core import from_json as plain_json
from sqlalchemy import ColumnElement, Row, Text, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB

from peerjudge.analysis.frames import TurnColumns, without_texts
from peerjudge.data import (
    Answer,
    Comparison,
    Cue,
    Expects,
    Outcome,
    Question,
    Review,
    Transcript,
    Turn,
    Utterance,
    Verdict,
    from_json,
    replace,
)
from peerjudge.store.archive import Archive
from peerjudge.store.rows import transcript_from
from peerjudge.store.schema import comparisons, discussions, members, turns

__all__ = ["Columns"]

# How many discussions are read at a time: about ten thousand turns. Pages side by side would wait
# for the interpreter row by row, and take twice the time.
_PAGE = 2000

# Where the fields of a `TurnRow` are in the body of a turn; of what is seen, the first is taken.
_FIELDS: Mapping[str, str] = {
    "turn": "index",
    **{name: f"cue.{name}" for name in ("seat", "task", "private", "expects")},
    "first": "cue.sees",
    **{name: f"review.verdict.{name}" for name in ("outcome", "choice")},
    **{name: f"review.{name}" for name in ("score", "rule")},
    **{name: f"utterance.{name}" for name in ("model", "finish_reason", "latency", "attempts")},
    **{name: f"utterance.{name}" for name in ("cached", "simulated")},
    **{
        name: f"utterance.usage.{name}"
        for name in ("prompt_tokens", "completion_tokens", "estimated")
    },
}
_TEXT = "utterance.text"

# What a turn is rebuilt from, in the order in which `_turn` reads it.
_STANCE = ("index", "cue", "review", "utterance.model", "utterance.simulated")

# Stands in for the comparison while a head is read.
_NOTHING = Comparison(id="", question=Question(id="-", text=""), answers=(Answer(id="-", text=""),))


class Columns(Archive):
    """A store read for its numbers: the database takes them out of the turns, and leaves the texts."""

    async def heads(self, run: str) -> tuple[list[Transcript], list[int]]:
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
                columns.number,
                columns.comparison,
                columns.head,
            )
            .select_from(members.join(discussions, members.c.discussion == columns.id))
            .where(members.c.run == run)
            .order_by(members.c.condition, members.c.comparison_id, columns.id)
        )
        rows = await self._rows(query)
        heads = [
            replace(
                _head(row.head),
                id=row.id,
                condition=row.condition,
                comparison=shown[row.comparison],
            )
            for row in rows
        ]
        return heads, [counts.get(row.number, 0) for row in rows]

    async def turns(self, heads: Sequence[Transcript]) -> AsyncIterator[TurnColumns]:
        """The turns of these discussions in batches; `head` is a discussion's number among them."""
        wanted = (self._packed(tuple(_FIELDS.values())), func.length(self._text(_TEXT)))
        async for start, page, rows in self._pages(heads, *wanted):
            if not rows:
                continue
            ids: list[str] = [row[0] for row in rows]
            columns = dict(zip(_FIELDS, zip(*_values(rows), strict=True), strict=True))
            columns["characters"] = tuple(row[2] for row in rows)
            columns["first"] = tuple(seen[0] if seen else None for seen in columns["first"])
            for places in _places(page):
                here = [k for k, found in enumerate(ids) if found in places]
                if len(here) < len(ids):
                    taken = {name: [column[k] for k in here] for name, column in columns.items()}
                else:
                    taken = columns
                yield {**taken, "head": [start + places[ids[k]] for k in here]}

    async def transcripts_without_texts(
        self, heads: Sequence[Transcript]
    ) -> AsyncIterator[Transcript]:
        """These discussions with all their cues and verdicts, and nothing of what was said."""
        async for _, page, rows in self._pages(heads, self._packed(_STANCE)):
            said: dict[str, list[str]] = {head.id: [] for head in page}
            for row in rows:
                said[row[0]].append(row[1])
            for head in page:
                yield replace(head, turns=_turns(tuple(said[head.id])))

    async def _pages(
        self, heads: Sequence[Transcript], *wanted: ColumnElement[Any]
    ) -> AsyncIterator[tuple[int, Sequence[Transcript], Sequence[Row[*tuple[Any, ...]]]]]:
        """Pages of heads with the number of the first, and what is wanted of all their turns."""
        for start in range(0, len(heads), _PAGE):
            page = heads[start : start + _PAGE]
            yield start, page, await self._of(page, *wanted)

    async def _of(
        self, heads: Sequence[Transcript], *wanted: ColumnElement[Any]
    ) -> Sequence[Row[*tuple[Any, ...]]]:
        """The discussion's id and what is wanted of every turn of these, by discussion and turn."""
        discussion = discussions.c.id
        together = discussions.join(turns, turns.c.discussion == discussions.c.number)
        query = select(discussion, *wanted).select_from(together)
        query = query.where(discussion.in_({head.id for head in heads}))
        return await self._rows(query.order_by(discussion, turns.c.index))

    def _packed(self, paths: Sequence[str]) -> ColumnElement[Any]:
        """What is at these paths of a turn, as the text of one JSON array."""
        if self._engine.dialect.name == "sqlite":
            return func.json_extract(turns.c.body, *(f"$.data.{path}" for path in paths))
        document = cast(turns.c.body, JSONB)
        places = [document[("data", *path.split("."))] for path in paths]
        return cast(func.jsonb_build_array(*places), Text)

    def _text(self, path: str) -> ColumnElement[Any]:
        if self._engine.dialect.name == "sqlite":
            return func.json_extract(turns.c.body, f"$.data.{path}")
        return cast(turns.c.body, JSONB)[("data", *path.split("."))].astext


def _values(rows: Sequence[Row[*tuple[Any, ...]]]) -> list[list[Any]]:
    # One document is read faster than as many as there are rows.
    return plain_json(f"[{','.join([row[1] for row in rows])}]")


def _places(heads: Sequence[Transcript]) -> list[dict[str, int]]:
    """Where each discussion is among the heads.

    A discussion that is there twice, as part of two conditions, is in two of the results.
    """
    places: list[dict[str, int]] = [{}]
    for number, head in enumerate(heads):
        if all(head.id in found for found in places):
            places.append({})
        free = next(found for found in places if head.id not in found)
        free[head.id] = number
    return places


@lru_cache(maxsize=10_000)
def _head(text: str) -> Transcript:
    # The heads of many discussions differ in nothing, and reading one takes longer than all the rest.
    return transcript_from("", condition="", head=text, comparison=_NOTHING, turns=())


@lru_cache(maxsize=10_000)
def _turns(packed: tuple[str, ...]) -> tuple[Turn, ...]:
    """The turns of a discussion; the same ones for all discussions that went alike."""
    return tuple(map(_turn, packed))


# Who said what in which turn differs far less than the texts, and reading it takes longest.
@lru_cache(maxsize=50_000)
def _turn(packed: str) -> Turn:
    """A turn without its text, from the JSON array of what is at `_STANCE`."""
    index, cue, review, model, simulated = plain_json(packed)
    verdict = review["verdict"]
    return Turn(
        index=index,
        cue=Cue(
            seat=cue["seat"],
            task=cue["task"],
            sees=tuple(cue["sees"]),
            hears=tuple(cue["hears"]),
            expects=Expects(cue["expects"]),
            private=cue["private"],
            # Turns of older stores say nothing of controls.
            control=cue.get("control", "none"),
            withheld=tuple(cue.get("withheld", ())),
        ),
        utterance=Utterance(text="", model=model, simulated=bool(simulated)),
        review=Review(
            verdict=None if verdict is None else _verdict(verdict["outcome"], verdict["choice"]),
            score=review["score"],
            rule=review["rule"],
        ),
    )


@lru_cache(maxsize=10_000)
def _verdict(outcome: str, choice: str | None) -> Verdict:
    return Verdict(Outcome(outcome), choice)
