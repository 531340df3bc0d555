"""Adoption: what the bound protects from, the front, and overstatement."""

from __future__ import annotations

import numpy as np
import pytest

from peerjudge.data import Measurement
from peerjudge.errors import DataError
from peerjudge.features.search.adoption import (
    ALPHA,
    adopt,
    adopt_naively,
    choose_finalists,
    measure_overstatement,
    paper_options,
    pareto_front,
)
from peerjudge.features.search.nouns import (
    Candidate,
    CandidateScores,
    SearchOptions,
    SearchState,
    Target,
)
from peerjudge.features.search.objectives import measure_gain
from peerjudge.statistics.interval import DIFFERENCE, MARGIN, measure_mean
from peerjudge.statistics.sampler import Sampler

QUESTIONS = tuple(f"q{number}" for number in range(40))


def measure(differences, level: float) -> Measurement:
    """The project's interval of a mean paired difference."""
    return measure_mean(differences, range(len(differences)), limits=(-1.0, 1.0), level=level)


def candidate(name: str, text: str = "text", *, valid: bool = True) -> Candidate:
    """A candidate with one text."""
    return Candidate(id=name, texts={"role:judge": text}, valid=valid)


def scored(values) -> dict[str, float]:
    """Scores by question."""
    return {question: float(value) for question, value in zip(QUESTIONS, values, strict=True)}


def state_of(rows: dict[str, list[float]], **texts: str) -> SearchState:
    """The end of a search with these scores."""
    return SearchState(
        candidates=tuple(candidate(name, texts.get(name, "text")) for name in rows),
        scores={
            name: CandidateScores(candidate=name, scores=scored(values))
            for name, values in rows.items()
        },
        incumbent=max(rows, key=lambda name: sum(rows[name])),
        path=(),
        steps=1,
        finished=True,
    )


def test_a_gain_in_margins_has_the_interval_of_compare():
    """Margins differ little, so the questions added to them are half as far apart, in both commands."""
    differences = [0.1, 0.2, -0.05, 0.0]
    for objective, added in (("margin", MARGIN), ("accuracy", DIFFERENCE)):
        expected = Sampler().difference(np.array(differences), np.arange(4), added=added)
        assert measure_gain(differences, objective=objective) == expected.difference


def test_finalists_are_the_best_above_the_base():
    """At most five, best first; candidates not above the base are none, and short ones come first."""
    rows = {
        name: [level / 10] * 40
        for name, level in zip("abcdefgh", [5, 6, 9, 4, 7, 8, 9, 6], strict=True)
    }
    state = state_of(rows, c="a longer text")
    finalists = choose_finalists(state, questions=QUESTIONS)
    assert [one.id for one in finalists] == ["g", "c", "f", "e", "b"]
    assert [one.id for one in choose_finalists(state, questions=QUESTIONS, most=1)] == ["g"]
    assert choose_finalists(state_of({"a": [0.5] * 40, "b": [0.5] * 40}), questions=QUESTIONS) == ()


def test_candidates_without_all_scores_are_no_finalists():
    """A candidate that halving dropped has no place, however good it looked."""
    state = state_of({"a": [0.5] * 40, "b": [1.0] * 40})
    assert choose_finalists(state, questions=(*QUESTIONS, "another")) == ()


def test_a_clear_gain_is_adopted_and_a_doubtful_one_is_not():
    """The bound decides: 12 of 40 more right is beyond chance, 2 of 40 is not."""
    base = scored([0, 1] * 20)
    better = scored([1 if n % 5 < 3 else n % 2 for n in range(40)])
    doubtful = scored([1, 1, 1, 1] + [0, 1] * 18)
    finalists = [candidate("good"), candidate("so_so")]
    scores = {"base": base, "good": better, "so_so": doubtful}
    adoption = adopt(candidate("base"), finalists, scores, measure=measure)
    assert (adoption.chosen, adoption.adopted) == ("good", True)
    assert [one.bound > 0 for one in adoption.finalists] == [True, False]
    assert [one.difference.level for one in adoption.finalists] == [pytest.approx(1 - ALPHA)] * 2
    alone = adopt(candidate("base"), finalists[1:], scores, measure=measure)
    assert (alone.chosen, alone.adopted) == ("base", False)
    assert alone.why.startswith("no lower bound is above 0")


