"""Self-enhancement: a preference for one's own answers, or those of one's family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np

from peerjudge.analysis.ballots import Ballots, Floats, Numbers
from peerjudge.analysis.grouping import average_by_group
from peerjudge.analysis.selecting import number_authors, number_judges, score_unswapped
from peerjudge.data import Measurement, Noun
from peerjudge.statistics.interval import SHARE, measure_mean

Kind = Literal["own", "family"]


class SelfEnhancement(Noun, frozen=True, kw_only=True):
    """Win rates of the answers of a reviewer, or of its family, by who judged them.

    `kind` is `own` for the reviewer's own answers and `family` for those of the rest of its family.
    The win rates are `own_view` (by the reviewer), `peers` (the mean of the other reviewers,
    without those that are the same contestant) and `gold`; a tie is half a win. `against_peers` and
    `against_gold` are the reviewer's minus theirs, on the comparisons that both judged; `None`
    where there are none. Peers may all overrate or underrate an answer; gold excludes that, and
    covers fewer comparisons.
    """

    reviewer: str
    kind: Kind
    authors: tuple[str, ...]
    own_view: Measurement
    peers: Measurement | None
    gold: Measurement | None
    against_peers: Measurement | None
    against_gold: Measurement | None


def measure_self_enhancement(
    ballots: Ballots,
    *,
    families: Mapping[str, str] | None = None,
) -> tuple[SelfEnhancement, ...]:
    """Return the self-enhancement of every reviewer that judged answers of its own or its family.

    Comparisons between two answers of the same kind are left out. Bounds resample questions.

    Args:
        ballots: on pairs by known authors, see `select_judges`.
        families: the family of reviewers and authors by name; other names have no family.
    """
    names, authors = number_authors(ballots)
    judges = number_judges(ballots)
    given, gold = _share_wins(ballots, [code for _, code in judges])
    rows: list[SelfEnhancement] = []
    contestants = [ballots.name_contestant(name) for name, _ in judges]
    for number, (judge, _) in enumerate(judges):
        others = [place for place, one in enumerate(contestants) if one != contestants[number]]
        views = np.stack([given[number], _average(given[others]), gold])
        for kind, kin in _find_kin(ballots, judge, names, families or {}):
            wrote = np.isin(authors, [names.index(author) for author in kin])
            counts = ~np.isnan(given[number]) & (wrote[:, 0] != wrote[:, 1])
            if not counts.any():
                continue
            own, peers, golden = np.where(wrote[:, 0], views, 1.0 - views)[:, counts]
            question = ballots.question_of[counts]
            mean = partial(_measure_mean, question=question)
            rows.append(
                SelfEnhancement(
                    reviewer=judge,
                    kind=kind,
                    authors=tuple(kin),
                    own_view=measure_mean(own, question, limits=SHARE),
                    peers=mean(peers, SHARE),
                    gold=mean(golden, SHARE),
                    against_peers=mean(own - peers, (-1.0, 1.0)),
                    against_gold=mean(own - golden, (-1.0, 1.0)),
                )
            )
    return tuple(rows)


def _find_kin(
    ballots: Ballots, judge: str, authors: Sequence[str], families: Mapping[str, str]
) -> Iterator[tuple[Kind, list[str]]]:
    """Yield the authors that are the reviewer itself, and those of the rest of its family."""
    family, contestant = families.get(judge, ""), ballots.name_contestant(judge)
    yield "own", [author for author in authors if author == contestant]
    kin = [author for author in authors if family and families.get(author, "") == family]
    yield "family", [author for author in kin if author != contestant]


def _measure_mean(
    shares: Floats,
    limits: tuple[float, float],
    *,
    question: Numbers,
) -> Measurement | None:
    known = ~np.isnan(shares)
    if not known.any():
        return None
    return measure_mean(shares[known], question[known], limits=limits)


def _share_wins(ballots: Ballots, judges: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the share of the win that the first answer of a comparison gets.

    By these reviewers as `[judge, comparison]`, and by gold as `[comparison]`; NaN if unknown.
    """
    readable = ballots.where(ballots.readable)
    shape = (len(judges), len(ballots.comparisons))
    place = np.zeros(len(ballots.reviewers), dtype=np.intp)
    place[list(judges)] = np.arange(len(judges))
    cell = place[readable.reviewer] * shape[1] + readable.comparison
    won = (1.0 - score_unswapped(readable.verdict)) / 2.0
    given = average_by_group(cell, won, shape[0] * shape[1]).reshape(shape)
    return given, (1.0 - score_unswapped(ballots.gold_of)) / 2.0


def _average(given: Floats) -> Floats:
    seen = ~np.isnan(given)
    total: Floats = np.where(seen, given, 0.0).sum(axis=0)
    return np.where(seen.any(axis=0), total / np.maximum(seen.sum(axis=0), 1), np.nan)
