"""Turns of stored discussions without their texts: equal ones are one object, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Raw, Struct
from msgspec.json import Decoder
from sqlalchemy import Row

from peerjudge.analysis.pricing import Replies
from peerjudge.data import (
    Control,
    Cue,
    Expects,
    Outcome,
    Review,
    TokenLogprob,
    Transcript,
    Turn,
    Usage,
    Utterance,
    Verdict,
    replace,
)
from peerjudge.data.discussion import require_fitting_turn
from peerjudge.data.nouns import Count

_Rows: TypeAlias = Sequence[Row[*tuple[Any, ...]]]
_Logprobs: TypeAlias = tuple[TokenLogprob, ...]


class CheckedCue(Struct, gc=False):
    """A cue whose types are checked; `Cue` checks them again when it is made, which takes longer."""

    seat: str
    task: str
    sees: tuple[str, ...]
    hears: tuple[int, ...] = ()
    expects: Expects = Expects.VERDICT
    private: bool = False
    ties: bool = False
    control: Control = "none"
    withheld: tuple[int, ...] = ()


class _Said(Struct, gc=False):
    """The values of a reply that are checked, also by readers that do not need them."""

    model: str
    finish_reason: str
    latency: float
    attempts: Count
    cached: bool
    simulated: bool
    usage: Usage
    confidence: Count | None = None
    logprobs: _Logprobs | None = None
    unset: tuple[str, ...] = ()


class _Turn(Struct, gc=False):
    index: Count
    cue: Raw
    utterance: _Said
    review: Raw
    asked: _Said | None = None
    reread: _Said | None = None
    speaker: str | None = None


class _Document(Struct, gc=False):
    data: _Turn


_read_document = Decoder(_Document).decode
_read_cue = Decoder(CheckedCue).decode
_read_review = Decoder(Review).decode
_MOST_KNOWN = 100_000
"""Turns that are known at a time."""

_Key: TypeAlias = tuple[object, ...]


class BareReader:
    """Reads turns from their bodies. Turns without log-probabilities that are alike are one object.

    Args:
        logprobs: Keep the log-probabilities of replies with a verdict.
    """

    def __init__(self, *, logprobs: bool) -> None:
        self._logprobs = logprobs
        self._known: dict[_Key, tuple[Turn, CheckedCue]] = {}
        self._fitting: dict[_Key, object] = {}

    def read(
        self, rows: _Rows, heads: Mapping[str, Transcript]
    ) -> dict[str, tuple[list[Turn], list[Replies]]]:
        """Return the turns and their replies by discussion from rows of its id and a body.

        Raises an error if a value has another type, or names what its discussion does not have.
        """
        spoken: dict[str, tuple[list[Turn], list[Replies]]] = {}
        for discussion, body in rows:
            said = _read_document(body).data
            turn = self._find(said, heads[discussion])
            logprobs = self._choose_logprobs(said, turn) if self._logprobs else None
            if logprobs:
                turn = replace(turn, utterance=replace(turn.utterance, logprobs=logprobs))
            if discussion not in spoken:
                spoken[discussion] = ([], [])
            told, replies = spoken[discussion]
            told.append(turn)
            replies.append(Replies(said.utterance, said.asked, said.reread))
        return spoken

    def _find(self, said: _Turn, head: Transcript) -> Turn:
        """Return the turn without its text, and check that it fits its discussion."""
        second = None if said.reread is None else said.reread.model
        key = (
            *(said.index, bytes(said.cue), bytes(said.review), said.utterance.model),
            *(said.utterance.simulated, said.utterance.unset, second, said.speaker),
        )
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
                self._fitting.clear()
            known = self._known[key] = _build(said)
        turn, cue = known
        # What fits these seats and answers once fits them always.
        fit = (id(turn), id(head.seats), head.comparison.shown)
        if fit not in self._fitting:
            verdict = turn.review.verdict
            require_fitting_turn(head, said.index, cue, verdict and verdict.choice)
            # The seats are kept, so that no others get their identity.
            self._fitting[fit] = head.seats
        return turn

    def _choose_logprobs(self, said: _Turn, turn: Turn) -> _Logprobs | None:
        if turn.review.verdict is None:
            return None
        return said.utterance.logprobs if said.asked is None else said.asked.logprobs


def _build(said: _Turn) -> tuple[Turn, CheckedCue]:
    """Return a turn without its text, and its cue with the types checked."""
    checked, review = _read_cue(said.cue), _read_review(said.review)
    verdict = review.verdict
    turn = Turn(
        index=said.index,
        cue=Cue(
            seat=checked.seat,
            task=checked.task,
            sees=checked.sees,
            hears=checked.hears,
            expects=checked.expects,
            private=checked.private,
            ties=checked.ties,
            control=checked.control,
            withheld=checked.withheld,
        ),
        utterance=Utterance(
            text="",
            model=said.utterance.model,
            simulated=said.utterance.simulated,
            unset=said.utterance.unset,
        ),
        review=Review(
            verdict=verdict and Verdict(Outcome(verdict.outcome), verdict.choice),
            score=review.score,
            rule=review.rule,
        ),
        reread=None if said.reread is None else Utterance(text="", model=said.reread.model),
        # Older turns lack the speaker.
        speaker=said.speaker or "",
    )
    return turn, checked
