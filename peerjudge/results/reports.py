"""Reports: everything that a run or recorded reviews show, as a page and as one document."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, cast

import numpy as np

from peerjudge.analysis import (
    Findings,
    FindingsCollector,
    Panel,
    build_tournament,
    collect_reviews,
    measure_panel,
    select_judges,
)
from peerjudge.analysis.peers import Standings, rank_peers
from peerjudge.analysis.selecting import HUMAN, find_pairs, identify_reviewers, number_judges
from peerjudge.data import LEVEL, Comparison, Dataset, Transcript, replace as changed, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import ConvergenceError, DataError, PeerJudgeError, StoreError
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import counted
from peerjudge.reporting.layout import Section, build_section
from peerjudge.reporting.transcripts import TranscriptData
from peerjudge.results.added import (
    AddedResult,
    AddedSection,
    list_added,
    list_own,
    measure_added,
    measure_own,
)
from peerjudge.results.agreements import agreement
from peerjudge.results.base import Document, DrawnResult, Result, Shown, SourcedResult, list_names
from peerjudge.results.biases import bias
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.contestants import build_contestants_section
from peerjudge.results.overwriting import require_free
from peerjudge.results.page import (
    build_findings_document,
    build_run_sections,
    list_figures,
    list_findings,
    write_page,
    write_report,
)
from peerjudge.results.plain import make_plain
from peerjudge.results.rankings import rank
from peerjudge.results.scores import ScoreResult, score
from peerjudge.runs import OpenRun, is_run, open_run
from peerjudge.runs.blocking import wait_for
from peerjudge.runs.reading import Source, Stored, is_frame, locate_source
from peerjudge.statistics.sampler import Sampler
from peerjudge.store import Columns
from peerjudge.tracker import opinion_events

PAGE = "report.html"
_PAGE_MARK = b'<meta name="generator" content="PeerJudge">'
_NUMBERS_MARK = b"Findings/"
_MOST_ALONE = 12
"""Up to this number of reviewers each is measured alone and with each other one."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(SourcedResult):
    """A report. `source` is where it was read, and `page` the file to which it is saved by default."""

    frame: ClassVar[str] = "report"
    source: str
    page: Path | None
    simulated: bool

    @abstractmethod
    def _write(self, page: Path) -> None: ...

    def save(self, page: str | Path | None = None, *, force: bool = False) -> Path:
        """Write the report as one HTML file, and its numbers beside it as `.json`.

        Args:
            page: File to write; by default `report.html` in the run folder, or `NAME-report.html`
                here for a dataset.
            force: Replace files that are not earlier reports.

        Raises:
            StoreError: A file cannot be written, or exists, is no earlier report and `force` is false.
        """
        path = self.page if page is None else Path(page)
        if path is None:
            msg = "this run has no folder for its report; name a file FILE.html (with -o on the command line)"
            raise StoreError(msg)
        if path.suffix == ".json":
            msg = (
                f"{path} is the name of the numbers beside a page; name the page FILE.html with -o"
            )
            raise StoreError(msg)
        numbers = path.with_suffix(".json")
        require_free(path, source=self.source, force=force, own=_PAGE_MARK)
        require_free(numbers, source=self.source, force=force, own=_NUMBERS_MARK)
        self._write(path)
        document = json.dumps(self.document(), ensure_ascii=False, indent=2)
        numbers.write_text(document + "\n", encoding="utf-8")
        return path


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunReport(Report):
    """Findings of a run, and its transcripts as the page lists them.

    `people` are those whose votes are the gold of the data, `None` where these have no votes of several.
    `added` has the results of features by name.
    """

    findings: Findings
    listing: TranscriptData
    title: str
    manifest: Mapping[str, object]
    people: Panel | None = None
    added: Mapping[str, AddedResult] = field(default_factory=dict[str, AddedResult])

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Figures by name."""
        return list_figures(build_run_sections(self.findings, {}, added=self.added))

    def document(self) -> Document:
        """Return the findings, as in the `.json` file beside the page, with the agreement of people."""
        document = build_findings_document(self.findings)
        if self.people is not None:
            document["people"] = make_plain(to_plain(self.people))
        added = {name: one.result.document() for name, one in self.added.items()}
        return {**document, **({"added": added} if added else {})}

    def parts(self) -> Shown:
        """Return accuracy, opinion events, ranking and weights, as `peerjudge run` prints them."""
        return list_findings(self.findings)

    def rows(self) -> Iterator[Cells]:
        """Yield the accuracy of each condition before and after discussion."""
        for row in self.findings.conditions:
            for stance, found in (("before", row.before), ("after", row.after)):
                if found is not None:
                    yield {
                        "condition": row.name,
                        "stance": stance,
                        **list_cells(found.accuracy),
                    }

    def _write(self, page: Path) -> None:
        write_report(
            self.findings,
            self.listing,
            title=self.title,
            manifest=self.manifest,
            people=self.people,
            added=self.added,
            path=page,
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RecordedReport(Report):
    """The results of the commands for recorded reviews, by name, and the ranking of contestants.

    `missing` says why a result is not there, `reviews` how many reviews there are. `added` are sections of
    results that features compute.
    """

    name: str
    description: str
    reviews: str
    standings: Standings
    results: Mapping[str, Result]
    missing: Mapping[str, str]
    added: Mapping[str, AddedSection]

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Figures by name."""
        return list_figures(self._sections())

    def document(self) -> Document:
        """Return the documents of the results by name, and the rankings and weights of peers."""
        return {
            "schema": "RecordedFindings/2",
            "dataset": self.name,
            "missing": dict(self.missing),
            "peers": make_plain(to_plain(self.standings)),
            **{name: result.document() for name, result in self.results.items()},
        }

    def parts(self) -> Shown:
        """Return the numbers of reviews, and the sentences of features on their results."""
        return [self.reviews, *self._glance()]

    def rows(self) -> Iterator[Cells]:
        """Yield the accuracy of each reviewer."""
        found = self.results.get("score")
        for row in found.scores.scores if isinstance(found, ScoreResult) else ():
            own = {"condition": row.judge.reviewer, "stance": "recorded"}
            yield {**own, **list_cells(row.total.accuracy)}

    def _glance(self) -> list[str]:
        own = [
            (one, self.results[name]) for name, one in self.added.items() if name in self.results
        ]
        return [sentence for one, result in own for sentence in one.glance(result)]

    def _sections(self) -> list[Section]:
        sections = [build_contestants_section(self.standings)]
        added = {name: (one.title, one.meaning) for name, one in self.added.items()}
        for name, (title, meaning) in {**_SECTIONS, **added}.items():
            result, drawn = self.results.get(name), list[Figure]()
            if isinstance(result, DrawnResult):
                drawn = [
                    one if one.id == "position" else replace(one, id=f"{name}-{one.id}")
                    for one in result.figures.values()
                ]
            if result is None:
                parts = (
                    [f"{self.missing[name]}."] if name in _EXPECTED & self.missing.keys() else []
                )
            else:
                parts = [meaning, *drawn, *result.parts()]
            if parts:
                sections.append(build_section(title, *parts, anchor=name, required=True))
        return [section for section in sections if section is not None]

    def _write(self, page: Path) -> None:
        write_page(
            page,
            title=self.name,
            question=self.description,
            played=self.reviews,
            simulated=False,
            glance=self._glance(),
            sections=self._sections(),
        )


