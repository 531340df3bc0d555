"""Do reviewers alter or hold their opinions, and does discussion pay? Offline, in seconds.

Four simulated reviewers of different ability judge the built-in sample: alone, in discussions led
by either of them, with themselves at two temperatures, after explaining each answer alone first
(PRePair), and by votes with as many calls as the discussions. A third of the sample is adversarial:
the attractive answer ignores the instruction.

The first sentence of the report says whether a discussion beat its better seat asked once.
"""

from peerjudge.data import Condition, Experiment, Leader, Seating

EXPERIMENT = Experiment(
    data="sample",
    seats={name: f"sim_{name}" for name in ("strong", "weak", "solid", "plain")},
    prompts="instruction_following",
    seed=1,
    conditions=(
        Condition(
            name="strong with weak",
            protocol="leader_follower",
            seats=("sim_strong", "sim_weak"),
            leader=Leader.BOTH,
        ),
        Condition(
            name="solid with plain",
            protocol="leader_follower",
            seats=("sim_solid", "sim_plain"),
            leader=Leader.BOTH,
        ),
        Condition(
            name="plain with itself",
            protocol="self_discussion",
            seats=(
                Seating(reviewer="sim_plain", temperature=0.2),
                Seating(reviewer="sim_plain", temperature=1.0),
            ),
        ),
        Condition(
            name="solid with plain, PRePair",
            protocol="prepair_discussion",
            seats=("sim_solid", "sim_plain"),
            leader=Leader.BOTH,
        ),
        Condition(
            name="plain with itself, vote of six",
            protocol="vote",
            seats=(
                Seating(reviewer="sim_plain", temperature=0.2),
                Seating(reviewer="sim_plain", temperature=1.0),
            )
            * 3,
        ),
        Condition(
            name="strong with weak, vote of six",
            protocol="vote",
            seats=("sim_strong", "sim_weak") * 3,
            leader=Leader.BOTH,
        ),
        Condition(
            name="solid with plain, vote of six",
            protocol="vote",
            seats=("sim_solid", "sim_plain") * 3,
            leader=Leader.BOTH,
        ),
        Condition(
            name="solid with plain, vote of ten",
            protocol="vote",
            seats=("sim_solid", "sim_plain") * 5,
            leader=Leader.BOTH,
        ),
    ),
)
