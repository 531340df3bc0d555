"""What a run found, on discussions small enough to work out by hand."""

import pytest

from peerjudge.analysis.conditions import ConditionFindings
from peerjudge.analysis.findings import Findings, build_findings
from peerjudge.data import EventKind, Failure, Outcome, Role, Seat, StopReason, Transcript, replace
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tracker import NoEventReason
from tests.analysis import analysis_kit as kit


def discussion(moves: str, name: str = "c1", **changes) -> Transcript:
    """A discussion whose gold is the answer with id `answer-1`, whatever the order."""
    return kit.told(moves, name, **{"seats": None, "protocol": "leader_follower", **changes})


def only(found: Findings) -> ConditionFindings:
    """The one condition that was found."""
    (condition,) = found.conditions
    return condition


def test_before_averages_seats_and_after_is_the_conclusion():
    """Two seats of which one is right are half right before; the conclusion is wholly right."""
    condition = only(build_findings([discussion("2|1 1 1")]))
    before = condition.before.accuracy
    assert (before.value, before.n) == (0.5, 2)
    assert (condition.after.accuracy.value, condition.gain.value) == (1.0, 0.5)


def test_gain_is_after_minus_before_where_all_is_readable():
    """With nothing unreadable the mean gain is the difference of the two accuracies."""
    told = [discussion(m, f"c{i}") for i, m in enumerate(["2|1 1 1", "2|2 2 2", "1|2 2 2"])]
    condition = only(build_findings(told))
    difference = condition.after.accuracy.value - condition.before.accuracy.value
    assert condition.gain.value == pytest.approx(difference)
    assert condition.gain.low <= condition.gain.value <= condition.gain.high


def test_unreadable_verdicts_are_bounded_not_scored():
    """One right, one unreadable: all readable are right, and in truth between half and all are."""
    condition = only(build_findings([discussion("1|1 1 1"), discussion("?|? ? ?", "c2")]))
    after = condition.after
    assert (after.accuracy.value, after.accuracy.n) == (1.0, 1)
    assert (after.undecided, after.worst_case, after.best_case) == (1, 0.5, 1.0)
    assert condition.outcomes[Outcome.UNREADABLE] == 1
    assert condition.outcomes[Outcome.CHOICE] == 1


def test_a_refusal_is_counted_as_such():
    """A refused verdict has its own count and is as little scored as an unreadable one."""
    condition = only(build_findings([discussion("!|! ! !")]))
    assert condition.outcomes[Outcome.REFUSED] == 1
    assert condition.after.accuracy.n == 0
    assert condition.gain is None


def test_without_gold_there_is_no_accuracy():
    """Opinion events need no gold; accuracy does."""
    told = discussion("2|1 1 1")
    bare = replace(told, comparison=replace(told.comparison, gold=None))
    condition = only(build_findings([bare]))
    assert condition.before is None
    assert condition.after is None
    assert condition.by_seat[0].events[EventKind.ALTERED] == 1


def test_only_ended_discussions_enter_the_shares():
    """Failed and unfinished discussions are counted and otherwise left out."""
    failure = Failure(kind="RateLimitError", message="429", seat="seat-1", turn=2)
    talks = [
        discussion("1|1 1 1"),
        discussion("2|2 2", "c2", stop=StopReason.FAILED, failure=failure),
        discussion("2|2", "c3", stop=None),
    ]
    condition = only(build_findings(talks))
    effort = condition.effort
    assert (effort.done, effort.failed, effort.unfinished, effort.discussions) == (1, 1, 1, 3)
    assert effort.turns == 9
    assert (condition.after.accuracy.value, condition.after.accuracy.n) == (1.0, 1)


def test_both_orders_agree_or_contradict():
    """Choosing the same answer in both orders is consistent; choosing the same place is not."""
    other = {"c1": "2|2 2 2", "c2": "1|1 1 1", "c3": "?|? ? ?"}
    talks = [discussion("1|1 1 1", f"c{k}") for k in (1, 2, 3, 4)]
    talks += [discussion(moves, name, swap=True) for name, moves in other.items()]
    condition = only(build_findings(talks))
    after = condition.consistency_after
    assert (after.judged, after.same, after.inconsistent, after.unreadable) == (3, 1, 1, 1)
    assert after.rate.value == 0.5
    assert condition.consistency_before.judged == 6


def test_leaders_are_judged_apart_in_both_orders():
    """Two discussions under different leaders are not two orders of one judgement."""
    leads, follows = (Seat(id=f"seat-{n}", reviewer=f"r{n}", role=Role.PANELIST) for n in (1, 2))
    comparison = comparison_of(2, gold=1)
    told = [
        transcript_of("1|1 1", comparison=comparison, seats=(leads, follows)),
        transcript_of("1|1 1", comparison=comparison.swapped(), seats=(follows, leads)),
    ]
    assert only(build_findings(told)).consistency_after.judged == 0


def test_preference_for_the_first_shown_answer():
    """The shares speak of places, so swapping the answers does not cancel a taste for the first."""
    condition = only(build_findings([discussion("1|1 2 2"), discussion("1|1 1 1", swap=True)]))
    assert (condition.first_before.value, condition.first_after.value) == (1.0, 0.5)


def test_events_are_counted_by_reviewer_and_role():
    """In `2|1 1 1` the leader altered towards gold and the follower agreed afterwards."""
    leader, follower = build_findings([discussion("2|1 1 1")]).by_seat
    assert (leader.reviewer, leader.role) == ("reviewer-1", Role.LEADER)
    assert leader.events[EventKind.ALTERED] == 1
    assert (leader.contradicted, leader.towards_gold, leader.away_from_gold) == (1, 1, 0)
    assert follower.events[EventKind.AGREED] == 1
    assert follower.contradicted == 0


