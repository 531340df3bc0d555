"""`peerjudge bias`: what sways reviewers besides the answers' worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, results, say_if_simulated
from peerjudge.cli.rank_command import families_of, split_names
from peerjudge.cli.tables import gold_name, odds_of, or_dash, show, table_of
from peerjudge.data import replace

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.analysis import Bias, Discussed, Position, SelfEnhancement
    from peerjudge.data import Dataset

__all__ = ["bias_command"]


async def bias_command(
    source: str,
    /,
    *,
    reviewers: str | None = None,
    gold: str = "human",
    families: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Position, self-enhancement, verbosity and order consistency of every reviewer.

    Measured on the verdicts that reviewers came with; of a run also what discussing did to the
    position bias. Intervals resample questions.

    Parameters
    ----------
    source
        A run folder, a store URL, or a dataset NAME:PATH that carries reviews.
    reviewers
        Only these, separated by commas.
    gold
        `human` for the gold of the data, or the name of a reviewer to measure against.
    families
        name=family, separated by commas: who belongs together. Cards of a run say it themselves.
    seed
        Of the resampling.
    json
        Print one JSON document.
    """
    from peerjudge.analysis import bias
    from peerjudge.data import to_plain
    from peerjudge.runs import is_run, read_source

    names = split_names(reviewers)
    dataset = await read_source(source)
    found = bias(
        dataset,
        reviewers=names,
        gold=gold,
        families=await families_of(source, families),
        seed=seed,
    )
    if is_run(source):
        found = replace(found, discussed=await _discussed(source, names, seed))
    if json:
        print_json(to_plain(found))
    else:
        say_if_simulated(dataset)
        _print(replace(found, gold=gold_name(dataset, gold)))
    return 0


async def _discussed(source: str, reviewers: list[str] | None, seed: int) -> Discussed | None:
    """Before and after, of the discussions in which somebody spoke to somebody."""
    from peerjudge.analysis import discussed
    from peerjudge.data import Comparison, Dataset, RecordedReview
    from peerjudge.ranking import Stance, reviews_from_transcripts
    from peerjudge.runs import open_run

    known: dict[str, Comparison] = {}
    stances: tuple[Stance, Stance] = ("private", "final")
    reviews: dict[Stance, list[RecordedReview]] = {stance: [] for stance in stances}
    async with open_run(source) as opened:
        async for transcript in opened.transcripts():
            spoke = len({turn.cue.seat for turn in transcript.turns if not turn.cue.private})
            if spoke > 1 and transcript.stop == "complete":
                known.setdefault(transcript.comparison.id, transcript.comparison)
                for stance in stances:
                    reviews[stance] += reviews_from_transcripts([transcript], stance=stance)

    def dataset(stance: Stance) -> Dataset:
        given = tuple(reviews[stance])
        return Dataset(
            name=source, description="", comparisons=tuple(known.values()), reviews=given
        )

    if not reviews["private"]:
        return None
    return discussed(dataset("private"), dataset("final"), reviewers=reviewers, seed=seed)


def _print(found: Bias) -> None:
    console = results()
    table = table_of(
        "Place: choices, and the share that names the first-shown answer",
        "reviewer",
        "first",
        "tie",
        "second",
        "first share",
        "same in both orders",
    )
    same = {row.reviewer: row.rate for row in found.consistency}
    for row in found.position:
        counts = (str(row.first), str(row.tie), str(row.second))
        rate = same[row.reviewer]
        # What was shown in one order only tells nothing of places.
        table.add_row(row.reviewer, *counts, str(row.share) if rate.n else "-", or_dash(rate))
    show(table)
    if found.discussed is not None:
        _print_discussed(found.discussed)
    if found.self_enhancement:
        _print_self(found.self_enhancement, found.gold)
    show(_length(found))
    measures = {"gold": f" and {found.gold}'s verdict", "peers": " and the others' verdicts"}
    quality = measures.get(found.verbosity[0].control, "")
    console.print(
        f"odds: of being chosen, for every doubling of length, at equal place, authors{quality}. That "
        f"says\n  only roughly what is better: where the better answers are longer, odds are too high."
        f"\nover {found.gold}: at equal place and authors only, over {found.gold}'s own odds on the "
        "same pairs; 1 where length\n  counts alike. Chance in verdicts draws all odds to 1."
    )


def _length(found: Bias) -> Table:
    table = table_of(
        "\nLength: how a reviewer's choices go with it",
        "reviewer",
        "longer chosen",
        f"by {found.gold}",
        "odds",
        f"over {found.gold}",
    )
    for row in found.verbosity:
        shares, odds = (row.longer, row.gold_longer), (row.odds, row.over_gold)
        table.add_row(row.reviewer, *map(or_dash, shares), *map(odds_of, odds))
    return table


def _print_discussed(found: Discussed) -> None:
    table = table_of(
        "\nPlace before and after discussing",
        "reviewer",
        "first before",
        "first after",
        "same before",
        "same after",
    )

    def shares(rows: tuple[Position, ...]) -> dict[str, str]:
        return {row.reviewer: str(row.share) for row in rows}

    before, after = shares(found.position_before), shares(found.position_after)
    rates = [
        {row.reviewer: or_dash(row.rate) for row in rows}
        for rows in (found.consistency_before, found.consistency_after)
    ]
    for name, share in before.items():
        rest = [column.get(name, "-") for column in (after, *rates)]
        table.add_row(name, share, *rest)
    show(table)


def _print_self(rows: tuple[SelfEnhancement, ...], gold: str) -> None:
    table = table_of("\nOwn answers: the win rate they get from whom", "reviewer")
    table.add_column("whose")
    for heading in ("reviewer", gold, "peers", f"over {gold}", "over peers"):
        table.add_column(heading, justify="right")
    for row in rows:
        whose = row.kind if row.kind == "own" else f"family: {', '.join(row.authors)}"
        rates = ["-" if one is None else f"{one.value:.3f}" for one in (row.gold, row.peers)]
        over = map(or_dash, (row.against_gold, row.against_peers))
        table.add_row(row.reviewer, whose, str(row.own_view), *rates, *over)
    show(table)
