"""The central rule: a seat's stance is its last readable verdict, and a majority is a strict one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from peerjudge.data.discussion import Cue, Turn
from peerjudge.data.outcomes import Verdict

__all__ = ["stances_heard", "stances_in", "strict_majority"]


def stances_in(turns: Iterable[Turn]) -> dict[str, Verdict]:
    """The stance after these turns of every seat that has one, by seat id."""
    stances: dict[str, Verdict] = {}
    for turn in turns:
        verdict = turn.review.verdict
        if verdict is not None and verdict.readable:
            stances[turn.cue.seat] = verdict
    return stances


def stances_heard(turns: Sequence[Turn], cue: Cue) -> dict[str, Verdict]:
    """The stances in these turns as whoever has this cue understands them.

    They are what they are, unless labels are swapped: the second answer is then the one which the
    listener is shown second, whatever the speaker was shown there.
    """
    stances = stances_in(turns)
    if cue.control != "swapped":
        return stances
    shown = {turn.cue.seat: turn.cue.sees for turn in turns if turn.review.verdict is not None}
    return {
        seat: Verdict.of(cue.sees[shown[seat].index(stance.choice)])
        if stance.choice is not None
        else stance
        for seat, stance in stances.items()
    }


def strict_majority(stances: Iterable[Verdict]) -> Verdict | None:
    """The stance that more than half of these share; `None` if there is none."""
    counts = Counter(stances)
    if not counts:
        return None
    stance, count = counts.most_common(1)[0]
    return stance if 2 * count > counts.total() else None
