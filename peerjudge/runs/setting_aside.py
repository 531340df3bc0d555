"""Reviewers that cannot work at all, set aside before other seats of their discussions are paid for."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from peerjudge.data import Request, Utterance
from peerjudge.engine import Reviewer, ReviewerProxy
from peerjudge.engine.speaking import SetAsideError
from peerjudge.errors import AwaitingPersonError, NotBegunError, StoreError
from peerjudge.logs import get_logger

_WRONG = frozenset({401, 403, 404})
"""Statuses of a wrong key, and of a model or an address that it may not use or that does not exist."""
_UNREACHABLE = frozenset(
    {"APIConnectionError", "ClientConnectionError", "ConnectionError", "RedirectedError"}
)

_log = get_logger()


class Aside:
    """Reviewers of one run that failed for good: a wrong key, address or model name.

    Their discussions fail at the next call without making it, so that no other seat is paid for them.
    """

    def __init__(self) -> None:
        self._failed: dict[str, tuple[str, str]] = {}
        self._seated: dict[str, Mapping[str, str]] = {}

    def apply(
        self, reviewers: Mapping[str, Reviewer], *, watched: Collection[str]
    ) -> Mapping[str, Reviewer]:
        """Return the reviewers, by card, with calls that are not made for discussions set aside.

        Only the `watched` ones, models with a seat, may be set aside: without a second model that reads
        replies again a discussion goes on, and errors of own code may mean anything.
        """
        return {
            name: _WatchedReviewer(each, self) if name in watched else each
            for name, each in reviewers.items()
        }

    def seat(self, discussion: str, seats: Mapping[str, str]) -> None:
        """Note the seats by reviewer of a discussion that begins."""
        self._seated[discussion] = seats

    def release(self, discussion: str) -> None:
        """Forget a discussion that has ended."""
        self._seated.pop(discussion, None)

    def require_able(self, discussion: str, name: str) -> None:
        """Raise `SetAsideError` if this reviewer, or one that is seated with it, is set aside."""
        if not self._failed:
            return
        seats = self._seated.get(discussion, {})
        for each in (name, *seats):
            if each in self._failed:
                kind, message = self._failed[each]
                raise SetAsideError(message, kind=kind, seat=seats.get(each, ""))

    def note(self, name: str, error: Exception) -> None:
        """Set a reviewer aside after this failure."""
        if name in self._failed:
            return
        self._failed[name] = (type(error).__name__, str(error))
        _log.warning(
            "a reviewer cannot work and is set aside with its discussions; correct its card and run again",
            reviewer=name,
            kind=type(error).__name__,
        )


class _WatchedReviewer(ReviewerProxy):
    """Reviewer that is set aside at a failure that no later call can escape."""

    def __init__(self, reviewer: Reviewer, aside: Aside) -> None:
        super().__init__(reviewer)
        self._aside = aside
        self._has_replied = False

    async def speak(self, request: Request) -> Utterance:
        """Return the reply; raise `SetAsideError` for a discussion of a reviewer that is set aside."""
        self._aside.require_able(request.discussion, self.name)
        try:
            reply = await self._reviewer.speak(request)
        except (AwaitingPersonError, NotBegunError, StoreError):
            raise
        except Exception as error:
            if not self._has_replied and is_final(error):
                self._aside.note(self.name, error)
            raise
        self._has_replied = self._has_replied or not reply.cached
        return reply


def is_final(error: Exception) -> bool:
    """Return whether a failure, after all attempts, shows a wrong key, address or model name.

    Every call of a reviewer that has not replied yet then fails.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return getattr(error, "status_code", None) in _WRONG or bool(kinds & _UNREACHABLE)
