"""The annotator model finds true labels and error rates from votes that disagree."""

from __future__ import annotations

import json
from dataclasses import replace as changed
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import gammaln, logsumexp

import peerjudge as pj
from peerjudge.analysis.annotator_model import (
    Votes,
    draw_reliabilities,
    fit_annotators,
    rate_verdicts,
)
from peerjudge.analysis.annotators import label_posterior, measure_annotators
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.data import replace
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.results.annotators import AnnotatorsResult, describe_annotators
from studies.recovery.annotators import Design, plant_votes
from studies.recovery.ties import DESIGNS, recover_ties

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
LFQA = DATA / "lfqa"

# Table 1 of Dawid and Skene 1979: by patient, the class that observer 1 gave three times, and each of
# observers 2 to 5 once.
TABLE = (
    "111111133343341122122222312122232222223322122211133334332222223232222344444442223343"
    "111111122232121211111111211111111111111111222222122213222222222222222122232222212222"
    "111111111111112322222111111111111111121121111111133332331111111222222222232324334343"
    "221223223232333333432111111111111111212111232222212111112222222"
)
PATIENTS = [TABLE[start : start + 7] for start in range(0, len(TABLE), 7)]
OBSERVERS = (0, 0, 0, 1, 2, 3, 4)
PRINTED = (
    [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]],
    [[0.83, 0.17, 0, 0], [0.05, 0.63, 0.31, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    [[1, 0, 0, 0], [0.11, 0.79, 0.11, 0], [0, 0.40, 0.20, 0.40], [0, 0, 0.67, 0.33]],
    [[0.94, 0.06, 0, 0], [0.05, 0.84, 0.10, 0], [0, 0, 0.80, 0.20], [0, 0, 0.33, 0.67]],
    [[1, 0, 0, 0], [0.16, 0.73, 0.11, 0], [0, 0.21, 0.79, 0], [0, 0, 0.33, 0.67]],
)
"""Rates of the given classes by true class of each observer: of the paper, and of crowd-kit 1.4.2 after
2,000 steps without its stopping rule."""
NONE = np.zeros((1, 4, 4))
WEAK = np.eye(3)[None] * 0.5 + 0.5
SAID = [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1), (2, 0, 2), (2, 1, 2), (3, 0, 2), (3, 1, 0)]
"""Votes of two people on four items: item, person, label."""


def _number(said, names):
    item, annotator, label = (np.array(column, dtype=np.intp) for column in zip(*said, strict=True))
    return Votes(
        item=item,
        annotator=annotator,
        label=label,
        items=int(item.max()) + 1,
        annotators=int(annotator.max()) + 1,
        labels=names,
    )


@pytest.fixture(scope="module")
def observed():
    """Return the votes of five anaesthetists on 45 patients."""
    said = [
        (patient, observer, int(given) - 1)
        for patient, row in enumerate(PATIENTS)
        for observer, given in zip(OBSERVERS, row, strict=True)
    ]
    return _number(said, 4)


def test_the_published_example_is_reproduced(observed):
    """Class shares and error rates are those that Dawid and Skene printed."""
    found = fit_annotators(observed, prior=NONE, mirror=range(4))
    assert found.settled
    assert found.shares == pytest.approx([0.3996, 0.4220, 0.1118, 0.0667], abs=5e-5)
    for rates, printed in zip(found.confusions, PRINTED, strict=True):
        assert rates == pytest.approx(np.array(printed), abs=0.0051)


def test_equal_votes_are_fitted_once(observed):
    """Items with the same votes have the same posterior, so one of them can stand for all."""
    small, pattern = observed.collapse()
    assert small.items < observed.items
    whole = fit_annotators(observed, prior=NONE, mirror=range(4))
    weights = np.bincount(pattern).astype(float)
    part = fit_annotators(small, prior=NONE, mirror=range(4), weights=weights)
    assert part.posterior[pattern] == pytest.approx(whole.posterior, abs=1e-6)
    assert part.confusions == pytest.approx(whole.confusions, abs=1e-6)


