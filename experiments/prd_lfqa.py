"""Do two reviewers judge long answers better after they discuss them? PRD's discussions on LFQA.

Three reviewers review 140 pairs of answers in private, and discuss them in four turns: each two of
them, and each with itself at another temperature (PRD Table 4; Tables 6 and 7 and Figures 5 and 6 count
the same discussions). Every pair is shown in both orders, and each reviewer leads once. The tables:

    peerjudge reproduce prd RUN

GPT-4 and Claude discuss under three prompts (Table 9): `explicit` names the criteria, as all other
discussions do, `generic` names none, and `role` also repeats the role of the speaker in every turn. The
prompts act on the discussion alone: the private reviews are the same, and are paid for once.

The reviewers are simulated, with traits fitted to the published tables: the results show that the study
works and how far its figures scatter, not what any model does. They read no prompts, so their three rows
of Table 9 are equal. Seat your models in their places:

    peerjudge run prd_lfqa --seat gpt4=gpt_4o --seat claude=claude_sonnet --dry-run

Needs the data: `peerjudge download lfqa` once, or `--data lfqa:PATH`.

Source: Li, Patel and Du, "PRD: Peer Rank and Discussion Improve Large Language Model based
Evaluations", section 4.3 and appendix C. There the answers were shown in the order of the data only
(`-S orders=given`); the temperatures of the self-discussions are not printed.
"""

from peerjudge.data import Condition, Experiment, Leader, Scalar, Seating

REVIEWERS = {"gpt4": "sim_gpt4", "claude": "sim_claude", "gpt35": "sim_gpt35"}


def discuss(name: str, first: str, second: str, **options: Scalar) -> Condition:
    """Return a discussion of two reviewers in four turns, led by either."""
    return Condition(
        name=name,
        protocol="leader_follower",
        seats=(REVIEWERS[first], REVIEWERS[second]),
        leader=Leader.BOTH,
        options={"turns": 4, **options},
    )


def discuss_with_itself(name: str) -> Condition:
    """Return a discussion of a reviewer with itself at another temperature."""
    card = REVIEWERS[name]
    return Condition(
        name=f"{name} with itself",
        protocol="self_discussion",
        seats=(card, Seating(reviewer=card, temperature=0.8)),
        leader=Leader.BOTH,
        options={"turns": 4},
    )


EXPERIMENT = Experiment(
    reask=0,
    data="lfqa",
    seats=REVIEWERS,
    prompts="long_form",
    seed=1,
    conditions=(
        discuss("explicit", "gpt4", "claude"),
        discuss("generic", "gpt4", "claude", aspects="private"),
        discuss("role", "gpt4", "claude", remind=True),
        discuss("gpt4 with gpt35", "gpt4", "gpt35"),
        discuss("gpt35 with claude", "gpt35", "claude"),
        *map(discuss_with_itself, ("gpt35", "claude", "gpt4")),
    ),
)
