"""The model of all verdicts, on planted and on published ones."""

from __future__ import annotations

from math import exp, log, log2

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from peerjudge.analysis import (
    collect_reviews,
    fit_verdict_model,
    measure_position,
    measure_self_enhancement,
    select_judges,
)
from peerjudge.analysis.logistic import Rows, find_independent, fit_mixed
from peerjudge.analysis.verbosity import measure_verbosity
from peerjudge.data import TIE, UNREADABLE, Comparison, Dataset, RecordedReview, Verdict, replace
from peerjudge.errors import DataError
from peerjudge.results.models import ModelResult, build_model_table, describe_model
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of


def pairs(count: int, *, lengths: bool = True, seed: int = 0) -> list[Comparison]:
    """Pairs of answers by ann and bob to so many questions, gold now one and now the other."""
    random = np.random.default_rng(seed)
    sizes = random.integers(20, 200, (count, 2)) if lengths else np.full((count, 2), 9)
    return [
        pair_of(f"c{k}", gold="12"[k % 2], lengths=tuple(map(int, size)))
        for k, size in enumerate(sizes)
    ]


def judge(
    comparisons: list[Comparison],
    abilities: dict[str, float],
    *,
    position: float = 0.0,
    length: float = 0.0,
    own: float = 0.0,
    spread: float = 1.0,
    seed: int = 0,
) -> list[RecordedReview]:
    """Reviews in both orders, drawn from the model with these effects in log-odds."""
    random = np.random.default_rng([seed, 1])
    easy = random.normal(0.0, spread, len(comparisons))
    found: list[RecordedReview] = []
    for comparison, ease in zip(comparisons, easy, strict=True):
        for shown in (comparison, comparison.swapped()):
            first, second = shown.answers
            sign = 1.0 if comparison.gold == Verdict.of(first.id) else -1.0
            style = length * log2((len(first.text) + 1) / (len(second.text) + 1))
            for name, ability in abilities.items():
                mine = own * ((first.author == name) - (second.author == name))
                logit = position + sign * (ability + ease) + style + mine
                chosen = first if random.random() < 1 / (1 + exp(-logit)) else second
                said = review_of(shown, "f", by=name)
                found.append(replace(said, verdict=Verdict.of(chosen.id)))
    return found


def fit(data: Dataset, **kwargs):
    """The model of a dataset, and its effects by term and name."""
    found = fit_verdict_model(collect_reviews(data), **kwargs)
    return found, {(one.term, one.name): one.value for one in found.effects}


def test_the_likelihood_is_that_of_numerical_integration():
    """On a small table the estimate is the maximum of the likelihood integrated on a fine grid."""
    random = np.random.default_rng(3)
    group = np.repeat(np.arange(30), 4)
    x, sign = random.normal(size=120), np.tile([1.0, -1.0], 60)
    logit = 0.7 * x + sign * random.normal(0, 1.2, 30)[group]
    y = (random.random(120) < 1 / (1 + np.exp(-logit))).astype(float)
    grid, step = np.linspace(-8, 8, 801, retstep=True)

    def lost(at):
        level = at[0] * x[:, None] + sign[:, None] * at[1] * grid
        said = (y[:, None] * level - np.logaddexp(0, level)).reshape(30, 4, -1).sum(axis=1)
        joint = np.exp(said - grid * grid / 2) / (2 * np.pi) ** 0.5
        prior = at[1] ** 2 / 18.0 - (at[0] / 2 - np.logaddexp(0, at[0]))
        return prior - np.log(joint.sum(axis=1) * step).sum()

    oracle = minimize(lost, [0.5, 1.0], method="Nelder-Mead", options={"xatol": 1e-5})
    rows = Rows(
        given=x[:, None], chosen=y, weight=np.ones(120), sign=sign, group=group, cluster=group
    )
    found = fit_mixed(rows, prior=np.ones(1), spread=True)
    assert found.values == pytest.approx(oracle.x, abs=2e-3)


def test_intervals_hold_planted_effects_as_often_as_they_promise():
    """40 studies of 20 questions: 95 % intervals hold each effect in at least 34, which 1 in 100 fails."""
    abilities = {"ann": 0.4, "bob": 1.2, "cat": 2.0}
    truth = {
        ("ability", "bob"): 1.2,
        ("position", ""): 0.5,
        ("length", ""): 0.6,
        ("own answer", ""): 0.8,
    }
    held = dict.fromkeys(truth, 0)
    values = {term: [] for term in truth}
    for seed in range(40):
        comparisons = pairs(20, seed=seed)
        reviews = judge(comparisons, abilities, position=0.5, length=0.6, own=0.8, seed=seed)
        _, effects = fit(dataset_of(comparisons, reviews), pooled=True)
        for term, value in truth.items():
            held[term] += effects[term].low <= value <= effects[term].high
            values[term].append(effects[term].value)
    assert min(held.values()) >= 34, held
    for term, value in truth.items():
        error = np.std(values[term]) / 40**0.5
        assert abs(np.mean(values[term]) - value) < 4 * error + 0.08, term


