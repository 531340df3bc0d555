"""`peerjudge agreement`: how well reviewers agree with gold, alone or as a panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from peerjudge.cli.console import print_json, results, say_if_simulated
from peerjudge.cli.rank_command import split_names
from peerjudge.cli.tables import gold_name, or_dash, p_value_of, show, table_of

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.analysis import GoldAgreement, Panel, PanelPair

__all__ = ["agreement_command"]


async def agreement_command(
    source: str,
    /,
    *,
    gold: str = "human",
    reviewers: str | None = None,
    weights: Literal["equal", "peer"] = "equal",
    stance: Literal["private", "final"] = "private",
    panel: bool = False,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Accuracy and Fleiss' kappa of the reviewers' combined verdict against gold.

    Parameters
    ----------
    source
        A run folder, a store URL, or a dataset NAME:PATH that carries reviews.
    gold
        `human` for the gold of the data, or the name of a reviewer to measure against.
    reviewers
        Only these, separated by commas; one alone, or several as a panel.
    weights
        Whether reviewers count alike, or as well as they do as contestants.
    stance
        Of a run: the verdicts that reviewers came with, or those they left with.
    panel
        Also the reviewers one by one and two by two: kappas, whether they err together, how many
        independent reviewers they are worth, and tests of who is better, adjusted for their number.
    seed
        Of the resampling that makes the intervals.
    json
        Print one JSON document.
    """
    from peerjudge.analysis import (
        agreement,
        agreement_document,
        measure_panel,
        select_judges,
    )
    from peerjudge.data import to_plain
    from peerjudge.runs import read_ballots, read_source

    dataset = await read_source(source, stance=stance)
    names = split_names(reviewers)
    found = agreement(dataset, reviewers=names, gold=gold, weights=weights, seed=seed)
    together = None
    if panel:
        ballots = await read_ballots(source)
        stances = ballots.where(ballots.opening if stance == "private" else ballots.closing)
        together = measure_panel(select_judges(stances, reviewers=names, gold=gold), seed=seed)
    if json:
        document = {**agreement_document(found), "simulated": dataset.simulated}
        print_json(document if together is None else {**document, "panel": to_plain(together)})
        return 0
    say_if_simulated(dataset)
    _print_agreement(found, gold=gold_name(dataset, gold))
    if together is not None:
        _print_panel(together)
    return 0


def _print_agreement(found: GoldAgreement, *, gold: str) -> None:
    console = results()
    console.print(f"{' & '.join(found.reviewers)} against {gold}")
    console.print(f"accuracy      {found.accuracy}")
    console.print(f"Fleiss kappa  {found.fleiss_kappa}")
    console.print(
        f"{found.n:,} judged pairs; {found.unreadable:,} without a readable verdict left out"
    )


def _print_panel(found: Panel) -> None:
    console = results()
    table = table_of("\nOne by one", "reviewer", "accuracy")
    for name, accuracy in found.accuracy.items():
        table.add_row(name, or_dash(accuracy))
    show(table)
    if not found.pairs:
        return
    table = table_of("\nTwo by two", "reviewers", "same", "Cohen kappa", "errors together")
    for pair in found.pairs:
        numbers = (pair.same, pair.cohen_kappa, pair.error_correlation)
        table.add_row(f"{pair.one}, {pair.other}", *map(or_dash, numbers))
    show(table)
    show(_tests(found.pairs))
    count = len(found.reviewers)
    console.print(f"\nFleiss kappa        {or_dash(found.fleiss_kappa)}")
    console.print(f"Krippendorff alpha  {or_dash(found.krippendorff_alpha)}")
    console.print(f"errors together     {or_dash(found.error_correlation)}")
    console.print(
        f"worth               {or_dash(found.effective)} independent reviewers of {count}"
    )
    console.print(
        "intervals resample questions; p-values are Holm-adjusted for the number of pairs"
    )


def _tests(pairs: Sequence[PanelPair]) -> Table:
    """Which of two is better: by how many questions (McNemar), and by correlation (Williams)."""
    table = table_of(
        "\nWho is the better of two",
        "reviewers",
        "more right on questions",
        "p (McNemar)",
        "correlation with gold",
        "p (Williams)",
    )
    for pair in pairs:
        who = f"{pair.one}, {pair.other}"
        table.add_row(who, *_more_right(pair), *_closer(pair))
    return table


def _more_right(pair: PanelPair) -> tuple[str, str]:
    """On how many questions which of the two is right more often, and the adjusted p-value."""
    if pair.accuracy is None or pair.accuracy_adjusted is None:
        return "-", "-"
    ours, theirs = pair.accuracy.ours, pair.accuracy.theirs
    return f"{ours}:{theirs}", p_value_of(pair.accuracy_adjusted)


def _closer(pair: PanelPair) -> tuple[str, str]:
    """How the verdicts of the two correlate with gold, and the adjusted p-value."""
    if pair.correlation is None or pair.correlation_adjusted is None:
        return "-", "-"
    found = pair.correlation
    return f"{found.r12:.2f}:{found.r13:.2f}", p_value_of(pair.correlation_adjusted)
