"""Examination and repair of a store with rows that cannot be read, and of calls whose bill is unknown.

A repair keeps what was paid for where it can: a value that cannot be read is replaced in its turn.
A turn beyond that is removed with the turns after it, and the next run repeats them. Every row is
copied to the table `damaged` before it is changed or removed. A call that a person settles as unbilled
keeps its estimate in the book.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias, cast

from msgspec.structs import asdict
from sqlalchemy import Column, Executable, Row, Select, delete, insert, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from peerjudge.data import (
    UNREADABLE,
    Comparison,
    StopReason,
    Transcript,
    Turn,
    from_json,
    read_manifest_text,
    replace,
    to_json,
)
from peerjudge.data.cleaning import clean_count, clean_text, clean_utterance
from peerjudge.data.discussion import (
    TokenLogprob,
    Usage,
    Utterance,
    require_fitting_head,
    require_fitting_turn,
    require_place,
)
from peerjudge.data.nouns import from_plain, to_plain
from peerjudge.errors import DataError
from peerjudge.store.archive import UNBILLED, UNCERTAIN, UncertainCalls
from peerjudge.store.database import describe_error, locate, lock_file, open_database
from peerjudge.store.rows import Head
from peerjudge.store.schema import calls, comparisons, damaged, discussions, runs, turns, writings

_PAGE = 200
_BILL = (calls.c.outcome, calls.c.prompt_tokens, calls.c.completion_tokens, calls.c.usd)
_WRITTEN_AGAIN = "removed; the next run writes it again"
_REPLACED = "the values that cannot be read are replaced"
_OUTCOMES = UNCERTAIN | {UNBILLED, "paid", "failed", "unmetered"}

_Row: TypeAlias = Row[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One row that cannot be read.

    `row` names it, `id` is that of its discussion, run or comparison. `repair` says what a repair does
    to it; empty if only a copy of the store can help.
    """

    row: str
    id: str
    cause: str
    repair: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LostCalls(UncertainCalls):
    """Calls whose bill is unknown, and whether they were settled as unbilled."""

    settled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """Result of an examination: the number of rows read, the damage, and whether it was repaired."""

    rows: int
    damage: tuple[Damage, ...]
    repaired: bool
    lost: LostCalls = LostCalls()


async def examine_store(
    place: str | Path, *, repair: bool = False, settle_lost: bool = False
) -> Examination:
    """Read every row of the store at a place, and repair those that cannot be read if told to.

    Args:
        place: Folder, file or database URL.
        repair: Repair the rows that cannot be read.
        settle_lost: Set the calls whose bill is unknown to unbilled.

    Raises:
        StoreError: There is no store, it cannot be opened, or another process writes to it during a
            repair or settlement.
    """
    location = locate(place)
    exists = location.file is None or location.file.exists()
    writable = (repair or settle_lost) and exists
    async with AsyncExitStack() as stack:
        if location.file is not None and writable:
            stack.enter_context(lock_file(location.file))
        engine = await stack.enter_async_context(open_database(location, writable=writable))
        try:
            async with engine.begin() as connection:
                surgeon = _Surgeon(connection, repair=repair)
                await surgeon.examine()
                if settle_lost:
                    await surgeon.settle_lost()
        except (SQLAlchemyError, OSError) as cause:
            raise describe_error(cause, location) from cause
    return Examination(
        rows=surgeon.rows,
        damage=tuple(surgeon.damage),
        repaired=repair and all(each.repair for each in surgeon.damage),
        lost=surgeon.lost,
    )


