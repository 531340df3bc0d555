"""Progress of a study, its checks, and people against models."""

import pytest

from peerjudge.analysis import collect_reviews
from peerjudge.data import replace
from peerjudge.features.people.nouns import CheckKind, Study, StudyAnswer
from peerjudge.features.people.progress import (
    keep_votes,
    list_attentive,
    measure_against_models,
    measure_progress,
)
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of

STUDY = Study(data="sample", annotators=("ann", "bob"), judgments=2)


def answer(annotator, item, choice="1", **changes):
    """Return an answer; a check if an expected choice is given."""
    plain = StudyAnswer(
        annotator=annotator,
        item=item,
        question="Why?",
        shown=("x", "y"),
        check=CheckKind.TOLD if "expected" in changes else None,
        expected="",
        choice=choice,
        chosen={"1": "x", "2": "y"}.get(choice, ""),
        reason="",
        confidence=None,
        seconds=10.0,
        version=1,
        superseded=False,
        posted="2026-01-01T00:00:00+00:00",
        saved="2026-01-01T00:00:10+00:00",
        task=f"{annotator} {item}",
    )
    return replace(plain, **changes)


def test_progress_counts_judgements_and_shows_failed_checks():
    """Superseded answers and checks are no judgements; a failed check is listed with its person."""
    answers = [
        answer("ann", "q1", superseded=True),
        answer("ann", "q1", "2", seconds=30.0, version=2),
        answer("ann", "q2", "tie"),
        answer("bob", "q1", "none"),
        answer("bob", "c1", expected="1"),
        answer("bob", "c2", expected="2"),
    ]
    found = measure_progress(STUDY, ["q1", "q2", "q3"], {"ann": 1, "bob": 2}, answers)
    assert (found.comparisons, found.complete, found.wanted, found.answered) == (3, 1, 6, 3)
    ann, bob = found.people["ann"], found.people["bob"]
    assert (ann.answered, ann.left, ann.ties, ann.changed, ann.median) == (2, 1, 1, 1, 20.0)
    assert (ann.first_shown.value, ann.first_shown.n, ann.passed) == (0.0, 1, None)
    assert (bob.refused, bob.checks[CheckKind.TOLD].passed, bob.active) == (1, 1, 30.0)
    assert (bob.passed.value, bob.passed.n) == (0.5, 2)
    assert [one.item for one in found.failed] == ["c2"]
    assert list_attentive(found, 0.5) == ["ann", "bob"]
    assert list_attentive(found, 0.4) == ["ann"]


def test_each_person_is_held_against_each_model():
    """Pairs of two people or two models are left out; two orders of a model count as their mean."""
    pairs = [pair_of(f"q{number}", gold="1") for number in range(4)]

    def reviews(name, choices, *, swap=False):
        return [review_of(*each, by=name, swap=swap) for each in zip(pairs, choices, strict=True)]

    said = (*reviews("ann", "1122"), *reviews("bob", "2211"))
    votes = dataset_of(pairs, said, humans=("ann", "bob"))
    models = [*reviews("model", "1122"), *reviews("model", "1122", swap=True)]
    run = collect_reviews(dataset_of(pairs, [*models, *reviews("weak", "1121")]))
    found = measure_against_models(votes, run)
    assert [(one.one, one.other, one.same.value, one.same.n) for one in found] == [
        ("ann", "model", 1.0, 4),
        ("bob", "model", 0.0, 4),
        ("ann", "weak", 0.75, 4),
        ("bob", "weak", 0.25, 4),
    ]
    assert [one.cohen_kappa.value for one in found[:2]] == [1.0, pytest.approx(-1.0)]
    alone = keep_votes(votes, ["bob"])
    assert {one.one for one in measure_against_models(alone, run)} == {"bob"}
    other = pair_of("z")
    elsewhere = collect_reviews(dataset_of([other], [review_of(other, "1")]))
    assert measure_against_models(votes, elsewhere) == ()