_SECTIONS = {
    "people": ("Ranking by people", "The contestants ranked by the votes of people."),
    "score": (
        "Accuracy",
        "The share of a reviewer's readable verdicts that name the gold answer, both orders together.",
    ),
    "agreement": (
        "Agreement between reviewers and with gold",
        "The combined verdict is the sign of the reviewers' mean score. Common errors make a panel weaker.",
    ),
    "weighted": (
        "Agreement with peer weights",
        "The same, with each reviewer weighted by its rank as a contestant.",
    ),
    "bias": (
        "Position, self-preference and length",
        "Without position bias, a reviewer of both orders chooses the first answer half of the time.",
    ),
}
"""Title and meaning of the section of each result."""
_EXPECTED = {"score", "agreement", "bias"}
"""Results whose section says why they are missing."""


@check_arguments
def report(
    source: Source,
    *,
    contestant_of: Mapping[str, str] | None = None,
    measure: str | Sequence[str] | None = None,
) -> Report:
    """Compute the report of a run, of transcripts, or of the recorded reviews of a dataset.

    It is saved as one HTML file, which needs no network, with the same numbers beside it in a .json file.

    Args:
        source: Run, dataset `NAME:PATH` with reviews by models, or transcripts.
        contestant_of: Contestants by reviewer, for reviewers with another name than theirs, for peer weights
            and self-preference; they replace those that the cards of a run declare.
        measure: Measures of this project to add, by the names of their files measures/NAME.py.

    Raises:
        StoreError: There is no such run.
        ShelfError: There is no such measure.
        DataError: The dataset has no reviews to report, or there is no such reviewer or contestant.

    Example:
        >>> pj.report("study").save("report.html").name
        'report.html'
    """
    own = list_names(measure) or []
    if isinstance(source, Dataset):
        return _report_dataset(source, source.name, contestant_of, measures=own)
    if is_frame(source):
        msg = "a report lists transcripts, which a frame of ballots does not have; report the run itself"
        raise DataError(msg)
    if not isinstance(source, Stored):
        collector, listing = FindingsCollector(), TranscriptData()
        for transcript in cast("Iterable[Transcript]", source):
            if listing.count(transcript.comparison.id):
                listing.add(transcript, collector.add(transcript).events)
        ballots = collector.ballots(contestant_of=contestant_of)
        findings = collector.findings(ballots)
        return RunReport(
            source="",
            page=None,
            findings=findings,
            added=measure_added(ballots) | measure_own(ballots, own),
            simulated=findings.simulated,
            listing=listing,
            title="Transcripts",
            manifest={},
        )
    place = locate_source(source)
    if is_run(place):

        async def read() -> RunReport:
            async with open_run(place) as opened:
                return await report_run(opened, contestant_of=contestant_of, own=own)

        return wait_for(read())
    return _report_dataset(load_dataset(place), place, contestant_of, measures=own)


