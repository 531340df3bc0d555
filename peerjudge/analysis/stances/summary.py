"""All that can be said of the stances of a run, in one pass over its discussions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from peerjudge.analysis.comparing import Compared, compare, over_vote
from peerjudge.analysis.stances.conditions import VOTE, conditions_of
from peerjudge.analysis.stances.controls import Controlled, compare_controls
from peerjudge.analysis.stances.counts import Persuasion, StanceCounts, persuasion, stance_counts
from peerjudge.analysis.stances.outcomes import (
    Change,
    Ordering,
    Settling,
    changes,
    ordering,
    settling,
)
from peerjudge.analysis.stances.records import Discussion, discussion_of
from peerjudge.data import Noun, Transcript

__all__ = ["Stances", "stances", "stances_of"]


class Stances(Noun, frozen=True, kw_only=True):
    """What became of the stances in the discussions that came to their end.

    `counts`, `persuasion` and `ordering` are over all conditions but the controls, which nobody is to
    mistake for discussions: `controls` has them beside these. `over_vote` has every discussion with
    the vote of the same reviewers that cost most nearly as much, `conditions` every two conditions.
    `silent` names those of several seats, no votes, in which nobody ever spoke to anybody.
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
    controls: tuple[Controlled, ...] = ()
    silent: tuple[str, ...] = ()


def stances(transcripts: Iterable[Transcript], *, seed: int = 0, samples: int = 2000) -> Stances:
    """Altering and holding, persuasion, ordering, agreement, gains, and conditions compared.

    Reads the transcripts once and keeps no texts; unfinished and failed discussions are passed over.
    Every interval and test resamples questions.

    Args:
        transcripts: ended or not; their texts are not looked at.
        seed: of the resampling.
        samples: how many.
    """
    simulated = False
    ended: list[Discussion] = []
    for transcript in transcripts:
        found = discussion_of(transcript)
        if found is not None:
            ended.append(found)
            simulated = simulated or transcript.simulated
    return stances_of(ended, simulated=simulated, seed=seed, samples=samples)


def stances_of(
    ended: Sequence[Discussion], *, simulated: bool, seed: int = 0, samples: int = 2000
) -> Stances:
    """As `stances`, from records that were taken of the discussions as they went by."""
    heard = [one for one in ended if one.control == "none"]
    known = conditions_of(ended)
    return Stances(
        discussions=len(ended),
        simulated=simulated,
        counts=stance_counts(heard, seed=seed, samples=samples),
        persuasion=persuasion(heard, seed=seed, samples=samples),
        ordering=ordering(heard, seed=seed, samples=samples),
        settling=settling(ended, seed=seed, samples=samples),
        changes=changes(ended, seed=seed, samples=samples),
        over_vote=over_vote(known, seed=seed, samples=samples),
        conditions=compare(known, seed=seed, samples=samples),
        controls=compare_controls(ended, seed=seed, samples=samples),
        silent=_silent(ended),
    )


def _silent(ended: Sequence[Discussion]) -> tuple[str, ...]:
    meant = dict.fromkeys(
        one.condition for one in ended if len(one.seats) > 1 and one.protocol != VOTE
    )
    spoke = {one.condition for one in ended if one.discussed}
    return tuple(name for name in meant if name not in spoke)
