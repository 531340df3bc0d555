"""The controls of a discussion, heard in place of the others' arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.analysis.collecting import collect_transcripts
from peerjudge.analysis.findings import build_findings, build_stances
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.data import (
    TIE,
    Answer,
    Comparison,
    Control,
    Cue,
    EventKind,
    Expects,
    Message,
    Question,
    Review,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.prompts import render
from peerjudge.prompts.rendering import Prompter, quote
from peerjudge.shelf import Shelf
from peerjudge.testing import comparison_of, seats_of
from peerjudge.tracker import opinion_events

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
FIRST, SECOND, THIRD = (Verdict.of(f"answer-{n}") for n in (1, 2, 3))


def words_of(cue: Cue, verdict: Verdict) -> str:
    """The reply for this verdict: the label under which the seat is shown the answer."""
    letter = "" if verdict == TIE else "abcd"[cue.sees.index(verdict.choice or "")]
    return f"{cue.seat} has reasons.\n\n{f'Answer ({letter})' if letter else 'Tie'}"


def played(
    *verdicts: Verdict,
    control: Control,
    protocol: str = "leader_follower",
    answers: int = 2,
    gold: int | None = None,
    **options,
) -> Transcript:
    """The discussion with verdicts in this order, under a control."""
    chosen = SHELF.protocol(protocol, options={"control": control, **options})
    seats, comparison = seats_of(chosen.seats[0]), comparison_of(answers, gold=gold)
    turns: tuple[Turn, ...] = ()
    given = iter(verdicts)
    while cues := chosen.next_cues(seats, comparison, turns):
        for cue in cues:
            verdict = next(given) if cue.expects is Expects.VERDICT else None
            said = f"{cue.seat} explains {cue.sees}." if verdict is None else words_of(cue, verdict)
            review = Review(verdict=verdict)
            turns += (
                Turn(index=len(turns), cue=cue, utterance=Utterance(text=said), review=review),
            )
    return Transcript(
        id=f"{control} {verdicts}",
        comparison=comparison,
        protocol=protocol,
        seats=seats,
        turns=turns,
        stop=StopReason.COMPLETE,
        verdict=chosen.conclude(seats, comparison, turns),
        condition=control,
        options=chosen.settings(),
    )


def asked(transcript: Transcript, turn: int) -> tuple[Message, ...]:
    """The prompt of a turn."""
    return render(
        SHELF.prompts("long_form"),
        seats=transcript.seats,
        comparison=transcript.comparison,
        turns=transcript.turns[:turn],
        cue=transcript.turns[turn].cue,
    )


def read_by(transcript: Transcript, turn: int) -> str:
    """The whole text that the speaker of a turn reads."""
    return "\n\n".join(message.text for message in asked(transcript, turn))


@pytest.mark.parametrize("hears", ["all", "own"])
def test_a_placebo_withholds_the_turns_of_others(hears: str):
    """A seat hears its own words only; the cue names the other turns as withheld."""
    verdicts = (FIRST, SECOND) * 3
    real = played(*verdicts, control="none", hears=hears)
    placebo = played(*verdicts, control="placebo", hears=hears)
    for turn, its_placebo in zip(real.turns, placebo.turns, strict=True):
        cue = its_placebo.cue
        assert sorted((*cue.hears, *cue.withheld)) == list(turn.cue.hears)
        assert {placebo.turns[index].cue.seat for index in cue.hears} <= {cue.seat}
        assert cue.task == (turn.cue.task if cue.private else "reconsider")
    other = "seat-1 has reasons."
    assert other in read_by(real, 5)
    assert other not in read_by(placebo, 5)


def test_a_placebo_changes_an_opinion_unprompted_or_not_at_all():
    """Its events come on the same occasions as those of the discussion, with an empty `heard`."""
    placebo = played(FIRST, SECOND, FIRST, FIRST, control="placebo", turns=2, gold=1)
    held, altered = opinion_events(placebo)
    assert (held.kind, held.others, held.heard) == (EventKind.HELD, SECOND, ())
    assert (altered.kind, altered.others, altered.heard) == (EventKind.ALTERED, FIRST, ())
    assert {held.control, altered.control} == {"placebo"}
    assert altered.gold == "towards"


def test_an_irrelevant_argument_keeps_the_verdict_and_none_of_the_words():
    """A seat reads the others' choices by their positions, and none of their reasons."""
    real = played(FIRST, SECOND, FIRST, SECOND, control="none", turns=2)
    irrelevant = played(FIRST, SECOND, FIRST, SECOND, control="irrelevant", turns=2)
    assert [turn.cue.hears for turn in irrelevant.turns] == [turn.cue.hears for turn in real.turns]
    text = read_by(irrelevant, 2)
    assert "I choose the second of the two." in text
    assert "seat-2 has reasons" not in text
    assert "seat-1 has reasons" in text
    assert [event.kind for event in opinion_events(irrelevant)] == [
        event.kind for event in opinion_events(real)
    ]


