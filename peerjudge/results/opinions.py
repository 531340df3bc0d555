"""Opinion events, one by one or as a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, overload

from peerjudge.analysis import Stances, build_persuasion_graph, build_stances
from peerjudge.data import Dataset, Direction, EventKind, OpinionEvent, Transcript, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.data.choices import suggest_name
from peerjudge.errors import DataError
from peerjudge.reporting.formats import MISSING, counted, name_event, name_role, preface
from peerjudge.reporting.layout import Column, Section, Table, build_section, build_table
from peerjudge.results.accuracy import build_changes_table
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import COLUMNS, Cells, list_cells
from peerjudge.results.opinion_figures import (
    draw_agreement,
    draw_courses,
    draw_events,
    draw_persuasion,
    draw_turns,
)
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Discussions, Source, is_frame, read_material, read_without_texts
from peerjudge.statistics.sampler import Sampler
from peerjudge.tracker import opinion_events

if TYPE_CHECKING:
    import networkx as nx

    from peerjudge.analysis.conditions import SeatFindings
    from peerjudge.analysis.controls import Controlled
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.influence import StanceCounts
    from peerjudge.analysis.outcomes import Holding, Ordering, Settling


NO_EVENTS = "no opinion events: no reviewer gave a verdict after hearing another's"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EventsResult(FramedResult):
    """Opinion events in the order of their discussions; `total` counts those that were left out as well."""

    frame: ClassVar[str] = "events"
    events: tuple[OpinionEvent, ...]
    total: int

    def document(self) -> list[Document]:
        """Return the documents of `peerjudge events --json`, one for each event."""
        return [make_plain(to_plain(event)) for event in self.events]

    def parts(self) -> Shown:
        """Return one sentence for each event, or that there are none."""
        return [describe_event(event) for event in self.events] or [explain_none(self.total)]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each event."""
        for event in self.events:
            cells = {name: getattr(event, name) for name in COLUMNS["events"]}
            cells["heard"] = " ".join(event.heard)
            kept = (bool, int, type(None))
            yield {k: v if isinstance(v, kept) else str(v) for k, v in cells.items()}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StancesResult(FramedResult):
    """Counts, shares and tests of opinion changes."""

    frame: ClassVar[str] = "summary"
    stances: Stances
    questions: int

    def document(self) -> Document:
        """Return the document of `peerjudge events --summary --json`."""
        return make_plain(to_plain(self.stances))

    def parts(self) -> Shown:
        """Return the tables of the summary and the sentences below them."""
        return [
            *preface(simulated=self.stances.simulated, questions=self.questions),
            *build_summary_tables(self.stances),
            "",
            *_describe_summary(self.stances),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each group of events."""
        for row in self.stances.counts:
            yield {
                "reviewer": row.reviewer,
                "role": row.role,
                "opponent": row.opponent,
                "round": row.round,
                "held": row.events[EventKind.HELD],
                "altered": row.events[EventKind.ALTERED],
                **list_cells(row.altered),
            }

    def graph(self) -> nx.DiGraph[str]:
        """Return persuasion between reviewers as a networkx graph."""
        return build_persuasion_graph(self.stances.persuasion)


def build_opinions_section(findings: Findings) -> Section | None:
    """Return who altered and who held its opinion: by role, by turn, by opponent, by condition."""
    if not findings.by_seat:
        return None
    stances, persuasion = findings.stances, draw_persuasion(findings)
    shifts = any(seat.events[EventKind.SHIFTED] for seat in findings.by_seat)
    return build_section(
        "Opinion changes",
        "What a seat did after it heard a verdict other than its own. Held: it kept its own. "
        f"Altered: it adopted the other. {'Shifted: it moved to a third. ' if shifts else ''}Counted "
        "by rule over all conditions with discussion; the leader speaks first.",
        draw_events(findings),
        build_events_table(findings.by_seat),
        build_section(
            "Turn by turn",
            draw_turns(findings, _by_round(stances.counts)),
            _build_moves_table(_by_round(stances.counts), by="turn"),
        ),
        build_section(
            "Persuasion",
            persuasion
            and "How often a reviewer altered its opinion after it heard another one (speaker \u2192 "
            "listener), as a share of their disagreements.",
            persuasion,
            _build_moves_table(_by_opponent(stances.counts), by="reviewer heard"),
        ),
        build_section(
            "Effect of leading",
            "The same reviewer on the same comparison, leading minus following. A leader prevails "
            "when a disagreement ends in agreement with the leader's own stance.",
            _build_ordering_table(stances.ordering),
        ),
        build_section(
            "Effect of the argument",
            "Conditions beside their controls, in which a seat hears something other than the "
            "argument of its opponent. Opinions that are altered in a control too are not due to the "
            "argument. Counted at the first turn of each seat after it hears another.",
            build_controls_table(stances.controls),
        ),
        build_section(
            "Time to agreement", draw_agreement(findings), _build_settling_table(stances.settling)
        ),
        build_section(
            "Courses of discussions",
            "The most common sequences of verdicts, up to six for each condition; a filled square "
            "names gold. The list of transcripts shows the sequence of every discussion.",
            draw_courses(findings),
        ),
        build_section(
            "Agreement",
            build_table(
                "Discussions whose seats agree, in %",
                [condition for condition in findings.conditions if condition.seats > 1],
                Column("Condition", "name"),
                Column("In private", "agreement.before", "share"),
                Column("At the end", "agreement.after", "share"),
            ),
        ),
        anchor="opinions",
    )


def build_events_table(seats: Sequence[SeatFindings]) -> Table:
    """Return the opinion events of each reviewer and role, and its moves to and from gold."""
    kinds = _shown_kinds(seat.events for seat in seats)
    return build_table(
        "Opinion events by reviewer and role, altered in %",
        seats,
        Column("Reviewer", "reviewer"),
        ("Role", lambda seat: name_role(seat.role)),
        *(Column(name_event(kind).capitalize(), f"events.{kind}") for kind in kinds),
        Column(
            "% altered",
            "altered",
            "share",
            about="of the times that the seat was contradicted",
            key="altered_share",
        ),
        Column("To gold", "towards_gold", about="moves to the gold answer"),
        Column("From gold", "away_from_gold", about="moves away from it"),
        Column(
            "No event",
            lambda seat: sum(seat.no_events.values()),
            about="a verdict after hearing another, where one of the two has no readable stance",
        ),
        names=2,
    )


def build_controls_table(rows: Sequence[Controlled]) -> Table:
    """Return how often opinions are altered in conditions and in their controls."""
    return build_table(
        "Altered at the first contradiction, in %, with and without controls",
        rows,
        Column("Condition", "condition"),
        ("Control", lambda row: row.control.replace("_", " ")),
        ("Reviewer", lambda row: row.reviewer or "all"),
        Column("Altered", "altered", "share"),
        Column("By gold", "contradicted_by_gold", "share", about="contradicted by the gold answer"),
        Column("By another", "contradicted_by_wrong", "share", about="contradicted by another one"),
        Column(
            "More without",
            "difference.difference",
            "points",
            about="altered in the condition without the control minus altered here, in points",
        ),
        Column("p", "difference.p_value", "p"),
        Column("p, Holm", "holm", "p"),
        names=3,
    )


def build_summary_tables(stances: Stances) -> list[Table]:
    """Return everything about the stances of a run, as `peerjudge events --summary` prints it."""
    plain = [row for row in stances.counts if row.opponent is None and row.round is None]
    groups = {
        "reviewer": [row for row in plain if row.role is None],
        "reviewer and role": [row for row in plain if row.role is not None],
        "reviewer heard": _by_opponent(stances.counts),
        "turn": _by_round(stances.counts),
    }
    return [
        *(_build_moves_table(rows, by=by) for by, rows in groups.items()),
        _build_ordering_table(stances.ordering),
        _build_holdings_table(stances.holdings),
        _build_settling_table(stances.settling),
        build_changes_table(stances.changes),
        build_controls_table(stances.controls),
    ]


def describe_event(event: OpinionEvent) -> str:
    """Return an opinion event in one line."""
    simulated = ", simulated" if event.simulated else ""
    control = "" if event.control == "none" else f" ({event.control})"
    heard = "not told" if event.control == "placebo" else "heard"
    return (
        f"{event.condition}  {event.comparison}  turn {event.turn}  "
        f"{event.reviewer} ({event.role}{simulated}) {event.kind.replace('_', ' ')}: "
        f"{event.before} -> {event.after}, {heard} {event.others}{control}"
    )


def explain_none(total: int) -> str:
    """Return why no event is listed, where there are so many in all."""
    if not total:
        return NO_EVENTS
    return f"none of {counted(total, 'opinion event')} is of the chosen kinds and reviewers"


@overload
def events(
    source: Discussions,
    *,
    kinds: str | Sequence[str] = (),
    reviewers: str | Sequence[str] = (),
    summary: Literal[False] = False,
) -> EventsResult: ...


@overload
def events(source: Source, *, summary: Literal[True], seed: int = 0) -> StancesResult: ...


@check_arguments
def events(
    source: Source,
    *,
    kinds: str | Sequence[str] = (),
    reviewers: str | Sequence[str] = (),
    summary: bool = False,
    seed: int = 0,
) -> EventsResult | StancesResult:
    """Return the opinion events of a run, or a summary of them.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement. Its turn is counted from 0 with the private reviews, as for `fork`;
    the summary counts from 1 after them.

    Args:
        source: Run or transcripts.
        kinds: List events of these kinds only: held, altered, shifted, agreed, altered_after_agreement.
        reviewers: List events of these reviewers only.
        summary: Counts and shares instead, with intervals and tests: opinion changes by reviewer, role,
            opponent and turn, persuasion, the effect of leading, the time to agreement, controls.
        seed: Seed of the resampling behind the intervals of the summary.

    Raises:
        StoreError: There is no such run.
        DataError: There is no such kind, or no such reviewer in the run.

    Example:
        >>> pj.events("study").df["kind"].value_counts().to_dict()
        {'agreed': 206, 'held': 12, 'altered': 6}
    """
    if summary:
        if kinds or reviewers:
            msg = "kinds and reviewers choose among single events; the summary has a row for each of them"
            raise DataError(msg)
        material = read_material(source)
        stances = build_stances(material.ballots, sampler=Sampler(seed=seed))
        return StancesResult(stances=stances, questions=material.ballots.count_questions())
    if isinstance(source, Dataset) or is_frame(source):
        msg = (
            "opinion events need transcripts, which recorded reviews and frames of ballots do not have; "
            "for a frame of ballots of a run, ask for the summary"
        )
        raise DataError(msg)
    held: list[OpinionEvent] = []
    total = stream_events(source, held.append, kinds=kinds, reviewers=reviewers)
    return EventsResult(events=tuple(held), total=total)


def stream_events(
    source: Discussions,
    take: Callable[[OpinionEvent], None],
    *,
    kinds: str | Sequence[str] = (),
    reviewers: str | Sequence[str] = (),
) -> int:
    """Call `take` with each event of these kinds and reviewers while the discussions are read.

    Returns:
        The number of events in all.

    Raises:
        DataError: There is no such kind, or no discussion has such a reviewer.
    """
    wanted, names = _read_kinds(kinds), set(list_names(reviewers) or ())

    def read(transcripts: Iterable[Transcript]) -> int:
        count = 0
        seated: set[str] = set()
        for transcript in transcripts:
            seated.update(seat.reviewer for seat in transcript.seats)
            for event in opinion_events(transcript):
                count += 1
                if event.kind in wanted and (not names or event.reviewer in names):
                    take(event)
        if unknown := sorted(names - seated):
            near = suggest_name(unknown[0], seated)
            known = ", ".join(sorted(seated)) or "none"
            msg = f"no discussion has a reviewer {unknown[0]!r}{near} (reviewers: {known})"
            raise DataError(msg)
        return count

    return read_without_texts(source, read)


def _read_kinds(kinds: str | Sequence[str]) -> set[EventKind]:
    """Return the kinds of these names, or all without a name."""
    chosen: set[EventKind] = set()
    for name in list_names(kinds) or ():
        try:
            chosen.add(EventKind(name.strip().replace(" ", "_")))
        except ValueError:
            near = suggest_name(name, [kind.value for kind in EventKind])
            msg = f"no kind of event is called {name!r}{near} (kinds: {', '.join(EventKind)})"
            raise DataError(msg) from None
    return chosen or set(EventKind)


def _shown_kinds(events: Iterable[Mapping[EventKind, int]]) -> list[EventKind]:
    """Return holding and altering, and the other kinds that occur."""
    occurring = {kind for event in events for kind, number in event.items() if number}
    return [kind for kind in EventKind if kind in occurring | {EventKind.HELD, EventKind.ALTERED}]


def _build_moves_table(rows: Sequence[StanceCounts], *, by: str) -> Table:
    """Return opinion events and moves, for counts that are grouped in the same way."""
    kinds = _shown_kinds(row.events for row in rows)

    def name_opponent(row: StanceCounts) -> str:
        if row.opponent is None:
            return MISSING
        return "itself" if row.opponent == row.reviewer else row.opponent

    return build_table(
        f"Opinion events by {by}, shares in %",
        rows,
        Column("Reviewer", "reviewer"),
        Column("Role", "role"),
        ("Heard", name_opponent),
        Column("Turn", "round"),
        *(Column(name_event(kind).capitalize(), f"events.{kind}") for kind in kinds),
        Column(
            "% altered", "altered", "share", about="of the times contradicted", key="altered_share"
        ),
        Column(
            "% to gold",
            "towards_gold",
            "share",
            about="of the moves between gold and another answer",
        ),
        *(
            Column(f"{way.capitalize()} {name}", f"{place}.{direction}", key=f"{way}_{place}")
            for place, name in (
                ("gold", "gold"),
                ("majority", "majority"),
                ("first", "first shown"),
            )
            for way, direction in (("to", Direction.TOWARDS), ("from", Direction.AWAY))
        ),
        names=4,
        note="To and from: moves to and away from gold, the majority of the private "
        "verdicts, and the first-shown answer. Turns are counted from 1 after the private reviews; "
        "itself is another seat of the same reviewer.",
    )


def _build_ordering_table(rows: Sequence[Ordering]) -> Table:
    """Return the effect of leading instead of following on altering and on accuracy."""
    return build_table(
        "Leading minus following, in points",
        rows,
        ("Reviewer", lambda row: row.reviewer or "all"),
        Column("Altered", "altered.difference", "points", key="altered"),
        Column("p, altered", "altered.p_value", "p", key="p_altered"),
        Column("Accuracy", "accuracy.difference", "points", key="accuracy"),
        Column("p, accuracy", "accuracy.p_value", "p", key="p_accuracy"),
        Column("% leader prevails", "leader_prevails", "share"),
        note="% leader prevails: of the disagreements that ended in agreement.",
    )


def _build_holdings_table(rows: Sequence[Holding]) -> Table:
    """Return what reviewers did in the discussions of two that began in disagreement."""
    return build_table(
        "Discussions that began in disagreement: opinion held or altered, in % of all discussions",
        rows,
        Column("Reviewer", "reviewer"),
        ("Role", lambda row: name_role(row.role)),
        Column("Discussions", "discussions"),
        Column("Disagreed", "apart"),
        Column("Held", "held"),
        Column("% held", "held_share", "share"),
        Column("Altered", "altered"),
        Column("% altered", "altered_share", "share"),
        names=2,
        note="Altered: took the other's opinion at any turn. Held: kept its own whenever contradicted. "
        "In the others, the other one gave in first, or a third answer was chosen.",
    )


def _build_settling_table(rows: Sequence[Settling]) -> Table:
    """Return after how many turns the seats of each condition agreed for the first time."""
    turns = sorted({turn for row in rows for turn in row.after if turn})

    def after(turn: int) -> Callable[[Settling], int]:
        return lambda row: row.after.get(turn, 0)

    return build_table(
        "Discussions by the turn of first agreement, shares in %",
        rows,
        Column("Condition", "condition"),
        Column("Discussions", "discussions"),
        Column("From the start", "from_start"),
        *(Column(f"After {turn}", after(turn), key=f"after_turn_{turn}") for turn in turns),
        Column("Never", "never"),
        Column("% agreed", "reached", "share"),
        Column("% lasted", "lasted", "share"),
        note="% agreed: of the discussions that began in disagreement. % lasted: of these, the share "
        "that still agreed at the end.",
    )


def _describe_summary(stances: Stances) -> list[str]:
    """Return the conditions without discussion, the pairs left out, and how the summary was made."""
    silent = [
        f"In {name} no reviewer heard another: it is a vote, not a discussion."
        for name in stances.silent
    ]
    paired = (
        "Leading minus following pairs the comparisons that the same seats discussed under both leaders, so "
        "it is not the difference of the rows by role; its p-values are of one row each, not adjusted."
    )
    simulated = "; the reviewers are simulated" if stances.simulated else ""
    made = (
        f"{counted(stances.discussions, 'finished discussion')}; shares in %, differences in points; 95 % "
        f"intervals and p-values have questions as the unit{simulated}"
    )
    none = [] if stances.counts else [NO_EVENTS]
    return [*none, *silent, *([paired] if stances.ordering else []), made]


def _by_round(counts: Sequence[StanceCounts]) -> list[StanceCounts]:
    """Return the counts by turn and role, in order of turns."""
    rows = [row for row in counts if row.round is not None]
    return sorted(rows, key=lambda row: row.round or 0)


def _by_opponent(counts: Sequence[StanceCounts]) -> list[StanceCounts]:
    return [row for row in counts if row.opponent is not None]
