"""Successive halving of the candidates of a step, paired with the incumbent on the same questions."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import ceil

from peerjudge.data import Candidate, Evaluate, Evaluated, Record, SearchOptions
from peerjudge.search.board import Board, count_characters, expect

__all__ = ["list_rungs", "race"]


def race(
    board: Board, candidates: Sequence[Candidate], *, options: SearchOptions, step: int
) -> Generator[Evaluate, Record, None]:
    """Evaluate the candidates of a step, rung by rung.

    At every rung all that are left are scored on the next questions, and the better half goes on (of
    an odd number, the middle one too): better means further ahead of the incumbent on the questions
    so far, then shorter, then earlier. The incumbent has scores on all questions already, is not
    scored again, and is never dropped. Source: Jamieson and Talwalkar 2016 (successive halving).
    """
    racing = list(candidates)
    seen: list[str] = []
    for rung, questions in list_rungs(options.questions, options.halving, step=step):
        racing = [one for one in racing if not board.is_refused(one.id)]
        if not racing:
            return
        asked = Evaluate(step=step, candidates=tuple(racing), questions=questions, rung=rung)
        board.book(expect((yield asked), Evaluated).results)
        seen += questions
        racing = [one for one in racing if not board.is_refused(one.id)]
        if rung < 1.0 and len(racing) > 1:
            leads = {one.id: board.lead(one.id, seen) for one in racing}
            best = sorted(
                racing, key=lambda one: (-round(leads[one.id], 12), count_characters(one))
            )
            kept = {one.id for one in best[: ceil(len(racing) / 2)]}
            racing = [one for one in racing if one.id in kept]


def list_rungs(
    questions: Sequence[str], shares: Sequence[float], *, step: int
) -> list[tuple[float, tuple[str, ...]]]:
    """Return the rungs of a step: the share seen after it, and the questions that are new in it.

    Each step begins at another question, so that the first rung, which drops most, does not judge
    every step by the same questions. The order goes round, so that any beginning of it remains
    balanced. Rungs without a new question are left out.
    """
    n = len(questions)
    ends = [min(n, ceil(share * n - 1e-9)) for share in shares]
    start = step * ends[0] % n
    turned = [*questions[start:], *questions[:start]]
    rungs: list[tuple[float, tuple[str, ...]]] = []
    before = 0
    for share, end in zip(shares, ends, strict=True):
        if end > before:
            rungs.append((share if end < n else 1.0, tuple(turned[before:end])))
        before = end
    return rungs
