"""Conditions or reviewers compared on the same comparisons, with corrected p-values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from peerjudge.analysis.accuracy import AccuracyByComparison, ComparisonKey
from peerjudge.analysis.ballots import Floats, Numbers
from peerjudge.analysis.contrasts import ConditionContrasts, list_p_values
from peerjudge.analysis.grouping import group_rows
from peerjudge.analysis.inference import (
    McNemar,
    Sampler,
    adjust_benjamini_hochberg,
    adjust_holm,
    run_mcnemar,
)
from peerjudge.analysis.signflips import PairedDifference
from peerjudge.data import Measurement, Noun, replace
from peerjudge.errors import DataError


class Compared(Noun, frozen=True, kw_only=True):
    """The accuracy of `one` minus that of `other` on the comparisons that both judged.

    Where one of the two is a vote it is `other`, so that the difference is what discussing added
    to voting; `same_reviewers` is true where both had the same reviewers, and `turns` and
    `other_turns` are the mean turns per discussion. `difference` is the mean over comparisons, with
    the sign-flip test of questions; `mcnemar` is exact McNemar over questions (their mean accuracies,
    where there are several discussions of one), which ignores how large differences are. `holm` and
    `benjamini_hochberg` are the p-value of `difference` adjusted within its `family`: the contrasts of
    discussions with the best seat, self-consistency and the vote are `declared`, all other pairs
    `exploratory`. `margin` is the difference of the mean margins on the comparisons where
    both have one, `None` without any; on `margin_one_order` of these, one of the two made a judgement
    in one shown order only.
    """

    one: str
    other: str
    vote: bool
    same_reviewers: bool
    comparisons: int
    turns: float
    other_turns: float
    difference: PairedDifference
    mcnemar: McNemar
    family: Literal["declared", "exploratory"]
    holm: float
    benjamini_hochberg: float
    margin: PairedDifference | None = None
    margin_one_order: int = 0


class AgainstVote(Noun, frozen=True, kw_only=True):
    """A condition against the vote on the comparisons that both judged.

    `difference` is the mean over comparisons of its accuracy minus the vote's. An even panel that
    splits votes a tie, which gold seldom is, so `ties_as_half` counts a tie as half right where gold
    is a choice. `same_reviewers` is true where both had the same reviewers. Turns are means per
    discussion.
    """

    condition: str
    vote: str
    same_reviewers: bool
    comparisons: int
    difference: Measurement | None
    ties_as_half: Measurement | None
    turns: float
    vote_turns: float


def compare_all(
    rows: Sequence[AccuracyByComparison],
    *,
    baseline: str = "",
    contrasts: Sequence[ConditionContrasts] = (),
    sampler: Sampler,
) -> tuple[Compared, ...]:
    """Compare every two rows that judged the same comparisons with gold, in order of appearance.

    Args:
        rows: conditions or reviewers under different names.
        baseline: compare all others with this one only, which leaves fewer tests to correct for.
        contrasts: of the same conditions; a pair that is one of them has its adjusted p-value.
        sampler: settings of the resampling.

    Raises:
        DataError: no row has the name of the baseline.
    """
    names = [one.name for one in rows]
    if baseline and baseline not in names:
        msg = f"Unknown baseline {baseline!r}; choose one of {', '.join(map(repr, names))}."
        raise DataError(msg)
    pairs = [
        _last(one, other, baseline)
        for one, other in combinations(rows, 2)
        if not baseline or baseline in (one.name, other.name)
    ]
    return _compare(pairs, contrasts, sampler)


def compare_with_votes(
    rows: Sequence[AccuracyByComparison],
    *,
    contrasts: Sequence[ConditionContrasts] = (),
    sampler: Sampler,
) -> tuple[Compared, ...]:
    """Test every condition against the vote of the same reviewers with nearly as many turns.

    Only votes of the same reviewers enter the tests: against other reviewers a difference tells how
    able these are and not what discussing adds.
    """
    pairs = [(one, vote) for one, vote in pair_with_votes(rows) if vote.reviewers == one.reviewers]
    return _compare(pairs, contrasts, sampler)


def measure_against_votes(
    rows: Sequence[AccuracyByComparison], *, sampler: Sampler
) -> tuple[AgainstVote, ...]:
    """Return every condition against its vote; those with a vote of other reviewers are marked."""
    return tuple(
        AgainstVote(
            condition=one.name,
            vote=vote.name,
            same_reviewers=one.reviewers == vote.reviewers,
            comparisons=sum(key in vote.right for key in one.right),
            difference=_mean_difference(one, vote, sampler, halves=False),
            ties_as_half=_mean_difference(one, vote, sampler, halves=True),
            turns=one.turns,
            vote_turns=vote.turns,
        )
        for one, vote in pair_with_votes(rows)
    )


def pair_with_votes(
    rows: Sequence[AccuracyByComparison],
) -> list[tuple[AccuracyByComparison, AccuracyByComparison]]:
    """Pair every condition that is no vote with the vote it is held against.

    A vote of the same reviewers comes first, and of several the one whose number of turns is
    nearest, so that a discussion is not held against a vote at half its cost. Where the same
    reviewers never voted, the nearest vote of others is taken: such a pair says which of two ways
    to spend the calls is better, and is no evidence on discussing, so readers must be told and no
    test includes it (see `compare_with_votes`).
    """
    votes = [one for one in rows if one.vote]
    pairs: list[tuple[AccuracyByComparison, AccuracyByComparison]] = []
    for one in rows:
        if one.vote or not votes:
            continue
        same = [vote for vote in votes if vote.reviewers == one.reviewers]
        pairs.append((one, _nearest(one, same or votes)))
    return pairs


def _nearest(
    one: AccuracyByComparison, votes: Sequence[AccuracyByComparison]
) -> AccuracyByComparison:
    return min(votes, key=lambda vote: abs(vote.turns - one.turns))


def _last(
    one: AccuracyByComparison, other: AccuracyByComparison, baseline: str
) -> tuple[AccuracyByComparison, AccuracyByComparison]:
    """Return the two with the baseline last, or else the vote."""
    swap = one.name == baseline if baseline else one.vote and not other.vote
    return (other, one) if swap else (one, other)


def _differences(
    one: AccuracyByComparison, other: AccuracyByComparison, *, halves: bool = False
) -> tuple[Floats, Numbers]:
    """Return the differences on shared comparisons, and the codes of their questions."""
    if halves:
        return _subtract(one.ties_as_half, other.ties_as_half)
    return _subtract(one.right, other.right)


def _subtract(
    ours: Mapping[ComparisonKey, float], theirs: Mapping[ComparisonKey, float]
) -> tuple[Floats, Numbers]:
    """Return ours minus theirs on shared comparisons, and the codes of their questions."""
    shared = [key for key in ours if key in theirs]
    codes: dict[str, int] = {}
    questions = [codes.setdefault(question, len(codes)) for question, _ in shared]
    differences = [ours[key] - theirs[key] for key in shared]
    return np.array(differences, dtype=np.float64), np.array(questions, dtype=np.int32)


def _mean_difference(
    one: AccuracyByComparison, vote: AccuracyByComparison, sampler: Sampler, *, halves: bool
) -> Measurement | None:
    differences, questions = _differences(one, vote, halves=halves)
    found = sampler.difference(differences, questions).difference
    return found if found.n else None


def _compare(
    pairs: Iterable[tuple[AccuracyByComparison, AccuracyByComparison]],
    contrasts: Sequence[ConditionContrasts],
    sampler: Sampler,
) -> tuple[Compared, ...]:
    tried = [_pair(one, other, sampler) for one, other in pairs]
    found = [pair for pair in tried if pair is not None]
    matched = {
        (row.condition, *one.against): (row.condition, one)
        for row in contrasts
        for one in (row.over_self_consistency, row.over_vote)
        if len(one.against) == 1
    }
    p_values = list_p_values(contrasts)
    mild_declared = dict(
        zip(p_values, adjust_benjamini_hochberg([*p_values.values()]), strict=True)
    )
    free = [pair for pair in found if (pair.one, pair.other) not in matched]
    own = [pair.difference.p_value for pair in free]
    adjusted = iter(zip(adjust_holm(own), adjust_benjamini_hochberg(own), strict=True))
    rows: list[Compared] = []
    for pair in found:
        condition, contrast = matched.get((pair.one, pair.other), ("", None))
        if contrast is None or contrast.difference is None:
            strict, mild = next(adjusted)
            rows.append(replace(pair, holm=strict, benjamini_hochberg=mild))
            continue
        known = mild_declared.get((condition, contrast.alternative), contrast.p_holm)
        rows.append(
            replace(
                pair,
                difference=contrast.difference,
                family="declared",
                holm=contrast.p_holm,
                benjamini_hochberg=known,
            )
        )
    return tuple(rows)


def _pair(
    one: AccuracyByComparison, other: AccuracyByComparison, sampler: Sampler
) -> Compared | None:
    differences, questions = _differences(one, other)
    if not len(differences):
        return None
    both = one.margin.keys() & other.margin.keys()
    # Sums of thirds and the like are rounded: equal means must not differ in the last digit.
    totals: list[float] = np.bincount(group_rows(questions)[0], differences).round(9).tolist()
    return Compared(
        one=one.name,
        other=other.name,
        vote=other.vote and not one.vote,
        same_reviewers=one.reviewers == other.reviewers,
        comparisons=len(differences),
        turns=one.turns,
        other_turns=other.turns,
        difference=sampler.difference(differences, questions),
        mcnemar=run_mcnemar(totals),
        family="exploratory",
        holm=1.0,
        benjamini_hochberg=1.0,
        margin=sampler.difference(*_subtract(one.margin, other.margin)) if both else None,
        margin_one_order=len((one.one_order | other.one_order) & both),
    )
