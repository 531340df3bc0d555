"""Comparisons that were discussed elsewhere; `peerjudge import discussions` keeps what was said."""

from __future__ import annotations

from peerjudge.data import Dataset
from peerjudge.datasets.discussions import list_comparisons, read_discussions
from peerjudge.datasets.source import Request, Source


def _read(request: Request) -> Dataset:
    discussions = read_discussions(request)
    return Dataset(
        name=request.path.name,
        description=f"comparisons discussed in {request.path.name}",
        comparisons=tuple(list_comparisons(discussions)),
        left_out=discussions.left_out,
    )


SOURCE = Source(
    description="discussions held elsewhere: question, answers, turns (speaker, text, verdict)",
    read=_read,
    several=True,
    keys=(
        frozenset(("question", "answers", "turns")),
        frozenset(("question", "answer_a", "answer_b", "turns")),
    ),
)
