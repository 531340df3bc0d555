"""Behaviour of each built-in protocol beyond the common contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerjudge.data import (
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Expects,
    Question,
    Review,
    Scalar,
    Seat,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.errors import ProtocolError
from peerjudge.shelf import Shelf

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
PAIR = Comparison(
    id="c",
    question=Question(id="q", text="?"),
    answers=(Answer(id="a", text="A"), Answer(id="b", text="B")),
)
A, B = Verdict.of("a"), Verdict.of("b")


def play(
    name: str, verdicts: str, *, seats: int = 2, **options: Scalar
) -> tuple[list[tuple[object, ...]], Verdict]:
    """The cues as (seat, task, sees, hears), and the conclusion.

    `verdicts` gives the verdict of each cue that asks for one: a, b, t for a tie, ? for unreadable.
    """
    protocol = SHELF.protocol(name, options)
    places = tuple(Seat(id=str(i), reviewer=f"r{i}") for i in range(seats))
    left = iter({"a": A, "b": B, "t": TIE, "?": UNREADABLE}[letter] for letter in verdicts)
    turns: tuple[Turn, ...] = ()
    while cues := protocol.next_cues(places, PAIR, turns):
        for cue in cues:
            verdict = next(left) if cue.expects is Expects.VERDICT else None
            said, read = Utterance(text="..."), Review(verdict=verdict)
            turns += (Turn(index=len(turns), cue=cue, utterance=said, review=read),)
    assert next(left, None) is None, "more verdicts given than asked for"
    cues = [(t.cue.seat, t.cue.task, "".join(t.cue.sees), t.cue.hears) for t in turns]
    return cues, protocol.conclude(places, PAIR, turns)


@pytest.mark.parametrize("name", ["leader_follower", "self_discussion"])
def test_leader_and_follower_alternate_after_private_reviews(name: str):
    """PRD's discussion: two private reviews, then leader and follower in turns, hearing all."""
    cues, verdict = play(name, "baabbb")
    assert cues == [
        ("0", "review_explained", "ab", ()),
        ("1", "review_explained", "ab", ()),
        ("0", "discuss", "ab", (0, 1)),
        ("1", "discuss", "ab", (0, 1, 2)),
        ("0", "discuss", "ab", (0, 1, 2, 3)),
        ("1", "discuss", "ab", (0, 1, 2, 3, 4)),
    ]
    assert verdict == B


def test_private_reviews_of_others_can_be_withheld():
    """With `hears="own"` a seat hears the other only in the discussion."""
    cues, _ = play("leader_follower", "abab", turns=2, hears="own")
    assert [hears for *_, hears in cues] == [(), (), (0,), (1, 2)]


def test_a_discussion_can_be_skipped_if_the_private_reviews_agree():
    """With `only_if_disagreeing` agreement in private ends it; without a stance there is no agreement."""
    assert len(play("leader_follower", "aa", only_if_disagreeing=True)[0]) == 2
    assert len(play("leader_follower", "abbbbb", only_if_disagreeing=True)[0]) == 6
    assert len(play("leader_follower", "a?aaaa", only_if_disagreeing=True)[0]) == 6


def test_a_discussion_can_stop_at_agreement():
    """With `stop="agreement"` it ends after the first discussion turn at which all agree."""
    assert len(play("leader_follower", "abb", stop="agreement")[0]) == 3
    assert len(play("leader_follower", "abaa", stop="agreement")[0]) == 4
    assert len(play("leader_follower", "aaa", stop="agreement")[0]) == 3
    assert len(play("leader_follower", "ababab", stop="agreement")[0]) == 6


def test_the_leader_can_decide_a_disagreement():
    """Without agreement, `outcome="leader"` takes the stance of the first seat."""
    assert play("leader_follower", "ababab", outcome="leader")[1] == A
    assert play("leader_follower", "ababab")[1] == B
    assert play("leader_follower", "ababab", outcome="majority")[1] == TIE


def test_no_turns_is_two_private_reviews():
    """A discussion of no turns has no cue after the private reviews."""
    assert len(play("leader_follower", "ab", turns=0)[0]) == 2


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("pairwise", "review"),
        ("pairwise_cot", "review_explained"),
        ("pros_cons", "pros_cons"),
        ("solve_first", "solve_first"),
    ],
)
def test_a_lone_judge_has_one_cue(name: str, task: str):
    """Methods of one reply have one cue, and its verdict is the conclusion."""
    cues, verdict = play(name, "b", seats=1)
    assert cues == [("0", task, "ab", ())]
    assert verdict == B


