"""Makes reviewers of what is not one: AutoGen agents, teams and model clients, and functions.

The stage's reviewers serve many discussions at once and remember nothing. AutoGen's agents and
teams remember, so each cue gives them the whole prompt as one message after a reset, and one object
is never asked twice at the same time: give a factory to have as many as speak at once.

An agent that says an empty text has replied (the reply is unreadable). One that says nothing at
all has failed.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

from autogen_agentchat.base import ChatAgent, Team
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage
from autogen_core.models import ChatCompletionClient

from peerjudge.clients import Billing, bill_to
from peerjudge.clients.tokens import estimate_tokens
from peerjudge.data import Card, Request, Usage, Utterance
from peerjudge.engine import Reviewer
from peerjudge.errors import CardError, PeerJudgeError
from peerjudge.reviewers.agent import read_logprobs
from peerjudge.reviewers.failures import NoResponseError
from peerjudge.reviewers.foreign import Said, ask_agent, ask_team, staying, within
from peerjudge.reviewers.messages import flattened
from peerjudge.reviewers.model import ModelReviewer
from peerjudge.shelf.cards import check_name

__all__ = ["from_autogen", "from_callable", "reviewer_from"]

Speaker = ChatAgent | Team
Function = Callable[[Request], Awaitable[str | Utterance]]

_TIMEOUT = 600.0


def reviewer_from(thing: object, *, name: str) -> Reviewer:
    """A reviewer from whatever can be one.

    That is a reviewer (taken as it is), an AutoGen `ChatAgent`, `Team` or `ChatCompletionClient`,
    an async function of the request, or a function without parameters that makes one of these.

    Raises:
        CardError: None of these, or a name that AutoGen would refuse.
    """
    if isinstance(thing, ChatAgent | Team | ChatCompletionClient):
        return from_autogen(thing, name=name)
    if callable(getattr(thing, "speak", None)) and not isinstance(thing, type):
        return cast("Reviewer", thing)
    if not callable(thing):
        msg = (
            f"{name!r} cannot review: give an AutoGen ChatAgent, Team or ChatCompletionClient, an "
            f"async function of the request, or a function that makes one, not {thing!r:.80}"
        )
        raise CardError(msg)
    if _is_async(thing):
        return from_callable(cast("Function", thing), name=name)
    made = _made(thing, name=name)
    if isinstance(made, ChatAgent | Team):
        return _AutogenReviewer(name, cast("Callable[[], Speaker]", thing), first=made)
    return reviewer_from(made, name=name)


def from_autogen(
    thing: Speaker | ChatCompletionClient | Callable[[], Speaker],
    *,
    name: str,
    timeout: float = _TIMEOUT,
) -> Reviewer:
    """A reviewer from an AutoGen agent, team or model client, or from a factory of agents or teams.

    Args:
        thing: An object speaks in one discussion at a time; a factory makes as many as needed, and
            each is used again (after a reset) until it fails.
        name: The reviewer's name.
        timeout: Seconds that one turn of an agent or team may take.

    Raises:
        CardError: Not any of these, or a name that AutoGen would refuse.
    """
    check_name(name)
    if isinstance(thing, ChatCompletionClient):
        return ModelReviewer(Card(name=name), thing)
    if isinstance(thing, ChatAgent | Team):
        return _AutogenReviewer(name, None, first=thing, timeout=timeout)
    made = thing()
    # A factory can return anything, whatever its annotation says.
    if not isinstance(made, ChatAgent | Team):  # pyright: ignore[reportUnnecessaryIsInstance]
        msg = f"the factory of {name!r} makes {made!r:.80}, which is no AutoGen ChatAgent or Team"
        raise CardError(msg)
    return _AutogenReviewer(name, thing, first=made, timeout=timeout)


def from_callable(function: Function, *, name: str, timeout: float = _TIMEOUT) -> Reviewer:
    """A reviewer from an async function that is given the `Request` and returns its reply.

    It returns the text, or an `Utterance` to say more (that the reply is simulated, say). One that
    returns anything else, or takes longer than `timeout` seconds, has failed.
    """
    check_name(name)
    if not _is_async(function):
        msg = f"the function that speaks for {name!r} must be async and take the request"
        raise CardError(msg)
    return _FunctionReviewer(name, function, timeout=timeout)


class _FunctionReviewer:
    def __init__(self, name: str, function: Function, *, timeout: float) -> None:
        self.name = name
        self._function = function
        self._timeout = timeout

    async def speak(self, request: Request) -> Utterance:
        with bill_to(
            reviewer=self.name,
            discussion=request.discussion,
            turn=request.turn,
            draw=request.draw,
        ) as bill:
            async with within(self._timeout, who=self.name):
                said = await staying(self._function(request), who=self.name)
        if isinstance(said, Utterance):
            return said
        # A function can return anything, whatever its annotation says.
        if not isinstance(said, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            msg = f"the function of {self.name!r} returned {said!r:.80}, which is no text"
            raise NoResponseError(msg)
        return Utterance(
            text=said,
            usage=bill.usage,
            latency=bill.latency,
            attempts=max(1, bill.attempts),
            cached=bill.cached,
        )

    async def close(self) -> None:
        """Nothing is held open."""


class _AutogenReviewer:
    """Agents or teams that take turns in speaking for one reviewer."""

    def __init__(
        self,
        name: str,
        factory: Callable[[], Speaker] | None,
        *,
        first: Speaker,
        timeout: float = _TIMEOUT,
    ) -> None:
        self.name = name
        self._factory = factory
        self._timeout = timeout
        self._idle: list[Speaker] = [first]
        self._used: set[int] = set()
        self._one_at_a_time = asyncio.Lock() if factory is None else None

    async def speak(self, request: Request) -> Utterance:
        """The speaker's reply to the whole prompt, put to it as one message."""
        prompt = flattened(request.messages)
        with bill_to(
            reviewer=self.name,
            discussion=request.discussion,
            turn=request.turn,
            draw=request.draw,
        ) as bill:
            begun = asyncio.get_running_loop().time()
            message, inner = await self._ask(prompt)
            took = asyncio.get_running_loop().time() - begun
        text = message.to_text()
        return Utterance(
            text=text,
            usage=_usage(bill, [*inner, message], prompt, text),
            model=message.metadata.get("peerjudge.model", ""),
            finish_reason=message.metadata.get("peerjudge.finish_reason", "stop"),
            latency=took,
            attempts=max(1, bill.attempts),
            cached=bill.cached,
            logprobs=read_logprobs(message),
        )

    async def _ask(self, prompt: str) -> Said:
        if self._one_at_a_time is None:
            return await self._ask_one(prompt)
        async with self._one_at_a_time:
            return await self._ask_one(prompt)

    async def _ask_one(self, prompt: str) -> Said:
        speaker = self._idle.pop() if self._idle else self._make()
        done = False
        try:
            async with within(self._timeout, who=self.name):
                if isinstance(speaker, Team):
                    said = await ask_team(speaker, prompt, reset=id(speaker) in self._used)
                else:
                    said = await ask_agent(speaker, prompt)
            done = True
        finally:
            self._used.add(id(speaker))
            # A group chat that failed is broken; with a factory there are others.
            if done or self._factory is None:
                self._idle.append(speaker)
            else:
                self._used.discard(id(speaker))
                await _close(speaker)
        return said

    def _make(self) -> Speaker:
        if self._factory is None:
            msg = f"{self.name!r} is speaking already"
            raise RuntimeError(msg)
        return self._factory()

    async def close(self) -> None:
        """Close the agents that were made here; an object that was given belongs to its giver."""
        if self._factory is not None:
            for speaker in self._idle:
                await _close(speaker)
        self._idle.clear()


