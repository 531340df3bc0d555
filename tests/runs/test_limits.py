"""Runs that stop early: at a limit, after too many failures, at a deadline."""

from __future__ import annotations

import asyncio

import pytest

from peerjudge.data import Condition, Leader, StopReason, replace, to_json
from peerjudge.errors import CardError, ExperimentError
from peerjudge.runs import load, run
from peerjudge.shelf import Shelf

from .observers import Quiet


def tokens_of(transcripts) -> int:
    """Return prompt and completion tokens of all turns."""
    return sum(
        turn.utterance.usage.prompt_tokens + turn.utterance.usage.completion_tokens
        for one in transcripts
        for turn in one.turns
    )


async def test_a_token_limit_holds_and_a_higher_one_resumes(small, tmp_path):
    """A run stopped many times keeps each limit and ends with the transcripts of one run."""
    whole = await run(small, out=tmp_path / "whole", limit=3)
    for limit in range(8_000, 2 * whole.tokens + 20_000, 8_000):
        summary = await run(small, out=tmp_path / "out", limit=3, token_limit=limit)
        played = await load(tmp_path / "out")
        assert tokens_of(played) <= limit
        if summary.stopped is None:
            break
        assert summary.stopped == "token limit"
    assert tokens_of(played) == whole.tokens
    assert [to_json(one) for one in played] == [
        to_json(one) for one in await load(tmp_path / "whole")
    ]


async def test_a_run_stops_between_discussions(small, tmp_path):
    """If the next discussion does not fit, the open ones are completed."""
    summary = await run(small, out=tmp_path, token_limit=40_000, max_connections=8)
    assert summary.stopped == "token limit"
    assert all(one.stop is StopReason.COMPLETE for one in await load(tmp_path))


async def test_the_same_limit_again_does_nothing(small, tmp_path):
    """The limit includes earlier spending into the same place."""
    await run(small, out=tmp_path, token_limit=20_000)
    again = await run(small, out=tmp_path, token_limit=20_000)
    assert again.tokens == 0
    assert again.stopped == "token limit"


async def test_a_limit_that_is_too_low_names_the_one_that_is_enough(small, tmp_path):
    """With the limit named by the stopped run another discussion runs, with one less none does."""
    stopped = await run(small, out=tmp_path, token_limit=10)
    assert stopped.enough is not None
    enough = round(stopped.enough)
    assert (await run(small, out=tmp_path, token_limit=enough - 1)).discussions.done == 0
    more = await run(small, out=tmp_path, token_limit=enough)
    assert more.discussions.done >= 1
    assert more.enough is not None
    assert more.enough > enough


async def test_a_complete_run_is_complete_under_any_limit(small, tmp_path):
    """A run without remaining discussions reaches no limit."""
    await run(small, out=tmp_path, limit=1)
    again = await run(small, out=tmp_path, limit=1, token_limit=1)
    assert again.stopped is None


async def test_simulated_reviewers_are_free(small, tmp_path):
    """A cost limit never stops free reviewers."""
    summary = await run(small, out=tmp_path, limit=1, cost_limit=0.000001)
    assert summary.stopped is None
    assert (summary.cost_usd, summary.cost_known) == (0.0, True)


def own(folder, name: str, source: str) -> tuple[Condition, Shelf]:
    """Write a reviewer of the user and return a condition in which it judges alone."""
    (folder / "agents").mkdir(exist_ok=True)
    (folder / "agents" / f"{name}.py").write_text(source)
    return Condition(name=name, protocol="pairwise", seats=(name,)), Shelf(folder)


UNPRICED = '''
"""Reports some tokens."""

from peerjudge.data import Usage, Utterance


async def judge(request):
    return Utterance(text="1", usage=Usage(prompt_tokens=10, completion_tokens=1))


def reviewer():
    return judge
'''


async def test_an_unknown_price_is_unknown(small, tmp_path):
    """The cost of a user-written reviewer is unknown until prices.toml has its price."""
    condition, shelf = own(tmp_path, "mine", UNPRICED)
    alone = replace(small, conditions=(condition,))
    summary = await run(alone, out=tmp_path / "out", limit=1, shelf=shelf)
    assert (summary.cost_usd, summary.cost_known) == (None, False)
    assert summary.calls.paid == 2
    with pytest.raises(ExperimentError, match=r"mine.*prices\.toml"):
        await run(alone, out=tmp_path / "out", limit=1, shelf=shelf, cost_limit=1.0)
    (tmp_path / "prices.toml").write_text("[mine]\ninput = 100_000\noutput = 0\n")
    summary = await run(alone, out=tmp_path / "out", limit=2, shelf=shelf, cost_limit=1e6)
    assert summary.cost_usd == pytest.approx(2.0)
    (tmp_path / "prices.toml").write_text("mine = 3\n")
    with pytest.raises(CardError, match="mine"):
        await run(alone, out=tmp_path / "out", limit=1, shelf=shelf)


THINKER = '''
"""Reasons for ten thousand tokens before each reply."""

import asyncio

from peerjudge.data import Usage, Utterance


async def judge(request):
    await asyncio.sleep(0.02)
    return Utterance(text="1", usage=Usage(prompt_tokens=500, completion_tokens=10_000))


def reviewer():
    return judge
'''


