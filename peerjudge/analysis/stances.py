"""All measures of opinion change in a run."""

from __future__ import annotations

import numpy as np

from peerjudge.analysis.ballots import Ballots, Stage
from peerjudge.analysis.by_comparison import tabulate_by_condition
from peerjudge.analysis.compare import Compared, compare_all, list_nearest_votes
from peerjudge.analysis.contrasts import VOTE, ConditionContrasts, build_contrasts
from peerjudge.analysis.controls import Controlled, compare_controls
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.inference import Sampler
from peerjudge.analysis.influence import Persuasion, StanceCounts, count_moves, count_persuasion
from peerjudge.analysis.outcomes import (
    Change,
    Holding,
    Ordering,
    Settling,
    count_holdings,
    measure_changes,
    measure_ordering,
    measure_settling,
)
from peerjudge.data import Noun, Primary


class Stances(Noun, frozen=True, kw_only=True):
    """Everything that became of the stances in complete discussions.

    `counts`, `persuasion`, `ordering` and `holdings` are over all conditions but the controls, which are
    not to be mistaken for discussions: `controls` has them beside these. `over_vote` has every discussion
    with the vote of the same reviewers that cost most nearly as much, `contrasts` with each cheaper
    alternative, `conditions` every two conditions. `silent` names the conditions of several seats, no
    votes, in which no seat ever spoke to another.
    """

    discussions: int
    simulated: bool
    counts: tuple[StanceCounts, ...]
    persuasion: tuple[Persuasion, ...]
    ordering: tuple[Ordering, ...]
    settling: tuple[Settling, ...]
    changes: tuple[Change, ...]
    over_vote: tuple[Compared, ...]
    conditions: tuple[Compared, ...]
    contrasts: tuple[ConditionContrasts, ...] = ()
    controls: tuple[Controlled, ...] = ()
    silent: tuple[str, ...] = ()
    holdings: tuple[Holding, ...] = ()


def build_stances(
    ballots: Ballots, *, sampler: Sampler | None = None, primary: Primary | None = None
) -> Stances:
    """Return altering and holding, persuasion, ordering, agreement, gains, and conditions compared.

    Unfinished and failed discussions are left out. Every interval and test resamples questions.

    Args:
        ballots: of the discussions of a run.
        sampler: settings of the resampling.
        primary: the contrast that the experiment declared.
    """
    sampler = sampler or Sampler()
    discussions = ballots.discussions
    ended = ballots.of_discussions(discussions.complete)
    controlled = np.array([control != "none" for control in discussions.controls], dtype=np.bool_)
    heard = ended.of_discussions(~controlled[discussions.control])
    accuracies = [row for row in tabulate_by_condition(ended) if row.right]
    contrasts = build_contrasts(ballots, sampler=sampler, primary=primary)
    pairs = compare_all(accuracies, contrasts=contrasts, sampler=sampler)
    return Stances(
        discussions=int(discussions.complete.sum()),
        simulated=bool((discussions.simulated & discussions.complete).any()),
        counts=count_moves(heard, sampler=sampler),
        persuasion=count_persuasion(heard, sampler=sampler),
        ordering=measure_ordering(heard, sampler=sampler),
        settling=measure_settling(ended, sampler=sampler),
        changes=measure_changes(ended, sampler=sampler),
        over_vote=list_nearest_votes(pairs),
        conditions=pairs,
        contrasts=contrasts,
        controls=compare_controls(ended, sampler=sampler),
        silent=_silent(ended),
        holdings=count_holdings(heard, sampler=sampler),
    )


def _silent(ended: Ballots) -> tuple[str, ...]:
    discussions = ended.discussions
    numbers = ended.discussion[ended.stage == Stage.CONCLUDED]
    vote = np.array([protocol == VOTE for protocol in discussions.protocols], dtype=np.bool_)
    several = numbers[(discussions.seats > 1)[numbers] & ~vote[discussions.protocol[numbers]]]
    spoke = set(list_distinct(discussions.condition[numbers[discussions.discussed[numbers]]]))
    meant = list_distinct(discussions.condition[several])
    return tuple(discussions.conditions[code] for code in meant if code not in spoke)