@given(st.integers(0, 10_000))
@settings(max_examples=5)
def test_showing_the_answers_the_other_way_round_mirrors_position_alone(seed: int):
    """The same choices with first and second exchanged: position changes its sign, nothing else."""
    comparisons = pairs(8, seed=seed)
    reviews = judge(comparisons, {"ann": 0.5, "cat": 1.0}, position=0.6, length=0.4, seed=seed)
    there = fit(dataset_of(comparisons, reviews))[1]
    back = fit(dataset_of(comparisons, [replace(one, shown=one.shown[::-1]) for one in reviews]))[1]
    assert there.keys() == back.keys()
    for term, value in there.items():
        sign = -1.0 if term[0] == "position" else 1.0
        assert back[term].value == pytest.approx(sign * value.value, abs=2e-3)
        ends = sorted((sign * value.low, sign * value.high))
        assert (back[term].low, back[term].high) == pytest.approx(ends, abs=5e-3)


@given(st.integers(0, 10_000), st.permutations(["ann", "bob", "cat"]))
@settings(max_examples=5)
def test_names_and_order_of_rows_do_not_matter(seed: int, renamed: list[str]):
    """Other names of people, other ids and another order of reviews give the same effects."""
    names = dict(zip(("ann", "bob", "cat"), renamed, strict=True))
    comparisons = pairs(8, seed=seed)
    reviews = judge(comparisons, {"ann": 0.5, "cat": 1.0}, own=0.7, length=0.4, seed=seed)
    there = fit(dataset_of(comparisons, reviews))[1]
    others = [
        replace(
            one,
            answers=tuple(replace(a, author=names[a.author]) for a in one.answers),
            question=replace(one.question, id=f"other-{one.question.id}"),
        )
        for one in comparisons[::-1]
    ]
    back = fit(
        dataset_of(others, [replace(one, reviewer=names[one.reviewer]) for one in reviews[::-1]])
    )[1]
    for (term, name), value in there.items():
        same = back[term, names.get(name, name)]
        assert (same.value, same.low, same.high) == pytest.approx(
            (value.value, value.low, value.high), abs=5e-3
        )


def test_a_family_is_told_from_the_reviewer_itself():
    """A reviewer that prefers the answers of its family has an effect of family and none of its own."""
    comparisons = pairs(60)
    kin = [
        replace(one, reviewer="kin") for one in judge(comparisons, {"ann": 1.0}, own=1.5, seed=4)
    ]
    others = judge(comparisons, {"cat": 1.0, "dan": 0.5}, seed=4)
    found, effects = fit(
        dataset_of(comparisons, [*kin, *others]), families={"kin": "f", "ann": "f"}
    )
    assert effects["family", "kin"].low < 1.5 < effects["family", "kin"].high
    assert effects["family", "kin"].low > 0.0
    assert {one.term: one.reason for one in found.left_out}["own answer"] == (
        "no reviewer judged an answer of its own"
    )


