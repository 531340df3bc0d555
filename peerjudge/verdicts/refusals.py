"""Replies that decline to judge."""

from __future__ import annotations

import re

__all__ = ["refuses"]

_OPENING = 300

_REFUSES = re.compile(
    r"\b(?i:(?:i|we)(?:'m| am| are)?(?: (?:sorry|afraid)[,;:.]?(?: but)?(?: that)? (?:i|we)(?:'m| am| are)?)?"
    r" (?:can ?not|can't|won't|will not|unable to|not able to|(?:must )?decline to|refuse to|must refuse to"
    r"|not comfortable)(?: \w+){0,2}? (?:assist|help|comply|evaluat(?:e|ing)|judg(?:e|ing)|rat(?:e|ing)"
    r"|compar(?:e|ing)|answer(?:ing)?|respond|fulfill?|engage|participate|continue|do (?:this|that)|discuss"
    r"|promote|satisfy|complete|(?:provid|giv)(?:e|ing) (?:an?|any|my) (?:response|evaluation|judge?ment"
    r"|answer|verdict|comparison|decision|assessment)))\b"
)


def refuses(opening: str) -> bool:
    """Whether a reply, by its beginning in plain words, declines the task as such.

    Not being able to tell which answer is better is not a refusal but an unreadable verdict.
    """
    return bool(_REFUSES.search(opening[:_OPENING]))