def test_nothing_better_is_a_result():
    """Without finalists the base stays, and the reason says so."""
    adoption = adopt(candidate("base"), [], {}, measure=measure)
    assert (adoption.chosen, adoption.adopted) == ("base", False)
    assert adoption.why == "no candidate scored above the base"


def test_of_equal_finalists_the_shorter_is_adopted():
    """Ties are broken by simplicity."""
    scores = {"base": scored([0.0] * 40), "long": scored([1.0] * 40), "short": scored([1.0] * 40)}
    finalists = [candidate("long", "many words"), candidate("short", "few")]
    assert adopt(candidate("base"), finalists, scores, measure=measure).chosen == "short"


def test_finalists_need_the_questions_of_the_base():
    """Scores on other questions cannot be paired."""
    scores = {"base": {"q1": 1.0}, "x": {"q2": 1.0}}
    with pytest.raises(DataError, match="both need the same questions"):
        adopt(candidate("base"), [candidate("x")], scores, measure=measure)


def test_the_naive_choice_is_the_best_on_the_search_split():
    """The papers' choice is marked as such."""
    adoption = adopt_naively(state_of({"a": [0.5] * 40, "b": [0.6] * 40}))
    assert (adoption.chosen, adoption.adopted, adoption.naive) == ("b", True, True)


@pytest.mark.parametrize("questions", [20, 40])
def test_where_nothing_is_better_few_searches_adopt(questions: int):
    """Of 300 searches with five finalists as good as the base, at most 6 % adopt one.

    Without the correction for five finalists, at least three times as many would.
    Scores are right or wrong; two candidates differ on about a third of the questions.
    """
    random = np.random.default_rng(5)
    false, uncorrected, searches = 0, 0, 300
    for _ in range(searches):
        ability = random.normal(0.8, 1.0, questions)
        right = ability + random.normal(0.0, 1.0, (6, questions)) > 0
        scores = {
            str(n): {str(q): float(value) for q, value in enumerate(row)}
            for n, row in enumerate(right)
        }
        finalists = [candidate(str(n)) for n in range(1, 6)]
        adoption = adopt(candidate("0"), finalists, scores, measure=measure)
        false += adoption.adopted
        differences = right[1:].astype(float) - right[0]
        uncorrected += any(measure(row, 0.9).low > 0 for row in differences)
    assert false / searches <= 0.06
    assert uncorrected >= 3 * false > 0


def test_the_front_has_what_no_other_beats():
    """Better, more consistent, cheaper: a candidate leaves the front if another is no worse in all."""
    points = {
        "best": (0.9, 0.7, 3.0),
        "cheap": (0.6, 0.7, 1.0),
        "steady": (0.6, 0.9, 2.0),
        "beaten": (0.6, 0.7, 2.0),
        "twin": (0.9, 0.7, 3.0),
    }
    assert pareto_front(points) == ("best", "cheap", "steady", "twin")
    assert pareto_front({"a": (0.5, None, None), "b": (0.6, 0.9, 1.0)}) == ("b",)
    assert pareto_front({}) == ()


def test_overstatement_is_the_loss_from_search_to_test():
    """A search score of .8 and a test score of .7 overstate by .1."""
    assert measure_overstatement({"a": 0.8}, {"b": 0.9, "c": 0.5}) == pytest.approx(0.1)


def test_the_options_of_the_paper():
    """GRIPS and OPRO as the sequencing paper had them: nothing protected, nothing halved."""
    target = Target(name="pack:reply.schema_reasons_score", text="x")
    options = SearchOptions(method="grips", targets=(target,), questions=("q",))
    grips = paper_options(options)
    assert (grips.steps, grips.candidates, grips.patience, grips.level) == (10, 5, 2, "words")
    assert (grips.protect, grips.every_occurrence, grips.halving) == (False, True, (1.0,))
    opro = paper_options(SearchOptions(method="opro", targets=(target,), questions=("q",)))
    assert (opro.steps, opro.candidates, opro.patience, opro.exemplars_shown) == (50, 2, 0, 2)
