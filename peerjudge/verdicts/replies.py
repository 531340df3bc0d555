"""A reply taken apart: its own lines, its JSON, and what its sentences state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from peerjudge.verdicts.line_forms import label, lone_name, lone_number
from peerjudge.verdicts.quoting import own_lines, plain, unquoted
from peerjudge.verdicts.readings import Form
from peerjudge.verdicts.statements import DECIDED, Statement, statements
from peerjudge.verdicts.structured import Found, find_json

__all__ = ["Reply", "stated_from_the_end", "take_apart"]

_SPLIT = re.compile(r"(?<=[.!?])[)\"']? (?=[A-Z\"'(\[])")
_LONGEST = 2000
"""No sentence is longer than this many characters; of what looks like one, only the end is read."""
_SHORT = 40


@dataclass(frozen=True, slots=True)
class Reply:
    """What the reviewer wrote in its own words, and in which form it was asked.

    `lines` are as written; `last` is the last of them in plain words, empty if there is none.
    """

    form: Form
    lines: list[str]
    last: str
    json: Found | None

    @property
    def first(self) -> str:
        """The first line in plain words, empty if there is none."""
        return plain(self.lines[0]) if self.lines else ""

    @property
    def finished(self) -> bool:
        """Whether the last line ends as sentences end."""
        return self.last.endswith((".", "!", "?", ":", ")", '"', "'", "]"))


def take_apart(text: str, form: Form) -> Reply:
    """The parts of a reply that rules look at."""
    lines = own_lines(text)
    return Reply(form, lines, plain(lines[-1]) if lines else "", find_json(text))


def stated_from_the_end(reply: Reply) -> Iterator[Statement]:
    """Yield what the reply states, last statement first."""
    final = True
    for at in range(len(reply.lines) - 1, -1, -1):
        line = plain(reply.lines[at])
        if (
            len(line) < _SHORT
            and at
            and (code := _introduced(plain(reply.lines[at - 1]), line)) is not None
        ):
            yield DECIDED, code
        if (code := label(line, last=False)) is not None:
            yield DECIDED, code
        for sentence in reversed(_SPLIT.split(unquoted(line))):
            for strength, code in reversed(statements(sentence[-_LONGEST:], final=final)):
                if reply.form.allows(code):
                    yield strength, code
            final = False


def _introduced(before: str, line: str) -> int | None:
    """The code on a line of its own that the line before it announces: "I would choose:"."""
    if not before.endswith(":") or (lone_number(line) is None and lone_name(line) is None):
        return None
    together = f"{before} {line}"
    if (code := label(together, last=False)) is not None:
        return code
    decided = [code for strength, code in statements(together[-_LONGEST:]) if strength == DECIDED]
    return decided[-1] if decided else None
