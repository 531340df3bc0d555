"""Runs for the tests of reports, one line per discussion."""

import pytest

from peerjudge.data import (
    Answer,
    Comparison,
    Failure,
    Question,
    Role,
    Seat,
    StopReason,
    Transcript,
    Usage,
    Verdict,
    replace,
)
from peerjudge.testing import transcript_of

PAIR = (
    Seat(id="reviewer_1", reviewer="ann", role=Role.LEADER),
    Seat(id="reviewer_2", reviewer="bob", role=Role.FOLLOWER),
)


def compared(number: int) -> Comparison:
    """Return a comparison of answers by two of the reviewers; the one with id `good` is gold."""
    return Comparison(
        id=f"c{number}",
        question=Question(id=f"q{number}", text=f"Question number {number}?", category="facts"),
        answers=(
            Answer(id="good", text=f"A good answer {number}.", author="ann"),
            Answer(id="poor", text=f"A poor answer {number}.", author="bob"),
        ),
        gold=Verdict.of("good"),
        subset="plain",
    )


def told(moves: str, number: int, *, swap: bool = False, **changes) -> Transcript:
    """Return a discussion between ann, who leads, and bob."""
    comparison = compared(number)
    shown = comparison.swapped() if swap else comparison
    transcript = transcript_of(moves, comparison=shown, seats=PAIR, condition="ann with bob")
    turns = tuple(
        replace(turn, utterance=replace(turn.utterance, usage=Usage(prompt_tokens=100)))
        for turn in transcript.turns
    )
    changed = {"id": f"{transcript.id}{number}", "protocol": "leader_follower", "turns": turns}
    return replace(transcript, **{**changed, **changes})


@pytest.fixture(scope="session")
def run() -> tuple[Transcript, ...]:
    """Return a run with every case that a report distinguishes."""
    failure = Failure(kind="RateLimitError", message="429", seat="reviewer_1", turn=2)
    return (
        told("2|1 1 1 1 1", 1),
        told("1|2 1 2 1 2", 2),
        told("1|1 1 2 1 1", 3),
        told("2|1 2 2 2 2", 4, swap=False),
        told("1|2 1 2 1 2", 4, swap=True),
        told("?|1 1 1 1 1", 5),
        told("1|1", 6, stop=StopReason.FAILED, failure=failure),
        told("1|1 1", 7, stop=None),
        *(told("1|2", n, condition="vote", protocol="vote") for n in (1, 2, 3)),
    )
