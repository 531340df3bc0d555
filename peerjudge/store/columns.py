"""Reading of discussions without their texts, thousands at a time, for frames and statistics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from msgspec import DecodeError, Struct
from msgspec.json import Decoder
from pydantic_core import from_json as plain_json
from sqlalchemy import ColumnElement, Row, Text, case, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB

from peerjudge.analysis.frames import TurnColumns
from peerjudge.analysis.pricing import Replies
from peerjudge.analysis.probabilities import find_choice_probability
from peerjudge.data import (
    Answer,
    Comparison,
    Question,
    Review,
    TokenLogprob,
    Transcript,
    Turn,
    Usage,
    replace,
    split_turns,
)
from peerjudge.data.discussion import require_fitting_head, require_fitting_turn
from peerjudge.data.nouns import Count
from peerjudge.errors import DataError, StoreError
from peerjudge.store.archive import Archive, read_comparison, select_run
from peerjudge.store.bare import BareReader, CheckedCue
from peerjudge.store.rows import build_transcript
from peerjudge.store.schema import comparisons, discussions, members, turns

# Discussions read at a time: about ten thousand turns. Concurrent pages would take twice the time, as
# they compete for the interpreter.
_PAGE = 2000

# Paths of the fields of a `TurnRow` in the body of a turn; of the answers seen, the first is taken.
_FIELDS: Mapping[str, str] = {
    "turn": "index",
    **{name: f"cue.{name}" for name in ("seat", "task", "private", "expects")},
    "ties": "cue.ties",
    "first": "cue.sees",
    **{name: f"review.verdict.{name}" for name in ("outcome", "choice")},
    **{name: f"review.{name}" for name in ("score", "rule")},
    **{name: f"utterance.{name}" for name in ("model", "finish_reason", "latency", "attempts")},
    **{name: f"utterance.{name}" for name in ("cached", "simulated", "confidence", "unset")},
    **{
        name: f"utterance.usage.{name}"
        for name in ("prompt_tokens", "completion_tokens", "thinking_tokens", "estimated")
    },
}
_MOST_SHARED = 10_000
"""Tuples of turns that are kept while discussions are read."""

_TEXT = "utterance.text"


class _Checked(Struct, array_like=True, gc=False):
    """The values that are checked in every turn, also by readers that do not need them."""

    index: Count
    cue: CheckedCue
    review: Review
    cached: bool
    simulated: bool
    model: str
    finish_reason: str
    latency: float
    attempts: Count
    confidence: Count | None
    usage: Usage
    logprobs: tuple[TokenLogprob, ...] | None
    reread: str | None
    speaker: str | None


_OF_TURN = {name: name for name in ("index", "cue", "review", "speaker")} | {
    "reread": "reread.model"
}
_CHECKED = tuple(_OF_TURN.get(name, f"utterance.{name}") for name in _Checked.__struct_fields__)
_check_values = Decoder(list[_Checked]).decode

T = TypeVar("T")

_Rows: TypeAlias = Sequence[Row[*tuple[Any, ...]]]
_Columns: TypeAlias = tuple[list[str], dict[str, tuple[Any, ...]]]
"""The discussion of each turn, and columns by name."""

_UNREADABLE = (
    *(AttributeError, DataError, DecodeError, KeyError, RecursionError, TypeError, ValueError),
)
"""Errors of the fast readers on a turn that the whole reader refuses."""

_read_logprobs = Decoder(tuple[TokenLogprob, ...]).decode

# Placeholder for the comparison of a head.
_NOTHING = Comparison(id="", question=Question(id="-", text=""), answers=(Answer(id="-", text=""),))


class Columns(Archive):
    """Store that is read for its numbers: the database extracts them, texts are not read."""

    async def heads(self, run: str) -> tuple[list[Transcript], list[int]]:
        """Return the discussions of a run without turns, and the number of turns of each.

        In the order of `Archive.transcripts`. Damage of a turn is found when it is read; see `check`.
        """
        bodies = {row.key: row.body for row in await self._rows(select(comparisons))}
        shown: dict[str, Comparison] = {}
        index = turns.c.index
        counted = select(turns.c.discussion, func.count(), func.max(index) + 1)
        lengths = await self._rows(counted.group_by(turns.c.discussion))
        counts = {row[0]: row[1] for row in lengths}
        incomplete = {row[0] for row in lengths if row[1] != row[2]}
        columns = members.c
        query = select_run(run).order_by(columns.condition, columns.comparison_id, discussions.c.id)
        rows = await self._rows(query)
        heads: list[Transcript] = []
        numbers: list[int] = []
        for row in rows:
            if row.number in incomplete and await self.transcript(row.id) is None:
                continue
            try:
                if row.comparison not in shown:
                    shown[row.comparison] = read_comparison(bodies, row.comparison)
                head = _head(row.head)
                comparison = shown[row.comparison]
                head = replace(head, id=row.id, condition=row.condition, comparison=comparison)
                require_fitting_head(head)
            except DataError as cause:
                self._skip("discussion", row.id, cause)
                continue
            heads.append(head)
            numbers.append(counts.get(row.number, 0))
        return heads, numbers

    async def check(self, heads: Sequence[Transcript]) -> set[str]:
        """Return the ids of those of these discussions whose turns can be read; warn of the others."""
        async for _ in self._pages(heads, self._packed(_CHECKED), read=_check_rows):
            pass
        return {head.id for head in heads} - self.unreadable.keys()

    async def turns(self, heads: Sequence[Transcript]) -> AsyncIterator[TurnColumns]:
        """Yield the turns of these discussions in batches; `head` is a discussion's index in `heads`."""
        characters = func.length(self._text(_TEXT))
        wanted = (self._packed(tuple(_FIELDS.values())), characters, self._verdict_logprobs())
        wanted = (*wanted, self._packed(_CHECKED))

        def read(rows: _Rows, known: Mapping[str, Transcript]) -> _Columns:
            _check_rows(rows, known)
            return _parse_columns(rows)

        async for start, page, (ids, columns) in self._pages(heads, *wanted, read=read):
            if not ids:
                continue
            for places in _places(page):
                here = [k for k, discussion in enumerate(ids) if discussion in places]
                if len(here) < len(ids):
                    taken = {name: [column[k] for k in here] for name, column in columns.items()}
                else:
                    taken = columns
                yield {**taken, "head": [start + places[ids[k]] for k in here]}

    async def transcripts_without_texts(
        self, heads: Sequence[Transcript], *, logprobs: bool = False
    ) -> AsyncIterator[Transcript]:
        """Yield these discussions with all their cues and verdicts; see `with_replies`."""
        async for transcript, _ in self.with_replies(heads, logprobs=logprobs):
            yield transcript

    async def with_replies(
        self, heads: Sequence[Transcript], *, logprobs: bool = False
    ) -> AsyncIterator[tuple[Transcript, list[Replies]]]:
        """Yield these discussions with all their cues and verdicts, with empty texts, and their replies.

        Discussions that went alike have the same tuple of turns, if these have no log-probabilities: by
        its identity, readers know again what follows from it.

        Args:
            heads: The discussions.
            logprobs: Read the log-probabilities of the replies with a verdict, too.
        """
        reader = BareReader(logprobs=logprobs)
        shared: dict[tuple[int, ...], tuple[Turn, ...]] = {}
        async for _, page, by_discussion in self._pages(heads, turns.c.body, read=reader.read):
            if len(shared) > _MOST_SHARED:
                shared.clear()
            for head in page:
                if head.id in self.unreadable:
                    continue
                told, replies = by_discussion.get(head.id, ([], []))
                spoken = tuple(told)
                if not any(turn.utterance.logprobs for turn in spoken):
                    # Equal turns are one object, see `BareReader`.
                    spoken = shared.setdefault(tuple(map(id, spoken)), spoken)
                dense, ahead = split_turns(spoken)
                yield replace(head, turns=dense, ahead=ahead), replies[: len(dense)]

    async def _pages(
        self,
        heads: Sequence[Transcript],
        *wanted: ColumnElement[Any],
        read: Callable[[_Rows, Mapping[str, Transcript]], T],
    ) -> AsyncIterator[tuple[int, Sequence[Transcript], T]]:
        """Yield pages of heads with the index of the first, and what `read` makes of their turns.

        Discussions that cannot be read are left out of the turns.
        """
        for start in range(0, len(heads), _PAGE):
            page = heads[start : start + _PAGE]
            known = {head.id: head for head in page}
            ids = known.keys() - self.unreadable.keys()
            try:
                parsed = read(await self._of(ids, *wanted), known)
            except (StoreError, *_UNREADABLE):
                readable = {each for each in ids if await self.transcript(each) is not None}
                if readable == ids:
                    raise
                parsed = read(await self._of(readable, *wanted), known)
            yield start, page, parsed

    async def _of(self, ids: Iterable[str], *wanted: ColumnElement[Any]) -> _Rows:
        """Return the discussion's id and the wanted values of every turn, by discussion and turn."""
        discussion = discussions.c.id
        together = discussions.join(turns, turns.c.discussion == discussions.c.number)
        query = select(discussion, *wanted).select_from(together)
        query = query.where(discussion.in_(set(ids)))
        return await self._rows(query.order_by(discussion, turns.c.index))

    def _packed(self, paths: Sequence[str]) -> ColumnElement[Any]:
        """Return the SQL for the values at these paths of a turn, as the text of one JSON array."""
        if self._engine.dialect.name == "sqlite":
            return func.json_extract(turns.c.body, *(f"$.data.{path}" for path in paths))
        document = cast(turns.c.body, JSONB)
        places = [document[("data", *path.split("."))] for path in paths]
        return cast(func.jsonb_build_array(*places), Text)

    def _verdict_logprobs(self) -> ColumnElement[Any]:
        """Return the SQL for the log-probabilities of a turn with a verdict, as JSON; else NULL."""
        judged = self._text("review.verdict.outcome").is_not(None)
        logprobs = case(
            (self._text("asked.text").is_not(None), self._text("asked.logprobs")),
            else_=self._text("utterance.logprobs"),
        )
        return case((judged, logprobs))

    def _text(self, path: str) -> ColumnElement[Any]:
        if self._engine.dialect.name == "sqlite":
            return func.json_extract(turns.c.body, f"$.data.{path}")
        return cast(turns.c.body, JSONB)[("data", *path.split("."))].astext


