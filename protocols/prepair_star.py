"""One judge explains both answers together, seeing both, and then decides by its explanation alone.

Source: the ablation of PRePair that is marked with an asterisk or a caret there (Jeong et al., "On
the Adversarial Vulnerability of Pairwise Evaluation Using Large Language Models", Figures 8 and
13). It keeps the two steps without the separation of the answers. These figures print the second prompt
without question and answers; with `blind=false` it shows them again.
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Seat, Turn
from peerjudge.protocol import ExplanationOptions, build_method_cues

SEATS = (1, 1)
ANSWERS = (2, 4)


@dataclass(frozen=True, kw_only=True)
class Options(ExplanationOptions):
    """Options of the decision."""

    blind: bool = True


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return one explanation of all answers, then the decision."""
    cues = build_method_cues("prepair_star", seats[0], comparison, options, blind=options.blind)
    return () if turns else cues
