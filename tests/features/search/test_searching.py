"""A search plays candidates by ordinary runs, chooses on unseen questions, and tests once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from statistics import fmean

import pytest

from peerjudge.data import Condition, Experiment, Search, from_plain
from peerjudge.errors import ExperimentError
from peerjudge.features.search.declaring import merge_search
from peerjudge.features.search.nouns import History, SearchOptions
from peerjudge.features.search.optimizing import optimize
from peerjudge.features.search.replay import next_step, read_state
from peerjudge.features.search.targets import choose_targets, list_targets
from peerjudge.runs import prepare
from peerjudge.shelf import Shelf

JUDGED = Experiment(
    name="judged",
    data="",
    prompts="instruction_following",
    seed=1,
    conditions=(Condition(name="judge", protocol="pairwise", seats=("sim_plain",)),),
)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """A table of 80 pairs with gold."""
    rows = [
        {
            "question": f"Write the number {n}.",
            "answer_a": f"{n}",
            "answer_b": f"The number is {n + 1}.",
            "gold": "a" if n % 2 else "b",
            "subset": ("easy", "hard")[n % 2],
        }
        for n in range(80)
    ]
    path = tmp_path_factory.mktemp("data") / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return f"jsonl:{path}"


def search(pairs, folder, **changed):
    """Return a small search by GRIPS."""
    given = {"steps": 2, "candidates": 3, "split": "20,20,40", "data": pairs, "out": folder}
    return asyncio.run(optimize(JUDGED, **(given | changed)))


@pytest.fixture(scope="module")
def searched(pairs, tmp_path_factory):
    """The result of a search, and its folder."""
    folder = tmp_path_factory.mktemp("searched") / "search"
    return search(pairs, folder), folder


def test_a_search_killed_before_its_tables_were_made_resumes(pairs, tmp_path):
    """A kill may leave the file of the store without tables; the same search then starts anew."""
    folder = tmp_path / "search"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    assert search(pairs, folder, steps=1, candidates=1).spent.discussions > 0


def test_judges_that_read_no_prompts_find_nothing_better(searched):
    """Simulated reviewers without reactions ignore wording: the base stays, and no test is opened."""
    found, folder = searched
    assert not found.adoption.adopted
    assert found.test is None
    assert found.chosen == found.base
    assert not (folder / "openings.json").exists()


def test_every_target_that_is_offered_is_in_a_prompt(pairs):
    """A target that no prompt contains would change nothing, and is refused with those that would."""
    prepared = prepare(JUDGED, data=pairs)
    shelf = Shelf()
    assert [one.name for one in choose_targets((), prepared, shelf)] == ["pack:tasks.review"]
    assert "role:sim_plain" in list_targets(prepared.plan.experiment, shelf)
    with pytest.raises(ExperimentError, match=r"did you mean 'pack:tasks\.review'"):
        choose_targets(["pack:task.review"], prepared, shelf)
    with pytest.raises(
        ExperimentError, match=r"contains 'pack:tasks\.discuss', so changing it changes"
    ):
        choose_targets(["pack:tasks.discuss"], prepared, shelf)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"method": "magic"}, "there is no method 'magic'"),
        ({"split": "40,40,40"}, "the splits take 120 questions, and there are 80"),
        ({"split": "half"}, "three numbers of questions"),
        ({"steps": 0}, "steps of a search is at least 1, not 0"),
        ({"candidates": 0}, "candidates of a search is at least 1, not 0"),
        ({"patience": -1}, "patience of a search is at least 0, not -1"),
    ],
)
def test_a_search_that_cannot_be_done_is_refused(pairs, tmp_path, changed, sentence):
    """A sentence says what is wrong."""
    with pytest.raises(ExperimentError, match=sentence):
        search(pairs, tmp_path / "search", **changed)


def test_a_search_can_be_replayed_from_its_records(searched):
    """`history.json` has the records of every step, the splits by question, and all scores."""
    found, folder = searched
    kept = json.loads((folder / "history.json").read_text())
    history = from_plain(History, kept["records"])
    options = from_plain(SearchOptions, kept["options"])
    assert next_step(history, options, kept["seed"]) is None
    state = read_state(history, options, kept["seed"])
    assert [one.id for one in state.candidates] == [row.id for row in found.candidates]
    assert [row.search for row in found.candidates] == [
        None if one.id not in state.scores else fmean(state.scores[one.id].scores.values())
        for one in state.candidates
    ]
    assert kept["splits"]["search"] == list(options.questions)
    assert len({*kept["splits"]["search"], *kept["splits"]["select"]}) == 40


@pytest.mark.parametrize(
    ("patience", "taken"), [(None, {2}), (1, {1}), (4, {4}), (0, {5})], ids=str
)
def test_steps_without_gain_end_a_search(pairs, tmp_path, patience, taken):
    """Where no text helps, GRIPS of the paper ends after two steps, or after as many as the user says."""
    found = search(
        pairs, tmp_path / "search", steps=5, candidates=1, split="paper", patience=patience
    )
    assert {max(row.step for row in found.candidates)} == taken


def test_a_declared_patience_holds_unless_the_command_gives_another():
    """Also 0, which means never, is a value that a user can give in place of the declared one."""
    declared = Search(patience=1)
    assert merge_search(declared, {"patience": None}).patience == 1
    assert merge_search(declared, {"patience": 0}).patience == 0
    assert merge_search(None, {}).patience is None
