"""Opinion events derived from discussions by rule."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import (
    TIE,
    Comparison,
    Direction,
    EventKind,
    Role,
    Transcript,
    Verdict,
    from_json,
    replace,
    strict_majority,
    to_json,
)
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tracker import NoEventReason, opinion_events, track

HELD, ALTERED, SHIFTED, AGREED, STRAYED = EventKind
FIRST, SECOND = Verdict.of("answer-1"), Verdict.of("answer-2")


def kinds(moves: str, **options) -> list[EventKind]:
    """The kinds of the events of a discussion written as one line."""
    return [event.kind for event in opinion_events(transcript_of(moves, **options))]


def reasons(moves: str, **options) -> list[NoEventReason]:
    """Reasons for missing events in a discussion written as one line."""
    return [no_event.reason for no_event in track(transcript_of(moves, **options)).no_events]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        # GPT-3.5 leads Claude: Claude holds, GPT-3.5 alters to agree.
        ("2|1 2 1 1 1", [HELD, HELD, ALTERED, AGREED]),
        # Both agree from the start; both leave their agreed opinion in turn.
        ("1|1 1 2 1 1", [AGREED, STRAYED, HELD, ALTERED]),
        # Claude leads GPT-4 and returns to its opinion after it had agreed.
        ("2|1 1 1 2 1", [ALTERED, AGREED, STRAYED, HELD]),
        # GPT-4 leads GPT-3.5: both hold all the time.
        ("1|2 1 2 1 2", [HELD, HELD, HELD, HELD]),
    ],
)
def test_published_discussions(moves: str, expected: list[EventKind]):
    """The four discussions printed in PRD's appendix give the events that the paper names."""
    assert kinds(moves) == expected


def test_third_choice_is_a_shift():
    """Leaving a disagreement for neither side's answer is a shift, a tie counting as a stance."""
    assert kinds("1|2 3") == [SHIFTED]
    assert kinds("1|2 =") == [SHIFTED]
    assert kinds("1|= =") == [ALTERED]
    assert kinds("=|= =") == [AGREED]


def test_private_reviews_and_lone_speakers_are_no_events():
    """A verdict without having heard another seat is neither an event nor counted as one."""
    for tracking in (
        track(transcript_of("1|2")),
        track(transcript_of("1|2 2 1", hears="none")),
        track(transcript_of("1 2 1")),
    ):
        assert tracking.verdicts == 0


def test_nothing_new_is_no_event():
    """A verdict after hearing only known turns is no event."""
    only_private = transcript_of("1|2 1 2 2 1", hears=lambda turn, earlier: earlier < 2)
    assert [event.turn for event in opinion_events(only_private)] == [2, 3]


def test_unreadable_sides_are_counted_with_their_reason():
    """Without a readable stance on both sides there is no event, and the reason is counted."""
    assert reasons("-|2 1") == [NoEventReason.FORMED_AFTER_HEARING]
    assert reasons("?|2 1") == [NoEventReason.NO_STANCE_BEFORE]
    assert reasons("1|2 ?") == [NoEventReason.NO_STANCE_NOW]
    assert reasons("1|2 !") == [NoEventReason.NO_STANCE_NOW]
    assert reasons("1|? 1") == [NoEventReason.NO_STANCE_HEARD]
    assert reasons("1|2|= 1") == [NoEventReason.NO_MAJORITY]


def test_unreadable_reply_keeps_the_last_stance():
    """After an unreadable reply, the stance of a seat is still its last readable verdict."""
    tracking = track(transcript_of("1|2 ? 2 2"))
    assert [(event.turn, event.kind) for event in tracking.events] == [(3, HELD), (4, ALTERED)]
    assert tracking.events[1].before == FIRST


