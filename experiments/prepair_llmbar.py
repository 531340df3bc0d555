"""Does judging each answer alone first make a pairwise judge robust? The main table of PRePair.

Five methods judge LLMBar: a rating of each output alone, a pairwise verdict, one with reasons first,
one after explaining both outputs together (PRePair*), and one after explaining each output alone
(PRePair). The reviewers are simulated, with traits fitted to the published table: the results show that
the study works and how far its figures scatter, not what any model does. Replace the seats by model
cards to test models.

Needs the data: `peerjudge download llmbar` once, or `--data llmbar:PATH`. Then compare with the paper:

    peerjudge reproduce prepair RUN
    peerjudge score RUN --by subset --beside prepair

Source: Jeong et al., "On the Adversarial Vulnerability of Pairwise Evaluation Using Large Language
Models", Tables 2 and 4. There every instance was judged once; here in both orders.
"""

from peerjudge.data import Condition, Experiment

METHODS = ("pointwise", "pairwise", "pairwise_cot", "prepair_star", "prepair")
REVIEWERS = {name: f"sim_llmbar_{name}" for name in ("gpt35", "gpt4", "claude")}

EXPERIMENT = Experiment(
    reask=0,
    data="llmbar",
    seats=REVIEWERS,
    prompts="instruction_following",
    seed=1,
    conditions=tuple(
        Condition(name=f"{method}, {seat}", protocol=method, seats=(reviewer,))
        for seat, reviewer in REVIEWERS.items()
        for method in METHODS
    ),
)
