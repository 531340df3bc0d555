"""The book of a place equals the bill of the server, whatever happened to the replies."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from peerjudge.cli import build_app
from peerjudge.clients.retry import RetryPolicy
from peerjudge.data import replace, to_plain
from peerjudge.results.summaries import describe_place, describe_spending, list_next_steps
from peerjudge.runs import load, run

EACH = 600
"""Tokens of one reply of the model server."""


def book(folder):
    """Return the tokens of the replies that arrived, and the number of calls without one."""
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        rows = connection.execute(
            "SELECT outcome, estimated, prompt_tokens + completion_tokens FROM calls"
        ).fetchall()
    paid = sum(tokens for outcome, _, tokens in rows if outcome == "paid")
    uncertain = sum(outcome in {"open", "lost"} for outcome, _, _ in rows)
    assert all(estimated for outcome, estimated, _ in rows if outcome in {"open", "lost"})
    assert all(tokens == 0 for outcome, _, tokens in rows if outcome == "failed")
    return paid, uncertain


async def test_a_limit_belongs_to_the_place(kit, start, tmp_path):
    """Another seed, temperature, role or protocol option spends from the same limit."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    out, limit = tmp_path / "out", 30_000
    first = await run(kit.study(), out=out, shelf=shelf, token_limit=limit, environ={})
    assert first.stopped == "token limit"
    assert first.spent_before.tokens == 0
    assert first.spent_now.tokens == server.billed > limit / 2
    assert (first.limit.tokens, first.limit.usd) == (limit, None)
    changes = (
        {"seed": 8},
        {"settings": {"temperature": "0.4"}},
        {"settings": {"turns": "4"}},
        {"experiment": replace(kit.study(), conditions=kit.study().conditions[1:])},
    )
    for change in changes:
        before = server.billed
        again = await run(
            **{"experiment": kit.study(), **change},
            out=out,
            shelf=shelf,
            token_limit=limit,
            environ={},
        )
        assert again.spent_before.tokens == before
        assert again.spent_now.tokens == server.billed - before
        assert again.spent_before.usd == pytest.approx(server.earned - (again.spent_now.usd or 0.0))
        assert server.billed <= limit
    card = shelf.project / "agents" / "ann.toml"
    card.write_text(card.read_text().replace("You are ann.", "You are Ann, a critic."))
    await run(kit.study(), out=out, shelf=shelf, cost_limit=0.03, environ={})
    assert server.earned <= max(0.03, first.spent_now.usd or 0.0) + 0.03


@pytest.mark.parametrize("fate", ["half a pair", "infinite"])
async def test_a_reply_with_a_value_that_no_store_holds_is_paid_once(kit, start, tmp_path, fate):
    """It is a turn like any other, counted to the token and not requested again."""
    server = start(kit.ModelServer(rate=1.0, fates=(fate,)))
    shelf = kit.project(tmp_path, server)
    out = tmp_path / "out"
    first = await run(kit.study(), out=out, shelf=shelf, limit=2, environ={})
    assert first.discussions.failed == 0
    assert first.tokens == server.billed == book(out)[0] > 0
    assert all(one.turns for one in await load(out))
    (out / "store.db").rename(tmp_path / "away.db")
    again = await run(kit.study(), out=out, shelf=shelf, limit=2, environ={})
    assert (again.calls.paid, again.tokens) == (0, 0)
    assert max(server.asked.values()) == 1


