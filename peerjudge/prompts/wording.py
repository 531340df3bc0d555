"""Wording of a rendered prompt: its instructions without the question, the answers and the replies."""

from __future__ import annotations

import re
from collections.abc import Iterable

from peerjudge.data import Message

_QUOTED = re.compile(r"(?<!\S)>(?: .*)?$", re.MULTILINE)
_FENCED = re.compile(
    r"<<< (?P<label>[^\n]*) \| (?P<mark>[0-9a-f]{10}) >>>\n.*?\n<<< end of (?P=label) \| (?P=mark) >>>",
    re.DOTALL,
)


def extract_wording(messages: Iterable[Message]) -> str:
    """Return the words of the pack and the role in a prompt, with single spaces between them.

    The reviewer's own earlier replies are left out, and so is everything that is delimited: from a
    `>` at the beginning of a line or after a space to the end of that line, and every block between
    fence lines. Fence marks are left out too, because they depend on the texts in the fences. The
    result is therefore the same for every question and every answer. The system message has no
    delimited text, so nothing of it but the marks is left out.
    """
    parts: list[str] = []
    marks: set[str] = set()
    for message in messages:
        if message.role == "assistant":
            continue
        text = message.text
        if message.role == "user":
            # Quoted lines go first: what they contain cannot imitate a fence afterwards, and in a
            # fenced text the closing line stays whole, as it has no quotation sign after a space.
            text = _QUOTED.sub("", text)
            marks.update(found["mark"] for found in _FENCED.finditer(text))
            text = _FENCED.sub("", text)
        parts.append(text)
    wording = "\n".join(parts)
    for mark in marks:
        wording = wording.replace(mark, "")
    return " ".join(wording.split())
