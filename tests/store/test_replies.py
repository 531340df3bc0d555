"""Cached replies survive the process."""

from __future__ import annotations

import asyncio
import sqlite3
import sys

import pytest
from autogen_core.models import CreateResult, RequestUsage, UserMessage

from peerjudge.clients import Governed, PersistentCache, Reply, RetryPolicy, SingleFlight, bill_to
from peerjudge.clients.fake import FakeChatClient, FakeReply
from peerjudge.data import TokenLogprob, Usage
from peerjudge.errors import EmptyReplyError, StoreError
from peerjudge.store.replies import Replies


async def test_a_stored_text_is_found_again(tmp_path):
    """The last text of a key is returned, in this process and in the next."""
    async with Replies.open(tmp_path) as replies:
        assert await replies.claim("a") is None
        await asyncio.gather(*(replies.put(f"k{n}", f"text {n}") for n in range(500)))
        await replies.put("k1", "another")
        assert await replies.claim("k1") == "another"
    async with Replies.open(tmp_path / "replies.db") as replies:
        assert await replies.claim("k499") == "text 499"


async def test_processes_may_share_a_file(tmp_path):
    """A text of one process is found by another that has the file open."""
    async with Replies.open(tmp_path) as one, Replies.open(tmp_path) as two:
        await asyncio.gather(
            *(one.put(f"a{n}", "1") for n in range(50)), *(two.put(f"b{n}", "2") for n in range(50))
        )
        assert await one.claim("b49") == "2"
        assert await two.claim("a49") == "1"


KILLED = """
import asyncio, os, signal, sys
from peerjudge.store.replies import Replies

async def main():
    async with Replies.open(sys.argv[1]) as replies:
        await replies.put("kept", "paid for")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_stored_reply_survives_kill_9(tmp_path):
    """A reply is on disk when `put` returns."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(tmp_path))
    assert await process.wait() == -9
    async with Replies.open(tmp_path) as replies:
        assert await replies.claim("kept") == "paid for"


async def test_the_file_of_another_program_is_left_alone(tmp_path):
    """Other databases, other files and later versions are refused and not changed."""
    file = tmp_path / "replies.db"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE photos (id)")
    other.close()
    with pytest.raises(StoreError, match="something else"):
        async with Replies.open(tmp_path):
            pass
    file.unlink()
    file.write_bytes(b"no database at all " * 100)
    with pytest.raises(StoreError, match="not a database"):
        async with Replies.open(tmp_path):
            pass
    file.unlink()
    async with Replies.open(tmp_path):
        pass
    with sqlite3.connect(file) as later:
        later.execute("PRAGMA user_version=99")
    later.close()
    with pytest.raises(StoreError, match="another version"):
        async with Replies.open(tmp_path):
            pass