async def test_a_failed_call_whose_reply_was_billed_is_in_the_book(kit, start, tmp_path):
    """A reply without choices is refused, but its tokens are counted."""
    server = start(kit.ModelServer(rate=1.0, fates=("no choices",)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1")
    out = tmp_path / "out"
    summary = await run(kit.study(), out=out, shelf=shelf, limit=1, environ={})
    assert summary.discussions.done == 0
    assert summary.spent_now.tokens == server.billed == book(out)[0] > 0
    assert summary.cost_usd == pytest.approx(server.earned)
    again = await run(kit.study(), out=out, shelf=shelf, limit=1, environ={})
    assert again.spent_before == summary.spent_now


@pytest.mark.parametrize("fate", ["hang", "reset", "truncated", "half a line"])
async def test_a_call_whose_reply_never_arrives_is_estimated(kit, start, tmp_path, fate):
    """The provider may bill it, so it is counted, marked and shown, also by the next run."""
    server = start(kit.ModelServer(rate=1.0, fates=(fate,)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1\ntimeout = 0.5")
    out = tmp_path / "out"
    summary = await run(kit.study(), out=out, shelf=shelf, limit=1, environ={})
    assert book(out) == (0, server.unseen)
    assert summary.uncertain.calls == server.unseen == sum(server.asked.values())
    assert summary.uncertain.tokens == summary.spent_now.tokens > 0
    assert summary.cost_known
    server.rate = 0.0
    again = await run(kit.study(), out=out, shelf=shelf, limit=1, environ={})
    assert again.uncertain == summary.uncertain
    assert again.spent_before == summary.spent_now
    assert again.spent_now.tokens == server.billed


@pytest.mark.parametrize("fate", ["429", "500"])
async def test_a_refused_call_costs_nothing(kit, start, tmp_path, fate):
    """Providers do not bill error statuses."""
    server = start(kit.ModelServer(rate=1.0, fates=(fate,)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1")
    out = tmp_path / "out"
    summary = await run(kit.study(), out=out, shelf=shelf, limit=1, environ={})
    assert (summary.spent_now.tokens, summary.cost_usd) == (0, 0.0)
    assert book(out) == (0, 0)


async def test_a_page_of_a_proxy_costs_nothing(kit, start, tmp_path):
    """No model has replied, so the limit stays whole and the same command goes on once it is repaired."""
    server = start(kit.ModelServer(rate=1.0, fates=("wrong type",)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1")
    out, limit = tmp_path / "out", 30_000
    first = await run(kit.study(), out=out, shelf=shelf, limit=2, token_limit=limit, environ={})
    assert first.discussions.failed > 0
    assert (first.stopped, first.spent_now.tokens, first.uncertain.calls) == (None, 0, 0)
    server.rate = 0.0
    again = await run(kit.study(), out=out, shelf=shelf, limit=2, token_limit=limit, environ={})
    assert (again.stopped, again.discussions.done) == (None, first.discussions.failed)
    assert again.spent_now.tokens == server.billed > 0


async def test_lost_calls_that_a_person_settles_as_unbilled_free_the_limit(
    kit, start, tmp_path, capsys
):
    """Until then their estimate counts, and the summary names its amount and the command."""
    server = start(kit.ModelServer(rate=1.0, fates=("reset",)))
    shelf = kit.project(tmp_path, server, limits="attempts = 1")
    out = tmp_path / "out"
    lost = await run(kit.study(), out=out, shelf=shelf, limit=1, environ={})
    server.rate = 0.0
    limit = lost.uncertain.tokens + 1
    blocked = await run(kit.study(), out=out, shelf=shelf, limit=1, token_limit=limit, environ={})
    assert (blocked.stopped, server.billed) == ("token limit", 0)
    cost = f"${lost.uncertain.usd:,.4f} estimated for {lost.uncertain.calls} calls"
    assert f"up to {cost} whose bill is unknown" in "\n".join(describe_place(blocked))
    assert f"peerjudge doctor {out} --settle-lost" in "\n".join(list_next_steps(blocked))

    def doctor(*options):
        code = build_app()(("doctor", str(out), *options), exit_on_error=False, print_error=True)
        return code, capsys.readouterr().out

    code, text = await asyncio.to_thread(doctor)
    assert (code, cost in text) == (0, True)
    code, text = await asyncio.to_thread(doctor, "--settle-lost", "--json")
    assert json.loads(text)["lost"] == {**to_plain(lost.uncertain), "settled": True}
    assert (await asyncio.to_thread(doctor))[1].strip().endswith("0 of them damaged")
    with closing(sqlite3.connect(out / "store.db")) as connection:
        rows = connection.execute("SELECT outcome, error FROM calls").fetchall()
    assert rows == [("unbilled", "APIConnectionError")] * lost.uncertain.calls
    again = await run(kit.study(), out=out, shelf=shelf, limit=1, environ={})
    assert (again.spent_before.tokens, again.uncertain.calls) == (0, 0)
    assert again.spent_now.tokens == server.billed > 0


OWN = '''
"""Replies with the tokens that it has used."""

from peerjudge.data import Usage, Utterance


async def judge(request):
    usage = Usage(prompt_tokens=40, completion_tokens=2)
    return Utterance(text="So it is. \\ud83d\\n1", usage=usage, latency=float("nan"))


def reviewer():
    return judge
'''


async def test_the_tokens_of_own_code_are_in_the_book(kit, start, tmp_path):
    """A reviewer in a file reports its tokens; they count once, and its reply can be read."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    (tmp_path / "agents" / "own.py").write_text(OWN)
    study = kit.study()
    (alone,) = [one for one in study.conditions if one.name == "alone"]
    study = replace(study, conditions=(replace(alone, seats=("own",)),))
    out = tmp_path / "out"
    summary = await run(study, out=out, shelf=shelf, limit=2, environ={})
    played = await load(out)
    assert all(turn.utterance.latency == 0.0 for one in played for turn in one.turns)
    turns = sum(len(one.turns) for one in played)
    assert summary.tokens == 42 * turns == book(out)[0]
    again = await run(study, out=out, shelf=shelf, limit=2, seed=5, environ={})
    assert again.spent_before.tokens == summary.spent_now.tokens


SILENT = '''
"""Says nothing about its tokens."""


async def judge(request):
    return "Answer 1"


def reviewer():
    return judge
'''


@pytest.mark.parametrize("price", [None, 0, 2])
async def test_tokens_that_own_code_does_not_report_are_unknown(kit, start, tmp_path, price):
    """Unknown is not zero, now and for later runs; a price of 0 makes the cost known."""
    server = start(kit.ModelServer())
    shelf = kit.project(tmp_path, server)
    (tmp_path / "agents" / "own.py").write_text(SILENT)
    if price is not None:
        with (tmp_path / "prices.toml").open("a") as file:
            file.write(f"[own]\ninput = {price}\noutput = {price}\n")
    (alone,) = [one for one in kit.study().conditions if one.name == "alone"]
    study = replace(kit.study(), conditions=(replace(alone, seats=("own",)),))
    out = tmp_path / "out"
    summary = await run(study, out=out, shelf=shelf, limit=2, environ={})
    assert (summary.calls.paid, summary.calls.unmetered) == (0, summary.discussions.done)
    assert (summary.cost_usd, summary.cost_known) == ((0.0, True) if price == 0 else (None, False))
    said = describe_spending(summary)
    cost = "$0.00" if price == 0 else "unknown"
    assert said == f"4 calls without a count of tokens, tokens unknown, cost: {cost}"
    again = await run(study, out=out, shelf=shelf, limit=2, seed=5, environ={})
    assert again.spent_before.usd == summary.cost_usd


@pytest.mark.timeout(300)
@given(
    limit=st.integers(3_000, 15_000),
    connections=st.sampled_from([1, 3, 16]),
    attempts=st.integers(1, 6),
    seed=st.integers(0, 99),
    own=st.sampled_from(["", "max_connections = 1"]),
)
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_limit_is_passed_by_empty_replies(
    kit, start, tmp_path_factory, monkeypatch, *, limit, connections, attempts, seed, own
):
    """Each attempt has a reserve of its own, so billed replies without words stay within the limit."""
    monkeypatch.setattr(RetryPolicy, "longest_wait", lambda self, failures: 0.01)
    server = start(kit.ModelServer(rate=0.5, seed=seed, fates=tuple(kit.silences)))
    folder = tmp_path_factory.mktemp("place")
    shelf = kit.project(folder, server, limits=f"attempts = {attempts}\n{own}")
    spent = asyncio.run(
        run(
            kit.study(),
            out=folder / "out",
            shelf=shelf,
            token_limit=limit,
            max_connections=connections,
            environ={},
        )
    ).spent_now.tokens
    assert spent == server.billed <= limit
    assert server.billed > limit / 3
