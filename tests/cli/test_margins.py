"""Margins from a run to the commands that show them."""

from __future__ import annotations

import csv
import io
import math

import pytest

REVIEWER = '''
"""Says `1` in either order, a little less surely where the better answer is the second."""

import math

from peerjudge.clients.fake import FakeChatClient, FakeReply
from peerjudge.data import TokenLogprob

BIAS = 3.0


def judge(prompt):
    first = prompt.text.index("good answer") < prompt.text.index("poor answer")
    logit = BIAS + (SIGNAL if first else -SIGNAL)
    one = -math.log1p(math.exp(-logit))
    top = (("1", one), ("2", one - logit))
    return FakeReply(text="1", logprobs=(TokenLogprob(token="1", logprob=one, top=top),))


def reviewer():
    return FakeChatClient(judge)
'''

EXPERIMENT = '''
"""Two judges of one label."""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="jsonl:pairs.jsonl",
    prompts="instruction_following",
    conditions=tuple(
        Condition(name=name, protocol="pairwise", seats=(name,)) for name in ("keen", "dull")
    ),
)
'''

PAIR = '{{"question": "{}?", "answer_a": "the good answer", "answer_b": "the poor answer", "gold": "a"}}\n'


@pytest.fixture(scope="module")
def leaning(played):
    """A shell in a folder with a run of two reviewers that return log-probabilities."""
    for name, signal in (("keen", "1.0"), ("dull", "0.25")):
        text = REVIEWER.replace("SIGNAL", signal)
        played.write(f"agents/{name}.py", text)
    played.write("experiments/leaning.py", EXPERIMENT)
    (played.folder / "pairs.jsonl").write_text("".join(PAIR.format(n) for n in range(5)))
    ran = played("run", "leaning", "--out", "leaning", "--display", "none")
    assert ran.code == 0, ran.err
    return played


def logistic(x: float) -> float:
    """The probability of these log-odds."""
    return 1 / (1 + math.exp(-x))


def test_score_shows_margins_where_accuracy_says_nothing(leaning):
    """Reviewers that always say `1` are right half the time, and differ in their margins."""
    outcome = leaning("score", "leaning", "--json")
    assert outcome.code == 0, outcome.err
    cells = {row["reviewer"]: row["total"] for row in outcome.document["rows"]}
    assert [cell["accuracy"]["value"] for cell in cells.values()] == [0.5, 0.5]
    for name, signal in (("keen", 1.0), ("dull", 0.25)):
        margin = cells[name]["margin"]
        assert margin["value"] == pytest.approx(logistic(signal), abs=1e-4)
        assert (margin["n"], margin["one_order"]) == (5, 0)
        assert margin["low"] < margin["value"] < margin["high"]
    assert "Margin in %" in leaning("score", "leaning", "--all").out


def test_runs_without_log_probabilities_have_no_margins(leaning):
    """No table of margins is printed, and JSON has null."""
    assert "Margin" not in leaning("score", "study").out
    rows = leaning("score", "study", "--json").document["rows"]
    assert {row["total"]["margin"] for row in rows} == {None}
    assert "Margin" not in leaning("compare", "study").out


def test_compare_has_the_difference_of_margins(leaning):
    """The conditions differ in margin by a known amount, and not in accuracy."""
    document = leaning("compare", "leaning", "--json").document
    assert document["margin"].keys() == {"keen", "dull"}
    (pair,) = document["pairs"]
    sign = 1 if pair["one"] == "keen" else -1
    difference = pair["margin"]["difference"]
    expected = sign * (logistic(1.0) - logistic(0.25))
    assert difference["value"] == pytest.approx(expected, abs=1e-4)
    assert (difference["n"], pair["margin_one_order"]) == (5, 0)
    assert pair["difference"]["difference"]["value"] == 0.0
    assert "Margin" in leaning("compare", "leaning").out


@pytest.mark.parametrize("frame", [(), ("--frame", "turns")])
def test_turns_are_exported_with_the_probability_of_their_choice(leaning, frame):
    """Both tables of turns have the probability of the chosen answer, from text or without."""
    outcome = leaning("export", "leaning", "--format", "csv", *frame)
    assert outcome.code == 0, outcome.err
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    found = {round(float(row["probability"]), 4) for row in rows}
    assert found == {round(logistic(3 + x), 4) for x in (1.0, -1.0, 0.25, -0.25)}
    plain = leaning("export", "study", "--format", "csv", *frame).out
    assert {row["probability"] for row in csv.DictReader(io.StringIO(plain))} == {""}
