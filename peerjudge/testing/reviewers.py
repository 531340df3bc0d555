"""A reviewer that says what it is told to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from peerjudge.data import Request, Usage, Utterance

__all__ = ["ScriptedReviewer"]


class ScriptedReviewer:
    r"""Speaks from a script: replies in the order of the calls, or a function of the request.

    An exception among the replies is raised in its place, and so is `LookupError` when the script
    has run out. `requests` keeps what the reviewer was asked, in order.

    >>> ScriptedReviewer("ann", ["I prefer the first.\n1"])
    >>> ScriptedReviewer("bob", lambda request: f"{len(request.heard) % 2 + 1}")
    """

    def __init__(
        self, name: str, replies: Sequence[str | Exception] | Callable[[Request], str]
    ) -> None:
        self.name = name
        self.requests: list[Request] = []
        self.closed = False
        self._replies = replies

    async def speak(self, request: Request) -> Utterance:
        """The next reply of the script."""
        call = len(self.requests)
        self.requests.append(request)
        if callable(self._replies):
            return _uttered(self._replies(request))
        if call >= len(self._replies):
            msg = f"the script of {self.name!r} has {call} replies; a call more was made"
            raise LookupError(msg)
        reply = self._replies[call]
        if isinstance(reply, Exception):
            raise reply
        return _uttered(reply)

    async def close(self) -> None:
        """Nothing is held open; `closed` says that this was called."""
        self.closed = True


def _uttered(text: str) -> Utterance:
    usage = Usage(completion_tokens=len(text.split()), estimated=True)
    return Utterance(text=text, usage=usage, model="scripted", simulated=True)
