"""Thousands of calls to a server that fails in every way: nothing is lost, nothing paid twice."""

from __future__ import annotations

import asyncio

import pytest

from peerjudge.data import StopReason
from peerjudge.runs import load, run

FAILING = 0.3
"""The share of attempts that go wrong."""

CAUSES = {
    "RateLimitError",
    "InternalServerError",
    "APIConnectionError",
    "APITimeoutError",
    "MalformedReplyError",
    "TimeoutError",
}


async def play_under_fire(kit, start, folder, *, repetitions: int, connections: int, usd: float):
    """Play the study at a failing server until all is done, with `usd` more to spend every time."""
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
        # What the server was paid by this and all runs before stays below the limit.
        assert server.earned <= rounds * usd
        played = await load(out)
        # Every discussion that was begun has ended or is left for later; who failed says of what.
        assert stops == rounds or all(one.stop is not None for one in played)
        failed = [one for one in played if one.stop is StopReason.FAILED]
        assert {one.failure.kind for one in failed} <= CAUSES
        assert summary.discussions.failed <= len(failed)
        # No reply was lost: each complete reply of the server is a turn, or the reply of one.
        assert sum(server.answered.values()) == kit.kept_replies(played) == paid
        # And none was asked for again once it had been given; each repetition is a draw of its own.
        assert max(server.answered.values()) <= repetitions
        assert rounds < 20
    assert stops, "the limit was never reached"
    assert set(server.faults) == set(kit.faults)
    assert sum(server.faults.values()) > 0.97 * FAILING * sum(server.asked.values())
    return played


async def test_every_discussion_ends_and_no_reply_is_paid_twice(kit, start, tmp_path):
    """Three hundred discussions at a 30 % rate of every fault end as if there had been none."""
    played = await play_under_fire(
        kit, start, tmp_path / "fire", repetitions=1, connections=144, usd=0.5
    )
    assert len(played) >= 280
    peace = start(kit.ModelServer())
    shelf = kit.project(tmp_path / "peace", peace)
    await run(kit.study(), out=tmp_path / "whole", shelf=shelf, limit=8, environ={})
    undisturbed = await load(tmp_path / "whole")
    # The two servers have different addresses, and so the discussions other identities.
    asked = {one.comparison.id for one in undisturbed}
    same = [one for one in played if one.comparison.id in asked]
    assert sorted(map(said, same)) == sorted(map(said, undisturbed))


@pytest.mark.storm
async def test_two_thousand_discussions_under_fire(kit, start, tmp_path):
    """The same for more than two thousand discussions (opt-in: `-m storm`)."""
    played = await play_under_fire(kit, start, tmp_path, repetitions=8, connections=128, usd=2.0)
    assert len(played) >= 2000


def said(transcript):
    """What was said and read in a discussion, whatever it took."""
    seats = [(seat.reviewer, seat.role.value) for seat in transcript.seats]
    turns = [(turn.utterance.text, str(turn.review.verdict)) for turn in transcript.turns]
    return (
        transcript.condition,
        transcript.comparison.id,
        transcript.comparison.shown,
        seats,
        turns,
    )


@pytest.mark.parametrize("connections", [1, 48])
async def test_a_limit_in_usd_is_never_passed(kit, start, tmp_path, connections):
    """Under fire and at any concurrency, what the server was paid stays below every limit."""
    server = start(
        kit.ModelServer(rate=FAILING, fates=("429 with Retry-After", "malformed", "wrong type"))
    )
    shelf = kit.project(tmp_path, server)
    ended = []
    for limit in (0.01, 0.05, 0.1):
        summary = await run(
            kit.study(),
            out=tmp_path / "out",
            shelf=shelf,
            limit=10,
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
    assert ended == sorted(set(ended)), "a higher limit goes on"
    while (await run(kit.study(), out=tmp_path / "out", shelf=shelf, limit=10)).discussions.failed:
        pass
    assert max(server.answered.values()) == 1


def price(transcript, turn):
    """What the server charges for a turn, by the prices of the project."""
    if turn.utterance.cached:
        return 0.0
    rates = {"ann": (2, 10), "bob": (1, 5)}[transcript.seat(turn.cue.seat).reviewer]
    usage = turn.utterance.usage
    return (usage.prompt_tokens * rates[0] + usage.completion_tokens * rates[1]) / 1e6


async def test_equal_private_reviews_are_paid_once(kit, start, tmp_path):
    """What Ann says in private is asked once, whichever discussions and conditions it opens."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    summary = await run(kit.study(), out=tmp_path / "out", shelf=shelf, limit=3, environ={})
    assert summary.calls.cached > 0
    assert summary.calls.paid == sum(server.answered.values())
    assert summary.cached_tokens == 600 * summary.calls.cached
    assert summary.tokens == 600 * summary.calls.paid


async def test_replies_outlive_the_turns_that_were_not_kept(kit, start, tmp_path):
    """When the store is lost and the replies are not, nothing is paid again."""
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
    """A run with another seed asks anew, also where both keep their replies in one place."""
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


async def test_a_hopeless_run_is_stopped(kit, start, tmp_path):
    """When all fail, a run that may be stopped is stopped long before its end."""
    server = start(kit.ModelServer(rate=1.0, fates=("500",)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1")
    summary = await run(
        kit.study(), out=tmp_path / "out", shelf=shelf, fail_on_error=0.9, environ={}
    )
    assert summary.stopped == "too many failures"
    assert 5 <= summary.discussions.failed < 30
    played = await load(tmp_path / "out")
    failed = sum(one.stop is StopReason.FAILED for one in played)
    assert failed == summary.discussions.failed == summary.calls.failed


@pytest.mark.parametrize("fate", ["hang", "drip"])
async def test_a_server_that_hangs_fails_within_the_timeout_of_the_card(kit, start, tmp_path, fate):
    """A call that is never answered, or a letter at a time, ends as a failure with its cause."""
    server = start(kit.ModelServer(rate=1.0, fates=(fate,)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1\ntimeout = 0.2")
    summary = await run(kit.study(), out=tmp_path / "out", shelf=shelf, limit=1, environ={})
    failures = {one.failure.kind for one in await load(tmp_path / "out")}
    assert summary.discussions.done == 0
    assert failures <= {"APITimeoutError", "TimeoutError"}


async def test_a_discussion_has_its_deadline(kit, start, tmp_path):
    """A discussion that takes longer than the run allows fails, whatever its calls may take."""
    server = start(kit.ModelServer(rate=1.0, fates=("hang",)))
    shelf = kit.project(tmp_path, server, limits="timeout = 600")
    summary = await run(
        kit.study(), out=tmp_path / "out", shelf=shelf, limit=1, deadline=0.2, environ={}
    )
    failures = {one.failure.kind for one in await load(tmp_path / "out")}
    assert failures == {"DiscussionDeadlineError"}
    assert summary.discussions.done == 0


async def test_cancelling_stops_at_once_whatever_is_in_flight(kit, start, tmp_path):
    """A cancelled run leaves no task behind, and every client closed."""
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