@pytest.mark.parametrize("verdict", [TIE, THIRD])
def test_an_irrelevant_argument_names_ties_and_third_answers(verdict: Verdict):
    """A tie and a third answer are named as such."""
    verdicts = (FIRST, verdict, FIRST, verdict)
    irrelevant = played(*verdicts, control="irrelevant", turns=2, answers=3, ties=True)
    said = "call it a tie" if verdict == TIE else "I choose the third of the three"
    assert said in read_by(irrelevant, 2)


@pytest.mark.parametrize(("verdict", "said"), [(FIRST, "first of the two"), (SECOND, "second")])
def test_under_stance_a_choice_is_heard_and_no_word(verdict: Verdict, said: str):
    """A seat reads what others chose and its own words, and the events are those of a discussion."""
    verdicts = (verdict, FIRST, verdict, SECOND)
    real, bare = (played(*verdicts, control=one, turns=2) for one in ("none", "stance"))
    assert [turn.cue.hears for turn in bare.turns] == [turn.cue.hears for turn in real.turns]
    text = read_by(bare, 3)
    assert f"I choose the {said}" in text
    assert "seat-1 has reasons" not in text
    assert "seat-2 has reasons" in text
    kinds = [[event.kind for event in opinion_events(one)] for one in (real, bare)]
    assert kinds[0] == kinds[1]


def test_under_unnamed_no_word_has_a_speaker():
    """A seat reads all words, its own too, as those of a reviewer without a name, and none as its own."""
    unnamed = played(FIRST, SECOND, FIRST, SECOND, control="unnamed", turns=2)
    messages = asked(unnamed, 3)
    text = "\n".join(message.text for message in messages)
    assert [message.role for message in messages] == ["system", "user"]
    assert "seat-1 has reasons" in text
    assert "seat-2 has reasons" in text
    assert text.count("Anonymous") >= 3
    assert "(you)" not in text
    assert "# Reviewer 1 replied" not in text
    prompter = Prompter(
        SHELF.prompts("long_form"), seats=unnamed.seats, comparison=unnamed.comparison, roles={}
    )
    sheet = prompter.lay_out(unnamed.turns[3].cue, unnamed.turns[:3])
    assert {one.title for one in sheet.heard} == {
        "Private review by Anonymous",
        "Anonymous replied",
    }


def test_an_irrelevant_argument_avoids_the_matter_of_the_question():
    """A question about one of the stock topics gets an argument on another topic."""
    cue = Cue(seat="seat-1", task="discuss", sees=("a", "b"), hears=(0,), control="irrelevant")
    heard = Turn(
        index=0,
        cue=Cue(seat="seat-2", task="review", sees=("a", "b"), private=True),
        utterance=Utterance(text="2"),
        review=Review(verdict=Verdict.of("b")),
    )
    told: set[str] = set()
    for subject in (
        "flour and a loaf of bread in the oven",
        "a bicycle with gears",
        "wool and felt",
    ):
        comparison = Comparison(
            id="c",
            question=Question(id="q", text=f"What should I know about {subject}?"),
            answers=(Answer(id="a", text="..."), Answer(id="b", text="...")),
        )
        prompt = render(
            SHELF.prompts("long_form"),
            seats=(Seat(id="seat-1", reviewer="r"), Seat(id="seat-2", reviewer="s")),
            comparison=comparison,
            turns=(heard,),
            cue=cue,
        )
        lines = prompt[-1].text.splitlines()
        material = [*comparison.question.text.splitlines(), "..."]
        words = "\n".join(line for line in lines if line[:1] == ">" and line[2:] not in material)
        told.add(words)
        assert not any(word in words for word in subject.split() if len(word) > 4)
    assert len(told) > 1


def test_swapped_labels_reverse_an_argument():
    """Both seats choose the same answer, and each reads that the other chose the opposite one."""
    swapped = played(FIRST, FIRST, FIRST, SECOND, control="swapped", turns=2, gold=1)
    orders = [turn.cue.sees for turn in swapped.turns]
    assert orders == [("answer-1", "answer-2"), ("answer-2", "answer-1")] * 2
    assert quote("seat-2 has reasons.\n\nAnswer (b)") in read_by(swapped, 2)
    held, altered = opinion_events(swapped)
    assert (held.kind, held.others) == (EventKind.HELD, SECOND)
    assert (altered.kind, altered.others, altered.gold) == (EventKind.ALTERED, SECOND, "away")