def test_stance_heard_is_what_the_cue_lets_hear():
    """The other's stance comes from the turns the seat hears, not from later turns."""
    moves = "1|2 1 1 1"
    everything = transcript_of(moves)
    assert [event.kind for event in opinion_events(everything)] == [HELD, ALTERED, AGREED]
    deaf_to_turns = transcript_of(moves, hears=lambda turn, earlier: earlier < 2 and turn != 2)
    (follower, leader) = opinion_events(deaf_to_turns)
    assert (follower.kind, leader.kind) == (ALTERED, HELD)
    assert leader.others == SECOND


def test_a_stance_heard_earlier_still_counts():
    """The others' stances are their last readable verdicts of all turns heard, not of the last cue."""
    # Seat 1 hears seat 3 before turn 3, and only seat 2 again before turn 6.
    moves = "1|2|2 1 1 2 1"
    partial = transcript_of(moves, hears=lambda turn, earlier: turn < 6 or earlier == 4)
    assert track(partial) == track(transcript_of(moves))
    assert [no_event.reason for no_event in track(partial).no_events][-1] is (
        NoEventReason.NO_MAJORITY
    )


def test_explanation_in_between_passes_on_what_it_heard():
    """Turns heard during an explanation count at the next verdict of the seat."""
    moves = "1|2 - - 2"
    heard = transcript_of(moves, hears=lambda turn, earlier: turn == 2 or earlier % 2 == 0)
    (event,) = opinion_events(heard)
    assert (event.turn, event.kind, event.heard) == (4, ALTERED, ("seat-2",))


def test_panel_hears_a_strict_majority():
    """Beyond two seats the others' stance is the strict majority of the stances heard."""
    (event,) = opinion_events(transcript_of("1|2|2|1|2 2"))
    assert (event.kind, event.others) == (ALTERED, SECOND)
    assert event.heard == ("seat-2", "seat-3", "seat-4", "seat-5")
    assert event.role == Role.PANELIST
    assert kinds("1|2|2|1|? 1") == [HELD]
    assert strict_majority([FIRST, FIRST, TIE]) == FIRST
    assert strict_majority([FIRST, TIE]) is None
    assert strict_majority([]) is None


def test_directions():
    """A move is towards its target when it ends there, away when it left it, else neither."""
    (towards,) = opinion_events(transcript_of("1|2|2 2", gold=2))
    assert towards.gold is Direction.TOWARDS
    assert towards.majority is Direction.TOWARDS
    assert towards.first is Direction.AWAY
    (away,) = opinion_events(transcript_of("2|1|1 1", gold=2))
    assert away.gold is Direction.AWAY
    (neither,) = opinion_events(transcript_of("1|3|3 2", gold=3))
    assert neither.gold is Direction.NEITHER
    assert neither.majority is Direction.NEITHER


def test_no_direction_without_move_or_target():
    """An unchanged stance has no direction; a move without a gold choice or a majority has none either."""
    (held,) = opinion_events(transcript_of("1|2 1", gold=1))
    assert (held.gold, held.majority, held.first) == (None, None, None)
    (moved,) = opinion_events(transcript_of("1|2 2"))
    assert (moved.gold, moved.majority, moved.first) == (None, None, Direction.AWAY)
    tied = replace(comparison_of(), gold=TIE)
    (moved,) = opinion_events(transcript_of("1|2 2", comparison=tied))
    assert moved.gold is None


MARKS = st.sampled_from("123=?!-")


@st.composite
def discussions(draw: st.DrawFn) -> Transcript:
    """Discussions of 1 to 5 seats over three answers in which each turn hears any earlier turns."""
    seats = draw(st.integers(1, 5))
    opening = "|".join(draw(st.lists(MARKS, min_size=seats, max_size=seats)))
    public = draw(st.lists(MARKS, max_size=10))
    heard = draw(st.sets(st.tuples(st.integers(0, 15), st.integers(0, 15))))
    everything = draw(st.booleans())
    gold = draw(st.sampled_from([None, 1, 2, 3]))
    return transcript_of(
        " ".join([opening, *public]),
        hears="all" if everything else lambda turn, earlier: (turn, earlier) in heard,
        comparison=comparison_of(3, gold=gold),
    )


