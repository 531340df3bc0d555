"""Reviewers made from agents, AutoGen's teams and model clients, and from functions.

The engine's reviewers serve many discussions at once and keep no history. AutoGen's agents and
teams keep one, so each cue gives them the whole prompt after a reset, and one object speaks in one
discussion at a time, also of several teams. A factory makes as many objects as speak at once.

An agent without a message has failed; one whose message is empty is asked again.
"""

from __future__ import annotations

import asyncio
import inspect
import weakref
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import cast
from weakref import WeakKeyDictionary

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import ChatAgent, Team
from autogen_core.models import ChatCompletionClient

from peerjudge.clients import find_refused
from peerjudge.clients.sampling import SYSTEM
from peerjudge.data import Card, Message, Request, Usage, Utterance, replace
from peerjudge.engine import Reviewer
from peerjudge.errors import CardError, PeerJudgeError
from peerjudge.logs import get_logger
from peerjudge.reviewers.asking import TURN_TIMEOUT, AgentReviewer, NoResponseError, limit_turn
from peerjudge.reviewers.foreign import ask_agent, ask_team, refuse_exit
from peerjudge.reviewers.messages import bill_turn, flatten_prompt
from peerjudge.reviewers.model import ModelReviewer
from peerjudge.shelf.cards import check_name

Speaker = ChatAgent | Team
_locks: WeakKeyDictionary[Speaker, tuple[weakref.ref[asyncio.AbstractEventLoop], asyncio.Lock]] = (
    WeakKeyDictionary()
)
"""Locks of the objects that speak, with the event loop of each."""
_log = get_logger()
ReviewFunction = Callable[[Request], Awaitable[str | Utterance]]


def make_reviewer(thing: object, *, name: str) -> Reviewer:
    """Return a reviewer from an object of any supported kind.

    That is a reviewer (returned as it is), an AutoGen `ChatAgent`, `Team` or `ChatCompletionClient`,
    an async function of the request, or a function without parameters that makes one of these.

    Raises:
        CardError: The object is of another kind, or AutoGen would refuse the name.
    """
    if isinstance(thing, ChatAgent | Team | ChatCompletionClient):
        return from_autogen(thing, name=name)
    if callable(getattr(thing, "speak", None)) and not isinstance(thing, type):
        if missing := [
            each for each in ("speak", "close") if not _is_async(getattr(thing, each, 0))
        ]:
            msg = f"the reviewer of {name!r} needs `async def {missing[0]}`, as peerjudge.Reviewer has"
            raise CardError(msg)
        return cast("Reviewer", thing)
    if not callable(thing):
        msg = (
            f"{name!r} cannot review: give an AutoGen ChatAgent, Team or ChatCompletionClient, an "
            "async function of the request, which may call an agent of another framework "
            "(docs/recipes.md#agents-of-other-frameworks), or a function that makes one, not "
            f"{thing!r:.80}"
        )
        raise CardError(msg)
    if _is_async(thing):
        return from_callable(cast("ReviewFunction", thing), name=name)
    made = _call_factory(thing, name=name)
    if isinstance(made, ChatAgent | Team):
        return _pool(name, cast("Callable[[], Speaker]", thing), first=made)
    return make_reviewer(made, name=name)


def from_autogen(
    thing: Speaker | ChatCompletionClient | Callable[[], Speaker],
    *,
    name: str,
    timeout: float = TURN_TIMEOUT,
) -> Reviewer:
    """Return a reviewer from an AutoGen agent, team or model client, or a factory of agents or teams.

    Args:
        thing: An object speaks in one discussion at a time; a factory makes as many as needed, and
            each is used again (after a reset) until it fails.
        name: Name of the reviewer.
        timeout: Seconds that one turn of an agent or team may take.

    Raises:
        CardError: The object is of another kind, or AutoGen would refuse the name.
    """
    check_name(name)
    if isinstance(thing, ChatCompletionClient):
        return ModelReviewer(Card(name=name), thing)
    if isinstance(thing, ChatAgent | Team):
        return _pool(name, None, first=thing, timeout=timeout)
    made = thing()
    # Factories may return any type despite their annotation.
    if not isinstance(made, ChatAgent | Team):  # pyright: ignore[reportUnnecessaryIsInstance]
        msg = f"the factory of {name!r} makes {made!r:.80}, which is no AutoGen ChatAgent or Team"
        raise CardError(msg)
    return _pool(name, thing, first=made, timeout=timeout)


def from_callable(
    function: ReviewFunction, *, name: str, timeout: float = TURN_TIMEOUT
) -> Reviewer:
    """Return a reviewer from an async function of the `Request`.

    The function returns the text of the reply, or an `Utterance` with more than the text (such as
    `simulated`). Another type, or a call longer than `timeout` seconds, is a failure.
    """
    check_name(name)
    if not _is_async(function):
        msg = f"the function of {name!r} must be async and take the request"
        raise CardError(msg)
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        msg = f"the async function of {name!r} must take one argument, the request"
        raise CardError(msg) from None
    return _FunctionReviewer(name, function, timeout=timeout)


