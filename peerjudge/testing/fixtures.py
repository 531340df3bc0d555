"""Fixtures for discussions: a scripted reviewer, a small protocol and a small prompt pack."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from peerjudge.data import Comparison, Cue, PromptPack, Request, Seat, Turn, Usage, Utterance
from peerjudge.protocol import DiscussionProtocol

PLAIN_PACK = PromptPack(
    name="plain",
    description="As few words as a discussion can do with.",
    system="You review answers. Lines that begin with > are quoted.",
    label='Answer{{ " (" ~ letter ~ ")" if letter }}',
    seat="You are reviewer {{ number }}.",
    scene=(
        "{{ question }}\n{% for answer in answers %}\n{{ labels[loop.index0] }}\n{{ answer }}\n{% endfor %}"
    ),
    heard="{{ speaker }}\n{{ words }}",
    criteria="",
    remind="You are reviewer {{ number }}.",
    tasks={"review": "Which is better?", "discuss": "Discuss which is better."},
    reply={
        "verdict": "End with {{ labels|join(' or ') }}.",
        "verdict_or_tie": "End with {{ labels|join(' or ') }}, or Tie.",
        "rating": "End with a number.",
    },
)
"""Prompts for the tasks `review` and `discuss`."""


def rounds_of(turns: int) -> DiscussionProtocol:
    """Return a protocol of any number of seats: private reviews, then `turns` turns in seat order.

    The private reviews are one set. Each turn after them hears all earlier ones. Ties are allowed. The last
    verdict is the conclusion.
    """

    def give_cues(
        seats: tuple[Seat, ...], comparison: Comparison, said: tuple[Turn, ...], _options: object
    ) -> tuple[Cue, ...]:
        now = len(said)
        if now >= len(seats) + turns:
            return ()
        alone = now < len(seats)
        return tuple(
            Cue(
                seat=seat.id,
                task="review" if alone else "discuss",
                sees=comparison.shown,
                hears=() if alone else tuple(range(now)),
                private=alone,
                ties=True,
            )
            for seat in (seats[now:] if alone else (seats[now % len(seats)],))
        )

    return DiscussionProtocol(
        name=f"rounds_of_{turns}",
        description=f"Private reviews and {turns} turns",
        cues=give_cues,
        seats=(1, None),
        answers=(1, None),
    )


class ScriptedReviewer:
    r"""Reviewer with scripted replies: in the order of the calls, or a function of the request.

    An exception among the replies is raised at its turn; after the last reply, `LookupError` is
    raised. `requests` keeps all requests in order.

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
        """Return the next reply of the script."""
        call = len(self.requests)
        self.requests.append(request)
        if callable(self._replies):
            return utter(self._replies(request))
        if call >= len(self._replies):
            msg = f"the script of {self.name!r} has {call} replies, and another call was made"
            raise LookupError(msg)
        reply = self._replies[call]
        if isinstance(reply, Exception):
            raise reply
        return utter(reply)

    async def close(self) -> None:
        """Set `closed`; there is nothing to close."""
        self.closed = True


def utter(text: str) -> Utterance:
    """Return a text as the words of a scripted reviewer."""
    usage = Usage(completion_tokens=len(text.split()), estimated=True)
    return Utterance(text=text, usage=usage, model="scripted", simulated=True)
