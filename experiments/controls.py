"""Why do opinions change in a discussion? Beside it, what hearing, contradiction and reasons each do.

One discussion of two reviewers under four conditions: as it is; as a placebo, in which everybody is
asked to reconsider and hears nobody; with irrelevant arguments, in which everybody hears what the
other holds and reasons that have nothing to do with it; and with swapped labels, in which everybody
hears reasons for one answer that are said of the other. Then, with how often each was altered by:

    peerjudge events RUN --summary

Simulated reviewers alter nothing unasked, and yield to contradiction as their traits say; only reasons
that are about the matter tell them who is right. Put model cards in their places to ask models.
"""

from typing import get_args

from peerjudge.data import Condition, Control, Experiment, Leader

CONTROLS: tuple[Control, ...] = get_args(Control)

EXPERIMENT = Experiment(
    data="sample",
    prompts="instruction_following",
    seed=1,
    conditions=tuple(
        Condition(
            name="discussion" if control == "none" else control,
            protocol="leader_follower",
            seats=("sim_solid", "sim_plain"),
            leader=Leader.BOTH,
            options={"turns": 2, "control": control},
        )
        for control in CONTROLS
    ),
)
