"""Costs of single judgements, taken from the ledger of the run that they share."""

from __future__ import annotations

from collections.abc import Iterable

from peerjudge.data import Seat, Transcript, Usage, Utterance
from peerjudge.features.judge.judgements import JudgementCost
from peerjudge.runs.estimate import Costs
from peerjudge.runs.ledger import Ledger
from peerjudge.runs.progress import Observer


class CostBook(Observer):
    """What each discussion cost until it is taken.

    Args:
        ledger: The ledger of the run.
        costs: Prices of its reviewers.
    """

    def __init__(self, ledger: Ledger, costs: Costs) -> None:
        self._ledger = ledger
        self._costs = costs
        self._begun: dict[str, set[int]] = {}
        self._ended: dict[str, JudgementCost] = {}

    def began(self, transcript: Transcript) -> None:
        """Remember the turns that were stored before."""
        stored = (*transcript.turns, *transcript.ahead)
        self._begun[transcript.id] = {turn.index for turn in stored}

    def close(self, transcript: Transcript) -> None:
        """Count the new replies of an ended discussion, before the ledger forgets them."""
        spent = self._ledger.spent_on(transcript.id)
        cost = JudgementCost(tokens=round(spent.tokens), usd=spent.usd)
        before = self._begun.pop(transcript.id, set())
        for turn in (*transcript.turns, *transcript.ahead):
            if turn.index in before:
                continue
            cost += self._count(transcript.seat(turn.cue.seat), turn.utterance)
            if turn.asked is not None:
                cost += self._count(transcript.seat(turn.cue.seat), turn.asked)
            if turn.reread is not None and transcript.reread is not None:
                cost += self._count(transcript.reread, turn.reread)
        self._ended[transcript.id] = cost

    def take(self, discussions: Iterable[str]) -> JudgementCost:
        """Return the cost of these discussions since the last time, and forget it."""
        total = JudgementCost()
        for discussion in discussions:
            self._begun.pop(discussion, None)
            total += self._ended.pop(discussion, JudgementCost())
        return total

    def _count(self, seat: Seat, said: Utterance) -> JudgementCost:
        """Return the call of a reply, without the tokens and USD that the ledger has booked."""
        if said.simulated:
            tokens = said.usage.prompt_tokens + said.usage.completion_tokens
            return JudgementCost(
                simulated=1, tokens=tokens, completion_tokens=said.usage.completion_tokens
            )
        if said.cached:
            return JudgementCost(cached=1)
        if said.usage == Usage():
            if seat.reviewer not in self._costs.prices:
                return JudgementCost()  # A person.
            return JudgementCost(unmetered=1, usd=self._costs.of_unknown(seat.reviewer))
        known = self._costs.of(seat.reviewer, said.usage) is not None
        return JudgementCost(
            paid=1, completion_tokens=said.usage.completion_tokens, usd=0.0 if known else None
        )
