"""Frames of ballots in place of runs and datasets."""

import json
import shutil
import sqlite3
from contextlib import closing

import pandas as pd
import pytest

import peerjudge as pj
from peerjudge.analysis.frames import FRAMES
from peerjudge.errors import DataError


@pytest.fixture(scope="module")
def study(played):
    """The folder of a small run."""
    return played.folder / "study"


def test_a_frame_scores_like_its_run(study):
    """The scores are the same; only the name of the source differs."""
    frame = pj.ballots_df(study)
    assert list(frame.columns) == list(FRAMES["ballots"])
    keys = ["condition", "stance", "reviewer"]
    found, expected = (
        pj.score(at).df.sort_values(keys, ignore_index=True) for at in (frame, study)
    )
    pd.testing.assert_frame_equal(found, expected)


def test_prices_of_the_manifest_price_every_way_to_judge(study, tmp_path):
    """1,000 verdicts of a condition cost what the tokens of its calls do, from the run and from its frame."""
    place = tmp_path / "priced"
    shutil.copytree(study, place)
    price = {"input": 1.0, "output": 4.0}
    prices = {str(name): price for name in pj.calls_df(study)["reviewer"].unique()}
    with closing(sqlite3.connect(place / "store.db")) as store, store:
        (manifest,) = store.execute("SELECT manifest FROM runs").fetchone()
        priced = json.dumps({**json.loads(manifest), "prices": prices})
        store.execute("UPDATE runs SET manifest = ?", (priced,))
    calls = pj.calls_df(place)
    calls["usd"] = (calls["prompt_tokens"] + 4 * calls["completion_tokens"]) / 1e6
    spent = calls.groupby("condition", observed=True)["usd"].sum()
    played = pj.discussions_df(place).groupby("condition", observed=True).size()
    ways = {row.name: row for row in pj.score(place).ways.rows}
    for name in played.index:
        assert ways[name].usd == pytest.approx(1000 * spent[name] / played[name])
    framed = {row.name: row.usd for row in pj.score(pj.ballots_df(place)).ways.rows}
    assert framed == pytest.approx({name: row.usd for name, row in ways.items()})
    assert {row.name: row.usd for row in pj.report(place).findings.ways.rows} == pytest.approx(
        framed
    )


def test_some_rows_are_the_ballots_of_some_questions(study):
    """A selection in pandas is a selection of the analysis."""
    frame = pj.ballots_df(study)
    some = frame[frame["question"].isin(sorted(set(frame["question"]))[:3])]
    assert pj.rank(some, bootstrap=0).ranking.questions == 3


def test_an_own_table_of_verdicts_is_enough():
    """Four columns make ballots: gpt beats vicuna twice and ties once."""
    shown = [("gpt", "vicuna"), ("vicuna", "gpt"), ("gpt", "vicuna")]
    own = pd.DataFrame({"question": ["q1", "q2", "q3"], "reviewer": "me", "shown": shown})
    own["verdict"] = ["gpt", "gpt", "tie"]
    ranked = pj.rank(own, bootstrap=0).df
    assert list(ranked["contestant"]) == ["gpt", "vicuna"]
    assert ranked["score"][0] == pytest.approx(2.5 / 3)


def test_a_frame_says_what_it_lacks(study):
    """Missing columns, unknown verdicts and missing transcripts are named."""
    own = pd.DataFrame({"question": ["q"], "reviewer": ["me"], "shown": [("a", "b")]})
    with pytest.raises(DataError, match="it has no verdict"):
        pj.rank(own)
    with pytest.raises(DataError, match="'c' is none of a, b"):
        pj.rank(own.assign(verdict="c"))
    with pytest.raises(DataError, match="need transcripts"):
        pj.events(pj.ballots_df(study))
    with pytest.raises(DataError, match="lists transcripts"):
        pj.report(pj.ballots_df(study))
