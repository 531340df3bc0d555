"""AutoGen agent that speaks for a whole discussion: the turns, then the verdict as its reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Self

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response, TaskResult, Team
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, TextMessage
from autogen_core import CancellationToken, Component, ComponentModel
from pydantic import BaseModel

from peerjudge.clients import allow_namespace
from peerjudge.reviewers.messages import Task, read_task
from peerjudge.reviewers.team import DiscussionTeam
from peerjudge.shelf.cards import check_name


class DiscussionAgentConfig(BaseModel):
    """Component form of a `DiscussionAgent`."""

    name: str
    description: str
    team: ComponentModel


class DiscussionAgent(BaseChatAgent, Component[DiscussionAgentConfig]):
    """Agent whose reply is the verdict of a `DiscussionTeam`, without a further model call.

    Args:
        name: An identifier.
        team: The discussion.
        description: Description for other agents; by default the team's.
    """

    component_config_schema = DiscussionAgentConfig
    component_provider_override = "peerjudge.reviewers.DiscussionAgent"

    def __init__(self, name: str, team: DiscussionTeam, *, description: str = "") -> None:
        super().__init__(check_name(name), description or team.description)
        self._team = team

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Return the type of the replies: text messages."""
        return (TextMessage,)

    async def run(
        self,
        *,
        task: Task = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> TaskResult:
        """Return the turns and the verdict; the task is that of a `DiscussionTeam`."""
        return await super().run(
            task=read_task(task) or None,
            cancellation_token=cancellation_token,
            output_task_messages=output_task_messages,
        )

    def run_stream(
        self,
        *,
        task: Task = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> AsyncGenerator[BaseAgentEvent | BaseChatMessage | TaskResult, None]:
        """Run as `run` does; return each message as it comes and the result last."""
        return super().run_stream(
            task=read_task(task) or None,
            cancellation_token=cancellation_token,
            output_task_messages=output_task_messages,
        )

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        """Return the verdict on the comparison in these messages."""
        response: Response | None = None
        async for item in self.on_messages_stream(messages, cancellation_token):
            response = item if isinstance(item, Response) else response
        if response is None:
            msg = f"the discussion of {self.name!r} ended without a verdict"
            raise RuntimeError(msg)
        return response

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> AsyncGenerator[BaseAgentEvent | BaseChatMessage | Response, None]:
        """Return the turns as they come, then the verdict as the response."""
        inner: list[BaseAgentEvent | BaseChatMessage] = []
        verdict: TextMessage | None = None
        playing = self._team.run_stream(
            task=list(messages), cancellation_token=cancellation_token, output_task_messages=False
        )
        async with aclosing(playing):
            async for item in playing:
                if isinstance(item, TaskResult):
                    if verdict is not None:
                        yield Response(chat_message=verdict, inner_messages=inner)
                elif isinstance(item, TextMessage) and item.source == self._team.name:
                    verdict = item.model_copy(update={"source": self.name})
                else:
                    inner.append(item)
                    yield item

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Forget the discussion."""
        await self._team.reset()

    async def save_state(self) -> Mapping[str, Any]:
        """Return the state of the discussion."""
        return await self._team.save_state()

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved discussion."""
        await self._team.load_state(state)

    def _to_config(self) -> DiscussionAgentConfig:
        return DiscussionAgentConfig(
            name=self.name, description=self.description, team=self._team.dump_component()
        )

    @classmethod
    def _from_config(cls, config: DiscussionAgentConfig) -> Self:
        allow_namespace("peerjudge")
        team = Team.load_component(config.team, DiscussionTeam)
        return cls(config.name, team, description=config.description)
