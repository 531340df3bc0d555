"""Pace of the calls to a provider with a rate limit: reduced at refusals, then increased steadily."""

from __future__ import annotations

from math import sqrt

_TOLERATED = 0.1
"""Share of refused calls from which the calls are too fast."""
_FEW = 2
"""Number of refused calls that say nothing about the rate."""
_PERIOD = 1.0
"""Shortest time over which accepted calls are counted. [s]"""
_FORGET = 5.0
"""Time after which calls are counted anew. [s]"""
_SAFE = 0.95
"""Pace after a reduction, as a share of the rate of the accepted calls."""
_INCREASE = 0.03
"""Increase of the pace in a second, as a share of the pace after the last reduction."""
_RELEASE = 2.0
"""Multiple of that pace at which pacing ends, as the limit is gone."""
_LONGEST = 5.0
"""Longest time between two calls at the pace after a reduction. [s]"""
_CREDIT = 0.1
"""Delay of the event loop that later calls may catch up on. [s]"""
_NOISE = 0.5
"""Largest share of refused calls that is taken for independent of the pace."""
_ALIKE = (0.6, 1.6)
"""Ratio of the shares before two reductions within which the first of them changed nothing."""


class Pace:
    """Times at which calls may start, once a provider has refused too many.

    Additive increase, multiplicative decrease: where more than a tenth of the calls of at least a
    second are refused, the pace becomes .95 of the rate at which calls were accepted. From there it
    grows by 3 % of that pace in a second, and ends at twice of it. Single refusals change nothing, as
    refused calls are made again. Where two reductions within seconds leave the share of refused calls
    as it was, it does not come from a rate limit: pacing ends, and that share is tolerated.
    """

    def __init__(self) -> None:
        self.ready_at = float("-inf")
        """Time from which the next call may start."""
        self._since = self._reduced_at = float("-inf")
        self._started = self._refused = 0
        self._pace: float | None = None
        self._noise = 0.0
        self._share, self._in_vain = 1.0, 0

    @property
    def is_known(self) -> bool:
        """Return whether the calls are paced."""
        return self._pace is not None

    @property
    def is_exceeded(self) -> bool:
        """Return whether too many of the counted calls were refused."""
        if not self._noise:
            return self._refused > max(_FEW, _TOLERATED * self._started)
        noise = self._noise * self._started
        return self._refused > noise + 3.0 * sqrt(noise)

    def start(self, now: float) -> None:
        """Count a call that starts now."""
        if now - self._since >= _FORGET:
            self._count_anew(now)
        self._started += 1
        if self._pace is None:
            return
        growth = 1.0 + _INCREASE * (now - self._reduced_at)
        if growth > _RELEASE:
            self._pace = None
        else:
            self.ready_at = max(self.ready_at, now - _CREDIT) + 1.0 / (self._pace * growth)

    def refuse(self, now: float, *, started: float) -> None:
        """Count the refusal of a call that started at a time, and slow down if there are too many.

        Refusals of calls from before the last reduction do not count.
        """
        if started < self._reduced_at:
            return
        self._refused += 1
        elapsed = now - self._since
        if not self.is_exceeded or elapsed < _PERIOD:
            return
        share = self._refused / self._started
        soon = now - self._reduced_at < _FORGET
        alike = _ALIKE[0] < share / self._share < _ALIKE[1]
        self._in_vain = self._in_vain + 1 if soon and alike and share < _NOISE else 0
        if self._in_vain == 2:
            self._noise, self._pace = share, None
        else:
            # One at least, so that refusals alone do not stop all calls.
            accepted = max(1, self._started - self._refused)
            self._pace = max(1.0 / _LONGEST, _SAFE * accepted / elapsed)
        self._share, self._reduced_at = share, now
        self._count_anew(now)

    def _count_anew(self, now: float) -> None:
        self._since = now
        self._started = self._refused = 0
