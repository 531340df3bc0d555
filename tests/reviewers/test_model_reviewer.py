"""Model reviewers and reviewer agents: prompts, utterances, warnings, history."""

from __future__ import annotations

import json
from typing import Any

import pytest
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_core.models import UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient
from pytest_httpserver import HTTPServer
from structlog.testing import capture_logs
from werkzeug import Request as WireRequest, Response

from peerjudge.clients import ClientPool, Governed
from peerjudge.clients.fake import FakeChatClient, FakeReply
from peerjudge.data import (
    Card,
    Cue,
    Expects,
    Limits,
    Message,
    Request,
    Sampling,
    TokenLogprob,
    replace,
)
from peerjudge.errors import CardError, EmptyReplyError
from peerjudge.reviewers import ModelReviewer, ReviewerAgent
from peerjudge.shelf.cards import read_card
from tests.clients.wire import anthropic_message, as_json, completion
from tests.reviewers.requests import request as foreign_request


def request(draw: str = "d", **sampling: Any) -> Request:
    """Return a request to a seat with this sampling, in a discussion."""
    return replace(
        foreign_request(**sampling),
        messages=(
            Message(role="system", text="Be fair."),
            Message(role="user", text="Which?", source="reviewer_2"),
            Message(role="assistant", text="The first.", source="reviewer_1"),
            Message(role="user", text="Sure?"),
        ),
        drawn=lambda: draw,
    )


async def test_a_model_reviewer_makes_one_call_per_cue():
    """The prompt is sent as it is; text, tokens, attempts and log-probabilities are kept."""
    logprobs = (TokenLogprob(token="2", logprob=-0.1, top=(("1", -2.0),)),)
    fake = FakeChatClient(
        lambda prompt: FakeReply(text="2", finish_reason="length", logprobs=logprobs, usage=(9, 1))
    )
    client = Governed(fake, model="m")
    reply = await ModelReviewer(Card(name="tester"), client).speak(request(temperature=0.3, seed=4))
    (prompt,) = fake.prompts
    assert [type(message).__name__ for message in prompt.messages] == [
        "SystemMessage",
        "UserMessage",
        "AssistantMessage",
        "UserMessage",
    ]
    assert prompt.sampling == {"temperature": 0.3, "seed": 4}
    assert (reply.text, reply.finish_reason, reply.model) == ("2", "length", "m")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (9, 1)
    assert (reply.attempts, reply.cached, reply.simulated) == (1, False, True)
    assert reply.logprobs == logprobs


async def test_names_of_seats_are_not_sent_to_the_model():
    """Names could sway a model, so senders are neutral."""
    fake = FakeChatClient(default="1")
    await ModelReviewer(Card(name="tester"), fake).speak(request())
    sources = {getattr(message, "source", "") for message in fake.prompts[0].messages}
    assert sources == {"", "moderator", "reviewer"}


async def test_equal_draws_are_one_call_and_other_draws_are_not():
    """The same draw is one call in all discussions; another draw is another call."""
    fake = FakeChatClient(default="1")
    reviewer = ModelReviewer(Card(name="tester"), fake)
    first = await reviewer.speak(request("x"))
    again = await reviewer.speak(replace(request("x"), discussion="other", turn=0))
    other = await reviewer.speak(request("y"))
    assert (first.cached, again.cached, other.cached) == (False, True, False)
    assert again.attempts == 0
    assert len(fake.prompts) == 2


async def test_one_reviewer_in_two_seats_speaks_at_two_temperatures():
    """Temperature belongs to the seat, not to the card."""
    fake = FakeChatClient(lambda prompt: str(prompt.sampling["temperature"]))
    reviewer = ModelReviewer(Card(name="tester"), fake)
    assert (await reviewer.speak(request(temperature=0.2))).text == "0.2"
    assert (await reviewer.speak(request(temperature=1.0))).text == "1.0"


async def test_an_empty_reply_is_a_failure():
    """A model that says nothing has no opinion that could be read or heard."""
    card = Card(name="tester", limits=Limits(attempts=1))
    with pytest.raises(EmptyReplyError, match="sent an empty reply"):
        await ModelReviewer(card, FakeChatClient(default=" \n")).speak(request())


