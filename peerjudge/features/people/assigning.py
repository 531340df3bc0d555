"""Assignment of a study's items to people: who judges what, in which order, and when a check is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from peerjudge.data import content_hash
from peerjudge.features.people.nouns import CheckKind, Claim

_KINDS = (CheckKind.TOLD, CheckKind.PLAIN, CheckKind.REVERSED)
_LEAST_JUDGED = 2
"""Judgements that a person has given before the first check."""


def count_others(claims: Iterable[Claim], annotator: str) -> Counter[str]:
    """Return, by item, the number of other people whose claims hold."""
    return Counter(
        claim.item
        for claim in claims
        if claim.check is None and claim.live and claim.annotator != annotator
    )


def count_left(
    items: Iterable[str], claims: Sequence[Claim], *, annotator: str, judgments: int
) -> int:
    """Return the number of items that a person can judge now, those that they hold included."""
    taken = count_others(claims, annotator)
    judged = {
        claim.item
        for claim in claims
        if claim.annotator == annotator and claim.answered and claim.check is None
    }
    return sum(item not in judged and taken[item] < judgments for item in items)


def find_begun(
    claims: Sequence[Claim], *, annotator: str, judgments: int, left: bool
) -> Claim | None:
    """Return the first task of a person that is begun and can still be answered.

    Args:
        claims: All claims.
        annotator: The person.
        judgments: Number of people for each item.
        left: Find tasks that the person left for later, in place of the others.
    """
    taken = count_others(claims, annotator)
    return next(
        (
            claim
            for claim in claims
            if claim.annotator == annotator
            and not claim.answered
            and claim.left == left
            and (claim.check is not None or taken[claim.item] < judgments)
        ),
        None,
    )


def choose_item(
    orders: Mapping[str, int],
    claims: Sequence[Claim],
    *,
    annotator: str,
    judgments: int,
    seed: int,
) -> tuple[str, int] | None:
    """Return the item that a person judges next, and the number of the order in which it is shown.

    Items that others have begun go first, so that items are complete early; then those whose rarest order
    is the rarest one of the person; then in an order drawn for the person.

    Args:
        orders: Number of orders by item.
        claims: All claims.
        annotator: The person.
        judgments: Number of people for each item.
        seed: Seed of the draw.
    """
    taken = count_others(claims, annotator)
    claimed = {
        claim.item for claim in claims if claim.annotator == annotator and claim.check is None
    }
    held = [one for one in claims if one.check is None and one.live]
    by_item = Counter((one.item, one.order) for one in held)
    own = Counter(one.order for one in held if one.annotator == annotator)
    best: tuple[tuple[bool, int, str], str, int] | None = None
    for item, number in orders.items():
        if item in claimed or taken[item] >= judgments:
            continue
        draw = content_hash(seed, "item", annotator, item)
        _, balance, order = min(
            (by_item[item, order], own[order], (order + int(draw[:8], 16)) % number)
            for order in range(number)
        )
        order = (order - int(draw[:8], 16)) % number
        key = (taken[item] == 0, balance, draw)
        if best is None or key < best[0]:
            best = key, item, order
    return None if best is None else best[1:]


def find_due_check(
    claims: Sequence[Claim], *, annotator: str, share: float, seed: int
) -> CheckKind | None:
    """Return the kind of check that is a person's next task, `None` where it is none.

    Of every 1 / `share` tasks one is a check, at a place that is drawn; the kinds alternate. The first
    comes after two judgements.
    """
    if share <= 0:
        return None
    own = [claim for claim in claims if claim.annotator == annotator]
    checks = sum(one.check is not None for one in own)
    if sum(one.answered and one.check is None for one in own) < _LEAST_JUDGED:
        return None
    size = max(round(1 / share), 2)
    block, place = divmod(len(own), size)
    reached = place >= _draw(size, seed, "place", annotator, block)
    if checks >= block + reached:
        return None
    return _KINDS[(checks + _draw(len(_KINDS), seed, "kind", annotator)) % len(_KINDS)]


def _draw(size: int, *parts: object) -> int:
    """Return a number below `size` that these parts determine."""
    return int(content_hash(*parts)[:8], 16) % size
