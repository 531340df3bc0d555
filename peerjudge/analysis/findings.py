"""Everything that a run found, from one pass over its transcripts, and all measures of opinion change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from peerjudge.analysis.ballots import Ballots, Stage
from peerjudge.analysis.collecting import BallotCollector
from peerjudge.analysis.conditions import (
    ConditionFindings,
    SeatFindings,
    build_condition,
    build_seats,
)
from peerjudge.analysis.contrasts import VOTE, ConditionContrasts, build_contrasts
from peerjudge.analysis.controls import Controlled, compare_controls
from peerjudge.analysis.effort import Effort, EffortCollector, Spoken
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.influence import Persuasion, StanceCounts, count_moves, count_persuasion
from peerjudge.analysis.outcomes import (
    Change,
    Course,
    Holding,
    Ordering,
    Settling,
    count_courses,
    count_holdings,
    measure_changes,
    measure_ordering,
    measure_settling,
)
from peerjudge.analysis.peers import PeerFindings, rank_peers
from peerjudge.analysis.pricing import Prices, Replies
from peerjudge.analysis.rating_pairs import RatingShift, measure_shifts, tabulate_ratings
from peerjudge.analysis.ratings import RatingLevel
from peerjudge.analysis.selecting import identify_reviewers
from peerjudge.analysis.stopping import Decision
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.analysis.ways import Ways, build_ways
from peerjudge.data import Noun, Primary, Transcript, replace
from peerjudge.statistics.sampler import Sampler
from peerjudge.tracker import Tracking


class Stances(Noun, frozen=True, kw_only=True):
    """Everything that became of the stances in complete discussions.

    `counts`, `persuasion`, `ordering` and `holdings` are over all conditions but the controls, which are
    not to be mistaken for discussions: `controls` has them beside these. `silent` names the conditions of
    several seats, no votes, in which no seat ever spoke to another.
    """

    discussions: int
    simulated: bool
    counts: tuple[StanceCounts, ...]
    persuasion: tuple[Persuasion, ...]
    ordering: tuple[Ordering, ...]
    settling: tuple[Settling, ...]
    changes: tuple[Change, ...]
    controls: tuple[Controlled, ...] = ()
    silent: tuple[str, ...] = ()
    holdings: tuple[Holding, ...] = ()


class Findings(Noun, frozen=True, kw_only=True):
    """Everything a run found. Intervals are of `level` and resample questions, drawn with `seed`.

    `simulated` is true when any turn was spoken by something other than a real model. `by_reviewer`
    and `by_seat` (per role) pool the discussions of all conditions in which a seat heard another;
    so do the counts of `stances`. `answers` is the number shown side by side, `None` where that
    varied. `peers` is `None` where no two contestants met; `peers_missing` then says why. `spoken`
    is by reviewer and counts the turns of all discussions, ended or not. `decision` is the last look
    of a run with a stopping rule. `ways` has every condition and every reviewer alone, `contrasts` every
    discussion with each cheaper alternative. `rated` and
    `rating_shifts` are of ratings of single answers: the level of each condition, and the difference of
    every two.
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
    ways: Ways
    contrasts: tuple[ConditionContrasts, ...]
    courses: tuple[Course, ...]
    peers: PeerFindings | None
    peers_missing: str
    decision: Decision | None = None
    rated: tuple[RatingLevel, ...] = ()
    rating_shifts: tuple[RatingShift, ...] = ()


