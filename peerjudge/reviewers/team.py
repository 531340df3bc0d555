"""AutoGen team that plays a discussion: run it, stream it, nest it, save it, dump it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Self

from autogen_agentchat.base import ChatAgent, TaskResult, Team
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, TextMessage
from autogen_core import CancellationToken, Component, ComponentModel
from pydantic import BaseModel

from peerjudge.clients import allow_namespace, load_client
from peerjudge.data import (
    Card,
    Comparison,
    Sampling,
    Scalar,
    Seat,
    Transcript,
    Turn,
    content_hash,
    from_json,
    from_plain,
    replace,
    split_turns,
    to_json,
    to_plain,
)
from peerjudge.engine import Journal, discuss, identify
from peerjudge.errors import CardError, DataError
from peerjudge.prompts import pack_identity
from peerjudge.protocol import DiscussionProtocol
from peerjudge.reviewers.adapters import make_reviewer
from peerjudge.reviewers.messages import (
    Task,
    build_turn_message,
    build_verdict_message,
    describe_stop,
    find_comparison,
    read_task,
)
from peerjudge.reviewers.model import ModelReviewer
from peerjudge.shelf import Shelf
from peerjudge.shelf.cards import card_identity, check_name

_STATE = "DiscussionTeamState"
_NOTHING_NEW = "There is no comparison in these messages, so there is nothing to judge."

Participant = ChatAgent | Team | ModelReviewer
"""Member of a discussion team."""


class ParticipantConfig(BaseModel):
    """Component form of a participant: an agent or team, or a model client with its card."""

    component: ComponentModel
    card: dict[str, Any] | None = None


class DiscussionTeamConfig(BaseModel):
    """Component form of a `DiscussionTeam`."""

    name: str
    description: str
    participants: list[ParticipantConfig]
    protocol: str
    options: dict[str, Scalar]
    prompts: str
    project: str | None = None


class DiscussionTeam(Team, Component[DiscussionTeamConfig]):
    """PeerJudge discussion as an AutoGen team.

    The task is a `Comparison`, or messages of which one holds it (see `find_comparison`). Every turn is a
    `TextMessage` of its participant, with `peerjudge.turn`, `peerjudge.seat`, `peerjudge.role`,
    `peerjudge.verdict`, latency and attempts in its metadata; the last message is the verdict, from the
    team itself. A turn that fails after all retries ends the discussion with an unreadable verdict and the
    cause in the stop reason; `run()` without a task, or with the same comparison, repeats that turn. A task
    without a comparison never gets a verdict: it is an error, or a note where others than a user speak, as
    in a group chat.

    Args:
        participants: Agents, teams or model reviewers with different names, leader first.
        protocol: Name of a protocol on the shelf.
        options: Options of the protocol.
        prompts: Name of a prompt pack on the shelf.
        name: Name of the team, an identifier.
        description: Description for other teams.
        project: Folder whose shelves come first; by default the working directory.

    Raises:
        PeerJudgeError: A name is on no shelf, an option is unknown, the protocol takes another
            number of seats, or two participants, or one and the team, share a name.
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
        self._settings = (protocol, dict(options or {}), prompts, project)
        shelf = Shelf(project=project)
        self._protocol = shelf.protocol(protocol, options=dict(options or {}))
        self._pack = shelf.prompts(prompts)
        self._seats = _assign_seats(self._participants, self._protocol, team=name)
        self._reviewers = {
            seat.id: make_reviewer(participant, name=seat.reviewer)
            for seat, participant in zip(self._seats, self._participants, strict=True)
        }
        self._roles = {
            seat.id: participant.card.role if isinstance(participant, ModelReviewer) else ""
            for seat, participant in zip(self._seats, self._participants, strict=True)
        }
        self._protocol.require(seats=len(self._seats), answers=self._protocol.answers[0])
        self._discussion = LiveDiscussion()
        self._running = False

    @property
    def name(self) -> str:
        """Return the name of the team."""
        return self._name

    @property
    def description(self) -> str:
        """Return the description for other teams."""
        return self._description

    @property
    def transcript(self) -> Transcript | None:
        """Return the discussion so far; `None` before the first."""
        return self._discussion.transcript

    async def run(
        self,
        *,
        task: Task = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> TaskResult:
        """Discuss the comparison of the task, or continue the current discussion.

        Raises:
            DataError: The task has no comparison, or there is none and no current discussion.
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
        task: Task = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> AsyncGenerator[BaseAgentEvent | BaseChatMessage | TaskResult, None]:
        """Run as `run` does; return each message as it comes and the result last."""
        if self._running:
            msg = f"team {self._name!r} is discussing already; wait for it to end"
            raise ValueError(msg)
        self._running = True
        try:
            given = read_task(task)
            opened = self._open_discussion(given)
            messages: list[BaseAgentEvent | BaseChatMessage] = []
            if output_task_messages:
                for message in given:
                    messages.append(message)
                    yield message
            if opened is None:
                messages.append(TextMessage(content=_NOTHING_NEW, source=self._name))
                yield messages[-1]
                yield TaskResult(messages=messages, stop_reason=_NOTHING_NEW)
                return
            live = self._discussion
            playing = discuss(
                opened,
                protocol=self._protocol,
                reviewers=self._reviewers,
                pack=self._pack,
                roles=self._roles,
                journal=live,
            )
            async with aclosing(live.play(opened, playing, cancellation_token)) as turns:
                async for turn in turns:
                    messages.append(build_turn_message(opened, turn))
                    yield messages[-1]
            ended = live.transcript or opened
            messages.append(build_verdict_message(ended, source=self._name))
            yield messages[-1]
            yield TaskResult(messages=messages, stop_reason=describe_stop(ended))
        finally:
            self._running = False

    def _open_discussion(self, task: Sequence[BaseChatMessage]) -> Transcript | None:
        """Return the current transcript, or a new one for another comparison; `None` if a chat has none."""
        current, comparison = self.transcript, find_comparison(task)
        if comparison is None:
            if task:
                return None
            if current is None:
                msg = (
                    f"team {self._name!r} has no discussion to continue: give run(task=comparison)"
                )
                raise DataError(msg)
            return current
        opened = self._open_transcript(comparison)
        return current if current is not None and current.id == opened.id else opened

    def _open_transcript(self, comparison: Comparison) -> Transcript:
        """Return the discussion of a comparison before its first turn."""
        head = Transcript(
            id="",
            comparison=comparison,
            protocol=self._protocol.name,
            seats=self._seats,
            options=self._protocol.settings(),
            prompts=self._pack.name,
        )
        return replace(head, id=identify(head, prompts=pack_identity(self._pack)))

    async def reset(self) -> None:
        """Forget the current discussion."""
        if self._running:
            msg = f"team {self._name!r} is discussing; stop it before resetting it"
            raise RuntimeError(msg)
        self._discussion = LiveDiscussion()

    async def pause(self) -> None:
        """Hold the discussion after the calls that are under way."""
        self._discussion.going.clear()

    async def resume(self) -> None:
        """Continue a paused discussion."""
        self._discussion.going.set()

    async def save_state(self) -> Mapping[str, Any]:
        """Return the discussion so far as plain data."""
        transcript = self.transcript
        return {
            "type": _STATE,
            "transcript": None if transcript is None else to_json(transcript),
        }

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved discussion, which `run()` without a task continues.

        Raises:
            DataError: The state is of another kind, or of a team with other seats, protocol, options or
                prompts.
            RuntimeError: The team is discussing.
        """
        if state.get("type") != _STATE:
            msg = f"team {self._name!r} loads a {_STATE}, not {state.get('type')!r:.80}"
            raise DataError(msg)
        text = state.get("transcript")
        transcript = None if text is None else from_json(Transcript, str(text))
        if transcript and self._open_transcript(transcript.comparison).id != transcript.id:
            msg = (
                f"this state belongs to {transcript.protocol!r} with {dict(transcript.options or {})}, "
                f"prompts {transcript.prompts!r} and {[seat.reviewer for seat in transcript.seats]}, "
                f"not to team {self._name!r}"
            )
            raise DataError(msg)
        await self.reset()
        self._discussion.transcript = transcript

    def _to_config(self) -> DiscussionTeamConfig:
        protocol, options, prompts, project = self._settings
        return DiscussionTeamConfig(
            name=self._name,
            description=self._description,
            participants=[_dump_participant(participant) for participant in self._participants],
            protocol=protocol,
            options=options,
            prompts=prompts,
            project=None if project is None else str(project),
        )

    @classmethod
    def _from_config(cls, config: DiscussionTeamConfig) -> Self:
        return cls(
            [_load_participant(participant) for participant in config.participants],
            protocol=config.protocol,
            options=config.options,
            prompts=config.prompts,
            name=config.name,
            description=config.description,
            project=None if config.project is None else Path(config.project),
        )


class LiveDiscussion(Journal):
    """Discussion in progress: the journal that passes on its turns and keeps its transcript."""

    def __init__(self) -> None:
        self.transcript: Transcript | None = None
        self.going = asyncio.Event()
        """Set unless the discussion is paused."""
        self.going.set()
        self._turns: asyncio.Queue[Turn | None] = asyncio.Queue()

    async def play(
        self,
        transcript: Transcript,
        work: Coroutine[Any, Any, Transcript],
        token: CancellationToken | None,
    ) -> AsyncGenerator[Turn]:
        """Play a discussion to its end; closing the generator or cancelling the token stops it."""
        self.transcript = transcript
        turns = self._turns = asyncio.Queue()
        playing = asyncio.create_task(work)
        playing.add_done_callback(lambda _: turns.put_nowait(None))
        if token is not None:
            token.link_future(playing)
        try:
            while (turn := await turns.get()) is not None:
                yield turn
            self.transcript = await playing
        finally:
            if not playing.done():
                playing.cancel()
                await asyncio.wait({playing})
            elif not playing.cancelled():
                playing.exception()  # marks it as retrieved if the generator was closed early

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Keep a turn and pass it on after those before it, and wait while the discussion is paused."""
        before = transcript if self.transcript is None else self.transcript
        said = sorted((*before.turns, *before.ahead, turn), key=lambda one: one.index)
        turns, ahead = split_turns(said)
        self.transcript = replace(before, turns=turns, ahead=ahead, stop=None, failure=None)
        for one in turns[len(before.turns) :]:
            self._turns.put_nowait(one)
        await self.going.wait()

    async def end(self, transcript: Transcript) -> None:
        """Store the end of the discussion, and pass on turns after one that failed."""
        self.transcript = transcript
        for turn in transcript.ahead:
            self._turns.put_nowait(turn)
        await self.going.wait()


def _assign_seats(
    participants: Sequence[Participant], protocol: DiscussionProtocol, *, team: str
) -> tuple[Seat, ...]:
    """Return a seat for each participant, in order; raise `CardError` if two share a name."""
    names = [check_name(participant.name) for participant in participants]
    if len({*names, team}) <= len(names):
        msg = f"participants of {team!r} need names of their own, not {names}"
        raise CardError(msg)
    roles = protocol.list_roles(len(names))
    return tuple(
        Seat(
            id=f"reviewer_{number}",
            reviewer=name,
            role=role,
            sampling=each.card.sampling if isinstance(each, ModelReviewer) else Sampling(),
            identity=card_identity(each.card)
            if isinstance(each, ModelReviewer)
            else content_hash(f"{type(each).__module__}.{type(each).__qualname__}"),
        )
        for number, (name, role, each) in enumerate(zip(names, roles, participants, strict=True), 1)
    )


def _dump_participant(participant: Participant) -> ParticipantConfig:
    if isinstance(participant, ModelReviewer):
        card: Any = to_plain(participant.card)
        return ParticipantConfig(component=participant.client.dump_component(), card=card)
    return ParticipantConfig(component=participant.dump_component())


def _load_participant(config: ParticipantConfig) -> Participant:
    if config.card is not None:
        return ModelReviewer(from_plain(Card, config.card), load_client(config.component))
    allow_namespace(config.component.provider.partition(".")[0])
    if config.component.component_type == "team":
        return Team.load_component(config.component)
    return ChatAgent.load_component(config.component)