async def _close(speaker: Speaker) -> None:
    if isinstance(speaker, ChatAgent):
        await speaker.close()


def _usage(
    bill: Billing, messages: Sequence[BaseAgentEvent | BaseChatMessage], prompt: str, text: str
) -> Usage:
    """Tokens as booked by a governed client, else as the messages report, else an estimate."""
    if bill.calls:
        return bill.usage
    reported = [message.models_usage for message in messages if message.models_usage is not None]
    if any(usage.prompt_tokens or usage.completion_tokens for usage in reported):
        return Usage(
            prompt_tokens=sum(usage.prompt_tokens for usage in reported),
            completion_tokens=sum(usage.completion_tokens for usage in reported),
        )
    return Usage(
        prompt_tokens=estimate_tokens(prompt),
        completion_tokens=estimate_tokens(text) if text else 0,
        estimated=True,
    )


def _made(factory: Callable[..., object], *, name: str) -> object:
    """What the factory makes; raises `CardError` where it takes parameters or fails."""
    wanted = [
        parameter.name
        for parameter in inspect.signature(factory).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if wanted:
        msg = (
            f"the function that speaks for {name!r} takes {wanted} but is not async: write "
            "`async def`, or a function without parameters that makes the reviewer"
        )
        raise CardError(msg)
    try:
        return factory()
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"the function that makes the reviewer of {name!r} failed: {cause!r:.200}"
        raise CardError(msg) from cause


def _is_async(thing: object) -> bool:
    call = getattr(thing, "__call__", None)  # noqa: B004  the method itself is looked at
    return inspect.iscoroutinefunction(thing) or inspect.iscoroutinefunction(call)
