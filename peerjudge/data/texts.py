"""Requests for one text, and the replies of the model that writes it."""

from __future__ import annotations

from typing import Literal

from peerjudge.data.discussion import Message
from peerjudge.data.nouns import Noun

__all__ = ["TextReply", "TextRequest"]


class TextRequest(Noun, frozen=True, kw_only=True):
    """A request for one text, for the proposer.

    `id` is unique in the search and the same in every replay; `kind` names the meta-prompt; `messages`
    are a system and a user message; `draw` tells requests with equal messages apart, as a sampling
    seed does.
    """

    id: str
    kind: Literal["paraphrase", "opro"]
    messages: tuple[Message, ...]
    target: str
    parent: str
    draw: int


class TextReply(Noun, frozen=True, kw_only=True):
    """The proposer's whole reply to the request with this id, or why there is none."""

    id: str
    text: str = ""
    failure: str = ""
