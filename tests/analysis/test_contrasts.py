"""Discussions against their seats alone, self-consistency and the vote, on cases worked out by hand."""

from __future__ import annotations

import pytest

from peerjudge.analysis.collecting import collect_transcripts
from peerjudge.analysis.compare import compare_all, tabulate_by_condition
from peerjudge.analysis.contrasts import build_contrasts
from peerjudge.analysis.score_document import build_contrasts_document
from peerjudge.data import (
    Condition,
    Experiment,
    Primary,
    Role,
    Sampling,
    Verdict,
    read_primary,
    replace,
)
from peerjudge.errors import DataError
from peerjudge.results.contrasts import note_alternatives
from peerjudge.statistics.sampler import Sampler
from peerjudge.statistics.testing import adjust_holm
from tests.analysis import analysis_kit as kit
from tests.analysis.analysis_kit import ANN, BOB

SECOND_ANN = replace(ANN, id="seat-2", role=Role.FOLLOWER)
SAMPLER = Sampler()


def told(moves: str, number: int, *, concludes=None, **changed):
    """A discussion whose gold is the first answer; it concludes the last verdict or the one named."""
    one = kit.told(moves, f"c{number}", **changed)
    return one if concludes is None else replace(one, verdict=Verdict.of(f"answer-{concludes}"))


def voted(concludes: int, number: int, *, seats=(ANN, BOB), condition="vote"):
    """A vote of four calls that concludes this answer."""
    return told(
        "1|1 1 1", number, seats=seats, condition=condition, protocol="vote", concludes=concludes
    )


def study(*transcripts, primary=None):
    """The contrasts of these discussions by condition."""
    found = build_contrasts(collect_transcripts(transcripts), sampler=SAMPLER, primary=primary)
    return {row.condition: row for row in found}


# Ann is right on five of six questions, bob on one; together they are right on four.
TALK = [
    told(moves, number)
    for number, moves in enumerate(
        ["1|2 1 1", "1|2 1 1", "1|2 1 1", "1|2 2 2", "1|2 2 2", "2|1 1 1"]
    )
]


def test_a_discussion_is_held_against_its_better_seat_and_not_the_mean():
    """It gains a sixth over the mean seat and loses a sixth against ann alone."""
    row = study(*TALK)["talk"]
    assert row.over_mean_seat.difference.difference.value == pytest.approx(4 / 6 - 3 / 6)
    better = row.over_better_seat
    assert better.difference.difference.value == pytest.approx(4 / 6 - 5 / 6)
    assert better.against == ("ann", "bob")
    values = [one.difference.difference.value for one in better.rows]
    assert values == pytest.approx([4 / 6 - 5 / 6, 4 / 6 - 1 / 6])
    assert (better.comparisons, [one.turns for one in better.rows]) == (6, [1.0, 1.0])


def test_the_value_over_the_better_seat_never_exceeds_that_over_the_mean_seat():
    """Each seat is right on its own half: the better one is right on half, as the mean seat is."""
    talk = [told("1|2 1 1" if number < 2 else "2|1 1 1", number) for number in range(4)]
    row = study(*talk)["talk"]
    assert row.over_better_seat.difference.difference.value == 0.5
    assert row.over_mean_seat.difference.difference.value == 0.5
    assert row.over_better_seat.difference.p_value > 0.05


def test_only_comparisons_that_every_seat_judged_readably_count():
    """A seat whose review is unreadable on a question takes the question from all rows alike."""
    row = study(*TALK, told("?|2 1 1", 6))["talk"]
    assert row.over_better_seat.comparisons == 6
    assert {one.difference.difference.n for one in row.over_better_seat.rows} == {6}


