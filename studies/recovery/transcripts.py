"""Transcripts of simulated discussions, from which the analysis takes its ballots.

Verdicts are drawn as arrays; the protocol gives the cues and the conclusion. Discussions with the same
verdicts have the same turns, so each pattern of verdicts is built once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from peerjudge.data import (
    Answer,
    Comparison,
    Question,
    Review,
    Role,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Utterance,
    Verdict,
    replace,
)
from peerjudge.shelf import Shelf
from peerjudge.simulation.arrays import Speaker, World
from peerjudge.simulation.discussions import Draws, Played, play_script
from peerjudge.simulation.scripts import Script, write_script

_TURNS = 2
_PAIR = Comparison(
    id="pair",
    question=Question(id="pair", text="?"),
    answers=(Answer(id="first", text="1"), Answer(id="second", text="2")),
)
Stances = tuple[int, ...]
"""Verdicts of one discussion: in private seat by seat, then at the end seat by seat."""


def play_studies(
    world: World, leader: Speaker, follower: Speaker, *, draws: Draws
) -> list[Transcript]:
    """Let two discuss every question of the world's first study in both orders, a turn for each.

    `draws` are the private reviews; a reviewer repeats a review that is already among them.
    """
    names = (leader.name, follower.name)
    golds: list[int] = world.gold[0].tolist()
    ended: list[Transcript] = []
    for swapped in (False, True):
        script = _write_script(names, swapped=swapped)
        by_seat = dict(zip((seat.id for seat in script.seats), (leader, follower), strict=True))
        held = play_script(script, world, by_seat, draws=draws)
        for number, (gold, stances) in enumerate(zip(golds, _list_stances(held), strict=True)):
            one = _build_transcript(names, gold, stances, swapped=swapped)
            question = replace(one.comparison.question, id=f"{number}")
            comparison = replace(one.comparison, id=f"{number}", question=question)
            ended.append(replace(one, comparison=comparison))
    return ended


def _list_stances(held: Played) -> Iterator[Stances]:
    columns: list[list[int]] = [
        verdicts[0].tolist() for verdicts in (*held.private, *held.final) if verdicts is not None
    ]
    return zip(*columns, strict=True)


@cache
def _build_transcript(
    names: tuple[str, str], gold: int, stances: Stances, *, swapped: bool
) -> Transcript:
    """Return a discussion with these verdicts."""
    script = _write_script(names, swapped=swapped)
    comparison = replace(script.comparison, gold=_decode_verdict(gold))
    seats = [seat.id for seat in script.seats]
    turns: tuple[Turn, ...] = ()
    while cues := script.protocol.next_cues(script.seats, comparison, turns):
        for cue in cues:
            place = seats.index(cue.seat) + (0 if cue.private else len(seats))
            review = Review(verdict=_decode_verdict(stances[place]))
            turns += (Turn(index=len(turns), cue=cue, utterance=Utterance(text=""), review=review),)
    return Transcript(
        id="simulated",
        comparison=comparison,
        protocol=script.protocol.name,
        seats=script.seats,
        turns=turns,
        stop=StopReason.COMPLETE,
        verdict=script.protocol.conclude(script.seats, comparison, turns),
    )


@cache
def _write_script(names: tuple[str, str], *, swapped: bool) -> Script:
    protocol = Shelf().protocol("leader_follower", {"turns": _TURNS})
    roles = (Role.LEADER, Role.FOLLOWER)
    seats = tuple(
        Seat(id=f"seat-{number}", reviewer=name, role=role)
        for number, (name, role) in enumerate(zip(names, roles, strict=True))
    )
    return write_script(protocol, seats, _PAIR, swapped=swapped)


def _decode_verdict(value: int) -> Verdict:
    first, second = _PAIR.shown
    return Verdict.of(first if value > 0 else second)
