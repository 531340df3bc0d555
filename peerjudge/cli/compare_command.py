"""`peerjudge compare`: accuracy of conditions or reviewers on the same questions."""

from __future__ import annotations

from peerjudge.cli.tables import print_result, split_names


def compare_command(
    *sources: str,
    baseline: str = "",
    reviewers: str | None = None,
    seed: int = 0,
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
    seed
        Seed of the resampling.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.comparisons import compare

    found = compare(*sources, baseline=baseline, reviewers=split_names(reviewers), seed=seed)
    print_result(found, json=json)
    return 0
