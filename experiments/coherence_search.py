"""Which wording of the form of the reply brings a judge's ratings of coherence nearer to the experts'?

A judge rates the summaries of SummEval for coherence, from 1 to 5, reasons before the score. The search
changes the form of the reply and nothing else, and lowers the absolute error. As in the paper, on 10 of the
100 articles by random edits of words (GRIPS), or on 5 of them by texts of a model (OPRO), tested on the
other 90:

    peerjudge optimize coherence_search --data summeval:PATH --seat judge=CARD --proposer CARD --split paper

with `--patience 0`, or with `--method opro`; `--dry-run` first says what it takes. `--patience 0` plays all
ten steps of GRIPS, which otherwise ends after two without gain; the proposer writes its paraphrases. The
paper has 20 trials of each summary (`-S repetitions=20`), here it is one. Without `--split paper`, the best
texts are compared with the first one on articles of their own before one is adopted.

The judge is simulated and reads no prompts, so its search finds nothing: seat your model.

Source: Chu, Chen and Nakayama, "A Better LLM Evaluator for Text Generation: The Impact of Prompt Output
Sequencing and Optimization", section 3, Table 3.
"""

from peerjudge.data import Condition, Experiment, Search

JUDGE = "sim_gpt35"

EXPERIMENT = Experiment(
    data="summeval",
    seats={"judge": JUDGE},
    prompts="summary_coherence",
    seed=1,
    reask=0,
    conditions=(
        Condition(
            name="init",
            protocol="score_reasons",
            seats=(JUDGE,),
            options={"form": "schema", "order": "reasons_score", "scale": "1-5"},
        ),
    ),
)
SEARCH = Search(
    method="grips",
    targets=("pack:reply.schema_reasons_score",),
    objective="error",
    aspect="coherence",
)
