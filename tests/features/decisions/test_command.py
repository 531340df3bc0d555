"""`decide` as a user runs it."""

from __future__ import annotations

import pytest

import peerjudge as pj


def test_a_run_and_its_frame_decide_alike(played, require_golden):
    """JSON of the command is the document of the function, and stays as it is."""
    printed = played("decide", "study", "--json").document
    study = played.folder / "study"
    assert printed == pj.decide(study).document() == pj.decide(pj.ballots_df(study)).document()
    require_golden("decide study", printed)


def test_the_own_rule_after_the_last_round_has_the_accuracy_of_score(played):
    """One name has one number: the row of the protocol's own rule is that of the first table."""
    rows = played("decide", "study", "--json").document["rows"]
    ways = {row["name"]: row for row in played("score", "study", "--json").document["ways"]["rows"]}
    own = [row for row in rows if row["own"] and row["round"] == row["rounds"]]
    assert {row["condition"] for row in own} == {row["condition"] for row in rows}
    for row in own:
        right = ways[row["condition"]]["right"]
        assert (row["right"]["value"], row["right"]["low"]) == (right["value"], right["low"])
        assert row["calls"] == ways[row["condition"]]["calls"]
        assert row["as_stored"]["value"] == 1.0


def test_a_rule_and_a_round_can_be_chosen(played):
    """`--by` and `--after-round` leave the rows of these rules and of this round."""
    chosen = ("--by", "unanimity,majority", "--after-round", "0")
    document = played("decide", "study", *chosen, "--json").document
    assert {(row["by"], row["round"]) for row in document["rows"]} == {
        ("unanimity", 0),
        ("majority", 0),
    }
    shown = played("decide", "study", *chosen).out
    assert "Decision rules after round 0" in shown
    assert "Simulated" in shown.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--by", "coin"), "unknown rule 'coin'; choose of last, leader, majority"),
        (("--by", "judge"), "nothing stored supports 'judge'"),
        (("--after-round", "7"), "there is no round 7; choose 0 to 2"),
        (("--after-round", "-1"), "there is no round -1"),
    ],
)
def test_what_cannot_be_decided_is_refused_in_a_sentence(played, words, says):
    """An unknown rule, one that nothing supports, and a round that nobody played exit with 2."""
    outcome = played("decide", "study", *words)
    assert outcome.code == 2
    assert says in outcome.err
