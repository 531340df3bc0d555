"""`peerjudge events`: who altered and who held its opinion, event by event or summed up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, results
from peerjudge.cli.rank_command import p_value_of, table_of
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from peerjudge.analysis.stances import StanceCounts, Stances
    from peerjudge.data import Measurement

__all__ = ["events_command"]


async def events_command(
    run: str,
    /,
    *,
    summary: bool = False,
    graph: Path | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Print the opinion events of a run, one per line, or what they add up to.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement.

    Parameters
    ----------
    run
        A run folder or a store URL.
    summary
        Sum up: who alters and holds, against whom, when and which way; who persuades whom; what
        leading does; when agreement comes; what discussing gains; conditions against one another.
    graph
        Write who persuades whom to this file as a GraphML graph.
    seed
        Of the resampling that makes the intervals of the summary.
    json
        Print every event as one line of JSON, or the summary as one document.
    """
    if not summary and graph is None:
        await _print_events(run, json=json)
        return 0
    found = await _stances(run, seed)
    if graph is not None:
        _write_graph(found, graph)
    if summary and json:
        from peerjudge.data import to_plain

        print_json(to_plain(found))
    elif summary:
        _print_summary(found)
    return 0


async def _print_events(run: str, *, json: bool) -> None:
    from peerjudge.data import to_plain
    from peerjudge.experiment import open_run
    from peerjudge.tracker import opinion_events

    async with open_run(run) as opened:
        async for transcript in opened.transcripts():
            for event in opinion_events(transcript):
                if json:
                    print_json(to_plain(event))
                else:
                    simulated = ", simulated" if event.simulated else ""
                    control = "" if event.control == "none" else f" ({event.control})"
                    print(
                        f"{event.condition}  {event.comparison}  turn {event.turn}  "
                        f"{event.reviewer} ({event.role}{simulated}) "
                        f"{event.kind.replace('_', ' ')}: "
                        f"{event.before} -> {event.after}, "
                        f"{'not told' if event.control == 'placebo' else 'heard'} {event.others}{control}"
                    )


async def _stances(run: str, seed: int) -> Stances:
    from peerjudge.analysis.stances import stances
    from peerjudge.experiment import frames

    return frames.read_without_texts(run, lambda transcripts: stances(transcripts, seed=seed))


def _write_graph(found: Stances, path: Path) -> None:
    import networkx as nx

    from peerjudge.analysis.stances import persuasion_graph

    try:
        nx.write_graphml(persuasion_graph(found.persuasion), path)  # pyright: ignore[reportUnknownMemberType]  partial stubs
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another file with --graph"
        raise StoreError(msg) from cause


def _print_summary(found: Stances) -> None:
    _print_counts(found.counts)
    console = results()
    table = table_of("\nWho persuades whom", "speaker", "listener", "contradicted", "altered")
    for row in found.persuasion:
        table.add_row(row.speaker, row.listener, str(row.contradicted), _percent(row.share))
    console.print(table)
    table = table_of(
        "\nLeading instead of following, on the same comparisons",
        "reviewer",
        "altered more by",
        "p",
        "right more by",
        "p",
        "leader prevails",
    )
    for row in found.ordering:
        cells: list[str] = []
        for one in (row.altered, row.accuracy):
            cells += ["-", "-"] if one is None else [str(one.difference), p_value_of(one.p_value)]
        table.add_row(row.reviewer or "all", *cells, _percent(row.leader_prevails))
    console.print(table)
    _print_outcomes(found)
    _print_controls(found)
    note = "; simulated" if found.simulated else ""
    console.print(f"\n{found.discussions} ended discussions; intervals resample questions{note}")


def _print_counts(counts: tuple[StanceCounts, ...]) -> None:
    from peerjudge.data import Direction

    table = table_of(
        "Who alters and who holds, where contradicted; moves seen from gold, majority, first shown",
        "reviewer",
        "role",
        "against",
        "turn",
        "contradicted",
        "altered",
        "to gold",
        "gold +/-",
        "majority +/-",
        "first +/-",
    )
    for row in counts:
        directions = (row.gold, row.majority, row.first)
        table.add_row(
            row.reviewer or "all",
            row.role or "",
            row.opponent or "",
            str(row.round or ""),
            str(row.altered.n),
            _percent(row.altered),
            _percent(row.towards_gold),
            *(f"{one[Direction.TOWARDS]}/{one[Direction.AWAY]}" for one in directions),
        )
    results().print(table)


def _print_outcomes(found: Stances) -> None:
    console = results()
    table = table_of(
        "\nComing to agree", "condition", "from start", "reached", "lasted", "after turns", "never"
    )
    for row in found.settling:
        after = ", ".join(f"{turn}: {count}" for turn, count in row.after.items())
        start = f"{row.from_start} of {row.discussions}"
        reached, lasted = _percent(row.reached), _percent(row.lasted)
        table.add_row(row.condition, start, reached, lasted, after, str(row.never))
    console.print(table)
    table = table_of(
        "\nAccuracy of stances", "condition", "reviewer", "before", "after", "gain", "p"
    )
    for row in found.changes:
        shares = (_percent(row.before), _percent(row.after))
        gain = str(row.gain.difference)
        table.add_row(row.condition, row.reviewer, *shares, gain, p_value_of(row.gain.p_value))
    console.print(table)
    table = table_of(
        "\nConditions on the same comparisons: accuracy of one minus the other",
        "one",
        "other",
        "turns",
        "difference",
        "McNemar",
        "p",
        "Holm",
        "BH",
    )
    for row in found.conditions:
        table.add_row(
            row.one,
            row.other,
            f"{row.turns:.1f}, {row.other_turns:.1f}",
            str(row.difference.difference),
            f"{row.test.ours}:{row.test.theirs}",
            *map(p_value_of, (row.test.p_value, row.holm, row.benjamini_hochberg)),
        )
    console.print(table)


def _print_controls(found: Stances) -> None:
    if not found.controls:
        return
    table = table_of(
        "\nWhat altering owes to the argument: altered at the first turn, if contradicted",
        "condition",
        "control",
        "reviewer",
        "altered",
        "by gold",
        "by another",
        "without control more by",
        "p",
        "Holm",
    )
    for row in found.controls:
        difference = row.difference
        compared = ["-", "-", "-"]
        if difference is not None and row.holm is not None:
            p_values = map(p_value_of, (difference.p_value, row.holm))
            compared = [str(difference.difference), *p_values]
        shares = (row.altered, row.contradicted_by_gold, row.contradicted_by_wrong)
        table.add_row(
            row.condition, row.control, row.reviewer or "all", *map(_percent, shares), *compared
        )
    results().print(table)


def _percent(found: Measurement) -> str:
    if found.n == 0:
        return "-"
    return f"{100 * found.value:.0f} [{100 * found.low:.0f}, {100 * found.high:.0f}]"
