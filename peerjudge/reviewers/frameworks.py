"""Reviewers made from agents of frameworks other than AutoGen, each through an adapter module.

The frameworks are extras. An object is recognized by the classes that it is made of, so that no
framework is imported before a card uses it. Every cue starts a fresh conversation with the whole
prompt as one message, as with AutoGen's agents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from peerjudge.clients.retry import limit_time
from peerjudge.clients.tokens import estimate_tokens
from peerjudge.data import Request, Sampling, Usage, Utterance
from peerjudge.engine import Reviewer
from peerjudge.logs import get_logger
from peerjudge.reviewers.foreign import run_cancellable
from peerjudge.reviewers.framework_reply import Ask, FrameworkReply
from peerjudge.reviewers.inner import bound_inner
from peerjudge.reviewers.messages import bill_turn, flatten_prompt
from peerjudge.shelf.cards import check_name

__all__ = ["find_framework", "from_framework"]

Framework = Literal["pydantic-ai", "openai-agents", "agent-framework", "langgraph"]

_CLASSES: dict[tuple[str, str], Framework] = {
    ("pydantic_ai.agent.abstract", "AbstractAgent"): "pydantic-ai",
    ("agents.agent", "Agent"): "openai-agents",
    ("agent_framework._agents", "BaseAgent"): "agent-framework",
    ("langgraph.graph.state", "CompiledStateGraph"): "langgraph",
}
_SETTINGS = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "thinking_tokens")

_log = get_logger()


def find_framework(thing: object) -> Framework | None:
    """Return the framework whose agent an object is, without an import of the framework."""
    for each in type(thing).__mro__:
        if found := _CLASSES.get((each.__module__, each.__name__)):
            return found
    return None


def from_framework(
    agent: object, framework: Framework, *, name: str, timeout: float = 600.0
) -> Reviewer:
    """Return a reviewer from an agent of a framework.

    Args:
        agent: The agent; one agent speaks in many discussions at once.
        framework: The framework that made it.
        name: Name of the reviewer.
        timeout: Seconds that one turn may take.

    Raises:
        CardError: AutoGen would refuse the name, the agent cannot run many times at once, or
            the state of a graph has no messages.
    """
    check_name(name)
    ask, settings = _make_ask(agent, framework, name=name)
    return _FrameworkReviewer(name, ask, settings=settings, timeout=timeout)


def _make_ask(agent: object, framework: Framework, *, name: str) -> tuple[Ask, Sequence[str]]:
    """Return the function that runs an agent, and the settings that it takes; imports its library."""
    if framework == "pydantic-ai":
        from peerjudge.reviewers.framework_pydantic_ai import SETTINGS, make_ask

        return make_ask(agent, name=name), SETTINGS
    if framework == "openai-agents":
        from peerjudge.reviewers.framework_openai_agents import SETTINGS, make_ask

        return make_ask(agent, name=name), SETTINGS
    if framework == "langgraph":
        from peerjudge.reviewers.framework_langgraph import SETTINGS, make_ask

        return make_ask(agent, name=name), SETTINGS
    from peerjudge.reviewers.framework_agent_framework import list_settings, make_ask

    return make_ask(agent, name=name), list_settings(agent)


class _FrameworkReviewer:
    def __init__(self, name: str, ask: Ask, *, settings: Sequence[str], timeout: float) -> None:
        self.name = name
        self._ask = ask
        self._settings = settings
        self._timeout = timeout
        self._warned: set[str] = set()

    async def speak(self, request: Request) -> Utterance:
        """Return the reply to the whole prompt, given as one message."""
        prompt = flatten_prompt(request.messages)
        sampling = request.seat.sampling
        sent = {
            name: value for name in self._settings if (value := getattr(sampling, name)) is not None
        }

        async def ask(_token: object) -> FrameworkReply:
            return await self._ask(prompt, sent)

        with bill_turn(request, reviewer=self.name) as bill:
            started = asyncio.get_running_loop().time()
            async with limit_time(self._timeout, problem=f"{self.name!r} did not end its turn"):
                reply = await run_cancellable(ask, name=self.name)
            latency = asyncio.get_running_loop().time() - started
        return Utterance(
            text=reply.text,
            usage=bill.usage if bill.calls else _measure_usage(reply, prompt),
            model=reply.model,
            finish_reason=reply.finish_reason,
            latency=latency,
            attempts=max(1, bill.attempts),
            cached=bill.cached,
            unset=self._find_unset(
                sampling, wants_logprobs=sampling.logprobs or request.cue.logprobs
            ),
            inner=bound_inner(reply.inner),
        )

    def _find_unset(self, sampling: Sampling, *, wants_logprobs: bool) -> tuple[str, ...]:
        """Return the settings of the seat that the framework does not take, with one warning."""
        unset = [
            name
            for name in _SETTINGS
            if name not in self._settings and getattr(sampling, name) is not None
        ]
        if wants_logprobs:
            unset.append("logprobs")
        if fresh := [name for name in unset if name not in self._warned]:
            self._warned.update(fresh)
            _log.warning(
                "the framework of this agent does not take these settings of its seat; they are "
                "recorded as not set",
                reviewer=self.name,
                settings=", ".join(fresh),
            )
        return tuple(unset)

    async def close(self) -> None:
        """Do nothing: the agent belongs to its card."""


def _measure_usage(reply: FrameworkReply, prompt: str) -> Usage:
    if reply.prompt_tokens or reply.completion_tokens:
        return Usage(prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens)
    return Usage(
        prompt_tokens=estimate_tokens(prompt),
        completion_tokens=estimate_tokens(reply.text) if reply.text else 0,
        estimated=True,
    )
