"""How a reply names an answer: by number, by letter, or by its place in the shown order."""

from __future__ import annotations

import re

from peerjudge.verdicts.readings import TIE_CODE

__all__ = ["CODE", "NAME", "NOUN", "TIE_WORDS", "code_of"]

NOUN = (
    r"(?:assistant|answer|response|output|option|candidate|submission|solution|model|choice|reply"
    r"|text|summary|system|version|chatbot)"
)
_WORK = (
    r"(?:code|implementation|script|program|essay|story|poem|email|letter|post|review|list|article"
    r"|speech|draft|work)"
)
_LABEL = r"(?:\(?#?[1-9](?![\w/%])(?!\.\d)\)?|\([A-Ea-e]\)|[A-E](?![\w/+]))"
_OWNED = rf"(?:'s?(?i: {NOUN}\b| {_WORK}\b)?)?"

NAME = (
    rf"(?:(?i:the )?(?i:\b{NOUN})(?i: number| no\.| option)? ?{_LABEL}{_OWNED}"
    rf"|(?i:the (?:first|second|third|fourth)(?: AI)? (?:{NOUN}|one))\b{_OWNED})"
)
"""An answer called by name: "Assistant 1's answer", "Output (b)", "the second response"."""

CODE = r"(?:\[\[[A-E1-9]\]\]|\[[A-E1-9]\]|\([A-Ea-e1-9]\)|(?:[1-9]|[A-E])(?![\w/%'])(?!\.\d))"
"""An answer called by its bare code: `2`, `B`, `(b)`, `[[B]]`."""

TIE_WORDS = (
    r"(?:(?:it is |it's |this is )?(?:a |an )?(?:tie|tied|draw|equal|equivalent|equally good))"
)

_TIE = re.compile(rf"(?i){TIE_WORDS}\W{{0,9}}")
_MARK = re.compile(r"([1-9])|\(([A-Ea-e])\)|\b([A-E])\b(?!')|\b(?i:(first|second|third|fourth))\b")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def code_of(name: str) -> int | None:
    """The code in a `NAME` or `CODE` (1 for the first shown answer), or `TIE_CODE` for a tie word."""
    found = _MARK.search(name)
    if found is None:
        return TIE_CODE if _TIE.fullmatch(name) else None
    digit, bracketed, letter, ordinal = found.groups()
    if digit:
        return int(digit)
    if ordinal:
        return _ORDINALS[ordinal.lower()]
    return ord((bracketed or letter).upper()) - ord("A") + 1
