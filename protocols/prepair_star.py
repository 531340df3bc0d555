"""One judge explains both answers together, seeing both, and then decides hearing its explanation.

Source: the ablation of PRePair that is marked with an asterisk or a caret there (Jeong et al., "On
the Adversarial Vulnerability of Pairwise Evaluation Using Large Language Models", Figures 8 and
13). It keeps the two steps and gives up the separation of the answers.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Expects, Seat, Turn
from peerjudge.talk import Ask, private_cue

SEATS = (1, 1)

Options = Ask


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Ask
) -> Cue | None:
    """One explanation of all answers, then the decision."""
    if not turns:
        return Cue(
            seat=seats[0].id,
            task="explain_both",
            sees=comparison.shown,
            expects=Expects.TEXT,
            private=True,
            aspects=options.aspects,
        )
    if len(turns) == 1:
        return private_cue(seats[0], comparison, options, task="decide", hears=(0,))
    return None
