"""What makes a card's reviewer answer as it does, as a digest."""

from __future__ import annotations

from peerjudge.data import Card, ReviewerKind, content_hash

__all__ = ["card_identity"]

_PACE = frozenset({"latency"})
"""Traits that change when a simulated reviewer answers, not what."""


def card_identity(card: Card) -> str:
    """The digest of what makes a card's reviewer answer as it does.

    That is its kind, model, role, traits and source. Its description, its limits, the variable
    that holds its key and its pace are not; its sampling belongs to the seat.
    """
    model = card.model
    traits = {key: value for key, value in card.traits.items() if key not in _PACE}
    return content_hash(
        card.kind.value,
        card.role,
        card.family if card.kind is ReviewerKind.SIMULATED else "",
        None
        if model is None
        else [model.provider, model.name, model.base_url or "", dict(model.options)],
        traits,
        [card.source, card.reviewer],
    )
