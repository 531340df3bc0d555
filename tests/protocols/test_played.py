"""Methods played by the engine with reviewers that write text."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerjudge.data import (
    INCONSISTENT,
    Card,
    Comparison,
    Expects,
    RecordedReview,
    ReviewerKind,
    Sampling,
    Scalar,
    Seat,
    Transcript,
    Verdict,
)
from peerjudge.engine import Reviewer, discuss
from peerjudge.reviewers import RecordedReviewer
from peerjudge.shelf import Shelf
from peerjudge.simulation import SimulatedReviewer
from peerjudge.testing import comparison_of

SHELF = Shelf(project=Path(__file__).resolve().parents[2])


async def played(
    name: str,
    comparison: Comparison,
    reviewer: Reviewer,
    *,
    pack: str = "long_form",
    by_card: bool = False,
    **options: Scalar,
) -> Transcript:
    """The discussion, with the same reviewer in every seat."""
    protocol = SHELF.protocol(name, options)
    seats = tuple(
        Seat(id=f"s{n}", reviewer=reviewer.name, sampling=Sampling(logprobs=by_card))
        for n in range(protocol.seats[0])
    )
    head = Transcript(id="d", comparison=comparison, protocol=name, seats=seats)
    return await discuss(
        head,
        protocol=protocol,
        reviewers={seat.id: reviewer for seat in seats},
        pack=SHELF.prompts(pack),
        roles={},
    )


@pytest.mark.parametrize(
    ("name", "answers", "pack", "options"),
    [
        ("pointwise", 2, "prometheus", {}),
        ("pointwise", 1, "open_chat", {}),
        ("self_metrics", 2, "instruction_following", {"then": "prepair", "ties": True}),
        ("self_metrics", 2, "open_chat_paraphrased", {"then": "score_reasons"}),
        ("n_way", 4, "open_chat", {"ties": True}),
        ("reconciled", 2, "long_form_paraphrased", {"method": "prepair_star"}),
        ("reconciled", 3, "long_form", {"method": "prepair", "self_metrics": True}),
        ("score_reasons", 3, "dialogue_sets", {"rules": True, "scale": "10-1"}),
        ("score_reasons", 1, "summary_coherence", {"order": "score_only", "form": "example"}),
        ("leader_follower", 2, "long_form", {"opening": "score_reasons"}),
        ("prepair_discussion", 4, "summary_coherence_paraphrased", {"self_metrics": True}),
        ("vote", 3, "prometheus", {"opening": "pointwise"}),
    ],
)
async def test_a_simulated_study_of_every_method_comes_to_verdicts(
    name: str, answers: int, pack: str, options: dict[str, Scalar]
):
    """With any prompt pack, replies have the requested form and lead to verdicts."""
    reviewer = SimulatedReviewer(Card(name="sim", kind=ReviewerKind.SIMULATED), seed=1)
    for number in range(5):
        comparison = comparison_of(answers, gold=1, name=f"c{number}")
        ended = await played(name, comparison, reviewer, pack=pack, **options)
        assert ended.failure is None
        assert ended.verdict.readable or ended.verdict == INCONSISTENT
        for turn in ended.turns:
            assert turn.review.score is not None or turn.cue.expects is not Expects.RATING
            assert turn.review.verdict is not None or turn.cue.expects is not Expects.VERDICT


async def test_the_log_probabilities_of_a_reply_reach_its_rating():
    """A rating is weighted if the protocol or the card requests log-probabilities."""
    reviewer = SimulatedReviewer(Card(name="sim", kind=ReviewerKind.SIMULATED), seed=1)
    comparison = comparison_of(2, gold=1)
    stated = await played("score_reasons", comparison, reviewer)
    by_card = await played("score_reasons", comparison, reviewer, by_card=True)
    weighted = await played("pointwise", comparison, reviewer)
    assert all(turn.review.rule.endswith("as stated") for turn in stated.turns)
    for turn in (*by_card.turns, *weighted.turns):
        assert turn.review.rule.endswith("weighted")
    assert all(float(turn.review.score or 0).is_integer() for turn in stated.turns)
    assert not any(float(turn.review.score or 0).is_integer() for turn in weighted.turns)


async def test_recorded_reviews_in_both_orders_can_be_reconciled():
    """Records of a pair in both orders are both read, and must agree."""
    pair = comparison_of(2)
    first, second = map(Verdict.of, pair.shown)
    for other, verdict in ((first, first), (second, INCONSISTENT)):
        reviews = [
            RecordedReview(comparison=pair.id, shown=pair.shown, reviewer="ann", verdict=first),
            RecordedReview(
                comparison=pair.id, shown=pair.swapped().shown, reviewer="ann", verdict=other
            ),
        ]
        ended = await played("reconciled", pair, RecordedReviewer("ann", reviews))
        assert ended.verdict == verdict
