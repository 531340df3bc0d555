"""Discussions of every protocol, compared with those that earlier versions played and stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from peerjudge.data import (
    Card,
    Request,
    ReviewerKind,
    Sampling,
    Scalar,
    Seat,
    Transcript,
    Utterance,
    replace,
)
from peerjudge.engine import Reviewer, discuss, identify
from peerjudge.prompts import pack_identity
from peerjudge.protocol.scripted import comparison_of, seats_of
from peerjudge.shelf import Shelf
from peerjudge.simulation import SimulatedReviewer

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
STORED = Path(__file__).resolve().parents[1] / "golden" / "played"
"""Lines of the discussions, one file a setting; the first was written before a protocol gave sets."""

SETTINGS: Mapping[str, tuple[str, int, int, dict[str, Scalar]]] = {
    # Name: protocol, seats, answers, options.
    "pairwise": ("pairwise", 1, 2, {}),
    "pairwise_cot": ("pairwise_cot", 1, 2, {}),
    "pros_cons": ("pros_cons", 1, 2, {}),
    "solve_first": ("solve_first", 1, 2, {}),
    "prepair": ("prepair", 1, 3, {}),
    "prepair_star": ("prepair_star", 1, 2, {}),
    "pointwise": ("pointwise", 1, 2, {}),
    "score_reasons": ("score_reasons", 1, 4, {}),
    "n_way": ("n_way", 1, 4, {}),
    "reconciled": ("reconciled", 1, 2, {"method": "prepair", "self_metrics": True}),
    "self_metrics": ("self_metrics", 1, 2, {"then": "prepair"}),
    "self_metrics_rated": ("self_metrics", 1, 2, {"then": "pointwise"}),
    "vote": ("vote", 4, 2, {}),
    "vote_prepared": ("vote", 3, 2, {"opening": "prepair", "self_metrics": True}),
    "leader_follower": ("leader_follower", 2, 2, {}),
    "leader_follower_rated": ("leader_follower", 2, 3, {"opening": "pointwise", "hears": "own"}),
    "leader_follower_placebo": ("leader_follower", 2, 2, {"control": "placebo"}),
    "leader_follower_irrelevant": (
        "leader_follower",
        2,
        2,
        {"control": "irrelevant", "opening": "prepair"},
    ),
    "leader_follower_swapped": ("leader_follower", 2, 2, {"control": "swapped"}),
    "leader_follower_brief": (
        "leader_follower",
        2,
        2,
        {"stop": "agreement", "only_if_disagreeing": True},
    ),
    "prepair_discussion": ("prepair_discussion", 2, 2, {}),
    "self_discussion": ("self_discussion", 2, 2, {}),
    "panel": ("panel", 4, 3, {"ties": True}),
    "at_once": ("at_once", 3, 2, {"ties": True}),
    "court": ("court", 4, 2, {"judge_alone": True}),
    "ballot": ("ballot", 3, 3, {"ties": True}),
    "panel_brief": ("panel", 3, 2, {"stop": "agreement", "remind": True}),
}


class Listening:
    """A reviewer that notes the draw and the prompt of every turn."""

    def __init__(self, reviewer: Reviewer, noted: dict[int, str]) -> None:
        self.name = reviewer.name
        self._reviewer = reviewer
        self._noted = noted

    async def speak(self, request: Request) -> Utterance:
        """Reply after noting what the reply and its place in a cache depend on."""
        texts = "\n".join(f"{one.role} {one.text}" for one in request.messages)
        self._noted[request.turn] = f"{request.draw[:12]} {sha256(texts.encode()).hexdigest()[:12]}"
        return await self._reviewer.speak(request)

    async def close(self) -> None:
        """Do nothing."""


async def play(setting: str, number: int) -> tuple[Transcript, dict[int, str]]:
    """Return a discussion of a setting, with the draws and prompts of its turns."""
    name, seats, answers, options = SETTINGS[setting]
    protocol, pack = SHELF.protocol(name, options), SHELF.prompts("open_chat")
    cards = [Card(name=f"sim_{n}", kind=ReviewerKind.SIMULATED) for n in range(2)]
    seated = tuple(
        Seat(
            id=seat.id,
            reviewer=cards[place // 2 % 2].name,
            role=seat.role,
            sampling=Sampling(temperature=place % 2 / 2),
        )
        for place, seat in enumerate(seats_of(seats, protocol.list_roles(seats)))
    )
    head = Transcript(
        id="-",
        comparison=comparison_of(answers, gold=1, name=f"c{number}"),
        protocol=name,
        seats=seated,
        options=protocol.settings(),
        prompts=pack.name,
    )
    head = replace(head, id=identify(head, prompts=pack_identity(pack)))
    noted: dict[int, str] = {}
    voices = {card.name: Listening(SimulatedReviewer(card, seed=3), noted) for card in cards}
    ended = await discuss(
        head,
        protocol=protocol,
        reviewers={seat.id: voices[seat.reviewer] for seat in seated},
        pack=pack,
        roles={},
    )
    return ended, noted


def write_lines(setting: str) -> str:
    """Return three discussions of a setting, a line a turn: what was cued, heard, drawn and said."""
    lines: list[str] = []
    for number in range(3):
        ended, noted = asyncio.run(play(setting, number))
        lines.append(f"{ended.id} {ended.verdict}")
        for turn in ended.turns:
            cue, words = turn.cue, sha256(turn.utterance.text.encode()).hexdigest()[:12]
            heard = ",".join(map(str, cue.hears)) or "-"
            told = f"{cue.seat} {cue.task} sees {','.join(cue.sees) or '-'} hears {heard}"
            withheld = f" without {','.join(map(str, cue.withheld))}" if cue.withheld else ""
            read = turn.review.verdict if turn.review.score is None else turn.review.score
            lines.append(f"  {turn.index} {told}{withheld}: {noted[turn.index]} {words} {read}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("setting", SETTINGS)
def test_discussions_stay_as_earlier_versions_stored_them(setting: str):
    """Identities, cues, draws, prompts and words of a setting are those of stored runs."""
    stored = STORED / f"{setting}.txt"
    assert write_lines(setting) == stored.read_text("utf-8")
