"""Prompts as they were sent: rebuilt from the words of the pack, where these are still the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from peerjudge.data import Message, TokenLogprob, Transcript, Turn
from peerjudge.engine import RequestBuilder, identify_played
from peerjudge.errors import PeerJudgeError
from peerjudge.prompts import pack_identity
from peerjudge.shelf import Shelf

_SHADES = 10
_ALTERNATIVES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Messages of a turn, or the reason why they cannot be shown."""

    messages: Sequence[Message]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownToken:
    """A token of a reply. `shade` grows with its improbability, from 0 to 9."""

    text: str
    probability: float
    logprob: float
    shade: int
    others: Sequence[tuple[str, float]]


def rebuild_prompt(
    transcript: Transcript, turn: Turn, manifest: Mapping[str, object], shelf: Shelf
) -> Prompt:
    """Return the messages that a turn was asked with.

    The id of a discussion is a digest of the words of its pack and of its seats, among others. So the
    messages are shown only if the pack of today gives the same id.
    """
    if turn.origin != "spoken" and transcript.fork is not None:
        return Prompt(
            messages=(),
            reason=(
                f"This turn is inherited from discussion {transcript.fork.parent}, which has its prompt."
                + (" Its words were edited." if turn.origin == "edited" else "")
            ),
        )
    try:
        pack = shelf.prompts(transcript.prompts)
        code = shelf.code("protocols", transcript.protocol)
    except (PeerJudgeError, OSError) as cause:
        return Prompt(messages=(), reason=f"The prompt pack cannot be read: {cause}")
    experiment = cast("Mapping[str, object]", manifest.get("experiment") or {})
    seed = experiment.get("seed")
    found = identify_played(
        transcript,
        prompts=pack_identity(pack),
        seed=seed if isinstance(seed, int) else 0,
        code=code,
    )
    if found != transcript.id:
        return Prompt(
            messages=(),
            reason=(
                f"The prompt pack {transcript.prompts!r} (or the protocol) has changed since this "
                "discussion was played, so that its prompts cannot be rebuilt. Start the viewer in the "
                "project folder of the run, with the files as they were."
            ),
        )
    cards = cast("Mapping[str, Mapping[str, object]]", manifest.get("cards") or {})
    roles = {
        seat.id: str(cards.get(seat.reviewer, {}).get("role") or "") for seat in transcript.seats
    }
    said = (*transcript.turns, *transcript.ahead)
    builder = RequestBuilder(transcript, pack=pack, roles=roles)
    try:
        cues = {one.index: one.cue for one in said}
        request = builder.build(turn.index, cues, {one.index: one for one in said})
    except PeerJudgeError as cause:
        return Prompt(messages=(), reason=f"The prompt cannot be rebuilt: {cause}")
    return Prompt(messages=request.messages)


def show_tokens(logprobs: Sequence[TokenLogprob] | None) -> list[ShownToken]:
    """Return the tokens of a reply with their probabilities."""
    return [
        ShownToken(
            text=one.token,
            probability=_share(one.logprob),
            logprob=one.logprob,
            shade=min(_SHADES - 1, int(_SHADES * (1 - _share(one.logprob)))),
            others=[(token, _share(logprob)) for token, logprob in one.top[:_ALTERNATIVES]],
        )
        for one in logprobs or ()
    ]


def _share(logprob: float) -> float:
    return math.exp(min(logprob, 0.0))
