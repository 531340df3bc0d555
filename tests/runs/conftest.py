import pytest

from peerjudge.data import Condition, Experiment, Leader


@pytest.fixture
def small():
    """Two simulated reviewers, each leading once, in both orders, and a lone judge."""
    return Experiment(
        name="small",
        data="sample",
        conditions=(
            Condition(
                name="talk",
                protocol="leader_follower",
                seats=("sim_strong", "sim_weak"),
                leader=Leader.BOTH,
                options={"turns": 2},
            ),
            Condition(name="alone", protocol="pairwise", seats=("sim_plain",)),
        ),
    )