async def test_a_folder_that_cannot_be_created_is_an_error(tmp_path):
    """The message names the place."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="--cache"):
        async with Replies.open(tmp_path / "file" / "folder"):
            pass


async def test_a_cached_reply_is_complete(tmp_path):
    """Text, tokens, finish reason and log-probabilities are equal, and it is marked as cached."""
    logprobs = (TokenLogprob(token="1", logprob=-0.1, top=(("2", -2.0),)),)
    said = FakeReply(text="1 é\n", finish_reason="length", logprobs=logprobs, usage=(7, 2))
    prompt = [UserMessage(content="?", source="m")]
    results = []
    for fake in (FakeChatClient(lambda prompt: said), FakeChatClient(default="another")):
        async with Replies.open(tmp_path) as replies:
            client = Governed(fake, identity="same", flights=SingleFlight(PersistentCache(replies)))
            with bill_to(reviewer="r", draw="d") as bill:
                results.append(await client.create(prompt))
    assert fake.prompts == []
    assert [(call.outcome, call.usage.prompt_tokens) for call in bill.calls] == [("cached", 7)]
    assert results[1] == results[0].model_copy(update={"cached": True})


async def test_an_unreadable_entry_is_a_miss(tmp_path):
    """The model is called again, and its reply replaces the entry."""
    async with Replies.open(tmp_path) as replies:
        kept = PersistentCache(replies)
        await replies.put("k", "{}")
        assert await kept.claim("k") is None


async def test_failures_and_empty_replies_are_not_cached(tmp_path):
    """Only replies with words are stored."""
    answers = iter([ValueError("no"), " ", "1"])
    fake = FakeChatClient(lambda prompt: next(answers))
    async with Replies.open(tmp_path) as replies:
        flights = SingleFlight(PersistentCache(replies))
        client = Governed(fake, identity="same", flights=flights, policy=RetryPolicy(attempts=1))
        prompt = [UserMessage(content="?", source="m")]
        for failure in (ValueError, EmptyReplyError):
            with pytest.raises(failure):
                await client.create(prompt)
        said = [(await client.create(prompt)).content for _ in range(2)]
    assert said == ["1", "1"]
    assert len(fake.prompts) == 3


async def test_an_empty_reply_in_a_cache_is_a_miss(tmp_path):
    """Caches of earlier versions may hold replies of blanks, which are requested again."""
    empty = CreateResult(
        finish_reason="stop", content=" \n", usage=RequestUsage(3, 1), cached=False
    )
    async with Replies.open(tmp_path) as replies:
        kept = PersistentCache(replies)
        await kept.put("k", Reply(result=empty, usage=Usage(prompt_tokens=3)))
        assert await kept.claim("k") is None


async def test_two_runs_on_one_cache_pay_for_equal_requests_once(tmp_path):
    """While one run calls, the other waits for its reply; a failed call leaves the turn to it."""
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        reached.set()
        await go_on.wait()

    answers = iter([ValueError("no"), "1"])
    async with Replies.open(tmp_path) as one, Replies.open(tmp_path) as two:
        fake = FakeChatClient(lambda prompt: next(answers), delay=wait)
        clients = [
            Governed(fake, identity="same", flights=SingleFlight(PersistentCache(each)))
            for each in (one, two)
        ]
        prompt = [UserMessage(content="?", source="m")]
        calls = [asyncio.create_task(client.create(prompt)) for client in clients]
        await reached.wait()
        go_on.set()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert sorted(type(each).__name__ for each in results) == ["CreateResult", "ValueError"]
        again = await asyncio.gather(*(client.create(prompt) for client in clients))
    assert [each.content for each in again] == ["1", "1"]
    assert len(fake.prompts) == 2


CLAIMING = """
import asyncio, os, signal, sys
from peerjudge.store.replies import Replies

async def main():
    async with Replies.open(sys.argv[1]) as replies:
        await replies.claim("key")
        print("claimed", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_the_claim_of_a_killed_process_is_void(tmp_path):
    """Another process waits while the first one lives, and claims the key at its death."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        CLAIMING,
        str(tmp_path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert await process.stdout.readline() == b"claimed\n"
    async with Replies.open(tmp_path) as replies:
        waiting = asyncio.create_task(replies.claim("key"))
        assert await replies.claim("other") is None
        assert not waiting.done()
        process.stdin.write(b"\n")
        await process.wait()
        assert await waiting is None


async def test_a_cancelled_run_leaves_its_claims_to_others(tmp_path):
    """A claim ends with the cancellation of its caller, and all claims with the cache."""
    async with Replies.open(tmp_path) as one, Replies.open(tmp_path) as two:
        flights = SingleFlight(PersistentCache(one))
        called = asyncio.Event()

        async def call():
            called.set()
            await asyncio.Event().wait()

        calling = asyncio.create_task(flights.fetch("key", call))
        await called.wait()
        waiting = asyncio.create_task(two.claim("key"))
        calling.cancel()
        assert await waiting is None
        assert await one.claim("open") is None
    async with Replies.open(tmp_path) as three:
        assert await three.claim("open") is None


async def test_an_expired_claim_is_void(tmp_path):
    """A process on another machine that no longer renews its claim has lost it."""
    async with Replies.open(tmp_path) as replies:
        with sqlite3.connect(tmp_path / "replies.db") as other:
            other.execute("INSERT INTO claims VALUES ('key', 'elsewhere 1 x', 0.0)")
        other.close()
        assert await replies.claim("key") is None
