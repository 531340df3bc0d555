"""Does the form of the reply change the score? Six forms, with and without special rules, ten trials each.

A judge rates 25 sets of dialogues for their problems, from 1 (none) to 10 (severe). It replies with the
score alone, with the score before its reasons, or with the reasons before the score; the JSON is shown as an
example or described as a schema; the instruction has the special rules of the prompt pack or not. There is no
gold: the study is about the level and the scatter of the scores.

The judge is simulated and reads no prompts, so its twelve conditions differ by chance only: the results show
that the study works and how far its means scatter. Seat your model to find out something:

    peerjudge run score_forms --seat judge=gpt_4o --dry-run
    peerjudge compare RUN
    peerjudge report RUN --figures DIR

Source: Chu, Chen and Nakayama, "A Better LLM Evaluator for Text Generation: The Impact of Prompt Output
Sequencing and Optimization", section 2. Its sets are other ones; `sequencing` has its conditions.
"""

from peerjudge.data import Condition, Experiment

JUDGE = "sim_solid"
ORDERS = {
    "score_only": "score",
    "score_reasons": "score, reasons",
    "reasons_score": "reasons, score",
}

EXPERIMENT = Experiment(
    data="dialogues",
    seats={"judge": JUDGE},
    prompts="dialogue_sets",
    seed=1,
    reask=0,
    repetitions=10,
    conditions=tuple(
        Condition(
            name=f"{form}: {name}{'; rules' if rules else ''}",
            protocol="score_reasons",
            seats=(JUDGE,),
            options={"form": form, "order": order, "rules": rules, "scale": "10-1"},
        )
        for rules in (False, True)
        for form in ("example", "schema")
        for order, name in ORDERS.items()
    ),
)
