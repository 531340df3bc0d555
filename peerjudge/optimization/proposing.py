"""Ask the proposer: each request of a search is a text that its card writes into the place."""

from __future__ import annotations

from collections.abc import Mapping

from peerjudge.data import Propose, Proposed, ReviewerKind, TextReply, replace
from peerjudge.errors import ExperimentError
from peerjudge.optimization.playing import FAILED, Book, StoppedError, add_reserve
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.ledger import Spending
from peerjudge.runs.texts import WritingTask
from peerjudge.runs.writing import write_texts
from peerjudge.shelf import Shelf

_LONGEST = 800
"""Limit of a proposal where the card of the proposer sets none. [tokens]"""


def require_proposer(name: str, shelf: Shelf) -> None:
    """Raise `ExperimentError` unless the card can write proposals."""
    kind = shelf.card(name).kind
    if kind not in (ReviewerKind.MODEL, ReviewerKind.PYTHON):
        msg = (
            f"the proposer {name!r} is a {kind.value} reviewer, which writes no prompts; name a card with a "
            "[model], or a .py reviewer"
        )
        raise ExperimentError(msg)


async def propose(
    step: Propose,
    *,
    card: str,
    seed: int,
    place: Place,
    bounds: Bounds,
    reserve: Spending,
    book: Book,
    shelf: Shelf,
    environ: Mapping[str, str] | None,
) -> Proposed:
    """Send the requests of a step to the proposer and return its replies, in order.

    Raises:
        StoppedError: a limit was reached.
    """
    sampling = shelf.card(card).sampling
    if sampling.max_tokens is None:
        sampling = replace(sampling, max_tokens=_LONGEST)
    tasks = [
        WritingTask(
            id=request.id,
            card=card,
            task="propose",
            messages=request.messages,
            draw=request.draw,
            sampling=replace(sampling, seed=request.draw, logprobs=False),
        )
        for request in step.requests
    ]
    result = await write_texts(
        tasks,
        place=place,
        bounds=bounds.leave(reserve),
        seed=seed,
        shelf=shelf,
        environ=environ,
    )
    book.paid += result.calls.paid
    book.cached += result.calls.cached
    book.failed += result.calls.failed
    book.tokens += result.tokens
    known = book.cost_usd is not None and result.cost_usd is not None
    book.cost_usd = (book.cost_usd or 0.0) + (result.cost_usd or 0.0) if known else None
    if result.stopped is not None:
        raise StoppedError(result.stopped, add_reserve(result, reserve))
    for one in result.texts:
        if one.failure is not None:
            # A failed text is not kept: to go on without it would give another search next time.
            raise StoppedError(FAILED, why=f"{card}: {one.failure.kind}: {one.failure.message}")
    return Proposed(
        replies=tuple(TextReply(id=text.task.id, text=text.text or "") for text in result.texts)
    )
