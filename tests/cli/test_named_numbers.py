"""Names of numbers: one meaning in JSON, frame and table, and nothing for what is not known."""

import json

import pytest

import peerjudge as pj


@pytest.fixture(scope="module")
def ungolded(new_shell):
    """A shell in a folder where `tournament` is a run without gold."""
    shell = new_shell()
    outcome = shell("run", "tournament", "--limit", "3", "--out", "tournament", "--display", "none")
    assert outcome.code == 0, outcome.err
    return shell, outcome.out


def test_without_gold_no_opinion_moves_to_it(ungolded):
    """A run without gold has no moves to or from gold: no columns, and null in JSON instead of 0."""
    shell, printed = ungolded
    assert "Opinion events by reviewer and role" in printed
    summary = shell("events", "tournament", "--summary")
    assert "To first shown" in summary.out
    for text in (printed, summary.out):
        assert "To gold" not in text
        assert "From gold" not in text
    counts = shell("events", "tournament", "--summary", "--json").document["counts"]
    assert {json.dumps(row["gold"]) for row in counts} == {"null"}
    # Two seats that disagree have no majority, so no opinion moves to one.
    assert {json.dumps(row["majority"]) for row in counts} == {"null"}
    assert all(row["first"] is not None for row in counts)


def test_with_gold_no_move_is_zero(played):
    """Where gold is known, a reviewer that never moved has 0 moves to it."""
    counts = played("events", "study", "--summary", "--json").document["counts"]
    moves = [row["gold"]["towards"] + row["gold"]["away"] for row in counts]
    assert min(moves) == 0 < max(moves)
    assert "To gold" in played("events", "study", "--summary").out


def test_every_ranking_with_peer_weights_names_its_scheme(ungolded):
    """`run` ranks by damped weights and `rank` by PRD's unless told otherwise; the tables say which."""
    shell, printed = ungolded
    assert "Damped peer weights" in printed
    assert "Peer weights: by the damped scheme" in printed
    words = ("rank", "tournament", "--bootstrap", "0", "--weights", "peer")
    for more, name, column in (
        ((), "peer weights by PRD Equation 2", "PRD Equation 2"),
        (("--scheme", "damped"), "damped peer weights", "Damped"),
    ):
        shown = shell(*words, *more).out
        assert f"Ranking by win-rate, {name}, scores in %" in shown
        assert f" {column} " in shown.partition("Reviewer weights")[2]
    assert "Ranking by win-rate, scores in %" in shell(*words[:4]).out


def test_agreement_with_peer_weights_names_the_scheme(shell, verdicts):
    """The document of `agreement` has the scheme of peer weights, null for equal ones."""
    data = verdicts("vicuna80")
    weighted = shell("agreement", data, "--weights", "peer")
    assert "Reviewers have peer weights by PRD Equation 2." in weighted.out
    documents = [
        shell("agreement", data, *more, "--json").document["scheme"]
        for more in (("--weights", "peer"), ())
    ]
    assert documents == ["prd", None]


def test_unreadable_verdicts_have_one_number(verdicts):
    """MT-Bench's judge contradicts itself 290 times and is always readable: in JSON, and in the frame."""
    found = pj.score(verdicts("mtbench"), reviewers="gpt4_pair")
    names = ("inconsistent", "unreadable", "refused")
    total = found.document()["rows"][0]["total"]
    assert [total[name] for name in names] == [290, 0, 0]
    frame = found.df[found.df["measure"] == "accuracy"]
    assert frame.iloc[0][[*names]].tolist() == [290, 0, 0]
