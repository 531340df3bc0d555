"""The doors to Inspect, with the real library and its offline model: a scorer, and scores in a file."""

from __future__ import annotations

import asyncio
import gc
import json
import math
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.analysis.export import SampleScores
from peerjudge.cli import main
from peerjudge.data import INCONSISTENT, TIE, UNREADABLE, Verdict, replace
from peerjudge.errors import DataError
from peerjudge.features.judge.judgements import build_comparison
from peerjudge.testing import transcript_of

INSTALL = "pip install 'peerjudge[inspect]'"
ONE, TWO = Verdict.of("mine"), Verdict.of("theirs")


def write_pairs(folder: Path) -> None:
    """Write pairs of answers to samples: the longer one is `model`'s in samples 1 and 2 only."""
    rows = [("1", "long enough", "no"), ("2", "long enough", "no"), ("3", "no", "long enough")]
    (folder / "pairs.jsonl").write_text(
        "".join(
            json.dumps(
                {
                    "question": f"Question {sample}?",
                    "sample_id": sample,
                    "epoch": 1,
                    "answers": [
                        {"text": mine, "author": "model"},
                        {"text": theirs, "author": "baseline"},
                    ],
                }
            )
            + "\n"
            for sample, mine, theirs in rows
        )
    )


def run_pairs(project, seat="longer", out="run"):
    """Play the pairs."""
    write_pairs(project.folder)
    lone = pj.Condition(name="alone", protocol="pairwise", seats=(seat,))
    study = pj.Experiment(name="pairs", data="jsonl:pairs.jsonl", conditions=(lone,))
    return pj.run_sync(study, out=out, shelf=project.shelf)


def export(*words):
    """Run `peerjudge export` in this process and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["export", *words])
    return ended.value.code


def judged(verdicts, condition="talk", meta=None):
    """Return the discussions of one pair, in both orders."""
    pair = build_comparison("Which?", {"mine": "x", "theirs": "y"})
    pair = replace(pair, meta=meta or {})
    return [
        replace(transcript_of("1", comparison=shown, condition=condition), verdict=verdict)
        for shown, verdict in zip([pair, pair.swapped()], verdicts, strict=True)
    ]


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        ((ONE, ONE), 1.0),
        ((TWO, TWO), 0.0),
        ((TIE, TIE), 0.5),
        ((ONE, TWO), math.nan),
        ((ONE, UNREADABLE), math.nan),
        ((INCONSISTENT, ONE), math.nan),
    ],
)
def test_a_sample_is_worth_what_both_orders_agree_on(verdicts, value):
    """A verdict that is not readable is never half a win."""
    scores = SampleScores("mine")
    scores.add(judged(verdicts))
    (row,) = scores.rows()
    assert row["value"] == pytest.approx(value, nan_ok=True)
    assert scores.unscored == math.isnan(value)


def test_a_sample_with_several_opponents_has_the_share_of_wins():
    """Comparisons without a readable verdict are counted and left out of the share."""
    scores = SampleScores("mine")
    for verdicts in ((ONE, ONE), (TWO, TWO), (ONE, TWO)):
        scores.add(judged(verdicts, meta={"sample_id": 7, "epoch": 2}))
    (row,) = scores.rows()
    assert (row["id"], row["epoch"], row["value"]) == ("7", 2, 0.5)
    assert row["metadata"]["comparisons"] == 3
    assert row["metadata"]["readable"] == 2


def test_scores_name_what_they_need():
    """One contestant, one condition, whole epochs."""
    scores = SampleScores("nobody")
    scores.add(judged((ONE, ONE)))
    with pytest.raises(DataError, match="authors of the run: mine, theirs"):
        scores.rows()
    scores = SampleScores("mine")
    scores.add(judged((ONE, ONE)))
    with pytest.raises(DataError, match="--condition: 'talk', 'vote'"):
        scores.add(judged((ONE, ONE), condition="vote"))
    with pytest.raises(DataError, match="has the epoch 'first'"):
        SampleScores("mine").add(judged((ONE, ONE), meta={"epoch": "first"}))


def test_the_command_writes_the_file(project, capsys):
    """Without a contestant it says what to add, and writes nothing."""
    run_pairs(project)
    assert export("run", "--format", "inspect-scores", "-o", "scores.json") == 2
    assert "--contestant" in capsys.readouterr().err
    assert not Path("scores.json").exists()
    assert export("run", "--format", "arena", "--contestant", "model") == 2
    assert (
        export("run", "--format", "inspect-scores", "--contestant", "model", "-o", "scores.json")
        == 0
    )
    rows = json.loads(Path("scores.json").read_text())
    assert [(row["id"], row["epoch"], row["value"]) for row in rows] == [
        ("1", 1, 1.0),
        ("2", 1, 1.0),
        ("3", 1, 0.0),
    ]
    assert "longer: I have read all of them." in rows[0]["explanation"]


@pytest.fixture
def inspect_ai():
    """Inspect, which leaves an event loop open behind each evaluation."""
    yield pytest.importorskip("inspect_ai", reason=INSTALL)
    asyncio.set_event_loop(None)
    gc.collect()


def play_task(outputs, scorer, targets=("target", "target"), log_dir="logs"):
    """Run a task on Inspect's offline model and return its log."""
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    replies = [ModelOutput.from_content("mockllm/model", text) for text in outputs]
    for reply in replies:
        # Without a usage, Inspect downloads a vocabulary to count tokens.
        reply.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=replies)
    samples = [
        Sample(id=number, input=f"Question {number}?", target=target)
        for number, target in enumerate(targets, 1)
    ]
    (log,) = inspect_ai.eval(
        inspect_ai.Task(dataset=samples, scorer=scorer),
        model=model,
        display="none",
        log_dir=log_dir,
        max_samples=1,
        log_level="error",
    )
    assert log.status == "success", log.error
    return log


