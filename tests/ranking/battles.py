"""Battles of a tournament, drawn and as they were collected."""

from __future__ import annotations

from hypothesis import strategies as st

from peerjudge.data import Battle, Tournament
from peerjudge.ranking import collect

PEERS = ("ann", "bob", "cy")


def battle(
    reviewer: str, first: str, second: str, score: int | None, question: str = "q"
) -> Battle:
    """Return the battle of two contestants that a reviewer decided with this score."""
    return Battle.scored(
        question=question, reviewer=reviewer, first=first, second=second, score=score
    )


drawn_battles = st.builds(
    lambda reviewer, names, score, question: battle(reviewer, *names[:2], score, question),
    st.sampled_from([*PEERS, "eve"]),
    st.permutations(PEERS),
    st.sampled_from([-1, 0, 1, None]),
    st.sampled_from(["q1", "q2", "q3"]),
)
tournaments = st.lists(drawn_battles, min_size=1, max_size=30).map(collect)
"""Tournaments of reviewers that are contestants; one reviewer more, who is none, judges them too."""


def list_battles(tournament: Tournament) -> list[Battle]:
    """Return the battles of a tournament in their order."""
    return [
        battle(
            tournament.reviewers[tournament.reviewer[k]],
            tournament.contestants[tournament.first[k]],
            tournament.contestants[tournament.second[k]],
            int(tournament.score[k]) if tournament.readable[k] else None,
            tournament.questions[tournament.question[k]],
        )
        for k in range(len(tournament))
    ]


def rename(tournament: Tournament, names: dict[str, str]) -> list[Battle]:
    """Return the battles with the names of reviewers and contestants replaced, where one is given."""
    return [
        battle(
            names.get(one.reviewer, one.reviewer),
            names[one.first],
            names[one.second],
            one.score,
            one.question,
        )
        for one in list_battles(tournament)
    ]