@pytest.mark.parametrize("count", [6, 20])
def test_a_reviewer_that_is_always_right_has_a_finite_ability(count: int):
    """Separated verdicts: the weak prior keeps the ability finite, and far above the others.

    Equal choices in both orders cancel out in each question, and prove no absence of an effect of
    position.
    """
    comparisons = pairs(count)
    reviews = judge(comparisons, {"cat": 0.5}, seed=1)
    sure = [
        replace(one, reviewer="sure", verdict=comparisons[k // 2].gold)
        for k, one in enumerate(reviews)
    ]
    _, effects = fit(dataset_of(comparisons, [*reviews, *sure]))
    ability, position = effects["ability", "sure"], effects["position", "sure"]
    assert effects["ability", "cat"].value + 2 < ability.value < 12
    assert np.isfinite(ability.high)
    assert position.value == pytest.approx(0.0, abs=1e-3)
    if count == 6:
        assert position.low < -0.5 < 0.5 < position.high


def test_a_reviewer_that_is_right_eight_times_may_be_right_in_three_of_four():
    """A reviewer that is right in 75 % is right on all of eight questions in one study of ten."""
    comparisons = pairs(8, lengths=False)
    reviews = [replace(review_of(one, "f", by="sure"), verdict=one.gold) for one in comparisons]
    _, effects = fit(dataset_of(comparisons, reviews))
    ability = effects["ability", "sure"]
    assert ability.low < log(3) < ability.value < ability.high


def test_what_cannot_be_measured_is_named_with_the_reason():
    """No texts, no gold, no own answers and no discussions: four terms less, each with its reason."""
    comparisons = pairs(10)
    bare = [
        replace(one, gold=None, answers=tuple(replace(a, text="") for a in one.answers))
        for one in comparisons
    ]
    found, effects = fit(dataset_of(bare, judge(comparisons, {"cat": 1.0, "dan": 0.2})))
    reasons = {one.term: one.reason for one in found.left_out}
    assert reasons["length"] == "the data have no answer texts"
    assert reasons["ability"] == "no pair has a gold answer"
    assert reasons["own answer"] == "no reviewer judged an answer of its own"
    assert reasons["discussion"] == "no pair has a gold answer"
    assert {term for term, _ in effects} == {"position", "difficulty"}
    even = fit(dataset_of(pairs(10, lengths=False), judge(comparisons, {"cat": 1.0})))[0]
    assert "both answers of every pair are equally long" in [one.reason for one in even.left_out]
    assert "Left out: length: the data have no answer texts." in describe_model(found)


def test_a_term_that_the_authors_explain_is_left_out():
    """Where the longer answer is always ann's, and twice as long, length is no more than ann."""
    comparisons = [
        replace(
            one,
            gold=None,
            answers=tuple(
                replace(a, text="x" * (199 if a.author == "ann" else 99)) for a in one.answers
            ),
        )
        for one in pairs(20)
    ]
    reviews = judge(pairs(20), {"cat": 1.0, "dan": 0.2})
    found, effects = fit(dataset_of(comparisons, reviews), pooled=True)
    assert ("length", "") not in effects
    assert {one.term: one.reason for one in found.left_out}["length"] == (
        "cannot be told apart from the other terms"
    )


def test_ties_count_half_and_unreadable_verdicts_not_at_all():
    """A reviewer that always ties has no ability and no position; unreadable verdicts are counted."""
    comparisons = pairs(12)
    drawn = judge(comparisons, {"cat": 1.5}, seed=2)
    ties = [replace(one, reviewer="dan", verdict=TIE) for one in drawn]
    mute = [replace(one, reviewer="cat", verdict=UNREADABLE) for one in drawn[:5]]
    found, effects = fit(dataset_of(comparisons, [*drawn, *ties, *mute]))
    assert (found.verdicts, found.ties, found.unreadable) == (48, 24, 5)
    assert effects["ability", "dan"].value == pytest.approx(0.0, abs=0.2)
    assert effects["position", "dan"].value == pytest.approx(0.0, abs=1e-3)


def test_one_question_gives_no_model():
    """Intervals have questions as the unit, so that one question is refused with the number."""
    comparisons = pairs(1)
    data = dataset_of(comparisons, judge(comparisons, {"cat": 1.0}))
    with pytest.raises(DataError, match="2 readable verdicts on 1 questions"):
        fit_verdict_model(collect_reviews(data))


def test_combinations_of_earlier_columns_are_found():
    """Of a, b, a - 2 b and 0, the last two are no new columns."""
    a, b = np.random.default_rng(0).normal(size=(2, 50))
    table = np.column_stack([a, b, a - 2 * b, 0 * a])
    assert find_independent(table).tolist() == [True, True, False, False]


def test_vicuna80_has_the_signs_of_the_single_measures(vicuna):
    """Published reviews: position, own answers and length agree with `bias` where both are clear."""
    ballots = collect_reviews(vicuna)
    found = fit_verdict_model(ballots)
    effects = {(one.term, one.name): one.value for one in found.effects}
    judged = select_judges(ballots)
    for row in measure_position(judged):
        value = effects["position", row.reviewer]
        if not row.share.low < 0.5 < row.share.high:
            assert value.low > 0.0 if row.share.value > 0.5 else value.high < 0.0, row.reviewer
    own = {r.reviewer: r.against_peers for r in measure_self_enhancement(judged) if r.kind == "own"}
    assert own["gpt4"].low > 0.0
    assert effects["own answer", "gpt4"].low > 0.0
    assert (found.verdicts, found.comparisons, found.questions) == (8000, 800, 80)
    # The tidy copy has labels only; the authors' files have the texts, and then length as well.
    lengths = [one for one in found.left_out if one.term == "length"]
    longer = measure_verbosity(judged, samples=5)
    assert bool(lengths) == all(row.longer.n == 0 for row in longer)


def test_the_table_says_each_effect_in_words():
    """The reading of an effect is a chance for choices and a factor of the odds for the others."""
    comparisons = pairs(30)
    reviews = judge(comparisons, {"ann": 1.0, "bob": 2.0}, position=1.5, length=1.0)
    found, effects = fit(dataset_of(comparisons, reviews), pooled=True)
    table = build_model_table(found)
    rows = {row[0]: row for row in table.rows}
    chance = 100 / (1 + exp(-effects["position", ""].value))
    assert rows["position"][-1] == f"chooses the first-shown answer in {chance:.0f} %"
    assert rows["length"][-1].startswith(f"odds x{exp(effects['length', ''].value):.2f}")
    document = ModelResult(model=found).document()
    assert [one["term"] for one in document["effects"]] == [row[0] for row in table.rows]