@st.composite
def _votes(draw):
    items, annotators = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    one = st.tuples(st.integers(0, annotators - 1), st.integers(0, 2))
    said = [
        (item, *vote)
        for item in range(items)
        for vote in draw(st.lists(one, min_size=1, max_size=4))
    ]
    swapped = draw(st.lists(st.booleans(), min_size=items, max_size=items))
    votes = changed(_number(said, 3), annotators=annotators)
    return votes, np.array(swapped)


@settings(max_examples=30)
@given(_votes())
def test_the_order_of_the_answers_has_no_effect(drawn):
    """Where the answers of some comparisons swap places, their probabilities do, and no rate changes."""
    votes, swapped = drawn
    image = np.array([1, 0, 2])
    turned = np.where(swapped[votes.item], image[votes.label], votes.label)
    # The number of steps is fixed, so that rounding cannot end one search a step earlier.
    one, other = (
        fit_annotators(v, prior=WEAK, mirror=image, share_prior=1.0, tolerance=-1.0, most=40)
        for v in (votes, changed(votes, label=turned))
    )
    expected = np.where(swapped[:, None], one.posterior[:, image], one.posterior)
    assert other.posterior == pytest.approx(expected, abs=1e-9)
    assert other.confusions == pytest.approx(one.confusions, abs=1e-9)
    assert one.confusions == pytest.approx(one.confusions[:, image][:, :, image], abs=1e-12)
    assert one.shares[0] == pytest.approx(one.shares[1], abs=1e-12)


@settings(max_examples=30)
@given(_votes(), st.randoms(use_true_random=False))
def test_names_and_order_of_votes_have_no_effect(drawn, random):
    """Annotators with other numbers, and votes in another order, give the same probabilities."""
    votes, _ = drawn
    names = list(range(votes.annotators))
    random.shuffle(names)
    rows = list(range(len(votes.item)))
    random.shuffle(rows)
    other = Votes(
        item=votes.item[rows],
        annotator=np.array(names)[votes.annotator][rows],
        label=votes.label[rows],
        items=votes.items,
        annotators=votes.annotators,
        labels=3,
    )
    one, other = (
        fit_annotators(v, prior=WEAK, mirror=(1, 0, 2), tolerance=-1.0, most=40)
        for v in (votes, other)
    )
    assert other.posterior == pytest.approx(one.posterior, abs=1e-9)
    assert other.confusions[names] == pytest.approx(one.confusions, abs=1e-9)


def test_equally_probable_answers_are_a_tie():
    """No rule that depends on the order of the answers decides between them."""
    posterior = np.array([[0.5, 0.5, 0.0], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6], [0.45, 0.35, 0.2]])
    assert label_posterior(posterior).tolist() == [-1, 1, -1, 0]
    assert label_posterior(posterior[:2, :2]).tolist() == [-1, 1]


def test_a_reviewer_that_is_always_right_is_found_out():
    """Doubtful votes make its verdicts look wrong; its own rates show that they are right."""
    random = np.random.default_rng(3)
    truth = random.integers(2, size=400)
    vote = np.where(random.random(400) < 0.7, truth, 1 - truth)
    chances = np.where(vote[:, None] == np.arange(2), 0.7, 0.3)
    found = rate_verdicts(chances, truth, prior=WEAK[0, :2, :2], mirror=(1, 0))
    assert chances[np.arange(400), truth].mean() < 0.62
    assert found.mean() > 0.93


@pytest.fixture(scope="module")
def studies():
    """Return eight planted studies with what the model finds in them."""
    planted = [plant_votes(Design(name="3 votes"), seed=seed) for seed in range(8)]
    return [
        (measure_annotators(collect_reviews(one.dataset), samples=40), one.truth, one.skill)
        for one in planted
    ]


