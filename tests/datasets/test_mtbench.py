"""MT-Bench is read as votes and verdicts on pairs without texts, and as 200 pairs with them."""

from __future__ import annotations

from collections import Counter

import pytest

from peerjudge.data import INCONSISTENT, TIE
from peerjudge.datasets import load
from peerjudge.errors import DataError

QUESTION = {"question_id": 81, "category": "writing", "turns": ["Write.", "Again."]}
VOTE = {
    "question_id": 81,
    "turn": 1,
    "model_a": "beta",
    "model_b": "alpha",
    "winner": "model_a",
    "judge": "expert_1",
}


@pytest.fixture(scope="module")
def mtbench(published):
    """The labels, read once."""
    return load(f"mtbench:{published('mtbench')}")


@pytest.fixture
def folder(write):
    """Write votes, GPT-4's verdicts and questions as the published table has them."""

    def to_folder(votes, verdicts=({**VOTE, "judge": "gpt4_pair"},), questions=(QUESTION,)):
        rows = {"human": votes, "gpt4_pair": verdicts, "questions": questions}
        paths = [write(f"{name}.jsonl", list(lines)) for name, lines in rows.items()]
        return paths[0].parent

    return to_folder


@pytest.mark.data
def test_the_counts_are_those_of_the_readme(mtbench):
    """3,355 votes by 65 people on 1,814 of the 2,400 pairs that GPT-4 judged."""
    assert len(mtbench.comparisons) == 2400
    assert sum(one.gold is not None for one in mtbench.comparisons) == 1814
    humans = set(mtbench.humans)
    votes = [review for review in mtbench.reviews if review.reviewer in humans]
    assert (len(votes), len(humans)) == (3355, 65)
    kinds = Counter(review.reviewer.partition("_")[0] for review in votes)
    assert kinds == {"expert": 2668, "author": 687}
    others = [review for review in mtbench.reviews if review.reviewer not in humans]
    assert {review.reviewer for review in others} == {"gpt4_pair"}
    assert len(others) == 2400
    assert sum(review.verdict == INCONSISTENT for review in others) == 380


@pytest.mark.data
def test_every_pair_of_six_models_meets_in_every_turn(mtbench):
    """Fifteen pairs on 80 questions in two turns; both turns are of one question."""
    assert Counter(one.subset for one in mtbench.comparisons) == {"turn 1": 1200, "turn 2": 1200}
    assert len({one.question.id for one in mtbench.comparisons}) == 80
    assert len({one.question.category for one in mtbench.comparisons}) == 8
    assert len({answer.author for one in mtbench.comparisons for answer in one.answers}) == 6
    assert not any(answer.text for one in mtbench.comparisons for answer in one.answers)


@pytest.mark.data
def test_the_sample_has_texts_and_a_label(published):
    """200 pairs, each with a better output and both texts."""
    sample = load(f"mtbench200:{published('mtbench')}")
    assert len(sample.comparisons) == 200
    assert all(one.gold.choice for one in sample.comparisons)
    assert all(answer.text for one in sample.comparisons for answer in one.answers)
    assert len({one.question.text for one in sample.comparisons}) == 75
    assert len({one.question.id for one in sample.comparisons}) == 75


def test_a_pair_is_one_comparison_in_either_order(folder):
    """Votes are read in the order of their row, and the gold is the sign of their mean."""
    turned = {**VOTE, "model_a": "alpha", "model_b": "beta", "winner": "model_b"}
    dataset = load(f"mtbench:{folder([VOTE, {**turned, 'judge': 'author_2'}])}")
    (one,) = dataset.comparisons
    assert one.shown == ("alpha", "beta")
    assert one.gold.choice == "beta"
    assert {review.verdict.choice for review in dataset.reviews} == {"beta"}
    assert {review.shown for review in dataset.reviews} == {("alpha", "beta"), ("beta", "alpha")}
    assert dataset.humans == ("author_2", "expert_1")


def test_votes_that_cancel_out_are_a_tie_and_none_is_no_gold(folder):
    """One vote for each is a tie; a pair without votes has no gold."""
    against = {**VOTE, "winner": "model_b", "judge": "expert_2"}
    alone = {**VOTE, "turn": 2, "judge": "gpt4_pair", "winner": "tie (inconsistent)"}
    dataset = load(f"mtbench:{folder([VOTE, against], [alone])}")
    assert [one.gold for one in dataset.comparisons] == [TIE, None]
    assert dataset.comparisons[0].question.text == "Write."
    assert dataset.comparisons[1].question.text.endswith("Message 1:\nWrite.\n\nMessage 2:\nAgain.")
    assert dataset.reviews[-1].verdict == INCONSISTENT


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"winner": "model_c"}, "'winner' must be model_a, model_b, tie"),
        ({"model_b": "beta"}, "'beta' is compared with itself"),
        ({"turn": "1"}, "'turn' must be an integer"),
    ],
)
def test_a_wrong_vote_is_named_by_file_and_line(folder, row, complaint):
    """An impossible vote is an error with file and line."""
    path = folder([VOTE, {**VOTE, **row}])
    with pytest.raises(DataError, match=rf"human.jsonl, line 2: {complaint}"):
        load(f"mtbench:{path}")


def test_incomplete_folders_are_refused(folder):
    """The message names the missing question or file."""
    path = folder([{**VOTE, "question_id": 99}])
    with pytest.raises(DataError, match=r"turn 1 of question 99 is not in question.jsonl"):
        load(f"mtbench:{path}")
    (path / "gpt4_pair.jsonl").unlink()
    (path / "questions.jsonl").unlink()
    with pytest.raises(DataError, match=r"it has no gpt4_pair.jsonl, question.jsonl"):
        load(f"mtbench:{path}")


def test_questions_without_turns_and_labels_out_of_range_are_named(folder, write):
    """A question has a list of turns; a label is 1 or 2."""
    path = folder([VOTE], questions=[{**QUESTION, "turns": "Write."}])
    with pytest.raises(DataError, match=r"questions.jsonl, line 1: 'turns' must be a list"):
        load(f"mtbench:{path}")
    row = {"id": "x", "input": "Do.", "output_1": "a", "output_2": "b", "label": 3}
    sample = write("llmbar_sample_200.jsonl", [row])
    with pytest.raises(DataError, match=r"line 1: 'label' must be 1 or 2, not 3"):
        load(f"mtbench200:{sample}")
