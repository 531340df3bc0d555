"""Clients built from cards: which class, with which settings, and why not."""

from __future__ import annotations

import os
import sys

import pytest
from autogen_core.models import ChatCompletionClient, UserMessage

from peerjudge.clients import ClientPool, allow_namespace, build_client, create_args, find_dialect
from peerjudge.clients.fake import FakeChatClient
from peerjudge.data import Card, Sampling
from peerjudge.errors import CardError
from peerjudge.shelf.cards import PROVIDERS, read_card

KEYS = {provider.key_env: "k" for provider in PROVIDERS.values()}


def card(provider: str, extra: str = "", name: str = "m") -> Card:
    """A card for this provider."""
    return read_card("tester", f'[model]\nprovider = "{provider}"\nname = "{name}"\n{extra}')


def refusal(wanted: Card, environ: dict[str, str] | None = None) -> str:
    """The sentence with which a client for this card is refused."""
    with pytest.raises(CardError) as caught:
        build_client(wanted, environ=environ or {})
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
async def test_every_provider_builds_a_client_for_any_model_name(provider: str):
    """Models that AutoGen has never heard of can be asked at every known provider."""
    client = build_client(card(provider, name="never-heard-of"), environ=KEYS)
    assert isinstance(client, ChatCompletionClient)
    assert find_dialect(client) == PROVIDERS[provider].dialect
    await client.close()


@pytest.mark.parametrize("provider", sorted(name for name, p in PROVIDERS.items() if p.key_env))
def test_a_missing_key_is_named(provider: str):
    """The variable that should hold the key is in the sentence."""
    assert PROVIDERS[provider].key_env in refusal(card(provider))
    assert "MY_VARIABLE" in refusal(card(provider, 'key_env = "MY_VARIABLE"\n'), KEYS)


@pytest.mark.parametrize("extra", ["anthropic", "ollama"])
def test_a_missing_extra_is_named(extra: str, monkeypatch: pytest.MonkeyPatch):
    """A provider whose library is not installed says what to install."""
    monkeypatch.setitem(sys.modules, f"autogen_ext.models.{extra}", None)
    assert f"pip install 'peerjudge[{extra}]'" in refusal(card(extra), KEYS)


def test_an_option_the_client_does_not_know_is_refused():
    """AutoGen would drop a misspelt option without a word."""
    sentence = refusal(card("openai", '[model.options]\norganisation = "o"\n'), KEYS)
    assert "did you mean organization?" in sentence


async def test_any_component_path_is_a_provider():
    """AutoGen's own and anybody's model clients are built through their component form."""
    replay = card(
        "autogen_ext.models.replay.ReplayChatCompletionClient",
        '[model.options]\nchat_completions = ["one", "two"]\n',
    )
    client = build_client(replay, environ={})
    result = await client.create([UserMessage(content="?", source="user")])
    assert result.content == "one"
    fake = build_client(
        card("peerjudge.clients.fake.FakeChatClient", '[model.options]\ndefault = "2"\n'),
        environ={},
    )
    assert isinstance(fake, FakeChatClient)


async def test_a_component_is_given_model_address_and_key_where_it_has_a_place_for_them():
    """A component that is configured like OpenAI's client gets what the card says."""
    wanted = card(
        "autogen_ext.models.openai.OpenAIChatCompletionClient",
        'base_url = "http://localhost:1/v1"\nkey_env = "KEY"\n',
        name="gpt-4o",
    )
    client = build_client(wanted, environ={"KEY": "k"})
    config = client.dump_component().config
    assert (config["model"], config["base_url"]) == ("gpt-4o", "http://localhost:1/v1")
    assert (config["max_retries"], config["timeout"]) == (0, 120.0)
    assert config["api_key"].get_secret_value() == "k"
    await client.close()


@pytest.mark.parametrize(
    ("path", "fragment"),
    [
        ("nowhere.at.All", "cannot be imported"),
        ("peerjudge.clients.fake.Nothing", "cannot be imported"),
        ("peerjudge.data.Card", "not an AutoGen ChatCompletionClient"),
        ("autogen_ext.models.replay.ReplayChatCompletionClient", "chat_completions"),
        ("autogen_core.models.ChatCompletionClient", "cannot build"),
    ],
)
def test_a_component_path_that_cannot_work_is_refused(path: str, fragment: str):
    """A wrong path, a wrong class and a lacking configuration each get their sentence."""
    assert fragment in refusal(card(path))


def test_loading_components_allows_their_namespace(monkeypatch: pytest.MonkeyPatch):
    """Later versions of AutoGen load only from namespaces that are allowed by name."""
    monkeypatch.setenv("AUTOGEN_ALLOWED_PROVIDER_NAMESPACES", "theirs")
    allow_namespace("peerjudge")
    allow_namespace("peerjudge")
    assert os.environ["AUTOGEN_ALLOWED_PROVIDER_NAMESPACES"] == "theirs,peerjudge"


async def test_cards_of_one_model_share_its_client():
    """A pool builds one client per model and settings, and closes each."""
    path = "peerjudge.clients.fake.FakeChatClient"
    one = read_card("one", f'[model]\nprovider = "{path}"\n[model.options]\ndefault = "1"\n')
    two = read_card(
        "two",
        f'role = "Be kind."\n[model]\nprovider = "{path}"\n[model.options]\ndefault = "1"\n'
        "[limits]\nmax_connections = 1\n",
    )
    other = read_card("three", f'[model]\nprovider = "{path}"\n[model.options]\ndefault = "2"\n')
    async with ClientPool(environ={}) as pool:
        assert pool.client(one) is pool.client(one)
        assert pool.client(one) is not pool.client(two)
        assert pool.client(one).inner is pool.client(two).inner
        inner = pool.client(other).inner
        assert inner is not pool.client(one).inner
        prompt = [UserMessage(content="?", source="user")]
        await pool.client(one).create(prompt)
        assert (await pool.client(two).create(prompt)).cached
        assert (await pool.client(other).create(prompt)).content == "2"
        assert pool.book.tally("two").cached == 1
    assert isinstance(inner, FakeChatClient)
    assert inner.closed


def test_reasoning_models_bound_their_replies_by_another_name():
    """OpenAI's reasoning models refuse max_tokens."""
    args, _ = create_args(Sampling(max_tokens=5), "openai", model="o3-mini")
    assert args == {"max_completion_tokens": 5}
    args, _ = create_args(Sampling(max_tokens=5), "openai", model="gpt-4o")
    assert args == {"max_tokens": 5}


def test_a_setting_left_open_is_not_sent():
    """The provider's default stays the provider's."""
    for dialect in ("openai", "anthropic", "ollama"):
        assert create_args(Sampling(), dialect) == ({}, ())
