"""Publication of the study with real models, tried with simulated stand-ins and made-up replies."""

from __future__ import annotations

import json
import math
import re
from hashlib import sha256
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.data import (
    Answer,
    Comparison,
    Cue,
    EventKind,
    Question,
    StopReason,
    TokenLogprob,
    Transcript,
    Turn,
    Usage,
    Utterance,
    replace,
)
from peerjudge.tracker import opinion_events
from peerjudge.verdicts import read_review, verdict_probabilities
from studies.real_models.__main__ import main
from studies.real_models.excerpts import choose_excerpts, escape, quote
from studies.real_models.publishing import BEGIN, END
from studies.real_models.report import write_readme_section, write_report
from studies.real_models.resuming import read_published
from studies.real_models.shortening import TOLERANCE, shorten_logprobs, shorten_transcript


@pytest.fixture(scope="module")
def published(played, tmp_path_factory):
    """Return the folder of the publication of the play."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "README.md").write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    command = ["publish", str(played), "--to", str(folder / "docs"), "--server", "server 1.2"]
    assert main([*command, "--readme", str(folder / "README.md")]) == 0
    return folder / "docs"


@pytest.mark.slow
def test_publishing_again_writes_the_same_bytes(played, published, tmp_path):
    """Neither a clock nor an order of play is in the files."""
    assert main(["publish", str(played), "--to", str(tmp_path), "--server", "server 1.2"]) == 0
    for file in published.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name


def test_the_report_follows_from_the_published_files(published):
    """The page is recomputed from the transcripts and the manifest alone."""
    report = published / "report.md"
    before = report.read_text("utf-8")
    assert write_report(*read_published(published)) == before
    report.write_text("", "utf-8")
    assert main(["report", "--to", str(published)]) == 0
    assert report.read_text("utf-8") == before


def test_findings_of_few_questions_have_no_intervals(published):
    """Two questions tell no conditions apart, and the report says so and prints plain numbers.

    No page of stand-ins can be taken for one of models.
    """
    text = (published / "report.md").read_text("utf-8")
    assert "say nothing about real models" in text
    findings = text.partition("## Findings")[2].partition("## Limits")[0]
    assert "2 questions: too few for intervals" in findings
    assert "accuracy" in findings
    assert not re.search(r"\d \[", findings)


def test_the_readme_has_the_first_excerpt_of_the_report(published):
    """The text between the marks is replaced, and nothing else."""
    text = (published.parent / "README.md").read_text("utf-8")
    manifest, transcripts = read_published(published)
    section = write_readme_section(manifest, transcripts["sample"])
    assert text == f"before\n{BEGIN}\n\n{section}\n\n{END}\nafter\n"
    report = (published / "report.md").read_text("utf-8")
    words = section.partition("**Question:**")[2]
    assert words.splitlines()[-1] in report


def test_a_readme_without_marks_is_left_alone(published, tmp_path, capsys):
    """The message says which marks are missing."""
    readme = tmp_path / "README.md"
    readme.write_text("nothing", "utf-8")
    assert main(["report", "--to", str(published), "--readme", str(readme)]) == 2
    assert BEGIN in capsys.readouterr().err
    assert readme.read_text("utf-8") == "nothing"


def test_published_transcripts_are_a_source(published):
    """The file is read by the product like a run."""
    events = pj.events_df(published / "sample.jsonl.gz")
    _, transcripts = read_published(published)
    assert len(events) == sum(len(opinion_events(one)) for one in transcripts["sample"])


@pytest.mark.slow
def test_an_unfinished_condition_is_published_with_what_it_completed(tmp_path):
    """Of an interrupted play those conditions and comparisons are published that are complete."""
    folder, only = str(tmp_path / "play"), ["--only", "single_small,leader_follower"]
    assert main(["play", "--simulated", "--out", folder, "--comparisons", "1", *only]) == 0
    more = ["--comparisons", "2", "--only", "single_small"]
    assert main(["play", "--simulated", "--out", folder, *more]) == 0
    assert main(["publish", folder, "--to", str(tmp_path / "docs")]) == 0
    rows = json.loads((tmp_path / "docs" / "manifest.json").read_text("utf-8"))["conditions"]
    counts = {row["name"]: (row["comparisons"], row["discussions"]) for row in rows}
    assert counts == {"single_small": (2, 4), "leader_follower": (1, 4)}


@pytest.mark.slow
def test_a_play_goes_on_from_a_publication(played, published, tmp_path, capsys):
    """A new folder takes published discussions over, requests no reply, and publishes the same bytes."""
    command = ["play", "--simulated", "--out", str(tmp_path / "play"), "--comparisons", "2"]
    assert main([*command, "--published", str(published)]) == 0
    shown = capsys.readouterr().err
    total = sum(len(each) for each in read_published(published)[1].values())
    assert f"{total} of {total} published discussions taken over" in shown
    assert "tokens" not in shown
    command = ["publish", str(tmp_path / "play"), "--to", str(tmp_path / "docs")]
    assert main([*command, "--server", "server 1.2"]) == 0
    for file in published.iterdir():
        assert (tmp_path / "docs" / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.slow
def test_a_publication_with_other_settings_is_played_anew(published, tmp_path, capsys):
    """Discussions of another number of turns are other discussions."""
    command = ["play", "--simulated", "--out", str(tmp_path), "--comparisons", "1", "--turns", "3"]
    only = ["--only", "leader_follower", "--published", str(published)]
    assert main([*command, *only]) == 0
    assert "sample: 0 of" in capsys.readouterr().err


def test_a_play_with_nothing_complete_is_not_published(tmp_path, capsys):
    """There is a message instead of an empty report."""
    folder = tmp_path / "play"
    assert main(["play", "--simulated", "--out", str(folder), "--dry-run"]) == 0
    assert main(["publish", str(folder), "--to", str(tmp_path / "docs")]) == 2
    assert "play it first" in capsys.readouterr().err
    assert not (tmp_path / "docs").exists()


def test_excerpts_are_the_first_events_of_their_kind(published):
    """No event of the same kind precedes an excerpt between the two models."""
    _, transcripts = read_published(published)
    chosen = choose_excerpts(transcripts["sample"])
    assert chosen
    between = [
        one for one in transcripts["sample"] if len({seat.reviewer for seat in one.seats}) > 1
    ]
    for excerpt in chosen:
        if excerpt.event.kind is EventKind.ALTERED and excerpt.transcript in between:
            earlier = between[: between.index(excerpt.transcript)]
            same = [
                event
                for one in earlier
                for event in opinion_events(one)
                if (event.kind, event.gold) == (excerpt.event.kind, excerpt.event.gold)
            ]
            assert same == []


def said(text: str, top: dict[str, float] | None = None) -> TokenLogprob:
    """A token with the probabilities of its alternatives."""
    chances = top or {text: 0.5, "The": 0.25, "x": 0.125}
    return TokenLogprob(
        token=text,
        logprob=math.log(chances[text]),
        top=tuple((other, math.log(chance)) for other, chance in chances.items()),
    )


WORDS = ["Answer", " 1", " names", " two", " causes", ".", "\n\n"]
CHANCES = {"2": 0.61234567, " 2": 0.1, "1": 0.2, "The": 0.05, "A": 0.02, "I": 0.01}


@pytest.mark.parametrize("after", [[], [""], ["\n"], [".", "\n", ""]])
def test_a_shortened_reply_keeps_its_words_and_its_probabilities(after):
    """The verdict token stays, its neighbours are joined, and the probabilities stay the same."""
    tokens = [*map(said, WORDS), said("2", CHANCES), *map(said, after)]
    short = shorten_logprobs(tokens, answers=2, ties=False)
    assert "".join(one.token for one in short) == "".join(one.token for one in tokens)
    assert len(short) <= 3
    before = sum(one.logprob for one in tokens[: len(WORDS)])
    assert short[0].logprob == pytest.approx(before, abs=1e-4)
    assert {text for text, _ in short[1].top} == {"2", " 2", "1", "A", "I"}
    full = verdict_probabilities(tokens, answers=2, ties=False)
    assert verdict_probabilities(short, answers=2, ties=False) == pytest.approx(full, abs=TOLERANCE)


def test_alternatives_stay_where_they_bound_a_label_that_is_not_listed():
    """Without the words that are no label the rest would bound the other label less."""
    chances = {"1": 0.5, "The": 0.3, "I": 0.195}
    tokens = [said("1", chances)]
    (short,) = shorten_logprobs(tokens, answers=2, ties=False)
    assert {text for text, _ in short.top} == set(chances)


def test_a_reply_without_a_verdict_token_has_no_log_probabilities():
    """There is nothing to keep of a verdict in words."""
    tokens = [said("The first answer is better.")]
    assert shorten_logprobs(tokens, answers=2, ties=False) is None


def judged(text: str) -> Transcript:
    """A discussion with one verdict on a pair whose texts are not the project's own."""
    comparison = Comparison(
        id="pair",
        question=Question(id="pair", text="What is asked?"),
        answers=(Answer(id="output_1", text="One."), Answer(id="output_2", text="Two.")),
    )
    cue = Cue(seat="reviewer_1", task="review", sees=comparison.shown, private=True)
    turn = Turn(
        index=0,
        cue=cue,
        utterance=Utterance(text=text, usage=Usage(), logprobs=(said("2", CHANCES),)),
        review=read_review(text, cue=cue, comparison=comparison),
    )
    seat = pj.Seat(id="reviewer_1", reviewer="qwen_0_5b")
    return Transcript(
        id="id",
        comparison=comparison,
        protocol="pairwise",
        seats=(seat,),
        turns=(turn,),
        stop=StopReason.COMPLETE,
        verdict=turn.review.verdict,
    )


