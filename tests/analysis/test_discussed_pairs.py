"""Discussions of two reviewers: accuracy by leader, opinions held or altered, preferences for authors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.collecting import collect_transcripts as table
from peerjudge.analysis.leaders import measure_by_leader, measure_pair
from peerjudge.analysis.outcomes import count_holdings
from peerjudge.analysis.peers import measure_head_to_head, tally_head_to_head
from peerjudge.analysis.position import measure_gold_preference, measure_preferences
from peerjudge.analysis.selecting import keep_contestants
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.data import EventKind, Role, Sampling, Transcript, Verdict, replace
from peerjudge.errors import DataError
from peerjudge.tracker import opinion_events
from tests.analysis.analysis_kit import ANN, BOB, BOB_LEADS, QUICK, told


def swapped(transcript: Transcript) -> Transcript:
    """The same verdicts on answers, with the second answer shown first."""
    turns = tuple(
        replace(turn, cue=replace(turn.cue, sees=turn.cue.sees[::-1])) for turn in transcript.turns
    )
    turned = transcript.comparison.swapped()
    return replace(transcript, id=f"{transcript.id}-swapped", comparison=turned, turns=turns)


moves = st.builds(
    lambda opening, rest: " ".join(["|".join(opening), *rest]),
    st.lists(st.sampled_from("12=?"), min_size=2, max_size=2),
    st.lists(st.sampled_from("12=?"), min_size=1, max_size=5),
)
discussions = st.lists(st.tuples(moves, st.booleans()), min_size=1, max_size=6)


def play(drawn: list[tuple[str, bool]]) -> list[Transcript]:
    """Discussions of different comparisons, led by Bob where the flag is true."""
    return [
        told(line, f"c{number}", seats=BOB_LEADS if bob else (ANN, BOB))
        for number, (line, bob) in enumerate(drawn)
    ]


@given(discussions)
@settings(max_examples=25)
def test_holdings_count_discussions_that_began_apart(drawn):
    """A seat altered in a discussion if any of its events is one, and else held if any is that."""
    transcripts = play(drawn)
    rows = {
        (row.reviewer, row.role): row for row in count_holdings(table(transcripts), sampler=QUICK)
    }
    for name in ("ann", "bob"):
        expected = dict.fromkeys((None, EventKind.HELD, EventKind.ALTERED), 0)
        for one in transcripts:
            private = [turn.review.verdict for turn in one.turns if turn.cue.private]
            if not all(verdict.readable for verdict in private) or private[0] == private[1]:
                continue
            expected[None] += 1
            kinds = {event.kind for event in opinion_events(one) if event.reviewer == name}
            if EventKind.ALTERED in kinds:
                expected[EventKind.ALTERED] += 1
            elif EventKind.HELD in kinds:
                expected[EventKind.HELD] += 1
        row = rows[name, None]
        assert row.discussions == len(transcripts)
        assert row.apart == expected[None]
        assert (row.held, row.altered) == (expected[EventKind.HELD], expected[EventKind.ALTERED])
        assert row.held_share.value == pytest.approx(row.held / row.discussions)
        parts = [rows[name, role] for role in (Role.LEADER, Role.FOLLOWER) if (name, role) in rows]
        assert sum(part.held for part in parts) == row.held
        assert sum(part.altered for part in parts) == row.altered


def test_turns_in_one_discussion_count_once():
    """A leader that holds three times in one discussion held in one."""
    (ann, *_) = count_holdings(table([told("1|2 1 2 1 2 1")]), sampler=QUICK)
    assert (ann.reviewer, ann.apart, ann.held, ann.altered) == ("ann", 1, 1, 0)


@given(discussions)
@settings(max_examples=25)
def test_accuracy_by_leader_counts_every_conclusion(drawn):
    """Of all discussions led by a seat, the share that concluded with gold; unreadable ones are not right."""
    transcripts = play(drawn)
    rows = {row.reviewer: row for row in measure_by_leader(table(transcripts), sampler=QUICK)}
    for leader in ("ann", "bob", None):
        own = [one for one in transcripts if leader in (None, one.seats[0].reviewer)]
        if own:
            right = [one.verdict == Verdict.of("answer-1") for one in own]
            assert rows[leader].accuracy.value == pytest.approx(sum(right) / len(right))
            assert rows[leader].unreadable == sum(not one.verdict.readable for one in own)
        else:
            assert leader not in rows


def test_a_pair_is_measured_in_private_and_led_by_either():
    """Ann is right in private and wrong as leader; Bob is wrong in private and right as leader."""
    led = [told("1|2 2 2"), told("2|1 1 1", seats=BOB_LEADS)]
    found = measure_pair(table(led), ("ann", "bob"), sampler=QUICK)
    assert {column: one.value for column, one in found.items()} == {
        "R1": 1.0,
        "R2": 0.0,
        "R1 leads": 0.0,
        "R2 leads": 1.0,
        "random": 0.5,
    }
    turned = measure_pair(table(led), ("bob", "ann"), sampler=QUICK)
    assert (turned["R1"].value, turned["R2"].value) == (0.0, 1.0)


def test_without_both_leaders_there_is_no_random_one():
    """Where only one seat leads, nothing says what a random leader would give."""
    found = measure_pair(table([told("1|2 1 1")]), ("ann", "bob"), sampler=QUICK)
    assert set(found) == {"R1", "R2", "R1 leads"}
    assert not measure_pair(table([told("1|2 1 1")]), ("ann", "eve"), sampler=QUICK)
    assert not measure_pair(table([told("1|2 1")]), ("ann", "bob"), without=["talk"], sampler=QUICK)


def test_a_reviewer_discusses_with_itself_at_two_temperatures():
    """Of two seats of one reviewer the cooler one is the first, whichever leads."""
    warm, cool = (
        replace(seat, reviewer="ann", sampling=Sampling(temperature=temperature))
        for seat, temperature in ((ANN, 0.9), (BOB, 0.1))
    )
    found = measure_pair(
        table([told("1|2 1 1", seats=(warm, cool))]), ("ann", "ann"), sampler=QUICK
    )
    assert {column: one.value for column, one in found.items()} == {
        "R1": 0.0,
        "R2": 1.0,
        "R2 leads": 1.0,
    }


@given(discussions, st.booleans())
@settings(max_examples=25)
def test_preferences_are_shares_of_readable_verdicts(drawn, turn):
    """The win rate of an author is its share of the verdicts, ties as half, wherever it is shown."""
    transcripts = [swapped(one) if turn else one for one in play(drawn)]
    ballots = table(transcripts)
    rows = {
        (row.reviewer, row.author): row
        for row in measure_preferences(ballots.where(ballots.opening))
    }
    for name in ("ann", "bob"):
        private = [
            turn_.review.verdict
            for one in transcripts
            for turn_ in one.turns
            if turn_.cue.private and one.seat(turn_.cue.seat).reviewer == name
        ]
        known = [verdict for verdict in private if verdict.readable]
        if not known:
            assert (name, "author-1") not in rows
            continue
        points = [
            1.0 if v == Verdict.of("answer-1") else 0.5 if v.choice is None else 0.0 for v in known
        ]
        one, other = rows[name, "author-1"], rows[name, "author-2"]
        assert one.share.value == pytest.approx(sum(points) / len(points))
        assert one.share.value + other.share.value == pytest.approx(1.0)
        assert (one.second if turn else one.first).n == len(known)
        assert (one.first if turn else one.second).n == 0


def test_the_place_of_a_gold_answer_is_that_of_the_data():
    """A run that shows both orders first shows some pairs the other way round: gold does not move."""
    everything, first, second = measure_gold_preference(table([swapped(told("1|2 1"))]), "author-1")
    assert (everything.value, first.value, second.n) == (1.0, 1.0, 0)


def test_win_rates_between_two_have_intervals_around_the_tally(vicuna):
    """The share of one contestant against another is that of the heat map, for any weights."""
    tournament = build_tournament(collect_reviews(vicuna))
    found = measure_head_to_head(tournament, weighted=False, samples=100)
    weights = dict.fromkeys(tournament.reviewers, 1.0)
    tally = tally_head_to_head(tournament, weights=weights, order=tournament.contestants)
    for i, one in enumerate(tally.contestants):
        for j, other in enumerate(tally.contestants):
            if i != j:
                measured = found[one, other]
                assert measured.value == pytest.approx(tally.shares[i][j])
                assert measured.low < measured.value < measured.high


def test_only_pairs_between_chosen_contestants_are_kept():
    """Without pairs between the chosen authors, or with an unknown one, nothing can be scored."""
    ballots = table([told("1|2 1")])
    kept = keep_contestants(ballots, ["author-1", "author-2"])
    assert len(kept) == len(ballots)
    for wrong in (["author-1"], ["author-1", "author-3"]):
        with pytest.raises(DataError, match="author-1"):
            keep_contestants(ballots, wrong)
