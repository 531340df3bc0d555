"""Does judging each answer alone first cost accuracy on ordinary answers? The MT-Bench table of PRePair.

Five methods judge the first turn of MT-Bench: a rating of each answer alone, a pairwise verdict, one with
reasons first, one after explaining both answers together (PRePair*), and one after explaining each answer
alone (PRePair). As in the paper's prompts, verdicts may be ties, and those after explanations rest on the
explanations alone. The reviewers are simulated and were not fitted to MT-Bench: the results show that the
study works, not what any model does. Replace the seats by model cards to test models
(`--seat gpt35=MY_CARD`).

Needs a folder with the conversations (docs/datasets.md says which files):

    peerjudge run prepair_mtbench --data mtbench1131:PATH --out RUN
    peerjudge reproduce prepair RUN
    peerjudge score RUN --by labeler --gold mtbench1131:PATH --beside prepair

Source: Jeong et al., "On the Adversarial Vulnerability of Pairwise Evaluation Using Large Language
Models", Table 3 and Figures 9 to 13. There each pair was judged once; here in both orders. The
dataset `mtbench1131` says which votes the paper counts, as far as that is known.
"""

from peerjudge.data import Condition, Experiment

EXPLAINED = {"ties": True, "blind": True}
METHODS = {
    "pointwise": {"logprobs": False},
    "pairwise": {"ties": True},
    "pairwise_cot": {"ties": True},
    "prepair_star": EXPLAINED,
    "prepair": EXPLAINED,
}
REVIEWERS = {"gpt35": "sim_vicuna80_gpt35", "gpt4o_mini": "sim_llmbar_gpt4o_mini"}

EXPERIMENT = Experiment(
    reask=0,
    data="mtbench1131",
    seats=REVIEWERS,
    prompts="open_chat",
    seed=1,
    conditions=tuple(
        Condition(name=f"{method}, {seat}", protocol=method, seats=(reviewer,), options=options)
        for seat, reviewer in REVIEWERS.items()
        for method, options in METHODS.items()
    ),
)