async def test_unexpectedly_long_replies_do_not_exceed_a_limit(small, tmp_path):
    """The first discussion measures the reply length before others run in parallel."""
    _, shelf = own(tmp_path, "thinker", THINKER)
    (tmp_path / "prices.toml").write_text("[thinker]\ninput = 2\noutput = 10\n")
    talk = replace(small.conditions[0], seats=("thinker", "thinker"), leader=Leader.FIRST)
    summary = await run(
        replace(small, conditions=(talk,)),
        out=tmp_path / "out",
        shelf=shelf,
        max_connections=64,
        cost_limit=2.5,
    )
    assert summary.stopped == "cost limit"
    assert summary.cost_usd is not None
    assert 1.5 < summary.cost_usd <= 2.5
    assert all(one.stop is StopReason.COMPLETE for one in await load(tmp_path / "out"))


async def test_a_resumed_run_uses_the_length_of_earlier_replies(small, tmp_path):
    """The turns of a failed discussion determine the reserve for its rest."""
    _, shelf = own(tmp_path, "thinker", THINKER)
    mended = tmp_path / "mended"
    failing = f"    assert request.turn < 3 or pathlib.Path({str(mended)!r}).exists()\n    await"
    brief = THINKER.replace("10_000", "10").replace("    await", failing)
    own(tmp_path, "brief", brief.replace("import asyncio", "import asyncio\nimport pathlib"))
    (tmp_path / "prices.toml").write_text(
        "[thinker]\ninput = 2\noutput = 10\n[brief]\ninput = 2\noutput = 10\n"
    )
    talk = replace(small.conditions[0], seats=("thinker", "brief"), leader=Leader.FIRST)
    study = replace(small, conditions=(talk,))
    broken = await run(study, out=tmp_path / "out", shelf=shelf, limit=1)
    assert broken.discussions.failed == 2
    mended.touch()
    place = {"out": tmp_path / "out", "shelf": shelf}
    summary = await run(study, **place, max_connections=64, cost_limit=1.2)
    assert summary.stopped == "cost limit"
    assert (broken.cost_usd or 0) + (summary.cost_usd or 0) <= 1.2


SILENT = '''
"""An AutoGen agent that ends its turn without a reply."""

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.messages import TextMessage


class Silent(BaseChatAgent):
    produced_message_types = (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        raise NotImplementedError

    async def on_messages_stream(self, messages, cancellation_token):
        for nothing in ():
            yield nothing

    async def on_reset(self, cancellation_token):
        pass


def reviewer():
    return Silent("silent", "says nothing")
'''

HANGING = '''
"""An AutoGen agent that never replies."""

import asyncio

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.messages import TextMessage


class Hanging(BaseChatAgent):
    produced_message_types = (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        await asyncio.Event().wait()

    async def on_reset(self, cancellation_token):
        pass


def reviewer():
    return Hanging("hanging", "never answers")
'''

QUITTING = '''
"""A model client that raises CancelledError itself."""

import asyncio

from peerjudge.clients.fake import FakeChatClient


def reviewer():
    return FakeChatClient(lambda prompt: asyncio.CancelledError())
'''


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (SILENT, "NoResponseError"),
        (HANGING, "DiscussionDeadlineError"),
        (QUITTING, "ClientCancelledError"),
    ],
    ids=["returns nothing", "hangs", "cancels itself"],
)
async def test_a_faulty_foreign_agent_fails_only_its_own_discussions(small, tmp_path, source, kind):
    """Its discussions fail with the type of the error, and all others complete."""
    condition, shelf = own(tmp_path, "odd", source)
    mixed = replace(small, conditions=(condition, small.conditions[1]))
    summary = await run(mixed, out=tmp_path / "out", limit=2, shelf=shelf, deadline=1.0)
    assert (summary.discussions.done, summary.discussions.failed) == (4, 4)
    played = await load(tmp_path / "out")
    assert {one.failure.kind for one in played if one.failure is not None} == {kind}


FAILING = '''
"""Fails every other time."""

from itertools import count

calls = count()


async def judge(request):
    if next(calls) % 2:
        raise ValueError("no")
    return "1"


def reviewer():
    return judge
'''


@pytest.mark.parametrize(("rate", "stopped"), [(0.4, "too many failures"), (0.6, None)])
async def test_a_run_stops_at_its_failure_rate(small, tmp_path, rate, stopped):
    """A run in which half of the discussions fail stops at 0.4 and completes at 0.6."""
    condition, shelf = own(tmp_path, "failing", FAILING)
    alone = replace(small, conditions=(condition,))
    summary = await run(
        alone, out=tmp_path / "out", limit=30, shelf=shelf, fail_on_error=rate, max_connections=1
    )
    assert summary.stopped == stopped
    assert (summary.discussions.failed < 10) == (stopped is not None)


@pytest.mark.parametrize(
    "bounds", [{"cost_limit": 0}, {"token_limit": -1}, {"fail_on_error": 2.0}, {"deadline": 0}]
)
async def test_an_invalid_limit_is_refused(small, tmp_path, bounds):
    """A limit of 0 or a rate above 1 is refused before the first discussion."""
    with pytest.raises(ExperimentError, match=f"not {next(iter(bounds.values())):g}"):
        await run(small, out=tmp_path, **bounds)


class Watch(Quiet):
    """Observer with an event for the start of the run."""

    def __init__(self):
        self.begun = asyncio.Event()

    def planned(self, prepared, counts):
        """Set the event."""
        self.begun.set()


async def test_a_cancelled_run_under_limits_leaves_no_task(small, tmp_path):
    """No task of the limits outlives a cancelled run."""
    before = asyncio.all_tasks()
    watch = Watch()
    playing = asyncio.ensure_future(
        run(
            small,
            out=tmp_path,
            settings={"latency": "0.2"},
            token_limit=10**9,
            fail_on_error=0.5,
            deadline=60.0,
            observer=watch,
        )
    )
    await watch.begun.wait()
    playing.cancel()
    await asyncio.wait([playing])
    assert playing.cancelled()
    assert asyncio.all_tasks() == before
