"""Why do opinions change in a discussion? Effects of hearing, contradiction and reasons apart.

One discussion of two reviewers under six conditions: unchanged; as a placebo, in which each seat
reconsiders without hearing the other; with stances, in which each seat hears the other's choice and no
reason; with irrelevant arguments, in which it hears the choice with unrelated reasons; with swapped labels,
in which it hears reasons for one answer attributed to the other; and unnamed, in which it is not told whose
words it reads, also of its own. Opinion changes by condition:

    peerjudge events RUN --summary

Simulated reviewers never alter without hearing another seat, and yield to contradiction as their
traits say; only relevant reasons tell them which answer is right. Replace the seats by model cards to
test models.
"""

from typing import get_args

from peerjudge.data import Condition, Control, Experiment, Leader

CONTROLS: tuple[Control, ...] = get_args(Control)

EXPERIMENT = Experiment(
    data="sample",
    seats={"solid": "sim_solid", "plain": "sim_plain"},
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
