"""SummEval is read as summaries that experts and the crowd rated on four aspects."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from peerjudge.datasets import load
from peerjudge.errors import DataError

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
    dataset = load(f"summeval:{write('ratings.jsonl', json.dumps(ROW))}")
    (one,) = dataset.comparisons
    assert one.shown == ("summary",)
    assert one.meta["gold_coherence"] == 4.0
    assert one.meta["gold_consistency"] == 4.5
    crowd = {review.aspect: review.scores for review in dataset.reviews}
    assert crowd["coherence"] == (1.5,)
    assert {review.reviewer for review in dataset.reviews} == {"crowd"}
    assert load(f"summeval:{write('ratings.jsonl', json.dumps(ROW))}", reviews=False).reviews == ()


@pytest.mark.parametrize("ratings", [[], [6], ["4"], 4, None])
def test_a_rating_out_of_range_is_named_by_file_and_line(write, ratings):
    """Ratings are whole numbers from 1 to 5, at least one."""
    row = {**ROW, "expert": {**RATED, "fluency": ratings}}
    path = write("ratings.jsonl", json.dumps(ROW) + "\n" + json.dumps(row))
    with pytest.raises(DataError, match=r"ratings.jsonl, line 2: 'fluency' must be a list of rati"):
        load(f"summeval:{path}")


def test_another_folder_is_refused(tmp_path):
    """The message names the missing file."""
    with pytest.raises(DataError, match=r"no folder with SummEval's ratings.jsonl"):
        load(f"summeval:{tmp_path}")
