"""Requests for reviewers of every kind."""

from __future__ import annotations

from typing import Any

from peerjudge.data import Answer, Comparison, Cue, Message, Question, Request, Sampling, Seat

COMPARISON = Comparison(
    id="c",
    question=Question(id="q", text="?"),
    answers=(Answer(id="a", text="A"), Answer(id="b", text="B")),
)


def request(text: str = "Which?", **sampling: Any) -> Request:
    """Return a request with this prompt and sampling."""
    return Request(
        discussion="disc",
        turn=0,
        seat=Seat(id="reviewer_1", reviewer="tester", sampling=Sampling(**sampling)),
        cue=Cue(seat="reviewer_1", task="review", sees=("a", "b"), private=True),
        comparison=COMPARISON,
        heard=(),
        messages=(Message(role="system", text="Be fair."), Message(role="user", text=text)),
        drawn=lambda: text,
    )
