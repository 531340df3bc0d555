"""The light AutoGen agent: one model call per turn, sampling and log-probabilities included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import BaseChatMessage, TextMessage
from autogen_core import CancellationToken, Component, ComponentModel
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    LLMMessage,
    RequestUsage,
    SystemMessage,
)
from pydantic import BaseModel, TypeAdapter

from peerjudge.clients import Governed, create_args, find_dialect, itemize_calls, load_client
from peerjudge.data import Card, TokenLogprob, Utterance, from_plain, to_plain
from peerjudge.data.discussion import Sampling
from peerjudge.reviewers.messages import utterance
from peerjudge.shelf.cards import check_name

__all__ = ["ReviewerAgent", "ReviewerAgentConfig", "metadata_of", "read_logprobs"]

_LOGPROBS = TypeAdapter(tuple[TokenLogprob, ...])
_HISTORY = TypeAdapter(list[LLMMessage])


class ReviewerAgentConfig(BaseModel):
    """The component form of a `ReviewerAgent`."""

    name: str
    model_client: ComponentModel
    system_message: str = ""
    description: str = "A reviewer."
    sampling: dict[str, Any] = {}


class ReviewerAgent(BaseChatAgent, Component[ReviewerAgentConfig]):
    """A reviewer for AutoGen teams and group chats of any kind.

    Beside AutoGen's `AssistantAgent` it sends its own sampling with every call, adds to its history
    only what succeeded (so a failed turn can be repeated), and hands on log-probabilities, finish
    reason and what the call took in the metadata of its message, under `peerjudge.` names.

    Args:
        name: An identifier, unique in its team.
        model_client: The model client, governed or not; it belongs to whoever made it.
        system_message: The role prompt.
        description: What other agents are told about this one.
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
        self._governed = (
            model_client if isinstance(model_client, Governed) else Governed(model_client)
        )
        self._system_message = system_message
        self._sampling = sampling
        self._history: list[LLMMessage] = []

    @classmethod
    def of(cls, card: Card, client: ChatCompletionClient) -> Self:
        """The agent of a card: its role, its description, its sampling."""
        return cls(
            card.name,
            client,
            system_message=card.role,
            description=card.description or "A reviewer.",
            sampling=card.sampling,
        )

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Text messages."""
        return (TextMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        """The reply to the messages that are new since the last call."""
        new = [message.to_model_message() for message in messages]
        role = [SystemMessage(content=self._system_message)] if self._system_message else []
        args, _ = create_args(
            self._sampling, find_dialect(self._governed), model=self._governed.model
        )
        with itemize_calls(self.name) as bill:
            result = await self._governed.create(
                [*role, *self._history, *new],
                extra_create_args=args,
                cancellation_token=cancellation_token,
            )
        said = utterance(result, bill, model=self._governed.model)
        # Only now, so that a failed turn leaves no trace and can be taken again.
        self._history += new
        if said.text:
            self._history.append(AssistantMessage(content=said.text, source=self.name))
        usage = RequestUsage(said.usage.prompt_tokens, said.usage.completion_tokens)
        return Response(
            chat_message=TextMessage(
                content=said.text, source=self.name, models_usage=usage, metadata=metadata_of(said)
            )
        )

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Forget everything said and heard."""
        self._history.clear()

    async def save_state(self) -> Mapping[str, Any]:
        """What was said and heard, as plain data."""
        return {
            "type": "ReviewerAgentState",
            "history": _HISTORY.dump_python(self._history, mode="json"),
        }

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Remember what `save_state` saved."""
        self._history = _HISTORY.validate_python(state["history"])

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


def metadata_of(said: Utterance) -> dict[str, str]:
    """What an utterance took, as the metadata of an AutoGen message (strings only)."""
    metadata = {
        "peerjudge.model": said.model,
        "peerjudge.finish_reason": said.finish_reason,
        "peerjudge.latency": f"{said.latency:.6f}",
        "peerjudge.attempts": str(said.attempts),
        "peerjudge.cached": str(said.cached).lower(),
    }
    if said.logprobs is not None:
        metadata["peerjudge.logprobs"] = _LOGPROBS.dump_json(said.logprobs).decode()
    return metadata


def read_logprobs(message: BaseChatMessage) -> tuple[TokenLogprob, ...] | None:
    """The log-probabilities in a message's metadata, if a `ReviewerAgent` put them there."""
    text = message.metadata.get("peerjudge.logprobs")
    return None if text is None else _LOGPROBS.validate_json(text)