def test_a_verdict_without_a_stance_before_is_counted_as_no_event():
    """Where the private review was unreadable the first verdict after hearing is no event."""
    leader, _ = build_findings([discussion("?|1 1 1")]).by_seat
    assert leader.no_events[NoEventReason.NO_STANCE_BEFORE] == 1
    assert sum(leader.events.values()) == 0


def test_votes_do_not_enter_the_events():
    """Seats that never hear anybody have no row among those that discuss."""
    found = build_findings(
        [discussion("1|1", protocol="vote"), discussion("2|1", "c2", protocol="vote")]
    )
    assert found.by_seat == ()
    assert not only(found).discusses


def test_agreement_before_and_after():
    """One pair of seats agreed from the start, one came to agree, one never did."""
    told = [discussion(m, f"c{i}") for i, m in enumerate(["1|1 1 1", "2|1 1 1", "2|1 2 1"])]
    agreement = only(build_findings(told)).agreement
    assert (agreement.before.value, agreement.after.value) == pytest.approx((1 / 3, 2 / 3))


def test_subsets_and_categories_are_told_apart():
    """Accuracy is also given within every named subset and category."""
    easy, hard = discussion("1|1 1 1"), discussion("2|2 2 2", "c2")
    told = [
        replace(easy, comparison=replace(easy.comparison, subset="easy")),
        replace(hard, comparison=replace(hard.comparison, subset="hard")),
    ]
    condition = only(build_findings(told))
    values = {g.name: g.after.accuracy.value for g in condition.subsets if g.after}
    assert values == {"easy": 1.0, "hard": 0.0}
    assert condition.categories == ()


def test_a_lone_judge_has_no_before():
    """A judge who hears nobody has one accuracy, and nothing to gain."""
    condition = only(build_findings([discussion("1", protocol="pairwise")]))
    assert condition.before is None
    assert condition.gain is None
    assert condition.after.accuracy.value == 1.0


def test_simulated_turns_make_simulated_findings():
    """One simulated turn is enough for the findings to say so."""
    told = discussion("1|1 1 1")
    assert build_findings([told]).simulated
    real = tuple(
        replace(turn, utterance=replace(turn.utterance, simulated=False)) for turn in told.turns
    )
    assert not build_findings([replace(told, turns=real)]).simulated


def test_the_same_seed_draws_the_same_intervals():
    """Findings are a function of the transcripts and the seed."""
    told = [discussion(m, f"c{i}") for i, m in enumerate(["1|1 1", "2|1 1", "2|2 2", "1|2 1"])]
    assert build_findings(told, seed=3) == build_findings(iter(told), seed=3)


def test_reviewers_that_are_contestants_are_weighed():
    """Both judge in private that the first author wrote the better answer, so it weighs more."""
    seats = tuple(
        Seat(id=f"seat-{n}", reviewer=f"author-{n}", role=role)
        for n, role in ((1, Role.LEADER), (2, Role.FOLLOWER))
    )
    told = [
        transcript_of(moves, comparison=comparison_of(2, gold=1, name=f"c{i}"), seats=seats)
        for i, moves in enumerate(["1|1 1 1", "1|1 2 2", "1|2 1 1"])
    ]
    peers = build_findings(told).peers
    assert peers.equal.contestants["author-1"].score == pytest.approx(5 / 6)
    assert sum(weight.value for weight in peers.weights.values()) == pytest.approx(1)
    first, second = (peers.weights[f"author-{n}"] for n in (1, 2))
    assert first.low <= first.value <= first.high
    assert first.value > second.value
    assert peers.prd == {"author-1": 1.0, "author-2": 0.0}
    assert (peers.outsiders, peers.reason) == ((), "")
    alone = build_findings(told[:1]).peers
    assert alone.equal.contestants["author-1"].low is None
    assert all(weight.high - weight.low > 0.5 for weight in alone.weights.values())


def test_reviewers_that_are_no_contestants_are_not_told_apart():
    """Without a reviewer among the authors there is a ranking, but no weights, and a reason."""
    peers = build_findings([discussion("1|1 1 1")]).peers
    assert list(peers.equal.contestants) == ["author-1", "author-2"]
    assert (peers.weighted, peers.weights, peers.prd) == (None, {}, {})
    assert "no reviewer is a contestant" in peers.reason
    assert peers.outsiders == ("reviewer-1", "reviewer-2")


def test_without_readable_private_reviews_nobody_is_ranked():
    """The findings say why there is no ranking."""
    found = build_findings([discussion("?|? 1 1")])
    assert found.peers is None
    assert "could be read" in found.peers_missing


def test_no_discussions_at_all():
    """An empty run has findings, and they are empty."""
    found = build_findings([])
    assert (found.effort.discussions, found.conditions, found.peers) == (0, (), None)


def test_the_stances_are_those_of_the_ended_discussions():
    """What is said of persuasion and turns rests on the same discussions as the shares."""
    found = build_findings([discussion("2|1 1 1"), discussion("2|2 2", "c2", stop=None)])
    assert found.stances.discussions == found.effort.done == 1
    by_pair = {(row.speaker, row.listener): row for row in found.stances.persuasion}
    assert by_pair["reviewer-2", "reviewer-1"].altered == 1
    assert found.stances.simulated == found.simulated


def test_who_is_asked_in_both_orders_has_no_taste_for_the_first():
    """A judge that is shown both orders in one discussion says nothing of places, another does."""
    asked = discussion("1 1")
    first, second = asked.turns
    turned = replace(second, cue=replace(second.cue, sees=asked.comparison.shown[::-1]))
    both = replace(asked, condition="both", turns=(first, turned))
    found = {one.name: one for one in build_findings([asked, both]).conditions}
    assert found["both"].first_after is None
    assert found["talk"].first_after.value == 1.0
