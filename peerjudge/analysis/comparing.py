"""Who judges better on the same questions, corrected for how many are compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from peerjudge.analysis.inference import (
    McNemar,
    PairedDifference,
    benjamini_hochberg,
    holm,
    mcnemar,
    paired_bootstrap,
)
from peerjudge.analysis.intervals import SHARE, bootstrap_mean
from peerjudge.analysis.judged import HUMAN, gold_scores
from peerjudge.data import Dataset, Measurement, Noun, replace
from peerjudge.errors import DataError
from peerjudge.ranking import score

__all__ = ["Compared", "Contender", "accuracy_of", "compare", "over_vote", "reviewers_of"]

Key: TypeAlias = tuple[str, str]
"""A question and one of its comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Whoever judges: a condition of a run, or a reviewer on record.

    `right` is by question and comparison the share of right verdicts among the readable (several of
    one comparison: both orders, repetitions). `vote` says that nobody heard anybody, `turns` what a
    verdict cost.
    """

    name: str
    reviewers: frozenset[str]
    vote: bool
    turns: float
    right: Mapping[Key, float]


class Compared(Noun, frozen=True, kw_only=True):
    """The accuracy of `one` minus that of `other` on the comparisons that both judged.

    Where one of the two is a vote it is `other`, so that the difference is what discussing added
    to voting; `same_reviewers` says whether the same reviewers took part and `turns`,
    `other_turns` (means per discussion) what either cost. `difference` is the mean over comparisons
    and its bounds resample questions; `test` is exact McNemar over questions (their mean accuracies,
    where there are several discussions of one). `holm` and `benjamini_hochberg` are its p-value
    adjusted for all pairs compared.
    """

    one: str
    other: str
    vote: bool
    same_reviewers: bool
    comparisons: int
    turns: float
    other_turns: float
    difference: PairedDifference
    test: McNemar
    holm: float
    benjamini_hochberg: float


def compare(
    contenders: Sequence[Contender], *, baseline: str = "", seed: int = 0, samples: int = 2000
) -> tuple[Compared, ...]:
    """Every two that judged the same comparisons with gold, in order of appearance.

    Args:
        contenders: under different names.
        baseline: compare all others with this one only, which leaves fewer tests to correct for.
        seed: of the resampling.
        samples: how many.

    Raises:
        DataError: nobody is called like the baseline.
    """
    names = [one.name for one in contenders]
    if baseline and baseline not in names:
        msg = f"nobody to compare with is called {baseline!r}; there are {', '.join(names)}"
        raise DataError(msg)
    pairs = [
        _last(one, other, baseline)
        for one, other in combinations(contenders, 2)
        if not baseline or baseline in (one.name, other.name)
    ]
    return _compared(pairs, seed=seed, samples=samples)


def over_vote(
    contenders: Sequence[Contender], *, seed: int = 0, samples: int = 2000
) -> tuple[Compared, ...]:
    """Every discussion with the vote of the same reviewers that cost most nearly as much."""
    votes = [one for one in contenders if one.vote]
    pairs: list[tuple[Contender, Contender]] = []
    for one in contenders:
        alike = [vote for vote in votes if vote.reviewers == one.reviewers]
        if alike and not one.vote:
            pairs.append((one, min(alike, key=lambda vote: abs(vote.turns - one.turns))))
    return _compared(pairs, seed=seed, samples=samples)


def accuracy_of(contender: Contender, *, seed: int = 0, samples: int = 2000) -> Measurement:
    """The mean over the comparisons it judged; bounds resample questions."""
    questions = [question for question, _ in contender.right]
    right = list(contender.right.values())
    return bootstrap_mean(right, questions, limits=SHARE, seed=seed, samples=samples)


def reviewers_of(
    dataset: Dataset, *, reviewers: Collection[str] | None = None
) -> tuple[Contender, ...]:
    """The reviewers of pairs on record, each on its own; `None` is everybody but the humans."""
    pairs = {one.id: one for one in dataset.comparisons if len(one.answers) == 2}
    golds = gold_scores(pairs, (), HUMAN)
    given: defaultdict[str, defaultdict[Key, list[float]]] = defaultdict(lambda: defaultdict(list))
    for review in dataset.reviews:
        named = review.reviewer not in dataset.humans if reviewers is None else None
        if review.comparison in golds and (named or review.reviewer in (reviewers or ())):
            one = pairs[review.comparison]
            said = score(review.verdict, (review.shown[0], review.shown[1]))
            if said is not None:
                want = golds[one.id] if review.shown == one.shown else -golds[one.id]
                given[review.reviewer][one.question.id, one.id].append(float(said == want))
    missing = sorted(set(reviewers or ()) - set(given))
    if missing or not given:
        msg = f"there are no reviews of pairs with gold by {', '.join(missing) or 'anybody'}"
        raise DataError(msg)
    return tuple(
        Contender(
            name=name,
            reviewers=frozenset({name}),
            vote=False,
            turns=1.0,
            right={key: sum(right) / len(right) for key, right in judged.items()},
        )
        for name, judged in sorted(given.items())
    )


def _last(one: Contender, other: Contender, baseline: str) -> tuple[Contender, Contender]:
    """The two with the baseline last, or else the vote."""
    swap = one.name == baseline if baseline else one.vote and not other.vote
    return (other, one) if swap else (one, other)


def _compared(
    pairs: Iterable[tuple[Contender, Contender]], *, seed: int, samples: int
) -> tuple[Compared, ...]:
    tried = [_pair(one, other, seed=seed, samples=samples) for one, other in pairs]
    found = [pair for pair in tried if pair is not None]
    p_values = [pair.test.p_value for pair in found]
    adjusted = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    return tuple(
        replace(pair, holm=strict, benjamini_hochberg=mild)
        for pair, (strict, mild) in zip(found, adjusted, strict=True)
    )


def _pair(one: Contender, other: Contender, *, seed: int, samples: int) -> Compared | None:
    shared = [key for key in one.right if key in other.right]
    if not shared:
        return None
    differences = [one.right[key] - other.right[key] for key in shared]
    questions = [question for question, _ in shared]
    by_question: defaultdict[str, float] = defaultdict(float)
    for question, difference in zip(questions, differences, strict=True):
        by_question[question] += difference
    # Sums of thirds and the like: what is no difference must not be one by rounding.
    totals = [round(total, 9) for total in by_question.values()]
    return Compared(
        one=one.name,
        other=other.name,
        vote=other.vote and not one.vote,
        same_reviewers=one.reviewers == other.reviewers,
        comparisons=len(shared),
        turns=one.turns,
        other_turns=other.turns,
        difference=paired_bootstrap(differences, questions, seed=seed, samples=samples),
        test=mcnemar(totals),
        holm=1.0,
        benjamini_hochberg=1.0,
    )
