"""What a discussion is compared with, so that a change of opinion in it can be interpreted.

A reviewer that alters its opinion may have been convinced, or have given way to being contradicted,
or have wavered as it would have on its own. Each control takes one of these away: see `Control`.
Against `placebo` one sees what hearing anything does, against `irrelevant` what reasons do beyond the
bare verdict, against `swapped` whether it matters what the reasons are reasons for.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Control, Cue, Turn, replace

__all__ = ["controlled", "order_of"]


def order_of(place: int, comparison: Comparison, control: Control) -> Comparison:
    """The comparison as it is shown to the seat in this place, from 0.

    Where labels are swapped, every seat is shown the answers one place further than the seat before
    it, and is not told: the words of a neighbour then speak of other answers than it thinks.
    """
    shift = place % len(comparison.answers)
    if control != "swapped" or not shift:
        return comparison
    shown = comparison.shown
    return comparison.reordered(shown[shift:] + shown[:shift])


def controlled(cue: Cue, turns: tuple[Turn, ...], control: Control) -> Cue:
    """The cue of a discussion turn under this control.

    A placebo lets the seat hear its own words only, and asks it to reconsider.
    """
    if control != "placebo":
        return replace(cue, control=control)
    own = tuple(index for index in cue.hears if turns[index].cue.seat == cue.seat)
    return replace(
        cue,
        task="reconsider",
        hears=own,
        control=control,
        withheld=tuple(index for index in cue.hears if index not in own),
    )
