"""Does a searched wording of the reply rate coherence better? Three instructions of output sequencing.

A judge rates the summaries of SummEval for coherence, from 1 to 5, reasons before the score, with three
wordings of the form of the reply: the first one (init), one from which a search by edits has taken
words and all colons (GRIPS), and one that a model wrote anew (OPRO). The wordings are PeerJudge's own,
with what the paper tells of its winners: GRIPS left a form that is no JSON any more, OPRO repeated the
grading policy and dropped the form.

    peerjudge run coherence_prompt --data summeval:PATH --seat judge=CARD --dry-run
    peerjudge score RUN                       # error, Pearson, Kendall, and the error of a constant
    peerjudge compare RUN --baseline init     # Williams' test, with articles as the unit and as in the paper
    peerjudge reproduce sequencing RUN        # beside Table 4

The paper has 20 trials of each summary (`-S repetitions=20`), on 90 of the 100 articles; here it is one
trial of each. The judge is simulated and reads no prompts and does not know the experts' ratings, so
its wordings differ by chance alone: seat your model to find out something, and search for a wording of
your own with `peerjudge optimize coherence_search`.

Source: Chu, Chen and Nakayama, "A Better LLM Evaluator for Text Generation: The Impact of Prompt Output
Sequencing and Optimization", section 3, Tables 3 and 4.
"""

from peerjudge.data import Condition, Experiment

JUDGE = "sim_gpt35"
PACKS = {
    "init": "summary_coherence",
    "GRIPS": "summary_coherence_grips",
    "OPRO": "summary_coherence_opro",
}

EXPERIMENT = Experiment(
    data="summeval",
    seats={"judge": JUDGE},
    prompts="summary_coherence",
    seed=1,
    reask=0,
    conditions=tuple(
        Condition(
            name=name,
            protocol="score_reasons",
            seats=(JUDGE,),
            prompts=pack,
            options={"form": "schema", "order": "reasons_score", "scale": "1-5"},
        )
        for name, pack in PACKS.items()
    ),
)
