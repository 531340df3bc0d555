"""Retry policy, and token counts without the network."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest
from autogen_core.models import CreateResult, RequestUsage, UserMessage
from hypothesis import given, strategies as st
from structlog.testing import capture_logs

from peerjudge.clients.retry import RetryPolicy, is_transient
from peerjudge.clients.tokens import count_text, estimate_tokens, measure_usage
from peerjudge.clients.vocabularies import VOCABULARIES, find_encoding, name_file
from peerjudge.clients.waits import read_retry_after
from peerjudge.data import Usage
from peerjudge.datasets.fetching import fetch_files
from peerjudge.errors import DataError


class StatusError(Exception):
    """Error with a status, as vendor libraries raise it."""

    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(str(status))
        self.status_code = status
        self.response = httpx.Response(status, headers=headers)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_overload_and_server_errors_are_transient(status: int):
    """Timeouts, conflicts, rate limits and server errors may pass."""
    assert is_transient(StatusError(status))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_wrong_requests_are_permanent(status: int):
    """Other client errors are not retried."""
    assert not is_transient(StatusError(status))


def test_lost_connections_are_transient_and_programming_errors_permanent():
    """Connection errors and timeouts of any library are retried."""
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
    """All three forms of the header are understood."""
    assert read_retry_after(StatusError(429, {"Retry-After": "2.5"})) == 2.5
    assert read_retry_after(StatusError(429, {"retry-after-ms": "250"})) == 0.25
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (read_retry_after(StatusError(429, {"Retry-After": later})) or 0) <= 100
    earlier = format_datetime(datetime.now(UTC) - timedelta(seconds=100), usegmt=True)
    past = ("0", "-3", "0.0", earlier)
    no_number = ("nan", "inf", "-inf", "1_0", "soon", "", "Mon, 99 Foo 2026 25:00:00 GMT")
    for nothing in (*past, *no_number):
        assert read_retry_after(StatusError(429, {"Retry-After": nothing})) is None
    assert read_retry_after(StatusError(429)) is None
    assert read_retry_after(TimeoutError()) is None


def in_google_form(message: str, delay: str) -> object:
    """Return a refusal in the form of Google's APIs."""
    kind = "type.googleapis.com/google.rpc.RetryInfo"
    return [{"error": {"message": message, "details": [{"@type": kind, "retryDelay": delay}]}}]


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
    [
        ({}, "Limit 15000, Used 11972. Please try again in 5.289s.", 5.289),
        ({}, {"message": "Please try again in 1m30.5s. Visit x."}, 90.5),
        ({}, {"message": "Try again in 120ms"}, 0.12),
        ({}, {"message": "Please retry after 24 seconds."}, 24.0),
        ({}, {"error": {"message": "Wait 2 minutes and 5 seconds before the next call"}}, 125.0),
        ({}, {"detail": "limit resets in 1 hour"}, 3600.0),
        ({}, in_google_form("Please retry in 24.3s.", "24s"), 24.0),
        ({}, {"message": "slow", "retry_after": 7}, 7.0),
        ({}, {"message": "slow", "retry_after_ms": 250}, 0.25),
        ({}, {"message": "Limit 15000, used 35 s"}, None),
        ({}, {"message": "try again later"}, None),
        ({"x-ratelimit-reset-requests": "20s"}, "", 20.0),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"}, "", 360.0),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "50s",
                "x-ratelimit-remaining-tokens": "900",
            },
            "",
            1.0,
        ),
        ({"ratelimit-reset": "15"}, "", 15.0),
        (
            {
                "anthropic-ratelimit-requests-reset": "1994-11-06T08:49:37Z",
                "date": "Sun, 06 Nov 1994 08:49:07 GMT",
            },
            "",
            30.0,
        ),
        (
            {"date": "Thu, 06 Mar 2025 23:59:20 GMT"},
            {"metadata": {"headers": {"X-RateLimit-Reset": "1741305600000"}}},
            40.0,
        ),
        ({"retry-after": "3"}, "Please try again in 35s", 3.0),
        ({"retry-after": "0"}, "Please try again in 35s", 35.0),
    ],
)
def test_a_wait_is_read_in_every_form(headers: dict[str, str], body: object, wait: float | None):
    """What a refusal states is kept: in fields, resets of used up counters, or words."""
    error = StatusError(429, headers)
    error.body = body
    assert read_retry_after(error) == (None if wait is None else pytest.approx(wait))
    # Another failure may speak of seconds without stating a wait.
    wrong = StatusError(400)
    wrong.body = body
    assert read_retry_after(wrong) is None


@given(failures=st.integers(1, 40))
def test_waits_are_random_below_a_doubling_bound(failures: int):
    """Full jitter: any wait between 0 and the bound, which doubles up to a limit."""
    policy = RetryPolicy(attempts=50, wait=0.5, wait_most=8.0)
    bound = policy.longest_wait(failures)
    assert bound == min(8.0, 0.5 * 2 ** (failures - 1))
    wait = policy.next_wait(TimeoutError(), failures=failures, elapsed=0.0)
    assert wait is not None
    assert 0.0 <= wait <= bound


def test_a_retry_date_counts_from_the_clock_of_the_server():
    """The wait is the difference to the response's Date, not to the local clock."""
    wanted = {
        "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT",
        "Date": "Sun, 06 Nov 1994 08:49:07 GMT",
    }
    assert read_retry_after(StatusError(429, wanted)) == 30.0


