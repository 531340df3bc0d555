"""Parts of a reply that the rules read: own lines, JSON, and statements in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from peerjudge.verdicts.codes import NAME, Form, code_of
from peerjudge.verdicts.contexts import Context, reports
from peerjudge.verdicts.forms import label, lone_name, lone_number
from peerjudge.verdicts.orders import name_letters, resolve_references
from peerjudge.verdicts.quoting import own_lines, plain, unquoted, unwrap_label
from peerjudge.verdicts.statements import DECIDED, Statement, find_statements, find_worse_of_two
from peerjudge.verdicts.structured import Found, find_json

_SPLIT = re.compile(r"(?<=[.!?])[)\"']? (?=[A-Z\"'(\[])")
_LONGEST = 2000
"""Maximum length of a sentence in characters; of a longer one, only the end is read."""
_PAUSE = re.compile(r"\bis(?:\.\.\.|\u2026) ?")
_ASIDE = re.compile(
    r", (?:however|though|therefore|thus|in my (?:view|opinion)),(?= (?:is|was|has|wins|explains|gives))"
)
_FORCED = re.compile(
    r"(?:\bBut )?\b[Ii]f (?:I(?:'m| am)|we(?:'re| are)) (?:forced|pressed|pushed|made|asked) to"
    r" (?:choose|pick|decide)(?: one)?, "
)
"""Words before a decision that the reviewer takes under protest."""
_ALIAS = re.compile(
    rf"({NAME}),? (?:(?:i\.e\.|that is),? )?\(?(\([A-Ea-e1-9]\)|(?<=\()[A-E](?=\)))\)?"
)
"""An answer named twice: "the second one (B)"."""
_SHORT = 40
_COUNTERED = re.compile(
    rf"\b(?i:but|yet|however,?|on the other hand,?) ({NAME})"
    rf"|(?<!though )(?<!even if )({NAME}) (?:is|seems|feels|reads) (?:\w+ly |much |far |a bit )?(?:easier"
    r"|clearer|simpler|shorter|crisper|cleaner|richer|fuller|deeper|safer|smoother|friendlier|warmer"
    r"|livelier|nicer|neater|tighter|closer|sharper|(?:better|more) \w+)\b(?! than\b)"
)
"""Praise of an answer, or what is said of it after a "but"."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Parts of a reply: the reviewer's own lines, its JSON, and the requested form.

    `lines` are as written; `last` is the last line without Markdown, empty if there is none.
    """

    form: Form
    text: str
    lines: list[str]
    last: str
    json: Found | None

    @property
    def first(self) -> str:
        """First line without Markdown, empty if there is none."""
        return plain(self.lines[0]) if self.lines else ""

    @property
    def finished(self) -> bool:
        """`True` if the last line ends with final punctuation."""
        return self.last.endswith((".", "!", "?", ":", ")", '"', "'", "]"))


def take_apart(text: str, form: Form) -> Reply:
    """Split a reply into the parts that the rules read."""
    lines = own_lines(text)
    return Reply(
        form, text, lines, unwrap_label(plain(lines[-1])) if lines else "", find_json(text)
    )


def stated_from_the_end(reply: Reply) -> Iterator[Statement]:
    """Yield the statements of a reply, last one first."""
    final = True
    for at in range(len(reply.lines) - 1, -1, -1):
        line = plain(reply.lines[at])
        if (
            len(line) < _SHORT
            and at
            and (code := _introduced(plain(reply.lines[at - 1]), line)) is not None
        ):
            yield DECIDED, code
        asked = line
        if at and "?" in reply.lines[at - 1][-4:]:
            asked = f"{plain(reply.lines[at - 1])[-_SHORT:]} {line}"
        if (code := label(asked, last=False)) is not None:
            yield DECIDED, code
        for sentence in reversed(_SPLIT.split(_simplify(line))):
            for strength, code in reversed(find_statements(sentence[-_LONGEST:], final=final)):
                if reply.form.allows(code):
                    yield strength, code
            if reply.form.answers == 2:
                yield from reversed(find_worse_of_two(sentence[-_LONGEST:]))
            final = False


def is_countered(reply: Reply, code: int) -> bool:
    """Return `True` if another answer than the praised one has a merit of its own: both are praised."""
    sentences = (each for line in reply.lines for each in _SPLIT.split(_simplify(plain(line))))
    return any(
        code_of(found[1] or found[2]) not in (None, code)
        and not Context.find(sentence, found.start()).conceded(found.start())
        for sentence in sentences
        for found in _COUNTERED.finditer(sentence)
    )


def _simplify(line: str) -> str:
    """Return a plain line without quotations, asides, references and second names of an answer."""
    said = resolve_references(name_letters(unquoted(line)))
    if " (" in said:
        said = _ALIAS.sub(_named_once, said)
    if ".." in said or "\u2026" in said:
        said = _PAUSE.sub("is ", said)
    if ", " in said:
        said = _FORCED.sub("", _ASIDE.sub("", said))
    return said


def _named_once(alias: re.Match[str]) -> str:
    return alias[1] if code_of(alias[1]) == code_of(alias[2]) else alias[0]


def _introduced(before: str, line: str) -> int | None:
    """Return the code of a line announced by the previous line: "I would choose:"."""
    if not before.endswith(":") or (lone_number(line) is None and lone_name(line) is None):
        return None
    together = f"{before} {line}"
    if (code := label(together, last=False)) is not None:
        return code
    decided = [
        code for strength, code in find_statements(together[-_LONGEST:]) if strength == DECIDED
    ]
    return decided[-1] if decided else None


def retold(reply: Reply) -> bool:
    """Return `True` if the line before the last announces the words of another person."""
    if len(reply.lines) < 2 or ":" not in reply.lines[-2][-8:]:
        return False
    before = plain(reply.lines[-2])
    return before.endswith(":") and reports(before)
