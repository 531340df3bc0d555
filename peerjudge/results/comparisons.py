"""Comparisons: accuracy of conditions, runs or reviewers on the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from peerjudge.analysis import (
    AccuracyByComparison,
    Compared,
    ConditionContrasts,
    build_contrasts,
    compare_all,
    measure_mean_accuracy,
    measure_mean_margin,
    tabulate_by_condition,
    tabulate_by_reviewer,
)
from peerjudge.analysis.rating_pairs import (
    RatedAnswers,
    RatingPair,
    compare_ratings,
    tabulate_ratings,
)
from peerjudge.analysis.ratings import RatingLevel
from peerjudge.analysis.score_document import build_contrasts_document
from peerjudge.analysis.stopping import Decision
from peerjudge.data import LEVEL, Measurement, replace as changed, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import DataError
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import interval_note, preface
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.accuracy import LEFT_OUT, build_pairs_table, draw_accuracies
from peerjudge.results.base import Document, DrawnResult, Shown, list_names
from peerjudge.results.checking import Check, Condition, Row, check_rows, parse_condition
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.contrasts import draw_contrasts, note_decision
from peerjudge.results.plain import make_plain
from peerjudge.results.ratings import build_level_tables, build_rating_tables, draw_ratings
from peerjudge.runs import hide_password
from peerjudge.runs.reading import Source, Stored, locate_source, read_material
from peerjudge.statistics.interval import PairedDifference
from peerjudge.statistics.sampler import Sampler

_FEW = 2
"""Most conditions or reviewers of which every two are compared unasked."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CompareResult(DrawnResult):
    """Accuracy and margin of each condition or reviewer, and the differences of pairs.

    `margin` has those with log-probabilities. `contrasts` compare discussions with cheaper ways to
    judge. `rated` are the ratings of single answers, `ratings` compare them. `decisions` are the last
    looks of runs with a stopping rule.
    """

    frame: ClassVar[str] = "compare"
    compared: tuple[AccuracyByComparison, ...]
    accuracy: Mapping[str, Measurement]
    margin: Mapping[str, Measurement]
    contrasts: tuple[ConditionContrasts, ...]
    pairs: tuple[Compared, ...]
    rated: tuple[RatingLevel, ...]
    ratings: tuple[RatingPair, ...]
    simulated: bool
    to: str = ""
    decisions: tuple[Decision, ...] = ()

    def document(self) -> Document:
        """Return the document of `peerjudge compare --json`."""
        return make_plain(
            {
                "accuracy": to_plain(self.accuracy),
                "margin": to_plain(self.margin),
                "contrasts": build_contrasts_document(self.contrasts),
                "pairs": to_plain(self.pairs),
                "rated": to_plain(self.rated),
                "ratings": to_plain(self.ratings),
                "simulated": self.simulated,
                "to": self.to or None,
                **({"decisions": to_plain(self.decisions)} if self.decisions else {}),
            }
        )

    def parts(self) -> Shown:
        """Return the tables of accuracies, contrasts and pairs."""
        questions = {question for one in self.compared for question, _ in one.right}
        asked = max([len(questions), *(pair.questions for pair in self.ratings)])
        return [
            *preface(simulated=self.simulated, questions=asked),
            self._accuracy_table(),
            *(
                note
                for decision in self.decisions
                for note in note_decision(decision, isolate=False)
            ),
            build_pairs_table(
                "On the same comparisons, difference in accuracy in points", self.pairs
            ),
            *build_level_tables(self.rated, simulated=self.simulated),
            *build_rating_tables(self.ratings),
            *self._describe_choice(),
            "",
            interval_note(LEVEL, asked),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each contrast of a discussion, then one for each pair."""
        for row in self.contrasts:
            for one in row.all:
                tested = one.difference
                yield {
                    "one": row.condition,
                    "other": one.alternative,
                    "measure": "accuracy",
                    **list_cells(tested and tested.difference),
                    "p": tested and tested.p_value,
                    "p_holm": one.p_holm,
                    "reason": one.reason or None,
                }
        for pair in self.pairs:
            yield {
                "one": pair.one,
                "other": pair.other,
                "measure": "accuracy",
                **list_cells(pair.difference.difference),
                "p": pair.difference.p_value,
                "p_holm": pair.holm,
            }
        for rated in self.ratings:
            yield {
                "one": rated.one,
                "other": rated.other,
                "measure": f"rating {rated.aspect}".rstrip(),
                **list_cells(rated.shift.difference),
                "p": rated.shift.p_value,
                "p_holm": rated.shift_holm,
            }

    def check(self, *conditions: str | Condition) -> tuple[Check, ...]:
        """Hold conditions such as `gain<0` against the numbers, as `--fail-if` does.

        Each condition is tested for every condition, reviewer or pair that has the measure; `Check.passed`
        is false where it holds and where the number is missing.

        Raises:
            DataError: A condition cannot be read, or names what these sources do not have.

        Example:
            >>> all(one.passed for one in pj.compare("study").check("accuracy.high<0.5"))
            True
        """
        parsed = [
            parse_condition(condition) if isinstance(condition, str) else condition
            for condition in conditions
        ]
        return check_rows(tuple(self._list_checked()), parsed)

    def _list_checked(self) -> Iterator[Row]:
        for measure, found in (("accuracy", self.accuracy), ("margin", self.margin)):
            for name, measured in found.items():
                yield Row(measure=measure, name=name, numbers=_list_numbers(measured))
        for row in self.contrasts:
            for measure, one in {"gain": row.over_better_seat, **row.by_name}.items():
                numbers = _list_tested(one.difference, one.p_holm)
                yield Row(measure=measure, name=row.condition, numbers=numbers, reason=one.reason)
        for pair in self.pairs:
            numbers = _list_tested(pair.difference, pair.holm)
            yield Row(measure="difference", name=f"{pair.one} over {pair.other}", numbers=numbers)

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The accuracies, discussions over their better seat, and the distribution of ratings."""
        more = (draw_contrasts(self.contrasts), draw_ratings(self.rated))
        accuracies = draw_accuracies(self.accuracy)
        return {**accuracies, **{one.id.replace("-", "_"): one for one in more if one is not None}}

    def _describe_choice(self) -> list[str]:
        """Return how to compare others, where not every two are."""
        every = len(self.compared) * (len(self.compared) - 1) / 2
        if len(self.pairs) in {0, 1, every}:
            return []
        return [
            f"All are compared with {self.to}: --to names another, --all-pairs compares every two."
        ]

    def _accuracy_table(self) -> Table:
        return build_table(
            "Accuracy and margin in %" if self.margin else "Accuracy in %",
            self.compared,
            Column("Name", "name"),
            Column("Accuracy", lambda one: self.accuracy[one.name], "share"),
            Column("Margin", lambda one: self.margin.get(one.name), "share"),
            Column("Comparisons", lambda one: len(one.right)),
            Column("Turns", "turns", digits=1),
            note=LEFT_OUT,
        )


@check_arguments
def compare(
    *sources: Source,
    to: str = "",
    all_pairs: bool = False,
    reviewers: str | Sequence[str] | None = None,
    seed: int = 0,
) -> CompareResult:
    """Compare accuracy on the same questions: of conditions, runs, or reviewers on record.

    Every pair has the mean difference with its interval and p-value: Student's t on the means of questions,
    with two questions added. For a run the conclusions of its conditions are compared, for a dataset its
    reviewers. Discussions of a run are compared first with each of their seats alone, asked once or as often,
    and with the vote. P-values are adjusted (Holm) for the conditions with the same alternative, and for all
    pairs. A contrast that the experiment declares as primary comes first and is not adjusted. Ratings of
    single answers are compared by their difference, by Pearson's, Spearman's and Kendall's coefficients, and
    by how well each agrees with gold. Where both have log-probabilities, the difference of their margins is
    added.

    Args:
        sources: Runs, datasets `NAME:PATH`, or transcripts; one or several.
        to: Condition or reviewer with which all others are compared; of more than two, by default the first.
        all_pairs: Compare every two instead, which takes more tests, and p-values are adjusted for these.
        reviewers: For a dataset: only these.
        seed: Seed of the resampling.

    Raises:
        DataError: There are no two conditions or reviewers to compare, or there is none of this name.
        StoreError: There is no such run.

    Example:
        >>> found = pj.compare("study")
        >>> found.df[["one", "other", "value", "low", "high", "p_holm"]].shape[1]
        6
    """
    sampler = Sampler(seed=seed)
    found = _gather(sources, list_names(reviewers), sampler)
    if to and all_pairs:
        msg = "--to compares with one, --all-pairs every two; leave one of them out"
        raise DataError(msg)
    first = found.names[0] if len(found.names) > _FEW else ""
    baseline = "" if all_pairs else to or first
    ratings = compare_ratings(found.rated, baseline=baseline, sampler=sampler)
    pairs: Sequence[Compared] = ()
    if found.rows or not ratings:
        pairs = compare_all(found.rows, baseline=baseline, sampler=sampler)
    if not (pairs or ratings or found.has_contrasts):
        msg = (
            "compare needs two conditions or reviewers with readable verdicts on the same comparisons "
            "with gold, or with ratings of the same answers; found "
            f"{', '.join(dict.fromkeys(found.names)) or 'none'}. Give one or more run "
            "folders, store URLs or datasets NAME:PATH."
        )
        raise DataError(msg)
    margins = {one.name: measure_mean_margin(one, sampler=sampler) for one in found.rows}
    return CompareResult(
        compared=found.rows,
        accuracy={one.name: measure_mean_accuracy(one, sampler=sampler) for one in found.rows},
        margin={name: margin for name, margin in margins.items() if margin is not None},
        contrasts=found.contrasts,
        pairs=tuple(pairs),
        rated=tuple(level for row in found.rated for level in row.levels),
        ratings=ratings,
        simulated=found.simulated,
        to=baseline,
        decisions=found.decisions,
    )


def _list_numbers(measured: Measurement) -> dict[str, float]:
    numbers = {"value": measured.value, "low": measured.low, "high": measured.high}
    return {**numbers, "n": float(measured.n)}


def _list_tested(tested: PairedDifference | None, holm: float) -> dict[str, float]:
    if tested is None:
        return {}
    return {**_list_numbers(tested.difference), "p": tested.p_value, "p_holm": holm}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The conditions or reviewers of sources, and their discussions against cheaper ways to judge."""

    rows: tuple[AccuracyByComparison, ...]
    contrasts: tuple[ConditionContrasts, ...]
    rated: tuple[RatedAnswers, ...]
    simulated: bool
    decisions: tuple[Decision, ...] = ()

    @property
    def names(self) -> list[str]:
        return [one.name for one in (*self.rows, *self.rated)]

    @property
    def has_contrasts(self) -> bool:
        return any(one.difference for row in self.contrasts for one in row.all)


def _gather(sources: Sequence[Source], reviewers: Sequence[str] | None, sampler: Sampler) -> _Found:
    """Return what the sources have together, under different names."""
    named = {
        hide_password(locate_source(one)) if isinstance(one, Stored) else f"source {number}": one
        for number, one in enumerate(sources, 1)
    }
    found = [_tabulate(one, reviewers, sampler) for one in named.values()]
    if len(named) > 1:
        _require_comparable(named, found)
    rows, contrasts = _name_rows(list(named), found)
    return _Found(
        rows=tuple(rows),
        contrasts=tuple(contrasts),
        rated=tuple(_name_ratings(list(named), found)),
        simulated=any(one.simulated for one in found),
        decisions=tuple(decision for one in found for decision in one.decisions),
    )


def _require_comparable(named: Iterable[str], found: Iterable[_Found]) -> None:
    """Raise an error that names the sources that would be left out of the comparison without a word."""
    empty = [name for name, one in zip(named, found, strict=True) if not (one.rows or one.rated)]
    if empty:
        msg = (
            f"nothing to compare in {', '.join(empty)}: no readable verdict on a comparison with gold, and "
            "no rating; complete the run, or leave it out"
        )
        raise DataError(msg)


def _tabulate(source: Source, reviewers: Sequence[str] | None, sampler: Sampler) -> _Found:
    material = read_material(source, logprobs=True)
    ballots = material.ballots
    if not material.of_run:
        rated = tabulate_ratings(ballots, reviewers=reviewers)
        # Data of ratings alone have no pairs whose accuracy could be compared.
        rated_only = bool(rated) and not (ballots.answers > 1).any()
        rows = () if rated_only else tabulate_by_reviewer(ballots, reviewers=reviewers)
        return _Found(rows=rows, contrasts=(), rated=rated, simulated=ballots.simulated)
    return _Found(
        rows=tuple(row for row in tabulate_by_condition(ballots) if row.right),
        contrasts=build_contrasts(ballots, sampler=sampler, primary=material.primary),
        rated=tabulate_ratings(ballots),
        simulated=ballots.simulated,
        decisions=() if material.decision is None else (material.decision,),
    )


def _name_ratings(sources: Sequence[str], found: Sequence[_Found]) -> list[RatedAnswers]:
    """Return all ratings under different names."""
    named = _name_apart(sources, [[one.name for one in these.rated] for these in found])
    return [
        replace(
            one,
            name=names[one.name],
            levels=tuple(changed(level, name=names[one.name]) for level in one.levels),
        )
        for these, names in zip(found, named, strict=True)
        for one in these.rated
    ]


def _name_apart(sources: Sequence[str], names: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return by source the new names: if several sources have a name, the source is put before it."""
    times = Counter(name for own in names for name in own)
    return [
        {name: f"{source}: {name}" if times[name] > 1 else name for name in own}
        for source, own in zip(sources, names, strict=True)
    ]


def _name_rows(
    sources: Sequence[str], found: Sequence[_Found]
) -> tuple[list[AccuracyByComparison], list[ConditionContrasts]]:
    """Return all rows and contrasts, with conditions under different names."""
    named = _name_apart(sources, [[one.name for one in these.rows] for these in found])
    rows: list[AccuracyByComparison] = []
    contrasts: list[ConditionContrasts] = []
    for these, names in zip(found, named, strict=True):
        rows += [replace(one, name=names[one.name]) for one in these.rows]
        for row in these.contrasts:
            votes = {
                kind: changed(
                    one,
                    rows=tuple(
                        changed(way, name=names.get(way.name, way.name)) for way in one.rows
                    ),
                )
                for kind, one in (
                    ("over_self_consistency", row.over_self_consistency),
                    ("over_vote", row.over_vote),
                )
            }
            condition = names.get(row.condition, row.condition)
            contrasts.append(changed(row, condition=condition, **votes))
    return rows, contrasts
