"""When do peers end up listening to the able, and when does a faction capture them?

Computes instead of playing: populations of reviewers who are contestants too, over many rounds in which
the weights that peer ranking gave decide who is heard next. Shows the weight of the able over rounds and
by the size of a faction that favours itself, under PRD's scheme, under damped ones and under equal
weights, and what hearing all alike and leaving self-reviews out change. Takes about half a minute.
"""

from peerjudge.data import Study
from peerjudge.simulation.ecology.study import ecology_study


def study(*, seed: int) -> Study:
    """Play the populations."""
    return ecology_study(seed=seed)
