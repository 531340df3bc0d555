"""Frames of discussions small enough to read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import peerjudge as pj
from peerjudge.analysis.frames import FRAMES, ballots_reading
from peerjudge.data import TIE, StopReason, Transcript, Utterance, replace
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tracker import opinion_events
from tests.analysis.analysis_kit import told

TraceFunction = Callable[[FrameType, str, Any], Any]
NAMES = ("discussions", "turns", "calls", "events")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("discussions", [[], [told("2|1 1 ? 1")]])
def test_columns_are_those_that_are_documented(name: str, discussions: list[Transcript]):
    """Every frame has its columns, in order, also where there is nothing to put into them."""
    found = getattr(pj, f"{name}_df")(discussions)
    assert list(found.columns) == list(FRAMES[name])
    empty = getattr(pj, f"{name}_df")([])
    assert len(empty) == 0
    assert found["discussion"].dtype == "category"


def test_a_turn_is_a_row_with_its_seat_and_what_was_read():
    """Private reviews 2 and 1, then an unreadable turn of the leader, a tie of the follower."""
    frame = pj.turns_df([told("2|1 ? =")])
    assert frame["turn"].tolist() == [0, 1, 2, 3]
    assert frame["reviewer"].tolist() == ["ann", "bob", "ann", "bob"]
    assert frame["role"].tolist() == ["leader", "follower", "leader", "follower"]
    assert frame["private"].tolist() == [True, True, False, False]
    assert frame["outcome"].tolist() == ["choice", "choice", "unreadable", "tie"]
    assert frame["choice"].isna().tolist() == [False, False, True, True]
    assert frame["correct"].tolist() == [False, True, pd.NA, False]
    assert frame["chose_first"].tolist() == [False, True, pd.NA, pd.NA]
    assert frame["characters"].min() > 10
    assert frame["temperature"].isna().all()


def test_a_discussion_is_a_row_with_its_conclusion():
    """A wrong, a right, a tied, an unfinished and a failed discussion, in the order in which they come."""
    broken = [told("1|2", "c4", stop=None), told("1|1", "c5", stop=StopReason.FAILED)]
    frame = pj.discussions_df([told("2|2 2"), told("1|1 1", "c2"), told("1|2 =", "c3"), *broken])
    assert frame["comparison"].tolist() == ["c1", "c2", "c3", "c4", "c5"]
    assert frame["correct"].tolist()[:3] == [False, True, False]
    assert frame["outcome"].tolist()[2] == "tie"
    assert frame["stop"].isna().tolist() == [False, False, False, True, False]
    assert frame["stop"].iloc[-1] == "failed"
    assert frame["turns"].tolist() == [3, 3, 3, 2, 2]
    assert frame["shown"].unique().tolist() == ["answer-1 answer-2"]
    assert frame["gold"].unique().tolist() == ["answer-1"]
    assert frame["reviewers"].unique().tolist() == ["ann bob"]


def test_a_tie_is_right_where_gold_is_a_tie():
    """And nothing is right or wrong where there is no gold."""
    tied = replace(comparison_of(2), gold=TIE)
    frame = pj.turns_df([transcript_of("=|1", comparison=tied), transcript_of("=|1")])
    assert frame["correct"].tolist() == [True, False, pd.NA, pd.NA]


def test_a_turn_that_was_shown_another_order_has_another_first_answer():
    """Whoever sees the answers turned round, and chooses the same, did not choose the first."""
    straight = told("1|1")
    first, second = straight.turns
    seen = replace(second.cue, sees=second.cue.sees[::-1])
    frame = pj.turns_df([replace(straight, turns=(first, replace(second, cue=seen)))])
    assert frame["chose_first"].tolist() == [True, False]
    assert frame["correct"].tolist() == [True, True]


def test_the_first_shown_answer_is_that_of_the_discussion():
    """Swapping the answers swaps who is first, not who is right."""
    comparison = comparison_of(2, gold=1)
    frame = pj.discussions_df(
        [transcript_of("1|1", comparison=c) for c in (comparison, comparison.swapped())]
    )
    assert frame["chose_first"].tolist() == [True, True]
    assert frame["correct"].tolist() == [True, False]


def test_calls_carry_what_a_reply_took():
    """Tokens, seconds and attempts are those of the utterance."""
    one = told("1|1")
    said = Utterance(text="x", model="m-1", latency=2.5, attempts=3, cached=True)
    first = replace(one, turns=(replace(one.turns[0], utterance=said), *one.turns[1:]))
    frame = pj.calls_df([first])
    row = frame.iloc[0]
    assert (row["model"], row["latency"], row["attempts"], row["cached"]) == ("m-1", 2.5, 3, True)
    assert frame["simulated"].tolist() == [False, True]


moves = st.builds(
    lambda opening, rest: " ".join(["|".join(opening), *rest]),
    st.lists(st.sampled_from("12=?"), min_size=2, max_size=3),
    st.lists(st.sampled_from("12=?!"), max_size=5),
)


@given(st.lists(moves, max_size=4))
@settings(max_examples=20)
def test_frames_hold_what_the_nouns_hold(lines: list[str]):
    """Nothing is lost or added on the way from transcripts to rows."""
    discussions = [told(line, f"c{k}", seats=None) for k, line in enumerate(lines)]
    turns = [turn for one in discussions for turn in one.turns]
    frame = pj.turns_df(iter(discussions))
    assert frame["rule"].tolist() == [turn.review.rule for turn in turns]
    assert frame["seat"].tolist() == [turn.cue.seat for turn in turns]
    right = [
        turn.review.verdict == one.comparison.gold if turn.review.verdict.readable else pd.NA
        for one in discussions
        for turn in one.turns
    ]
    assert frame["correct"].tolist() == right
    events = [event for one in discussions for event in opinion_events(one)]
    found = pj.events_df(discussions)
    assert found["kind"].tolist() == [event.kind.value for event in events]
    assert found["turn"].tolist() == [event.turn for event in events]


def test_battles_and_weights_of_discussions():
    """An unreadable battle has no score, and weights of a scheme sum to one."""
    discussions = [told("1|2 2 2", "c1"), told("?|1 1", "c2")]
    battles = pj.battles_df(discussions)
    assert battles["score"].tolist() == [-1, 1, pd.NA, -1]
    assert battles["first"].unique().tolist() == ["author-1"]
    assert pj.battles_df(discussions, stance="final")["score"].tolist() == [1, 1, -1, -1]
    weights = pj.weights_df(discussions, bootstrap=20)
    assert list(weights.columns) == list(FRAMES["weights"])
    sums = weights.groupby("scheme", observed=True)["weight"].sum()
    assert np.allclose(sums, 1.0)
    assert weights[weights["scheme"] == "equal"]["low"].isna().all()


def count_steps(questions: int) -> int:
    """Count the instructions that read a frame of ballots, in the module that reads it."""
    rows = range(questions)
    frame = pd.DataFrame(
        {
            "question": [f"q{k}" for k in rows],
            "discussion": [f"d{k}" for k in rows],
            "reviewer": ["x"] * questions,
            "shown": [("a", "b")] * questions,
            "verdict": ["a"] * questions,
        }
    )
    steps = 0

    def trace(frame: FrameType, event: str, arg: object) -> TraceFunction | None:
        nonlocal steps
        if frame.f_code.co_filename != ballots_reading.__file__:
            return None
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        ballots_reading.read_ballots_frame(frame)
    finally:
        sys.settrace(before)
    return steps


def test_reading_a_frame_takes_steps_in_proportion_to_its_rows():
    """Four times as many questions take about four times as many steps, not sixteen."""
    assert count_steps(80) < 5 * count_steps(20)


def test_simulated_is_said_of_a_turn_or_of_a_verdict():
    """A model that discusses with a simulated reviewer has real turns and gives real verdicts."""
    assert "verdict" in FRAMES["ballots"]["simulated"]
    assert "discussion" not in FRAMES["turns"]["simulated"]
