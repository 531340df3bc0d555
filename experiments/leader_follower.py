"""Does the first speaker matter? Two reviewers of different ability discuss, each leading once.

The design of PRD section 4.3 (Table 4, Figure 6): every comparison is discussed under both leaders
and in both orders of the answers; `vote` makes as many calls without discussion.
"""

from peerjudge.data import Condition, Experiment, Leader

EXPERIMENT = Experiment(
    data="sample",
    seats={"strong": "sim_gpt4", "weak": "sim_gpt35"},
    conditions=(
        Condition(
            name="leader_follower",
            protocol="leader_follower",
            seats=("sim_gpt4", "sim_gpt35"),
            leader=Leader.BOTH,
        ),
        Condition(
            name="vote",
            protocol="vote",
            seats=("sim_gpt4", "sim_gpt35") * 3,
            leader=Leader.BOTH,
        ),
    ),
)
