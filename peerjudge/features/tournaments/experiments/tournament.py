"""Which contestants are best, as judged by each other? PRD's whole loop, from questions to a ranking.

The contestants answer the questions. Then each of them reviews all pairs of answers alone, in both orders,
and each discusses them with the next one in the order of the seats (the last with the first): with three
contestants every two discuss, as in PRD; with more, each is in two discussions. Every pair is discussed
once in one random order under a random leader, in four turns.

    peerjudge run tournament --questions questions.txt --seat gpt=gpt_4o --seat claude=claude_sonnet
    peerjudge rank RUN --weights peer

Seats have names of your choice; there are two or more. Each reviewer is also a contestant, and weighs as
much as its own answers win. Reviews of own answers count, as in PRD; `peerjudge rank` can leave them out.

Without seats, four simulated contestants answer questions of the built-in sample. Their answers say
nothing, and that better judges write better answers is assumed (docs/simulation.md): the run shows that
the study works, not what any model does. With answers that you have, name them with `--data`.

Source: Li, Patel and Du, "PRD: Peer Rank and Discussion Improve Large Language Model based
Evaluations".
"""

from collections.abc import Mapping

from peerjudge.data import Condition, Experiment, Leader, Orders
from peerjudge.errors import ExperimentError

CONTESTANTS = {name: f"sim_{name}" for name in ("strong", "solid", "plain", "weak")}


def arrange(seats: Mapping[str, str]) -> Experiment:
    """Return the tournament of these cards, by name of the seat."""
    if len(seats) < 2 or len(set(seats.values())) < len(seats):
        named = ", ".join(f"{name}={card}" for name, card in seats.items())
        msg = f"a tournament needs 2 or more different cards; the seats are: {named}"
        raise ExperimentError(msg)
    names = list(seats)
    pairs = list(zip(names, [*names[1:], names[0]], strict=True))[: 1 if len(names) == 2 else None]
    return Experiment(
        data="questions:sample",
        seats=dict(seats),
        prompts="open_chat",
        seed=1,
        conditions=(
            *(
                Condition(name=name, protocol="pairwise_cot", seats=(card,), options={"ties": True})
                for name, card in seats.items()
            ),
            *(
                Condition(
                    name=f"{one} with {other}",
                    protocol="leader_follower",
                    seats=(seats[one], seats[other]),
                    leader=Leader.RANDOM,
                    orders=Orders.RANDOM,
                    options={"turns": 4, "ties": True},
                )
                for one, other in pairs
            ),
        ),
    )


EXPERIMENT = arrange(CONTESTANTS)