def test_expected_accuracy_is_that_of_the_reviewer(studies):
    """A reviewer right in 75 % is found to be; against a majority of three it seems worse."""
    rows = [found.accuracies[0] for found, *_ in studies]
    assert np.mean([row.expected.value for row in rows]) == pytest.approx(0.75, abs=0.025)
    assert np.mean([row.gold.value for row in rows]) < 0.69
    assert sum(row.expected.low <= 0.75 <= row.expected.high for row in rows) >= 7
    for row in rows:
        assert row.expected_change.value == pytest.approx(row.expected.value - row.gold.value)
        assert row.label_change.value == pytest.approx(row.label.value - row.gold.value)


def test_labels_of_the_model_are_right_more_often_than_a_majority():
    """With five votes each, those of people who err less weigh more."""
    design = Design(name="5 votes", questions=60, each=6, votes=5)
    right = {"gold": 0, "label": 0}
    for seed in range(4):
        planted = plant_votes(design, seed=seed)
        found = measure_annotators(collect_reviews(planted.dataset), samples=2)
        for kind in right:
            right[kind] += sum(getattr(o, kind) == planted.truth[o.id] for o in found.comparisons)
    assert right["label"] > right["gold"] + 0.01 * 4 * 360


def test_the_stated_probabilities_hold(studies):
    """Labels are as often right as their probabilities say, and `changed` counts those unlike gold."""
    right = [c.label == truth[c.id] for found, truth, _ in studies for c in found.comparisons]
    stated = [c.probabilities[c.label] for found, *_ in studies for c in found.comparisons]
    assert np.mean(stated) == pytest.approx(np.mean(right), abs=0.03)
    for found, *_ in studies:
        assert found.changed == sum(c.gold != c.label for c in found.comparisons)


def test_reliable_annotators_are_told_from_unreliable_ones(studies):
    """The intervals of reliability hold the planted rates, and their order is found."""
    inside = [
        one.reliability.low <= skill[one.name] <= one.reliability.high
        for found, _, skill in studies
        for one in found.annotators
    ]
    assert np.mean(inside) > 0.88
    together = [
        np.corrcoef(
            [(one.reliability.value, skill[one.name]) for one in found.annotators], rowvar=False
        )
        for found, _, skill in studies
    ]
    assert np.mean([one[0, 1] for one in together]) > 0.7


def test_two_votes_show_the_error_of_a_rule_for_ties():
    """With two votes each, a majority calls every split a tie, and the model weighs the two people."""
    planted = plant_votes(Design(name="2 votes", votes=2), seed=1)
    found = measure_annotators(collect_reviews(planted.dataset), samples=20)
    split = [one for one in found.comparisons if one.gold == "tie"]
    right = [one.label == planted.truth[one.id] for one in split if one.label != "tie"]
    assert len(split) > 30
    assert len(right) > 0.9 * len(split)
    assert np.mean(right) > 0.55


def test_votes_that_cannot_be_modelled_are_refused():
    """One vote on each comparison tells nothing about errors, and no vote less."""
    dataset = plant_votes(Design(name="1 vote", votes=1), seed=0).dataset
    with pytest.raises(DataError, match="one vote on each comparison"):
        measure_annotators(collect_reviews(dataset))
    with pytest.raises(DataError, match="no votes of people on pairs"):
        measure_annotators(collect_reviews(replace(dataset, humans=())))


def test_people_who_are_not_told_apart_share_their_rates():
    """Several votes of `human` on a comparison are votes of several people."""
    planted = plant_votes(Design(name="3 votes"), seed=2)
    reviews = tuple(
        one if one.reviewer == "judge" else replace(one, reviewer="human")
        for one in planted.dataset.reviews
    )
    pooled = replace(planted.dataset, reviews=reviews, humans=("human",))
    found = measure_annotators(collect_reviews(pooled), samples=20)
    (people,) = found.annotators
    assert not found.told_apart
    assert people.votes == 480
    assert people.reliability.value == pytest.approx(
        np.mean(list(planted.skill.values())), abs=0.06
    )
    assert found.changed == 0