def test_texts_of_others_become_digests():
    """Question and answers are replaced by their SHA-256; replies and verdicts stay."""
    transcript = judged("2")
    short = shorten_transcript(transcript, texts=False)
    digest = sha256(b"What is asked?").hexdigest()
    assert short.comparison.question.text == f"sha256:{digest}"
    assert all(answer.text.startswith("sha256:") for answer in short.comparison.answers)
    assert short.turns[0].review == transcript.turns[0].review
    assert short.turns[0].utterance.text == "2"
    kept = shorten_transcript(transcript, texts=True)
    assert kept.comparison == transcript.comparison
    assert replace(short, comparison=kept.comparison) == kept


def test_words_of_a_model_cannot_format_the_page():
    """Headings, lists, markup and links in a reply are shown as they were written."""
    assert escape("# **x** <b> [y](z) | 1") == "\\# \\*\\*x\\*\\* \\<b\\> \\[y\\](z) \\| 1"
    assert escape("1. one") == "1\\. one"
    assert escape("- one") == "\\- one"
    assert quote("one\n\n2") == "> one  \n>\n> 2"
    assert quote("") == "> (an empty reply)"


def test_paths_of_the_machine_are_not_published(published):
    """The manifest names no folder and no address."""
    text = (published / "manifest.json").read_text("utf-8")
    assert str(Path.home()) not in text
    assert "/tmp" not in text
    assert "127.0.0.1" not in text
