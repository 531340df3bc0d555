"""Replies of agents of other frameworks, in the form that their adapters share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pydantic_core import to_json

from peerjudge.data import InnerMessage
from peerjudge.data.nouns import Noun
from peerjudge.reviewers.foreign import NoResponseError

__all__ = ["Ask", "FrameworkReply", "write_output"]


class FrameworkReply(Noun, frozen=True, kw_only=True):
    """Reply of an agent: its text, its tokens as reported, and its tool calls."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    finish_reason: str = "stop"
    inner: tuple[InnerMessage, ...] = ()


Ask = Callable[[str, dict[str, float]], Awaitable[FrameworkReply]]
"""Runs an agent on a prompt, with settings of a seat by name."""


def write_output(output: object, *, name: str) -> str:
    """Return the output of an agent as text: a text as it is, a structured output as JSON.

    Raises:
        NoResponseError: There is no output, or it has no JSON form.
    """
    if isinstance(output, str):
        return str.__str__(output)  # the text of a member of an enumeration, too
    if output is None:
        msg = f"agent {name!r} ended its turn without an output"
        raise NoResponseError(msg)
    try:
        return to_json(output).decode()
    except ValueError as cause:
        msg = f"agent {name!r} returned {output!r:.80}, which has no JSON form: return a text"
        raise NoResponseError(msg) from cause
