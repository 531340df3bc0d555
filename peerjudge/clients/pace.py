"""Pace of the calls to a provider with a rate limit, from its measured and probed rate."""

from __future__ import annotations

from math import sqrt

_MEASURE = 1.0
"""Shortest time over which accepted calls are counted. [s]"""
_START = 0.9
"""Pace after a refusal, as a share of the rate that the provider bears."""
_SAFE = 0.95
"""Pace that lasts, as a share of that rate: calls arrive with some jitter."""
_PLATEAU = 10.0
"""Time from a refusal until that pace. [s]"""
_STEEPNESS = (_SAFE - _START) / _PLATEAU**3
_RELEASE = 2.0
"""Multiple of that rate at which pacing ends, as the limit is gone."""
_MANY = 0.02
"""Share of refused calls from which a refusal soon after slowing down says that it was in vain."""
_VAIN = 2
"""Number of such refusals in a row at which pacing ends, as refusals do not depend on the pace."""
_NOISE = 0.5
"""Largest share of refused calls that is taken for independent of the pace."""
_LONGEST = 20.0
"""Longest time between two calls: rates measured over a very long wait are too low. [s]"""
_CREDIT = 0.1
"""Delay of the event loop that later calls may catch up on. [s]"""


class Pace:
    """Times at which calls may start, once a provider has refused some.

    While a provider refuses calls, the accepted ones show its rate. So calls are counted for at least a
    second, waits that the provider requests included. From then on, calls start one
    after the other, at nine tenths of that rate. The pace grows towards the rate, stays near it, and
    then grows ever faster: the cubic curve of TCP CUBIC (Ha, Rhee and Xu, 2008). A refusal starts the curve
    again, at most once a second, from the share of the pace that was accepted. At twice the rate,
    pacing ends. It also ends where slowing down twice in a row did not halve the share of refused
    calls: such refusals do not come from a rate limit. From then on, only a share that is higher than
    chance explains sets a pace.
    """

    def __init__(self) -> None:
        self.ready_at = float("-inf")
        """Time from which the next call may start."""
        self._since = float("-inf")
        self._started = self._refused = 0
        self._until = float("-inf")
        self._borne: float | None = None
        self._share = self._noise = 0.0
        self._vain = 0

    @property
    def is_known(self) -> bool:
        """Return whether the rate of the provider has been measured."""
        return self._borne is not None

    @property
    def measured_at(self) -> float | None:
        """Return the time at which the rate will be known; `None` without a measurement."""
        return self._since + _MEASURE if self._refused and self._borne is None else None

    def measure(self, now: float) -> None:
        """Set the pace where calls were refused and a second has passed since the first was counted."""
        if self._borne is None and now - self._since >= _MEASURE:
            elapsed = max(_MEASURE, self._until - self._since)
            self._share = self._refused_share()
            limited = self._refused > 0 and self._share > self._noise_bound()
            self._restart(now, self._count_accepted() / elapsed if limited else None)

    def start(self, now: float) -> None:
        """Count a call that starts now."""
        self.measure(now)
        self._started += 1
        if self._borne is not None:
            rate = self._rate(now, self._borne)
            if rate > _RELEASE * self._borne:
                self._restart(now, None)
            else:
                wait = min(1.0 / rate, _LONGEST)
                self.ready_at = max(self.ready_at, now - _CREDIT) + wait

    def refuse(self, now: float, *, started: float, wait: float | None) -> None:
        """Slow down after a refusal; refusals of calls from before the last change do not count.

        `wait` is the delay that the provider requests, in whole seconds: the last of them may be
        longer than its limit needs, so a measurement ends before it.
        """
        if started < self._since:
            return
        self._refused += 1
        self._until = max(self._until, now + max(0.0, (wait or 0.0) - 1.0))
        if self._borne is None or now - self._since < _MEASURE:
            return
        share = self._refused_share()
        if share > self._noise_bound():
            rate = self._rate(now, self._borne) * self._count_accepted() / max(1, self._started)
            self._restart(now, None if self._is_noise(now, share) else rate)

    def _is_noise(self, now: float, share: float) -> bool:
        """Return whether the share of refused calls stayed the same after several reductions of the pace."""
        early = now - self._since < _PLATEAU
        in_vain = early and share >= _MANY and share > self._share / 2
        self._vain = self._vain + 1 if in_vain else 0
        self._share = share
        found = self._vain >= _VAIN and share <= _NOISE
        if found:
            self._noise = share
        return found

    def _refused_share(self) -> float:
        return self._refused / max(1, self._started)

    def _noise_bound(self) -> float:
        """Return the largest share of refused calls that refusals independent of the pace explain."""
        if not self._noise:
            return 0.0
        # Bernstein's inequality at a probability of about 0.01.
        calls = max(1, self._started)
        return self._noise + 3.0 * sqrt(self._noise * (1.0 - self._noise) / calls) + 1.5 / calls

    def _count_accepted(self) -> int:
        # One at least, so that refusals alone do not stop all calls.
        return max(1, self._started - self._refused)

    def _restart(self, now: float, borne: float | None) -> None:
        self._since = now
        self._started = self._refused = 0
        self._until = now
        self._borne = borne
        if borne is None:
            self._vain = 0

    def _rate(self, now: float, borne: float) -> float:
        return borne * (_SAFE + _STEEPNESS * (now - self._since - _PLATEAU) ** 3)
