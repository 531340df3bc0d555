"""Scores of judges against gold: accuracy by group, and a second reading of recorded replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.accuracy import (
    Accuracy,
    GroupMean,
    Parts,
    average_parts,
    find_parts,
    measure_groups,
)
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import OUTCOME_CODES, TIE, Ballots, Bools
from peerjudge.analysis.golds import align_comparisons, find_golds
from peerjudge.analysis.grouping import group_rows, list_distinct
from peerjudge.analysis.judges import Judge, group_judges, key_judgements
from peerjudge.analysis.rating_pairs import RatedAnswers, tabulate_ratings
from peerjudge.analysis.ratings import (
    Correlation,
    RatingKind,
    Ratings,
    correlate_ratings,
    sum_ratings,
)
from peerjudge.data import LEVEL, Conventions, Dataset, Measurement, Noun, RecordedReview, Verdict
from peerjudge.errors import DataError
from peerjudge.statistics.sampler import Sampler
from peerjudge.verdicts import Reading, read_verdict

Names: TypeAlias = npt.NDArray[np.str_]


class OwnReading(Noun, frozen=True, kw_only=True):
    """The scores of recorded replies read again, and how often that differs from the record.

    The four counts are over verdicts with a gold: `same` on record and read again, `different`
    choices, and verdicts that are readable in one of the two only.
    """

    total: Accuracy
    groups: Mapping[str, Accuracy]
    same: int
    different: int
    only_recorded: int
    only_own: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The scores of one judge: of all its verdicts, and of those in each group.

    `means` has, by group that consists of subsets (`""`: all), the mean of their accuracies, where
    published figures are such means.
    """

    judge: Judge
    total: Accuracy
    groups: Mapping[str, Accuracy]
    own_reading: OwnReading | None
    means: Mapping[str, GroupMean] = field(default_factory=dict[str, "GroupMean"])

    def accuracy_by(self, group: str, conventions: Conventions) -> Measurement | None:
        """Return the accuracy in a group (`""`: all) by these conventions; `None` without verdicts."""
        if conventions.mean_of_groups and group in self.means:
            return self.means[group].accuracy
        cell = self.groups.get(group) if group else self.total
        return None if cell is None else cell.counting(conventions.undecided)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A recorded reply of which a second reading differs from the record."""

    judge: Judge
    comparison: str
    shown: tuple[str, ...]
    recorded: Verdict
    own: Verdict
    rule: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """All scores of a source. `groups` are in the order of the source.

    `left_out` counts discussions that are not complete. `conventions` are those of published figures
    that were asked for, which then also chose the gold verdicts and groups. `rated` has the ratings of
    single answers by condition or reviewer.
    """

    source: str
    by: str
    groups: tuple[str, ...]
    simulated: bool
    seed: int
    level: float
    left_out: int
    scores: tuple[Score, ...]
    correlations: tuple[Correlation, ...]
    disagreements: tuple[Disagreement, ...]
    ratings: tuple[Ratings, ...]
    rated: tuple[RatedAnswers, ...]
    conventions: Conventions | None = None


def score_ballots(
    ballots: Ballots,
    *,
    by: str = "",
    reviewers: Sequence[str] | None = None,
    gold: Dataset | None = None,
    reviews: Sequence[RecordedReview] = (),
    ratings: Mapping[RatingKind, int] | None = None,
    conventions: Conventions | None = None,
    needs_gold: bool = True,
    seed: int = 0,
    samples: int = 2000,
    level: float = LEVEL,
) -> Scores:
    """Return the accuracy of every judge against gold, in total and by group.

    Ratings of lone answers are scored by correlation; they are described without a gold as well.

    Args:
        ballots: of a dataset or a run.
        by: `subset`, `category`, `labeler` or a key of the comparisons' `meta`; see `find_golds`.
        reviewers: names or patterns of those to score; `None` scores all but the humans.
        gold: a dataset whose gold, groups and votes replace those of the source.
        reviews: the reviews of the dataset, whose texts are then read again and scored; a tie is a
            verdict if gold or the record has ties. Ratings and texts of humans are not read.
        ratings: the number of ratings by kind, from `find_ratings`.
        conventions: of published figures to follow. They name the groups if `by` does not.
        needs_gold: raise an error where there is neither a gold nor a rating.
        seed: of the resampling of questions for the intervals.
        samples: number of resamples.
        level: of the intervals.

    Raises:
        DataError: a name matches no reviewer, there is neither a gold nor a rating where one is needed, or
            there are no such groups.
    """
    sampler = Sampler(seed=seed, samples=samples, level=level)
    recorded, judges, names = group_judges(ballots, reviewers)
    reread, rules = _read_again(ballots, recorded, reviews)
    source, used = find_source(ballots, gold)
    if gold is not None:
        recorded, reread = (align_comparisons(one, source) for one in (recorded, reread))
        ballots = align_comparisons(ballots, source)
    correlations = correlate_ratings(recorded, judges, used, sampler=sampler)
    rated = tabulate_ratings(ballots, reviewers=reviewers, level=level)
    if correlations and by:
        msg = f"ratings are scored by aspect, not by {by!r}; leave --by out"
        raise DataError(msg)
    counted = conventions or Conventions(source="")
    undecided = counted.undecided
    by = by or ("" if correlations else counted.by)
    golds = find_golds(source, by, used=used, votes=counted.votes)
    averaged = by == "subset" and counted.mean_of_groups
    asked = source.question_of[golds.comparison]
    parts = find_parts(golds.groups, asked) if averaged else Parts()
    recorded, reread = (one.where(one.answers > 1) for one in (recorded, reread))
    cells = measure_groups(
        recorded, key_judgements(recorded), golds, sampler=sampler, undecided=undecided
    )
    if needs_gold and not (cells or rated):
        msg = f"no judgement in {ballots.name} has a gold to be scored against, or is a rating"
        raise DataError(msg)
    own_cells = measure_groups(reread, key_judgements(reread), golds, sampler=sampler)
    reread = reread.where(np.isin(reread.comparison, golds.comparison))
    replaced = recorded.where(np.isin(recorded.number, reread.number))
    kinds = _compare_readings(replaced, reread)
    return Scores(
        source=ballots.name,
        by=by,
        groups=tuple(filter(None, golds.groups)),
        simulated=ballots.simulated,
        seed=seed,
        level=level,
        left_out=int((~ballots.discussions.complete).sum()),
        scores=tuple(
            Score(
                judge=judges[code],
                total=cells[code][""],
                groups=_drop_total(cells[code]),
                own_reading=_build_reading(own_cells.get(code), kinds[reread.reviewer == code]),
                means=average_parts(cells[code], parts, undecided),
            )
            for code in list_distinct(recorded.reviewer)
            if code in cells
        ),
        correlations=correlations,
        disagreements=tuple(_list_disagreements(replaced, reread, kinds, judges, rules, reviews)),
        ratings=sum_ratings(ratings or {}, names),
        rated=rated,
        conventions=conventions,
    )


def require_conventions(declared: Conventions | None, *, name: str) -> Conventions:
    """Return the conventions that the dataset of this name declares; raise `DataError` if none."""
    if declared is not None:
        return declared
    msg = (
        f"{name} declares no published conventions; leave --as-published out, or name the dataset of "
        "published figures with --gold NAME:PATH"
    )
    raise DataError(msg)


def find_source(ballots: Ballots, gold: Dataset | None) -> tuple[Ballots, Bools]:
    """Return the ballots whose comparisons and votes are gold, and by comparison if it is used."""
    facts = ballots.discussions
    size = len(ballots.comparisons)
    used = np.ones(size, dtype=np.bool_)
    if len(facts):
        used = np.isin(np.arange(size), facts.comparison[facts.complete])
    if gold is None:
        return ballots, used
    known = {one.id for one, use in zip(ballots.comparisons, used, strict=True) if use}
    source = collect_reviews(gold)
    used = np.array([comparison.id in known for comparison in source.comparisons], dtype=np.bool_)
    if not used.any():
        msg = f"{gold.name} has none of the comparisons of {ballots.name}; use the data of the run"
        raise DataError(msg)
    return source, used


def _read_again(
    ballots: Ballots, judged: Ballots, reviews: Sequence[RecordedReview]
) -> tuple[Ballots, dict[int, str]]:
    """Return the judged ballots that have a reply, with the verdicts read, and the rules by number.

    Replies are on several answers, without ratings, of reviewers with texts that are no humans.
    """
    ties = bool((ballots.gold_of == TIE).any() or (ballots.verdict == TIE).any())
    numbers: list[int] = judged.number.tolist() if reviews else []
    wordy = {reviews[number].reviewer for number in numbers if reviews[number].text}
    wordy -= set(ballots.humans)
    known: dict[tuple[str, int], Reading] = {}
    rows: list[int] = []
    codes: list[int] = []
    rules: dict[int, str] = {}
    for row, number in enumerate(numbers):
        review = reviews[number]
        if review.reviewer not in wordy or review.scores or len(review.shown) == 1:
            continue
        # One-line replies repeat thousands of times.
        key = (review.text, len(review.shown))
        if key not in known:
            known[key] = read_verdict(review.text, answers=len(review.shown), ties=ties)
        read = known[key]
        shown = judged.orders[int(judged.order[row])]
        rows.append(row)
        codes.append(OUTCOME_CODES[read.outcome] if read.position is None else shown[read.position])
        rules[number] = read.rule
    reread = judged.where(np.array(rows, dtype=np.intp))
    return replace(reread, verdict=np.array(codes, dtype=np.int8)), rules


def _compare_readings(recorded: Ballots, own: Ballots) -> Names:
    """Return how the verdicts compare; two that are both not readable are the same."""
    ours, theirs = own.readable, recorded.readable
    same = (own.verdict == recorded.verdict) | ~(ours | theirs)
    return np.select(
        [same, ours & theirs, theirs], ["same", "different", "only_recorded"], "only_own"
    )


def _list_disagreements(
    recorded: Ballots,
    own: Ballots,
    kinds: Names,
    judges: Sequence[Judge],
    rules: Mapping[int, str],
    reviews: Sequence[RecordedReview],
) -> Iterator[Disagreement]:
    """Yield the rows whose readings differ, by judge in the order of appearance."""
    differing = np.flatnonzero(kinds != "same")
    rows = differing[np.argsort(group_rows(own.reviewer)[0][differing], kind="stable")]
    for row in rows.tolist():
        comparison = own.comparisons[int(own.comparison[row])]
        order, number = own.orders[int(own.order[row])], int(own.number[row])
        yield Disagreement(
            judge=judges[int(own.reviewer[row])],
            comparison=comparison.id,
            shown=tuple(comparison.shown[place] for place in order),
            recorded=_name_verdict(recorded, row),
            own=_name_verdict(own, row),
            rule=rules[number],
            text=reviews[number].text,
        )


def _build_reading(cells: Mapping[str, Accuracy] | None, kinds: Names) -> OwnReading | None:
    if cells is None:
        return None
    counts = Counter[str](kinds.tolist())
    return OwnReading(
        total=cells[""],
        groups=_drop_total(cells),
        same=counts["same"],
        different=counts["different"],
        only_recorded=counts["only_recorded"],
        only_own=counts["only_own"],
    )


def _drop_total(cells: Mapping[str, Accuracy]) -> dict[str, Accuracy]:
    return {group: cell for group, cell in cells.items() if group}


def _name_verdict(ballots: Ballots, row: int) -> Verdict:
    code = int(ballots.verdict[row])
    if code >= 0:
        return Verdict.of(ballots.comparisons[int(ballots.comparison[row])].shown[code])
    return next(Verdict(outcome) for outcome, known in OUTCOME_CODES.items() if known == code)
