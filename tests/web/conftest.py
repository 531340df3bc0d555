"""A store with discussions of every kind, and a viewer of it without a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'peerjudge[web]'")
import httpx

from peerjudge.data import Failure, StopReason, TokenLogprob, Transcript, Usage, replace
from peerjudge.features.view.app import build_app
from peerjudge.shelf import Shelf
from peerjudge.store import Store
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.web.library import open_library
from peerjudge.web.safety import SignIn

RUN = "0123456789abcdef"
HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\"'><b>\u202eevil\x1b[31m"


def tell(
    line: str, number: int, *, condition: str = "talk", text: str = "", **changes
) -> Transcript:
    """Return a discussion of three answers; every turn has tokens, time and log-probabilities."""
    comparison = comparison_of(3, gold=1, name=f"c{number}")
    told = transcript_of(line, comparison=comparison, condition=condition)
    turns = tuple(
        replace(
            turn,
            utterance=replace(
                turn.utterance,
                text=text or f"{turn.utterance.text} token{number}",
                usage=Usage(prompt_tokens=10 * number, completion_tokens=turn.index),
                latency=0.25 * number,
                logprobs=(TokenLogprob(token="1", logprob=-0.1, top=(("2", -2.4),)),),
            ),
        )
        for turn in told.turns
    )
    return replace(told, id=f"{told.id[:8]}{condition}{number}", turns=turns, **changes)


def list_discussions() -> list[Transcript]:
    """Return discussions of every kind that a list distinguishes."""
    failure = Failure(kind="RateLimitError", message="429", seat="seat-1", turn=2)
    return [
        tell("2|1 1 1 1", 1),
        tell("1|2 2 1 2", 2),
        tell("?|1 ! = 1", 3),
        tell("2|2 2 2 2", 4, condition="other"),
        tell("1|1", 5, condition="other", stop=StopReason.FAILED, failure=failure),
        tell("1|2 1", 6, stop=None),
        tell("3|1 2 3 1 1 1", 7),
    ]


async def keep(place, told: list[Transcript], *, run: str = RUN, **manifest) -> None:
    """Write a store with these discussions as one run."""
    async with Store.open(place) as store:
        await store.record_run(run, {"run": run, "experiment": {"name": "study", **manifest}})
        await store.enlist(run, [replace(one, turns=(), stop=None, failure=None) for one in told])
        for one in told:
            for turn in one.turns:
                head = replace(one, turns=one.turns[: turn.index], stop=None, failure=None)
                await store.turn(head, turn)
            if one.stop is not None:
                await store.end(one)


@asynccontextmanager
async def browse(place, cache) -> AsyncIterator[httpx.AsyncClient]:
    """Open a viewer of a place, signed in, with its whole index."""
    keys: list[str] = []
    sign_in = SignIn(keys.append)
    sign_in.renew()
    async with open_library([str(place)], cache=cache) as library:
        app = build_app(library, sign_in, cookie="c", shelf=Shelf())
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.get(f"/open?key={keys[-1]}")
            client.keys = keys
            for run in library.runs.values():
                assert run.follower.whole.wait(20)
            yield client