def test_prepair_separates_the_answers():
    """PRePair: each explanation sees one answer and hears nothing; the decision sees and hears all."""
    cues, verdict = play("prepair", "a", seats=1)
    assert cues == [
        ("0", "explain_one", "a", ()),
        ("0", "explain_one", "b", ()),
        ("0", "decide", "ab", (0, 1)),
    ]
    assert verdict == A


def test_prepair_star_shows_both_answers():
    """The ablation keeps the two steps but sees both answers in each."""
    cues, _ = play("prepair_star", "a", seats=1)
    assert cues == [("0", "explain_both", "ab", ()), ("0", "decide", "ab", (0,))]


def test_prepair_discussion_prepares_each_seat_alone():
    """Each seat decides on its own explanations; then the discussion hears all of them."""
    cues, _ = play("prepair_discussion", "abbb", turns=2)
    assert cues == [
        ("0", "explain_one", "a", ()),
        ("0", "explain_one", "b", ()),
        ("0", "decide", "ab", (0, 1)),
        ("1", "explain_one", "a", ()),
        ("1", "explain_one", "b", ()),
        ("1", "decide", "ab", (3, 4)),
        ("0", "discuss", "ab", (0, 1, 2, 3, 4, 5)),
        ("1", "discuss", "ab", (0, 1, 2, 3, 4, 5, 6)),
    ]


def test_a_judge_hears_the_debate_and_decides_against_all_debaters():
    """The debaters speak at once and never hear the judge; its verdict concludes, readable or not."""
    cues, verdict = play("court", "aaaab", seats=3, rounds=1)
    assert cues == [
        ("0", "review_explained", "ab", ()),
        ("1", "review_explained", "ab", ()),
        ("0", "discuss", "ab", (0, 1)),
        ("1", "discuss", "ab", (0, 1)),
        ("2", "review_explained", "ab", (0, 1, 2, 3)),
    ]
    assert verdict == B
    assert play("court", "aaaa?", seats=3, rounds=1)[1] == UNREADABLE
    alone, _ = play("court", "aabaab", seats=3, rounds=1, hears="own", judge_alone=True)
    assert [hears for *_, hears in alone[2:]] == [(), (0,), (1,), (0, 1, 2, 3, 4)]
    brief, _ = play("court", "aab", seats=3, only_if_disagreeing=True)
    assert len(brief) == 3, "debaters who agree leave the decision to the judge"


def test_secret_ballots_decide_whatever_was_said():
    """A ballot hears the talk and no other ballot, asks for no reasons, and alone counts."""
    cues, verdict = play("ballot", "aaaaaabba", seats=3)
    assert [task for _, task, *_ in cues] == ["review_explained"] * 3 + ["discuss"] * 3 + [
        "review"
    ] * 3
    assert [hears for *_, hears in cues[6:]] == [tuple(range(6))] * 3
    assert verdict == B
    assert play("ballot", "aaaaaa???", seats=3)[1] == UNREADABLE
    assert play("ballot", "aaaaab", seats=2)[1] == TIE
    assert len(play("ballot", "aaab", seats=2, rounds=0, opening="pairwise")[0]) == 4


def test_in_a_round_at_once_no_seat_hears_its_own_round():
    """All seats hear the private reviews and earlier rounds; the majority at the end decides."""
    cues, verdict = play("at_once", "abbabbabb", seats=3)
    assert [(seat, hears) for seat, *_, hears in cues] == [
        *((str(seat), ()) for seat in range(3)),
        *((str(seat), (0, 1, 2)) for seat in range(3)),
        *((str(seat), (0, 1, 2, 3, 4, 5)) for seat in range(3)),
    ]
    assert verdict == B
    assert len(play("at_once", "abbbbb", seats=3, stop="agreement")[0]) == 6
    assert len(play("at_once", "bbb", seats=3, only_if_disagreeing=True)[0]) == 3


def hearing(name="panel", **options):
    """Whom each turn in the open of a panel of four hears, as seats, by its own seat."""
    cues, _ = play(name, "abab" * 3, seats=4, **options)
    seats = [seat for seat, *_ in cues]
    return [(seat, sorted({seats[at] for at in hears})) for seat, *_, hears in cues[4:]]


