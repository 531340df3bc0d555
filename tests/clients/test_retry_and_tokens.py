"""Which failures pass, how long to wait for it, and how tokens are counted without the network."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest
from autogen_core.models import CreateResult, RequestUsage, UserMessage
from hypothesis import given
from hypothesis import strategies as st

from peerjudge.clients.retry import RetryPolicy, is_transient, read_retry_after
from peerjudge.clients.tokens import count_text, estimate_tokens, measure_usage
from peerjudge.data import Usage


class StatusError(Exception):
    """An error as vendor libraries raise it."""

    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(str(status))
        self.status_code = status
        self.response = httpx.Response(status, headers=headers)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_busy_and_broken_servers_pass(status: int):
    """Timeouts, conflicts, rate limits and server errors may pass."""
    assert is_transient(StatusError(status))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_wrong_requests_do_not_pass(status: int):
    """What is wrong with the request stays wrong."""
    assert not is_transient(StatusError(status))


def test_lost_connections_pass_and_mistakes_do_not():
    """Connection errors and timeouts of any library may pass; programming errors never."""
    for error in (
        TimeoutError(),
        ConnectionResetError(),
        httpx.ReadTimeout("x"),
        httpx.ConnectError("x"),
    ):
        assert is_transient(error)
    for error in (ValueError(), TypeError(), KeyError(), RuntimeError()):
        assert not is_transient(error)


def test_retry_after_is_read_as_seconds_milliseconds_or_a_date():
    """All three ways in which servers say when to come back are understood."""
    assert read_retry_after(StatusError(429, {"Retry-After": "2.5"})) == 2.5
    assert read_retry_after(StatusError(429, {"retry-after-ms": "250"})) == 0.25
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (read_retry_after(StatusError(429, {"Retry-After": later})) or 0) <= 100
    earlier = format_datetime(datetime.now(UTC) - timedelta(seconds=100), usegmt=True)
    assert read_retry_after(StatusError(429, {"Retry-After": earlier})) == 0.0
    assert read_retry_after(StatusError(429, {"Retry-After": "soon"})) is None
    for nothing in ("nan", "inf", "-inf", "Mon, 99 Foo 2026 25:00:00 GMT"):
        assert read_retry_after(StatusError(429, {"Retry-After": nothing})) is None
    assert read_retry_after(StatusError(429)) is None
    assert read_retry_after(TimeoutError()) is None


@given(failures=st.integers(1, 40))
async def test_waits_are_drawn_anew_below_a_bound_that_doubles(failures: int):
    """Full jitter: any wait from nothing to the bound, which is doubled up to its own limit."""
    policy = RetryPolicy(attempts=50, wait=0.5, wait_most=8.0)
    bound = policy.longest_wait(failures)
    assert bound == min(8.0, 0.5 * 2 ** (failures - 1))
    hook = policy._hook(float("inf"), lambda: True)
    waits = [hook(TimeoutError()) for _ in range(failures)]
    assert 0.0 <= waits[-1] <= bound


def test_a_date_to_come_back_at_is_on_the_clock_of_the_server():
    """Where clocks differ, what counts is how long the server meant, not what time it is here."""
    wanted = {
        "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT",
        "Date": "Sun, 06 Nov 1994 08:49:07 GMT",
    }
    assert read_retry_after(StatusError(429, wanted)) == 30.0


async def test_waits_fill_their_whole_range():
    """Those who failed together come back at all times, the earliest nearly at once."""
    policy = RetryPolicy(wait=1.0)
    waits = [policy._hook(float("inf"), lambda: True)(TimeoutError()) for _ in range(200)]
    assert min(waits) < 0.2
    assert max(waits) > 0.8


async def test_what_the_server_asks_for_is_waited_as_long_as_there_is_time():
    """`Retry-After` is taken to the letter; where it would pass the deadline there is no retry."""
    busy = StatusError(429, {"Retry-After": "7"})
    now = asyncio.get_running_loop().time()
    assert RetryPolicy()._hook(now + 60, lambda: True)(busy) == 7.0
    assert RetryPolicy()._hook(now + 5, lambda: True)(busy) is False
    assert RetryPolicy()._hook(now + 60, lambda: False)(busy) is False


@given(st.text())
def test_every_text_has_at_least_one_token(text: str):
    """The estimate is at least one and at most one per byte."""
    assert 1 <= estimate_tokens(text) <= max(1, len(text.encode()))


def result(usage: RequestUsage, text: str = "said") -> CreateResult:
    """A reply with this usage."""
    return CreateResult(finish_reason="stop", content=text, usage=usage, cached=False)


def test_the_server_counts_where_it_counts():
    """A reported count is taken as it is and is no estimate."""
    usage = measure_usage([], result(RequestUsage(5, 0)), model="m")
    assert usage == Usage(prompt_tokens=5, completion_tokens=0)


def test_tokens_are_counted_here_where_the_server_counts_none(monkeypatch: pytest.MonkeyPatch):
    """Without a report, the count is ours and says so."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    prompt = [UserMessage(content="x" * 40, source="user")]
    usage = measure_usage(prompt, result(RequestUsage(0, 0)), model="m")
    assert usage == Usage(prompt_tokens=13, completion_tokens=1, estimated=True)


def test_a_vocabulary_with_the_wrong_content_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A damaged vocabulary is not handed to tiktoken, which would delete it and go online."""
    name = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    assert hashlib.sha1(address.encode()).hexdigest() == name
    damaged = tmp_path / name
    damaged.write_bytes(b"damaged")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert count_text("x" * 400, model="gpt-4") == 100
    assert damaged.read_bytes() == b"damaged"
