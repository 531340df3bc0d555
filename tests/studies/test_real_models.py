"""The published study of real models: its files agree with each other and with the present code."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from peerjudge.data import UNREADABLE, Leader, StopReason
from peerjudge.verdicts import read_review
from studies.real_models import design
from studies.real_models.publishing import BEGIN, END, REPORT, insert_section
from studies.real_models.report import write_report
from studies.real_models.resuming import read_published

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "studies" / "real_models"
AGAIN = "run `python -m studies.real_models report --readme README.md`"


@pytest.fixture(scope="module")
def study():
    """Return the manifest and the transcripts by data set."""
    return read_published(FOLDER)


def test_the_report_is_recomputed_from_the_transcripts(study):
    """Every number on the page follows from the published files, byte for byte."""
    assert (FOLDER / REPORT).read_text("utf-8") == write_report(*study), AGAIN


def test_the_readme_shows_the_excerpt_of_the_report(study):
    """The discussion in the README is the one that the rule chooses."""
    text = (ROOT / "README.md").read_text("utf-8")
    assert text == insert_section(text, *study), AGAIN
    assert text.partition(BEGIN)[2].partition(END)[0].strip()


def test_files_have_the_digests_of_the_manifest(study):
    """A changed transcript is noticed, and a clone is not burdened: less than a megabyte together."""
    manifest, transcripts = study
    for name, entry in manifest["files"].items():
        content = (FOLDER / name).read_bytes()
        assert sha256(content).hexdigest() == entry["sha256"], name
        assert len(content) == entry["bytes"]
        assert len(transcripts[entry["data"]]) == entry["discussions"]
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 1_000_000


def test_recorded_verdicts_are_read_again_or_not_at_all(study):
    """The present reader finds no other verdict in any reply, and reads nearly all of them."""
    _, transcripts = study
    unread = 0
    turns = [(one, turn) for held in transcripts.values() for one in held for turn in one.turns]
    for one, turn in turns:
        read = read_review(
            turn.utterance.text,
            cue=turn.cue,
            comparison=one.comparison,
            logprobs=turn.utterance.logprobs,
            cut=turn.utterance.finish_reason == "length",
        )
        unread += read.verdict != turn.review.verdict and read.verdict == UNREADABLE
        assert read.verdict in (turn.review.verdict, UNREADABLE), (one.id, turn.index)
    assert unread <= 0.005 * len(turns)


def test_every_condition_has_its_discussions(study):
    """Each comparison of a condition is there in both orders and under every leader, complete.

    No discussion is published that the manifest does not count.
    """
    manifest, transcripts = study
    leaders = {
        one.name: one.leader for one in design.list_conditions(manifest["settings"]["turns"])
    }
    for row in manifest["conditions"]:
        own = [one for one in transcripts[row["data"]] if one.condition == row["name"]]
        each = 4 if leaders[row["name"]] is Leader.BOTH else 2
        counts = Counter(one.comparison.id for one in own)
        assert set(counts.values()) == {each}, row["name"]
        assert (len(counts), len(own)) == (row["comparisons"], row["discussions"])
        assert all(one.stop is StopReason.COMPLETE for one in own)
    counted = sum(row["discussions"] for row in manifest["conditions"])
    assert counted == sum(map(len, transcripts.values()))


def test_no_reply_is_simulated(study):
    """The models are real, and the manifest has the digests of their files."""
    manifest, transcripts = study
    for held in transcripts.values():
        assert not any(turn.utterance.simulated for one in held for turn in one.turns)
    assert all("sha256" in model["file"] for model in manifest["models"])


def test_texts_of_llmbar_are_digests(study):
    """Only the sample's texts are shown, because they are the project's own."""
    _, transcripts = study
    for one in transcripts.get("llmbar", ()):
        texts = [one.comparison.question.text, *(each.text for each in one.comparison.answers)]
        assert all(text.startswith("sha256:") for text in texts)
