"""Thousands of calls to a server with every fault: no reply is lost and none paid twice."""

from __future__ import annotations

import asyncio
from math import sqrt

import pytest

from peerjudge.data import StopReason
from peerjudge.runs import load, run

FAILING = 0.3
"""Share of attempts that fail."""

CAUSES = {
    "RateLimitError",
    "InternalServerError",
    "APIConnectionError",
    "APITimeoutError",
    "MalformedReplyError",
    "TimeoutError",
}


async def play_under_fire(kit, start, folder, *, repetitions: int, connections: int, usd: float):
    """Play the study at a failing server until it is complete, with `usd` more to spend per run."""
    server = start(kit.ModelServer(rate=FAILING))
    shelf = kit.project(folder, server)
    out = folder / "out"
    paid, rounds, stops, failed = 0, 0, 0, []
    while failed or stops == rounds:
        rounds += 1
        summary = await run(
            kit.study(repetitions=repetitions),
            out=out,
            shelf=shelf,
            max_connections=connections,
            cost_limit=rounds * usd,
            environ={},
        )
        paid += summary.calls.paid
        stops += summary.stopped == "cost limit"
        # The cost of this run and all before stays below the limit.
        assert server.earned <= rounds * usd
        played = await load(out)
        # Every discussion has ended or is left for later; failed ones have a known cause.
        assert stops == rounds or all(one.stop is not None for one in played)
        failed = [one for one in played if one.stop is StopReason.FAILED]
        assert {one.failure.kind for one in failed} <= CAUSES
        assert summary.discussions.failed <= len(failed)
        # No reply was lost: each complete reply of the server is a paid turn.
        assert sum(server.answered.values()) == kit.count_paid_turns(played) == paid
        # None was requested again; each repetition is a draw of its own.
        assert max(server.answered.values()) <= repetitions
        assert rounds < 20
    assert stops, "no run reached its limit"
    assert set(server.faults) == set(kit.faults)
    # The draws depend on the prompts; at most three standard errors below the rate.
    asked = sum(server.asked.values())
    error = sqrt(FAILING * (1.0 - FAILING) / asked)
    assert sum(server.faults.values()) / asked > FAILING - 3.0 * error
    return played


@pytest.mark.slow
async def test_every_discussion_ends_and_no_reply_is_paid_twice(kit, start, tmp_path):
    """Three hundred discussions with 30 % faults end as without faults."""
    played = await play_under_fire(
        kit, start, tmp_path / "fire", repetitions=1, connections=144, usd=0.5
    )
    assert len(played) >= 280
    peace = start(kit.ModelServer())
    shelf = kit.project(tmp_path / "peace", peace)
    await run(kit.study(), out=tmp_path / "whole", shelf=shelf, limit=8, environ={})
    undisturbed = await load(tmp_path / "whole")
    # The two servers have different addresses, so the discussions have different ids.
    asked = {one.comparison.id for one in undisturbed}
    same = [one for one in played if one.comparison.id in asked]
    assert sorted(map(content, same)) == sorted(map(content, undisturbed))


@pytest.mark.storm
async def test_two_thousand_discussions_under_fire(kit, start, tmp_path):
    """The same with more than two thousand discussions (opt-in: `-m storm`)."""
    played = await play_under_fire(kit, start, tmp_path, repetitions=8, connections=128, usd=2.0)
    assert len(played) >= 2000


def content(transcript):
    """Return texts and verdicts of a discussion, without latency and attempts."""
    seats = [(seat.reviewer, seat.role) for seat in transcript.seats]
    turns = [(turn.utterance.text, str(turn.review.verdict)) for turn in transcript.turns]
    return (
        transcript.condition,
        transcript.comparison.id,
        transcript.comparison.shown,
        seats,
        turns,
    )


@pytest.mark.parametrize(
    ("connections", "comparisons", "limits"),
    [
        (16, 2, (0.01, 0.03)),
        pytest.param(1, 10, (0.01, 0.05, 0.1), marks=pytest.mark.slow),
        pytest.param(48, 10, (0.01, 0.05, 0.1), marks=pytest.mark.slow),
    ],
)
async def test_a_limit_in_usd_is_never_passed(
    kit, start, tmp_path, connections, comparisons, limits
):
    """With faults and at any concurrency, the cost stays below every limit."""
    server = start(
        kit.ModelServer(rate=FAILING, fates=("429 with Retry-After", "malformed", "wrong type"))
    )
    shelf = kit.project(tmp_path, server)
    ended = []
    for limit in limits:
        summary = await run(
            kit.study(),
            out=tmp_path / "out",
            shelf=shelf,
            limit=comparisons,
            max_connections=connections,
            cost_limit=limit,
            environ={},
        )
        played = await load(tmp_path / "out")
        spent = sum(price(one, turn) for one in played for turn in one.turns)
        assert spent <= limit
        assert summary.stopped == "cost limit"
        assert summary.cost_known
        ended.append(sum(one.stop is not None for one in played))
    assert ended == sorted(set(ended)), "a higher limit allows more discussions"
    while (
        await run(kit.study(), out=tmp_path / "out", shelf=shelf, limit=comparisons)
    ).discussions.failed:
        pass
    assert max(server.answered.values()) == 1