def test_seats_of_one_reviewer_are_told_apart_by_temperature():
    """A reviewer with itself at two temperatures has two seats, whichever leads."""
    cool, warm = (
        replace(seat, sampling=Sampling(temperature=value))
        for seat, value in ((ANN, 0.2), (SECOND_ANN, 1.0))
    )
    swapped = (
        replace(warm, id="seat-1", role=Role.LEADER),
        replace(cool, id="seat-2", role=Role.FOLLOWER),
    )
    talk = [told("1|2 1 1", 0, seats=(cool, warm)), told("2|1 1 1", 0, seats=swapped)]
    row = study(*talk, told("1|2 2 2", 1, seats=(cool, warm)))["talk"]
    assert row.over_better_seat.against == ("ann at temperature 0.2", "ann at temperature 1")
    assert row.over_better_seat.difference.difference.value == pytest.approx(0.5 - 1.0)


def test_only_seats_that_judged_alone_are_alternatives_and_the_others_are_named():
    """The court is right on three of four, ann alone on three, bob on one; the judge never judged alone."""
    played = [told(one, n, seats=kit.COURT) for n, one in enumerate(kit.COURT_MOVES)]
    row = study(*played)["talk"]
    assert row.over_mean_seat.difference.difference.value == 0.25
    assert row.over_mean_seat.against == ("the seats that judged alone",)
    better = row.over_better_seat
    values = {one.name: (one.difference.difference.value, one.turns) for one in better.rows}
    assert values == {"ann": (0.0, 1.0), "bob": (0.5, 1.0)}
    assert (better.difference.difference.value, better.turns, better.left_out) == (
        0.0,
        5.0,
        ("eve",),
    )
    assert "no vote of ann alone" in row.over_self_consistency.reason
    assert "eve" not in row.over_self_consistency.reason
    assert "Over its seats: only over those that judged alone; eve never did. (talk)" in (
        note_alternatives([row])
    )
    document = build_contrasts_document([row])["talk"]
    assert [one["left_out"] for one in document.values()] == [["eve"], ["eve"], [], []]


def test_where_no_seat_judged_alone_there_is_a_reason():
    """A discussion that begins in the open has no seat alone to be held against."""
    row = study(*(told("-|- 1 2 1", n) for n in range(3)))["talk"]
    for one in (row.over_mean_seat, row.over_better_seat, row.over_self_consistency):
        assert (one.rows, one.difference, one.reason) == ((), None, "no seat judged alone")


def test_what_was_not_played_is_named_with_the_condition_to_add():
    """Without votes there is a reason instead of a value; with them each has its own contrast."""
    plain = build_contrasts_document([study(*TALK)["talk"]])["talk"]
    missing = plain["over_self_consistency"]
    assert (missing["value"], missing["p"], missing["n"]) == (None, None, 0)
    assert 'protocol="vote", seats=("ann",) * 4' in missing["reason"]
    assert 'seats=("ann", "bob") * 2' in plain["over_vote"]["reason"]
    assert plain["over_better_seat"]["reason"] is None
    votes = [voted(1 if n < 3 else 2, n) for n in range(6)]
    alone = [voted(1, n, seats=(ANN, SECOND_ANN), condition="ann again") for n in range(6)]
    row = study(*TALK, *votes, *alone)["talk"]
    assert row.over_vote.difference.difference.value == pytest.approx(4 / 6 - 3 / 6)
    assert row.over_vote.against == ("vote",)
    lone = row.over_self_consistency
    assert lone.against == ("ann again",)
    assert lone.rows[0].difference.difference.value == pytest.approx(4 / 6 - 1.0)
    # Bob was not asked as often, so that nothing is said of the better of both.
    assert lone.difference is None
    assert "no vote of bob alone" in lone.reason


def test_a_vote_of_the_worse_seat_is_no_self_consistency_of_the_better():
    """Bob voting with itself is not what a user would do instead."""
    bobs = (replace(BOB, id="seat-1"), BOB)
    row = study(*TALK, *[voted(1, n, seats=bobs, condition="bobs") for n in range(6)])["talk"]
    assert "no vote of ann alone" in row.over_self_consistency.reason


