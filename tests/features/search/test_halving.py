"""Successive halving: what it drops, what it costs, and which questions it asks for."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import content_hash
from peerjudge.features.search.board import list_rungs
from peerjudge.features.search.nouns import (
    CandidateScores,
    Evaluate,
    Evaluated,
    SearchOptions,
    Target,
)
from peerjudge.features.search.replay import next_step, read_state
from peerjudge.features.search.stand_ins import ScriptedProposer, answer_step, play_search

BASE = "Read both answers with care. Decide which answer follows the instruction. Name its faults."
TARGET = Target(name="pack:tasks.review", text=BASE)


def options_of(questions: int, **settings) -> SearchOptions:
    """The options of a search."""
    ids = tuple(f"q{number}" for number in range(questions))
    return SearchOptions(method="grips", targets=(TARGET,), questions=ids, **settings)


def noise(candidate, question) -> float:
    """A score that depends on the text and the question only."""
    return int(content_hash(candidate.id, question)[:8], 16) % 997 / 996


@pytest.mark.parametrize("questions", [20, 21, 22, 23, 30, 49, 160])
def test_halving_takes_at_most_65_percent_of_the_calls(questions: int):
    """From 20 questions and 2 candidates on, a step costs at most 65 % of one without halving."""
    for candidates in range(2, 13):
        options = options_of(questions, candidates=candidates, steps=1, paraphrase=False)
        history, calls = (), 0
        while (step := next_step(history, options, 1)) is not None:
            assert isinstance(step, Evaluate)
            calls += len(step.candidates) * len(step.questions) if step.step else 0
            history = (*history, answer_step(step, score=noise, proposer=ScriptedProposer()))
        assert 0 < calls <= 0.65 * candidates * questions, candidates


def test_the_worse_half_leaves_at_every_rung():
    """Of five candidates, three see half of the questions and two see all."""
    options = options_of(40, candidates=5, steps=1, paraphrase=False)
    history = play_search(options, draw=3, score=noise)
    counts = Counter(len(one.scores) for one in read_state(history, options, 3).scores.values())
    assert counts == {10: 2, 20: 1, 40: 3}  # The base has all scores, too.


@given(st.integers(1, 300), st.integers(0, 50))
def test_rungs_ask_for_every_question_once(questions: int, step: int):
    """Together the rungs are the search split, whatever the step and the number of questions."""
    ids = tuple(range(questions))
    rungs = list_rungs(ids, (0.25, 0.5, 1.0), step=step)
    assert sorted(question for _, part in rungs for question in part) == list(ids)
    assert all(part for _, part in rungs)
    assert rungs[-1][0] == 1.0


def test_steps_begin_at_different_questions():
    """The first rung, which drops most, does not judge every step by the same questions."""
    ids = tuple(range(40))
    firsts = {list_rungs(ids, (0.25, 0.5, 1.0), step=step)[0][1] for step in range(4)}
    assert len(firsts) == 4
    assert sorted(question for first in firsts for question in first) == list(ids)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 8))
def test_the_incumbent_is_never_dropped(draw: int, candidates: int):
    """The incumbent keeps its place unless a candidate with all scores is strictly better on them."""
    options = options_of(20, candidates=candidates, steps=4, patience=0, paraphrase=False)
    history = play_search(options, draw=draw, score=noise)
    state = read_state(history, options, draw)
    means = {
        one: sum(scored.scores.values()) / 20
        for one, scored in state.scores.items()
        if len(scored.scores) == 20
    }
    on_path = [means[one] for one in state.path]
    assert on_path == sorted(set(on_path))
    assert means[state.incumbent] == pytest.approx(max(on_path))


def test_a_refused_candidate_is_not_asked_for_again():
    """A candidate that cannot be played leaves the race at once, with the reason; the others go on."""
    options = options_of(40, candidates=5, steps=1, paraphrase=False)
    base = next_step((), options, 1)
    history = (answer_step(base, score=noise, proposer=ScriptedProposer()),)
    first = next_step(history, options, 1)
    bad = first.candidates[0].id
    results = answer_step(first, score=noise, proposer=ScriptedProposer()).results
    refused = CandidateScores(candidate=bad, refused="it does not render")
    history = (*history, Evaluated(results=(refused, *results[1:])))
    second = next_step(history, options, 1)
    assert bad not in [one.id for one in second.candidates]
    assert len(second.candidates) == 2
    state = read_state(history, options, 1)
    why = {one.id: (one.valid, one.why) for one in state.candidates}
    assert why[bad] == (False, "it does not render")
