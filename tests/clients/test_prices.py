"""Prices of tokens; an unknown price is never 0."""

from __future__ import annotations

import pytest
from autogen_core.models import UserMessage
from hypothesis import given, strategies as st

from peerjudge.clients import Governed, Price, Prices, bill_to
from peerjudge.clients.fake import FakeChatClient, FakeReply
from peerjudge.data import Usage
from peerjudge.errors import CardError
from peerjudge.shelf.cards import read_card

MILLION = Usage(prompt_tokens=1_000_000, completion_tokens=1_000_000)


def card(name: str = "gpt-4o", provider: str = "openai", **more: str):
    """Return a card of this model."""
    lines = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    return read_card("tester", f'[model]\nprovider = "{provider}"\nname = "{name}"\n{lines}')


def test_a_known_model_has_the_published_price():
    """GPT-4 of 2023 cost 30 and 60 USD per million tokens."""
    price = Prices().find(card("gpt-4"))
    assert price is not None
    assert (price.input, price.output) == (30.0, 60.0)
    assert price.cost(Usage(prompt_tokens=1000, completion_tokens=500)) == pytest.approx(0.06)
    assert "genai-prices" in price.source


@pytest.mark.parametrize(
    ("name", "provider", "more"),
    [
        ("never-heard-of-it", "openai", {}),
        ("gpt-4o", "openai", {"base_url": "http://127.0.0.1:1/v1"}),
        ("llama3.1:8b", "ollama", {}),
        ("gpt-4o", "vllm", {}),
        ("gpt-4o", "my.own.Client", {}),
    ],
)
def test_an_unknown_price_is_unknown(name: str, provider: str, more: dict[str, str]):
    """New models, the user's own servers and clients have no known price."""
    assert Prices().find(card(name, provider, **more)) is None


def test_long_prompts_may_cost_more_per_token():
    """Prices with a threshold of prompt length are applied call by call."""
    price = Prices().find(card("gemini-2.5-pro", "gemini"))
    assert price is not None
    short = price.cost(Usage(prompt_tokens=50_000))
    assert price.cost(Usage(prompt_tokens=500_000)) > 10 * short


def test_own_prices_come_first(tmp_path):
    """The project's prices precede the table: by card, by provider and model, by model."""
    path = tmp_path / "prices.toml"
    path.write_text('["gpt-4o"]\ninput = 1\noutput = 2\n')
    price = Prices.read(tmp_path).find(card())
    assert price is not None
    assert price.cost(MILLION) == 3.0
    path.write_text(path.read_text() + '["openai/gpt-4o"]\ninput = 0\noutput = 4\n')
    price = Prices.read(tmp_path).find(card())
    assert price is not None
    assert price.cost(MILLION) == 4.0
    path.write_text(path.read_text() + "[tester]\ninput = 5\noutput = 0\n")
    price = Prices.read(tmp_path).find(card())
    assert price is not None
    assert price.cost(MILLION) == 5.0


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[m]\ninput = 1\n",
        "[m]\ninput = -1\noutput = 1\n",
        "m = 3\n",
        "[m]\ninput = true\noutput = 1\n",
    ],
)
def test_an_invalid_price_is_an_error(tmp_path, text: str):
    """A price that is not two numbers is refused, with the file in the message."""
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(CardError, match=r"prices\.toml"):
        Prices.read(tmp_path)


def test_the_price_file_is_optional(tmp_path):
    """Without prices.toml, the published table applies."""
    assert Prices.read(tmp_path).find(card("gpt-4")) is not None


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_cost_is_linear_in_short_calls(prompt: int, reply: int):
    """Two calls cost as much as their tokens together."""
    price = Price(input=3.0, output=15.0, source="test")
    one = price.cost(Usage(prompt_tokens=prompt, completion_tokens=reply))
    two = price.cost(Usage(prompt_tokens=2 * prompt, completion_tokens=2 * reply))
    assert two == pytest.approx(2 * one)


async def test_a_paid_call_has_its_price_and_a_cached_one_costs_nothing():
    """The cost of a paid call is in USD, or unknown without a price."""
    price = Price(input=1_000_000.0, output=0.0, source="test")
    fake = FakeChatClient(lambda prompt: FakeReply(text="1", usage=(3, 1)))
    for client, cost, unpriced in ((Governed(fake, price=price), 3.0, 0), (Governed(fake), 0.0, 1)):
        with bill_to(reviewer="r", draw="d") as bill:
            for _ in range(2):
                await client.create([UserMessage(content="?", source="m")])
        assert [call.cost for call in bill.calls] == [None if unpriced else cost, 0.0]
