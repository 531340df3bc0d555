"""Scores: accuracy of reviewers against gold, recorded or in a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, cast

from peerjudge.analysis import Ballots, ConditionContrasts, build_contrasts, collect_reviews
from peerjudge.analysis.ballots import NONE
from peerjudge.analysis.golds import align_comparisons
from peerjudge.analysis.judges import group_judges
from peerjudge.analysis.leaders import LedAccuracy, measure_by_leader
from peerjudge.analysis.published import Match, PublishedTable, describe_conditions, match_published
from peerjudge.analysis.rating_pairs import RatingPair, compare_ratings
from peerjudge.analysis.ratings import RatingLevel
from peerjudge.analysis.score_document import build_score_document, describe_judge
from peerjudge.analysis.scoring import Scores, require_conventions, score_ballots
from peerjudge.analysis.selecting import keep_contestants, list_choosers
from peerjudge.analysis.stopping import Decision
from peerjudge.analysis.ways import Ways, build_ways
from peerjudge.data import Conventions, Dataset, Measurement, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import DataError
from peerjudge.registry import offers
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import MISSING, decimal, preface, share
from peerjudge.reporting.layout import Cell, Column, Table, build_range, build_table
from peerjudge.results.accuracy import (
    LEFT_OUT,
    build_judged_table,
    describe_conventions,
    describe_published,
    draw_accuracies,
)
from peerjudge.results.base import Document, DrawnResult, Shown, list_names
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.contrasts import build_contrasts_table, note_alternatives, note_decision
from peerjudge.results.plain import make_plain
from peerjudge.results.ratings import build_level_tables, build_rating_tables, draw_ratings
from peerjudge.results.ways import build_ways_document, list_ways
from peerjudge.runs.reading import Material, Source, read_material
from peerjudge.statistics.sampler import Sampler

if TYPE_CHECKING:
    from peerjudge.analysis.ratings import Correlation
    from peerjudge.analysis.scoring import Score


_PLAIN = Conventions(source="")
"""Undecided verdicts are left out, and groups are pooled."""
_END = 120
"""Letters of a reply that are shown, at its start and at its end."""
_LEADER = "leader"
_WITHOUT_CHOICE = ("inconsistent", "unreadable", "refused")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScoreResult(DrawnResult):
    """Accuracy of every judge, and of discussions over cheaper ways to judge.

    `ratings` compare judges that rated the same answers. `published` has the published figures and the
    rows that they belong to, if they were wanted. `decision` is the last look of a run with a stopping
    rule. `leaders` has the accuracy of discussions by the seat that leads, if it was wanted. `choosers` are
    reviewers whose verdicts helped to choose the comparisons. `ways` has every condition and reviewer in one
    table; as published there is none. `full` shows all tables.
    """

    frame: ClassVar[str] = "score"
    scores: Scores
    contrasts: tuple[ConditionContrasts, ...]
    ratings: tuple[RatingPair, ...]
    published: tuple[PublishedTable, tuple[Match, ...]] | None
    questions: int
    simulated: bool
    decision: Decision | None = None
    leaders: tuple[LedAccuracy, ...] = ()
    choosers: tuple[str, ...] = ()
    ways: Ways | None = None
    full: bool = False

    def with_details(self) -> ScoreResult:
        """Return the same scores, shown with all tables: `peerjudge score --all`."""
        return replace(self, full=True)

    def document(self) -> Document:
        """Return the document of `peerjudge score --json`."""
        document = build_score_document(
            self.scores, contrasts=self.contrasts, pairs=self.ratings, published=self.published
        )
        if self.ways is not None:
            document["ways"] = build_ways_document(self.ways)
        if self.leaders:
            document["leaders"] = [to_plain(leader) for leader in self.leaders]
        if self.choosers:
            document["choosers"] = list(self.choosers)
        if self.decision is not None:
            document["decision"] = to_plain(self.decision)
        return make_plain(document)

    def parts(self) -> Shown:
        """Return all ways to judge in one table, or the one beside published figures, with their notes."""
        first = preface(simulated=self.simulated, questions=self.questions)
        if self.published is not None:
            return [*first, _build_published_table(self.scores, *self.published)]
        ways = () if self.ways is None else list_ways(self.ways, simulated=self.simulated)
        grouped = self.full or self.scores.groups or self.scores.conventions is not None
        return [
            *first,
            *ways,
            *([_build_scores_table(self.scores)] if grouped else []),
            *(self._list_details() if self.full else []),
            _build_correlations_table(self.scores),
            *build_level_tables(self._levels, simulated=self.simulated),
            *([_build_leaders_table(self.leaders)] if self.leaders else []),
            *build_rating_tables(self.ratings),
            "",
            *note_decision(self.decision, isolate=False),
            *_describe_scores(self.scores, counts=not ways),
            *_describe_choosers(self.choosers),
        ]

    def _list_details(self) -> Shown:
        """Return the verdicts behind the accuracies, and every discussion over every alternative."""
        return [
            _build_details_table(self.scores),
            build_margins_table(self.scores),
            build_contrasts_table(self.contrasts),
            *note_alternatives(self.contrasts),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each judge, group and measure."""
        for one in self.scores.scores:
            own = describe_judge(one.judge)
            for group, cell in {"": one.total, **one.groups}.items():
                more = {
                    **own,
                    "group": group,
                    "questions": cell.questions,
                    **{name: getattr(cell, name) for name in _WITHOUT_CHOICE},
                }
                yield {**more, "measure": "accuracy", **list_cells(cell.accuracy)}
                if cell.margin is not None:
                    yield {**more, "measure": "margin", **list_cells(cell.margin.measured)}
        for rated in self.scores.correlations:
            own = {
                **describe_judge(rated.judge),
                "group": rated.aspect,
                "unrated": rated.unrated,
            }
            yield {**own, "measure": "pearson", **list_cells(rated.pearson)}
        for one in self._levels:
            yield {
                "condition": one.name,
                "stance": "rated",
                "group": one.aspect,
                "unreadable": one.unreadable,
                "measure": "mean rating",
                **list_cells(one.mean),
            }

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The accuracy of every judge where verdicts were scored, and the distribution of ratings."""
        rows = {
            " ".join(filter(None, (one.judge.condition, one.judge.reviewer, one.judge.stance))): (
                one.total.accuracy
            )
            for one in self.scores.scores
        }
        ratings = draw_ratings(self._levels)
        return {**draw_accuracies(rows), **({ratings.id: ratings} if ratings else {})}

    @property
    def _levels(self) -> list[RatingLevel]:
        return [level for row in self.scores.rated for level in row.levels]

    def describe_disagreements(self) -> list[str]:
        """Return one sentence for each recorded reply that our own reader reads differently.

        Of a reply its start and its end are shown.
        """

        def excerpt(text: str) -> str:
            plain = " ".join(text.split())
            return plain if len(plain) <= 2 * _END else f"{plain[:_END]} ... {plain[-_END:]}"

        return [
            f"{len(self.scores.disagreements)} replies are read differently from the record",
            *(
                f"{one.judge.reviewer}  {one.comparison}  shown {' '.join(one.shown)}: on record "
                f"{one.recorded}, read as {one.own} ({one.rule}): {excerpt(one.text)}"
                for one in self.scores.disagreements
            ),
        ]


def build_margins_table(scores: Scores) -> Table:
    """Return the margin of each judge with log-probabilities, in total and by group."""

    def measure(group: str) -> Callable[[Score], Measurement | None]:
        def read(row: Score) -> Measurement | None:
            margin = row.groups[group].margin if group in row.groups else None
            return None if margin is None else margin.measured

        return read

    return build_judged_table(
        f"Margin in % [{scores.level:.0%} interval]{_simulated(scores)}",
        [row for row in scores.scores if row.total.margin is not None],
        Column("All", "total.margin.measured", "share", 1),
        *(Column(name, measure(name), "share", 1, key=name) for name in scores.groups),
        Column("Judgements", "total.margin.measured.n"),
        Column("In one order", "total.margin.one_order"),
        note="Margin: the mean probability of the gold answer, from log-odds averaged over the shown "
        "orders of a judgement. A judgement in one order has the position bias in its margin.",
    )


@check_arguments
def score(
    source: Source,
    *,
    by: str | Sequence[str] = "",
    reviewers: str | Sequence[str] | None = None,
    gold: str | Dataset | None = None,
    as_published: bool = False,
    own_reading: bool = True,
    beside: str | None = None,
    between: str | Sequence[str] | None = None,
    seed: int = 0,
) -> ScoreResult:
    """Score reviewers against gold, with intervals, in total and by group.

    For a run, every condition is scored: the conclusions of its discussions, and the private verdicts of
    its reviewers. Every discussion is then compared with cheaper ways to judge: its mean seat, its better
    seat alone, asked once or as often, and a vote. The margin, for replies with log-probabilities, is the
    probability of the gold answer. Ratings of single answers are scored by their correlation with gold and
    their mean absolute error, and those of two conditions or reviewers are compared with each other.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts.
        by: `subset`, `category`, `labeler` (every vote is then a gold verdict), a column of the data, or for
            a run `leader`: the seat that leads a discussion. Several names group by all of them together.
        reviewers: Only these names or patterns (`GPT-4/*`), and `human` for all people, each held against
            gold of the others' votes; by default all but people.
        gold: Dataset `NAME:PATH` whose gold, groups and votes replace those of the source.
        as_published: Count as the authors of the dataset do in their own figures: what inconsistent and
            unreadable verdicts are, which votes are gold, and how groups are averaged.
        own_reading: Read recorded texts again and score that reading as well.
        beside: Published figures to compare with those of a run, `NAME` or `NAME:EVALUATOR`; `prepair` is
            there. The table is chosen by the prompts and the temperature of each condition.
        between: Only pairs of answers by two of these contestants.
        seed: Seed of the resampling of questions for the intervals.

    Raises:
        DataError: A name matches no reviewer, no verdict has a gold or another reviewer to agree with, there
            are no such groups, or nothing is published of the dataset.
        StoreError: There is no such run.

    Example:
        >>> found = pj.score("study", reviewers="sim_strong")
        >>> found.df.loc[found.df["stance"] == "private", ["reviewer", "value"]].head(1)
             reviewer  value
        0  sim_strong   0.75
    """
    by = ",".join(list_names(by) or ())
    material = read_material(source, logprobs=True)
    ballots, sampler = material.ballots, Sampler(seed=seed)
    replaced = _choose_gold(material, gold, as_published=as_published)
    name = ballots.name if replaced is None else replaced.name
    declared = material.conventions if replaced is None else replaced.conventions
    kept, wanted = list_names(between), list_names(reviewers)
    if kept is not None:
        ballots = keep_contestants(ballots, kept)
    led = _measure_leaders(ballots, sampler) if by == _LEADER else ()
    names = None if wanted is None else group_judges(ballots, wanted)[2]
    plain = replaced is None and not (by or as_published or beside)
    scores = score_ballots(
        ballots,
        by="" if by == _LEADER else by,
        reviewers=wanted,
        gold=replaced,
        reviews=material.reviews if own_reading else (),
        ratings=material.ratings,
        conventions=require_conventions(declared, name=name) if as_published else None,
        needs_gold=not (plain and _agrees(ballots, names)),
        seed=seed,
    )
    judged = ballots if replaced is None else align_comparisons(ballots, collect_reviews(replaced))
    contrasts = build_contrasts(judged, sampler=sampler, primary=material.primary)
    return ScoreResult(
        scores=scores,
        contrasts=contrasts,
        ways=None
        if as_published
        else build_ways(judged, contrasts, sampler=sampler, reviewers=names),
        ratings=compare_ratings(scores.rated, sampler=sampler),
        published=None if beside is None else _match(scores, ballots, beside),
        questions=ballots.count_questions(),
        simulated=ballots.simulated,
        decision=material.decision if kept is None else None,
        leaders=led,
        choosers=list_choosers(ballots),
    )


def _choose_gold(
    material: Material, gold: str | Dataset | None, *, as_published: bool
) -> Dataset | None:
    if gold is None and as_published:
        # A run has neither the votes nor the conventions of its dataset.
        gold = material.data
    return load_dataset(gold) if isinstance(gold, str) else gold


def _measure_leaders(ballots: Ballots, sampler: Sampler) -> tuple[LedAccuracy, ...]:
    led = measure_by_leader(ballots, sampler=sampler)
    if not led:
        msg = "no discussion with a gold has a leader; --by leader needs a run with leader and follower"
        raise DataError(msg)
    return led


def _agrees(ballots: Ballots, names: Collection[str] | None) -> bool:
    """Return whether ballots without gold can be held against the majority of other reviewers."""
    if (ballots.gold != NONE).any():
        return False
    ways = build_ways(ballots, sampler=Sampler(), reviewers=names)
    return any(row.agrees is not None for row in ways.rows)


def _build_scores_table(scores: Scores) -> Table:
    """Return the accuracy of each judge in all and by group, of readable verdicts or by conventions."""
    followed = scores.conventions
    as_published = " as published" if followed is not None else ""

    def group(name: str) -> Column:
        def measure(row: Score) -> Measurement | None:
            return row.accuracy_by(name, followed or _PLAIN)

        return Column(name or "All", measure, "share", 1, key=name)

    return build_judged_table(
        f"Accuracy in %{as_published} [{scores.level:.0%} interval]{_simulated(scores)}",
        scores.scores,
        *map(group, ("", *scores.groups)),
    )


def _build_details_table(scores: Scores) -> Table:
    """Return the verdicts behind each accuracy, its bounds, and its order consistency."""

    def count_differences(row: Score) -> int | None:
        own = row.own_reading
        return None if own is None else own.different + own.only_recorded + own.only_own

    return build_judged_table(
        "Verdicts behind the accuracies, shares in %",
        scores.scores,
        Column("Verdicts", "total.n"),
        Column("Ties", "total.ties"),
        Column("Inconsistent", "total.inconsistent"),
        Column("Unreadable", "total.unreadable"),
        Column("Refused", "total.refused"),
        Column("Range", lambda row: build_range(row.total.worst_case, row.total.best_case, 1)),
        Column("Same in all orders", "total.consistency.rate", "share", 1),
        Column("Own reading", "own_reading.total.accuracy", "share", 1),
        ("Read differently", count_differences),
        note="Range: the accuracy if all verdicts without a choice were wrong, or right."
        + (
            " Own reading: the accuracy when the recorded texts are read again."
            if any(row.own_reading is not None for row in scores.scores)
            else ""
        ),
    )


def _build_published_table(
    scores: Scores, published: PublishedTable, rows: Sequence[Match]
) -> Table:
    """Return the measured and the published accuracy of each method, by group."""
    ours = "simulated" if scores.simulated else "measured"
    groups = [name for name in published.items if name in scores.groups or not name]

    def pair(group: str) -> Callable[[Match], Cell | None]:
        return lambda row: _pair(row, group, scores.conventions)

    return build_table(
        f"Accuracy in %: {ours} / {published.title}, {published.name}",
        rows,
        Column("Reviewer", "0.judge.reviewer"),
        Column("Method", "1", key="method"),
        (
            "Published for",
            lambda row: None if row[2] is None else f"{row[2].setting}, {row[2].table}",
        ),
        *((f"{name or 'All'} ({published.items[name]})", pair(name)) for name in groups),
        names=3,
        note=f"Published: {published.source}. "
        + (LEFT_OUT if scores.conventions is None else describe_published(scores.conventions)),
    )


def _pair(row: Match, group: str, followed: Conventions | None) -> Cell:
    score, _, line = row
    accuracy = score.accuracy_by(group, followed or _PLAIN)
    ours = None if accuracy is None or not accuracy.n else accuracy.value
    printed = None if line is None else line.values.get(group)
    shown = (MISSING if value is None else share(value, 1) for value in (ours, printed))
    return Cell(" / ".join(shown), {"": ours, "_published": printed})


def _build_correlations_table(scores: Scores) -> Table:
    """Return how the ratings of each judge correlate with gold, by aspect."""

    def show_constant(row: Correlation) -> Cell | None:
        error = row.constant_error
        if error is None:
            return None
        text = f"{decimal(error.value)} (at {decimal(row.constant)})"
        return Cell(text, {"": error.value, "_at": row.constant})

    return build_judged_table(
        f"Ratings against gold{_simulated(scores)}",
        scores.correlations,
        Column("Aspect", "aspect"),
        Column("Answers", "answers"),
        Column("Unrated", "unrated"),
        Column("Mean", "mean"),
        Column("Gold", "mean_gold"),
        Column("Error", "mean_error"),
        ("Error of a constant", show_constant),
        Column("Pearson", "pearson"),
        Column("Spearman", "spearman"),
        Column("Kendall", "kendall"),
        Column("Within question", "by_question.spearman", key="within_question"),
        Column("By author", "by_author.spearman", key="by_author"),
        Column("By author, Kendall", "by_author.kendall", key="by_author_kendall"),
        names=4,
        note="Error of a constant: of a judge that gives every answer the median of gold and reads nothing. "
        "Within question and by author (of the authors' means): Spearman's coefficient, or Kendall's.",
    )


def _build_leaders_table(rows: Sequence[LedAccuracy]) -> Table:
    """Return the accuracy of the conclusions of each condition by the seat that leads."""
    return build_table(
        "Accuracy of discussions by leader, in %",
        rows,
        Column("Condition", "condition"),
        ("Leader", lambda row: row.reviewer or "any"),
        Column("Temperature", "temperature", digits=1),
        Column("Accuracy", "accuracy", "share", 1),
        Column("Conclusions", "accuracy.n"),
        Column("Unreadable", "unreadable"),
        names=2,
        note="Unreadable conclusions count as wrong, as in PRD's discussion accuracy.",
    )


def _describe_scores(scores: Scores, *, counts: bool) -> list[str]:
    """Return what counts, how many discussions are left out, and how the ratings were obtained."""
    sentences = describe_conventions(scores.scores, scores.conventions) if counts else []
    sentences += (
        [f"{scores.left_out} incomplete discussions are left out"] if scores.left_out else []
    )
    return sentences + [
        f"{rating.condition}, {rating.reviewer}: {rating.weighted:,} ratings weighted by "
        f"log-probabilities, {rating.stated:,} as stated, {rating.unreadable:,} unreadable"
        for rating in scores.ratings
    ]


def _describe_choosers(names: Sequence[str]) -> list[str]:
    """Return a warning where reviewers helped to choose the comparisons that they are scored on."""
    if not names:
        return []
    return [
        (
            f"{', '.join(names)} helped to choose these comparisons, by verifying them or by erring on "
            "them: this accuracy does not hold for others"
        )
    ]


def _simulated(scores: Scores) -> str:
    return " (simulated reviewers)" if scores.simulated else ""


def _match(
    scores: Scores, ballots: Ballots, wanted: str
) -> tuple[PublishedTable, tuple[Match, ...]]:
    name, _, setting = wanted.partition(":")
    return match_published(
        scores,
        _find_tables(name),
        played=describe_conditions(ballots),
        setting=setting,
    )


def _find_tables(name: str) -> Sequence[PublishedTable]:
    """Return the published tables of this name that features offer; raise `DataError` if there are none."""
    found = cast(
        "Mapping[str, Callable[[], Mapping[str, Sequence[PublishedTable]]]]",
        offers("published tables"),
    )
    tables = {known: these for offer in found.values() for known, these in offer().items()}
    if name not in tables:
        msg = (
            f"there are no published figures {name!r}; choose one of {', '.join(tables) or 'none'}"
        )
        raise DataError(msg)
    return tables[name]