@pytest.mark.filterwarnings("default")
def test_the_scorer_scores_a_task(project, inspect_ai):
    """Better than the target is correct, worse is incorrect; metrics and metadata are in the log."""
    from peerjudge.features.judge.inspect_scorer import discussed

    log = play_task(["longer than the target", "no"], discussed(by="longer", out="judged"))
    values = [sample.scores["discussed"].value for sample in log.samples]
    assert values == ["C", "I"]
    assert log.results.scores[0].metrics["accuracy"].value == 0.5
    assert "I have read all of them." in log.samples[0].scores["discussed"].explanation
    ids = log.samples[0].scores["discussed"].metadata["peerjudge"]["discussions"]
    assert {one["id"] for one in ids} <= {one.id for one in pj.load_sync("judged")}

    # Inspect's command line splits the names of cards at commas.
    split = ["leader_follower:longer", "swayed"]
    other = play_task(["no", "longer than it"], discussed(by=split, against=log.location))
    assert [one.scores["discussed"].value for one in other.samples] == ["I", "C"]


@pytest.mark.filterwarnings("default")
def test_the_scorer_leaves_out_what_has_no_verdict(project, inspect_ai):
    """Unreadable replies, orders that disagree and failed calls are unscored, with their reason."""
    from peerjudge.features.judge.inspect_scorer import discussed

    for by, reason in (
        ("mute", "grader_failed"),
        ("first", "inconsistent"),
        ("broken", "grader_failed"),
    ):
        log = play_task(["an answer", "another"], discussed(by=by))
        scores = [sample.scores["discussed"] for sample in log.samples]
        assert all(math.isnan(one.value) for one in scores)
        assert {one.reason for one in scores} == {reason}
    log = play_task(["an answer"], discussed(by="longer"), targets=("",))
    assert log.samples[0].scores["discussed"].explanation == "the sample has no target"


@pytest.mark.filterwarnings("default")
def test_precomputed_scores_take_the_exported_file(project, inspect_ai):
    """The scores of a run become those of a log, by id and epoch; unreadable ones are unscored."""
    from inspect_ai.scorer import match, mean, precomputed_scores

    log = play_task(["a", "b", "c"], match(), targets=("a", "b", "c"))
    run_pairs(project)
    assert (
        export("run", "--format", "inspect-scores", "--contestant", "model", "-o", "scores.json")
        == 0
    )
    scorer = precomputed_scores("scores.json", on_missing="error", metrics=[mean()])
    scored = inspect_ai.score(log, scorer, action="overwrite", display="none")
    assert [one.scores["precomputed_scores"].value for one in scored.samples] == [1.0, 1.0, 0.0]
    assert scored.results.scores[0].metrics["mean"].value == pytest.approx(2 / 3)

    run_pairs(project, seat="mute", out="unread")
    words = ("unread", "--format", "inspect-scores", "--contestant", "model", "-o", "unread.json")
    assert export(*words) == 0
    scorer = precomputed_scores("unread.json", on_missing="error", metrics=[mean()])
    scored = inspect_ai.score(log, scorer, action="overwrite", display="none")
    assert all(math.isnan(one.scores["precomputed_scores"].value) for one in scored.samples)
    assert scored.results.scores[0].unscored_samples == 3
