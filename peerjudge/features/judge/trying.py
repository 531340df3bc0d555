"""Trial of a reviewer: one private review of one comparison of the sample, by any card."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from peerjudge.data import Comparison, Condition, Orders, ReviewerKind
from peerjudge.datasets import load
from peerjudge.errors import PeerJudgeError
from peerjudge.features.judge.judging import judge
from peerjudge.features.judge.opened import JudgingFailedError
from peerjudge.shelf import Shelf
from peerjudge.testing.tried import TriedCard

__all__ = [
    "TriedCard",
    "try_cards",
]

_PROTOCOL = "pairwise_cot"
"""One turn with reasons and a verdict, so that a trial is one reply."""
_DEADLINE = 300.0


async def try_cards(
    names: Sequence[str],
    *,
    shelf: Shelf,
    cost_limit: float | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[TriedCard]:
    """Let each card review the first comparison of the sample once, and yield what it said.

    Nothing is stored. `cost_limit` (USD) holds for each card, and needs a card with known prices. A card
    that fails in any way yields a `problem`.

    Raises:
        ShelfError: No card has one of the names; nothing has been tried then.
    """
    cards = [shelf.card(name) for name in names]
    sample = load("sample").comparisons[0]
    for card in cards:
        if card.kind is ReviewerKind.RECORDED:
            yield TriedCard(
                card=card.name, problem="replays recorded reviews, which have none of the sample"
            )
            continue
        try:
            yield await _try_card(
                card.name, sample, shelf=shelf, cost_limit=cost_limit, environ=environ
            )
        except JudgingFailedError as error:
            yield TriedCard(card=card.name, problem=error.reason or str(error))
        except PeerJudgeError as error:
            yield TriedCard(card=card.name, problem=str(error))


async def _try_card(
    name: str,
    sample: Comparison,
    *,
    shelf: Shelf,
    cost_limit: float | None,
    environ: Mapping[str, str] | None,
) -> TriedCard:
    found = await judge(
        sample.question,
        sample.answers,
        by=Condition(name="trial", protocol=_PROTOCOL, seats=(name,), orders=Orders.GIVEN),
        cache="none",
        cost_limit=cost_limit,
        deadline=_DEADLINE,
        shelf=shelf,
        environ=environ,
    )
    ((turn,),) = (transcript.turns for transcript in found.transcripts)
    said, index = turn.utterance, found.index
    return TriedCard(
        card=name,
        verdict=f"Answer {index + 1}" if index is not None else str(found.verdict.outcome),
        rule=turn.review.rule,
        text=said.text,
        usage=said.usage,
        metered=not found.cost.unmetered,
        usd=found.cost.usd,
        latency=said.latency,
        inner=len(said.inner),
        problem="" if found.readable else _describe_unread(turn.review.rule),
    )


def _describe_unread(rule: str) -> str:
    why = f" ({rule})" if rule else ""
    return f"no verdict was read from its reply{why}; end replies with a line such as `Choice: Answer (a)`"
