"""Altering, holding and persuasion, on discussions small enough to work out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis.collecting import collect_transcripts as table
from peerjudge.analysis.compare import compare_all, tabulate_by_condition
from peerjudge.analysis.contrasts import build_contrasts
from peerjudge.analysis.findings import build_stances
from peerjudge.analysis.influence import build_persuasion_graph, count_moves, count_persuasion
from peerjudge.analysis.outcomes import measure_changes, measure_ordering, measure_settling
from peerjudge.data import Direction, EventKind, Role, Verdict, replace
from peerjudge.statistics.interval import measure_difference
from peerjudge.tracker import opinion_events
from tests.analysis.analysis_kit import ANN, BOB, BOB_LEADS, QUICK, told


def test_counts_by_reviewer_role_opponent_and_round():
    """Ann alters to gold once and holds once; the leader speaks in odd turns."""
    rows = count_moves(table([told("2|1 1 1"), told("2|1 2 1 2", "c2")]), sampler=QUICK)
    ann = next(row for row in rows if row.reviewer == "ann" and row.role is row.opponent is None)
    assert (ann.events[EventKind.ALTERED], ann.events[EventKind.HELD]) == (1, 2)
    assert ann.altered.value == pytest.approx(1 / 3)
    assert ann.held.value == pytest.approx(2 / 3)
    assert (ann.gold[Direction.TOWARDS], ann.gold[Direction.AWAY]) == (1, 0)
    assert ann.first[Direction.TOWARDS] == 1
    assert ann.towards_gold.value == 1.0
    assert ann.towards_gold.low < 1.0
    against = [row for row in rows if row.opponent is not None]
    assert [(row.reviewer, row.opponent) for row in against] == [("ann", "bob"), ("bob", "ann")]
    rounds = [(row.role, row.round) for row in rows if row.round is not None]
    assert rounds == [(Role.LEADER, 1), (Role.LEADER, 3), (Role.FOLLOWER, 2)]


marks = st.lists(
    st.builds(
        lambda opening, rest: " ".join(["|".join(opening), *rest]),
        st.lists(st.sampled_from("12=?"), min_size=2, max_size=2),
        st.lists(st.sampled_from("12=?!"), max_size=5),
    ),
    max_size=5,
)


@given(marks)
@settings(max_examples=25)
def test_every_event_is_counted_once_in_every_grouping(lines: list[str]):
    """With one opponent each, all four groupings add up to the events there are."""
    told_ones = [told(line, f"c{k}") for k, line in enumerate(lines)]
    events = [event for one in told_ones for event in opinion_events(one)]
    rows = count_moves(table(told_ones), sampler=QUICK)
    groups = {
        "reviewer": [r for r in rows if r.reviewer and not (r.role or r.opponent)],
        "role": [r for r in rows if r.reviewer and r.role],
        "opponent": [r for r in rows if r.opponent],
        "round": [r for r in rows if r.round],
    }
    for group in groups.values():
        for kind in EventKind:
            found = sum(row.events[kind] for row in group)
            assert found == sum(event.kind is kind for event in events)


def test_persuasion_is_a_graph():
    """Bob moved Ann once in two contradictions; Ann never moved Bob."""
    rows = count_persuasion(table([told("2|1 1 1"), told("2|1 2 1", "c2")]), sampler=QUICK)
    by = {(row.speaker, row.listener): (row.contradicted, row.altered) for row in rows}
    assert by == {("bob", "ann"): (2, 1), ("ann", "bob"): (1, 0)}
    graph = build_persuasion_graph(rows)
    assert graph.edges["bob", "ann"]["share"] == 0.5
    assert (graph.nodes["bob"]["persuaded"], graph.nodes["bob"]["altered"]) == (1, 0)
    assert (graph.nodes["ann"]["persuaded"], graph.nodes["ann"]["altered"]) == (0, 1)


def test_a_reviewer_can_persuade_itself():
    """In a discussion of a reviewer with itself the edge is a loop."""
    twin = replace(BOB, reviewer="ann")
    graph = build_persuasion_graph(
        count_persuasion(table([told("2|1 1", seats=(ANN, twin))]), sampler=QUICK)
    )
    assert list(graph.edges) == [("ann", "ann")]


def test_leading_is_compared_with_following_on_the_same_comparison():
    """Ann held as leader and altered as follower; on c3 she only led, so that counts for nothing."""
    discussions = [
        told("2|1 2"),
        told("1|2 1 1", seats=BOB_LEADS),
        told("2|1 1", "c3"),
    ]
    rows = {row.reviewer: row for row in measure_ordering(table(discussions), sampler=QUICK)}
    assert set(rows) == {None, "ann", "bob"}
    ann = rows["ann"].altered
    assert (ann.difference.value, ann.difference.n) == (-1.0, 1)
    assert rows["bob"].altered is None
    right = rows["ann"].accuracy
    assert right.difference.value == -1.0


def test_the_leader_prevails_where_the_others_come_over():
    """Of two discussions that came to agree, one ended with the leader's first stance."""
    rows = measure_ordering(
        table([told("2|1 1 1"), told("2|1 2 2", "c2"), told("2|1 2 1", "c3")]),
        sampler=QUICK,
    )
    assert (rows[0].leader_prevails.value, rows[0].leader_prevails.n) == (0.5, 2)