@pytest.mark.parametrize(
    ("seatings", "split", "decider"),
    [
        ([(ANN, BOB)], "first", "ann"),
        ([(ANN, BOB), (BOB, ANN)], "first", ""),
        ([(ANN, BOB, ANN)], "first", ""),
        ([(ANN, BOB)], "tie", ""),
    ],
    ids=["one-first", "both-first", "odd", "ties"],
)
def test_a_vote_whose_even_splits_one_reviewer_decides_is_named(seatings, split, decider):
    """Such a vote is that reviewer alone wherever the two disagree, so it is no fair alternative."""
    votes = [
        told(
            " ".join(["1|2|1"[: 2 * len(seats) - 1], "1"]),
            number,
            seats=tuple(replace(seat, id=f"seat-{n}") for n, seat in enumerate(seats, start=1)),
            condition="ballot",
            protocol="vote",
            options={"split": split},
            concludes=1,
        )
        for number in range(6)
        for seats in (seatings[number % len(seatings)],)
    ]
    found = study(*TALK, *votes)
    assert found["talk"].over_vote.decider == decider
    (sentence, *_) = [
        *(one for one in note_alternatives([*found.values()]) if "even split" in one),
        "",
    ]
    assert sentence.startswith(
        "Over vote: ann decides every even split of ballot" if decider else ""
    )
    assert bool(sentence) == bool(decider)


def test_without_gold_there_is_a_reason_and_no_difference():
    """Accuracy needs gold; the contrasts say so."""
    blind = [replace(one, comparison=replace(one.comparison, gold=None)) for one in TALK]
    row = study(*blind)["talk"]
    assert all("gold" in one.reason for one in (row.over_mean_seat, row.over_better_seat))


def test_votes_and_lone_judges_have_no_contrasts():
    """Only where a seat heard another is there a discussion to pay for."""
    votes = [voted(1, n) for n in range(3)]
    assert study(*votes, told("1", 0, seats=(ANN,), condition="alone")) == {}


def test_p_values_are_adjusted_for_the_conditions_with_the_same_alternative():
    """Two discussions over their better seat are one family; the primary contrast is in none."""
    worse = [told("1|2 2 2", n, condition="worse") for n in range(6)]
    rows = study(*TALK, *worse)
    own = [rows[name].over_better_seat for name in ("talk", "worse")]
    adjusted = adjust_holm([one.difference.p_value for one in own])
    assert [one.p_holm for one in own] == adjusted
    assert own[1].p_holm > own[1].difference.p_value
    chosen = Primary(condition="worse", alternative="better seat")
    declared = study(*TALK, *worse, primary=chosen)
    assert declared["worse"].over_better_seat.primary
    for row in declared.values():
        assert row.over_better_seat.p_holm == row.over_better_seat.difference.p_value


def test_a_pair_that_is_a_contrast_has_the_same_difference():
    """`compare` and `score` print one value, interval and p for one difference."""
    ballots = collect_transcripts([*TALK, *[voted(1, n) for n in range(6)]])
    contrasts = build_contrasts(ballots, sampler=SAMPLER)
    (pair,) = compare_all(tabulate_by_condition(ballots), sampler=SAMPLER)
    assert pair.other == "vote"
    assert pair.difference == contrasts[0].over_vote.difference


def test_a_primary_contrast_names_a_condition_and_an_alternative():
    """A misspelt one is refused where the experiment is declared."""
    talk = Condition(name="talk over it", protocol="leader_follower", seats=("a", "b"))
    declared = Experiment(
        data="sample", conditions=(talk,), primary="talk over it over better seat"
    )
    found = read_primary(declared.primary, ["talk", "talk over it"])
    assert found == Primary(condition="talk over it", alternative="better seat")
    assert read_primary("talk over best seat", ["talk"]) == replace(found, condition="talk")
    assert read_primary("", ["talk"]) is None
    with pytest.raises(
        DataError, match="choose a condition of 'talk over it' and an alternative of"
    ):
        Experiment(data="sample", conditions=(talk,), primary="talk over the vote")