def test_swapped_labels_apply_to_explanations_of_one_answer():
    """The other seat reads an explanation of an answer under the label of the opposite answer."""
    verdicts = (FIRST, FIRST, FIRST, FIRST)
    swapped = played(*verdicts, control="swapped", opening="prepair", turns=2)
    real = played(*verdicts, control="none", opening="prepair", turns=2)
    told = {turn.cue.seat: turn.cue.sees[0] for turn in swapped.turns if len(turn.cue.sees) == 1}
    assert told.keys() == {"seat-1", "seat-2"}
    for transcript, name in ((real, "Answer (a)"), (swapped, "Answer (b)")):
        before, _, after = read_by(transcript, 6).partition(quote("seat-2 explains ('answer-1',)."))
        assert after
        assert name in before.splitlines()[-1]
        assert "Reviewer 2" in before.splitlines()[-1]


def test_private_reviews_are_shared_with_the_discussion():
    """Private requests are the same under a control; with swapped labels, in the other order."""
    verdicts = (FIRST, SECOND, FIRST, SECOND)
    real = played(*verdicts, control="none", turns=2)
    for control in ("placebo", "irrelevant"):
        other = played(*verdicts, control=control, turns=2)
        assert [asked(other, turn) for turn in (0, 1)] == [asked(real, turn) for turn in (0, 1)]
    swapped = played(*verdicts, control="swapped", turns=2)
    assert swapped.turns[1].cue.sees == real.turns[1].cue.sees[::-1]


def test_a_battle_has_the_order_that_its_reviewer_saw():
    """Under swapped labels the follower's first-shown answer is the leader's second."""
    swapped = played(FIRST, FIRST, FIRST, FIRST, control="swapped", turns=2)
    ballots = collect_transcripts([swapped]).of_stance("private")
    assert ballots.swapped.tolist() == [False, True]
    assert build_tournament(ballots).score.tolist() == [-1, 1]
    (condition,) = build_findings([swapped]).conditions
    assert condition.first_after is None


def test_a_panel_can_be_controlled():
    """Neighbours hear each other under swapped labels; the outer two of three see the same order."""
    panel = played(*(FIRST,) * 6, control="swapped", protocol="panel", rounds=1)
    events = {event.seat: event.others for event in opinion_events(panel)}
    assert events == {"seat-2": SECOND}
    assert quote("seat-2 has reasons.\n\nAnswer (b)") in read_by(panel, 3)
    assert quote("seat-3 has reasons.\n\nAnswer (a)") in read_by(panel, 3)


def test_controls_are_compared_with_their_discussion():
    """Altering is counted at the first turn and compared on the same questions."""
    found = build_stances(
        collect_transcripts(
            [
                played(FIRST, SECOND, SECOND, FIRST, control="none", turns=2, gold=2),
                played(FIRST, SECOND, FIRST, SECOND, control="placebo", turns=2, gold=2),
                played(FIRST, SECOND, SECOND, SECOND, control="irrelevant", turns=2, gold=2),
                played(FIRST, SECOND, FIRST, FIRST, control="swapped", turns=2, gold=2),
            ]
        )
    )
    rows = {(row.condition, row.reviewer): row for row in found.controls}
    real, placebo = rows["none", "reviewer-1"], rows["placebo", "reviewer-1"]
    assert (real.altered.value, real.contradicted_by_gold.value, real.beside) == (1.0, 1.0, None)
    assert (placebo.altered.value, placebo.beside) == (0.0, "none")
    assert placebo.difference is not None
    assert placebo.difference.difference.value == 1.0
    assert {row.reviewer for row in found.counts if row.reviewer} == {"reviewer-1", "reviewer-2"}
    assert sum(sum(row.events.values()) for row in found.counts if row.round) == 2


async def test_the_experiment_separates_the_effect_of_reasons(tmp_path: Path):
    """Simulated reviewers never alter unprompted, and move towards gold by reasons only."""
    folder = tmp_path / "controls"
    summary = await pj.run("controls", out=str(folder), shelf=SHELF, settings={"truth_pull": "4.0"})
    assert summary.discussions.failed == 0
    transcripts = await pj.load(str(folder))
    rows = {
        row.condition: row
        for row in build_stances(collect_transcripts(transcripts)).controls
        if row.reviewer is None
    }
    assert list(rows) == ["discussion", "placebo", "stance", "irrelevant", "swapped", "unnamed"]
    told_by_reasons = {
        name: row.contradicted_by_gold.value - row.contradicted_by_wrong.value
        for name, row in rows.items()
    }
    assert rows["placebo"].altered.value == 0
    assert rows["irrelevant"].altered.value > 0
    assert told_by_reasons["discussion"] > 0.6
    assert told_by_reasons["unnamed"] > 0.6
    assert abs(told_by_reasons["irrelevant"]) < 0.4
    assert abs(told_by_reasons["stance"]) < 0.4
    assert abs(told_by_reasons["swapped"]) < 0.4
