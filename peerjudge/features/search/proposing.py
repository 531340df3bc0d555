"""Ask the proposer: each request of a search is a text that its card writes into the place."""

from __future__ import annotations

from peerjudge.data import ReviewerKind, replace
from peerjudge.data.texts import TextReply
from peerjudge.errors import ExperimentError
from peerjudge.features.search.nouns import Propose, Proposed
from peerjudge.features.search.playing import FAILED, Player, StoppedError, add_reserve
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
    step: Propose, *, card: str, seed: int, player: Player, reserve: Spending
) -> Proposed:
    """Send the requests of a step to the proposer and return its replies, in order.

    The texts are kept in the place of the player, within its limits less the reserve.

    Raises:
        StoppedError: a limit was reached.
    """
    sampling = player.shelf.card(card).sampling
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
        place=player.place,
        bounds=player.bounds.leave(reserve),
        seed=seed,
        shelf=player.shelf,
        environ=player.environ,
    )
    player.spent.add(result)
    if result.stopped is not None:
        raise StoppedError(result.stopped, add_reserve(result, reserve))
    for one in result.texts:
        if one.failure is not None:
            # A failed text is not kept: to go on without it would give another search next time.
            raise StoppedError(FAILED, why=f"{card}: {one.failure.kind}: {one.failure.message}")
    return Proposed(
        replies=tuple(TextReply(id=text.task.id, text=text.text or "") for text in result.texts)
    )
