"""Conditions of an experiment that no candidate of a search can change."""

from __future__ import annotations

import asyncio

import pytest

from peerjudge.data import Condition, Experiment, replace
from peerjudge.errors import ExperimentError
from peerjudge.features.search.optimizing import optimize

ALONE = Condition(
    name="alone", protocol="pairwise", seats=("sim_responsive",), prompts="hasty_rules"
)
TALK = Condition(name="talk", protocol="leader_follower", seats=("sim_plain", "sim_strong"))
LONE = Experiment(name="lone", data="sums", seed=4, conditions=(ALONE,))
BOTH = replace(
    LONE,
    prompts="instruction_following",
    conditions=(TALK, ALONE),
    primary="talk over mean seat",
    seats={"judge": "sim_responsive", "leader": "sim_plain"},
)
SIZES = {"steps": 2, "candidates": 4, "split": "paper"}


def search(experiment: Experiment, **given):
    """Return a small search as the paper does it, which nearly always adopts something."""
    return asyncio.run(optimize(experiment, **(SIZES | given)))


@pytest.fixture(scope="module")
def lone(tmp_path_factory):
    """The search with the one condition that has the text."""
    folder = tmp_path_factory.mktemp("lone")
    return search(LONE, targets=("pack:aspects",), out=folder / "search")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same search in an experiment with a second condition, which has another pack."""
    folder = tmp_path_factory.mktemp("both")
    return search(BOTH, targets=("pack@hasty_rules:aspects",), out=folder / "search")


def test_a_condition_that_cannot_change_is_in_no_score(lone, both):
    """Scores, decision, test and calls are those of a search without the condition."""
    assert both.unchanged == ("talk",)
    assert lone.unchanged == ()
    assert [(one.change, one.search) for one in both.candidates] == [
        (one.change, one.search) for one in lone.candidates
    ]
    assert both.adoption.adopted
    assert both.test == lone.test
    assert both.spent.simulated == lone.spent.simulated


def test_a_condition_that_cannot_change_is_said_to_be_left_out(both):
    """The page of the search and its JSON name it."""
    assert "Not played, as no target is in their prompts: talk." in str(both)
    assert both.document()["unchanged"] == ("talk",)


def test_a_condition_that_cannot_change_is_in_no_estimate(tmp_path):
    """A dry run counts the calls of the conditions that are played."""
    given = {"out": tmp_path / "search", "dry_run": True}
    one = search(LONE, targets=("pack:aspects",), **given)
    two = search(BOTH, targets=("pack@hasty_rules:aspects",), **given)
    assert two.estimate == one.estimate


def test_a_condition_that_seats_the_card_is_played(tmp_path):
    """A role changes every condition that seats the card, whatever its pack."""
    apart = replace(ALONE, name="apart", prompts="instruction_following")
    experiment = replace(BOTH, conditions=(TALK, ALONE, apart))
    given = {"out": tmp_path / "search", "dry_run": True}
    assert search(experiment, targets=("role:sim_responsive",), **given).unchanged == ("talk",)
    roles = ("role:sim_responsive", "role:sim_strong")
    assert search(experiment, targets=roles, **given).unchanged == ()


def test_a_text_of_later_comparisons_counts(tmp_path):
    """A condition that does not judge the first comparison is played if later prompts have the text."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(
        "".join(
            f'{{"question": "Is {n} a number?", "answer_a": "Yes, {n} is.", "answer_b": "No.", "gold": "a", '
            f'"author_a": "{"early" if n < 60 else "late"}", "author_b": "other"}}\n'
            for n in range(120)
        )
    )
    late = replace(ALONE, name="late", contestants=("late", "other"))
    experiment = replace(LONE, data=f"jsonl:{pairs}", conditions=(ALONE, late))
    found = search(experiment, out=tmp_path / "search", dry_run=True)
    assert found.unchanged == ()


@pytest.mark.parametrize("target", ["pack@hasty_rules:tasks.discuss", "pack@hasty_rules:remind"])
def test_a_search_in_which_no_condition_can_change_is_refused(tmp_path, target: str):
    """One sentence names the text that no prompt has, and those that some have."""
    with pytest.raises(ExperimentError, match=r"contains .* changes nothing; choose one of pack@"):
        search(BOTH, targets=(target,), out=tmp_path / "search")
