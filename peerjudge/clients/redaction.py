"""Takes keys out of replies and failures: some servers send back what they were sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from autogen_core.models import CreateResult

__all__ = ["Redaction"]

_INSTEAD = "[key]"
_SHORTEST = 6
"""Anything shorter is no key, and may be a word. [characters]"""


class Redaction:
    """Finds these keys in texts and puts `[key]` in their place.

    Args:
        secrets: The keys.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = tuple(secret for secret in secrets if len(secret) >= _SHORTEST)

    def of(self, result: CreateResult) -> CreateResult:
        """The reply without keys; the same one if it has none."""
        content = result.content
        if not isinstance(content, str) or not any(key in content for key in self._secrets):
            return result
        return result.model_copy(update={"content": self.text(content)})

    def clean(self, error: BaseException) -> None:
        """Take the keys out of what this failure, and whatever caused it, says of itself."""
        if not self._secrets:
            return
        for each in _chain(error):
            if (args := self._plain(each.args)) != each.args:
                each.args = cast("tuple[object, ...]", args)
            for name, value in dict(getattr(each, "__dict__", {})).items():
                if (cleaned := self._plain(value)) != value:
                    setattr(each, name, cleaned)

    def text(self, text: str) -> str:
        """The text without keys."""
        for secret in self._secrets:
            text = text.replace(secret, _INSTEAD)
        return text

    def _plain(self, value: object) -> object:
        """A text without keys, and containers of them; anything else as it is."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            entries = cast("dict[object, object]", value)
            return {key: self._plain(item) for key, item in entries.items()}
        if isinstance(value, list):
            return [self._plain(item) for item in cast("list[object]", value)]
        if isinstance(value, tuple):
            return tuple(self._plain(item) for item in cast("tuple[object, ...]", value))
        return value


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [each.__cause__, each.__context__]
