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


@pytest.fixture
def script(verdicts):
    """Return the script that derives the tables, and the file of one."""

    def find(name):
        reader, _, table = verdicts(name).partition(":")
        return load_module(Path(reader), "datasets"), Path(table)

    return find


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_derived_from_the_published_data(script, published, name):
    """The script gives the committed table, byte for byte."""
    module, table = script(name)
    derived = module.derive_table(load(f"{name}:{published(name)}"))
    assert derived == gzip.decompress(table.read_bytes()).decode()


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_a_table_reads_as_the_dataset_without_its_texts(verdicts, published, name):
    """Verdicts, shown orders, gold, authors, groups and lengths are those of the dataset."""
    whole, ours = load(f"{name}:{published(name)}"), load(verdicts(name))
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
