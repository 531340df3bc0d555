"""Who sits in a discussion team: their seats, and their component form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autogen_agentchat.base import ChatAgent, Team
from autogen_core import ComponentModel
from pydantic import BaseModel

from peerjudge.clients import allow_namespace, load_client
from peerjudge.data import Card, Role, Sampling, Seat, content_hash, from_plain, to_plain
from peerjudge.errors import CardError
from peerjudge.reviewers.model import ModelReviewer
from peerjudge.shelf.cards import card_identity, check_name

__all__ = ["Participant", "ParticipantConfig", "dumped", "loaded", "seats_of"]

Participant = ChatAgent | Team | ModelReviewer
"""Who can sit in a discussion team."""

_ROLES = {1: (Role.JUDGE,), 2: (Role.LEADER, Role.FOLLOWER)}


class ParticipantConfig(BaseModel):
    """A participant: an agent or team as it dumps itself, or a model client with its card."""

    component: ComponentModel
    card: dict[str, Any] | None = None


def seats_of(participants: Sequence[Participant]) -> tuple[Seat, ...]:
    """A seat for each, in order; raises `CardError` if two share a name."""
    names = [check_name(who.name) for who in participants]
    if len(set(names)) != len(names):
        msg = f"participants of a discussion need names of their own, not {names}"
        raise CardError(msg)
    roles = _ROLES.get(len(names), (Role.PANELIST,) * len(names))
    return tuple(
        Seat(
            id=f"reviewer_{number}",
            reviewer=name,
            role=role,
            sampling=who.card.sampling if isinstance(who, ModelReviewer) else Sampling(),
            identity=card_identity(who.card)
            if isinstance(who, ModelReviewer)
            else content_hash(f"{type(who).__module__}.{type(who).__qualname__}"),
        )
        for number, (name, role, who) in enumerate(zip(names, roles, participants, strict=True), 1)
    )


def dumped(who: Participant) -> ParticipantConfig:
    """The component form of a participant."""
    if isinstance(who, ModelReviewer):
        card: Any = to_plain(who.card)
        return ParticipantConfig(component=who.client.dump_component(), card=card)
    return ParticipantConfig(component=who.dump_component())


def loaded(config: ParticipantConfig) -> Participant:
    """The participant from its component form."""
    if config.card is not None:
        return ModelReviewer(from_plain(Card, config.card), load_client(config.component))
    allow_namespace(config.component.provider.partition(".")[0])
    if config.component.component_type == "team":
        return Team.load_component(config.component)
    return ChatAgent.load_component(config.component)
