"""What one seat has been told so far, as chat messages that only grow from prompt to prompt."""

from __future__ import annotations

from typing import Literal

from peerjudge.data import Message, Turn

__all__ = ["Listener"]

_apart = "\n\n".join
_Role = Literal["user", "assistant"]


class Listener:
    """A seat that is asked again and again, and is told every turn once.

    Neighbours of one role are one message: some providers demand that roles alternate. What the
    moderator says has no source, and neither has a message that holds some of it.

    Args:
        mark: The mark of the fences around what it is told.
        opening: The system message.
        scene: What it is shown.
        instruction: What it is asked for every time.
    """

    __slots__ = ("_instruction", "_messages", "_parts", "_role", "_source", "heard", "mark")

    def __init__(self, *, mark: str, opening: str, scene: str, instruction: str) -> None:
        self.mark = mark
        self.heard: tuple[Turn, ...] = ()
        self._messages = [Message(role="system", text=opening)]
        self._role: _Role = "user"
        self._source = ""
        self._parts = [scene] if scene else []
        self._instruction = [instruction] if instruction else []

    def news(self, heard: tuple[Turn, ...]) -> tuple[Turn, ...] | None:
        """The rest of these turns, if what it was told already is how they begin.

        `None` where the rest cannot be added: the mark occurs in it, or something private comes
        after a discussion has begun, and what is private is told first.
        """
        told = self.heard
        if heard[: len(told)] != told:
            return None
        news = heard[len(told) :]
        for turn in news:
            if self.mark in turn.utterance.text:
                return None
            if turn.cue.private and not all(earlier.cue.private for earlier in told):
                return None
        return news

    def learn(self, text: str) -> None:
        """Add to what it is shown what somebody said before there was a discussion."""
        if text:
            self._parts.append(text)

    def hear(self, role: _Role, text: str, source: str) -> None:
        """Add what was said in the discussion, if anything; as `assistant` are the seat's own words."""
        if not text:
            return
        if role == self._role:
            self._parts.append(text)
            self._source = source if self._source == source else ""
        else:
            self._messages.append(self._latest())
            self._role, self._source, self._parts = role, source, [text]

    def asked(self) -> tuple[Message, ...]:
        """The prompt that ends in the instruction."""
        if self._role == "assistant":
            last = Message(role="user", text=_apart(self._instruction))
            return (*self._messages, self._latest(), last)
        return (*self._messages, Message(role="user", text=_apart(self._parts + self._instruction)))

    def _latest(self) -> Message:
        return Message(role=self._role, text=_apart(self._parts), source=self._source)
