"""Margins: the probability of the gold answer, with the preference for a place taken out."""

from __future__ import annotations

import math
from dataclasses import replace as changed

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis import (
    collect_transcripts,
    compare_all,
    measure_mean_margin,
    tabulate_by_condition,
)
from peerjudge.analysis.ballots import Stage
from peerjudge.analysis.scoring import score_ballots
from peerjudge.data import (
    UNREADABLE,
    Question,
    Review,
    StopReason,
    TokenLogprob,
    Transcript,
    Verdict,
    replace,
)
from peerjudge.statistics.interval import METHOD
from peerjudge.statistics.sampler import Sampler
from peerjudge.testing import comparison_of, transcript_of
from tests.analysis.analysis_kit import dataset_of

LOGITS = st.floats(-3, 3)
SHARED = Question(id="q", text="?")


def lean(label: str, logits: list[float]) -> tuple[TokenLogprob, ...]:
    """A reply of one label, when the labels have these logits."""
    total = math.fsum(map(math.exp, logits))
    top = tuple((str(n), x - math.log(total)) for n, x in enumerate(logits, start=1))
    return (TokenLogprob(token=label, logprob=dict(top)[label], top=top),)


def told(moves: str, *logits: list[float], swap: bool = False, **changes) -> Transcript:
    """A discussion whose gold is `answer-1`, with the logits of the shown labels in every turn."""
    name = changes.pop("name", "c1")
    comparison = comparison_of(len(logits[0]), gold=1, name=name)
    shown = comparison.swapped() if swap else comparison
    one = transcript_of(moves, comparison=shown, condition=changes.pop("condition", "talk"))
    turns = tuple(
        replace(
            turn,
            utterance=replace(
                turn.utterance,
                logprobs=lean(str(shown.shown.index(turn.review.verdict.choice) + 1), each),
            ),
        )
        for turn, each in zip(one.turns, logits, strict=True)
    )
    return replace(one, turns=turns, **changes)


def in_both_orders(signal: float, bias: float, **changes) -> list[Transcript]:
    """A judge that sees gold with this signal, and says `1` in both orders."""
    return [
        told("1", [bias + signal, 0.0], **changes),
        told("1", [bias, signal], swap=True, **changes),
    ]


def score(transcripts, **options):
    """The only score of these discussions."""
    (found,) = score_ballots(collect_transcripts(transcripts, name="run"), **options).scores
    return found


def logistic(x: float) -> float:
    """The probability of these log-odds."""
    return 1 / (1 + math.exp(-x))


@settings(max_examples=25)
@given(LOGITS, LOGITS)
def test_a_preference_for_a_place_cancels_out(signal, bias):
    """In both orders, the margin depends on how the answers look, and not on the place."""
    margin = score(in_both_orders(signal, bias)).total.margin
    assert margin.measured.value == pytest.approx(logistic(signal), abs=1e-4)
    assert (margin.measured.n, margin.one_order) == (1, 0)


def test_a_judge_of_one_label_has_a_margin():
    """Where accuracy is one half by the label alone, margins tell a better judge from a worse one."""
    cells = [score(in_both_orders(signal, 5.0)).total for signal in (0.5, -0.5)]
    assert [cell.accuracy.value for cell in cells] == [0.5, 0.5]
    assert cells[0].margin.measured.value > 0.5 > cells[1].margin.measured.value


def test_a_pair_in_one_order_is_counted():
    """A judgement in one order has a margin, in which its preference for a place remains."""
    margin = score([*in_both_orders(1.0, 2.0), told("1", [3.0, 0.0], name="c2")]).total.margin
    expected = (logistic(1.0) + logistic(3.0)) / 2
    assert margin.measured.value == pytest.approx(expected, abs=1e-4)
    assert (margin.measured.n, margin.one_order) == (2, 1)


def test_a_reply_without_a_verdict_leaves_one_order():
    """The order whose verdict has no probabilities does not count as an order of the margin."""
    first, second = in_both_orders(1.0, 2.0)
    silent = replace(second.turns[0], review=Review(verdict=UNREADABLE))
    silent = replace(
        silent, utterance=replace(silent.utterance, logprobs=lean("1", [0.0, 0.0])[:0])
    )
    margin = score([first, replace(second, turns=(silent,))]).total.margin
    assert margin.measured.value == pytest.approx(logistic(3.0), abs=1e-4)
    assert margin.one_order == 1


def test_without_log_probabilities_there_is_no_column_and_no_margin():
    """A run without log-probabilities has a table of no columns and no margins."""
    plain = transcript_of("1", gold=1)
    ballots = collect_transcripts([plain])
    assert ballots.probabilities.shape == (2, 0)
    assert score([plain]).total.margin is None
    (row,) = tabulate_by_condition(ballots)
    assert measure_mean_margin(row, sampler=Sampler()) is None