class FindingsCollector:
    """Collects what the findings of a run need, one discussion at a time; keeps no texts.

    Args:
        prices: of the reviewers, as the manifest of the run has them.
    """

    def __init__(self, *, prices: Prices | None = None) -> None:
        self._ballots = BallotCollector(prices=prices)
        self._effort = EffortCollector()

    def add(self, transcript: Transcript, *, replies: Sequence[Replies] | None = None) -> Tracking:
        """Add a discussion, ended or not, and return its opinion events.

        Args:
            transcript: the discussion.
            replies: of its turns, where these were read without them.
        """
        self._effort.add(transcript, replies=replies)
        return self._ballots.add(transcript, replies=replies)

    def ballots(
        self,
        *,
        declared: Mapping[str, str] | None = None,
        contestant_of: Mapping[str, str] | None = None,
    ) -> Ballots:
        """Return the ballots of the discussions that were added.

        Args:
            declared: contestants by reviewer that the cards declare, as in `identify_reviewers`.
            contestant_of: more of these, which replace those declared.

        Raises:
            DataError: `contestant_of` has a reviewer or a contestant that there is not.
        """
        found = self._ballots.ballots()
        return identify_reviewers(found, declared=declared or {}, given=contestant_of)

    def findings(
        self,
        ballots: Ballots | None = None,
        *,
        seed: int = 0,
        primary: Primary | None = None,
        decision: Decision | None = None,
    ) -> Findings:
        """Return the findings of the discussions that were added.

        Conditions come in order of appearance. Only complete discussions enter the shares; failed
        and unfinished ones are counted.

        Args:
            ballots: of these discussions, where they are known.
            seed: of the resampling.
            primary: the contrast that the experiment declared.
            decision: the last look of a run with a stopping rule.
        """
        sampler, effort = Sampler(seed=seed), self._effort
        ballots = self.ballots() if ballots is None else ballots
        discussions = ballots.discussions
        heard = np.zeros(len(discussions), dtype=np.bool_)
        heard[ballots.discussion[ballots.event >= 0]] = True
        heard &= discussions.complete & ~discussions.controlled
        talked = ballots.of_discussions(heard)
        names = discussions.conditions
        answers = {len(ballots.orders[order]) for order in list_distinct(discussions.order)}
        peers, peers_missing = rank_peers(
            build_tournament(ballots.where(ballots.opening)), sampler=sampler
        )
        rated = tabulate_ratings(ballots, level=sampler.level)
        stances = build_stances(ballots, sampler=sampler)
        contrasts = build_contrasts(ballots, sampler=sampler, primary=primary)
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
            ways=build_ways(ballots, contrasts, sampler=sampler),
            contrasts=contrasts,
            courses=count_courses(ballots, sampler=sampler),
            peers=peers,
            peers_missing=peers_missing,
            decision=decision,
            rated=tuple(level for row in rated for level in row.levels),
            rating_shifts=measure_shifts(rated, sampler=sampler),
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


def build_stances(ballots: Ballots, *, sampler: Sampler | None = None) -> Stances:
    """Return altering and holding, persuasion, ordering, agreement and gains.

    Unfinished and failed discussions are left out. Every interval and test has questions as the unit.

    Args:
        ballots: of the discussions of a run.
        sampler: settings of the resampling.
    """
    sampler = sampler or Sampler()
    discussions = ballots.discussions
    ended = ballots.of_discussions(discussions.complete)
    heard = ended.of_discussions(~discussions.controlled)
    return Stances(
        discussions=int(discussions.complete.sum()),
        simulated=bool((discussions.simulated & discussions.complete).any()),
        counts=count_moves(heard, sampler=sampler),
        persuasion=count_persuasion(heard, sampler=sampler),
        ordering=measure_ordering(heard, sampler=sampler),
        settling=measure_settling(ended, sampler=sampler),
        changes=measure_changes(ended, sampler=sampler),
        controls=compare_controls(ended, sampler=sampler),
        silent=_find_silent(ended),
        holdings=count_holdings(heard, sampler=sampler),
    )


def _find_silent(ended: Ballots) -> tuple[str, ...]:
    discussions = ended.discussions
    numbers = ended.discussion[ended.stage == Stage.CONCLUDED]
    vote = np.array([protocol == VOTE for protocol in discussions.protocols], dtype=np.bool_)
    several = numbers[(discussions.seats > 1)[numbers] & ~vote[discussions.protocol[numbers]]]
    spoke = set(list_distinct(discussions.condition[numbers[discussions.discussed[numbers]]]))
    meant = list_distinct(discussions.condition[several])
    return tuple(discussions.conditions[code] for code in meant if code not in spoke)
