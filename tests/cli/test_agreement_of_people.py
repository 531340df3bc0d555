"""People whose votes are the gold are compared with one another, never with their own majority."""

from __future__ import annotations

from itertools import combinations

import pytest

ERRS = {"anna": 9, "ben": 5, "chris": 3}
"""Each person errs on every question whose number is divisible by this."""
PAIRS = 24
REASON = "No accuracy of these people together: gold is made of their own votes"


def _vote(who, number):
    return (number % 2 == 0) ^ (number % ERRS[who] == 0)


@pytest.fixture(scope="module")
def shell(new_shell):
    """A shell in a folder that all tests share."""
    return new_shell()


@pytest.fixture(scope="module")
def table(shell):
    """Write pairs with a vote of each person."""
    lines = ["question,answer_a,answer_b,gold,annotator"]
    lines += [
        f"Question {number}?,yes {number},no {number},{'ab'[_vote(who, number)]},{who}"
        for number in range(1, PAIRS + 1)
        for who in ERRS
    ]
    (shell.folder / "votes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "csv:votes.csv"


@pytest.mark.parametrize("people", ["anna,ben,chris", "human"])
def test_agreement_with_one_another_comes_first(shell, table, people):
    """Kappa and alpha with intervals, then each person against the others, and why no more."""
    told = shell("agreement", table, "--reviewers", people)
    assert told.code == 0, told.err
    kappa, alpha, *_ = told.out.strip().splitlines()
    assert kappa.startswith("Fleiss' kappa: 0.")
    assert "[" in kappa
    assert alpha.startswith("Krippendorff's alpha: 0.")
    assert told.out.index("Accuracy by reviewer") > told.out.index("Krippendorff")
    assert REASON in told.out
    assert "100 [" not in told.out
    assert "Cohen's kappa" not in told.out
    pairs = shell("agreement", table, "--reviewers", people, "--panel")
    assert "Cohen's kappa" in pairs.out
    latex = shell("agreement", table, "--reviewers", people, "--format", "latex").out
    assert latex.startswith("% Fleiss' kappa: 0.")


def test_each_person_is_held_against_the_others(shell, table):
    """Two others who differ are a tie; where they do not, the accuracy is beside it."""
    document = shell("agreement", table, "--reviewers", "anna,ben,chris", "--json").document
    assert document["reviewers"] == ["anna", "ben", "chris"]
    assert (document["accuracy"], document["fleiss_kappa"], document["n"]) == (None, None, 0)
    assert {"gold", "unreadable"} <= document.keys()
    assert document["declined"].startswith(REASON)
    panel = document["panel"]
    assert -1 <= panel["fleiss_kappa"]["low"] < panel["fleiss_kappa"]["value"] < 1
    assert panel["krippendorff_alpha"]["n"] == PAIRS
    numbers = range(1, PAIRS + 1)
    alike = sum(len({_vote(who, number) for who in ERRS}) == 1 for number in numbers)
    for who in ERRS:
        one, other = (name for name in ERRS if name != who)
        settled = sum(_vote(one, number) == _vote(other, number) for number in numbers)
        assert panel["accuracy"][who]["value"] == pytest.approx(alike / PAIRS)
        assert panel["decided"][who]["value"] == pytest.approx(alike / settled)


def test_two_people_are_also_held_against_the_third(shell, table):
    """Where somebody else voted, both together have an accuracy, after their own agreement."""
    for pair in combinations(ERRS, 2):
        told = shell("agreement", table, "--reviewers", ",".join(pair))
        assert told.out.startswith("Fleiss' kappa")
        assert f"{' & '.join(pair)} against human" in told.out
        assert REASON not in told.out


@pytest.mark.usefixtures("table")
def test_the_report_of_a_run_shows_how_its_annotators_agree(shell):
    """Without `--gold`, from the data that the run names and on its comparisons alone."""
    settings = ("--limit", "8", "-S", "turns=0", "-S", "orders=given", "--display", "none")
    votes = shell.folder / "gone.csv"
    votes.write_bytes((shell.folder / "votes.csv").read_bytes())
    run = shell("run", "leader_follower", "--data", "csv:gone.csv", "--out", "r", *settings)
    assert run.code == 0, run.err
    assert "Agreement of the annotators" in (shell.folder / "r/report.html").read_text("utf-8")
    shell("report", "r", "--force")
    page = (shell.folder / "r/report.html").read_text("utf-8")
    assert "Agreement of the annotators" in page
    assert "Krippendorff&#39;s alpha" in page
    votes.unlink()
    gone = shell("report", "r", "--force")
    assert gone.code == 0, gone.err
    page = (shell.folder / "r/report.html").read_text("utf-8")
    assert "Agreement of the annotators" not in page
