"""Simulated ratings in every reply form and on every scale of a protocol."""

from __future__ import annotations

import pytest

from peerjudge.data import Expects, Sampling, Verdict, replace
from peerjudge.testing import comparison_of
from peerjudge.verdicts import read_review

FORMS = [
    f"{form}_{order}"
    for form in ("example", "schema")
    for order in ("score_only", "score_reasons", "reasons_score")
]


@pytest.mark.parametrize("logprobs", [False, True])
@pytest.mark.parametrize("scale", [(1, 5), (5, 1), (1, 10), (10, 1)])
@pytest.mark.parametrize("form", FORMS)
async def test_a_score_has_the_expected_form_and_scale(reviewer, asked, form, scale, *, logprobs):
    """The reply is JSON in the expected order, and is read as a score on the scale."""
    comparison = comparison_of(2, gold=1)
    request = asked(
        comparison,
        task="score",
        sees=("answer-2",),
        expects=Expects.RATING,
        reply=form,
        scale=scale,
    )
    seat = replace(request.seat, sampling=Sampling(logprobs=logprobs))
    said = await reviewer().speak(replace(request, seat=seat))
    read = read_review(said.text, cue=request.cue, comparison=comparison, logprobs=said.logprobs)
    assert read.rule == f"closing JSON, {'weighted' if logprobs else 'as stated'}"
    if "reasons" in form:
        assert (said.text.index("score") < said.text.index("reasons")) == form.endswith("reasons")


@pytest.mark.parametrize(("scale", "least"), [((1, 5), 0.8), ((10, 1), -1.0)])
async def test_scores_follow_merit_along_the_scale(reviewer, asked, many, scale, least):
    """The better of two answers, each rated alone, gets more points, and fewer on a scale of problems."""
    able = reviewer(ability=1.5)
    points = {True: 0.0, False: 0.0}
    for comparison in many(150):
        for answer in comparison.shown:
            request = asked(comparison, expects=Expects.RATING, sees=(answer,), scale=scale)
            said = await able.speak(request)
            read = read_review(said.text, cue=request.cue, comparison=comparison)
            points[Verdict.of(answer) == comparison.gold] += read.score
    gain = (points[True] - points[False]) / 150
    assert gain / least > 1
