"""One judge explains each answer alone, seeing only it, and then decides hearing both explanations.

Source: PRePair (Jeong et al., "On the Adversarial Vulnerability of Pairwise Evaluation Using Large
Language Models", section 4 and Figures 7 and 12): pointwise reasoning, pairwise decision. An
explanation does not depend on the other answer or on the order, so that all pairs, orders and
protocols of a run share it: k answers to a question take k explanations. `blind` takes the decision
on the explanations alone, as its prompt for MT-Bench is printed (Figure 12).
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn
from peerjudge.protocol import ExplanationOptions, build_method_cues

SEATS = (1, 1)
ANSWERS = (2, 4)

Options = ExplanationOptions


def next_cues(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    options: ExplanationOptions,
) -> tuple[Cue, ...]:
    """Return an explanation of each answer, then the decision."""
    cues = build_method_cues("prepair", seats[0], comparison, options, blind=options.blind)
    return () if turns else cues
