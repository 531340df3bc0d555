"""Frames of ballots in place of runs and datasets."""

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
