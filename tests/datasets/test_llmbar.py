"""LLMBar is read from the tidy tables and from the benchmark's own folder."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pytest

from peerjudge.data import UNREADABLE
from peerjudge.datasets import load
from peerjudge.errors import DataError

INSTANCE = {
    "id": "Natural-000",
    "subset": "Natural",
    "input": "Do.",
    "output_1": "x",
    "output_2": "y",
}
CALL = {"id": "Natural-000", "model": "M", "strategy": "S", "final": True, "text": "Output (a)"}


@pytest.fixture(scope="module")
def llmbar(published):
    """The tidy tables, read once."""
    return load(f"llmbar:{published('llmbar')}")


@pytest.mark.data
def test_the_subsets_are_those_of_the_paper(llmbar):
    """419 instances in five subsets, every one with a better output."""
    assert Counter(comparison.subset for comparison in llmbar.comparisons) == {
        "Natural": 100,
        "Neighbor": 134,
        "GPTInst": 92,
        "GPTOut": 47,
        "Manual": 46,
    }
    categories = Counter(comparison.question.category for comparison in llmbar.comparisons)
    assert categories == {"Natural": 100, "Adversarial": 319}
    assert all(comparison.gold.choice for comparison in llmbar.comparisons)


@pytest.mark.data
def test_65_reviewers_judge_every_instance_in_both_orders(llmbar):
    """A model with a strategy is a reviewer; of the 58,748 calls 54,470 are the last stage."""
    reviewers = Counter(review.reviewer for review in llmbar.reviews)
    assert len(reviewers) == 65
    assert set(reviewers.values()) == {2 * 419}
    assert len({(r.comparison, r.reviewer, r.shown) for r in llmbar.reviews}) == 54_470


@pytest.mark.data
def test_only_the_last_stage_counts(published, llmbar):
    """The other calls are the first stages of Swap and Swap_CoT."""
    with gzip.open(published("llmbar") / "recorded.jsonl.gz", "rt") as file:
        calls = [json.loads(line) for line in file]
    assert len(calls) == 58_748
    left_out = [call for call in calls if not call["final"]]
    assert {call["strategy"] for call in left_out} == {"Swap", "Swap_CoT"}
    assert len(calls) - len(left_out) == len(llmbar.reviews)
    unreadable = sum(review.verdict == UNREADABLE for review in llmbar.reviews)
    assert unreadable == sum(call["winner"] is None for call in calls if call["final"])


@pytest.mark.data
def test_published_accuracy_comes_out(published, llmbar):
    """GPT-4 with Swap_CoT is right in 35 and 36 of the 46 Manual instances, as its statistics say."""
    gold = {c.id: c.gold for c in llmbar.comparisons if c.subset == "Manual"}
    right = Counter(
        review.shown
        for review in llmbar.reviews
        if review.reviewer == "GPT-4/Swap_CoT" and review.verdict == gold.get(review.comparison)
    )
    run = "llmbar/original/LLMBar/Adversarial/Manual/evaluators/GPT-4/Swap_CoT/statistics.json"
    statistics = json.loads(published(run).read_text())
    assert statistics["correct_False"].startswith(f"{right['output_1', 'output_2']} / 46")
    assert statistics["correct_True"].startswith(f"{right['output_2', 'output_1']} / 46")


@pytest.mark.data
def test_ratings_become_the_text_of_a_review(llmbar):
    """A Rating strategy wrote two numbers; both stand in the review of either order."""
    one, other = (
        r for r in llmbar.reviews if (r.reviewer, r.comparison) == ("GPT-4/Rating", "Manual-000")
    )
    assert one.text == other.text == "output_1: 4\noutput_2: 9"
    assert one.verdict.choice == other.verdict.choice == "output_2"
    assert (one.shown, other.shown) == (("output_1", "output_2"), ("output_2", "output_1"))
    assert (one.scores, other.scores) == ((4.0, 9.0), (9.0, 4.0))
    assert {bool(r.scores) for r in llmbar.reviews if "/Rating" not in r.reviewer} == {False}
    assert sum(None in r.scores for r in llmbar.reviews) == 10


@pytest.mark.data
@pytest.mark.parametrize("folder", ["llmbar/original", "llmbar/original/LLMBar"])
def test_the_benchmarks_own_folder_is_the_same_data(published, llmbar, folder):
    """The native layout equals the same part of the tidy tables."""
    native = load(f"llmbar:{published(folder)}")
    ids = {comparison.id for comparison in native.comparisons}
    runs = {(r.reviewer, r.comparison) for r in native.reviews}
    assert Counter(c.subset for c in native.comparisons) == {"Natural": 100, "Manual": 46}
    assert len({reviewer for reviewer, _ in runs}) == 6
    assert [c for c in llmbar.comparisons if c.id in ids] == list(native.comparisons)
    same = [r for r in llmbar.reviews if (r.reviewer, r.comparison) in runs]
    assert same == list(native.reviews)


@pytest.fixture
def folder(write):
    """Write instances and recorded calls as the tidy tables have them."""

    def to_folder(instances, calls):
        recorded = "\n".join(map(json.dumps, calls)).encode()
        write("recorded.jsonl.gz", gzip.compress(recorded))
        return write("instances.jsonl", instances).parent

    return to_folder


def test_the_winner_is_in_the_numbering_of_the_instance(folder):
    """The shown order does not change the recorded winner; a missing winner is unreadable."""
    calls = [
        {**CALL, "order": "original", "winner": "1"},
        {**CALL, "order": "swapped", "winner": "1"},
        {**CALL, "strategy": "T", "order": "swapped", "winner": None},
    ]
    dataset = load(f"llmbar:{folder([{**INSTANCE, 'label': 2}], calls)}")
    assert [str(review.verdict) for review in dataset.reviews] == [
        "output_1",
        "output_1",
        "unreadable",
    ]
    assert dataset.comparisons[0].gold.choice == "output_2"


def test_comparisons_alone_skip_the_recorded_calls(write, folder):
    """Without reviews the file of recorded calls is not opened."""
    path = folder([{**INSTANCE, "label": 1}], [])
    write("recorded.jsonl.gz", b"not gzip")
    assert len(load(f"llmbar:{path}", reviews=False).comparisons) == 1
    with pytest.raises(DataError, match=r"recorded.jsonl.gz is not a complete gzip file"):
        load(f"llmbar:{path}")


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ({"winner": "3"}, "'winner' must be"),
        ({"id": "Natural-001", "winner": "1"}, "no instance 'Natural-001'"),
        ({"order": "sideways", "winner": "1"}, "in the order 'sideways'"),
    ],
)
def test_a_wrong_call_is_named_by_file_and_line(folder, call, complaint):
    """A recorded call that fits no instance, order or winner is an error with file and line."""
    good = {**CALL, "order": "original", "winner": "1"}
    path = folder([{**INSTANCE, "label": 1}], [good, {**good, **call}])
    with pytest.raises(DataError, match=rf"recorded.jsonl.gz, line 2: .*{complaint}"):
        load(f"llmbar:{path}")


def test_a_wrong_label_is_named_by_file_and_line(folder):
    """There are two outputs, numbered from 1."""
    path = folder([{**INSTANCE, "label": 0}], [])
    with pytest.raises(DataError, match=r"instances.jsonl, line 1: 'label' must be 1 or 2, not 0"):
        load(f"llmbar:{path}")


def test_results_of_other_instances_are_refused(write):
    """A native result that belongs to another version of the instances is named by its item."""
    instance = {"input": "Do.", "output_1": "x", "output_2": "y", "label": 1}
    results = [{"swap = False": {"winner": "1"}, "swap = True": {"winner": "1"}}]
    write(
        "LLMBar/Natural/evaluators/M/S/result.json",
        json.dumps([{**instance, "input": "Else.", "results": results}]),
    )
    path = write("LLMBar/Natural/dataset.json", json.dumps([instance])).parent.parent
    with pytest.raises(DataError, match=r"result.json, item 1: not the instance Natural-000"):
        load(f"llmbar:{path}")


@pytest.mark.parametrize("content", ['[{"input": "Do."', '{"input": "Do."}', "[1]"])
def test_a_broken_native_file_is_named(write, content):
    """A truncated file, or one without a list of objects, is an error."""
    path = write("LLMBar/Natural/dataset.json", content).parent.parent
    with pytest.raises(DataError, match=r"dataset.json(, item 1)?: "):
        load(f"llmbar:{path}")
