"""Writes calls into the book and on the bill of whoever they are made for, with their price."""

from __future__ import annotations

from peerjudge.clients.billing import Billing, Call, CallBook, CallOutcome
from peerjudge.clients.prices import Price
from peerjudge.data.discussion import Usage

__all__ = ["Ledger"]


class Ledger:
    """Books the calls of one client.

    Args:
        book: Where they are added up.
        reviewer: Whom calls are booked to that nobody is billed for.
        model: The name of the model.
        price: What its tokens cost; `None` if that is not known.
    """

    def __init__(self, book: CallBook, *, reviewer: str, model: str, price: Price | None) -> None:
        self._book = book
        self._reviewer = reviewer
        self._model = model
        self._price = price

    def enter(
        self,
        billing: Billing,
        outcome: CallOutcome,
        *,
        usage: Usage = Usage(),
        attempts: int = 1,
        latency: float = 0.0,
        error: str = "",
    ) -> None:
        """Enter one call; `latency` is in seconds."""
        call = Call(
            reviewer=billing.reviewer or self._reviewer,
            discussion=billing.discussion,
            turn=billing.turn,
            model=self._model,
            outcome=outcome,
            usage=usage,
            attempts=attempts,
            latency=latency,
            cost=self._cost(outcome, usage),
            error=error,
        )
        billing.calls.append(call)
        self._book.book(call)

    def _cost(self, outcome: CallOutcome, usage: Usage) -> float | None:
        if outcome is not CallOutcome.PAID:
            return 0.0
        return None if self._price is None else self._price.cost(usage)