def test_ballots_hold_probabilities_in_the_order_of_the_comparison():
    """Each verdict has its own probabilities, and the conclusion of a lone judge those of its verdict."""
    ballots = collect_transcripts(in_both_orders(1.0, 2.0))
    found = ballots.probabilities[:, :2].tolist()
    assert [row[0] for row in found] == pytest.approx(
        [logistic(3.0)] * 2 + [logistic(-1.0)] * 2, abs=1e-5
    )
    assert np.isnan(ballots.probabilities[:, 2:]).all()


def test_a_conclusion_pools_the_last_verdicts_of_its_seats():
    """The log-odds of the seats' last verdicts are averaged; each earlier ballot keeps its own."""
    one = told("1|2 1 2", [1.0, 0.0], [0.0, 2.0], [3.0, 0.0], [0.0, 1.0])
    ballots = collect_transcripts([one])
    chances = ballots.probabilities[:, 0].tolist()
    logits = [1.0, -2.0, 3.0, -1.0, 1.0]
    assert chances == pytest.approx([logistic(x) for x in logits], abs=1e-5)
    assert ballots.stage[-1] == Stage.CONCLUDED


def test_a_conclusion_without_the_verdict_of_a_seat_has_no_probabilities():
    """Where the last verdict of a seat has no probabilities, the conclusion has none."""
    one = told("1|2", [1.0, 0.0], [0.0, 2.0])
    silent = replace(one.turns[1], utterance=replace(one.turns[1].utterance, logprobs=None))
    ballots = collect_transcripts([replace(one, turns=(one.turns[0], silent))])
    assert np.isnan(ballots.probabilities[:, 0]).tolist() == [False, True, True]
    unfinished = collect_transcripts([replace(one, stop=StopReason.FAILED)])
    assert not np.isnan(unfinished.probabilities[:, 0]).any()


def test_more_than_two_answers_have_the_softmax_of_the_mean():
    """For three answers the log-probabilities are averaged over orders and normalised again."""
    one = told("1", [2.0, 1.0, 0.0])
    other = told("1", [1.0, 1.0, 1.0], swap=True)
    found = score([one, other]).total.margin.measured.value
    weights = [math.exp(x) for x in (1.0, 0.5, 0.0)]
    assert found == pytest.approx(weights[0] / sum(weights), abs=1e-4)


def test_gold_of_a_dataset_in_another_order_finds_its_answer():
    """Probabilities follow their answers where the gold data have another own order."""
    swapped = replace(comparison_of(2, name="c1").swapped(), gold=Verdict.of("answer-2"))
    found = score(in_both_orders(1.0, 2.0), gold=dataset_of([swapped])).total.margin
    assert found.measured.value == pytest.approx(logistic(-1.0), abs=1e-4)


def test_conditions_are_compared_by_the_margins_on_the_same_comparisons():
    """The difference of margins pairs the comparisons that both conditions judged."""
    told_all = [
        each
        for n in range(24)
        for name, signal in (("better", 1.0 + n % 8 / 10), ("worse", n % 8 / 10))
        for each in in_both_orders(signal, 2.0, name=f"c{n}", condition=name)
    ]
    extra = told("1", [3.0, 0.0], name="c99", condition="better")
    ballots = collect_transcripts([*told_all, extra])
    rows = tabulate_by_condition(ballots)
    (pair,) = compare_all(rows, sampler=Sampler(samples=200))
    expected = np.mean([logistic(1 + n / 10) - logistic(n / 10) for n in range(8)])
    assert pair.margin.difference.value == pytest.approx(expected, abs=1e-4)
    assert pair.margin.difference.low > 0
    assert (pair.margin.difference.n, pair.margin_one_order) == (24, 0)
    assert pair.difference.difference.value == 0.0
    assert rows[0].one_order == {("q-c99", "c99")}
    plain = [changed(rows[0], margin={}), rows[1]]
    (other,) = compare_all(plain, sampler=Sampler(samples=200))
    assert other.margin is None


def test_questions_are_resampled():
    """Judgements of one question are one cluster, so the interval is that of two questions."""
    twice = [each for n in range(2) for each in in_both_orders(2.0, 0.0, name=f"c{n}")]
    other = in_both_orders(-1.0, 0.0, name="c2")
    run = [*twice, *other]
    same = [
        *(replace(one, comparison=replace(one.comparison, question=SHARED)) for one in twice),
        *other,
    ]
    wide, narrow = score(same).total.margin.measured, score(run).total.margin.measured
    assert wide.value == pytest.approx(narrow.value)
    assert wide.method == METHOD
    assert wide.low < logistic(-1.0)
    assert wide.high - wide.low > narrow.high - narrow.low
