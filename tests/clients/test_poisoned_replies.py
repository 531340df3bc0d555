"""Replies with values that no store can hold are kept, cleaned and paid once."""

from __future__ import annotations

import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.clients import ClientPool, PersistentCache, bill_to
from peerjudge.data import Message, TokenLogprob, Usage, Utterance, from_json, to_json
from peerjudge.data.cleaning import LEAST_LOGPROB, MOST_TOKENS, clean_utterance
from peerjudge.errors import DataError
from peerjudge.reviewers.messages import build_utterance, to_llm_messages
from peerjudge.shelf.cards import read_card
from peerjudge.store.replies import Replies

CARD = '[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{url}"\n[limits]\nattempts = 1\n'
USAGE = {"prompt_tokens": 30, "completion_tokens": 7}


def token(logprob: str, alternative: str = "-1.0") -> str:
    """Return log-probabilities of one token as JSON."""
    top = f'[{{"token": "2", "logprob": {alternative}, "bytes": [50]}}]'
    return f'{{"content": [{{"token": "1", "logprob": {logprob}, "top_logprobs": {top}}}]}}'


BODIES = {
    "half a pair": ('"Fine. \\ud83d\\n1"', token("-0.5"), json.dumps(USAGE)),
    "half a pair in a token": ('"1"', token("-0.5").replace('"1"', '"\\ud83d"'), json.dumps(USAGE)),
    "minus infinity": ('"1"', token("-Infinity"), json.dumps(USAGE)),
    "alternative of minus infinity": ('"1"', token("-0.5", "-Infinity"), json.dumps(USAGE)),
    "not a number": ('"1"', token("NaN"), json.dumps(USAGE)),
    "logprob as text": ('"1"', token('"high"'), json.dumps(USAGE)),
    "alternative without a logprob": ('"1"', token("-0.5", "null"), json.dumps(USAGE)),
    "no byte": ('"1"', token("-0.5").replace("[50]", "[300]"), json.dumps(USAGE)),
    "bytes as text": ('"1"', token("-0.5").replace("[50]", '"\\ud83d"'), json.dumps(USAGE)),
    "thinking as a flag": (
        '"1"',
        "null",
        json.dumps(USAGE | {"completion_tokens_details": {"reasoning_tokens": True}}),
    ),
    "logprobs as text": ('"1"', '"none"', json.dumps(USAGE)),
    "logprobs without tokens": ('"1"', '{"content": [1, 2]}', json.dumps(USAGE)),
    "absurd usage": ('"1"', "null", f'{{"prompt_tokens": {10**30}, "completion_tokens": 7}}'),
    "usage as text": ('"1"', "null", '{"prompt_tokens": "30", "completion_tokens": [7]}'),
    "negative usage": ('"1"', "null", '{"prompt_tokens": -30, "completion_tokens": 7}'),
    "usage of another type": ('"1"', "null", '["thirty"]'),
    "infinite usage": ('"1"', "null", '{"prompt_tokens": Infinity, "completion_tokens": NaN}'),
}


@pytest.mark.parametrize("case", BODIES)
async def test_a_reply_with_impossible_values_is_kept_and_paid_once(
    httpserver: HTTPServer, tmp_path, case: str
):
    """Its text survives store and cache; a second process does not request it again."""
    content, logprobs, usage = BODIES[case]
    calls: list[int] = []

    def answer(request: Request) -> Response:
        calls.append(1)
        choice = (
            f'{{"index": 0, "finish_reason": "stop", "logprobs": {logprobs}, '
            f'"message": {{"role": "assistant", "content": {content}}}}}'
        )
        return Response(
            f'{{"id": "x", "choices": [{choice}], "usage": {usage}}}',
            content_type="application/json",
        )

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    card = read_card("m", CARD.format(url=httpserver.url_for("/v1")))
    messages = to_llm_messages([Message(role="user", text="Which is better?")])
    said = []
    for _ in range(2):
        async with (
            Replies.open(tmp_path) as replies,
            ClientPool(environ={}, cache=PersistentCache(replies)) as pool,
        ):
            with bill_to(reviewer="m", discussion="d", turn=0) as bill:
                result = await pool.client(card).create(messages)
            said.append(build_utterance(result, bill, model="m"))
    first, again = said
    assert len(calls) == 1
    assert (first.cached, again.cached) == (False, True)
    assert first.text.endswith("1")
    assert first.text == again.text
    assert from_json(Utterance, to_json(first)) == first
    assert 0 < first.usage.prompt_tokens <= MOST_TOKENS
    reported = first.usage == Usage(**USAGE)
    assert first.usage.estimated != reported
    assert reported == ("usage" not in case)


def test_a_probability_of_zero_has_the_logprob_that_openai_writes():
    """Minus infinity becomes a number that JSON can hold, and its alternatives stay."""
    given = Utterance(
        text="1", logprobs=(TokenLogprob(token="1", logprob=-0.1, top=(("2", float("-inf")),)),)
    )
    cleaned, replaced = clean_utterance(given)
    assert cleaned.logprobs == (TokenLogprob(token="1", logprob=-0.1, top=(("2", LEAST_LOGPROB),)),)
    assert replaced == ("logprobs",)


@pytest.mark.parametrize(
    "given",
    [
        Utterance(text="a \ud83d", model="\udc00", finish_reason=None),
        Utterance(text="a", usage=Usage(prompt_tokens=-1, completion_tokens=10**30)),
        Utterance(text="a", usage=Usage(prompt_tokens=1.5, completion_tokens="7")),
        Utterance(text="a", usage=None, latency=float("nan"), attempts=float("inf")),
        Utterance(text="a", latency=float("inf"), cached=1, simulated="no"),
        Utterance(text="a", logprobs=5),
        Utterance(text="a", logprobs=(TokenLogprob(token="a", logprob=float("nan")),)),
        Utterance(text="a", logprobs=(TokenLogprob(token=1, logprob=-1.0, top=None),)),
    ],
)
def test_an_utterance_of_user_code_can_be_read_again(given):
    """Code of users constructs utterances without checks; what it makes is stored readably."""
    cleaned, replaced = clean_utterance(given)
    assert from_json(Utterance, to_json(cleaned)) == cleaned
    assert replaced
    assert clean_utterance(cleaned) == (cleaned, ())


@pytest.mark.parametrize("given", [None, "1", Utterance(text=None), Utterance(text=b"1")])
def test_a_reply_without_a_text_is_an_error(given):
    """There is nothing to store, so the turn fails."""
    with pytest.raises(DataError, match="returns an Utterance with a text"):
        clean_utterance(given)
