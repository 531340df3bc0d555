"""Runs for the tests of reports, one line per discussion."""

from collections.abc import Iterable
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.analysis.findings import build_findings
from peerjudge.cli import main
from peerjudge.data import (
    Answer,
    Comparison,
    Failure,
    Question,
    Role,
    Seat,
    StopReason,
    Transcript,
    Usage,
    Verdict,
    replace,
)
from peerjudge.reporting.transcripts import TranscriptData
from peerjudge.results.page import write_report
from peerjudge.testing import transcript_of
from peerjudge.tracker import opinion_events

PAIR = (
    Seat(id="reviewer_1", reviewer="ann", role=Role.LEADER),
    Seat(id="reviewer_2", reviewer="bob", role=Role.FOLLOWER),
)


def compared(number: int) -> Comparison:
    """Return a comparison of answers by two of the reviewers; the one with id `good` is gold."""
    return Comparison(
        id=f"c{number}",
        question=Question(id=f"q{number}", text=f"Question number {number}?", category="facts"),
        answers=(
            Answer(id="good", text=f"A good answer {number}.", author="ann"),
            Answer(id="poor", text=f"A poor answer {number}.", author="bob"),
        ),
        gold=Verdict.of("good"),
        subset="plain",
    )


def told(moves: str, number: int, *, swap: bool = False, **changes) -> Transcript:
    """Return a discussion between ann, who leads, and bob."""
    comparison = compared(number)
    shown = comparison.swapped() if swap else comparison
    made = transcript_of(moves, comparison=shown, seats=PAIR, condition="ann with bob")
    made = with_utterances(made, usage=Usage(prompt_tokens=100))
    return replace(made, **{"id": f"{made.id}{number}", "protocol": "leader_follower", **changes})


@pytest.fixture(scope="session")
def findings(run):
    """Return the findings of the run."""
    return build_findings(run)


@pytest.fixture(scope="session")
def page(run, tmp_path_factory) -> str:
    """Return the page of the run."""
    return write_page(tmp_path_factory.mktemp("page"), run)


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Return the folder of two questions of the quickstart, which has several protocols."""
    folder = tmp_path_factory.mktemp("played") / "study"
    pj.run_sync("quickstart", limit=2, out=folder)
    return folder


@pytest.fixture(scope="session")
def run() -> tuple[Transcript, ...]:
    """Return a run with every case that a report distinguishes."""
    failure = Failure(kind="RateLimitError", message="429", seat="reviewer_1", turn=2)
    return (
        told("2|1 1 1 1 1", 1),
        told("1|2 1 2 1 2", 2),
        told("1|1 1 2 1 1", 3),
        told("2|1 2 2 2 2", 4, swap=False),
        told("1|2 1 2 1 2", 4, swap=True),
        told("?|1 1 1 1 1", 5),
        told("1|1", 6, stop=StopReason.FAILED, failure=failure),
        told("1|1 1", 7, stop=None),
        *(told("1|2", n, condition="vote", protocol="vote") for n in (1, 2, 3)),
    )


def command(capsys, *words: str) -> tuple[int, str, str]:
    """Run a command and return its exit code and what it printed."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code or 0, *capsys.readouterr()


def listed(transcripts: Iterable[Transcript]) -> TranscriptData:
    """Return the transcripts as the page lists them."""
    listing = TranscriptData()
    for transcript in transcripts:
        listing.add(transcript, opinion_events(transcript))
    return listing


def with_utterances(transcript: Transcript, **changes) -> Transcript:
    """Return the discussion with these changes of every utterance."""
    turns = tuple(
        replace(turn, utterance=replace(turn.utterance, **changes)) for turn in transcript.turns
    )
    return replace(transcript, turns=turns)


def write_page(folder: Path, transcripts: tuple[Transcript, ...], **named) -> str:
    """Write the page of a run into a new folder and return its text."""
    told = {"title": "study", "manifest": {"experiment": {"question": "Who?"}}, **named}
    path = folder / "new" / "report.html"
    write_report(build_findings(transcripts), listed(transcripts), path=path, **told)
    assert not list(path.parent.glob("*.new"))
    return path.read_text("utf-8")
