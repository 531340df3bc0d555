"""Reviewers whose answers come later than they are asked, such as people at a desk.

Where they are asked is the matter of a feature: it offers a `Desk` to the hook `reviewer`, under the kind of
the cards that it seats.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Container
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from peerjudge.data import Card, ReviewerKind
from peerjudge.engine import Reviewer
from peerjudge.errors import ExperimentError
from peerjudge.registry import find_offer
from peerjudge.runs.schedule import Cast, Plan

_KIND = ReviewerKind.HUMAN
"""The kind of the cards whose answers are awaited."""


class OpenDesk(Protocol):
    """An open desk: where the reviewers of a run are asked, and what waits for their answers.

    A reviewer raises `AwaitingPersonError` until its answer has come; the discussion is then left open.
    """

    def seat(self, card: Card) -> Reviewer:
        """Return the reviewer of a card."""
        ...

    def take_answered(self, among: Container[str]) -> list[str]:
        """Return those of these discussions that can go on, and forget that they waited."""
        ...


class CheckPlan(Protocol):
    """Raises `ExperimentError` where a run cannot wait for its people."""

    def __call__(self, plan: Plan, *, ends_early: bool) -> None:
        """Check a plan; `ends_early` says that results decide when the run ends."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a feature offers: how to check the plan of a run with such cards, and to open its desk."""

    check: CheckPlan
    open: Callable[[Cast, str | Path], AbstractAsyncContextManager[OpenDesk]]


def check_awaited(plan: Plan, *, ends_early: bool) -> None:
    """Raise `ExperimentError` where a run cannot wait for its people, or nothing seats them."""
    if list_awaited(plan.cast):
        _find_desk(plan.cast).check(plan, ends_early=ends_early)


@asynccontextmanager
async def open_awaited(cast: Cast, place: str | Path) -> AsyncGenerator[OpenDesk | None]:
    """Open the desk of a run folder or of a database if a card of the run needs one.

    Raises `StoreError` if it cannot be used.
    """
    if not list_awaited(cast):
        yield None
        return
    async with _find_desk(cast).open(cast, place) as desk:
        yield desk


def list_awaited(cast: Cast) -> list[str]:
    """Return the names of the cards that are people."""
    return [name for name, card in cast.items() if card.kind is _KIND]


def _find_desk(cast: Cast) -> Desk:
    desk: Desk | None = find_offer("reviewer", _KIND.value)
    if desk is None:
        msg = (
            f"{', '.join(list_awaited(cast))}: no feature seats cards of kind {_KIND.value!r}; "
            "`peerjudge list features` shows those that are here"
        )
        raise ExperimentError(msg)
    return desk
