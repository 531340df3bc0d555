"""Calls to a real OpenAI-compatible server (opt-in)."""

from __future__ import annotations

import json
import math

import pytest
from autogen_core.models import SystemMessage, UserMessage

from peerjudge.clients import Governed, bill_to, build_client, create_args
from peerjudge.data import Sampling
from peerjudge.reviewers.messages import read_token_logprobs
from peerjudge.shelf.cards import read_card
from peerjudge.verdicts import verdict_probabilities

pytestmark = [pytest.mark.realmodel, pytest.mark.timeout(1800)]

PROMPT = [
    SystemMessage(content="You are a poet."),
    UserMessage(content="Write a long poem about two rivers.", source="user"),
]
MOST = 16


@pytest.fixture
async def client(card):
    """Yield the client of the card, without a cache: every call goes to the server."""
    built = build_client(read_card("qwen", card("qwen")), environ={})
    # Replies after a first one start from the same cached prompt, so that rounding is the same.
    await fetch(built)
    yield built
    await built.close()


async def fetch(client, prompt=PROMPT, **sampling):
    """Return the reply to the prompt with this sampling."""
    args, dropped = create_args(
        Sampling(**{"max_tokens": MOST, **sampling}), "openai", model="qwen"
    )
    assert dropped == ()
    return await client.create(prompt, extra_create_args=args)


async def test_log_probabilities_come_with_every_token(client):
    """Each token has its own and those of its alternatives, which form a distribution."""
    result = await fetch(client, temperature=1.0, logprobs=True)
    assert result.logprobs
    assert len(result.logprobs) == result.usage.completion_tokens == MOST
    assert result.finish_reason == "length"
    for token in result.logprobs:
        assert token.logprob <= 0.0
        assert token.top_logprobs
        assert sum(math.exp(rival.logprob) for rival in token.top_logprobs) < 1.0 + 1e-6
    assert (await fetch(client, temperature=1.0)).logprobs is None


async def test_a_seed_repeats_a_reply_and_another_does_not(client):
    """The same seed gives the same random reply."""
    one, again, other = [
        (await fetch(client, temperature=1.0, seed=seed)).content for seed in (5, 5, 6)
    ]
    assert one == again
    assert one != other


async def test_temperature_varies_replies(client):
    """At 0 all seeds give one reply; at 1 they differ."""
    for temperature, varied in ((0.0, False), (1.0, True)):
        texts = {
            (await fetch(client, temperature=temperature, seed=seed)).content for seed in range(4)
        }
        assert (len(texts) > 1) == varied


async def test_a_streamed_reply_equals_a_whole_one(client):
    """The pieces make up the reply that the same seed gives as a whole."""
    with bill_to(reviewer="r") as bill:
        args, _ = create_args(Sampling(max_tokens=MOST, temperature=1.0, seed=5), "openai")
        governed = Governed(client, model="qwen", reviewer="qwen")
        items = [item async for item in governed.create_stream(PROMPT, extra_create_args=args)]
        *pieces, result = items
        assert len(pieces) > 1
        assert "".join(pieces) == result.content
        assert result.content == (await fetch(client, temperature=1.0, seed=5)).content
        assert [call.outcome for call in bill.calls] == ["paid"]


async def test_alternatives_of_a_token_have_names(client):
    """Each alternative has a text of its own, the chosen token among them or less probable."""
    result = await fetch(client, temperature=0.0, logprobs=True)
    for token in read_token_logprobs(result.logprobs):
        names = [name for name, _ in token.top]
        assert len(names) == len(set(names)) > 1
        assert token.token in names


async def test_probabilities_of_a_bare_verdict_are_read(client):
    """The digits of both answers are among the alternatives of the verdict token."""
    question = (
        "Question: 1 + 1?\n\nAnswer 1: It is 2.\n\nAnswer 2: It is 7.\n\n"
        "Which answer is better? Reply with the number 1 or 2 and nothing else."
    )
    prompt = [UserMessage(content=question, source="user")]
    result = await fetch(client, prompt, temperature=0.0, logprobs=True, max_tokens=4)
    tokens = read_token_logprobs(result.logprobs)
    shares = verdict_probabilities(tokens, answers=2, ties=False)
    assert shares is not None
    assert sum(shares) == pytest.approx(1.0)
    assert min(shares) > 0.0


async def test_a_response_format_of_the_card_is_kept(card):
    """With a schema in the card's options, random replies are JSON with log-probabilities."""
    schema = '{properties = {better = {enum = ["first", "second"]}}, required = ["better"]}'
    form = f'response_format = {{type = "json_object", schema = {schema}}}'
    client = build_client(read_card("qwen", card("qwen", form)), environ={})
    args, _ = create_args(Sampling(max_tokens=60, temperature=1.0, logprobs=True), "openai")
    results = [await client.create(PROMPT, extra_create_args=args) for _ in range(3)]
    await client.close()
    for result in results:
        assert json.loads(result.content)["better"] in {"first", "second"}
        assert result.logprobs