def test_waits_fill_their_whole_range():
    """Simultaneous failures are spread over the whole wait."""
    policy = RetryPolicy(wait=1.0)
    waits = [policy.next_wait(TimeoutError(), failures=1, elapsed=0.0) for _ in range(200)]
    assert min(waits) < 0.2
    assert max(waits) > 0.8


def test_retry_after_is_followed_within_the_deadline():
    """A requested wait that would pass the deadline ends the retries."""
    busy = StatusError(429, {"Retry-After": "7"})
    assert RetryPolicy(deadline=60).next_wait(busy, failures=1, elapsed=0.0) == 7.0
    assert RetryPolicy(deadline=60).next_wait(busy, failures=1, elapsed=55.0) is None
    assert RetryPolicy(deadline=5).next_wait(busy, failures=1, elapsed=0.0) is None
    said = StatusError(429)
    said.body = {"message": "Please try again in 35s."}
    assert RetryPolicy().next_wait(said, failures=1, elapsed=0.0) == 35.0
    at_once = StatusError(429, {"Retry-After": "0"})
    waits = [RetryPolicy().next_wait(at_once, failures=4, elapsed=0.0) for _ in range(50)]
    assert max(wait or 0.0 for wait in waits) > 1.0


def test_the_last_attempt_and_permanent_failures_have_no_retry():
    """No wait follows the last allowed attempt or a failure that will not pass."""
    policy = RetryPolicy(attempts=3)
    assert policy.next_wait(TimeoutError(), failures=2, elapsed=0.0) is not None
    assert policy.next_wait(TimeoutError(), failures=3, elapsed=0.0) is None
    assert policy.next_wait(ValueError(), failures=1, elapsed=0.0) is None


@given(st.text())
def test_every_text_has_at_least_one_token(text: str):
    """The estimate is at least one and at most one per byte."""
    assert 1 <= estimate_tokens(text) <= max(1, len(text.encode()))


def result(usage: RequestUsage, text: str = "said") -> CreateResult:
    """Return a reply with this usage."""
    return CreateResult(finish_reason="stop", content=text, usage=usage, cached=False)


def test_the_count_of_the_server_comes_first():
    """A reported count is used as it is and is no estimate."""
    usage = measure_usage([], result(RequestUsage(5, 0)), model="m")
    assert usage == Usage(prompt_tokens=5, completion_tokens=0)


PROMPT = [UserMessage(content="x" * 40, source="user")]


@pytest.fixture
def no_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of downloaded vocabularies, which is empty as tiktoken's cache is."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    monkeypatch.setenv("PEERJUDGE_CACHE_DIR", str(tmp_path))
    return tmp_path / "tokenizers"


@pytest.mark.usefixtures("no_vocabulary")
def test_missing_counts_are_estimated():
    """Without a report, the count is an estimate and marked as one."""
    usage = measure_usage(PROMPT, result(RequestUsage(0, 0)), model="m")
    assert usage == Usage(prompt_tokens=13, completion_tokens=1, estimated=True)


@pytest.mark.usefixtures("no_vocabulary")
def test_an_estimate_is_named_once_for_each_model():
    """The first reply without a count names the command after which tokens are counted."""
    with capture_logs() as logs:
        for model in ("new", "newer", "new"):
            measure_usage(PROMPT, result(RequestUsage(0, 0)), model=model)
            measure_usage(PROMPT, result(RequestUsage(5, 1)), model=f"{model} that reports")
    assert [(line["log_level"], line["model"]) for line in logs] == [
        ("warning", "new"),
        ("warning", "newer"),
    ]
    assert "`peerjudge download tokenizers`" in logs[0]["event"]


def test_a_damaged_vocabulary_is_ignored(no_vocabulary: Path, monkeypatch: pytest.MonkeyPatch):
    """tiktoken, which would delete the file and download it, is not called."""
    no_vocabulary.mkdir()
    damaged = no_vocabulary / name_file("cl100k_base")
    assert (
        damaged.name == "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    )  # its name in tiktoken's cache
    damaged.write_bytes(b"damaged")
    assert count_text("x" * 400, model="gpt-4") == 100
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(no_vocabulary))
    assert count_text("x" * 400, model="gpt-4") == 100
    assert damaged.read_bytes() == b"damaged"


def test_tokens_are_counted_where_the_vocabulary_is_downloaded():
    """A published vocabulary in the folder of downloads counts tokens, also those of unknown models."""
    if find_encoding("gpt-4") is None or find_encoding("gpt-4o") is None:
        pytest.skip("no vocabularies here: run `peerjudge download tokenizers`")
    text = "The answer of reviewer two is correct, because it names the year."
    assert count_text(text, model="gpt-4") == 14
    assert count_text(text, model="gpt-4o") == count_text(text, model="a new model") == 14


@pytest.mark.usefixtures("no_vocabulary")
def test_a_vocabulary_that_is_not_the_published_one_is_not_kept(httpserver, tmp_path: Path):
    """The digests of the published files decide, not the address."""
    httpserver.expect_request("/encodings/spoiled").respond_with_data(b"spoiled")
    files = {"spoiled": (VOCABULARIES["cl100k_base"], "")}
    with pytest.raises(DataError, match="is not the published file"):
        fetch_files(files, tmp_path, httpserver.url_for("/encodings"))
    assert not (tmp_path / "spoiled").exists()