class _Surgeon:
    """Examination of one store in one transaction."""

    def __init__(self, connection: AsyncConnection, *, repair: bool) -> None:
        self.rows = 0
        self.damage: list[Damage] = []
        self.lost = LostCalls()
        self._connection = connection
        self._repair = repair

    async def examine(self) -> None:
        """Read every table."""
        await self._check_file()
        async for row in self._pages(select(runs), runs.c.id):
            try:
                read_manifest_text(row.manifest)
            except DataError as cause:
                self._report("manifest of a run", row.id, cause, _WRITTEN_AGAIN)
                await self._cut(
                    delete(runs).where(runs.c.id == row.id), row.id, cause, row.manifest
                )
        readable: dict[str, Comparison] = {}
        async for row in self._pages(select(comparisons), comparisons.c.key):
            try:
                readable[row.key] = from_json(Comparison, row.body)
            except DataError as cause:
                self._report("comparison", row.key, cause, _WRITTEN_AGAIN)
                query = delete(comparisons).where(comparisons.c.key == row.key)
                await self._cut(query, row.key, cause, row.body)
        async for row in self._pages(select(discussions), discussions.c.number):
            await self._check_discussion(row, known=readable)
        async for row in self._pages(select(writings), writings.c.key):
            await self._check_writing(row)
        columns = (calls.c.number, calls.c.reviewer, *_BILL)
        async for row in self._pages(select(*columns), calls.c.number):
            await self._check_call(row)

    async def _check_file(self) -> None:
        if self._connection.dialect.name == "sqlite":
            for (problem,) in (await self._connection.execute(text("PRAGMA quick_check"))).all():
                if problem != "ok":
                    self._report("file of the store", "", DataError(str(problem)), "")

    async def settle_lost(self) -> None:
        """Set the calls whose bill is unknown to unbilled; their estimate stays in the book."""
        change = update(calls).where(calls.c.outcome.in_(UNCERTAIN)).values(outcome=UNBILLED)
        if self.lost.calls:
            await self._connection.execute(change)
        self.lost = dataclasses.replace(self.lost, settled=True)

    async def _check_discussion(self, row: _Row, *, known: Mapping[str, Comparison]) -> None:
        query = select(turns.c.index, turns.c.body).where(turns.c.discussion == row.number)
        stored = (await self._connection.execute(query.order_by(turns.c.index))).all()
        self.rows += len(stored)
        discussion = discussions.c.number == row.number
        try:
            if row.comparison not in known:
                msg = f"its comparison {row.comparison!r} cannot be read"
                raise DataError(msg)  # noqa: TRY301  like a head that cannot be read
            head = from_json(Head, row.head)
            whole = Transcript(id=row.id, comparison=known[row.comparison], **asdict(head))
            require_fitting_head(whole)
        except DataError as cause:
            repair = "removed with its turns; the next run plays it again"
            self._report("discussion", row.id, cause, repair)
            await self._remove_turns(row, stored, cause)
            await self._cut(delete(discussions).where(discussion), row.id, cause, row.head)
            return
        there: set[int] = set()
        for place, (index, body) in enumerate(stored):
            try:
                _require_turn(from_json(Turn, body), whole, index=index, there=there)
            except DataError as cause:
                mended = _mend_fitting(body, whole, index=index, there=there)
                if mended is not None:
                    self._report(f"turn {index}", row.id, cause, _REPLACED)
                    where = (turns.c.discussion == row.number, turns.c.index == index)
                    query = update(turns).where(*where).values(body=to_json(mended))
                    await self._cut(query, row.id, cause, body)
                    continue
                later = len(stored) - place - 1
                repair = f"removed with the {later} after it; the next run repeats them"
                self._report(f"turn {index}", row.id, cause, repair)
                await self._remove_turns(row, stored[place:], cause)
                reopened = replace(head, stop=None, failure=None, verdict=UNREADABLE)
                query = update(discussions).where(discussion)
                await self._cut(
                    query.values(stop=None, head=to_json(reopened)), row.id, cause, row.head
                )
                return

    async def _check_writing(self, row: _Row) -> None:
        try:
            from_json(Utterance, row.body)
        except DataError as cause:
            mended, where = mend_utterance(row.body), writings.c.key == row.key
            if mended is not None:
                repair = _REPLACED
                query = update(writings).where(where).values(body=to_json(mended))
            else:
                repair = "removed; the next command that needs it has it written again"
                query = delete(writings).where(where)
            self._report(f"text of {row.card}", row.key, cause, repair)
            await self._cut(query, row.key, cause, row.body)

    async def _check_call(self, row: _Row) -> None:
        """Count a call whose bill is unknown; a repair makes such a call of one that cannot be read."""
        given = {each.name: getattr(row, each.name) for each in _BILL}
        values = mend_call(given)
        if changed := [
            f"{name} is {given[name]!r}" for name in values if given[name] != values[name]
        ]:
            cause = DataError(", ".join(changed))
            repair = "what it cost counts as unknown"
            self._report(f"call of {row.reviewer}", str(row.number), cause, repair)
            query = update(calls).where(calls.c.number == row.number).values(values)
            await self._cut(query, f"call {row.number}", cause, repr(given))
        if values["outcome"] in UNCERTAIN:
            lost, usd = self.lost, values["usd"]
            self.lost = LostCalls(
                calls=lost.calls + 1,
                tokens=lost.tokens + values["prompt_tokens"] + values["completion_tokens"],
                usd=None if lost.usd is None or usd is None else lost.usd + usd,
            )

    async def _remove_turns(self, row: _Row, stored: Sequence[_Row], cause: DataError) -> None:
        for index, body in stored:
            where = (turns.c.discussion == row.number, turns.c.index == index)
            await self._cut(delete(turns).where(*where), f"{row.id} turn {index}", cause, body)

    def _report(self, row: str, row_id: str, cause: DataError, repair: str) -> None:
        self.damage.append(Damage(row=row, id=row_id, cause=str(cause), repair=repair))

    async def _cut(self, change: Executable, row: str, cause: DataError, body: str) -> None:
        """Copy a row to the table of damaged rows and change it, during a repair."""
        if self._repair:
            copy = {"row": row, "cause": clean_text(str(cause)), "body": body}
            await self._connection.execute(insert(damaged), [copy])
            await self._connection.execute(change)

    async def _pages(
        self, query: Select[*tuple[Any, ...]], key: Column[Any]
    ) -> AsyncIterator[_Row]:
        """Yield the rows of a table by its key, a page at a time, so that they may be changed."""
        query = query.order_by(key).limit(_PAGE)
        page = (await self._connection.execute(query)).all()
        while page:
            self.rows += len(page)
            for row in page:
                yield row
            last = getattr(page[-1], key.name)
            page = (await self._connection.execute(query.where(key > last))).all()


