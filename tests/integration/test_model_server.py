"""What a real OpenAI-compatible server makes of what PeerJudge sends it (opt-in)."""

from __future__ import annotations

import math

import pytest
from autogen_core.models import SystemMessage, UserMessage

from peerjudge.cards import read_card
from peerjudge.clients import Governed, build_client, create_args
from peerjudge.data import Condition, Experiment, Sampling, StopReason
from peerjudge.experiment import load, run
from peerjudge.shelf import Shelf

pytestmark = pytest.mark.integration

PROMPT = [SystemMessage(content="Be fair."), UserMessage(content="Which is better?", source="user")]
MOST = 24


@pytest.fixture
async def client(card):
    """The client of the card, which keeps no replies: every call goes over the wire."""
    built = build_client(read_card("noise", card("noise")), environ={})
    yield built
    await built.close()


async def said(client, **sampling):
    """The whole reply to the prompt, sampled so."""
    args, dropped = create_args(Sampling(max_tokens=MOST, **sampling), "openai", model="noise")
    assert dropped == ()
    return await client.create(PROMPT, extra_create_args=args)


async def test_log_probabilities_come_with_every_token(client):
    """Each token has its own, and those of its rivals, which are those of a distribution."""
    result = await said(client, temperature=1.0, logprobs=True)
    assert result.logprobs
    assert len(result.logprobs) == result.usage.completion_tokens == MOST
    assert result.finish_reason == "length"
    for token in result.logprobs:
        assert token.logprob <= 0.0
        assert token.top_logprobs
        assert sum(math.exp(rival.logprob) for rival in token.top_logprobs) < 1.0 + 1e-6
    assert (await said(client, temperature=1.0)).logprobs is None


async def test_a_seed_repeats_a_reply_and_another_does_not(client):
    """Sampled from the same seed, noise says the same again."""
    one, again, other = [
        (await said(client, temperature=1.0, seed=seed)).content for seed in (5, 5, 6)
    ]
    assert one == again
    assert one != other


async def test_temperature_decides_how_free_a_reply_is(client):
    """At zero all seeds say the same; at one, hardly two do."""
    for temperature, replies in ((0.0, 1), (1.0, 5)):
        texts = {
            (await said(client, temperature=temperature, seed=seed)).content for seed in range(5)
        }
        assert len(texts) == replies


async def test_a_streamed_reply_is_the_same_in_pieces(client):
    """The pieces of a stream make up the reply that the same seed gives as a whole."""
    args, _ = create_args(Sampling(max_tokens=MOST, temperature=1.0, seed=5), "openai")
    governed = Governed(client, model="noise", reviewer="noise")
    items = [item async for item in governed.create_stream(PROMPT, extra_create_args=args)]
    *pieces, result = items
    assert len(pieces) > 1
    assert "".join(pieces) == result.content
    assert result.content == (await said(client, temperature=1.0, seed=5)).content
    assert governed.book.tally("noise").paid == 1


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_short_run_ends_and_goes_on_without_a_call(card, tmp_path, workers):
    """Noise discusses and rates: every turn is kept with its tokens, and none is asked for twice."""
    (tmp_path / "agents").mkdir()
    for name in ("ann", "bob"):
        (tmp_path / "agents" / f"{name}.toml").write_text(card(name))
    study = Experiment(
        name="noise",
        data="sample",
        conditions=(
            Condition(name="talk", protocol="leader_follower", seats=("ann", "bob")),
            Condition(name="rate", protocol="pointwise", seats=("ann",)),
        ),
    )
    settings = {"shelf": Shelf(tmp_path), "limit": 2, "environ": {}, "workers": workers}
    summary = await run(study, out=tmp_path / "out", **settings)
    assert summary.discussions.failed == 0
    played = await load(tmp_path / "out")
    assert {one.stop for one in played} == {StopReason.COMPLETE}
    for turn in (turn for one in played for turn in one.turns):
        assert turn.utterance.logprobs
        # It stops at no byte within a character, and noise goes from one into the next.
        assert 0 < turn.utterance.usage.completion_tokens < 2 * MOST
        assert not turn.utterance.usage.estimated
    again = await run(study, out=tmp_path / "out", **settings)
    assert again.calls.paid == again.calls.cached == 0
    assert again.discussions.skipped == len(played)
