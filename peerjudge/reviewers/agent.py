"""AutoGen agent that makes one model call per turn, with sampling and log-probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import BaseChatMessage, TextMessage
from autogen_core import CancellationToken, Component, ComponentModel
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    LLMMessage,
    RequestUsage,
    SystemMessage,
)
from pydantic import BaseModel

from peerjudge.clients import Governed, itemize_calls, load_client
from peerjudge.data import Card, from_plain, to_plain
from peerjudge.data.discussion import Sampling
from peerjudge.reviewers.calling import SamplingCaller
from peerjudge.reviewers.messages import build_metadata, build_utterance
from peerjudge.shelf.cards import check_name


class ReviewerAgentConfig(BaseModel):
    """Component form of a `ReviewerAgent`."""

    name: str
    model_client: ComponentModel
    system_message: str = ""
    description: str = "A reviewer."
    sampling: dict[str, Any] = {}


class ReviewerAgent(BaseChatAgent, Component[ReviewerAgentConfig]):
    """Reviewer for AutoGen teams and group chats of any kind.

    Unlike AutoGen's `AssistantAgent`, it sends its own sampling with every call, adds only
    successful turns to its history (so a failed turn can be repeated), and passes on
    log-probabilities, finish reason, latency and attempts in the metadata of its message, under
    `peerjudge.` names.

    Args:
        name: An identifier, unique in its team.
        model_client: The model client, governed or not; the caller closes it.
        system_message: The role prompt.
        description: Description for other agents.
        sampling: Sent with every call.
    """

    component_config_schema = ReviewerAgentConfig
    component_provider_override = "peerjudge.reviewers.ReviewerAgent"

    def __init__(
        self,
        name: str,
        model_client: ChatCompletionClient,
        *,
        system_message: str = "",
        description: str = "A reviewer.",
        sampling: Sampling = Sampling(),
    ) -> None:
        super().__init__(check_name(name), description)
        self._client = model_client
        governed = model_client if isinstance(model_client, Governed) else Governed(model_client)
        self._caller = SamplingCaller(governed, reviewer=name)
        self._system_message = system_message
        self._sampling = sampling
        self._context = UnboundedChatCompletionContext()

    @classmethod
    def of(cls, card: Card, client: ChatCompletionClient) -> Self:
        """Return the agent of a card, with its role, description and sampling."""
        return cls(
            card.name,
            client,
            system_message=card.role,
            description=card.description or "A reviewer.",
            sampling=card.sampling,
        )

    @property
    def model_context(self) -> UnboundedChatCompletionContext:
        """Return the history, as an `AssistantAgent` names it."""
        return self._context

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Return the type of the replies: text messages."""
        return (TextMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        """Return the reply to the messages since the last call."""
        new: list[LLMMessage] = [message.to_model_message() for message in messages]
        role = [SystemMessage(content=self._system_message)] if self._system_message else []
        with itemize_calls(self.name) as bill:
            result, unset = await self._caller.call(
                [*role, *await self._context.get_messages(), *new],
                self._sampling,
                token=cancellation_token,
            )
        utterance = build_utterance(result, bill, model=self._caller.client.model, unset=unset)
        # After the call, so a failed turn leaves no trace and can be repeated.
        if utterance.text:
            new.append(AssistantMessage(content=utterance.text, source=self.name))
        for message in new:
            await self._context.add_message(message)
        usage = RequestUsage(utterance.usage.prompt_tokens, utterance.usage.completion_tokens)
        return Response(
            chat_message=TextMessage(
                content=utterance.text,
                source=self.name,
                models_usage=usage,
                metadata=build_metadata(utterance),
            )
        )

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Forget the history."""
        await self._context.clear()

    async def save_state(self) -> Mapping[str, Any]:
        """Return the history as plain data."""
        return {
            "type": "ReviewerAgentState",
            "history": (await self._context.save_state())["messages"],
        }

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved history."""
        await self._context.load_state({"messages": state["history"]})

    def _to_config(self) -> ReviewerAgentConfig:
        return ReviewerAgentConfig(
            name=self.name,
            model_client=self._client.dump_component(),
            system_message=self._system_message,
            description=self.description,
            sampling=to_plain(self._sampling),  # pyright: ignore[reportArgumentType]
        )

    @classmethod
    def _from_config(cls, config: ReviewerAgentConfig) -> Self:
        return cls(
            config.name,
            load_client(config.model_client),
            system_message=config.system_message,
            description=config.description,
            sampling=from_plain(Sampling, config.sampling),
        )
