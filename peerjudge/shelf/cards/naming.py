"""What can name a reviewer, and the one way a card is refused."""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import NoReturn

from peerjudge.errors import CardError

__all__ = ["check_name", "refuse"]


def check_name(name: str) -> str:
    """The name itself if it can name a reviewer; raises `CardError` if AutoGen would refuse it.

    AutoGen wants an identifier of agents, and its clients send names of at most 64 ASCII letters.
    """
    if not (name.isidentifier() and name.isascii()) or iskeyword(name) or len(name) > 64:
        suggestion = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:60] or "reviewer"
        if suggestion[0].isdigit() or iskeyword(suggestion):
            suggestion = f"r_{suggestion}"
        msg = (
            f"{name!r} cannot name a reviewer: use at most 64 letters, digits and underscores, not "
            f"starting with a digit and not a Python keyword, for example {suggestion!r}"
        )
        raise CardError(msg)
    return name


def refuse(name: str, problem: str, cause: BaseException | None = None) -> NoReturn:
    """Raises `CardError`: the card of this name, and what is wrong with it."""
    msg = f"card {name!r} {problem}"
    raise CardError(msg) from cause