def test_coming_to_agree():
    """One agreed from the start, one after a turn and for good, one after two and not for good."""
    lines = ["1|1 1 1", "2|1 1 1", "2|1 2 2 1", "2|1 2 1"]
    (row,) = measure_settling(
        table([told(line, f"c{k}") for k, line in enumerate(lines)]), sampler=QUICK
    )
    assert (row.discussions, row.from_start, row.never) == (4, 1, 1)
    assert row.after == {1: 1, 2: 1}
    assert row.reached.value == pytest.approx(2 / 3)
    assert row.lasted.value == 0.5
    assert row.turns == pytest.approx(9 / 4)


def test_a_vote_comes_to_no_agreement():
    """Without a discussion nothing settles, changes or is ordered."""
    vote = table([told("1|2", protocol="vote")])
    for measure in (measure_settling, measure_changes, measure_ordering):
        assert measure(vote, sampler=QUICK) == ()


def test_gains_are_paired_by_seat():
    """Ann was wrong and is right; an unreadable private stance has no before."""
    rows = {
        row.reviewer: row
        for row in measure_changes(table([told("2|1 1 1"), told("?|1 1 1", "c2")]), sampler=QUICK)
    }
    assert (rows["ann"].before.value, rows["ann"].after.value) == (0.0, 1.0)
    assert (rows["ann"].gain.difference.value, rows["ann"].gain.difference.n) == (1.0, 1)
    assert rows["bob"].gain.difference.value == 0.0
    assert rows["bob"].gain.difference.low < 0.0 < rows["bob"].gain.difference.high


def test_conditions_are_compared_on_the_questions_that_both_judged():
    """The discussion is right where the vote is wrong on two of three; c4 only one of them judged."""
    talk = [told("2|1 1 1", f"c{k}") for k in (1, 2, 3, 4)]
    wrong = Verdict.of("answer-2")
    votes = [told("2|1", f"c{k}", condition="vote", protocol="vote", verdict=wrong) for k in (1, 2)]
    votes.append(told("1|1", "c3", condition="vote", protocol="vote"))
    (pair,) = compare_all(tabulate_by_condition(table([*votes, *talk])), sampler=QUICK)
    assert (pair.one, pair.other, pair.vote, pair.same_reviewers) == ("talk", "vote", True, True)
    assert (pair.comparisons, pair.turns, pair.other_turns) == (3, 4.0, 2.0)
    assert pair.difference.difference.value == pytest.approx(2 / 3)
    expected = measure_difference([1.0, 1.0, 0.0], range(3))
    assert pair.difference.p_value == pair.holm == pytest.approx(expected.p_value)


def test_a_discussion_is_set_against_the_vote_that_cost_as_much():
    """Of two votes by the same reviewers that of four turns, not of two; ann alone has no vote."""
    talk = [told("2|1 1 1", f"c{k}") for k in (1, 2)]
    votes = [
        told(moves, f"c{k}", condition=f"vote of {turns}", protocol="vote")
        for k in (1, 2)
        for turns, moves in ((2, "1|1"), (4, "1|1 1 1"))
    ]
    alone = [told("1", f"c{k}", condition="alone", seats=(ANN,)) for k in (1, 2)]
    (row,) = build_contrasts(table([*votes, *talk, *alone]), sampler=QUICK)
    assert row.over_vote.against == ("vote of 4",)
    assert (row.over_vote.turns, row.over_vote.rows[0].turns) == (4.0, 4.0)


def test_a_vote_of_other_reviewers_is_no_baseline():
    """Against it, a difference tells how able these reviewers are and not what discussing adds."""
    talk = [told("2|1 1 1", f"c{k}") for k in (1, 2)]
    twin = replace(ANN, id="seat-9", role=Role.FOLLOWER)
    votes = [
        told("2|2", f"c{k}", condition="vote", protocol="vote", seats=(ANN, twin)) for k in (1, 2)
    ]
    (row,) = build_contrasts(table([*talk, *votes]), sampler=QUICK)
    assert row.over_vote.rows == ()


def test_a_discussion_of_no_turns_is_named():
    """Two seats that never speak to each other vote, whatever the protocol is called; a judge judges."""
    mute = [told("1|2", condition="mute"), told("1|2", condition="vote", protocol="vote")]
    alone = told("1", condition="alone", seats=(ANN,))
    assert build_stances(table([*mute, alone, told("1|2 1")]), sampler=QUICK).silent == ("mute",)


def test_the_summary_reads_once_and_says_what_is_simulated():
    """All parts come from one pass; scripted discussions are simulated ones."""
    found = build_stances(
        table(iter([told("2|1 1 1"), told("1|1 1", "c2"), told("2|1", stop=None)])),
        sampler=QUICK,
    )
    assert (found.discussions, found.simulated) == (2, True)
    assert found.counts
    assert found.persuasion[0].speaker == "bob"
    assert build_stances(table([]), sampler=QUICK).counts == ()
