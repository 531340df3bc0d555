"""`peerjudge compare`: accuracy of conditions or reviewers on the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json
from peerjudge.cli.rank_command import split_names
from peerjudge.cli.tables import say, show
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from peerjudge.analysis import AccuracyByComparison
    from peerjudge.reporting.layout import Column


async def compare_command(
    *sources: str,
    baseline: str = "",
    reviewers: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Compare accuracy on the same questions: of conditions, runs, or reviewers on record.

    Every pair has the mean difference with its interval, the exact McNemar test over questions, and
    p-values adjusted for all pairs (Holm; Benjamini and Hochberg). Where both have
    log-probabilities, the difference of their margins is added. For a run the conclusions of its
    conditions are compared, for a dataset its reviewers.

    Parameters
    ----------
    sources
        Run folders, store URLs, transcript files, or datasets NAME:PATH or FILE.py:PATH with
        reviews; one or several.
    baseline
        Compare all others with this condition or reviewer only; that needs fewer tests.
    reviewers
        For a dataset: only these, separated by commas.
    seed
        Seed of the resampling.
    json
        Print the result as one JSON document.
    """
    from peerjudge.analysis import Sampler, compare_all, measure_mean_accuracy, measure_mean_margin
    from peerjudge.data import to_plain
    from peerjudge.reporting.accuracy import build_pairs_table
    from peerjudge.reporting.formats import SIMULATED, percent
    from peerjudge.reporting.layout import build_table

    different = list(dict.fromkeys(sources))
    found = [await _read_accuracies(source, split_names(reviewers)) for source in different]
    rows = _name_rows(different, [these for these, _ in found])
    simulated = any(played for _, played in found)
    sampler = Sampler(seed=seed)
    pairs = compare_all(rows, baseline=baseline, sampler=sampler)
    if not pairs:
        names = ", ".join(one.name for one in rows) or "none"
        msg = (
            "compare needs two conditions or reviewers with readable verdicts on the same comparisons "
            f"with gold; found {names}. Give one or more run folders, store URLs or datasets NAME:PATH."
        )
        raise DataError(msg)
    accuracy = {one.name: measure_mean_accuracy(one, sampler=sampler) for one in rows}
    measured = {one.name: measure_mean_margin(one, sampler=sampler) for one in rows}
    margin = {name: found for name, found in measured.items() if found is not None}
    if json:
        print_json(
            {
                "accuracy": to_plain(accuracy),
                "margin": to_plain(margin),
                "pairs": to_plain(pairs),
                "simulated": simulated,
            }
        )
        return 0
    if simulated:
        say(SIMULATED)
    margins: list[Column[AccuracyByComparison]] = []
    if margin:
        margins = [("Margin", lambda one: percent(margin.get(one.name)))]
    table = build_table(
        "Accuracy and margin in %" if margin else "Accuracy in %",
        rows,
        ("Name", lambda one: one.name),
        ("Accuracy", lambda one: percent(accuracy[one.name])),
        *margins,
        ("Comparisons", lambda one: f"{accuracy[one.name].n:,}"),
        ("Turns", lambda one: f"{one.turns:.1f}"),
    )
    show(
        table, build_pairs_table("On the same comparisons, difference in accuracy in points", pairs)
    )
    return 0


async def _read_accuracies(
    source: str, reviewers: Sequence[str] | None
) -> tuple[tuple[AccuracyByComparison, ...], bool]:
    """Return the conditions or reviewers of a source, and whether any of them is simulated."""
    from peerjudge.analysis import (
        collect_transcripts,
        tabulate_by_condition,
        tabulate_by_reviewer,
    )
    from peerjudge.runs import frames, is_run, read_ballots

    if not is_run(source):
        ballots = await read_ballots(source)
        return tabulate_by_reviewer(ballots, reviewers=reviewers), ballots.simulated
    ballots = frames.read_without_texts(source, collect_transcripts, logprobs=True)
    rows = tabulate_by_condition(ballots)
    return tuple(row for row in rows if row.right), ballots.simulated


def _name_rows(
    sources: Sequence[str], found: Sequence[Sequence[AccuracyByComparison]]
) -> list[AccuracyByComparison]:
    """Return all rows; where several sources have the same name, the source is put before it."""
    from peerjudge.runs import hide_password

    times = Counter(one.name for these in found for one in these)
    return [
        replace(one, name=f"{hide_password(source)}: {one.name}") if times[one.name] > 1 else one
        for source, these in zip(sources, found, strict=True)
        for one in these
    ]