async def report_run(
    run: OpenRun,
    *,
    contestant_of: Mapping[str, str] | None = None,
    own: Sequence[str] = (),
) -> RunReport:
    """Read an opened run once without its texts, and then those discussions whole that the page lists."""
    collector = FindingsCollector(prices=run.prices)
    listing = TranscriptData(expected=await run.store.count_members(run.id))
    judged: set[Hashable] = set()
    listed: list[Transcript] = []
    async with Columns.open(run.place) as columns:
        heads, _ = await columns.heads(run.id)
        async for transcript, replies in columns.with_replies(run.sort_heads(heads)):
            judged.add(_identify(transcript.comparison))
            collector.add(transcript, replies=replies)
            if listing.count(transcript.comparison.id):
                listed.append(transcript)
    whole = {one.id: one async for one in run.store.transcripts_of([one.id for one in listed])}
    for bare in listed:
        transcript = changed(whole[bare.id], condition=bare.condition)
        listing.add(transcript, opinion_events(transcript))
    ballots = collector.ballots(declared=run.contestants, contestant_of=contestant_of)
    findings = collector.findings(ballots, primary=run.primary, decision=run.decision)
    return RunReport(
        source=str(run.place),
        page=None if run.folder is None else run.folder / PAGE,
        findings=findings,
        added=measure_added(ballots) | measure_own(ballots, own),
        simulated=findings.simulated,
        listing=listing,
        title=run.title,
        manifest=run.manifest,
        people=_measure_people(run.data, judged),
    )


def _identify(one: Comparison) -> Hashable:
    """Return what is the same in every order of the answers."""
    return one.id, one.question.text, frozenset((a.id, a.text) for a in one.answers), one.gold


