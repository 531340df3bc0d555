"""Scores: accuracy of reviewers against gold, recorded or in a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from peerjudge.analysis import (
    Ballots,
    ConditionContrasts,
    Sampler,
    build_contrasts,
    collect_reviews,
)
from peerjudge.analysis.golds import align_comparisons
from peerjudge.analysis.judges import Judge
from peerjudge.analysis.leaders import LedAccuracy, measure_by_leader
from peerjudge.analysis.published import (
    Match,
    PublishedTable,
    describe_conditions,
    match_published,
)
from peerjudge.analysis.rating_levels import RatingLevel
from peerjudge.analysis.rating_pairs import RatingPair, compare_ratings
from peerjudge.analysis.score_document import build_score_document
from peerjudge.analysis.scoring import Scores, require_conventions, score_ballots
from peerjudge.analysis.selecting import keep_contestants, list_choosers
from peerjudge.analysis.stopping import Decision
from peerjudge.data import Dataset, to_plain
from peerjudge.datasets import load as load_dataset
from peerjudge.datasets.papers import read_published_tables
from peerjudge.errors import DataError
from peerjudge.reporting.contrasts import build_contrasts_table, describe_missing
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import preface
from peerjudge.reporting.rating_pairs import build_rating_tables
from peerjudge.reporting.ratings import build_level_tables, draw_ratings
from peerjudge.reporting.scores import (
    build_leaders_table,
    build_published_table,
    build_score_tables,
    describe_choosers,
    describe_disagreements,
    describe_scores,
)
from peerjudge.reporting.stopping import note_decision
from peerjudge.results.base import Document, DrawnResult, Shown, list_names
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.drawings import draw_accuracies
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material

_LEADER = "leader"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScoreResult(DrawnResult):
    """Accuracy of every judge, and of discussions over cheaper ways to judge.

    `ratings` compare judges that rated the same answers. `published` has the published figures and the
    rows that they belong to, if they were wanted. `decision` is the last look of a run with a stopping
    rule. `leaders` has the accuracy of discussions by the seat that leads, if it was wanted. `choosers` are
    reviewers whose verdicts helped to choose the comparisons.
    """

    frame: ClassVar[str] = "score"
    scores: Scores
    contrasts: tuple[ConditionContrasts, ...]
    ratings: tuple[RatingPair, ...]
    published: tuple[PublishedTable, tuple[Match, ...]] | None
    questions: int
    decision: Decision | None = None
    leaders: tuple[LedAccuracy, ...] = ()
    choosers: tuple[str, ...] = ()

    def document(self) -> Document:
        """Return the document of `peerjudge score --json`."""
        document = build_score_document(
            self.scores, contrasts=self.contrasts, pairs=self.ratings, published=self.published
        )
        if self.leaders:
            document["leaders"] = [to_plain(leader) for leader in self.leaders]
        if self.choosers:
            document["choosers"] = list(self.choosers)
        if self.decision is not None:
            document["decision"] = to_plain(self.decision)
        return make_plain(document)

    def parts(self) -> Shown:
        """Return the tables of accuracies, or the one beside published figures, with their notes."""
        first = preface(simulated=self.simulated, questions=self.questions)
        if self.published is not None:
            return [*first, build_published_table(self.scores, *self.published)]
        return [
            *first,
            *build_score_tables(self.scores),
            *build_level_tables(self._levels, simulated=self.simulated),
            *([build_leaders_table(self.leaders)] if self.leaders else []),
            *build_rating_tables(self.ratings),
            build_contrasts_table(self.contrasts),
            "",
            *note_decision(self.decision, isolate=False),
            *describe_missing(self.contrasts),
            *describe_scores(self.scores),
            *describe_choosers(self.choosers),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each judge, group and measure."""
        for one in self.scores.scores:
            own = _name_judge(one.judge)
            for group, cell in {"": one.total, **one.groups}.items():
                more = {
                    **own,
                    "group": group,
                    "questions": cell.questions,
                    "unreadable": cell.undecided,
                }
                yield {**more, "measure": "accuracy", **list_cells(cell.accuracy)}
                if cell.margin is not None:
                    yield {**more, "measure": "margin", **list_cells(cell.margin.measured)}
        for rated in self.scores.correlations:
            own = {**_name_judge(rated.judge), "group": rated.aspect, "unreadable": rated.unrated}
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
    def simulated(self) -> bool:
        """True if reviewers are simulated."""
        return self.scores.simulated

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
        """Return one sentence for each recorded reply that our own reader reads differently."""
        return describe_disagreements(self.scores)


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
        DataError: A name matches no reviewer, no verdict has a gold, there are no such groups, or
            nothing is published of the dataset.
        StoreError: There is no such run.

    Example:
        >>> found = pj.score("study", reviewers="sim_strong")
        >>> found.df.loc[found.df["stance"] == "private", ["reviewer", "value"]].head(1)
             reviewer  value
        0  sim_strong   0.75
    """
    by = ",".join(list_names(by) or ())
    material = read_material(source, logprobs=True, as_declared=True)
    if gold is None and as_published:
        # A run has neither the votes nor the conventions of its dataset.
        gold = material.data
    replaced = load_dataset(gold) if isinstance(gold, str) else gold
    name = material.ballots.name if replaced is None else replaced.name
    declared = material.conventions if replaced is None else replaced.conventions
    ballots = material.ballots
    kept = list_names(between)
    if kept is not None:
        ballots = keep_contestants(ballots, kept)
    led: tuple[LedAccuracy, ...] = ()
    if by == _LEADER:
        led = measure_by_leader(ballots, sampler=Sampler(seed=seed))
        if not led:
            msg = "no discussion with a gold has a leader; --by leader needs a run with leader and follower"
            raise DataError(msg)
    scores = score_ballots(
        ballots,
        by="" if by == _LEADER else by,
        reviewers=list_names(reviewers),
        gold=replaced,
        reviews=material.reviews if own_reading else (),
        ratings=material.ratings,
        conventions=require_conventions(declared, name=name) if as_published else None,
        seed=seed,
    )
    judged = ballots if replaced is None else align_comparisons(ballots, collect_reviews(replaced))
    return ScoreResult(
        scores=scores,
        contrasts=build_contrasts(judged, sampler=Sampler(seed=seed), primary=material.primary),
        ratings=compare_ratings(scores.rated, sampler=Sampler(seed=seed)),
        published=None if beside is None else _match(scores, ballots, beside),
        questions=ballots.count_questions(),
        decision=material.decision if kept is None else None,
        leaders=led,
        choosers=list_choosers(ballots),
    )


def _name_judge(judge: Judge) -> dict[str, object]:
    return {
        "condition": judge.condition or None,
        "protocol": judge.protocol or None,
        "reviewer": judge.reviewer,
        "stance": judge.stance,
    }


def _match(
    scores: Scores, ballots: Ballots, wanted: str
) -> tuple[PublishedTable, tuple[Match, ...]]:
    name, _, setting = wanted.partition(":")
    return match_published(
        scores,
        read_published_tables(name),
        played=describe_conditions(ballots),
        setting=setting,
    )
