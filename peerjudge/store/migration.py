"""Migration of stores of schema 1, which booked no calls: their paid turns become calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import insert, select

from peerjudge.data.cleaning import clean_count
from peerjudge.store.schema import calls, discussions, turns

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PAID = ('%"cached":false%', '%"simulated":false%')
"""Patterns of a paid turn. Quotes in the texts of a turn are escaped, so no text fits them."""
_BATCH = 1000


def book_paid_turns(connection: Connection) -> None:
    """Book each paid turn of real models as a call; its price is unknown here.

    A turn that cannot be read is left out.
    """
    rows = _list_paid_turns(connection)
    batch: list[dict[str, object]] = []
    for number, row in enumerate(rows, 1):
        batch.append({"number": number, **row})
        if len(batch) == _BATCH:
            connection.execute(insert(calls), batch)
            batch.clear()
    if batch:
        connection.execute(insert(calls), batch)


def _list_paid_turns(connection: Connection) -> Iterator[dict[str, object]]:
    together = discussions.join(turns, turns.c.discussion == discussions.c.number)
    query = select(discussions.c.id, discussions.c.head, turns.c.index, turns.c.body)
    query = query.select_from(together)
    for pattern in _PAID:
        query = query.where(turns.c.body.like(pattern))
    query = query.order_by(turns.c.discussion, turns.c.index)
    for row in connection.execute(query).all():
        try:
            said = json.loads(row.body)["data"]
            seats = {seat["id"]: seat["reviewer"] for seat in json.loads(row.head)["data"]["seats"]}
            booked = _book(said["utterance"], reviewer=seats[said["cue"]["seat"]])
        except (KeyError, TypeError, ValueError):
            continue
        if booked is not None:
            yield {"discussion": row.id, "turn": row.index, **booked}


def _book(utterance: Mapping[str, Any], *, reviewer: str) -> dict[str, object] | None:
    """Return the columns of a call; `None` for words that called no model."""
    usage = cast("Mapping[str, object]", utterance["usage"])
    prompt, reply = (
        clean_count(usage[name]) or 0 for name in ("prompt_tokens", "completion_tokens")
    )
    if utterance["cached"] or utterance["simulated"] or not prompt + reply:
        return None
    return {
        "run": "",
        "reviewer": reviewer,
        "model": utterance["model"],
        "outcome": "paid",
        "prompt_tokens": prompt,
        "completion_tokens": reply,
        "estimated": bool(usage["estimated"]),
        "usd": None,
        "error": "",
    }
