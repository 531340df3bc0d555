"""Opinion events, one by one or as a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, overload

from peerjudge.analysis import Sampler, Stances, build_persuasion_graph, build_stances
from peerjudge.data import Dataset, EventKind, OpinionEvent, Transcript, to_plain
from peerjudge.errors import DataError
from peerjudge.reporting.formats import preface
from peerjudge.reporting.opinions import build_summary_tables, describe_event, describe_summary
from peerjudge.results.base import Document, FramedResult, Shown
from peerjudge.results.columns import COLUMNS, Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Discussions, Source, is_frame, read_material, read_without_texts
from peerjudge.tracker import opinion_events

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EventsResult(FramedResult):
    """Opinion events in the order of their discussions."""

    frame: ClassVar[str] = "events"
    events: tuple[OpinionEvent, ...]

    def document(self) -> list[Document]:
        """Return the documents of `peerjudge events --json`, one for each event."""
        return [make_plain(to_plain(event)) for event in self.events]

    def parts(self) -> Shown:
        """Return one sentence for each event."""
        return [describe_event(event) for event in self.events]

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
            *describe_summary(self.stances),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each group of events."""
        for row in self.stances.counts:
            yield {
                "reviewer": row.reviewer,
                "role": None if row.role is None else row.role.value,
                "opponent": row.opponent,
                "round": row.round,
                "held": row.events[EventKind.HELD],
                "altered": row.events[EventKind.ALTERED],
                **list_cells(row.altered),
            }

    def graph(self) -> nx.DiGraph[str]:
        """Return persuasion between reviewers as a networkx graph."""
        return build_persuasion_graph(self.stances.persuasion)


@overload
def events(source: Discussions, *, summary: Literal[False] = False) -> EventsResult: ...
@overload
def events(source: Source, *, summary: Literal[True], seed: int = 0) -> StancesResult: ...
def events(source: Source, *, summary: bool = False, seed: int = 0) -> EventsResult | StancesResult:
    """Return the opinion events of a run, or a summary of them.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement. Its turn is counted from 0 with the private reviews, as for `fork`;
    the summary counts from 1 after them.

    Args:
        source: Run or transcripts.
        summary: Counts and shares instead, with intervals and tests: opinion changes by reviewer, role,
            opponent and turn, persuasion, the effect of leading, the time to agreement, discussions against
            their better seat and the vote, controls.
        seed: Seed of the resampling behind the intervals of the summary.

    Raises:
        StoreError: There is no such run.

    Example:
        >>> pj.events("study").df["kind"].value_counts().to_dict()
        {'agreed': 206, 'held': 12, 'altered': 6}
    """
    if summary:
        material = read_material(source)
        stances = build_stances(
            material.ballots, sampler=Sampler(seed=seed), primary=material.primary
        )
        return StancesResult(stances=stances, questions=material.ballots.count_questions())
    held: list[OpinionEvent] = []
    stream_events(_require_transcripts(source), held.append)
    return EventsResult(events=tuple(held))


def _require_transcripts(source: Source) -> Discussions:
    if isinstance(source, Dataset) or is_frame(source):
        msg = (
            "opinion events need transcripts, which recorded reviews and frames of ballots do not have; "
            "for a frame of ballots of a run, ask for the summary"
        )
        raise DataError(msg)
    return source


def stream_events(source: Discussions, take: Callable[[OpinionEvent], None]) -> int:
    """Call `take` with each event while the discussions are read, and return the number of events."""

    def read(transcripts: Iterable[Transcript]) -> int:
        count = 0
        for transcript in transcripts:
            for event in opinion_events(transcript):
                count += 1
                take(event)
        return count

    return read_without_texts(source, read)
