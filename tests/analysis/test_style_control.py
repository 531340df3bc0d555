"""Style-controlled ranking: strengths at equal position, length and markdown."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis import build_tournament, collect_reviews
from peerjudge.analysis.style_control import control_styles
from peerjudge.analysis.styles import count_markdown
from peerjudge.data import Comparison, Dataset, Question, RecordedReview, Scoring, replace
from peerjudge.errors import DataError
from peerjudge.ranking import rank, without_family
from peerjudge.results.styles import StyleResult, build_control_tables, describe_control
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of

SKILL = {"brief": 0.8, "plain": 0.0, "wordy": 0.1}
WORDS = {"brief": 60, "plain": 120, "wordy": 400}


def tournament(
    *,
    questions: int = 40,
    length: float = 0.0,
    position: float = 0.0,
    skill=SKILL,
    words=WORDS,
    seed: int = 0,
) -> Dataset:
    """Two judges of every pair of contestants in both orders; `length` is their taste for long answers."""
    random = np.random.default_rng(seed)
    comparisons: list[Comparison] = []
    reviews: list[RecordedReview] = []
    names = sorted(skill)
    for number in range(questions):
        sizes = {n: max(2, round(words[n] * random.lognormal(0, 0.5))) for n in names}
        for k, one in enumerate(names):
            for other in names[k + 1 :]:
                made = pair_of(
                    f"{number}-{one}-{other}", (one, other), lengths=(sizes[one], sizes[other])
                )
                comparisons.append(replace(made, question=Question(id=str(number), text="Why?")))
                for judge in ("ann", "bob"):
                    for swap, (first, second) in enumerate(((one, other), (other, one))):
                        gap = (sizes[first] - sizes[second]) / (sizes[first] + sizes[second])
                        logit = position + skill[first] - skill[second] + length * gap
                        won = "f" if random.random() < 1 / (1 + exp(-logit)) else "s"
                        reviews.append(review_of(made, won, by=judge, swap=bool(swap)))
    return dataset_of(comparisons, reviews)


def controlled(data: Dataset, **kwargs):
    """Both rankings of a dataset, without resamples."""
    return control_styles(collect_reviews(data), bootstrap=0, **kwargs)


def ranks(standings) -> dict[str, int]:
    """The rank of each contestant."""
    return {name: one.rank for name, one in standings.items()}


def test_a_taste_for_length_that_reverses_the_ranking_is_controlled():
    """The best contestant writes briefly and comes last; at equal length it comes first."""
    found = controlled(tournament(length=3.0))
    assert ranks(found.plain.contestants)["brief"] == 3
    assert ranks(found.plain.contestants)["wordy"] == 1
    assert ranks(found.contestants)["brief"] == 1
    (length,) = (one for one in found.coefficients if one.feature == "length")
    assert length.value.low < 3.0 * length.deviation < length.value.high
    truth = 400 / np.log(10) * (SKILL["brief"] - np.mean(list(SKILL.values()))) + 1000
    assert found.contestants["brief"].low < truth < found.contestants["brief"].high


def test_control_holds_the_true_scores_as_often_as_it_promises():
    """30 studies: intervals of 95 % hold the score of each contestant in at least 25, of 30."""
    middle = np.mean(list(SKILL.values()))
    held = dict.fromkeys(SKILL, 0)
    for seed in range(30):
        found = controlled(tournament(questions=16, length=2.0, position=0.5, seed=seed))
        for name, skill in SKILL.items():
            truth = 1000 + 400 / np.log(10) * (skill - middle)
            held[name] += found.contestants[name].low <= truth <= found.contestants[name].high
    assert min(held.values()) >= 25, held


@given(st.integers(0, 10_000))
@settings(max_examples=5)
def test_the_other_order_mirrors_position_and_leaves_the_ranking(seed: int):
    """First and second exchanged in every review: the effect of position changes its sign only."""
    data = tournament(questions=5, length=1.0, position=0.7, seed=seed)
    back = replace(data, reviews=tuple(replace(one, shown=one.shown[::-1]) for one in data.reviews))
    one, other = controlled(data, prior=1.0), controlled(back, prior=1.0)
    for there, here in zip(one.coefficients, other.coefficients, strict=True):
        sign = -1.0 if there.feature == "position" else 1.0
        assert here.value.value == pytest.approx(sign * there.value.value, abs=2e-3)
    for name, standing in one.contestants.items():
        assert other.contestants[name].score == pytest.approx(standing.score, abs=0.5)


def test_without_an_effect_of_style_both_rankings_agree(vicuna):
    """Every pair in both orders: position takes nothing of a strength, within the weak priors."""
    found = controlled(vicuna, controls=["position"])
    for name, standing in found.contestants.items():
        plain = found.plain.contestants[name]
        assert standing.rank == plain.rank
        assert standing.score == pytest.approx(plain.score, abs=4.0)


def test_the_plain_ranking_is_that_of_rank():
    """Peer weights and the exclusion of self-reviews reach both rankings as in `rank`."""
    data = tournament(questions=12, length=1.0)
    own = replace(
        data,
        reviews=tuple(
            replace(one, reviewer={"ann": "plain", "bob": "wordy"}[one.reviewer])
            for one in data.reviews
        ),
    )
    ballots = collect_reviews(own)
    expected = rank(
        without_family(build_tournament(ballots), {}),
        scoring=Scoring.BRADLEY_TERRY,
        weights="peer",
        bootstrap=0,
    )
    found = control_styles(ballots, excluded={}, weights="peer", bootstrap=0)
    assert found.plain.contestants == expected.contestants
    assert found.plain.reviews == expected.reviews == len(own.reviews) // 3
    assert found.plain.by_opponent


def test_what_cannot_be_controlled_is_named(mtbench):
    """MT-Bench has no texts; answers of one length have nothing to control."""
    bare = controlled(mtbench)
    assert set(bare.left_out) == {"length", "headers", "lists", "bold"}
    assert set(bare.left_out.values()) == {"the data have no answer texts"}
    assert [one.feature for one in bare.coefficients] == ["position"]
    plain = controlled(tournament(questions=6, length=1.0))
    assert set(plain.left_out) == {"headers", "lists", "bold"}
    assert any(said.startswith("Not controlled: bold: ") for said in describe_control(plain))
    with pytest.raises(DataError, match="unknown style colour; choose of position, length"):
        controlled(tournament(questions=2), controls=["colour"])


def test_contestants_that_never_met_are_ranked_apart():
    """Two tournaments without a common contestant: ranks from 1 in each, scores with mean 1000."""
    one = tournament(questions=8, length=1.0)
    names = {"brief": "b", "plain": "p", "wordy": "w"}

    def renamed(comparison: Comparison) -> Comparison:
        answers = tuple(replace(a, author=names[a.author]) for a in comparison.answers)
        return replace(comparison, id=f"other-{comparison.id}", answers=answers)

    data = replace(
        one,
        comparisons=(*one.comparisons, *map(renamed, one.comparisons)),
        reviews=(
            *one.reviews,
            *(replace(r, comparison=f"other-{r.comparison}") for r in one.reviews),
        ),
    )
    found = controlled(data)
    assert len(found.plain.groups) == 2
    for group in found.plain.groups:
        assert sorted(found.contestants[name].rank for name in group) == [1, 2, 3]
        assert np.mean([found.contestants[name].score for name in group]) == pytest.approx(1000)
    assert "Group" in build_control_tables(found)[0].headings


def test_a_prior_is_counted_in_both_rankings():
    """One contestant always wins: without tied battles no strengths exist, with them both are finite."""
    data = tournament(questions=8, skill={"brief": 60.0, "plain": 0.0, "wordy": 0.1})
    with pytest.raises(DataError, match="no finite Bradley-Terry strengths"):
        controlled(data)
    found = controlled(data, prior=1.0)
    assert ranks(found.contestants)["brief"] == ranks(found.plain.contestants)["brief"] == 1
    document = StyleResult(ranking=found).document()
    assert np.isfinite(document["controlled"]["contestants"]["brief"]["score"])


def test_markdown_is_counted_line_by_line():
    """Headers, items of lists and words in bold; a number or an asterisk in a sentence is none."""
    text = (
        "# One\ntext\n## Two\n\n* item\n- item **bold**\n3. item\n#nothing\n2 * 3\n**both** __two__"
    )
    assert count_markdown(text) == [2, 3, 3]
    assert count_markdown("plain 1.5 * 2 _x_") == [0, 0, 0]


def test_as_many_questions_as_coefficients_bound_nothing():
    """A jackknife of n questions spans n - 1 directions, too few for n coefficients."""
    with pytest.raises(DataError, match="4 questions are too few"):
        controlled(tournament(questions=4), controls=("length", "position"))
