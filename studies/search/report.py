"""Report of repeated searches: adoptions, gains on the held-out test, and what naive choices overstate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from peerjudge.data import Search
from studies.outcome import Study, Table
from studies.search.asymmetric import DEPENDENCES, SEARCHES as DECISIONS, Cell, measure_cells
from studies.search.searches import NEUTRAL, PLANTED, Searched, measure_searches

SIZES = ((60, 40, 100), (150, 100, 250))
"""Questions to search, select and test."""
SEARCHES = 200
_NAMES = {PLANTED: "an edit worth .13", NEUTRAL: "nothing"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Many searches of one kind, as means over them.

    `found` is the share whose best candidate on the search split lacks the harmful words, `naive_gain` the
    gain on the test split of that candidate, and `overstatement` its score on the search split less that on
    the test split. `covered` and `naive_covered` are the shares of 95 % test intervals that hold the true
    difference, of the `intervals` and `naive_intervals` of searches that changed something. `halving` is
    the mean share of calls of a step with halving, `most_halving` the greatest.
    """

    planted: str
    sizes: tuple[int, int, int]
    searches: int
    found: float
    adopted: float
    gain: float
    naive_adopted: float
    naive_gain: float
    overstatement: float
    covered: float | None
    intervals: int
    naive_covered: float | None
    naive_intervals: int
    halving: float
    most_halving: float
    calls: float


def compute_searches(
    *,
    seed: int,
    searches: int = SEARCHES,
    sizes: Sequence[tuple[int, int, int]] = SIZES,
    decisions: int = DECISIONS,
) -> Study:
    """Repeat searches by GRIPS, with a planted edit and without one, at each size of the splits.

    Args:
        seed: of the simulated worlds, splits and edits.
        searches: number of searches of each kind.
        sizes: numbers of questions to search, select and test.
        decisions: number of decisions about finalists whose differences are asymmetric, of each kind.
    """
    rows = measure_rows(seed=seed, searches=searches, sizes=sizes)
    cells = measure_cells(seed=seed, searches=decisions)
    return Study(
        title="Does a search adopt what is better, and nothing else?",
        summary=(*(_say(row) for row in rows), _say_cells(cells)),
        tables=(
            _build_decisions(rows),
            _build_checks(rows),
            _build_cells(cells, decisions=decisions),
        ),
        figures={},
        document={
            "simulated": True,
            "rows": [asdict(row) for row in rows],
            "asymmetric": [asdict(cell) for cell in cells],
        },
    )


def measure_rows(
    *, seed: int, searches: int, sizes: Sequence[tuple[int, int, int]]
) -> tuple[Row, ...]:
    """Repeat searches of every kind at every size; see `compute_searches`."""
    return tuple(
        summarize_searches(
            measure_searches(card, sizes=each, searches=searches, seed=seed, search=Search()),
            planted=planted,
            sizes=each,
        )
        for each in sizes
        for card, planted in _NAMES.items()
    )


def summarize_searches(
    searched: Sequence[Searched], *, planted: str, sizes: tuple[int, int, int]
) -> Row:
    """Return the means over searches."""
    covered = [one.covered for one in searched if one.covered is not None]
    naive = [one.naive_covered for one in searched if one.naive_covered is not None]
    halved = [share for one in searched for share in one.halved]
    return Row(
        planted=planted,
        sizes=sizes,
        searches=len(searched),
        found=fmean(one.found for one in searched),
        adopted=fmean(one.adopted for one in searched),
        gain=fmean(one.gain for one in searched),
        naive_adopted=fmean(one.naive_adopted for one in searched),
        naive_gain=fmean(one.naive_gain for one in searched),
        overstatement=fmean(one.naive_overstatement for one in searched),
        covered=fmean(covered) if covered else None,
        intervals=len(covered),
        naive_covered=fmean(naive) if naive else None,
        naive_intervals=len(naive),
        halving=fmean(halved),
        most_halving=max(halved),
        calls=fmean(one.calls for one in searched),
    )


def _say(row: Row) -> str:
    return (
        f"With {row.planted} planted and {'/'.join(map(str, row.sizes))} questions, {row.adopted:.0%} of "
        f"{row.searches} searches adopted a candidate, with a mean gain of {row.gain:+.3f} on the test "
        f"split; the best on the search split looked better there by {row.overstatement:+.3f} than on the "
        "test split."
    )


def _say_cells(cells: Sequence[Cell]) -> str:
    false = max(max(cell.adopted) for cell in cells if not cell.mean > 0.0)
    least = min(cell.covered for cell in cells)
    return (
        f"Where a wording gains little often and loses much seldom, without a true difference, at most "
        f"{false:.1%} of decisions adopt a finalist, and at least {least:.1%} of held-out intervals hold the "
        "true difference."
    )


def _build_cells(cells: Sequence[Cell], *, decisions: int) -> Table:
    return Table(
        title="Share of decisions that adopt a finalist, and of held-out intervals that hold the truth",
        columns=("differences", "mean", "questions", *DEPENDENCES, "held"),
        rows=tuple(
            (cell.population, cell.mean, cell.questions, *cell.adopted, cell.covered)
            for cell in cells
        ),
        note=f"{decisions:,} decisions a cell. differences: of a question, 0 in the others. mean: the true "
        "difference; without one, every adoption is false. alike: 70 % of questions differ in the same way.",
    )


def _build_decisions(rows: Sequence[Row]) -> Table:
    return Table(
        title=f"Decisions of {rows[0].searches} searches each",
        columns=(
            "planted",
            "questions",
            "found",
            "adopted",
            "gain",
            "adopted naively",
            "naive gain",
            "overstated",
        ),
        rows=tuple(
            (
                row.planted,
                "/".join(map(str, row.sizes)),
                row.found,
                row.adopted,
                row.gain,
                row.naive_adopted,
                row.naive_gain,
                row.overstatement,
            )
            for row in rows
        ),
        note="questions: to search, select and test. gain: mean over all searches on the test split, 0 "
        "without an adoption. naively: the best on the search split; overstated: its score there less that "
        "on the test split.",
    )


def _build_checks(rows: Sequence[Row]) -> Table:
    return Table(
        title="95 % test intervals that hold the true difference, and calls of a step with halving",
        columns=(
            "planted",
            "questions",
            "adopted hold",
            "of",
            "naive hold",
            "of naive",
            "halving",
            "at most",
            "calls to search",
        ),
        rows=tuple(
            (
                row.planted,
                "/".join(map(str, row.sizes)),
                row.covered,
                row.intervals,
                row.naive_covered,
                row.naive_intervals,
                row.halving,
                row.most_halving,
                round(row.calls),
            )
            for row in rows
        ),
        note="halving: calls of a step over those of all its candidates on all questions.",
    )