async def test_a_setting_the_provider_lacks_is_left_out_with_one_warning(httpserver: HTTPServer):
    """Anthropic takes no seed: it is dropped from every call, with one warning."""
    sent: list[dict[str, Any]] = []

    def handle(wire: WireRequest) -> Response:
        sent.append(json.loads(wire.data))
        return anthropic_message("1")

    httpserver.expect_request("/v1/messages").respond_with_handler(handle)
    card = read_card(
        "claude",
        f'[model]\nprovider = "anthropic"\nname = "claude-x"\nbase_url = "{httpserver.url_for("")}"\n',
    )
    async with ClientPool(environ={}) as pool:
        reviewer = ModelReviewer(card, pool.client(card))
        with capture_logs() as logs:
            await reviewer.speak(request("x", seed=1, temperature=0.5))
            reply = await reviewer.speak(request("y", seed=1, temperature=0.5))
    assert [(log["setting"], log["reviewer"]) for log in logs] == [("seed", "claude")]
    assert not reply.simulated
    assert len(sent) == 2
    assert "seed" not in sent[0]


@pytest.mark.parametrize(
    ("refuses", "asked", "event"),
    [(True, [True, False, False], "setting not"), (False, [True, True], "replies lack")],
)
async def test_missing_log_probabilities_cause_one_warning(
    httpserver: HTTPServer, refuses: bool, asked: list[bool], event: str
):
    """A server that refuses them is called again without; one that ignores them is not."""
    sent: list[dict[str, Any]] = []

    def handle(wire: WireRequest) -> Response:
        sent.append(json.loads(wire.data))
        if refuses and "logprobs" in sent[-1]:
            error = {"message": "'logprobs' is not supported with this model.", "code": None}
            return as_json({"error": error}, status=400)
        return as_json(completion("4"))

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(handle)
    card = read_card(
        "plain",
        f'[model]\nprovider = "vllm"\nname = "plain-1"\nbase_url = "{httpserver.url_for("/v1")}"\n',
    )
    rate = replace(request("x").cue, sees=("a",), logprobs=True)
    async with ClientPool(environ={}) as pool:
        reviewer = ModelReviewer(card, pool.client(card))
        with capture_logs() as logs:
            reply = [await reviewer.speak(replace(request(draw), cue=rate)) for draw in "xy"]
    assert [one.text for one in reply] == ["4", "4"]
    assert ["logprobs" in body for body in sent] == asked
    (warning,) = (log["event"] for log in logs if log["log_level"] == "warning")
    assert warning.startswith(event)


async def test_a_shared_client_is_left_open_and_an_own_one_is_closed():
    """A governed client is closed by its owner."""
    shared, own = FakeChatClient(), FakeChatClient()
    await ModelReviewer(Card(name="one"), Governed(shared)).close()
    await ModelReviewer(Card(name="two"), own).close()
    assert (shared.closed, own.closed) == (False, True)


def agent(fake: FakeChatClient, **settings: Any) -> ReviewerAgent:
    """Return a reviewer agent over this fake."""
    return ReviewerAgent("alice", fake, system_message="Be fair.", **settings)


def messages(text: str) -> list[TextMessage]:
    """Return one new message to an agent."""
    return [TextMessage(content=text, source="user")]


async def test_a_reviewer_agent_keeps_only_successful_turns():
    """A failed turn leaves no trace in the history and can be repeated."""
    fake = FakeChatClient(
        lambda prompt: (
            ValueError("no")
            if "two" in prompt.text and prompt.attempt == 1
            else str(len(prompt.messages))
        )
    )
    alice = agent(fake)
    token = CancellationToken()
    assert (await alice.on_messages(messages("one"), token)).chat_message.to_text() == "2"
    with pytest.raises(ValueError, match="no"):
        await alice.on_messages(messages("two"), token)
    assert (await alice.on_messages(messages("two"), token)).chat_message.to_text() == "4"
    await alice.on_reset(token)
    assert (await alice.on_messages(messages("one"), token)).chat_message.to_text() == "2"


