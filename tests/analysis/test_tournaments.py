"""Tournaments built from ballots."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis import (
    build_tournament,
    collect_reviews,
    collect_transcripts,
    measure_agreement,
)
from peerjudge.data import (
    Comparison,
    GoldRule,
    RecordedReview,
    StopReason,
    Tournament,
    Transcript,
    replace,
)
from peerjudge.datasets import settle_gold
from peerjudge.errors import DataError
from peerjudge.testing import comparison_of, seats_of, transcript_of
from peerjudge.tracker import Stance
from tests.analysis.analysis_kit import dataset_of, pair_of, read_mark, review_of
from tests.ranking.battles import list_battles

PAIR = pair_of()
MARK = {-1: "1", 0: "=", 1: "2", None: "?"}
"""Marks of the reviews of a battle's scores in the order of `PAIR`."""


def tournament(transcript: Transcript, stance: Stance) -> Tournament:
    """The battles of the stances of one discussion."""
    return build_tournament(collect_transcripts([transcript]).of_stance(stance))


def battles(
    comparisons: Sequence[Comparison],
    reviews: Sequence[RecordedReview],
    *,
    humans: Sequence[str] = (),
) -> list[tuple[str, str, int | None]]:
    """The battles of reviews: first and second contestant, and score."""
    dataset = dataset_of(comparisons, reviews, humans=tuple(humans))
    found = build_tournament(collect_reviews(dataset), reviewers=humans or None)
    return [
        (one.first, one.second, None if one.score is None else int(one.score))
        for one in list_battles(found)
    ]


@pytest.mark.parametrize(
    ("mark", "score"), [("1", -1), ("2", 1), ("=", 0), ("?", None), ("-", None), ("x", None)]
)
def test_a_review_becomes_a_battle_in_the_order_it_was_shown(mark: str, score: int | None):
    """-1 is for the first-shown, +1 for the second-shown; nothing unreadable is ever a tie."""
    assert battles([PAIR], [review_of(PAIR, mark)]) == [("ann", "bob", score)]
    mirrored = None if score is None else -score
    assert battles([PAIR], [review_of(PAIR, mark, swap=True)]) == [("bob", "ann", mirrored)]


@pytest.mark.parametrize("authors", [("ann", "ann"), ("ann", "")])
def test_answers_without_two_authors_make_no_battle(authors: tuple[str, str]):
    """An answer without an author, or two answers by one author, make no battle."""
    answers = tuple(
        replace(answer, author=author) for answer, author in zip(PAIR.answers, authors, strict=True)
    )
    assert battles([replace(PAIR, answers=answers)], [review_of(PAIR, "=")]) == []


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1, None]), st.booleans()), min_size=1))
@settings(max_examples=30)
def test_a_panel_of_people_is_one_battle_with_the_sign_of_its_mean(votes):
    """Votes of several people make one battle, independent of the order shown to each."""
    given_votes = [review_of(PAIR, MARK[vote], swap=swap) for vote, swap in votes]
    ((_, second, score),) = battles([PAIR], given_votes, humans=["judge"])
    readable = [vote for vote, _ in votes if vote is not None]
    sign = (sum(readable) > 0) - (sum(readable) < 0)
    towards_bob = score if second == "bob" or score is None else -score
    assert towards_bob == (sign if readable else None)


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=5), st.sampled_from(GoldRule))
def test_people_rank_by_the_rule_that_settled_their_votes(votes: list[int], rule: GoldRule):
    """A battle that people decide ends as the gold of its comparison, under every gold rule."""
    dataset = dataset_of(
        [replace(PAIR, gold=settle_gold(votes, rule, PAIR.shown))],
        [review_of(PAIR, MARK[vote], by="people") for vote in votes],
        humans=("people",),
        gold_rule=rule,
    )
    (battle,) = list_battles(build_tournament(collect_reviews(dataset), reviewers=["people"]))
    assert read_mark(MARK[battle.score], PAIR) == dataset.comparisons[0].gold


def test_a_person_who_is_gold_is_settled_by_the_rule_of_the_dataset():
    """Votes of a person that serve as gold follow the gold rule: a majority, not the mean."""
    said = [review_of(PAIR, mark, by="p") for mark in "==?1"]
    dataset = dataset_of([PAIR], [*said, review_of(PAIR, "1")], humans=("p",))
    right = [
        measure_agreement(
            collect_reviews(replace(dataset, gold_rule=rule)), gold="p"
        ).accuracy.value
        for rule in (GoldRule.SIGN_OF_MEAN, GoldRule.STRICT_MAJORITY)
    ]
    assert right == [1.0, 0.0]


def test_humans_judge_only_if_they_are_named():
    """Human votes are gold by default; they make battles only if the humans are named."""
    said = [review_of(PAIR, "=", by=name) for name in ("judge", "human", "human")]
    ballots = collect_reviews(dataset_of([PAIR], said, humans=("human",)))
    assert build_tournament(ballots).reviewers == ("judge",)
    named = build_tournament(ballots, reviewers=["human"])
    assert (named.reviewers, len(named)) == (("human",), 1)
    with pytest.raises(DataError, match="no reviewer 'zoe'"):
        build_tournament(ballots, reviewers=["zoe"])


def stances(moves: str, stance: Stance) -> list[tuple[str, int | None]]:
    """By reviewer, the scores of the stances in a discussion written in one line."""
    found = tournament(transcript_of(moves), stance)
    return [(one.reviewer, one.score) for one in list_battles(found)]


def test_private_and_final_stances_are_different_battles():
    """The private stance of a seat may differ from its final stance."""
    assert stances("2|1 1 1", "private") == [("reviewer-1", 1), ("reviewer-2", -1)]
    assert stances("2|1 1 1", "final") == [("reviewer-1", -1), ("reviewer-2", -1)]


def test_an_unreadable_turn_does_not_end_a_stance():
    """A stance is the last readable verdict; a seat that never gave one is counted as unreadable."""
    assert stances("2|1 ? 2", "final") == [("reviewer-1", 1), ("reviewer-2", 1)]
    assert stances("?|1 ? 1", "final") == [("reviewer-1", None), ("reviewer-2", -1)]


def test_an_unended_discussion_has_private_stances_only():
    """An incomplete discussion has no final stances."""
    failed = replace(transcript_of("2|1 1"), stop=StopReason.FAILED)
    assert len(tournament(failed, "final")) == 0
    assert len(tournament(failed, "private")) == 2


def test_a_pair_that_is_judged_alone_and_discussed_counts_once():
    """The review that opens a discussion repeats the review alone; only another order is another battle."""
    seats = seats_of(2)
    alone = transcript_of("1", seats=seats[:1])
    discussed = transcript_of("1|2 2 1", seats=seats)
    swapped = transcript_of("1|2 2 1", seats=seats, comparison=comparison_of().swapped())
    found = build_tournament(collect_transcripts([alone, discussed, swapped]).of_stance("private"))
    judges = [found.reviewers[code] for code in found.reviewer]
    assert sorted(judges) == ["reviewer-1", "reviewer-1", "reviewer-2", "reviewer-2"]
    final = build_tournament(collect_transcripts([alone, discussed]).of_stance("final"))
    assert len(final) == 3


def test_three_answers_are_no_battle():
    """A choice among three answers makes no battle."""
    chosen = transcript_of("3|1 3", comparison=comparison_of(3))
    assert len(tournament(chosen, "final")) == 0
