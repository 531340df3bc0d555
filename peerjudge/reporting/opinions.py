"""Tables and figures of opinion changes: events, persuasion, leading, controls, agreement, courses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING

from peerjudge.data import Direction, EventKind, Measurement, Role
from peerjudge.reporting.accuracy import SHARES, changes_table, pairs_table
from peerjudge.reporting.drawing import Figure
from peerjudge.reporting.figures import (
    Counts,
    Link,
    Series,
    Square,
    Strip,
    bar_figure,
    line_figure,
    network_figure,
    strip_figure,
)
from peerjudge.reporting.formats import (
    MISSING,
    counted,
    event_name,
    interval_note,
    p_value,
    percent,
    points,
    role_name,
    share,
    share_tick,
)
from peerjudge.reporting.layout import Part, Section, Table, table_of

if TYPE_CHECKING:
    from peerjudge.analysis import PairedDifference
    from peerjudge.analysis.conditions import SeatFindings
    from peerjudge.analysis.controls import Controlled
    from peerjudge.analysis.courses import Course
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.influence import StanceCounts
    from peerjudge.analysis.outcomes import Ordering, Settling
    from peerjudge.analysis.stances import Stances

_CONTRADICTED = (EventKind.HELD, EventKind.ALTERED, EventKind.SHIFTED)
_HEADS = {Role.LEADER: "L", Role.FOLLOWER: "F"}
_MOST_NODES = 8
"""Arrows between more reviewers than this cover each other; the table has all."""
_MOST_WORDS = 10
"""More arrows than this have room for their shares only; the table has the counts."""


def opinions_section(findings: Findings) -> Section | None:
    """Return who altered and who held its opinion: by role, by turn, by opponent, by condition."""
    if not findings.by_seat:
        return None
    stances = findings.stances
    shifts = any(seat.events[EventKind.SHIFTED] for seat in findings.by_seat)
    meaning = (
        "What a seat did after it heard a verdict other than its own. Held: it kept its own. "
        "Altered: it adopted the other."
        + (" Shifted: it moved to a third." if shifts else "")
        + " "
        "Counted by rule over all conditions with discussion; the leader speaks first."
    )
    parts: list[Part | None] = [meaning, events_figure(findings), events_table(findings.by_seat)]
    rounds = _rounds(stances.counts)
    if rounds:
        parts.append(_below("Turn by turn", turns_figure(findings), moves_table(rounds, by="turn")))
    opponents = [row for row in stances.counts if row.opponent is not None]
    if opponents:
        figure = persuasion_figure(findings)
        arrows = (
            "An arrow runs from the reviewer that persuaded to the reviewer that altered its opinion. "
            "Its thickness and its label show how often, as a share of their disagreements."
        )
        table = moves_table(opponents, by="reviewer heard")
        parts.append(_below("Persuasion", figure and arrows, figure, table))
    if stances.ordering:
        meaning = (
            "The same reviewer on the same comparison, leading minus following. A leader prevails "
            "when a disagreement ends in agreement with the leader's own stance."
        )
        parts.append(_below("Effect of leading", meaning, ordering_table(stances.ordering)))
    if stances.controls:
        meaning = (
            "Conditions beside their controls, in which a seat hears something other than the "
            "argument of its opponent. Opinions that are altered in a control too are not due to the "
            "argument. Counted at the first turn of each seat after it hears another."
        )
        parts.append(_below("Effect of the argument", meaning, controls_table(stances.controls)))
    if stances.settling:
        figure = agreement_figure(findings)
        parts.append(_below("Time to agreement", figure, settling_table(stances.settling)))
    if findings.courses:
        meaning = (
            "The most common sequences of verdicts, up to six for each condition; a filled square "
            "names gold. The list of transcripts shows the sequence of every discussion."
        )
        parts.append(_below("Courses of discussions", meaning, courses_figure(findings)))
    parts.append(_below("Agreement", _agreement_table(findings)))
    return Section(
        id="opinions",
        title="Opinion changes",
        link="Opinion changes",
        parts=[part for part in parts if part is not None],
    )


def _below(title: str, *parts: Part | None) -> Section:
    held = [part for part in parts if part is not None]
    return Section(id=title.lower().replace(" ", "-"), title=title, parts=held)


def events_table(seats: Sequence[SeatFindings]) -> Table:
    """Return the opinion events of each reviewer and role, and its moves to and from gold."""
    kinds = _shown_kinds(seat.events for seat in seats)
    return table_of(
        "Opinion events by reviewer and role, altered in %",
        seats,
        ("Reviewer", lambda seat: seat.reviewer),
        ("Role", lambda seat: role_name(seat.role)),
        *((event_name(kind).capitalize(), _number_of(kind)) for kind in kinds),
        ("% altered", lambda seat: percent(seat.altered)),
        ("To gold", lambda seat: f"{seat.towards_gold:,}"),
        ("From gold", lambda seat: f"{seat.away_from_gold:,}"),
        ("No event", lambda seat: f"{sum(seat.no_events.values()):,}"),
        names=2,
        note="% altered: of the times that the seat was contradicted. To and from gold: moves. No "
        "event: a verdict after hearing another, where one of the two has no readable stance.",
    )


def _shown_kinds(events: Iterable[Mapping[EventKind, int]]) -> list[EventKind]:
    """Return holding and altering, and the other kinds that occur."""
    found = {kind for one in events for kind, number in one.items() if number}
    return [kind for kind in EventKind if kind in found | {EventKind.HELD, EventKind.ALTERED}]


def _number_of(kind: EventKind) -> Callable[[SeatFindings | StanceCounts], str]:
    return lambda row: f"{row.events[kind]:,}"


def moves_table(rows: Sequence[StanceCounts], *, by: str) -> Table:
    """Return opinion events and moves, for counts that are grouped in the same way."""
    kinds = _shown_kinds(row.events for row in rows)
    return table_of(
        f"Opinion events by {by}, shares in %",
        rows,
        ("Reviewer", lambda row: row.reviewer or MISSING),
        ("Role", lambda row: MISSING if row.role is None else row.role.value),
        ("Heard", _heard),
        ("Turn", lambda row: MISSING if row.round is None else str(row.round)),
        *((event_name(kind).capitalize(), _number_of(kind)) for kind in kinds),
        ("% altered", lambda row: percent(row.altered)),
        ("% to gold", lambda row: percent(row.towards_gold)),
        ("Gold", lambda row: _moves(row.gold)),
        ("Majority", lambda row: _moves(row.majority)),
        ("First shown", lambda row: _moves(row.first)),
        names=4,
        note="% altered: of the times contradicted. % to gold: of the moves between gold and another "
        "answer. The last columns count moves to and away from gold, the majority of the private "
        "verdicts, and the first-shown answer. Turns are counted from 1 after the private reviews; "
        "itself is another seat of the same reviewer.",
    )


def _heard(row: StanceCounts) -> str:
    if row.opponent is None:
        return MISSING
    return "itself" if row.opponent == row.reviewer else row.opponent


def _moves(directions: Mapping[Direction, int]) -> str:
    towards, away = directions[Direction.TOWARDS], directions[Direction.AWAY]
    return f"{towards} : {away}" if towards or away else MISSING


def ordering_table(rows: Sequence[Ordering]) -> Table:
    """Return the effect of leading instead of following on altering and on accuracy."""

    def difference(paired: PairedDifference | None) -> str:
        return MISSING if paired is None else points(paired.difference)

    def p_of(paired: PairedDifference | None) -> str:
        return MISSING if paired is None else p_value(paired.p_value)

    return table_of(
        "Leading minus following, in points",
        rows,
        ("Reviewer", lambda row: row.reviewer or "all"),
        ("Altered", lambda row: difference(row.altered)),
        ("p, altered", lambda row: p_of(row.altered)),
        ("Accuracy", lambda row: difference(row.accuracy)),
        ("p, accuracy", lambda row: p_of(row.accuracy)),
        ("% leader prevails", lambda row: percent(row.leader_prevails)),
        note="% leader prevails: of the disagreements that ended in agreement.",
    )


def controls_table(rows: Sequence[Controlled]) -> Table:
    """Return how often opinions are altered in conditions and in their controls."""
    return table_of(
        "Altered at the first contradiction, in %, with and without controls",
        rows,
        ("Condition", lambda row: row.condition),
        ("Control", lambda row: row.control.replace("_", " ")),
        ("Reviewer", lambda row: row.reviewer or "all"),
        ("Altered", lambda row: percent(row.altered)),
        ("By gold", lambda row: percent(row.contradicted_by_gold)),
        ("By another", lambda row: percent(row.contradicted_by_wrong)),
        (
            "More without",
            lambda row: (row.difference and points(row.difference.difference)) or MISSING,
        ),
        ("p", lambda row: p_value(row.difference and row.difference.p_value)),
        ("p, Holm", lambda row: p_value(row.holm)),
        names=3,
        note="By gold, by another: contradicted by the gold answer or by another one. More without: "
        "altered in the condition without the control minus altered here, in points.",
    )


def settling_table(rows: Sequence[Settling]) -> Table:
    """Return after how many turns the seats of each condition agreed for the first time."""
    turns = sorted({turn for row in rows for turn in row.after if turn})

    def after(turn: int) -> Callable[[Settling], str]:
        return lambda row: f"{row.after.get(turn, 0):,}"

    return table_of(
        "Discussions by the turn of first agreement, shares in %",
        rows,
        ("Condition", lambda row: row.condition),
        ("Discussions", lambda row: f"{row.discussions:,}"),
        ("From the start", lambda row: f"{row.from_start:,}"),
        *((f"After {turn}", after(turn)) for turn in turns),
        ("Never", lambda row: f"{row.never:,}"),
        ("% agreed", lambda row: percent(row.reached)),
        ("% lasted", lambda row: percent(row.lasted)),
        note="% agreed: of the discussions that began in disagreement. % lasted: of these, the share "
        "that still agreed at the end.",
    )


def _agreement_table(findings: Findings) -> Table:
    return table_of(
        "Discussions whose seats agree, in %",
        [one for one in findings.conditions if one.seats > 1],
        ("Condition", lambda row: row.name),
        ("In private", lambda row: percent(row.agreement.before)),
        ("At the end", lambda row: percent(row.agreement.after)),
    )


def summary_tables(found: Stances) -> list[Table]:
    """Return everything about the stances of a run, as `peerjudge events --summary` prints it."""
    plain = [row for row in found.counts if row.opponent is None and row.round is None]
    groups = {
        "reviewer": [row for row in plain if row.role is None],
        "reviewer and role": [row for row in plain if row.role is not None],
        "reviewer heard": [row for row in found.counts if row.opponent is not None],
        "turn": _rounds(found.counts),
    }
    return [
        *(moves_table(rows, by=by) for by, rows in groups.items()),
        ordering_table(found.ordering),
        settling_table(found.settling),
        changes_table(found.changes),
        pairs_table(
            "Discussion against the vote, difference in accuracy in points", found.over_vote
        ),
        controls_table(found.controls),
    ]


def summary_sentences(found: Stances) -> list[str]:
    """Return the conditions without discussion, the pairs left out, and how the summary was made."""
    silent = [
        f"In {name} no reviewer heard another: it is a vote, not a discussion."
        for name in found.silent
    ]
    others = len(found.conditions) - len(found.over_vote)
    more = [f"{others} other pairs of conditions: peerjudge compare RUN"] if others > 0 else []
    simulated = "; the reviewers are simulated" if found.simulated else ""
    made = (
        f"{found.discussions} finished discussions; shares in %, differences in points; intervals "
        f"and p-values resample questions{simulated}"
    )
    return [*silent, *more, made]


def events_figure(findings: Findings) -> Figure | None:
    """Return how often each reviewer held or altered, by role (PRD Figure 6)."""
    rows = [
        Counts(
            group=seat.reviewer,
            name=role_name(seat.role),
            note=_altered_note(seat.altered, seat.contradicted),
            parts=_contradicted(seat.events),
        )
        for seat in findings.by_seat
    ]
    if not any(seat.contradicted for seat in findings.by_seat):
        return None
    return Figure(
        id="events",
        description="How often each reviewer, leading or following, held or altered its opinion "
        "when contradicted.",
        drawing=bar_figure(rows, across="number of contradictions"),
        note=interval_note(findings.level, findings.questions),
    )


def turns_figure(findings: Findings) -> Figure | None:
    """Return how often seats held or altered, by turn."""
    rows = [
        Counts(
            group=f"turn {row.round}",
            name=row.role.value if row.role is not None else "",
            note=_altered_note(row.altered, sum(row.events[kind] for kind in _CONTRADICTED)),
            parts=_contradicted(row.events),
        )
        for row in _rounds(findings.stances.counts)
    ]
    if not any(row.parts for row in rows):
        return None
    return Figure(
        id="turns",
        description="How often seats held or altered their opinion when contradicted, by turn.",
        drawing=bar_figure(rows, across="number of contradictions"),
        note=interval_note(findings.level, findings.questions),
    )


def _rounds(counts: Sequence[StanceCounts]) -> list[StanceCounts]:
    """Return the counts by turn and role, in order of turns."""
    rows = [row for row in counts if row.round is not None]
    return sorted(rows, key=lambda row: row.round or 0)


def _altered_note(altered: Measurement | None, contradicted: int) -> str:
    if altered is None or not contradicted:
        return "never contradicted"
    return f"altered {percent(altered)} % of {contradicted:,}"


def _contradicted(events: Mapping[EventKind, int]) -> list[tuple[str, str, int]]:
    return [
        (kind.value, f"{kind.value} {counted(events[kind], 'time')}", events[kind])
        for kind in _CONTRADICTED
        if events[kind]
    ]


def agreement_figure(findings: Findings) -> Figure | None:
    """Return the share of discussions whose seats have agreed by each turn."""
    settling = findings.stances.settling
    if not any(row.after for row in settling):
        return None
    series: list[Series] = []
    for row in settling:
        last = max(ceil(row.turns), *row.after, 1)
        fresh = [row.from_start, *(row.after.get(turn, 0) for turn in range(1, last + 1))]
        shares = [number / row.discussions for number in accumulate(fresh)]
        series.append(
            Series(
                name=row.condition,
                note=f"{share(shares[-1])} % of {row.discussions:,}",
                at=range(last + 1),
                values=shares,
                low=shares,
                high=shares,
            )
        )
    return Figure(
        id="agreement",
        description="Share of discussions whose seats have agreed by each turn.",
        drawing=line_figure(
            series,
            across="turns after the private reviews",
            up="discussions that have reached agreement",
            unit=share_tick,
            limits=SHARES,
        ),
        note="Counts of discussions; at 0 turns the private reviews already agree.",
    )


def courses_figure(findings: Findings) -> Figure | None:
    """Return the most common sequences of verdicts of each condition."""
    if not findings.courses:
        return None
    strips = [
        Strip(
            group=course.condition,
            squares=_squares(course),
            share=course.share.value,
            note=f"{percent(course.share)} % ({course.discussions:,})",
        )
        for course in findings.courses
    ]
    return Figure(
        id="courses",
        description="The most common courses of discussions: which verdicts named gold, turn by "
        "turn.",
        drawing=strip_figure(strips),
        note="P: private verdicts, in the order of the seats; then turn by turn: L leader, "
        "F follower, T another. Right: the share of the condition's discussions, and their number. "
        + interval_note(findings.level, findings.questions),
    )


def _squares(course: Course) -> list[Square]:
    steps = course.steps
    return [
        Square(
            kind=step.stand,
            head="P" if step.private else _HEADS.get(step.role, "T"),
            title=f"{step.role.value}{', in private' if step.private else ''}: {step.stand}",
            fresh=place > 0 and steps[place - 1].private and not step.private,
        )
        for place, step in enumerate(steps)
    ]


def persuasion_figure(findings: Findings) -> Figure | None:
    """Return how often each reviewer altered its opinion after hearing each other one."""
    between = [one for one in findings.stances.persuasion if one.speaker != one.listener]
    names = list(dict.fromkeys(name for one in between for name in (one.speaker, one.listener)))
    if not 1 < len(names) <= _MOST_NODES:
        return None
    most = max((one.share.value for one in between), default=0.0) or 1.0
    crowded = sum(one.altered > 0 for one in between) > _MOST_WORDS
    links = [
        Link(
            source=one.speaker,
            target=one.listener,
            strength=one.share.value / most,
            label=f"{share(one.share.value)} %" + ("" if crowded else f" of {one.contradicted:,}"),
            title=f"{one.listener} altered its opinion {one.altered} of {one.contradicted} times "
            f"when {one.speaker} disagreed",
        )
        for one in between
        if one.altered
    ]
    return Figure(
        id="persuasion",
        description="Persuasion: how often each reviewer altered its opinion after hearing each "
        "other one.",
        drawing=network_figure(names, links),
        note="From the reviewer that persuaded to the one that altered: in % of their disagreements.",
    )