def price(transcript, turn):
    """Return the cost of a turn by the prices of the project (USD)."""
    if turn.utterance.cached:
        return 0.0
    rates = {"ann": (2, 10), "bob": (1, 5)}[transcript.seat(turn.cue.seat).reviewer]
    usage = turn.utterance.usage
    return (usage.prompt_tokens * rates[0] + usage.completion_tokens * rates[1]) / 1e6


async def test_equal_private_reviews_are_paid_once(kit, start, tmp_path):
    """Discussions and conditions share Ann's private review."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    summary = await run(kit.study(), out=tmp_path / "out", shelf=shelf, limit=3, environ={})
    assert summary.calls.cached > 0
    assert summary.calls.paid == sum(server.answered.values())
    assert summary.cached_tokens == 600 * summary.calls.cached
    assert summary.tokens == 600 * summary.calls.paid


async def test_cached_replies_survive_the_loss_of_the_store(kit, start, tmp_path):
    """With the replies of another run as cache, nothing is paid again."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    first = await run(kit.study(), out=tmp_path / "one", shelf=shelf, limit=2, environ={})
    again = await run(
        kit.study(), out=tmp_path / "two", cache=tmp_path / "one", shelf=shelf, limit=2, environ={}
    )
    assert again.calls.paid == 0
    assert again.calls.cached == first.calls.paid + first.calls.cached
    assert max(server.asked.values()) == 1
    none = await run(
        kit.study(), out=tmp_path / "three", cache="none", shelf=shelf, limit=2, environ={}
    )
    assert none.calls.paid == first.calls.paid


async def test_another_seed_is_another_draw(kit, start, tmp_path):
    """A run with another seed makes new calls, also with a shared cache."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    for seed in (1, 2):
        summary = await run(
            kit.study(),
            out=tmp_path / str(seed),
            cache=tmp_path / "shared",
            shelf=shelf,
            limit=1,
            seed=seed,
            environ={},
        )
        assert summary.calls.paid > 0


async def test_empty_replies_are_failures_that_the_next_run_takes_up(kit, start, tmp_path):
    """A model that says nothing fails its discussions; the same command plays them later.

    A reply that its limit used up is left out: it is not bought again.
    """
    silences = tuple(name for name in kit.silences if name != "spent")
    server = start(kit.ModelServer(rate=1.0, fates=silences))
    shelf = kit.project(tmp_path, server, limits="attempts = 1")
    study, out = kit.study(), tmp_path / "out"
    silent = await run(study, out=out, shelf=shelf, fail_on_error=0.9, environ={})
    assert silent.stopped == "too many failures"
    assert {one.kind for one in silent.failures} == {"EmptyReplyError"}
    assert all(one.turns == () for one in await load(out))
    server.rate = 0.5
    while (last := await run(study, out=out, shelf=shelf, limit=3, environ={})).discussions.failed:
        assert {one.kind for one in last.failures} == {"EmptyReplyError"}
    played = [one for one in await load(out) if one.stop is StopReason.COMPLETE]
    assert len(played) == last.discussions.done + last.discussions.skipped > 0
    assert all(turn.utterance.text.strip() for one in played for turn in one.turns)


@pytest.mark.parametrize("fate", ["hang", "drip"])
async def test_a_server_that_hangs_fails_within_the_timeout_of_the_card(kit, start, tmp_path, fate):
    """A call without an answer, or with one byte at a time, fails with its cause."""
    server = start(kit.ModelServer(rate=1.0, fates=(fate,)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1\ntimeout = 0.2")
    summary = await run(kit.study(), out=tmp_path / "out", shelf=shelf, limit=1, environ={})
    failures = {one.failure.kind for one in await load(tmp_path / "out")}
    assert summary.discussions.done == 0
    assert failures <= {"APITimeoutError", "TimeoutError"}


async def test_a_discussion_past_its_deadline_fails(kit, start, tmp_path):
    """The deadline of a discussion ends its calls before their own timeout."""
    server = start(kit.ModelServer(rate=1.0, fates=("hang",)))
    shelf = kit.project(tmp_path, server, limits="timeout = 600")
    summary = await run(
        kit.study(), out=tmp_path / "out", shelf=shelf, limit=1, deadline=0.2, environ={}
    )
    failures = {one.failure.kind for one in await load(tmp_path / "out")}
    assert failures == {"DiscussionDeadlineError"}
    assert summary.discussions.done == 0


async def test_cancelling_stops_a_run_at_once(kit, start, tmp_path):
    """A cancelled run leaves no task and no open client."""
    server = start(kit.ModelServer(rate=0.7, fates=("hang",)))
    shelf = kit.project(tmp_path, server, limits="timeout = 600")
    before = asyncio.all_tasks()
    playing = asyncio.ensure_future(
        run(kit.study(), out=tmp_path / "out", shelf=shelf, max_connections=50, environ={})
    )
    await asyncio.to_thread(server.reached.wait, 30)
    playing.cancel()
    done, _ = await asyncio.wait([playing], timeout=30)
    assert done
    assert playing.cancelled()
    assert asyncio.all_tasks() == before
