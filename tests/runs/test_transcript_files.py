"""Exported discussions are a source like the run that they were exported from."""

import asyncio
import gzip

import pytest

import peerjudge as pj
from peerjudge.analysis import collect_transcripts
from peerjudge.data import to_json
from peerjudge.errors import DataError
from peerjudge.runs import is_run, open_run, read_ballots
from peerjudge.runs.reading import read_without_texts


@pytest.fixture(scope="module")
def exported(kept, tmp_path_factory):
    """Return the folder of a run, and its discussions in a compressed transcript file."""
    file = tmp_path_factory.mktemp("exported") / "talk.jsonl.gz"
    lines = "".join(f"{to_json(one)}\n" for one in pj.load_sync(kept.folder))
    file.write_bytes(gzip.compress(lines.encode()))
    return kept.folder, file


def test_a_transcript_file_holds_the_discussions_of_its_run(exported):
    """Every discussion comes back with its texts, in the order of the run."""
    run, file = exported
    assert asyncio.run(pj.load(file)) == asyncio.run(pj.load(run))


def test_verdicts_of_a_transcript_file_are_those_of_its_run(exported):
    """Ballots and frames are equal from both sources."""
    run, file = exported
    assert is_run(str(file))
    from_file, from_run = (
        read_without_texts(source, collect_transcripts) for source in (file, run)
    )
    assert (from_file.verdict == from_run.verdict).all()
    assert pj.events_df(file).equals(pj.events_df(run))
    ballots = read_ballots(file)
    assert ballots.name == str(file)


def test_conditions_are_declared_in_the_order_of_the_file(exported):
    """The manifest of a transcript file names its conditions and their protocols."""
    _, file = exported

    async def read():
        async with open_run(file) as opened:
            return opened.manifest["experiment"]["conditions"]

    assert asyncio.run(read()) == [
        {"name": "talk", "protocol": "leader_follower"},
        {"name": "alone", "protocol": "pairwise"},
    ]


def test_lines_that_are_no_discussions_are_named(tmp_path):
    """The error has the file and the line, and says how comparisons are read instead."""
    file = tmp_path / "pairs.jsonl"
    file.write_text('\n{"question": "Why?"}\n', "utf-8")
    with pytest.raises(DataError, match=r"pairs\.jsonl, line 2: .*jsonl:"):
        asyncio.run(pj.load(file))


def test_an_empty_file_is_refused(tmp_path):
    """The error says what would have written discussions."""
    file = tmp_path / "none.jsonl"
    file.write_text("\n", "utf-8")
    with pytest.raises(DataError, match="peerjudge export"):
        asyncio.run(pj.load(file))


def test_a_discussion_that_is_there_twice_is_refused(exported, tmp_path):
    """Counting one discussion twice would make every interval too narrow."""
    run, _ = exported
    one = to_json(asyncio.run(pj.load(run))[0])
    file = tmp_path / "twice.jsonl"
    file.write_text(f"{one}\n{one}\n", "utf-8")
    with pytest.raises(DataError, match="twice"):
        asyncio.run(pj.load(file))


def test_a_dataset_of_comparisons_is_no_transcript_file(tmp_path):
    """`jsonl:FILE` and a file that is missing are not taken for runs."""
    file = tmp_path / "pairs.jsonl"
    file.write_text("{}\n", "utf-8")
    assert not is_run(f"jsonl:{file}")
    assert not is_run(str(tmp_path / "missing.jsonl"))
