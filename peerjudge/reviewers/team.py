"""A discussion as an AutoGen team: run it, stream it, nest it, save it, dump it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Self

from autogen_agentchat.base import TaskResult, Team
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage
from autogen_core import CancellationToken, Component
from pydantic import BaseModel

from peerjudge.data import Comparison, Scalar, Transcript, from_json, replace, to_json
from peerjudge.engine import Staging, identify
from peerjudge.errors import DataError
from peerjudge.prompts import pack_identity
from peerjudge.reviewers.adapters import reviewer_from
from peerjudge.reviewers.emission import stop_reason, turn_message, verdict_message
from peerjudge.reviewers.model import ModelReviewer
from peerjudge.reviewers.participants import (
    Participant,
    ParticipantConfig,
    dumped,
    loaded,
    seats_of,
)
from peerjudge.reviewers.relay import Relay
from peerjudge.reviewers.task import comparison_in, task_messages
from peerjudge.shelf import Shelf
from peerjudge.shelf.cards import check_name

__all__ = ["DiscussionTeam", "DiscussionTeamConfig"]


class DiscussionTeamConfig(BaseModel):
    """The component form of a `DiscussionTeam`."""

    name: str
    description: str
    participants: list[ParticipantConfig]
    protocol: str
    options: dict[str, Scalar]
    prompts: str
    project: str | None = None


class DiscussionTeam(Team, Component[DiscussionTeamConfig]):
    """A PeerJudge discussion that AutoGen can use wherever it takes a team.

    The task is a comparison (see `peerjudge.reviewers.task`). Every turn is emitted as a
    `TextMessage` of its participant, with `peerjudge.turn`, `peerjudge.seat`, `peerjudge.verdict`
    and what the call took in its metadata; the last message is the verdict, from the team itself.
    A turn that failed for good ends the discussion with a verdict that is unreadable, says so in
    the stop reason, and is taken again when the team is run without a new comparison.

    Args:
        participants: Agents, teams or model reviewers, leader first, each with a name of its own.
        protocol: A protocol of the shelf.
        options: The protocol's options.
        prompts: A prompt pack of the shelf.
        name: The name of the team, an identifier.
        description: What other teams are told about it.
        project: The folder whose shelves come first (default: the working directory).

    Raises:
        PeerJudgeError: A name is on no shelf, an option is unknown, the protocol takes another
            number of seats, or two participants share a name.
    """

    component_config_schema = DiscussionTeamConfig
    component_provider_override = "peerjudge.reviewers.DiscussionTeam"

    def __init__(
        self,
        participants: Sequence[Participant],
        *,
        protocol: str = "leader_follower",
        options: Mapping[str, Scalar] | None = None,
        prompts: str = "long_form",
        name: str = "discussion",
        description: str = "Reviewers who discuss which answer is better.",
        project: Path | None = None,
    ) -> None:
        self._name = check_name(name)
        self._description = description
        self._participants = tuple(participants)
        self._named = (protocol, dict(options or {}), prompts, project)
        shelf = Shelf(project=project)
        self._protocol = shelf.protocol(protocol, options=dict(options or {}))
        self._pack = shelf.prompts(prompts)
        self._seats = seats_of(self._participants)
        self._reviewers = {
            seat.id: reviewer_from(who, name=seat.reviewer)
            for seat, who in zip(self._seats, self._participants, strict=True)
        }
        self._roles = {
            seat.id: who.card.role if isinstance(who, ModelReviewer) else ""
            for seat, who in zip(self._seats, self._participants, strict=True)
        }
        self._protocol.require(seats=len(self._seats), answers=self._protocol.answers[0])
        self._relay = Relay()
        self._running = False

    @property
    def name(self) -> str:
        """The name of the team."""
        return self._name

    @property
    def description(self) -> str:
        """What other teams are told about it."""
        return self._description

    @property
    def transcript(self) -> Transcript | None:
        """The discussion as far as it has come; `None` before the first."""
        return self._relay.transcript

    async def run(
        self,
        *,
        task: str | BaseChatMessage | Sequence[BaseChatMessage] | None = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> TaskResult:
        """Discuss the comparison of the task, or go on with the one at hand.

        Raises:
            DataError: There is no comparison in the task, and none at hand.
            ValueError: The team is discussing already.
        """
        result: TaskResult | None = None
        async for item in self.run_stream(
            task=task,
            cancellation_token=cancellation_token,
            output_task_messages=output_task_messages,
        ):
            result = item if isinstance(item, TaskResult) else result
        if result is None:
            msg = f"team {self._name!r} ended without a result"
            raise RuntimeError(msg)
        return result

    async def run_stream(
        self,
        *,
        task: str | BaseChatMessage | Sequence[BaseChatMessage] | None = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> AsyncGenerator[BaseAgentEvent | BaseChatMessage | TaskResult, None]:
        """`run`, with every message as soon as it is there and the result last."""
        if self._running:
            msg = f"team {self._name!r} is discussing already; wait for it to end"
            raise ValueError(msg)
        self._running = True
        try:
            given = task_messages(task)
            staging = self._staging(comparison_in(given))
            messages: list[BaseAgentEvent | BaseChatMessage] = []
            if output_task_messages:
                for message in given:
                    messages.append(message)
                    yield message
            async with aclosing(self._relay.play(staging, cancellation_token)) as turns:
                async for turn in turns:
                    messages.append(turn_message(self._at_hand(), turn))
                    yield messages[-1]
            messages.append(verdict_message(self._at_hand(), source=self._name))
            yield messages[-1]
            yield TaskResult(messages=messages, stop_reason=stop_reason(self._at_hand()))
        finally:
            self._running = False

    def _staging(self, comparison: Comparison | None) -> Staging:
        return Staging(
            transcript=self._opened(comparison),
            protocol=self._protocol,
            reviewers=self._reviewers,
            pack=self._pack,
            roles=self._roles,
        )

    def _opened(self, comparison: Comparison | None) -> Transcript:
        at_hand = self.transcript
        if comparison is None:
            if at_hand is None:
                msg = (
                    f"the task of team {self._name!r} holds no comparison: give to_json(comparison), "
                    'or JSON {"question": "...", "answers": ["...", "..."]}'
                )
                raise DataError(msg)
            return at_hand
        head = Transcript(
            id="",
            comparison=comparison,
            protocol=self._protocol.name,
            seats=self._seats,
            options=self._protocol.settings(),
            prompts=self._pack.name,
        )
        opened = replace(head, id=identify(head, prompts=pack_identity(self._pack)))
        return at_hand if at_hand is not None and at_hand.id == opened.id else opened

    def _at_hand(self) -> Transcript:
        if (at_hand := self.transcript) is None:
            msg = f"team {self._name!r} has discussed nothing yet"
            raise RuntimeError(msg)
        return at_hand

    async def reset(self) -> None:
        """Forget the discussion at hand."""
        if self._running:
            msg = f"team {self._name!r} is discussing; stop it before resetting it"
            raise RuntimeError(msg)
        self._relay = Relay()

    async def pause(self) -> None:
        """Hold the discussion after the turn that is being spoken."""
        self._relay.pause()

    async def resume(self) -> None:
        """Go on with a discussion that was paused."""
        self._relay.resume()

    async def save_state(self) -> Mapping[str, Any]:
        """The discussion so far, turn by turn, as plain data."""
        transcript = self.transcript
        return {
            "type": "DiscussionTeamState",
            "transcript": None if transcript is None else to_json(transcript),
        }

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Take up what `save_state` saved; `run()` without a task then goes on from there.

        Raises:
            DataError: It is no such state, or one of a team with other seats or another protocol.
        """
        text = state.get("transcript")
        if text is None:
            self._relay.transcript = None
            return
        transcript = from_json(Transcript, str(text))
        if (transcript.seats, transcript.protocol) != (self._seats, self._protocol.name):
            msg = (
                f"this state belongs to {transcript.protocol!r} with "
                f"{[seat.reviewer for seat in transcript.seats]}, not to team {self._name!r}"
            )
            raise DataError(msg)
        self._relay.transcript = transcript

    def _to_config(self) -> DiscussionTeamConfig:
        protocol, options, prompts, project = self._named
        return DiscussionTeamConfig(
            name=self._name,
            description=self._description,
            participants=[dumped(who) for who in self._participants],
            protocol=protocol,
            options=options,
            prompts=prompts,
            project=None if project is None else str(project),
        )

    @classmethod
    def _from_config(cls, config: DiscussionTeamConfig) -> Self:
        return cls(
            [loaded(who) for who in config.participants],
            protocol=config.protocol,
            options=config.options,
            prompts=config.prompts,
            name=config.name,
            description=config.description,
            project=None if config.project is None else Path(config.project),
        )
