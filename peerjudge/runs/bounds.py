"""Place and bounds of calls: where results are kept, and the limits on money, tokens and time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from peerjudge.errors import ExperimentError
from peerjudge.places import find_cache
from peerjudge.runs.estimate import Costs
from peerjudge.runs.ledger import Spending
from peerjudge.runs.sources import hide_password
from peerjudge.store.database import STORE_FILE

NO_CACHE = "none"
"""Value of `cache` that keeps replies in memory only."""

_DATABASES = frozenset({".db", ".sqlite"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Folder or database of a run, and the cache of its replies.

    Args:
        out: Folder.
        store: Database URL instead of a folder.
        cache: File or folder of the reply cache, which several runs may share; by default the folder, or
            the user's cache folder for a run in a database. `"none"` keeps replies in memory only.

    Raises:
        ExperimentError: The place is given twice, or the URL is none.
    """

    out: str | Path | None = None
    store: str | None = None
    cache: str | Path | None = None

    def __post_init__(self) -> None:
        """Refuse two places, and a URL that is none."""
        if self.out is not None and self.store is not None:
            msg = "a run goes into a folder (out) or into a store (store), not into both"
            raise ExperimentError(msg)
        if (
            self.store is not None
            and "://" not in self.store
            and Path(self.store).suffix not in _DATABASES
        ):
            msg = (
                f"--store takes a database URL such as sqlite:///study.db, not {self.store!r}; "
                "use --out for a folder"
            )
            raise ExperimentError(msg)

    @property
    def folder(self) -> Path | None:
        """The folder; `None` for a database, and where no place is given."""
        return Path(self.out) if self.out else None

    @property
    def source(self) -> str | Path:
        """The URL or folder, as a store is opened; empty where no place is given."""
        return self.store or self.folder or ""

    @property
    def name(self) -> str:
        """The place as it is shown, without a password."""
        return hide_password(self.source)

    @property
    def replies(self) -> Path | None:
        """File or folder of the reply cache; `None` keeps replies in memory only."""
        if self.cache == NO_CACHE:
            return None
        if self.cache is not None:
            return Path(self.cache)
        return self.folder or find_cache("replies")

    @property
    def inside(self) -> Place:
        """The store in the folder, for runs that are not the one that the folder stands for."""
        folder = self.folder
        if folder is None:
            return self
        cache = folder if self.cache is None else self.cache
        return Place(store=str(folder / STORE_FILE), cache=cache)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits of the calls into one place.

    Args:
        max_connections: Most calls in flight at a time, and most discussions open.
        cost_limit: Limit in USD on all that was ever spent in the place.
        token_limit: Limit on prompt and completion tokens, likewise; simulated ones count.
        fail_on_error: Stop when 5 discussions or texts and this share of the ended ones have failed.
        deadline: Time after which a discussion or text fails. [s]

    Raises:
        ExperimentError: A limit of 0 or less, or a share outside of 0 to 1.
    """

    max_connections: int = 10
    cost_limit: float | None = None
    token_limit: int | None = None
    fail_on_error: float | None = None
    deadline: float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that nothing could keep."""
        if self.max_connections < 1:
            msg = f"a run takes 1 connection or more, not {self.max_connections}"
            raise ExperimentError(msg)
        for name, limit in (
            ("cost limit", self.cost_limit),
            ("token limit", self.token_limit),
            ("deadline", self.deadline),
        ):
            if limit is not None and not limit > 0:
                msg = f"a {name} is more than 0, not {limit:g}"
                raise ExperimentError(msg)
        if self.fail_on_error is not None and not 0.0 <= self.fail_on_error <= 1.0:
            msg = f"the failure rate to stop at is from 0 to 1, not {self.fail_on_error:g}"
            raise ExperimentError(msg)

    @property
    def limit(self) -> Spending:
        """The limits on tokens and USD."""
        return Spending(tokens=self.token_limit, usd=self.cost_limit)

    def require_prices(self, costs: Costs) -> None:
        """Raise `ExperimentError` where the cost is limited and a price is unknown."""
        if self.cost_limit is not None:
            costs.require_known()

    def leave(self, reserve: Spending) -> Bounds:
        """Return these bounds less what must be left; at least ones with which nothing is played."""
        usd, tokens = self.cost_limit, self.token_limit
        return replace(
            self,
            cost_limit=None if usd is None else max(usd - (reserve.usd or 0.0), 1e-9),
            token_limit=None if tokens is None else max(tokens - (reserve.tokens or 0), 1),
        )
