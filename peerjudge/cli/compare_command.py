"""`peerjudge compare`: accuracy of conditions or reviewers on the same questions."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, print_status
from peerjudge.cli.tables import Layout, print_result, split_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from peerjudge.results.checking import Check


def compare_command(
    *sources: str,
    baseline: str = "",
    reviewers: str | None = None,
    fail_if: tuple[str, ...] = (),
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Compare accuracy on the same questions: of conditions, runs, or reviewers on record.

    Every pair has the mean difference with its interval and the sign-flip permutation test of
    questions; McNemar's test stands beside it. For a run the conclusions of its conditions are
    compared, for a dataset its reviewers. Discussions of a run are compared first with their better
    seat alone, asked once or as often, and with the vote: these tests are one family, all other pairs
    another, each with adjusted p-values (Holm; Benjamini and Hochberg). A contrast that the experiment
    declares as primary comes first and is not adjusted. Ratings of single answers are compared by their
    difference, by Pearson's, Spearman's and Kendall's coefficients, and by how well each agrees with
    gold. Where both have log-probabilities, the difference of their margins is added.

    Parameters
    ----------
    sources
        Run folders, store URLs, transcript files, or datasets NAME:PATH or FILE.py:PATH with
        reviews; one or several.
    baseline
        Compare all others with this condition or reviewer only; that needs fewer tests.
    reviewers
        For a dataset: only these, separated by commas.
    fail_if
        Exit with 1 if this holds, or cannot be tested, for any condition, reviewer or pair; repeat for
        more. `gain<0`, `accuracy[gpt4]<0.7`, `over_vote.low<-5%`, `difference<0 and p_holm<0.05`. The
        estimate is tested, or a bound of its interval with .low or .high.
    seed
        Seed of the resampling.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.checking import parse_condition
    from peerjudge.results.comparisons import compare

    conditions = [parse_condition(one) for one in fail_if]
    found = compare(*sources, baseline=baseline, reviewers=split_names(reviewers), seed=seed)
    checks = found.check(*conditions)
    if json and checks and layout == "text":
        listed = [{**asdict(one), "passed": one.passed} for one in checks]
        print_json({**found.document(), "checks": listed})
    else:
        print_result(found, json=json, layout=layout)
    return _report_checks(checks)


def _report_checks(checks: Sequence[Check]) -> int:
    """Print the checks that failed, and how many passed; return the exit code."""
    failed = [one for one in checks if not one.passed]
    for one in failed:
        print_status(f"failed: {one.condition}: {one.text}")
    if checks:
        print_status(f"{len(checks) - len(failed)} of {len(checks)} checks passed")
    return 1 if failed else 0