def test_a_panel_hears_along_a_graph():
    """In a ring a seat hears its neighbours, in a star the first seat, which hears all; and itself."""
    ring = {"0": ["0", "1", "3"], "1": ["0", "1", "2"], "2": ["1", "2", "3"], "3": ["0", "2", "3"]}
    star = {"0": ["0", "1", "2", "3"], "1": ["0", "1"], "2": ["0", "2"], "3": ["0", "3"]}
    for graph, heard in (("ring", ring), ("star", star)):
        for order in ("one_by_one", "at_once"):
            assert hearing(hears=graph, order=order) == [*heard.items()] * 2
    assert {len(seats) for _, seats in hearing(hears="own_role")} == {4}


def test_a_relay_hears_the_last_turn_before_it():
    """What reaches the last seat has passed through every other one."""
    cues, _ = play("panel", "abab" * 3, seats=4, order="relay")
    assert [hears for *_, hears in cues[4:]] == [
        (0, 3),
        (1, 4),
        (2, 5),
        (3, 6),
        (0, 4, 7),
        (1, 5, 8),
        (2, 6, 9),
        (3, 7, 10),
    ]


def test_options_that_came_later_leave_identities_as_they_were():
    """At its default the order of a panel is in no identity; another one is."""
    plain, relay = SHELF.protocol("panel"), SHELF.protocol("panel", {"order": "relay"})
    assert "order" not in plain.settings()
    assert relay.settings()["order"] == "relay"
    assert "order" in plain.option_names


def test_a_panel_speaks_in_rounds():
    """Each seat of a panel speaks once a round in seat order, and the majority decides."""
    cues, verdict = play("panel", "abbabbabb", seats=3)
    assert [seat for seat, *_ in cues] == ["0", "1", "2"] * 3
    assert [task for _, task, *_ in cues] == ["review_explained"] * 3 + ["discuss"] * 6
    assert verdict == B


@pytest.mark.parametrize(
    ("name", "verdicts", "one", "half", "whole"),
    [
        ("vote", "a??", A, UNREADABLE, UNREADABLE),
        ("vote", "aa?", A, A, UNREADABLE),
        ("vote", "?ab", A, A, UNREADABLE),
        ("vote", "aaa", A, A, A),
        ("vote", "???", UNREADABLE, UNREADABLE, UNREADABLE),
        ("panel", "a?????", A, UNREADABLE, UNREADABLE),
        ("panel", "ab????", TIE, TIE, UNREADABLE),
        ("at_once", "b?????", B, UNREADABLE, UNREADABLE),
        ("ballot", "aaaaaab??", B, UNREADABLE, UNREADABLE),
        ("ballot", "aaaaaabb?", B, B, UNREADABLE),
    ],
)
def test_without_a_quorum_of_readable_seats_there_is_no_conclusion(
    name, verdicts, one, half, whole
):
    """Of three seats two are more than half; of the ballots only the readable ones count."""
    rounds = {} if name == "vote" else {"rounds": 1}
    for quorum, concluded in (("one", one), ("half", half), ("all", whole)):
        assert play(name, verdicts, seats=3, quorum=quorum, **rounds)[1] == concluded
    assert play(name, verdicts, seats=3, **rounds)[1] == one


@pytest.mark.parametrize("name", ["vote", "panel", "at_once", "ballot"])
def test_a_quorum_of_one_is_that_of_stored_discussions(name: str):
    """Discussions that were stored before there was a quorum keep their ids; another quorum is stored."""
    assert "quorum" not in SHELF.protocol(name).settings()
    assert SHELF.protocol(name, {"quorum": "half"}).settings()["quorum"] == "half"
    with pytest.raises(ProtocolError, match="quorum"):
        SHELF.protocol(name, {"quorum": "most"})


def test_a_vote_has_no_discussion():
    """No seat hears another; the strict majority wins, else the choice of the first seat."""
    cues, verdict = play("vote", "aab", seats=3)
    assert cues == [(str(i), "review_explained", "ab", ()) for i in range(3)]
    assert verdict == A
    assert play("vote", "ba")[1] == B
    assert play("vote", "?ba", seats=3)[1] == B
    assert play("vote", "ba", split="tie")[1] == TIE
    assert play("vote", "??")[1] == UNREADABLE


def test_seats_are_counted():
    """A wrong number of seats is refused."""
    limits = {name: SHELF.protocol(name).seats for name in ("prepair", "panel", "vote")}
    assert limits == {"prepair": (1, 1), "panel": (3, None), "vote": (2, None)}