class _FunctionReviewer:
    def __init__(self, name: str, function: ReviewFunction, *, timeout: float) -> None:
        self.name = name
        self._function = function
        self._timeout = timeout

    async def speak(self, request: Request) -> Utterance:
        with bill_turn(request, reviewer=self.name) as bill:
            async with limit_turn(self._timeout, name=self.name):
                reply = await refuse_exit(self._function(request), name=self.name)
        if isinstance(reply, Utterance):
            if reply.usage != Usage() or not bill.calls:
                return reply
            return replace(reply, usage=bill.usage, cached=bill.cached)
        # Functions may return any type despite their annotation.
        if not isinstance(reply, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            msg = f"the function of {self.name!r} returned {reply!r:.80}, which is no text"
            raise NoResponseError(msg)
        return Utterance(
            text=reply,
            usage=bill.usage,
            latency=bill.latency,
            attempts=max(1, bill.attempts),
            cached=bill.cached,
        )

    async def close(self) -> None:
        """Do nothing: no resource is open."""


def _pool(
    name: str,
    factory: Callable[[], Speaker] | None,
    *,
    first: Speaker,
    timeout: float = TURN_TIMEOUT,
) -> Reviewer:
    """Return the reviewer of an AutoGen object, or of those that a factory makes after the first."""
    if isinstance(first, AssistantAgent) and _has_default_system(first):
        _log.warning(
            "the agent has AutoGen's default system message, which asks for TERMINATE as the last line; give "
            "AssistantAgent(system_message=...), or None for the role in the prompts alone",
            reviewer=name,
        )
    speakers = _Speakers(name, factory, first=first, timeout=timeout)
    return AgentReviewer(name, speakers.ask, close=speakers.close)


def _has_default_system(agent: AssistantAgent) -> bool:
    """Return whether an agent was made without a system message, as far as AutoGen can say."""
    default = inspect.signature(AssistantAgent).parameters["system_message"].default
    try:
        return agent.dump_component().config.get("system_message") == default
    except Exception:  # noqa: BLE001  some tools and clients cannot be dumped
        return False


class _Speakers:
    """AutoGen agents or teams that each speak in one discussion at a time."""

    def __init__(
        self,
        name: str,
        factory: Callable[[], Speaker] | None,
        *,
        first: Speaker,
        timeout: float,
    ) -> None:
        self._name = name
        self._factory = factory
        self._timeout = timeout
        self._first = first
        self._merges = False
        self._idle: list[Speaker] = [first]

    async def ask(self, prompt: Sequence[Message]) -> Utterance:
        """Return the reply to a prompt, which a model that refuses a system role gets as one message."""
        whole = (Message(role="user", text=flatten_prompt(prompt)),)
        if self._merges:
            return await self._ask(whole)
        try:
            return await self._ask(prompt)
        except Exception as error:
            if find_refused(error, {}, system=True) != SYSTEM:
                raise
            self._merges = True
            return await self._ask(whole)

    async def _ask(self, prompt: Sequence[Message]) -> Utterance:
        """Return the reply of a speaker that is idle, or of a new one."""
        # Without a factory there is one object, so discussions wait for each other.
        async with _lock(self._first) if self._factory is None else nullcontext():
            speaker = self._idle.pop() if self._idle else self._make()
            done = False
            try:
                async with limit_turn(self._timeout, name=self._name):
                    ask = (
                        ask_team(speaker, prompt)
                        if isinstance(speaker, Team)
                        else ask_agent(speaker, prompt)
                    )
                    reply = await ask
                done = True
            finally:
                # A group chat that failed cannot be used again; a factory replaces it.
                if done or self._factory is None:
                    self._idle.append(speaker)
                else:
                    await _close(speaker)
        return reply

    def _make(self) -> Speaker:
        if self._factory is None:
            msg = f"{self._name!r} is speaking already"
            raise RuntimeError(msg)
        return self._factory()

    async def close(self) -> None:
        """Close the objects of the factory; an object given by the caller stays open."""
        if self._factory is not None:
            for speaker in self._idle:
                await _close(speaker)
        self._idle.clear()


def _lock(speaker: Speaker) -> asyncio.Lock:
    """Return the lock of an object that may sit in several discussions and teams."""
    loop = asyncio.get_running_loop()
    known = _locks.get(speaker)
    if known is None or known[0]() is not loop:
        known = _locks[speaker] = (weakref.ref(loop), asyncio.Lock())
    return known[1]


async def _close(speaker: Speaker) -> None:
    if isinstance(speaker, ChatAgent):
        await speaker.close()


def _call_factory(factory: Callable[..., object], *, name: str) -> object:
    """Return the object of a factory; raise `CardError` if it takes parameters or fails."""
    try:
        parameters = tuple(inspect.signature(factory).parameters.values())
    except ValueError:  # a type written in C, such as dict
        parameters = ()
    required = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        msg = (
            f"the function of {name!r} takes {required} but is not async: write `async def`, or a "
            "function without parameters that makes the reviewer"
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
    call = getattr(thing, "__call__", None)  # noqa: B004  the method itself is inspected
    return inspect.iscoroutinefunction(thing) or inspect.iscoroutinefunction(call)
