"""The scorer for Inspect, with the real library and its offline model."""

from __future__ import annotations

import asyncio
import gc
import math

import pytest

import peerjudge as pj

INSTALL = "pip install 'peerjudge[inspect]'"


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
