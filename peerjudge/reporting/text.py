"""The findings in a terminal: a few tables that fit 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from peerjudge.analysis.compare import AgainstVote
from peerjudge.analysis.conditions import ConditionFindings, SeatFindings
from peerjudge.analysis.controls import Controlled
from peerjudge.analysis.findings import Findings
from peerjudge.analysis.peers import PeerFindings
from peerjudge.data import EventKind, Outcome, Ranking
from peerjudge.reporting.formats import (
    MISSING,
    SIMULATED,
    percent,
    points,
    role_name,
    share,
    span,
)
from peerjudge.reporting.sentences import effort_sentence

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["print_findings"]


def print_findings(findings: Findings, *, console: Console) -> None:
    """Print what a run found: accuracy, opinion events, reviewer weights, ranking.

    Nothing depends on colour. Says before anything else when reviewers were simulated.
    """
    from rich.text import Text

    if findings.simulated:
        console.print(Text(SIMULATED, style="bold"))
    console.print(Text(effort_sentence(findings.effort)))
    console.print(_accuracy_table(findings))
    for line in _unreadable_lines(findings):
        console.print(Text(line))
    if findings.by_seat:
        console.print(_events_table(findings.by_seat))
    if controls := [row for row in findings.stances.controls if row.reviewer is None]:
        console.print(_controls_table(controls))
    _print_peers(findings, console)


def _accuracy_table(findings: Findings) -> Table:
    table = _table(f"Accuracy against gold in % [{findings.level:.0%} interval]")
    against = {row.condition: row for row in findings.against_vote}
    for heading in ("Condition", "Before", "After", "Gain", *(["Over vote"] if against else [])):
        _column(table, heading, numeric=heading != "Condition")
    for condition in findings.conditions:
        row = [
            condition.name,
            percent(condition.before.measured) if condition.before else MISSING,
            percent(condition.after.measured) if condition.after else MISSING,
            points(condition.gain),
        ]
        if against:
            row.append(_over_vote(against.get(condition.name)))
        table.add_row(*map(_plain, row))
    if any(not row.same_reviewers for row in findings.against_vote):
        table.caption = _plain("* the vote was taken among other reviewers")
    return table


def _over_vote(row: AgainstVote | None) -> str:
    if row is None:
        return MISSING
    return points(row.difference) + ("" if row.same_reviewers else "*")


def _unreadable_lines(findings: Findings) -> list[str]:
    return [
        f"{condition.name}: {_lost(condition)}; if these were all wrong or all right, "
        f"accuracy is {span(condition.after.worst_case, condition.after.best_case)} %."
        for condition in findings.conditions
        if condition.after is not None and condition.after.unreadable
    ]


def _lost(condition: ConditionFindings) -> str:
    said = [
        f"{condition.outcomes[outcome]} {outcome.value}"
        for outcome in (Outcome.INCONSISTENT, Outcome.UNREADABLE, Outcome.REFUSED)
        if condition.outcomes[outcome]
    ]
    return " and ".join(said)


def _events_table(seats: tuple[SeatFindings, ...]) -> Table:
    table = _table("Who altered and who held its opinion when contradicted")
    kinds = [EventKind.HELD, EventKind.ALTERED]
    if any(seat.events[EventKind.SHIFTED] for seat in seats):
        kinds.append(EventKind.SHIFTED)
    for heading in ("Reviewer", "Role"):
        _column(table, heading)
    for heading in (*(kind.value.capitalize() for kind in kinds), "% altered"):
        _column(table, heading, numeric=True)
    for heading in ("To gold", "From gold"):
        _column(table, heading, numeric=True)
    for seat in seats:
        rate = percent(seat.altered)
        counts = [str(seat.events[kind]) for kind in kinds]
        moves = (str(seat.towards_gold), str(seat.away_from_gold))
        table.add_row(*map(_plain, (seat.reviewer, role_name(seat.role), *counts, rate, *moves)))
    return table


def _controls_table(rows: Sequence[Controlled]) -> Table:
    table = _table("What altering owes to the argument: % altered at first, if contradicted")
    for heading in ("Condition", "Altered", "By gold", "By another", "More without control"):
        _column(table, heading, numeric=heading != "Condition")
    for row in rows:
        shares = (row.altered, row.contradicted_by_gold, row.contradicted_by_wrong)
        gain = points(row.difference.difference) if row.difference else MISSING
        table.add_row(*map(_plain, (row.condition, *map(percent, shares), gain)))
    return table


def _print_peers(findings: Findings, console: Console) -> None:
    from rich.text import Text

    peers = findings.peers
    if peers is None:
        console.print(Text(f"\nNo ranking: {findings.peers_missing}"))
        return
    console.print(_ranking_table(peers))
    if peers.reason:
        console.print(Text(peers.reason))
    if peers.weights:
        console.print(_weights_table(peers, level=findings.level))


def _ranking_table(peers: PeerFindings) -> Table:
    table = _table("Ranking by the private reviews, win rate in %")
    _column(table, "Contestant")
    _column(table, "Equal weights", numeric=True)
    if peers.weighted is not None:
        _column(table, "Peer weights", numeric=True)
    best = peers.weighted or peers.equal
    for name in best.contestants:
        row = [name, _standing(peers.equal, name)]
        if peers.weighted is not None:
            row.append(_standing(peers.weighted, name))
        table.add_row(*map(_plain, row))
    return table


def _standing(ranking: Ranking, name: str) -> str:
    standing = ranking.contestants[name]
    if standing.low is None or standing.high is None:
        return f"{share(standing.score)}  #{standing.rank}"
    return (
        f"{share(standing.score)} [{share(standing.low)}, {share(standing.high)}]  #{standing.rank}"
    )


def _weights_table(peers: PeerFindings, *, level: float) -> Table:
    table = _table("Reviewer weights")
    for heading in (
        "Reviewer",
        f"Damped [{level:.0%} interval]",
        *(["PRD Equation 2"] if peers.prd else []),
    ):
        _column(table, heading, numeric=heading != "Reviewer")
    for name, weight in sorted(peers.weights.items(), key=lambda item: -item[1].value):
        row = [name, str(weight)]
        if peers.prd:
            row.append(f"{peers.prd[name]:.3f}")
        table.add_row(*map(_plain, row))
    return table


def _table(title: str) -> Table:
    from rich import box
    from rich.table import Table

    # A title is broken where its table ends, so that no table is narrower than its title.
    return Table(
        min_width=len(title),
        title=_plain(f"\n{title}"),
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1),
        header_style="",
    )


def _column(table: Table, heading: str, *, numeric: bool = False) -> None:
    if numeric:
        table.add_column(heading, justify="right", no_wrap=True)
    else:
        table.add_column(heading, overflow="fold", min_width=8)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
