"""Reviewers that receive no gold, and without keys in what they say and in how they fail."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from peerjudge.clients.cleaning import Redaction
from peerjudge.data import Comparison, Request, Utterance, replace
from peerjudge.engine import Reviewer, clean_reply

__all__ = ["find_environment_secrets", "make_redacted"]

_KEY_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$")
_NO_KEY_NAME = re.compile(r"(URL|HOST|ENDPOINT|MODEL|REGION|VERSION|PATH|DIR|HOME|PWD|USER|LANG)$")


def find_environment_secrets(source: str, *, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of the environment that a reviewer in Python may use as keys.

    These are the variables whose names end like that of a key, which libraries read, and those
    that the source names in a text, unless the name ends like that of a place or a model.
    """
    try:
        named = {
            node.value
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    except (SyntaxError, RecursionError):
        named = set[str]()
    values = {
        value.strip()
        for name, value in environ.items()
        if _KEY_NAME.search(name) or (name in named and not _NO_KEY_NAME.search(name))
    }
    return tuple(sorted(values - {""}))


def make_redacted(make: Callable[[], Reviewer], *, secrets: tuple[str, ...]) -> Reviewer:
    """Make a reviewer that receives no gold, with `[key]` for secrets in its utterances and errors.

    An error in `make` is raised without them.
    """
    redaction = Redaction(secrets)
    try:
        return _RedactedReviewer(make(), redaction)
    except Exception as error:
        redaction.redact_error(error)
        raise


def _hide_gold(comparison: Comparison) -> Comparison:
    """Return the comparison without gold, and without values of its source but a reference answer."""
    meta = {key: value for key, value in comparison.meta.items() if key == "reference"}
    return replace(comparison, gold=None, meta=meta)


class _RedactedReviewer:
    def __init__(self, reviewer: Reviewer, redaction: Redaction) -> None:
        self._reviewer = reviewer
        self._redaction = redaction

    @property
    def name(self) -> str:
        return self._reviewer.name

    async def speak(self, request: Request) -> Utterance:
        try:
            hidden = replace(request, comparison=_hide_gold(request.comparison))
            said = clean_reply(await self._reviewer.speak(hidden), request)
        except Exception as error:
            self._redaction.redact_error(error)
            raise
        text, thinking = map(self._redaction.redact_text, (said.text, said.thinking))
        inner = tuple(
            replace(one, text=self._redaction.redact_text(one.text)) for one in said.inner
        )
        if (text, thinking, inner) == (said.text, said.thinking, said.inner):
            return said
        if text == said.text:
            return replace(said, thinking=thinking, inner=inner)
        # The tokens of the reply would spell the key.
        return replace(said, text=text, thinking=thinking, inner=inner, logprobs=None)

    async def close(self) -> None:
        await self._reviewer.close()
