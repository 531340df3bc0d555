"""The committed tables of verdicts are what the published datasets say."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from peerjudge.data import replace
from peerjudge.datasets import load
from peerjudge.shelf.loading import load_module

NAMES = ("vicuna80", "llmbar", "mtbench", "summeval")


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_derived_from_the_published_data_and_read_as_these(verdicts, published, name):
    """The script gives the committed table, byte for byte.

    Its verdicts, shown orders, gold, authors, groups and lengths are those of the dataset.
    """
    reader, _, table = verdicts(name).partition(":")
    whole = load(f"{name}:{published(name)}")
    derived = load_module(Path(reader), "datasets").derive_table(whole)
    assert derived == gzip.decompress(Path(table).read_bytes()).decode()
    ours = load(verdicts(name))
    assert list(map(_without_texts, whole.comparisons)) == list(ours.comparisons)
    assert Counter(replace(review, text="") for review in whole.reviews) == Counter(ours.reviews)
    assert (whole.name, whole.humans) == (ours.name, ours.humans)
    assert whole.conventions == ours.conventions


def _without_texts(comparison):
    meta = {key: value for key, value in comparison.meta.items() if key != "source_path"}
    answers = tuple(replace(one, text="x" * len(one.text)) for one in comparison.answers)
    question = replace(comparison.question, text=comparison.question.id)
    return replace(comparison, question=question, answers=answers, meta=meta)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("vicuna80", (800, 80, 9760)),
        ("llmbar", (419, 419, 54_470)),
        ("mtbench", (2400, 80, 5755)),
        ("summeval", (1200, 100, 4800)),
    ],
)
def test_counts_are_those_of_the_papers(verdicts, name, counts):
    """Comparisons, questions and reviews."""
    dataset = load(verdicts(name))
    questions = {comparison.question.id for comparison in dataset.comparisons}
    assert (len(dataset.comparisons), len(questions), len(dataset.reviews)) == counts
