"""Keeps keys out of cards: a card is shared, a secret is not."""

from __future__ import annotations

import re

from peerjudge.shelf.cards.naming import refuse

__all__ = ["looks_secret", "refuse_secret"]

_SECRET_NAME = re.compile(r"(^|[_-])(key|token|secret|password|authorization)$", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"^(sk|pk|gsk|xai|hf|Bearer)[-_ ][\w-]{12,}$")


def looks_secret(value: object) -> bool:
    """Whether the value has the shape of a key."""
    return isinstance(value, str) and _SECRET_VALUE.match(value.strip()) is not None


def refuse_secret(name: str, where: str, key: str, value: object) -> None:
    """Raises `CardError` for a field that holds a secret by its name or by its shape."""
    named = _SECRET_NAME.search(key) is not None and isinstance(value, str)
    if named or looks_secret(value):
        refuse(
            name,
            f"holds a secret in {where}: delete it (and renew it if it was shared), export it as an "
            "environment variable and write key_env = 'NAME_OF_THE_VARIABLE' under [model]",
        )