def test_the_document_has_every_comparison_and_annotator(studies):
    """Probabilities sum to 1, and JSON holds what the tables leave out."""
    found = studies[0][0]
    document = json.loads(json.dumps(AnnotatorsResult(model=found).document()))
    assert len(document["comparisons"]) == 160
    assert len(document["annotators"]) == 12
    assert document["ties"] is None
    for one in document["comparisons"].values():
        assert sum(one["probabilities"].values()) == pytest.approx(1)
    for one in document["annotators"].values():
        assert one["right"] + one["opposite"] + one["undecided"] == pytest.approx(1)


def _log_dirichlet(counts, prior):
    """Return the log probability of an ordered series of draws with these counts."""
    counts, prior = np.array(counts), np.array(prior)
    parts = gammaln(counts + prior).sum() - gammaln(prior).sum()
    return parts + gammaln(prior.sum()) - gammaln((counts + prior).sum())


@pytest.mark.parametrize("classes", [2, 3])
def test_the_evidence_bounds_the_integrated_likelihood(classes):
    """It is below the sum over all true labels of the votes' probability, and not far."""
    votes = _number(SAID, 3)
    prior = 2.0 * WEAK[:, :classes]
    found = fit_annotators(votes, prior=prior, mirror=(1, 0, 2), share_prior=1.0)
    every = product(range(classes), repeat=votes.items)
    exact = logsumexp([_expect_reliabilities(votes, truth, classes)[0] for truth in every])
    assert exact - 2.0 < found.evidence <= exact


@pytest.mark.parametrize("classes", [2, 3])
def test_draws_of_reliability_are_those_of_the_exact_posterior(classes):
    """Their mean is the sum over all true labels of the mean rate given these labels."""
    votes = _number(SAID, 3)
    prior = 2.0 * WEAK[:, :classes]
    drawn = draw_reliabilities(
        votes,
        prior=prior,
        mirror=(1, 0, 2),
        share_prior=1.0,
        weights=np.ones(votes.items, dtype=np.intp),
        start=votes.share(classes),
        seed=1,
    )
    terms, means = [], []
    for truth in product(range(classes), repeat=votes.items):
        term, mean = _expect_reliabilities(votes, truth, classes)
        terms.append(term)
        means.append(mean)
    weights = np.exp(np.array(terms) - logsumexp(terms))
    assert drawn.mean(axis=0) == pytest.approx(weights @ np.array(means), abs=0.03)


def _expect_reliabilities(votes, truth, classes):
    """Return the log probability of these true labels and votes, and the mean reliabilities given them."""
    ties = truth.count(2)
    decided = votes.items - ties
    term = -decided * log(2)
    tied = (ties + 1) / (votes.items + 3) if classes == 3 else 0.0
    term += _log_dirichlet([decided, ties], [2, 1]) if classes == 3 else 0.0
    means = []
    for person in range(votes.annotators):
        mine = zip(votes.item, votes.annotator, votes.label, strict=True)
        own = [(truth[item], label) for item, who, label in mine if who == person]
        plain = [2 if label == 2 else int(label != true) for true, label in own if true != 2]
        seen = [label == 2 for true, label in own if true == 2]
        counts = [plain.count(kind) for kind in range(3)]
        term += _log_dirichlet(counts, [4, 2, 2])
        term += _log_dirichlet([seen.count(False), seen.count(True)], [2, 2])
        term -= seen.count(False) * log(2)
        right, tie = (counts[0] + 4) / (len(plain) + 8), (seen.count(True) + 2) / (len(seen) + 4)
        means.append((1 - tied) * right + tied * tie)
    return term, means


