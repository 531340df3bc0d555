"""Is the best of three or four answers found as often as the better of two?

The same questions and accepted answers, with one, two or three graded worse ones, judged in every rotation:

    peerjudge pairs sample --recipe cut --answers 4 --out four
    peerjudge run more_answers --data four/pairs.jsonl --seat judge=CARD
    peerjudge score RUN

Run it again on pairs made with `--answers 3` and `--answers 2` and hold the accuracies against chance: one
half, a third, a quarter. Without `--data` the judge sees the built-in sample, which has two answers. The
judge is simulated and reads no text; seat your model to find out something.

Source: pairwise to quadruple comparison prompts; nothing is published about graded answers.
"""

from peerjudge.data import Condition, Experiment

JUDGE = "sim_solid"

EXPERIMENT = Experiment(
    data="sample",
    seats={"judge": JUDGE},
    prompts="open_chat",
    seed=1,
    conditions=(
        Condition(name="all at once", protocol="n_way", seats=(JUDGE,)),
        Condition(name="rated alone", protocol="pointwise", seats=(JUDGE,)),
    ),
)
