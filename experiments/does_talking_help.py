"""Does talking help two reviewers, or would a vote of as many calls do as well?

Two reviewers judge alone, discuss with either of them leading, and sit through the same turns without hearing
anything (placebo). A vote of as many calls is the fair alternative. `peerjudge talk` reads the answer:
change of the seats by round, over the placebo and over the vote, discussions lost and won, and who
follows whom.

The reviewers are simulated. Yours take their seats by `--seat one=CARD --seat other=CARD`, your pairs come
by `--data`, and `--dry-run` prints calls, tokens and price first.
"""

from peerjudge.data import Condition, Experiment, Leader

_BOTH = ("sim_solid", "sim_plain")

EXPERIMENT = Experiment(
    data="sample",
    seats={"one": "sim_solid", "other": "sim_plain"},
    prompts="instruction_following",
    primary="talk over vote",
    conditions=(
        Condition(name="talk", protocol="leader_follower", seats=_BOTH, leader=Leader.BOTH),
        Condition(
            name="hears nothing",
            protocol="leader_follower",
            seats=_BOTH,
            leader=Leader.BOTH,
            options={"control": "placebo"},
        ),
        Condition(name="vote of six", protocol="vote", seats=_BOTH * 3, leader=Leader.BOTH),
        Condition(name="one alone", protocol="pairwise", seats=("sim_solid",)),
        Condition(name="other alone", protocol="pairwise", seats=("sim_plain",)),
    ),
)
