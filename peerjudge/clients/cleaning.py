"""Cleaning of replies and errors: values that can be stored, and no secrets.

A field that cannot be stored is left out, so that the text of a paid reply is kept. Some servers repeat
the key of a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from autogen_core.models import ChatCompletionTokenLogprob, CreateResult, RequestUsage, TopLogprob

from peerjudge.clients.charges import walk_causes
from peerjudge.data.cleaning import clean_count, clean_logprob, clean_text
from peerjudge.logs import get_logger

_REDACTED = "[key]"
_SHORTEST_KEY = 6
"""Characters; a shorter secret may be an ordinary word and is not redacted."""

_log = get_logger()


class ReplyCleaner:
    """Cleaner of the replies of one model, with one warning for each kind of value.

    Args:
        model: Name of the model, for the warnings.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._warned: set[str] = set()

    def clean(self, result: CreateResult) -> CreateResult:
        """Return a reply whose text, token counts and log-probabilities can be stored and read again.

        Halves of surrogate pairs become U+FFFD. Impossible token counts become 0, for an estimate.
        Log-probabilities are left out if one of them is no number.
        """
        changes = _find_changes(result)
        if not changes:
            return result
        for name in changes.keys() - self._warned:
            self._warned.add(name)
            _log.warning(
                "replies contain values that cannot be stored; they are replaced",
                model=self._model,
                value=name,
            )
        return result.model_copy(update=changes)


def _find_changes(result: CreateResult) -> dict[str, object]:
    changes: dict[str, object] = {}
    for name in ("content", "thought"):
        text: object = getattr(result, name)
        if isinstance(text, str) and (cleaned := clean_text(text)) != text:
            changes[name] = cleaned
    usage = result.usage
    prompt, reply = clean_count(usage.prompt_tokens), clean_count(usage.completion_tokens)
    if prompt is None or reply is None:
        changes["usage"] = RequestUsage(prompt_tokens=0, completion_tokens=0)
    if result.logprobs and any(map(_needs_cleaning, result.logprobs)):
        changes["logprobs"] = _clean_logprobs(result.logprobs)
    return changes


def _needs_cleaning(token: ChatCompletionTokenLogprob) -> bool:
    alternatives = token.top_logprobs or ()
    for each in (token, *alternatives):
        cleaned = clean_logprob(each.logprob)
        if cleaned is None or cleaned != each.logprob or not _is_spelt(each.bytes):
            return True
    return not token.token.isascii() and clean_text(token.token) != token.token


def _is_spelt(given: object) -> bool:
    """Return whether the bytes of a token or alternative are bytes, or missing."""
    if not isinstance(given, list):
        return given is None
    try:
        bytes(cast("list[int]", given))
    except (TypeError, ValueError):
        return False
    return True


def _clean_logprobs(
    tokens: list[ChatCompletionTokenLogprob],
) -> list[ChatCompletionTokenLogprob] | None:
    cleaned: list[ChatCompletionTokenLogprob] = []
    for token in tokens:
        logprob = clean_logprob(token.logprob)
        alternatives = [
            (clean_logprob(top.logprob), top.bytes if _is_spelt(top.bytes) else None)
            for top in token.top_logprobs or ()
        ]
        if logprob is None or any(value is None for value, _ in alternatives):
            return None
        tops = [TopLogprob(logprob=value or 0.0, bytes=given) for value, given in alternatives]
        changes = {"token": clean_text(token.token), "logprob": logprob, "top_logprobs": tops}
        spelt = token.bytes if _is_spelt(token.bytes) else None
        cleaned.append(token.model_copy(update={**changes, "bytes": spelt}))
    return cleaned


class Redaction:
    """Replacement of secrets by `[key]`."""

    def __init__(self, secrets: Sequence[str]) -> None:
        kept = [secret for secret in secrets if len(secret) >= _SHORTEST_KEY]
        # A key can contain another one, so replace the longest first.
        self._secrets = tuple(sorted(kept, key=len, reverse=True))

    def redact_reply(self, result: CreateResult) -> CreateResult:
        """Return the reply without secrets; the same object if it has none."""
        content, thought = result.content, result.thought or ""
        if not isinstance(content, str):
            return result
        if not any(key in content or key in thought for key in self._secrets):
            return result
        redacted = self.redact_text(content)
        changed = {"content": redacted, "thought": self.redact_text(thought)}
        # The tokens of the reply would spell the key.
        logprobs = result.logprobs if redacted == content else None
        return result.model_copy(update={**changed, "logprobs": logprobs})

    def redact_error(self, error: BaseException) -> None:
        """Remove secrets from the arguments and attributes of an error and of its causes."""
        if not self._secrets:
            return
        for cause in walk_causes(error):
            if (args := self.redact(cause.args)) != cause.args:
                cause.args = cast("tuple[object, ...]", args)
            for name, value in dict(getattr(cause, "__dict__", {})).items():
                if (redacted := self.redact(value)) != value:
                    setattr(cause, name, redacted)

    def redact_text(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _REDACTED)
        return text

    def redact(self, value: object) -> object:
        """Return a text or container without secrets; any other value unchanged."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, dict):
            entries = cast("dict[object, object]", value)
            return {key: self.redact(item) for key, item in entries.items()}
        if isinstance(value, list):
            return [self.redact(item) for item in cast("list[object]", value)]
        if isinstance(value, tuple):
            return tuple(self.redact(item) for item in cast("tuple[object, ...]", value))
        return value