def _measure_people(data: str | None, judged: Collection[Hashable]) -> Panel | None:
    """Return the agreement of the people who voted on these comparisons, `None` without several.

    The votes are read from the data that the run names. Where these cannot be read any more, or have other
    comparisons than the run, there is none.
    """
    try:
        ballots = collect_reviews(load_dataset(data or ""))
        kept = np.array(
            [_identify(comparison) in judged for comparison in ballots.comparisons], dtype=np.bool_
        )
        votes = ballots.where(kept[ballots.comparison])
        panel = measure_panel(select_judges(votes, reviewers=[HUMAN]))
    except PeerJudgeError:
        return None
    return panel if panel.krippendorff_alpha is not None else None


def _report_dataset(
    dataset: Dataset,
    source: str,
    contestant_of: Mapping[str, str] | None,
    *,
    measures: Sequence[str],
) -> RecordedReport:
    ballots = identify_reviewers(collect_reviews(dataset), declared={}, given=contestant_of)
    judged = ballots.where(find_pairs(ballots)[ballots.comparison])
    present = {name for name, _ in number_judges(judged.where(judged.readable))}
    reviewers = present - set(ballots.humans)
    if not reviewers:
        msg = f"{dataset.name} has no reviews of pairs"
        if present:
            msg = f"{dataset.name} has reviews by people only, who are its gold"
        msg += "; judge it with `peerjudge run` and report on that run"
        raise DataError(msg)
    added = list_added(dataset) | list_own(ballots, measures)
    results, missing = _compute_results(
        dataset, contestant_of, added, alone=len(reviewers) <= _MOST_ALONE
    )
    own = judged.where(np.isin(judged.reviewer, [ballots.reviewers.index(n) for n in reviewers]))
    peers, reason = rank_peers(build_tournament(own), sampler=Sampler())
    questions = len(np.unique(own.question))
    return RecordedReport(
        source=source,
        simulated=False,
        page=Path(f"{dataset.name}-report.html"),
        name=dataset.name,
        description=dataset.description,
        reviews=(
            f"{counted(len(own), 'recorded review')} by {counted(len(reviewers), 'reviewer')} of "
            f"{counted(len(np.unique(own.comparison)), 'pair')} of answers to "
            f"{counted(questions, 'question')}; {int((~own.readable).sum()):,} unreadable. No model was "
            "called for this report."
        ),
        standings=Standings(level=LEVEL, questions=questions, peers=peers, peers_missing=reason),
        results=results,
        missing=missing,
        added=added,
    )


def _score_recorded(dataset: Dataset, by: str) -> ScoreResult:
    """Return the accuracy of recorded reviews; without gold the ranking says more than agreement."""
    found = score(dataset, by=by, own_reading=False)
    if found.ways is not None and not (found.scores.scores or found.scores.rated):
        msg = f"no judgement in {dataset.name} has a gold to be scored against, or is a rating"
        raise DataError(msg)
    return found


def _compute_results(
    dataset: Dataset,
    contestant_of: Mapping[str, str] | None,
    added: Mapping[str, AddedSection],
    *,
    alone: bool,
) -> tuple[dict[str, Result], dict[str, str]]:
    """Return the results that the dataset allows, and why it does not allow the others.

    Of many reviewers, pairs and the single ones are left out.
    """
    golden = [comparison for comparison in dataset.comparisons if comparison.gold is not None]
    subsets = any(one.subset for one in golden)
    by = "subset" if subsets else "category" * any(bool(one.question.category) for one in golden)
    wanted: dict[str, Callable[[], Result]] = {
        "people": lambda: rank(dataset, reviewers=HUMAN),
        "score": lambda: _score_recorded(dataset, by),
        "agreement": lambda: agreement(dataset, panel=alone),
        "weighted": lambda: agreement(dataset, weights="peer", contestant_of=contestant_of),
        "bias": lambda: bias(dataset, contestant_of=contestant_of),
    }
    for name, one in added.items():
        wanted.setdefault(name, one.compute)
    results: dict[str, Result] = {}
    missing: dict[str, str] = {}
    for name, compute in wanted.items():
        try:
            results[name] = compute()
        except (DataError, ConvergenceError) as failed:
            missing[name] = str(failed)
    return results, missing
