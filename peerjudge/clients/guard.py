"""Bounds one attempt in time, and turns what a client may wrongly raise into typed failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from autogen_core import CancellationToken
from pydantic import ValidationError

from peerjudge.clients.failures import ClientCancelledError, MalformedReplyError

__all__ = ["guarded"]

# What reading something that is no reply raises inside AutoGen's clients.
_UNREADABLE = (
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
    ValidationError,
    json.JSONDecodeError,
)


@asynccontextmanager
async def guarded(
    seconds: float | None, *, token: CancellationToken | None, model: str
) -> AsyncGenerator[None]:
    """Run an attempt inside, for at most so many seconds (`None`: as long as it likes).

    Raises:
        TimeoutError: The attempt took too long.
        MalformedReplyError: What came back is no reply.
        ClientCancelledError: The client cancelled itself, though nobody asked it to.
    """
    if token is not None and token.is_cancelled():
        raise asyncio.CancelledError
    who = model or "the model"
    bound = asyncio.timeout(seconds)
    try:
        async with bound:
            try:
                yield
            except asyncio.CancelledError as cause:
                if _being_cancelled(token):
                    raise
                msg = f"the client of {who} cancelled its own call"
                raise ClientCancelledError(msg) from cause
            except _UNREADABLE as cause:
                msg = (
                    f"what came back from {who} is no reply "
                    f"({type(cause).__name__}: {str(cause)[:200]}); is its base_url right?"
                )
                raise MalformedReplyError(msg) from cause
    except TimeoutError as cause:
        if not bound.expired():
            raise
        msg = f"no reply from {who} within {seconds:g} s"
        raise TimeoutError(msg) from cause


def _being_cancelled(token: CancellationToken | None) -> bool:
    task = asyncio.current_task()
    return (task is not None and task.cancelling() > 0) or (
        token is not None and token.is_cancelled()
    )
