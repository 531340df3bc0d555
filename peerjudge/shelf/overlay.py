"""A shelf with cards and prompt packs laid over it in memory, for texts that are on trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from peerjudge.data import Card, PromptPack, content_hash, to_plain
from peerjudge.shelf.folders import Entry, Kind
from peerjudge.shelf.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class OverlaidShelf(Shelf):
    """A shelf whose cards and packs of these names are those given; everything else is as below.

    `origins` names the item on the shelf below from which a card or pack with a new name was made.
    """

    cards: Mapping[str, Card] = field(default_factory=dict[str, Card])
    packs: Mapping[str, PromptPack] = field(default_factory=dict[str, PromptPack])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])

    def find(self, kind: Kind, name: str) -> Entry:
        """Return the entry of this name, or of the item that it was made from; executes nothing."""
        return super().find(kind, self.origins.get(name, name))

    def digest(self, kind: Kind, name: str) -> str:
        """Return the SHA-256 of the file, or the digest of what is laid over it."""
        over: Card | PromptPack | None = None
        if kind == "agents":
            over = self.cards.get(name)
        elif kind == "prompts":
            over = self.packs.get(name)
        return super().digest(kind, name) if over is None else content_hash(to_plain(over))

    def card(self, name: str) -> Card:
        """Return the card of this name."""
        return self.cards[name] if name in self.cards else super().card(name)

    def prompts(self, name: str) -> PromptPack:
        """Return the prompt pack of this name."""
        return self.packs[name] if name in self.packs else super().prompts(name)

    def factory(self, name: str) -> Callable[[], object] | None:
        """Return the function that makes a reviewer of the user's own; else `None`."""
        return super().factory(self.origins.get(name, name))
