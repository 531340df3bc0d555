"""Reports: everything that a run or recorded reviews show, as a page and as one document."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

import numpy as np

from peerjudge.analysis import (
    Ballots,
    Findings,
    FindingsCollector,
    Panel,
    collect_reviews,
    measure_panel,
    select_judges,
)
from peerjudge.analysis.annotators import AnnotatedGold, measure_annotators
from peerjudge.analysis.annotators_document import build_annotators_document
from peerjudge.analysis.recorded import RecordedFindings, build_recorded_findings
from peerjudge.analysis.selecting import HUMAN, identify_reviewers
from peerjudge.data import Comparison, Dataset, Transcript, to_plain
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import DataError, PeerJudgeError, StoreError
from peerjudge.reporting import (
    Figure,
    Published,
    TranscriptData,
    build_findings_document,
    draw_recorded_figures,
    draw_run_figures,
    find_published,
    write_recorded_report,
    write_report,
)
from peerjudge.reporting.run_page import list_findings
from peerjudge.reporting.sentences import compare_with_paper
from peerjudge.results.base import Document, DrawnResult, Shown
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.overwriting import require_free, require_free_figures
from peerjudge.results.plain import make_plain
from peerjudge.runs import OpenRun, is_run, open_run
from peerjudge.runs.reading import Source, Stored, is_frame, locate_source, wait_for

PAGE = "report.html"
_PAGE_MARK = b'<meta name="generator" content="PeerJudge">'
_NUMBERS_MARK = b"Findings/"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(DrawnResult):
    """A report. `source` is where it was read, and `page` the file to which it is saved by default."""

    frame: ClassVar[str] = "report"
    source: str
    page: Path | None

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

    def require_free_figures(self, folder: str | Path, *, force: bool) -> None:
        """Raise `StoreError` if a figure would replace another file than an earlier figure."""
        names = [figure.id for figure in self.figures.values()]
        require_free_figures(
            names, Path(folder), source=self.source, force=force, option="--figures"
        )

    def save_figures(self, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
        """Write every figure as SVG, PNG and PDF, and return the files."""
        from peerjudge.reporting.plotting import save_figures

        self.require_free_figures(folder, force=force)
        return save_figures(self.figures, Path(folder), simulated=self.simulated)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunReport(Report):
    """Findings of a run, and its transcripts as the page lists them.

    `people` are those whose votes are the gold of the data, `None` where these have no votes of several.
    """

    findings: Findings
    listing: TranscriptData
    title: str
    manifest: Mapping[str, object]
    people: Panel | None = None

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Figures by name."""
        return draw_run_figures(self.findings)

    @property
    def simulated(self) -> bool:
        """True if any reviewer is simulated."""
        return self.findings.simulated

    def document(self) -> Document:
        """Return the findings, as in the `.json` file beside the page, with the agreement of people."""
        document = build_findings_document(self.findings)
        if self.people is not None:
            document["people"] = make_plain(to_plain(self.people))
        return document

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
            path=page,
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RecordedReport(Report):
    """Findings of recorded reviews, beside the values that a paper printed about them.

    `annotated` is the annotator model, where several people voted on a pair.
    """

    findings: RecordedFindings
    published: Published
    annotated: AnnotatedGold | None = None

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Figures by name."""
        return draw_recorded_figures(self.findings, self.published)

    @property
    def simulated(self) -> bool:
        """False: reviews on record are of people and models."""
        return False

    def document(self) -> Document:
        """Return the findings, as in the `.json` file beside the page, with the annotator model."""
        document = build_findings_document(self.findings)
        if self.annotated is not None:
            document["annotators"] = make_plain(build_annotators_document(self.annotated))
        return document

    def parts(self) -> Shown:
        """Return the summary of the page."""
        return compare_with_paper(self.findings, self.published)

    def rows(self) -> Iterator[Cells]:
        """Yield the accuracy of each reviewer."""
        for row in self.findings.scores:
            own = {"condition": row.judge.reviewer, "stance": "recorded"}
            yield {**own, **list_cells(row.total.accuracy)}

    def _write(self, page: Path) -> None:
        write_recorded_report(self.findings, self.published, annotated=self.annotated, path=page)


def report(source: Source, *, contestant_of: Mapping[str, str] | None = None) -> Report:
    """Compute the report of a run, of transcripts, or of the recorded reviews of a dataset.

    Args:
        source: Run, dataset `NAME:PATH` with reviews by models, or transcripts.
        contestant_of: Contestants by reviewer, for reviewers with another name than theirs; they replace
            those that the cards of a run declare.

    Raises:
        StoreError: There is no such run.
        DataError: The dataset has no reviews to report, or there is no such reviewer or contestant.

    Example:
        >>> pj.report("study").save("report.html").name
        'report.html'
    """
    if isinstance(source, Dataset):
        return _report_dataset(source, source.name, contestant_of)
    if is_frame(source):
        msg = "a report lists transcripts, which a frame of ballots does not have; report the run itself"
        raise DataError(msg)
    if not isinstance(source, Stored):
        collector, listing = FindingsCollector(), TranscriptData()
        for transcript in cast("Iterable[Transcript]", source):
            listing.add(transcript, collector.add(transcript).events)
        return RunReport(
            source="",
            page=None,
            findings=collector.findings(contestant_of=contestant_of),
            listing=listing,
            title="Transcripts",
            manifest={},
        )
    place = locate_source(source)
    if is_run(place):
        return wait_for(_report_run(place, contestant_of))
    return _report_dataset(load_dataset(place), place, contestant_of)


async def report_run(run: OpenRun, *, contestant_of: Mapping[str, str] | None = None) -> RunReport:
    """Read an opened run once, discussion by discussion, without keeping whole discussions."""
    collector, listing = FindingsCollector(), TranscriptData()
    judged: set[Hashable] = set()
    async for transcript in run.played():
        judged.add(_identify(transcript.comparison))
        listing.add(transcript, collector.add(transcript).events)
    return RunReport(
        source=str(run.place),
        page=None if run.folder is None else run.folder / PAGE,
        findings=collector.findings(
            primary=run.primary,
            decision=run.decision,
            chosen_by_results=run.chosen_by_results,
            declared=run.contestants,
            contestant_of=contestant_of,
        ),
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
        kept = np.array([_identify(one) in judged for one in ballots.comparisons], dtype=np.bool_)
        votes = ballots.where(kept[ballots.comparison])
        panel = measure_panel(select_judges(votes, reviewers=[HUMAN]))
    except PeerJudgeError:
        return None
    return panel if panel.krippendorff_alpha is not None else None


async def _report_run(place: str, contestant_of: Mapping[str, str] | None) -> RunReport:
    async with open_run(place) as opened:
        return await report_run(opened, contestant_of=contestant_of)


def _report_dataset(
    dataset: Dataset, source: str, contestant_of: Mapping[str, str] | None
) -> RecordedReport:
    published = find_published(dataset.name)
    ballots = identify_reviewers(collect_reviews(dataset), declared={}, given=contestant_of)
    findings = build_recorded_findings(
        ballots, description=dataset.description, juries=published.juries
    )
    return RecordedReport(
        source=source,
        page=Path(f"{dataset.name}-report.html"),
        findings=findings,
        published=published,
        annotated=_annotate(ballots),
    )


def _annotate(ballots: Ballots) -> AnnotatedGold | None:
    """Return the annotator model of people's votes; `None` where no pair has two of them."""
    try:
        return measure_annotators(ballots)
    except DataError:
        return None
