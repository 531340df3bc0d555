"""Agents of other frameworks in async functions, as docs/recipes.md shows them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from peerjudge.data import Message, Utterance, replace
from peerjudge.errors import CardError
from peerjudge.features.judge.trying import try_cards
from peerjudge.reviewers import make_reviewer
from peerjudge.shelf import Shelf
from tests.reviewers.requests import request

DOCS = Path(__file__).resolve().parents[2] / "docs"
CARD = re.compile(r"^```python\n# (agents/\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAID = "It is complete.\n\nAnswer 2"


def find_cards(page: str) -> dict[str, str]:
    """Return the cards of a page of the documentation by their paths."""
    return dict(CARD.findall((DOCS / page).read_text("utf-8")))


def find_recipe(name: str) -> dict[str, object]:
    """Return the names that a card of docs/recipes.md defines."""
    names: dict[str, object] = {}
    exec(find_cards("recipes.md")[f"agents/{name}.py"], names)
    return names


async def speak(names: dict[str, object]) -> Utterance:
    """Return the reply of a card's reviewer to a prompt with a turn of its own."""
    asked = request()
    system, user = asked.messages
    asked = replace(asked, messages=(system, Message(role="assistant", text="The first."), user))
    return await make_reviewer(names["reviewer"], name="judge").speak(asked)


def test_every_card_of_the_page_is_tested():
    """Each card is executed by a test below."""
    names = ("own_judge", "sdk_judge", "microsoft_judge", "graph_judge", "pydantic_judge")
    assert [*find_cards("recipes.md")] == [f"agents/{name}.py" for name in names]


async def test_a_card_of_any_library_reviews(tmp_path):
    """A reader who saves the card and tries it sees its verdict, and the tools it called."""
    card = tmp_path / "agents" / "own_judge.py"
    card.parent.mkdir()
    card.write_text(find_cards("recipes.md")["agents/own_judge.py"], "utf-8")
    (tried,) = [one async for one in try_cards([card.stem], shelf=Shelf(tmp_path))]
    assert (tried.problem, tried.verdict) == ("", "Answer 2")
    assert tried.inner > 0
    assert tried.usage.prompt_tokens > 0


async def test_an_agent_of_the_openai_sdk_reviews():
    """The prompt keeps its roles, and the tokens of the run are reported."""
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    from agents import Model, ModelResponse, Usage

    class Scripted(Model):
        """Offline model."""

        async def get_response(self, system_instructions, input, *args, **named):  # noqa: A002
            assert system_instructions == "Check every claim."
            assert [each["role"] for each in input] == ["system", "assistant", "user"]
            text = ResponseOutputText(text=SAID, type="output_text", annotations=[])
            said = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            usage = Usage(requests=1, input_tokens=7, output_tokens=2, total_tokens=9)
            return ModelResponse(output=[said], usage=usage, response_id=None)

        def stream_response(self, *args, **named):
            raise NotImplementedError

    names = find_recipe("sdk_judge")
    names["agent"].model = Scripted()
    said = await speak(names)
    assert (said.text, said.usage.prompt_tokens, said.usage.completion_tokens) == (SAID, 7, 2)


async def test_an_agent_of_the_microsoft_framework_reviews(monkeypatch):
    """The prompt keeps its roles, and the tokens of the run are reported."""
    framework = pytest.importorskip("agent_framework", reason="pip install agent-framework-core")

    class Scripted(framework.BaseChatClient):
        """Offline client in place of `OpenAIChatClient`."""

        def __init__(self, model):
            super().__init__()

        def _inner_get_response(self, *, messages, stream, options, **named):
            assert [each.role for each in messages] == ["system", "assistant", "user"]
            return self._answer()

        async def _answer(self):
            return framework.ChatResponse(
                messages=[framework.Message(role="assistant", contents=[SAID])],
                usage_details={"input_token_count": 7, "output_token_count": 2},
            )

    module = SimpleNamespace(OpenAIChatClient=Scripted)
    monkeypatch.setitem(sys.modules, "agent_framework.openai", module)
    said = await speak(find_recipe("microsoft_judge"))
    assert (said.text, said.usage.prompt_tokens, said.usage.completion_tokens) == (SAID, 7, 2)


async def test_a_graph_of_langgraph_reviews(monkeypatch):
    """The prompt keeps its roles, and the tokens of all models are reported."""
    pytest.importorskip("langgraph.graph", reason="pip install langgraph")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    class Scripted(GenericFakeChatModel):
        """Offline model in place of `ChatOpenAI`."""

        def __init__(self, model):
            used = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
            named = {"model_name": model}
            said = AIMessage(SAID, usage_metadata=used, response_metadata=named)
            super().__init__(messages=iter([said]))

        def _generate(self, messages, *args, **named):
            assert [each.type for each in messages] == ["system", "ai", "human"]
            return super()._generate(messages, *args, **named)

    module = SimpleNamespace(ChatOpenAI=Scripted)
    monkeypatch.setitem(sys.modules, "langchain_openai", module)
    said = await speak(find_recipe("graph_judge"))
    assert (said.text, said.usage.prompt_tokens, said.usage.completion_tokens) == (SAID, 7, 2)


async def test_an_agent_of_pydantic_ai_reviews():
    """The tokens of the run are reported."""
    pytest.importorskip("pydantic_ai", reason="pip install pydantic-ai-slim")
    from pydantic_ai.models.test import TestModel

    names = find_recipe("pydantic_judge")
    with names["agent"].override(model=TestModel(custom_output_text=SAID)):
        said = await speak(names)
    assert said.text == SAID
    assert said.usage.prompt_tokens > 0
    assert said.usage.completion_tokens > 0


def test_an_agent_of_a_framework_is_refused_and_the_recipe_is_named():
    """A card that returns the agent itself fails when it is loaded, in one sentence."""
    from agents import Agent

    agent = Agent(name="judge")
    for thing in (agent, lambda: agent):
        with pytest.raises(CardError, match="cannot review") as refused:
            make_reviewer(thing, name="judge")
        assert "docs/recipes.md#agents-of-other-frameworks" in str(refused.value)
        assert "Agent(name='judge'" in str(refused.value)
    assert "\n## Agents of other frameworks\n" in (DOCS / "recipes.md").read_text("utf-8")


async def test_a_card_that_returns_an_agent_fails_with_that_sentence(tmp_path):
    """The same sentence is the problem that `peerjudge check --try` reports."""
    card = tmp_path / "agents" / "old_judge.py"
    card.parent.mkdir()
    text = '"""Returns the agent."""\nfrom agents import Agent\n\ndef reviewer():\n    return Agent("x")\n'
    card.write_text(text, "utf-8")
    (tried,) = [one async for one in try_cards([card.stem], shelf=Shelf(tmp_path))]
    assert "docs/recipes.md#agents-of-other-frameworks" in tried.problem