def _require_turn(turn: Turn, whole: Transcript, *, index: int, there: set[int]) -> None:
    """Raise `DataError` if a turn does not fit after those that are `there`; add it to them.

    A discussion that was interrupted while several seats spoke may lack a turn that no later one hears.
    """
    verdict = turn.review.verdict
    require_fitting_turn(whole, index, turn.cue, verdict and verdict.choice)
    if turn.index != index:
        msg = f"the row of turn {index} holds turn {turn.index}"
        raise DataError(msg)
    require_place(turn, there, whole=whole.stop is StopReason.COMPLETE)


def _mend_fitting(body: str, whole: Transcript, *, index: int, there: set[int]) -> Turn | None:
    """Return the turn of a discussion as `mend_turn` does; `None` if its cue does not fit there."""
    mended = mend_turn(body, index=index)
    try:
        if mended is not None:
            _require_turn(mended, whole, index=index, there=there)
    except DataError:
        return None
    return mended


def mend_turn(body: str, *, index: int) -> Turn | None:
    """Return the turn with the values of its utterance replaced that cannot be read.

    `None` if its cue, its text or its review cannot be read either.
    """
    try:
        plain = cast("dict[str, Any]", _read_whole(body)["data"])
        given = cast("dict[str, Any]", plain["utterance"])
        utterance, _ = clean_utterance(_construct_utterance(given))
        rest = {**plain, "utterance": {"text": ""}}
        return replace(from_plain(Turn, rest), index=index, utterance=utterance)
    except (DataError, KeyError, TypeError, ValueError):
        return None


def _read_whole(body: str) -> Any:  # noqa: ANN401  JSON
    """Return the values of a row without halves of characters."""
    return json.loads(clean_text(json.dumps(json.loads(body), ensure_ascii=False)))


def mend_call(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome, tokens and cost of a call in the book; a lost one where they cannot be read."""
    tokens = {name: clean_count(row[name]) for name in ("prompt_tokens", "completion_tokens")}
    usd = row["usd"]
    priced = usd is None or (isinstance(usd, int | float) and isfinite(usd) and usd >= 0)
    if row["outcome"] in _OUTCOMES and None not in tokens.values() and priced:
        return {"outcome": row["outcome"], "usd": usd, **tokens}
    return {"outcome": "lost", "usd": None, **{name: it or 0 for name, it in tokens.items()}}


def mend_utterance(body: str) -> Utterance | None:
    """Return the utterance with the values replaced that cannot be read; `None` without a text."""
    try:
        given = cast("dict[str, Any]", _read_whole(body)["data"])
        utterance, _ = clean_utterance(_construct_utterance(given))
        return from_plain(Utterance, to_plain(utterance))
    except (DataError, KeyError, TypeError, ValueError):
        return None


def _construct_utterance(given: Mapping[str, Any]) -> Utterance:
    """Return an utterance of these values without a check of their types."""
    counts = cast("dict[str, Any]", given.get("usage") or {})
    fields = {name: given[name] for name in Utterance.__struct_fields__ if name in given}
    fields["usage"] = Usage(
        **{name: counts[name] for name in Usage.__struct_fields__ if name in counts}
    )
    fields["logprobs"] = _construct_logprobs(given.get("logprobs"))
    return Utterance(**fields)


def _construct_logprobs(given: object) -> object:
    if not isinstance(given, list):
        return None
    tokens = cast("list[dict[str, Any]]", given)
    try:
        return tuple(
            TokenLogprob(token=token["token"], logprob=token["logprob"], top=token.get("top", ()))
            for token in tokens
        )
    except (AttributeError, KeyError, TypeError):
        return None
