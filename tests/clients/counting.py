"""Counts of the calls on a bill, by outcome, for tests of clients."""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.clients import Billing, CallOutcome


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Numbers of calls and of their attempts and tokens; tokens are those paid for."""

    paid: int
    cached: int
    failed: int
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    estimated: bool

    @classmethod
    def of(cls, bill: Billing) -> Counts:
        """Return the counts of a bill."""
        outcomes = [call.outcome for call in bill.calls]
        paid = [call.usage for call in bill.calls if call.outcome is CallOutcome.PAID]
        return cls(
            paid=len(paid),
            cached=outcomes.count(CallOutcome.CACHED),
            failed=outcomes.count(CallOutcome.FAILED),
            attempts=bill.attempts,
            prompt_tokens=sum(usage.prompt_tokens for usage in paid),
            completion_tokens=sum(usage.completion_tokens for usage in paid),
            estimated=any(usage.estimated for usage in paid),
        )
