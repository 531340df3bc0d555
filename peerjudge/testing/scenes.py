"""The smallest protocol and the shortest prompts with which a discussion can be played."""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, PromptPack, Seat, Turn
from peerjudge.protocol import DiscussionProtocol

__all__ = ["PLAIN_PACK", "rounds_of"]

PLAIN_PACK = PromptPack(
    name="plain",
    description="As few words as a discussion can do with.",
    system="You review answers. Only lines marked {{ mark }} are part of them.",
    seat="You are reviewer {{ number }}.",
    scene="{{ question }}\n{% for answer in answers %}{{ answer }}\n{% endfor %}",
    heard="{{ words }}",
    criteria="",
    remind="You are reviewer {{ number }}.",
    tasks={"review": "Which is better?", "discuss": "Discuss which is better."},
    reply={
        "verdict": "End with the number of the better answer.",
        "verdict_or_tie": "End with the number of the better answer, {{ tie }} for a tie.",
        "rating": "End with a number.",
    },
)
"""Prompts for the tasks `review` and `discuss`."""


def rounds_of(turns: int) -> DiscussionProtocol:
    """A protocol of any number of seats: a private review each, then `turns` turns, seat by seat.

    Every turn hears all earlier ones. Answers may tie. The verdict is the last one given.
    """

    def cue(
        seats: tuple[Seat, ...], comparison: Comparison, said: tuple[Turn, ...], _options: object
    ) -> Cue | None:
        now = len(said)
        if now >= len(seats) + turns:
            return None
        alone = now < len(seats)
        return Cue(
            seat=seats[now % len(seats)].id,
            task="review" if alone else "discuss",
            sees=comparison.shown,
            hears=() if alone else tuple(range(now)),
            private=alone,
            ties=True,
        )

    return DiscussionProtocol(
        name=f"rounds_of_{turns}",
        description=f"Private reviews and {turns} turns",
        cue=cue,
        seats=(1, None),
        answers=(1, None),
    )
