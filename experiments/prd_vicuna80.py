"""Which contestants are best, as judged by each other? PRD's peer ranking on Vicuna80.

Five reviewers judge all pairs of answers by five contestants to 80 questions, in both orders. Each is a
contestant as well, and weighs as much as its own answers win (PRD Tables 2 and 3, Figures 3, 4, 7 and 8):

    peerjudge rank RUN --weights peer
    peerjudge reproduce prd RUN

GPT-4 and Claude also discuss the answers of GPT-3.5 and Vicuna-13b, under a random leader (Table 5).

The reviewers are simulated, with traits fitted to the reviews that PRD's authors recorded: the results
show that the study works and how far its figures scatter, not what any model does; how they discuss
was not fitted. Seat your models in their places. A card without `contestant` needs `--as` when it is ranked:

    peerjudge run prd_vicuna80 --seat gpt4=gpt_4o --dry-run
    peerjudge rank RUN --weights peer --as gpt_4o=gpt4

Needs the data: `peerjudge download vicuna80` once, or `--data vicuna80:PATH`. The recorded reviews
themselves need no run: `peerjudge rank vicuna80 --weights peer`.

Source: Li, Patel and Du, "PRD: Peer Rank and Discussion Improve Large Language Model based
Evaluations", sections 4.2 and 4.3.
"""

from peerjudge.data import Condition, Experiment, Leader

REVIEWERS = {
    "gpt4": "sim_vicuna80_gpt4",
    "claude": "sim_vicuna80_claude",
    "gpt35": "sim_vicuna80_gpt35",
    "vicuna": "sim_vicuna",
    "bard": "sim_bard",
}

EXPERIMENT = Experiment(
    reask=0,
    data="vicuna80",
    seats=REVIEWERS,
    prompts="open_chat",
    seed=1,
    conditions=(
        *(
            Condition(name=name, protocol="pairwise_cot", seats=(card,), options={"ties": True})
            for name, card in REVIEWERS.items()
        ),
        Condition(
            name="gpt4 with claude",
            protocol="leader_follower",
            seats=(REVIEWERS["gpt4"], REVIEWERS["claude"]),
            leader=Leader.RANDOM,
            options={"turns": 4, "ties": True},
            contestants=("gpt35", "vicuna-13b"),
        ),
    ),
)
