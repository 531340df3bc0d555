"""What contradiction did, turn by turn and opponent by opponent, and how ratings grew."""

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from peerjudge.analysis.findings import CONTRADICTED, findings, record_of
from peerjudge.analysis.findings.trajectory import trajectories
from peerjudge.analysis.findings.versus import versus
from peerjudge.data import Battle, EventKind, Role, Seat, Transcript
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tournament import collect
from peerjudge.tracker import opinion_events

PANEL = tuple(
    Seat(id=f"seat-{n}", reviewer=name, role=Role.PANELIST)
    for n, name in enumerate(("ann", "bob", "cid"), start=1)
)

moves = st.lists(st.sampled_from("12=?"), min_size=2, max_size=6).map(
    lambda said: f"{said[0]}|{said[1]} {' '.join(said[2:])}".strip()
)


def told(moves: str, name: str = "c1", **named) -> Transcript:
    """A discussion whose gold is the first answer."""
    return transcript_of(moves, comparison=comparison_of(2, gold=1, name=name), **named)


def test_turns_count_from_the_first_after_the_private_reviews() -> None:
    """In `2|1 1 1` the leader alters in turn 1; all agree afterwards."""
    first, second = findings([told("2|1 1 1")]).by_turn
    assert (first.turn, second.turn) == (1, 2)
    assert first.events[EventKind.ALTERED] == 1
    assert first.towards_gold == 1
    assert second.events[EventKind.AGREED] == 1
    assert second.altered is None


@given(st.lists(moves, min_size=1, max_size=5))
def test_turns_and_opponents_add_up_to_the_events(said: list[str]) -> None:
    """No event is lost or counted twice, whether by turn, by reviewer or, of two seats, by opponent."""
    transcripts = [told(one, f"c{number}") for number, one in enumerate(said)]
    found = findings(transcripts)
    events = Counter(event.kind for one in transcripts for event in opinion_events(one))
    for kind in EventKind:
        assert sum(turn.events[kind] for turn in found.by_turn) == events[kind]
    contradicted = sum(events[kind] for kind in CONTRADICTED)
    assert sum(one.contradicted for one in found.persuasions) == contradicted
    assert sum(one.altered for one in found.persuasions) == events[EventKind.ALTERED]


def test_who_gives_way_is_the_one_who_is_persuaded() -> None:
    """The leader gave way to the follower once, and the follower never to the leader."""
    found = findings([told("2|1 1 1"), told("1|2 1 2", "c2")])
    by_pair = {(one.source, one.target): one for one in found.persuasions}
    leader = by_pair["reviewer-2", "reviewer-1"]
    follower = by_pair["reviewer-1", "reviewer-2"]
    assert (leader.altered, leader.contradicted) == (1, 2)
    assert (follower.altered, follower.contradicted) == (0, 1)
    assert leader.rate is not None
    assert leader.rate.value == 0.5


def test_on_a_panel_only_those_who_contradict_persuade() -> None:
    """Ann, who said 2, hears two who say 1 and gives way: to both of them, in one event."""
    panel = told("2|1|1 1", seats=PANEL)
    pairs = record_of(panel).contradictions
    assert [(source, event.reviewer) for source, event in pairs] == [("bob", "ann"), ("cid", "ann")]


def test_a_reviewer_can_contradict_itself_from_another_seat() -> None:
    """Self-discussion is a row of its own."""
    seats = tuple(
        Seat(id=f"seat-{n}", reviewer="ann", role=role)
        for n, role in ((1, Role.LEADER), (2, Role.FOLLOWER))
    )
    (row,) = findings([replace(told("2|1 1 1", seats=seats))]).persuasions
    assert (row.source, row.target, row.altered) == ("ann", "ann", 1)


battles = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([-1, 0, 1, None])),
    min_size=1,
    max_size=40,
).map(
    lambda rows: collect(
        Battle(
            question=f"q{number % 5}",
            reviewer="ann" if number % 2 else "bob",
            first=f"c{first}",
            second=f"c{(first + step) % 4}",
            score=score,
        )
        for number, (first, step, score) in enumerate(rows)
    )
)


@given(battles)
def test_shares_of_two_contestants_add_up(tournament) -> None:
    """What one won the other lost; who never met has no share; weights do not change the count."""
    weights = dict.fromkeys(tournament.reviewers, 1.0) | {"ann": 3.0}
    found = versus(tournament, weights=weights, order=tournament.contestants)
    for row in range(len(found.contestants)):
        for column in range(len(found.contestants)):
            share, other = found.shares[row][column], found.shares[column][row]
            if row == column or not found.battles[row][column]:
                assert share is None
            else:
                assert share is not None
                assert other is not None
                assert np.isclose(share + other, 1.0)
    assert sum(map(sum, found.battles)) == 2 * np.count_nonzero(tournament.readable)


@given(battles, st.integers(1, 60))
def test_trajectories_begin_at_the_start_and_conserve_points(tournament, most: int) -> None:
    """Whatever is played, what one wins the others lose: the mean over all stays 1000."""
    played = int(np.count_nonzero(tournament.readable))
    if not played:
        return
    weights = dict.fromkeys(tournament.reviewers, 0.5)
    names = sorted(
        {
            tournament.contestants[place]
            for column in (tournament.first, tournament.second)
            for place in column[tournament.readable].tolist()
        }
    )
    found = trajectories(tournament, weights=weights, contestants=names, most=most)
    means = np.array([one.mean for one in found])
    assert np.allclose(means.mean(axis=0), 1000.0)
    for one in found:
        assert one.battles[0] == 0
        assert one.mean[0] == 1000.0
        assert one.battles[-1] == min(most, played)
        assert len(one.battles) <= 22
        assert all(low <= high for low, high in zip(one.low, one.high, strict=True))
