"""Redaction of secrets in replies and errors, as some servers repeat the key of a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from autogen_core.models import CreateResult

from peerjudge.clients.charges import walk_causes

_REDACTED = "[key]"
_SHORTEST_KEY = 6
"""Characters; a shorter secret may be an ordinary word and is not redacted."""


class Redaction:
    """Replacement of secrets by `[key]`."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = tuple(secret for secret in secrets if len(secret) >= _SHORTEST_KEY)

    def redact_reply(self, result: CreateResult) -> CreateResult:
        """Return the reply without secrets; the same object if it has none."""
        content, thought = result.content, result.thought or ""
        if not isinstance(content, str):
            return result
        if not any(key in content or key in thought for key in self._secrets):
            return result
        changed = {"content": self.redact_text(content), "thought": self.redact_text(thought)}
        return result.model_copy(update=changed)

    def redact_error(self, error: BaseException) -> None:
        """Remove secrets from the arguments and attributes of an error and of its causes."""
        if not self._secrets:
            return
        for cause in walk_causes(error):
            if (args := self._redact(cause.args)) != cause.args:
                cause.args = cast("tuple[object, ...]", args)
            for name, value in dict(getattr(cause, "__dict__", {})).items():
                if (redacted := self._redact(value)) != value:
                    setattr(cause, name, redacted)

    def redact_text(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _REDACTED)
        return text

    def _redact(self, value: object) -> object:
        """Return a text or container without secrets; any other value unchanged."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, dict):
            entries = cast("dict[object, object]", value)
            return {key: self._redact(item) for key, item in entries.items()}
        if isinstance(value, list):
            return [self._redact(item) for item in cast("list[object]", value)]
        if isinstance(value, tuple):
            return tuple(self._redact(item) for item in cast("tuple[object, ...]", value))
        return value
