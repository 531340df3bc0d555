"""Sentences at the head of a report: the size of a run and its main findings."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from peerjudge.data import Outcome
from peerjudge.reporting.formats import counted, isolated, percent, tokens
from peerjudge.results.contestants import describe_groups
from peerjudge.results.contrasts import phrase_p, say_contrasts, signed_points
from peerjudge.results.ratings import say_ratings

if TYPE_CHECKING:
    from peerjudge.analysis.effort import Effort
    from peerjudge.analysis.findings import Findings


def describe_effort(effort: Effort) -> str:
    """Return in one line what was played."""
    discussions = (
        f"{counted(effort.done, 'discussion')} of {counted(effort.comparisons, 'comparison')}"
    )
    rest = [
        f"{count:,} {word}"
        for count, word in ((effort.failed, "failed"), (effort.unfinished, "unfinished"))
        if count
    ]
    about = "about " if effort.estimated else ""
    used = effort.prompt_tokens + effort.completion_tokens
    spent = f"{about}{tokens(used)}" if used else "no tokens counted"
    if effort.thinking_tokens:
        spent += f" ({effort.thinking_tokens:,} of them thinking)"
    more = f" ({', '.join(rest)})" if rest else ""
    asked = (
        f" After {effort.asked:,} of the replies the reviewer was asked for its choice and named "
        f"{counted(effort.asked_verdicts, 'choice')}."
        if effort.asked
        else ""
    )
    second = (
        f" A second model reread {effort.reread:,} of the replies and found "
        f"{counted(effort.reread_verdicts, 'verdict')}."
        if effort.reread
        else ""
    )
    return f"{discussions}{more}; {counted(effort.turns, 'turn')}, {spent}.{asked}{second}"


def summarize_findings(findings: Findings) -> list[str]:
    """Return the main findings of a run, the most important first; missing ones are left out."""
    recommended = findings.ways.summary
    return [
        *say_ratings(findings.rated, findings.rating_shifts),
        *say_contrasts(findings.contrasts, decision=findings.decision),
        *([recommended] if recommended else []),
        *_moved(findings),
        *_leading(findings),
        *_first(findings),
        *_lost(findings),
    ]


def _moved(findings: Findings) -> Iterator[str]:
    rows = [
        (altered.value, altered, seat)
        for seat in findings.by_reviewer
        if (altered := seat.altered) is not None and seat.contradicted
    ]
    if not rows:
        return
    _, altered, most = max(rows, key=itemgetter(0))
    sentence = (
        f"When contradicted, {isolated(most.reviewer)} altered its opinion {percent(altered)} % of "
        f"{counted(most.contradicted, 'time')}"
    )
    _, altered, least = min(rows, key=itemgetter(0))
    if least is not most:
        sentence += f", {isolated(least.reviewer)} {percent(altered)} % of {least.contradicted:,}"
    yield f"{sentence}."


def _leading(findings: Findings) -> Iterator[str]:
    for row in findings.stances.ordering:
        if row.reviewer is None and row.altered is not None and row.altered.difference.n:
            difference, p_value = row.altered.difference, row.altered.p_value
            apart = difference.low > 0.0 or difference.high < 0.0
            shown = "changed" if apart and p_value < 0.05 else "is not shown to change"
            yield (
                f"Leading rather than following {shown} how often a reviewer alters its opinion: "
                f"{signed_points(difference)} points (p\u00a0{phrase_p(p_value)})."
            )


def _first(findings: Findings) -> Iterator[str]:
    peers = findings.peers
    if peers is None:
        return
    ranking = peers.weighted or peers.equal
    if len(ranking.groups) > 1:
        # Without battles between the groups there is no first contestant.
        yield describe_groups(ranking)
        return
    name, standing = next(iter(ranking.contestants.items()), ("", None))
    if standing is None or standing.rank_low is None or standing.rank_high is None:
        return
    ranks = (
        "rank 1 in nearly every resampling"
        if standing.rank_low == standing.rank_high
        else f"ranks {standing.rank_low} to {standing.rank_high} are possible"
    )
    yield f"Ranked first of {len(ranking.contestants)}: {isolated(name)}; {ranks}."


def _lost(findings: Findings) -> Iterator[str]:
    effort = findings.effort
    lost = sum(
        condition.outcomes[outcome]
        for condition in findings.conditions
        for outcome in (Outcome.UNREADABLE, Outcome.REFUSED)
    )
    parts = [
        f"{number:,} {word}"
        for number, word in (
            (lost, "concluded nothing readable"),
            (effort.failed, "failed"),
            (effort.unfinished, "have not ended"),
        )
        if number
    ]
    if parts:
        yield f"Of {counted(effort.discussions, 'discussion')}, {' and '.join(parts)}."