async def test_a_reviewer_agent_passes_on_sampling_and_log_probabilities():
    """Log-probabilities, which AssistantAgent loses, are in the metadata."""
    logprobs = (TokenLogprob(token="1", logprob=-0.5),)
    fake = FakeChatClient(lambda prompt: FakeReply(text="1", logprobs=logprobs, usage=(3, 1)))
    alice = agent(fake, sampling=Sampling(temperature=0.9))
    response = await alice.on_messages(messages("?"), CancellationToken())
    message = response.chat_message
    assert fake.prompts[0].sampling == {"temperature": 0.9}
    assert json.loads(message.metadata["peerjudge.logprobs"])[0]["token"] == "1"
    assert message.metadata["peerjudge.cached"] == "false"
    assert message.models_usage is not None
    assert message.models_usage.prompt_tokens == 3


async def test_a_reviewer_agent_draws_again_each_time():
    """Outside a discussion, an equal prompt gets a new reply."""
    fake = FakeChatClient(lambda prompt: str(prompt.attempt))
    alice = agent(fake)
    for expected in ("1", "2"):
        await alice.on_reset(CancellationToken())
        response = await alice.on_messages(messages("?"), CancellationToken())
        assert response.chat_message.to_text() == expected


async def test_a_reviewer_agent_can_join_a_group_chat():
    """It is a participant like any other of AutoGen's round robin."""
    one = ReviewerAgent("alice", FakeChatClient(default="from alice"))
    two = ReviewerAgent("bob", FakeChatClient({"from alice": "heard alice"}, default="nothing"))
    result = await RoundRobinGroupChat([one, two], max_turns=2).run(task="Go.")
    assert [message.to_text() for message in result.messages] == [
        "Go.",
        "from alice",
        "heard alice",
    ]


async def test_a_reviewer_agent_can_be_saved_and_dumped():
    """An agent loaded from its component and state continues the conversation."""
    fake = FakeChatClient({"Sure?": "yes"}, default="first")
    alice = agent(fake, sampling=Sampling(seed=3))
    await alice.on_messages(messages("Which?"), CancellationToken())
    twin = ReviewerAgent.load_component(alice.dump_component())
    await twin.load_state(json.loads(json.dumps(await alice.save_state())))
    assert (
        await twin.on_messages(messages("Sure?"), CancellationToken())
    ).chat_message.to_text() == "yes"
    assert twin.dump_component() == alice.dump_component()
    assert await twin.save_state() != await alice.save_state()


def test_the_agent_of_a_card_has_its_role_and_name():
    """Cards become agents, and a name that AutoGen refuses is refused."""
    card = Card(name="carol", role="Be kind.", description="Kind.")
    carol = ReviewerAgent.of(card, FakeChatClient())
    assert (carol.name, carol.description) == ("carol", "Kind.")
    with pytest.raises(CardError, match="cannot name a reviewer"):
        ReviewerAgent("not a name", FakeChatClient())


async def test_a_replay_is_marked_as_simulated():
    """Replies of AutoGen's replay client are marked as simulated."""
    reviewer = ModelReviewer(Card(name="tester"), ReplayChatCompletionClient(["1"]))
    assert (await reviewer.speak(request())).simulated
    assert UserMessage(content="", source="x").source == "x"


@pytest.mark.parametrize("place", ["response_format", "extra_body.guided_json"])
async def test_a_response_format_goes_to_verdicts_and_ratings_only(httpserver: HTTPServer, place):
    """An explanation is prose, so the form of a verdict is not asked of it; other options stay."""
    sent: list[dict[str, Any]] = []

    def handle(wire: WireRequest) -> Response:
        sent.append(json.loads(wire.data))
        return as_json(completion())

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(handle)
    card = read_card(
        "tester",
        f'[model]\nprovider = "vllm"\nname = "m"\nbase_url = "{httpserver.url_for("/v1")}"\n'
        f'[model.options]\n{place} = {{ type = "json_object" }}\nextra_body.top_k = 4\n',
    )
    async with ClientPool(environ={}) as pool:
        reviewer = ModelReviewer(card, pool.client(card))
        for expects in Expects:
            cue = Cue(seat="reviewer_1", task=str(expects), sees=("a",), expects=expects)
            await reviewer.speak(replace(request(str(expects)), cue=cue))
    name = place.rpartition(".")[2]
    forms = {expects: body.get(name) for expects, body in zip(Expects, sent, strict=True)}
    form = {"type": "json_object"}
    plain = {"type": "text"} if name == place else None
    assert forms == {Expects.TEXT: plain, Expects.VERDICT: form, Expects.RATING: form}
    assert all(body["top_k"] == 4 for body in sent)
