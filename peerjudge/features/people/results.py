"""State of a study: progress by person, checks, agreement, and people against the reviewers of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from peerjudge.analysis import Panel, collect_reviews, measure_panel, select_judges
from peerjudge.analysis.pairs import PanelPair
from peerjudge.data import Dataset, to_plain
from peerjudge.errors import DataError
from peerjudge.features.people.nouns import CheckKind, Study, StudyAnswer
from peerjudge.features.people.progress import (
    PersonProgress,
    StudyProgress,
    keep_votes,
    list_attentive,
    measure_against_models,
    measure_progress,
)
from peerjudge.features.people.studies import collect_votes, list_study_answers
from peerjudge.features.people.study_desk import StudyDesk
from peerjudge.reporting.formats import MISSING, SIMULATED, caution
from peerjudge.reporting.layout import Cell, Column, Table, build_table
from peerjudge.results.agreements import (
    build_panel_accuracy_table,
    build_panel_table,
    describe_panel,
)
from peerjudge.results.base import Document, Result, Shown
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material

_KINDS = {
    CheckKind.TOLD: "Told the choice",
    CheckKind.REVERSED: "Pair reversed",
    CheckKind.PLAIN: "Other question",
}
_MOST = 60
"""Most letters of a question in a table."""
_Row = tuple[str, PersonProgress]
_SCHEMA = "Study/1"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StudyResult(Result):
    """State of a study.

    Attributes:
        study: The declaration.
        progress: Progress by person, and failed checks.
        panel: Agreement of the people; `None` before two people have judged one pair.
        models: Agreement of each person with each reviewer of a run, where one is given.
        simulated: Whether reviewers of that run are simulated.
        left_out: People who are not in `panel` and `models`, because they failed too many checks.
    """

    study: Study
    progress: StudyProgress
    panel: Panel | None
    models: tuple[PanelPair, ...] | None
    simulated: bool = False
    left_out: tuple[str, ...] = ()

    def document(self) -> Document:
        """Return the document of `peerjudge annotate STUDY --json`."""
        return make_plain(
            {
                "schema": _SCHEMA,
                "study": to_plain(self.study),
                "progress": to_plain(self.progress),
                "agreement": None if self.panel is None else to_plain(self.panel),
                "models": None if self.models is None else to_plain(self.models),
                "simulated": self.simulated,
                "left_out": list(self.left_out),
            }
        )

    def parts(self) -> Shown:
        """Return tables of progress and checks, and of agreement as far as there is any."""
        progress = self.progress
        parts: list[str | Table] = [
            (
                f"{progress.complete:,} of {progress.comparisons:,} comparisons complete; "
                f"{progress.answered:,} of {progress.wanted:,} judgements."
            ),
            _build_progress_table(progress),
        ]
        checks = _build_checks_table(progress)
        parts += [checks] if checks.rows else []
        parts += [_build_failed_table(progress.failed)] if progress.failed else []
        if self.left_out:
            named = ", ".join(self.left_out)
            parts += ["", f"Left out of agreement, for failed checks: {named}."]
        panel = self.panel
        if panel is None:
            parts += ["", "No agreement yet: no two people have judged the same pair."]
        else:
            parts += ["", *caution(panel.items), *describe_panel(panel)]
            has_gold = any(one.n for one in panel.accuracy.values())
            parts += [build_panel_accuracy_table(panel)] if has_gold else []
            parts += [build_panel_table(panel)] if panel.pairs else []
        if self.models is not None:
            parts += ["", SIMULATED] if self.simulated else []
            parts += (
                [_build_models_table(self.models)]
                if self.models
                else ["", "The run has no verdict on a pair that these people judged."]
            )
        return parts


def study(
    folder: str | Path,
    *,
    run: Source | None = None,
    most_failed: float | None = None,
    seed: int = 0,
) -> StudyResult:
    """Return the state of a study: progress, attention checks, active times and agreement.

    Agreement is Krippendorff's alpha, Fleiss' kappa and Cohen's kappa of each two people, on pairs in any
    order, with intervals that resample questions.

    Args:
        folder: The folder of the study.
        run: Run, or other source, whose reviewers each person is held against.
        most_failed: Leave people who failed a larger share of their checks out of the agreement; they stay
            in all other tables, and are named.
        seed: Seed of the resampling.

    Raises:
        StoreError: There is no such study or run.
    """
    place = Path(folder)
    with StudyDesk.open(place, create=False) as desk:
        declared = desk.read_study()
        assert declared is not None  # noqa: S101  a folder without a study is refused above
        votes = collect_votes(desk)
        items = [comparison.id for comparison in votes.comparisons]
        answers = list_study_answers(desk, place)
        progress = measure_progress(declared, items, desk.count_open(), answers)
    kept = list(declared.annotators)
    if most_failed is not None:
        kept = list_attentive(progress, most_failed)
    chosen = keep_votes(votes, kept)
    models, simulated = None, False
    if run is not None:
        ballots = read_material(run).ballots.of_stance("private")
        simulated = ballots.simulated
        models = measure_against_models(chosen, ballots, seed=seed)
    return StudyResult(
        study=declared,
        progress=progress,
        panel=_measure_people(chosen, seed=seed),
        models=models,
        simulated=simulated,
        left_out=tuple(annotator for annotator in declared.annotators if annotator not in kept),
    )


def _build_progress_table(progress: StudyProgress) -> Table:
    """Return what each person has done."""
    return build_table(
        "Progress by person",
        progress.people.items(),
        Column("Person", "0", key="person"),
        Column("Judged", "1.answered"),
        Column("Left", "1.left"),
        Column("Ties", "1.ties"),
        Column("Cannot judge", "1.refused"),
        Column("Changed", "1.changed"),
        Column("First shown, %", "1.first_shown", "share"),
        Column("Active, min", lambda row: row[1].active / 60, digits=1, key="active_minutes"),
        Column("Median, s", "1.median", digits=0, key="median_seconds"),
        Column("Last answer, UTC", lambda row: _name_time(row[1].last), key="last_answer"),
        note="Left: comparisons that the person can still judge. First shown: share of choices of the answer "
        "shown first; about 50 without position bias, as orders are balanced. Median: active time of a "
        "judgement.",
    )


def _build_checks_table(progress: StudyProgress) -> Table:
    """Return the attention checks of each person, passed of answered."""

    def count(kind: CheckKind) -> Callable[[_Row], Cell | None]:
        def build_count(row: _Row) -> Cell | None:
            count = row[1].checks[kind]
            text = f"{count.passed} / {count.answered}"
            ends = {"_passed": count.passed, "_answered": count.answered}
            return Cell(text, ends) if count.answered else None

        return build_count

    rows = [row for row in progress.people.items() if row[1].passed is not None]
    return build_table(
        "Attention checks, passed of answered",
        rows,
        Column("Person", "0", key="person"),
        *((title, count(kind)) for kind, title in _KINDS.items()),
        Column("Passed, %", "1.passed", "share"),
        note="Told the choice: the question said what to choose. Pair reversed: a pair that was judged "
        "before, in the other order. Other question: one answer was to another question. Interval: Wilson.",
    )


def _build_failed_table(failed: Sequence[StudyAnswer]) -> Table:
    """Return the answers that failed a check."""
    return build_table(
        "Failed checks",
        failed,
        Column("Person", "annotator"),
        ("Check", lambda one: _KINDS[one.check] if one.check else None),
        ("Question", lambda one: _shorten(one.question)),
        Column("Expected", "expected"),
        Column("Chose", "choice"),
        Column("Active, s", "seconds", digits=0),
        names=3,
        note="Choices are the numbers of the answers as shown.",
        folded=True,
    )


def _build_models_table(pairs: Sequence[PanelPair]) -> Table:
    """Return the agreement of each person with each reviewer of a run."""
    return build_table(
        "People against the reviewers of the run: the same verdict in %",
        pairs,
        Column("Person", "one"),
        Column("Reviewer", "other"),
        Column("Comparisons", "same.n"),
        Column("Same", "same", "share"),
        Column("Cohen's kappa", "cohen_kappa"),
        names=2,
        note="In any order; both orders of a reviewer count as the sign of their mean. Private verdicts. "
        "Intervals resample questions.",
    )


def _name_time(stamp: str) -> str:
    """Return a time in ISO form as `24 Nov 04:43`."""
    return f"{datetime.fromisoformat(stamp):%d %b %H:%M}" if stamp else MISSING


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _MOST else f"{words[:_MOST]}…"


def _measure_people(votes: Dataset, *, seed: int) -> Panel | None:
    judged = [review.comparison for review in votes.reviews if review.verdict.readable]
    if len(judged) == len(set(judged)):
        return None
    try:
        chosen = select_judges(collect_reviews(votes), reviewers=votes.humans)
    except DataError:  # Ratings of lone answers are no pairs.
        return None
    return measure_panel(chosen, seed=seed)