def signature(transcript: Transcript) -> list[tuple]:
    """Facts of events that do not depend on names or the shown order."""
    return [
        (event.turn, event.kind, event.gold, event.majority, event.role)
        for event in opinion_events(transcript)
    ]


def reshown(transcript: Transcript, comparison: Comparison) -> Transcript:
    """The same discussion with its answers shown in another order."""
    turns = tuple(
        replace(turn, cue=replace(turn.cue, sees=comparison.shown)) for turn in transcript.turns
    )
    return replace(transcript, comparison=comparison, turns=turns)


@given(discussions())
def test_every_verdict_after_hearing_is_accounted_for(transcript: Transcript):
    """Each verdict after hearing gives exactly one event or one counted reason."""
    tracking = track(transcript)
    seats = {turn.index: turn.cue.seat for turn in transcript.turns}
    heard_before: dict[str, set[int]] = {seat.id: set() for seat in transcript.seats}
    expected = []
    pending: dict[str, set[int]] = {seat.id: set() for seat in transcript.seats}
    for turn in transcript.turns:
        own = turn.cue.seat
        pending[own] |= {i for i in turn.cue.hears if seats[i] != own}
        if turn.review.verdict is None:
            continue
        if pending[own] - heard_before[own]:
            expected.append(turn.index)
        heard_before[own] |= pending[own]
        pending[own] = set()
    found = [event.turn for event in tracking.events] + [none.turn for none in tracking.no_events]
    assert sorted(found) == expected
    assert tracking.verdicts == len(expected)


@given(discussions())
def test_kind_says_what_happened(transcript: Transcript):
    """The kind of every event agrees with its own before, after and others."""
    for event in opinion_events(transcript):
        moved = event.before != event.after
        assert event.before.readable
        assert event.after.readable
        assert (event.kind in {AGREED, STRAYED}) == (event.before == event.others)
        assert moved == (event.kind in {ALTERED, SHIFTED, STRAYED})
        assert (event.kind is ALTERED) == (moved and event.after == event.others)
        assert (event.first is not None) == moved


@given(discussions(), st.permutations(["answer-1", "answer-2", "answer-3"]))
def test_shown_order_changes_only_the_direction_from_the_first(transcript, order):
    """Showing the answers in another order leaves kinds, gold and majority directions as they are."""
    other = reshown(transcript, transcript.comparison.reordered(order))
    assert signature(other) == signature(transcript)


@given(discussions(), st.permutations(["answer-1", "answer-2", "answer-3"]))
def test_names_of_answers_do_not_matter(transcript: Transcript, order: list[str]):
    """Exchanging the names of answers changes no kind and no direction."""
    text = to_json(transcript)
    for number, name in enumerate(order):
        text = text.replace(f'"answer-{number + 1}"', f'"renamed {name}"')
    renamed = from_json(Transcript, text)
    assert signature(renamed) == signature(transcript)
    assert [event.first for event in opinion_events(renamed)] == [
        event.first for event in opinion_events(transcript)
    ]


@given(discussions())
def test_names_of_seats_do_not_matter(transcript: Transcript):
    """Renaming the seats changes only their names in events."""
    text = to_json(transcript).replace('"seat-', '"place-').replace('"reviewer-', '"person-')
    assert signature(from_json(Transcript, text)) == signature(transcript)


@given(discussions(), st.integers(0, 15))
def test_the_past_does_not_depend_on_the_future(transcript: Transcript, length: int):
    """The events of a discussion cut short are the first events of the whole."""
    cut = replace(transcript, turns=transcript.turns[:length])
    whole = track(transcript)
    part = track(cut)
    assert part.events == tuple(event for event in whole.events if event.turn < length)
    assert part.no_events == tuple(none for none in whole.no_events if none.turn < length)