@pytest.mark.slow
def test_intervals_of_reliability_hold_that_of_the_best_of_three():
    """Right in 90, 80 and 65 % of their votes on 200 pairs: at least 23 of 25 intervals hold the 90 %."""
    chosen = next(one for one in DESIGNS if one.questions == 200 and not one.random_ties)
    (found,) = recover_ties(studies=25, seed=5, designs=(chosen,))
    assert found.best_held >= 0.92
    assert abs(found.best) < 0.05
    assert found.expected > 0.98


@pytest.mark.slow
def test_random_votes_for_a_tie_are_no_true_ties():
    """Of three people, 5 % of whose votes are ties at random: no tie is claimed, and all rates are kept."""
    few = next(one for one in DESIGNS if (one.questions, one.random_ties) == (40, 0.05))
    (found,) = recover_ties(studies=10, designs=(few,))
    assert found.held >= 0.9
    assert abs(found.best) < 0.09
    assert found.expected > 0.96


def test_true_ties_are_found():
    """Where a quarter of 200 pairs are true ties, their share is found, and who is right how often."""
    many = next(one for one in DESIGNS if one.questions == 200 and one.ties)
    (found,) = recover_ties(studies=4, designs=(many,))
    assert found.declined == 0.0
    assert found.found == pytest.approx(0.25, abs=0.05)
    assert abs(found.best) < 0.05
    assert found.expected > 0.96


def test_true_ties_are_declined_with_the_reason():
    """A few votes for a tie are undecided votes: the share is missing, and a sentence says why."""
    few = next(one for one in DESIGNS if (one.questions, one.random_ties) == (40, 0.05))
    model = pj.annotators(plant_votes(few, seed=1).dataset).model
    assert model.ties is None
    assert model.tie_votes > 0
    shown = " ".join(describe_annotators(model))
    assert f"No true ties are estimated: {model.tie_votes} votes for a tie are no evidence" in shown
    for person in model.annotators:
        assert person.tie is None
        assert person.undecided > 0.0
        assert person.right + person.opposite + person.undecided == pytest.approx(1)
    assert all(sum(one.probabilities.values()) == pytest.approx(1) for one in model.comparisons)


@pytest.mark.data
@pytest.mark.parametrize(("name", "found"), [("mtbench", True), ("vicuna80", False)])
def test_votes_on_record_show_true_ties_or_do_not(name, found):
    """People agree on ties in MT-Bench; in Vicuna80 two ties meet on a pair as often as by chance."""
    if not (DATA / name).is_dir():
        pytest.skip(f"the published data are not at {DATA}")
    model = measure_annotators(collect_reviews(load(f"{name}:{DATA / name}")), samples=2)
    assert model.tie_votes > 100
    assert (model.ties is not None) == found
    if model.ties is not None:
        assert model.ties.value == pytest.approx(0.25, abs=0.02)


@pytest.mark.data
def test_a_split_of_two_experts_is_weighed_by_their_rates():
    """LFQA: where experts disagree, the more probable choice is that of those who err less."""
    if not LFQA.is_dir():
        pytest.skip(f"the published data are not at {LFQA}")
    dataset = load(f"lfqa:{LFQA}")
    found = measure_annotators(collect_reviews(dataset), samples=100)
    said = {}
    for review in dataset.reviews:
        said.setdefault(review.comparison, []).append((review.reviewer, review.verdict.choice))
    rates = {one.name: one.right for one in found.annotators}
    split = [one for one in found.comparisons if len({choice for _, choice in said[one.id]}) == 2]
    assert len(split) == 23
    for one in split:
        odds = 0.0
        for who, choice in said[one.id]:
            odds += log(rates[who] / (1 - rates[who])) * (1 if choice == "a" else -1)
        if abs(odds) > 0.5:
            assert (one.probabilities["a"] > 0.5) == (odds > 0)
    assert found.changed == sum(one.gold != one.label for one in split)
