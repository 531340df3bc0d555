"""Who judges better on the same questions: whoever is compared with whom."""

from __future__ import annotations

import numpy as np
import pytest

from peerjudge.analysis import accuracy_of, compare, reviewers_of
from peerjudge.analysis.comparing import Contender
from peerjudge.data import (
    UNREADABLE,
    Answer,
    Comparison,
    Dataset,
    Question,
    RecordedReview,
    Verdict,
)
from peerjudge.errors import DataError


def contender(name: str, right: list[float]) -> Contender:
    """Right so often on one comparison of each question."""
    judged = {(f"q{k}", f"c{k}"): share for k, share in enumerate(right)}
    return Contender(name=name, reviewers=frozenset({name}), vote=False, turns=1.0, right=judged)


def test_a_baseline_leaves_one_test_for_each_of_the_others():
    """The others come first, and p-values are adjusted for two tests instead of three."""
    random = np.random.default_rng(0)
    three = [
        contender(name, (random.random(30) < p) * 1.0)
        for name, p in zip("abc", (0.9, 0.5, 0.3), strict=True)
    ]
    found = compare(three, baseline="b", samples=100)
    assert [(pair.one, pair.other) for pair in found] == [("a", "b"), ("c", "b")]
    strongest = min(pair.test.p_value for pair in found)
    assert min(pair.holm for pair in found) == pytest.approx(min(1.0, 2 * strongest))
    assert found[0].difference.difference.value > 0 > found[1].difference.difference.value
    assert len(compare(three, samples=100)) == 3


def test_whom_to_compare_with_must_be_there():
    """A misspelt baseline is a mistake, and says who there is."""
    with pytest.raises(DataError, match="called 'z'; there are a, b"):
        compare([contender("a", [1.0]), contender("b", [0.0])], baseline="z")


def test_what_nobody_else_judged_is_not_compared():
    """Two that judged different questions have no difference, not one of 0."""
    apart = Contender(
        name="b", reviewers=frozenset("b"), vote=False, turns=1.0, right={("other", "c"): 1.0}
    )
    assert compare([contender("a", [1.0, 0.0]), apart]) == ()


def test_reviewers_on_record_are_contenders():
    """Right in one of two orders is half right; what cannot be read is left out."""
    answers = (Answer(id="a", text="x"), Answer(id="b", text="y"))
    one = Comparison(
        id="c", question=Question(id="q", text="?"), answers=answers, gold=Verdict.of("a")
    )

    def review(name: str, shown: tuple[str, str], verdict: Verdict) -> RecordedReview:
        return RecordedReview(comparison="c", shown=shown, reviewer=name, verdict=verdict)

    reviews = (
        review("place", ("a", "b"), Verdict.of("a")),
        review("place", ("b", "a"), Verdict.of("b")),
        review("able", ("a", "b"), Verdict.of("a")),
        review("able", ("b", "a"), UNREADABLE),
    )
    data = Dataset(name="d", description="", comparisons=(one,), reviews=reviews)
    able, place = reviewers_of(data)
    assert (able.name, accuracy_of(able).value) == ("able", 1.0)
    assert (place.name, accuracy_of(place).value) == ("place", 0.5)
    with pytest.raises(DataError, match="with gold by nobody"):
        reviewers_of(data, reviewers=["able", "nobody"])
