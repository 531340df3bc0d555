"""Money of a run in shards: what each may spend, so that all together never pass the limit."""

from __future__ import annotations

from collections.abc import Sequence

from peerjudge.runs.budget import Amount
from peerjudge.runs.results import RunSummary


class Purse:
    """The limit of a run, of which each shard that begins gets its share of what is left.

    A shard counts all that was ever spent in its folder, so what it may spend includes that.

    Args:
        limit: The limit; a value that is not limited is 0 and has no meaning.
        shares: Shares in the estimate by shard; their sums are 1.
        spent: What was spent in the folder of each shard before.
    """

    def __init__(self, limit: Amount, shares: Sequence[Amount], spent: Sequence[Amount]) -> None:
        self._shares = list(shares)
        self._waiting = set(range(len(shares)))
        self._spent = list(spent)
        self._granted = list(spent)
        self.free = limit - sum(spent, Amount())
        """What no shard has spent and none may spend now; below 0 where the limit was passed before."""

    def grant(self, shard: int) -> Amount:
        """Return the most that may be spent in the folder of a shard that begins; numbers count from 0."""
        ours = self._shares[shard]
        theirs = sum((self._shares[each] for each in self._waiting | {shard}), Amount())
        self._waiting.discard(shard)
        given = Amount(
            _part(self.free.tokens, ours.tokens, theirs.tokens),
            _part(self.free.usd, ours.usd, theirs.usd),
        )
        return self._hand(shard, given)

    def grant_rest(self, shard: int) -> Amount:
        """Return the same where a shard that stopped at its limit gets all that is left."""
        return self._hand(shard, self.free.maximum(Amount()))

    def settle(self, shard: int, summary: RunSummary) -> None:
        """Take back what a shard that has ended leaves."""
        before, now = summary.spent_before, summary.spent_now
        granted = self._granted[shard]
        known = before.usd is not None and now.usd is not None
        # Without a known price the share counts as spent.
        usd = (before.usd or 0.0) + (now.usd or 0.0) if known else granted.usd
        spent = Amount((before.tokens or 0) + (now.tokens or 0), usd)
        self.free += granted - spent
        self._spent[shard] = self._granted[shard] = spent

    def can_go_on(self, shard: int, summary: RunSummary) -> bool:
        """Return whether what is left lets a shard play on that stopped at its limit."""
        if summary.enough is None or not (summary.stopped or "").endswith("limit"):
            return False
        spent = self._spent[shard]
        if summary.stopped == "token limit":
            return summary.enough <= spent.tokens + self.free.tokens
        return summary.enough <= spent.usd + self.free.usd

    def _hand(self, shard: int, given: Amount) -> Amount:
        self.free -= given
        self._granted[shard] += given
        return self._granted[shard]


def _part(free: float, ours: float, all_: float) -> float:
    return max(free, 0.0) * ours / all_ if all_ else 0.0
