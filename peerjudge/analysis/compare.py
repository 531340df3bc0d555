"""Conditions or reviewers compared on the same comparisons, with corrected p-values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from peerjudge.analysis.ballots import Floats, Numbers
from peerjudge.analysis.by_comparison import AccuracyByComparison, ComparisonKey
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
from peerjudge.data import Noun, replace
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
    names = [row.name for row in rows]
    if baseline and baseline not in names:
        msg = f"Unknown baseline {baseline!r}; choose one of {', '.join(map(repr, names))}."
        raise DataError(msg)
    pairs = [
        _last(one, other, baseline)
        for one, other in combinations(rows, 2)
        if not baseline or baseline in (one.name, other.name)
    ]
    return _compare(pairs, contrasts, sampler)


def list_nearest_votes(pairs: Iterable[Compared]) -> tuple[Compared, ...]:
    """Return of each discussion the pair with the vote of the same reviewers with the nearest turns.

    A discussion is not held against a vote at half its cost, and a vote of other reviewers tells how able
    these are and not what discussing adds.
    """
    nearest: dict[str, Compared] = {}
    for pair in pairs:
        if pair.vote and pair.same_reviewers:
            known = nearest.setdefault(pair.one, pair)
            nearest[pair.one] = min(known, pair, key=lambda one: abs(one.turns - one.other_turns))
    return tuple(nearest.values())


def _last(
    one: AccuracyByComparison, other: AccuracyByComparison, baseline: str
) -> tuple[AccuracyByComparison, AccuracyByComparison]:
    """Return the two with the baseline last, or else the vote."""
    swap = one.name == baseline if baseline else one.vote and not other.vote
    return (other, one) if swap else (one, other)


def _subtract(
    ours: Mapping[ComparisonKey, float], theirs: Mapping[ComparisonKey, float]
) -> tuple[Floats, Numbers]:
    """Return ours minus theirs on shared comparisons, and the codes of their questions."""
    shared = [key for key in ours if key in theirs]
    codes: dict[str, int] = {}
    questions = [codes.setdefault(question, len(codes)) for question, _ in shared]
    differences = [ours[key] - theirs[key] for key in shared]
    return np.array(differences, dtype=np.float64), np.array(questions, dtype=np.int32)


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
    differences, questions = _subtract(one.right, other.right)
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
