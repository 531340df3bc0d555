"""Which worse answers does a judge notice? Pairs by recipe, judged in both orders.

Make the pairs first, then judge them; accuracy and the share of equal verdicts in both orders are by
recipe, and the audit of the pairs says what a judge that reads nothing would get right:

    peerjudge pairs sample --recipe shuffled --recipe altered --recipe cut --out pairs
    peerjudge run pair_recipes --data pairs/pairs.jsonl --seat judge=CARD
    peerjudge score RUN --by subset

Without `--data` the judge sees the built-in sample, whose subsets are its two kinds of questions. The judge
is simulated: it knows which answer is gold up to its errors and reads no text, so it cannot tell one recipe
from another. Seat your model to find out something.

Source: the pair generation of "Comparing Two, Three or Four Answers" and LLMBar's ways to make worse outputs
(Zeng et al. 2024); nothing is published about these recipes.
"""

from peerjudge.data import Condition, Experiment

JUDGE = "sim_solid"

EXPERIMENT = Experiment(
    data="sample",
    seats={"judge": JUDGE},
    prompts="open_chat",
    seed=1,
    conditions=(
        Condition(name="pairwise", protocol="pairwise", seats=(JUDGE,)),
        Condition(name="explained", protocol="pairwise_cot", seats=(JUDGE,)),
    ),
)