def _check_rows(rows: _Rows, heads: Mapping[str, Transcript]) -> None:
    """Raise an error if a value of a turn has another type, or names what its discussion does not have."""
    for row, turn in zip(rows, _check_values(_join(rows, -1)), strict=True):
        verdict = turn.review.verdict
        require_fitting_turn(heads[row[0]], turn.index, turn.cue, verdict and verdict.choice)


def _parse_columns(rows: _Rows) -> _Columns:
    """Return the discussion of each turn, and the columns of a `TurnRow`."""
    if not rows:
        return [], dict.fromkeys((*_FIELDS, "characters", "probability"), ())
    columns = dict(zip(_FIELDS, zip(*plain_json(_join(rows, 1)), strict=True), strict=True))
    # Older turns lack the tokens of the thinking.
    columns["thinking_tokens"] = tuple(n or 0 for n in columns["thinking_tokens"])
    columns["unset"] = tuple("temperature" in (names or ()) for names in columns["unset"])
    columns["characters"] = tuple(row[2] for row in rows)
    columns["probability"] = tuple(
        text
        and find_choice_probability(
            _read_logprobs(text), sees=sees or (), choice=choice, ties=bool(ties)
        )
        for text, sees, choice, ties in zip(
            (row[3] for row in rows),
            *(columns[name] for name in ("first", "choice", "ties")),
            strict=True,
        )
    )
    columns["first"] = tuple(seen[0] if seen else None for seen in columns["first"])
    return [row[0] for row in rows], columns


def _join(rows: _Rows, column: int) -> str:
    # One JSON document is parsed faster than one per row.
    return f"[{','.join([row[column] for row in rows])}]"


def _places(heads: Sequence[Transcript]) -> list[dict[str, int]]:
    """Return the index of each discussion in the heads.

    A discussion of two conditions occurs twice, and is in two of the results.
    """
    places: list[dict[str, int]] = [{}]
    for number, head in enumerate(heads):
        if all(head.id in taken for taken in places):
            places.append({})
        free = next(taken for taken in places if head.id not in taken)
        free[head.id] = number
    return places


@lru_cache(maxsize=10_000)
def _head(text: str) -> Transcript:
    # Many heads are equal, and parsing one costs more than the rest of the work on a row.
    return build_transcript("", condition="", head=text, comparison=_NOTHING, turns=())
