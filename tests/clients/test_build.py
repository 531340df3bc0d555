"""Clients built from cards: class, settings, and errors."""

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
    """Return a card of this provider."""
    return read_card("tester", f'[model]\nprovider = "{provider}"\nname = "{name}"\n{extra}')


def build_error(wanted: Card, environ: dict[str, str] | None = None) -> str:
    """Return the error message of building a client for this card."""
    with pytest.raises(CardError) as caught:
        build_client(wanted, environ=environ or {})
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
async def test_every_provider_builds_a_client_for_any_model_name(provider: str):
    """Models unknown to AutoGen work with every known provider."""
    client = build_client(card(provider, name="never-heard-of"), environ=KEYS)
    assert isinstance(client, ChatCompletionClient)
    assert find_dialect(client) == PROVIDERS[provider].dialect
    await client.close()


@pytest.mark.parametrize("provider", sorted(name for name, p in PROVIDERS.items() if p.key_env))
def test_a_missing_key_is_named(provider: str):
    """The message contains the variable that should hold the key."""
    assert PROVIDERS[provider].key_env in build_error(card(provider))
    assert "MY_VARIABLE" in build_error(card(provider, 'key_env = "MY_VARIABLE"\n'), KEYS)


@pytest.mark.parametrize("extra", ["anthropic", "ollama"])
def test_a_missing_extra_is_named(extra: str, monkeypatch: pytest.MonkeyPatch):
    """The message for a missing library says what to install."""
    monkeypatch.setitem(sys.modules, f"autogen_ext.models.{extra}", None)
    assert f"pip install 'peerjudge[{extra}]'" in build_error(card(extra), KEYS)


def test_an_unknown_option_is_an_error():
    """A misspelt option, which AutoGen would ignore, is an error with a suggestion."""
    sentence = build_error(card("openai", '[model.options]\norganisation = "o"\n'), KEYS)
    assert "did you mean 'organization'?" in sentence


async def test_any_component_path_is_a_provider():
    """A provider can be the component path of any model client, AutoGen's or the user's."""
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


async def test_a_component_gets_model_address_and_key():
    """A component gets those settings of the card that its configuration names."""
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
def test_an_unusable_component_path_is_an_error(path: str, fragment: str):
    """A wrong path, a wrong class and missing settings have messages of their own."""
    assert fragment in build_error(card(path))


def test_loading_components_allows_their_namespace(monkeypatch: pytest.MonkeyPatch):
    """The namespace of a component is added to the variable that later AutoGen versions read."""
    monkeypatch.setenv("AUTOGEN_ALLOWED_PROVIDER_NAMESPACES", "theirs")
    allow_namespace("peerjudge")
    allow_namespace("peerjudge")
    assert os.environ["AUTOGEN_ALLOWED_PROVIDER_NAMESPACES"] == "theirs,peerjudge"


async def test_cards_of_one_model_share_its_client():
    """A pool builds one client per model and settings, and closes it."""
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
    assert isinstance(inner, FakeChatClient)
    assert inner.closed


def test_reasoning_models_get_max_completion_tokens():
    """OpenAI's reasoning models refuse max_tokens."""
    args, _ = create_args(Sampling(max_tokens=5), "openai", model="o3-mini")
    assert args == {"max_completion_tokens": 5}
    args, _ = create_args(Sampling(max_tokens=5), "openai", model="gpt-4o")
    assert args == {"max_tokens": 5}


def test_an_unset_setting_is_not_sent():
    """Without a setting, the provider's default applies."""
    for dialect in ("openai", "anthropic", "ollama"):
        assert create_args(Sampling(), dialect) == ({}, ())


@pytest.mark.parametrize(
    ("variables", "fragment"),
    [
        (
            {"SSL_CERT_FILE": "/nonexistent/ca.pem"},
            "cannot read the certificates that SSL_CERT_FILE",
        ),
        ({"HTTPS_PROXY": "foo://me:SECRET@127.0.0.1:1"}, "also look at HTTPS_PROXY"),
        ({"HTTP_PROXY": "http://me:SECRET@127.0.0.1:x"}, "also look at HTTP_PROXY"),
    ],
)
def test_an_environment_without_a_connection_is_named(
    variables: dict[str, str], fragment: str, monkeypatch: pytest.MonkeyPatch
):
    """A missing certificate or an impossible proxy gives a sentence, and no password of a proxy."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    sentence = build_error(card("vllm"))
    assert fragment in sentence
    assert "SECRET" not in sentence


@pytest.mark.parametrize("key", ["schl\u00fcssel-SECRET", "SECRET\nsecond line"])
def test_a_key_that_no_header_can_hold_is_refused(key: str):
    """A letter outside ASCII or a line break is a mistake of copying; the key is not repeated."""
    sentence = build_error(card("openai"), {"OPENAI_API_KEY": key})
    assert "OPENAI_API_KEY that no header can hold" in sentence
    assert "SECRET" not in sentence
