"""SummEval is read as summaries that experts and the crowd rated on four aspects."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from peerjudge.data import Condition, Experiment
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.results.scores import score
from peerjudge.runs import run

RATED = {"coherence": [4], "consistency": [5, 4], "fluency": [3, 3, 3], "relevance": [1, 2]}
ROW = {
    "doc_id": "d",
    "model_id": "M8",
    "summary": "A man did it.",
    "expert": RATED,
    "crowd": {**RATED, "coherence": [1, 2]},
    "source_path": "stories/d.story",
}


@pytest.mark.data
def test_the_counts_are_those_of_the_readme(published):
    """1,200 summaries of 100 articles by 12 systems, the crowd's mean on four aspects of each."""
    dataset = load(f"summeval:{published('summeval')}")
    assert len(dataset.comparisons) == len({one.id for one in dataset.comparisons}) == 1200
    assert len({one.question.id for one in dataset.comparisons}) == 100
    systems = Counter(one.answers[0].author for one in dataset.comparisons)
    assert len(systems) == 12
    assert set(systems.values()) == {100}
    assert Counter(review.aspect for review in dataset.reviews) == dict.fromkeys(RATED, 1200)
    ratings = [review.scores[0] for review in dataset.reviews]
    assert min(ratings) >= 1
    assert max(ratings) <= 5


def test_gold_is_the_experts_mean_and_the_crowd_reviews(write):
    """Each aspect has the mean of the experts in `meta` and that of the crowd on record."""
    dataset = load(f"summeval:{write('ratings.jsonl', [ROW])}")
    (one,) = dataset.comparisons
    assert one.shown == ("summary",)
    assert one.meta["gold_coherence"] == 4.0
    assert one.meta["gold_consistency"] == 4.5
    crowd = {review.aspect: review.scores for review in dataset.reviews}
    assert crowd["coherence"] == (1.5,)
    assert {review.reviewer for review in dataset.reviews} == {"crowd"}
    assert load(f"summeval:{write('ratings.jsonl', [ROW])}", reviews=False).reviews == ()


@pytest.mark.parametrize("ratings", [[], [6], ["4"], 4, None])
def test_a_rating_out_of_range_is_named_by_file_and_line(write, ratings):
    """Ratings are whole numbers from 1 to 5, at least one."""
    row = {**ROW, "expert": {**RATED, "fluency": ratings}}
    path = write("ratings.jsonl", [ROW, row])
    with pytest.raises(
        DataError, match=r"ratings.jsonl, line 2, expert: 'fluency' must be a list of rati"
    ):
        load(f"summeval:{path}")


MEANS = {
    "doc_id": "d",
    "model_id": "M0",
    "summary": "A man did it .",
    "coherence": 4.333333333333333,
    "consistency": 5,
    "fluency": 4.0,
    "relevance": 1,
}
ARTICLE = {"doc_id": "d", "article": "In Ayr , a man did it .", "references": ["He did it ."]}


@pytest.mark.data
def test_all_systems_are_read_with_their_articles(published):
    """1,600 summaries by 16 systems, each shown with the article that it summarises."""
    dataset = load(f"summeval:{published('summeval_full')}")
    assert len(dataset.comparisons) == len({one.id for one in dataset.comparisons}) == 1600
    systems = Counter(one.answers[0].author for one in dataset.comparisons)
    assert (len(systems), set(systems.values())) == (16, {100})
    shown = {one.question.id: one.question.text for one in dataset.comparisons}
    assert len(shown) == len(set(shown.values())) == 100
    lines = (published("summeval_full") / "documents.jsonl").read_text("utf-8").splitlines()
    for document in map(json.loads, lines):
        assert document["article"] in shown[document["doc_id"]]


@pytest.mark.data
def test_both_layouts_have_the_same_gold(published):
    """The means of the experts are those of their single ratings, on the 1,200 summaries of both."""
    means = {one.id: one.meta for one in load(f"summeval:{published('summeval_full')}").comparisons}
    single = load(f"summeval:{published('summeval')}").comparisons
    assert len(single) == 1200
    for one in single:
        for aspect in RATED:
            gold = one.meta[f"gold_{aspect}"]
            assert means[one.id][f"gold_{aspect}"] == pytest.approx(gold, abs=1e-12)


def test_the_question_holds_the_article(write):
    """With `documents.jsonl` beside the ratings; in both layouts of ratings."""
    write("documents.jsonl", [ARTICLE])
    for row, golds in ((MEANS, (4.333333333333333, 1.0)), (ROW, (4.0, 1.5))):
        (one,) = load(f"summeval:{write('ratings.jsonl', [row])}").comparisons
        assert one.question.text == "Summarise the news article.\n\nIn Ayr , a man did it ."
        assert (one.meta["gold_coherence"], one.meta["gold_relevance"]) == golds
    alone = load(f"summeval:{write('alone/ratings.jsonl', [MEANS])}")
    assert alone.comparisons[0].question.text == "Summarise the news article."
    assert alone.reviews == ()


@pytest.mark.parametrize("mean", [0.5, 5.1, "4", True, None])
def test_a_mean_out_of_range_is_named_by_file_and_line(write, mean):
    """Means lie between the lowest and the highest rating."""
    path = write("ratings.jsonl", [MEANS, {**MEANS, "fluency": mean}])
    with pytest.raises(
        DataError, match=r"ratings.jsonl, line 2: 'fluency' must be the mean of the"
    ):
        load(f"summeval:{path}")


def test_a_summary_without_its_article_is_named(write):
    """Ratings and documents from different places do not fit together."""
    write("documents.jsonl", [{**ARTICLE, "doc_id": "other"}])
    path = write("ratings.jsonl", [MEANS])
    with pytest.raises(DataError, match=r"ratings.jsonl, line 1: 'd' is not in documents.jsonl"):
        load(f"summeval:{path}")


async def test_ratings_of_all_four_aspects_are_gold_of_a_run(write, tmp_path):
    """A rating that a reviewer gives beside the article is scored against each aspect."""
    write("documents.jsonl", [ARTICLE])
    rows = [{**MEANS, "model_id": f"M{number}", "fluency": number} for number in range(1, 5)]
    path = write("ratings.jsonl", rows)
    rate = Experiment(
        name="rate",
        data=f"summeval:{path}",
        prompts="summary_coherence",
        conditions=Condition(name="alone", protocol="pointwise", seats="sim_plain"),
    )
    await run(rate, out=tmp_path / "run")
    aspects = {row["aspect"] for row in score(tmp_path / "run").document()["correlations"]}
    assert aspects == set(RATED)
