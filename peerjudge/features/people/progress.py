"""Progress of a study by person, their attention checks, and people against models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import median

from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import TIE as TIE_CODE, Ballots
from peerjudge.analysis.pairs import PanelPair, count_pairs, measure_pairs, rate_items
from peerjudge.analysis.selecting import find_pairs, ignore_orders, number_judges
from peerjudge.data import TIE, Dataset, Measurement, Noun, RecordedReview, Verdict, replace
from peerjudge.features.people.nouns import CheckKind, Study, StudyAnswer
from peerjudge.statistics.interval import measure_mean

_NONE, _TIED = "none", "tie"


class CheckCount(Noun, frozen=True, kw_only=True):
    """Checks of one kind: how many a person has passed of those answered."""

    passed: int = 0
    answered: int = 0


class PersonProgress(Noun, frozen=True, kw_only=True):
    """What one person of a study has done.

    Attributes:
        answered: Number of judgements.
        left: Number of comparisons that the person can still judge.
        ties: Judgements that are a tie.
        refused: Judgements "cannot judge".
        first_shown: Share of choices of the answer that was shown first.
        changed: Judgements that were changed after they were saved.
        checks: Counts by kind of check.
        passed: Share of checks passed, with Wilson's interval; `None` without a check.
        active: Active time of all answers, checks included. [s]
        median: Median active time of a judgement. [s]
        last: When the last answer was saved, in UTC; empty before the first.
    """

    answered: int
    left: int
    ties: int
    refused: int
    first_shown: Measurement
    changed: int
    checks: Mapping[CheckKind, CheckCount]
    passed: Measurement | None
    active: float
    median: float | None
    last: str


class StudyProgress(Noun, frozen=True, kw_only=True):
    """Progress of a study: comparisons, judgements, people, and the checks that they failed.

    `complete` comparisons have all their judgements, of which `wanted` are declared in all and `answered`
    given. `failed` are the answers that fail a check, newest versions only.
    """

    comparisons: int
    complete: int
    wanted: int
    answered: int
    people: Mapping[str, PersonProgress]
    failed: tuple[StudyAnswer, ...]


def measure_progress(
    study: Study,
    items: Sequence[str],
    left: Mapping[str, int],
    answers: Sequence[StudyAnswer],
) -> StudyProgress:
    """Return the progress of a study.

    Args:
        study: Its declaration.
        items: The ids of its comparisons.
        left: Number of comparisons that each person can still judge.
        answers: All answers.
    """
    newest = [answer for answer in answers if not answer.superseded]
    done = Counter(one.item for one in newest if one.check is None)
    return StudyProgress(
        comparisons=len(items),
        complete=sum(done[item] >= study.judgments for item in items),
        wanted=len(items) * study.judgments,
        answered=sum(done.values()),
        people={
            name: _measure_person(
                [one for one in answers if one.annotator == name], left=left[name]
            )
            for name in study.annotators
        },
        failed=tuple(one for one in newest if one.passed is False),
    )


def list_attentive(progress: StudyProgress, most_failed: float) -> list[str]:
    """Return the people who failed at most this share of their checks, those without a check included."""
    return [
        name
        for name, one in progress.people.items()
        if one.passed is None or 1.0 - one.passed.value <= most_failed + 1e-12
    ]


def keep_votes(votes: Dataset, people: Collection[str]) -> Dataset:
    """Return the votes of these people only; gold stays as it is."""
    kept = tuple(review for review in votes.reviews if review.reviewer in people)
    return replace(
        votes, reviews=kept, humans=tuple(human for human in votes.humans if human in people)
    )


def measure_against_models(
    votes: Dataset, models: Ballots, *, seed: int = 0, samples: int = 2000
) -> tuple[PanelPair, ...]:
    """Return the agreement of each person with each reviewer of a run, on the comparisons of both.

    Comparisons count in any order; a reviewer that judged both orders of a pair counts with the sign of its
    mean score.

    Args:
        votes: The judgements of people.
        models: The ballots of the run.
        seed: Seed of the resampling of questions.
        samples: Number of resamples.
    """
    people = set(votes.humans)
    known = {comparison.id: set(comparison.shown) for comparison in votes.comparisons}
    added = [
        review
        for review in _list_reviews(models)
        if known.get(review.comparison) == set(review.shown) and review.reviewer not in people
    ]
    both = collect_reviews(replace(votes, reviews=(*votes.reviews, *added)))
    paired = both.where(find_pairs(both)[both.comparison] & (both.reviewer >= 0))
    if not added or not len(paired):
        return ()
    ballots = ignore_orders(paired)
    names = [name for name, _ in number_judges(ballots)]
    rated = rate_items(ballots)
    rows: list[PanelPair] = []
    for numbers, by_question, drawn in count_pairs(rated, seed=seed, samples=samples):
        mixed = [
            place
            for place, (one, other) in enumerate(numbers)
            if (names[one] in people) != (names[other] in people)
        ]
        chosen = [numbers[place] for place in mixed]
        rows += measure_pairs(
            rated, names, chosen, by_question[:, mixed], drawn[:, mixed], tested=False
        )

    def name_person_first(pair: PanelPair) -> PanelPair:
        """Return the pair without tests of which of the two is better."""
        one, other = (pair.one, pair.other) if pair.one in people else (pair.other, pair.one)
        return replace(pair, one=one, other=other, correlation=None)

    return tuple(sorted(map(name_person_first, rows), key=lambda pair: (pair.other, pair.one)))


def _list_reviews(ballots: Ballots) -> list[RecordedReview]:
    """Return the readable stances on pairs as reviews in the comparison's own order."""
    judged = ballots.where(ballots.readable & (ballots.reviewer >= 0))
    judged = judged.where(find_pairs(judged)[judged.comparison])
    numbers: list[int] = judged.comparison.tolist()
    reviewers: list[int] = judged.reviewer.tolist()
    codes: list[int] = judged.verdict.tolist()
    reviews: list[RecordedReview] = []
    for number, reviewer, code in zip(numbers, reviewers, codes, strict=True):
        shown = judged.comparisons[number].shown
        verdict = TIE if code == TIE_CODE else Verdict.of(shown[code])
        reviews.append(
            RecordedReview(
                comparison=judged.comparisons[number].id,
                shown=shown,
                reviewer=judged.reviewers[reviewer],
                verdict=verdict,
            )
        )
    return reviews


def _measure_person(answers: Sequence[StudyAnswer], *, left: int) -> PersonProgress:
    newest = [answer for answer in answers if not answer.superseded]
    judged = [one for one in newest if one.check is None]
    checked = [one.passed is True for one in newest if one.check is not None]
    choices = Counter(one.choice for one in judged)
    first = [one.choice == "1" for one in judged if one.chosen]
    return PersonProgress(
        answered=len(judged),
        left=left,
        ties=choices[_TIED],
        refused=choices[_NONE],
        first_shown=measure_mean(first, range(len(first))),
        changed=len({one.task for one in answers if one.superseded and one.check is None}),
        checks=_count_checks(newest),
        passed=measure_mean(checked, range(len(checked))) if checked else None,
        active=sum(one.seconds for one in newest),
        median=median(one.seconds for one in judged) if judged else None,
        last=max((one.saved for one in newest), default=""),
    )


def _count_checks(answers: Sequence[StudyAnswer]) -> dict[CheckKind, CheckCount]:
    answered = Counter(one.check for one in answers)
    passed = Counter(one.check for one in answers if one.passed)
    return {kind: CheckCount(passed=passed[kind], answered=answered[kind]) for kind in CheckKind}
