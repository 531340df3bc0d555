"""A user's own table with several votes on each comparison serves every analysis of votes."""

from __future__ import annotations

import pytest

PEOPLE = {"expert_1": 7, "expert_2": 4, "author_1": 5}
"""Each person errs on every question whose number is divisible by this."""


@pytest.fixture
def table(shell):
    """Write twelve pairs with a vote of each person; the first answer is better in half of them."""
    lines = ["question,answer_a,answer_b,gold,annotator,author_a,author_b"]
    for number in range(1, 13):
        for who, errs in PEOPLE.items():
            gold = "ab"[(number % 2 == 0) ^ (number % errs == 0)]
            lines.append(f"Question {number}?,yes {number},no {number},{gold},{who},m,n")
    (shell.folder / "own.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "csv:own.csv"


def test_votes_alone_can_be_analysed(shell, table):
    """Agreement with the others, and a ranking of the authors by people."""
    agreed = shell("agreement", table, "--reviewers", "expert_1,expert_2", "--json").document
    assert agreed["n"] > 0
    ranked = shell("rank", table, "--reviewers", "human", "--json").document
    assert ranked["contestants"].keys() == {"m", "n"}
    scored = shell("score", table, "--reviewers", "author_1", "--json").document
    assert [row["reviewer"] for row in scored["rows"]] == ["author_1"]
    refused = shell("score", table)
    assert refused.code == 2
    assert "score them with --reviewers human" in refused.err


def test_a_run_on_votes_is_scored_against_all_of_them(shell, table):
    """The same file has the questions of the run and the votes of its gold, by type of labeler."""
    settings = ("--limit", "8", "-S", "turns=0", "-S", "orders=given", "--display", "none")
    run = shell("run", "leader_follower", "--data", table, "--out", "r", *settings)
    assert run.code == 0, run.err
    rows = shell("score", "r", "--by", "labeler", "--gold", table, "--json").document["rows"]
    groups = {group for row in rows for group in row["groups"]}
    assert {"expert", "author"} <= groups
