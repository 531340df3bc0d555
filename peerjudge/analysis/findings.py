"""Everything that a run found, from one pass over its transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from peerjudge.analysis.collecting import BallotCollector
from peerjudge.analysis.conditions import (
    ConditionFindings,
    SeatFindings,
    build_condition,
    build_seats,
)
from peerjudge.analysis.courses import Course, count_courses
from peerjudge.analysis.effort import Effort, EffortCollector, Spoken
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.inference import Sampler
from peerjudge.analysis.peers import PeerFindings, rank_peers
from peerjudge.analysis.rating_levels import RatingLevel
from peerjudge.analysis.rating_pairs import RatingShift, measure_shifts, tabulate_ratings
from peerjudge.analysis.selecting import identify_reviewers
from peerjudge.analysis.stances import Stances, build_stances
from peerjudge.analysis.stopping import Decision
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.data import Noun, Primary, Transcript, replace
from peerjudge.tracker import Tracking


class Findings(Noun, frozen=True, kw_only=True):
    """Everything a run found. Intervals are of `level` and resample questions, drawn with `seed`.

    `simulated` is true when any turn was spoken by something other than a real model. `by_reviewer`
    and `by_seat` (per role) pool the discussions of all conditions in which a seat heard another;
    so do the counts of `stances`. `answers` is the number shown side by side, `None` where that
    varied. `peers` is `None` where no two contestants met; `peers_missing` then says why. `spoken`
    is by reviewer and counts the turns of all discussions, ended or not. `decision` is the last look
    of a run with a stopping rule. `rated` and `rating_shifts` are of ratings of single answers: the
    level of each condition, and the difference of every two. `chosen_by_results` is true where results
    chose the comparisons.
    """

    seed: int
    level: float
    simulated: bool
    questions: int
    answers: int | None
    effort: Effort
    spoken: Mapping[str, Spoken]
    conditions: tuple[ConditionFindings, ...]
    by_reviewer: tuple[SeatFindings, ...]
    by_seat: tuple[SeatFindings, ...]
    stances: Stances
    courses: tuple[Course, ...]
    peers: PeerFindings | None
    peers_missing: str
    decision: Decision | None = None
    rated: tuple[RatingLevel, ...] = ()
    rating_shifts: tuple[RatingShift, ...] = ()
    chosen_by_results: bool = False


class FindingsCollector:
    """Collects what the findings of a run need, one discussion at a time; keeps no texts."""

    def __init__(self) -> None:
        self._ballots = BallotCollector()
        self._effort = EffortCollector()

    def add(self, transcript: Transcript) -> Tracking:
        """Add a discussion, ended or not, and return its opinion events."""
        self._effort.add(transcript)
        return self._ballots.add(transcript)

    def findings(
        self,
        *,
        seed: int = 0,
        primary: Primary | None = None,
        decision: Decision | None = None,
        chosen_by_results: bool = False,
        declared: Mapping[str, str] | None = None,
        contestant_of: Mapping[str, str] | None = None,
    ) -> Findings:
        """Return the findings of the discussions that were added.

        Conditions come in order of appearance. Only complete discussions enter the shares; failed
        and unfinished ones are counted.

        Args:
            seed: of the resampling.
            primary: the contrast that the experiment declared.
            decision: the last look of a run with a stopping rule.
            chosen_by_results: results chose the comparisons (`--next open`).
            declared: contestants by reviewer that the cards declare, as in `identify_reviewers`.
            contestant_of: more of these, which replace those declared.

        Raises:
            DataError: `contestant_of` has a reviewer or a contestant that there is not.
        """
        sampler = Sampler(seed=seed)
        ballots, effort = self._ballots.ballots(), self._effort
        ballots = identify_reviewers(ballots, declared=declared or {}, given=contestant_of)
        discussions = ballots.discussions
        controlled = np.array(
            [control != "none" for control in discussions.controls], dtype=np.bool_
        )
        heard = np.zeros(len(discussions), dtype=np.bool_)
        heard[ballots.discussion[ballots.event >= 0]] = True
        heard &= discussions.complete & ~controlled[discussions.control]
        talked = ballots.of_discussions(heard)
        names = discussions.conditions
        answers = {len(ballots.orders[order]) for order in list_distinct(discussions.order)}
        peers, peers_missing = rank_peers(
            build_tournament(ballots.where(ballots.opening)), sampler=sampler
        )
        rated = tabulate_ratings(ballots, level=sampler.level)
        stances = build_stances(ballots, sampler=sampler, primary=primary)
        return Findings(
            seed=seed,
            level=sampler.level,
            simulated=ballots.simulated,
            questions=len(list_distinct(ballots.question_of[discussions.comparison])),
            answers=answers.pop() if len(answers) == 1 else None,
            effort=effort.effort(ballots, np.ones(len(discussions), dtype=np.bool_), names),
            spoken=effort.by_reviewer,
            conditions=tuple(
                build_condition(
                    ballots,
                    code,
                    effort.effort(ballots, discussions.condition == code, [name]),
                    sampler=sampler,
                )
                for code, name in enumerate(names)
            ),
            by_reviewer=build_seats(talked, sampler=sampler, by_role=False),
            by_seat=build_seats(talked, sampler=sampler),
            stances=replace(stances, simulated=ballots.simulated),
            courses=count_courses(ballots, sampler=sampler),
            peers=peers,
            peers_missing=peers_missing,
            decision=decision,
            rated=tuple(level for row in rated for level in row.levels),
            rating_shifts=measure_shifts(rated, sampler=sampler),
            chosen_by_results=chosen_by_results,
        )


def build_findings(
    transcripts: Iterable[Transcript], *, seed: int = 0, primary: Primary | None = None
) -> Findings:
    """Return everything that a run's transcripts say, with intervals that resample questions.

    Reads the transcripts once and keeps no texts.

    Args:
        transcripts: ended or not.
        seed: of the resampling.
        primary: the contrast that the experiment declared.
    """
    collector = FindingsCollector()
    for transcript in transcripts:
        collector.add(transcript)
    return collector.findings(seed=seed, primary=primary)
