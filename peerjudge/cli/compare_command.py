"""`peerjudge compare`: accuracy of conditions or reviewers on the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, say_if_few
from peerjudge.cli.rank_command import split_names
from peerjudge.cli.tables import say, show
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from peerjudge.analysis import AccuracyByComparison, ConditionContrasts, Sampler
    from peerjudge.reporting.layout import Column


async def compare_command(
    *sources: str,
    baseline: str = "",
    reviewers: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Compare accuracy on the same questions: of conditions, runs, or reviewers on record.

    Every pair has the mean difference with its interval and the sign-flip permutation test of
    questions; McNemar's test stands beside it. For a run the conclusions of its conditions are compared,
    for a dataset its reviewers. Discussions of a run are compared first with their better seat alone,
    asked once or as often, and with the vote: these tests are one family, all other pairs another, each
    with adjusted p-values (Holm; Benjamini and Hochberg). A contrast that the experiment declares as
    primary comes first and is not adjusted. Where both have log-probabilities, the difference of their
    margins is added.

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
    from peerjudge.analysis.score_document import build_contrasts_document
    from peerjudge.data import to_plain
    from peerjudge.reporting.accuracy import build_pairs_table
    from peerjudge.reporting.contrasts import build_contrasts_table, describe_missing
    from peerjudge.reporting.formats import SIMULATED, percent
    from peerjudge.reporting.layout import build_table

    different = list(dict.fromkeys(sources))
    sampler = Sampler(seed=seed)
    found = [await _read(source, split_names(reviewers), sampler) for source in different]
    rows, contrasts = _name_rows(different, found)
    simulated = any(one.simulated for one in found)
    pairs = compare_all(rows, baseline=baseline, contrasts=contrasts, sampler=sampler)
    if not pairs and not any(one.difference for row in contrasts for one in row.all):
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
                "contrasts": build_contrasts_document(contrasts),
                "pairs": to_plain(pairs),
                "simulated": simulated,
            }
        )
        return 0
    if simulated:
        say(SIMULATED)
    say_if_few(len({question for one in rows for question, _ in one.right}))
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
        table,
        build_contrasts_table(contrasts),
        build_pairs_table("On the same comparisons, difference in accuracy in points", pairs),
    )
    say(*describe_missing(contrasts))
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The conditions or reviewers of a source, and its discussions against cheaper ways to judge."""

    rows: tuple[AccuracyByComparison, ...]
    contrasts: tuple[ConditionContrasts, ...]
    simulated: bool


async def _read(source: str, reviewers: Sequence[str] | None, sampler: Sampler) -> _Found:
    from peerjudge.analysis import (
        build_contrasts,
        collect_transcripts,
        tabulate_by_condition,
        tabulate_by_reviewer,
    )
    from peerjudge.runs import frames, is_run, open_run, read_ballots

    if not is_run(source):
        ballots = await read_ballots(source)
        rows = tabulate_by_reviewer(ballots, reviewers=reviewers)
        return _Found(rows=rows, contrasts=(), simulated=ballots.simulated)
    async with open_run(source) as opened:
        primary = opened.primary
    ballots = frames.read_without_texts(source, collect_transcripts, logprobs=True)
    return _Found(
        rows=tuple(row for row in tabulate_by_condition(ballots) if row.right),
        contrasts=build_contrasts(ballots, sampler=sampler, primary=primary),
        simulated=ballots.simulated,
    )


def _name_rows(
    sources: Sequence[str], found: Sequence[_Found]
) -> tuple[list[AccuracyByComparison], list[ConditionContrasts]]:
    """Return all rows; where several sources have the same name, the source is put before it."""
    from peerjudge.data import replace as changed
    from peerjudge.runs import hide_password

    times = Counter(one.name for these in found for one in these.rows)
    rows: list[AccuracyByComparison] = []
    contrasts: list[ConditionContrasts] = []
    for source, these in zip(sources, found, strict=True):
        before = f"{hide_password(source)}: "
        names = {one.name: (before if times[one.name] > 1 else "") + one.name for one in these.rows}
        rows += [replace(one, name=names[one.name]) for one in these.rows]
        for row in these.contrasts:
            votes = {
                kind: changed(one, against=tuple(names.get(name, name) for name in one.against))
                for kind, one in (
                    ("over_self_consistency", row.over_self_consistency),
                    ("over_vote", row.over_vote),
                )
            }
            condition = names.get(row.condition, row.condition)
            contrasts.append(changed(row, condition=condition, **votes))
    return rows, contrasts
