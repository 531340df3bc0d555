"""Fences around what others wrote, which nothing inside them can close or imitate.

Questions, answers and the words of other reviewers are material, and may have been written to
steer whoever judges them. Each goes between two lines that carry one mark per prompt. The mark is
chosen after the material is known and occurs nowhere in it, so no line of it can be a fence line
of this prompt, whatever it copies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

__all__ = ["fence", "unused_mark"]

_MARK_DIGITS = 10


def unused_mark(basis: Sequence[str], others: Sequence[str] = ()) -> str:
    """A mark that occurs in none of these texts; the same for the same texts.

    It is derived from `basis` alone as long as it does not occur in `others`, so that a discussion
    keeps its mark from turn to turn, and the prompts of its turns share a long prefix.
    """
    datas = [text.encode("utf-8", "surrogatepass") for text in basis]
    content = b"".join([b"%d:%b" % (len(data), data) for data in datas])
    text = "\n".join((*basis, *others))
    tried = 0
    while (mark := _mark(b"%d%b" % (tried, content))) in text:
        tried += 1
    return mark


def _mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_MARK_DIGITS]


def fence(label: str, text: str, *, mark: str) -> str:
    """The text, verbatim, between an opening and a closing line that carry the mark."""
    return f"<<< {label} | {mark} >>>\n{text}\n<<< end of {label} | {mark} >>>"
