"""Which words of its prompt make a reviewer judge better? Offline, in seconds.

A simulated reviewer whose ability depends on some words of its prompt judges 320 sums. The search (GRIPS,
without a proposer) deletes, swaps and puts back parts of the rules, chooses on questions of their own, and
tests once:

    peerjudge optimize wording_search

One rule of the pack harms this reviewer, so that there is something to find; `peerjudge run` plays the
experiment without a search. The reactions are invented: they show how a search works, and nothing about
which words help a model.
"""

from peerjudge.data import Condition, Experiment, Search

EXPERIMENT = Experiment(
    data="sums",
    prompts="hasty_rules",
    seed=4,
    seats={"judge": "sim_responsive"},
    conditions=(Condition(name="alone", protocol="pairwise", seats=("sim_responsive",)),),
)
SEARCH = Search(
    method="grips",
    targets=("pack:aspects",),
    objective="accuracy",
    steps=3,
    candidates=6,
    split="80,80,160",
)
