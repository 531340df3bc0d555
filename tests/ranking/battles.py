"""Battles of a tournament, as they were collected."""

from __future__ import annotations

from peerjudge.data import Battle, Tournament


def list_battles(tournament: Tournament) -> list[Battle]:
    """Return the battles of a tournament in their order."""
    return [
        Battle.scored(
            question=tournament.questions[tournament.question[k]],
            reviewer=tournament.reviewers[tournament.reviewer[k]],
            first=tournament.contestants[tournament.first[k]],
            second=tournament.contestants[tournament.second[k]],
            score=int(tournament.score[k]) if tournament.readable[k] else None,
        )
        for k in range(len(tournament))
    ]


def rename(tournament: Tournament, names: dict[str, str]) -> list[Battle]:
    """Return the battles with the names of reviewers and contestants replaced, where one is given."""
    return [
        Battle.scored(
            question=one.question,
            reviewer=names.get(one.reviewer, one.reviewer),
            first=names[one.first],
            second=names[one.second],
            score=one.score,
        )
        for one in list_battles(tournament)
    ]
