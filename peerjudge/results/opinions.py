"""Opinion events, one by one or as a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

from peerjudge.analysis import Sampler, Stances, build_persuasion_graph, build_stances
from peerjudge.data import OpinionEvent, Transcript, to_plain
from peerjudge.reporting.formats import caution
from peerjudge.reporting.opinions import build_summary_tables, describe_event, describe_summary
from peerjudge.results.base import Document, Result, Shown
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Discussions, read_material, read_without_texts
from peerjudge.tracker import opinion_events

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsResult(Result):
    """Opinion events in the order of their discussions."""

    events: tuple[OpinionEvent, ...]

    def document(self) -> list[Document]:
        """Return the documents of `peerjudge events --json`, one for each event."""
        return [make_plain(to_plain(event)) for event in self.events]

    def parts(self) -> Shown:
        """Return one sentence for each event."""
        return [describe_event(event) for event in self.events]


@dataclass(frozen=True, slots=True, kw_only=True)
class StancesResult(Result):
    """Counts, shares and tests of opinion changes."""

    stances: Stances
    questions: int

    def document(self) -> Document:
        """Return the document of `peerjudge events --summary --json`."""
        return make_plain(to_plain(self.stances))

    def parts(self) -> Shown:
        """Return the tables of the summary and the sentences below them."""
        return [
            *caution(self.questions),
            *build_summary_tables(self.stances),
            "",
            *describe_summary(self.stances),
        ]

    def graph(self) -> nx.DiGraph[str]:
        """Return persuasion between reviewers as a networkx graph."""
        return build_persuasion_graph(self.stances.persuasion)


@overload
def events(source: Discussions, *, summary: Literal[False] = False) -> EventsResult: ...
@overload
def events(source: Discussions, *, summary: Literal[True], seed: int = 0) -> StancesResult: ...
def events(
    source: Discussions, *, summary: bool = False, seed: int = 0
) -> EventsResult | StancesResult:
    """Return the opinion events of a run, or a summary of them.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement.

    Args:
        source: Run or transcripts.
        summary: Return counts and shares instead, with intervals and tests.
        seed: Seed of the resampling behind the intervals of the summary.

    Raises:
        StoreError: There is no such run.
    """
    if summary:
        found = read_material(source)
        stances = build_stances(found.ballots, sampler=Sampler(seed=seed), primary=found.primary)
        return StancesResult(stances=stances, questions=found.ballots.count_questions())
    held: list[OpinionEvent] = []
    stream_events(source, held.append)
    return EventsResult(events=tuple(held))


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
