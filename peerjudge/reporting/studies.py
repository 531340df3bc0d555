"""Tables and sentences on a study: progress by person, attention checks, people against models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from peerjudge.analysis.pairs import PanelPair
from peerjudge.analysis.study_progress import PersonProgress, StudyProgress
from peerjudge.data import CheckKind, StudyAnswer
from peerjudge.reporting.formats import MISSING
from peerjudge.reporting.layout import Column, Table, build_table

_KINDS = {
    CheckKind.TOLD: "Told the choice",
    CheckKind.REVERSED: "Pair reversed",
    CheckKind.PLAIN: "Other question",
}
_MOST = 60
"""Most letters of a question in a table."""
_Row = tuple[str, PersonProgress]


def describe_progress(progress: StudyProgress) -> list[str]:
    """Return how many comparisons and judgements are complete."""
    complete = f"{progress.complete:,} of {progress.comparisons:,} comparisons complete"
    return [f"{complete}; {progress.answered:,} of {progress.wanted:,} judgements."]


def build_progress_table(progress: StudyProgress) -> Table:
    """Return what each person has done."""
    return build_table(
        "Progress by person",
        progress.people.items(),
        Column("Person", "0"),
        Column("Judged", "1.answered"),
        Column("Left", "1.left"),
        Column("Ties", "1.ties"),
        Column("Cannot judge", "1.refused"),
        Column("Changed", "1.changed"),
        Column("First shown, %", "1.first_shown", "share"),
        ("Active, min", lambda row: f"{row[1].active / 60:.1f}"),
        ("Median, s", lambda row: MISSING if row[1].median is None else f"{row[1].median:.0f}"),
        ("Last answer, UTC", lambda row: _name_time(row[1].last)),
        note="Left: comparisons that the person can still judge. First shown: share of choices of the answer "
        "shown first; about 50 without position bias, as orders are balanced. Median: active time of a "
        "judgement.",
    )


def build_checks_table(progress: StudyProgress) -> Table:
    """Return the attention checks of each person, passed of answered."""

    def count(kind: CheckKind) -> Callable[[_Row], str]:
        def format_count(row: _Row) -> str:
            found = row[1].checks[kind]
            return f"{found.passed} / {found.answered}" if found.answered else MISSING

        return format_count

    rows = [row for row in progress.people.items() if row[1].passed is not None]
    return build_table(
        "Attention checks, passed of answered",
        rows,
        Column("Person", "0"),
        *((title, count(kind)) for kind, title in _KINDS.items()),
        Column("Passed, %", "1.passed", "share"),
        note="Told the choice: the question said what to choose. Pair reversed: a pair that was judged "
        "before, in the other order. Other question: one answer was to another question. Interval: Wilson.",
    )


def build_failed_table(failed: Sequence[StudyAnswer]) -> Table:
    """Return the answers that failed a check."""
    return build_table(
        "Failed checks",
        failed,
        Column("Person", "annotator"),
        ("Check", lambda one: _KINDS[one.check] if one.check else MISSING),
        ("Question", lambda one: _shorten(one.question)),
        Column("Expected", "expected"),
        Column("Chose", "choice"),
        ("Active, s", lambda one: f"{one.seconds:.0f}"),
        names=3,
        note="Choices are the numbers of the answers as shown.",
        folded=True,
    )


def build_models_table(pairs: Sequence[PanelPair]) -> Table:
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
