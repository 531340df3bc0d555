"""The reviewer's own words: a reply without the fenced, quoted and retold passages in it.

An answer may imitate a verdict line, and a reply may quote such an answer; what is quoted is never
the reviewer's verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from peerjudge.verdicts.names import CODE, NAME

__all__ = ["final_block", "own_lines", "plain", "unquoted"]

_THINKING = re.compile(r"(?i)<(/?)think(?:ing)?>")
_DELIMITED = re.compile(
    r"(?i)<(/?)(?:answer|response|output|quote|blockquote)(?:[ _-]?\w{1,12})?>"
    r"|\[the (?:start|(end)) of [^\]\n]{1,60}\]"
    r"|<<< (?:(end) of )?[^<>|\n]{1,80} \| \w{6,16} >>>"
)
_TAG = re.compile(r"(?i)</?(?:final[ _])?(?:verdict|choice|winner|decision|judge?ment)>")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`~]*)")
_INLINE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_SHORT = re.compile(rf"(?:{NAME}|{CODE}|(?i:tie|draw))\.?")
_SHORTEST = 40
_MARKUP = str.maketrans({"*": "", "`": "", "#": "", "_": " ", "\u2019": "'", "\u2018": "'"})


def plain(line: str) -> str:
    """A line without Markdown marks and with single spaces, so that rules see the words only."""
    return " ".join(line.translate(_MARKUP).split())


def unquoted(line: str) -> str:
    """A line with what stands between double quotes taken out, unless that only names an answer."""
    if '"' not in line and "“" not in line and "«" not in line:
        return line
    return _INLINE.sub(_emptied, line)


def own_lines(text: str) -> list[str]:
    """The non-blank lines outside of thinking aloud, fenced code, delimited answers and `>` quotes."""
    if ">" in text:
        # Before all else, so that a quoted mark neither opens nor closes anything.
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    if "<" in text:
        text = _TAG.sub("", _after_thinking(text))
    if "<" in text or "[" in text:
        text = "".join(_outside_delimiters(text))
    lines = text.splitlines()
    if "```" in text or "~~~" in text:
        lines = _outside_fences(lines)
    return [line for line in lines if line and not line.isspace()]


def final_block(text: str) -> str:
    """What the closing code fence of a reply holds, if it ends in one; else the reply itself."""
    text = text.strip()
    if not text.endswith(("```", "~~~")):
        return text
    body = text[:-3]
    start = body.rfind(text[-3:])
    if start < 0:
        return text
    head, _, rest = body[start + 3 :].partition("\n")
    return rest.strip() if re.fullmatch(r"\w* *", head) else f"{head}\n{rest}".strip()


def _emptied(quote: re.Match[str]) -> str:
    inside = quote[0][1:-1]
    if code := _code_only(inside):
        return code
    return f'"{inside[-1]}"' if inside[-1:] in {".", "!", "?"} else '""'


def _code_only(inside: str) -> str:
    """What a pair of marks encloses if it is but a verdict code, which is the reviewer's own."""
    if len(inside) > _SHORTEST:
        return ""
    inside = inside.strip()
    return inside if _SHORT.fullmatch(inside) else ""


def _after_thinking(text: str) -> str:
    """A reply that still thinks at its end has said nothing; a lone closing mark ends a thought."""
    kept: list[str] = []
    at, thinking = 0, False
    for mark in _THINKING.finditer(text):
        if mark[1]:
            kept = kept if thinking else []
            at, thinking = mark.end(), False
        elif not thinking:
            kept.append(text[at : mark.start()])
            thinking = True
    return "".join(kept) if thinking else "".join([*kept, text[at:]])


def _outside_delimiters(text: str) -> Iterator[str]:
    """Yield what stands outside of marked answers, and codes in tags, which a reviewer may use too."""
    at, opened, tagged = 0, -1, False
    for mark in _DELIMITED.finditer(text):
        closes = mark[1] == "/" or mark[2] is not None or mark[3] is not None
        if not closes and opened < 0:
            yield text[at : mark.start()]
            opened, tagged = mark.end(), not mark[0].startswith(("<<<", "["))
        elif closes and opened >= 0:
            yield (tagged and _code_only(text[opened : mark.start()])) or "\n"
            opened, at = -1, mark.end()
    if opened < 0:
        yield text[at:]
    elif tagged:
        yield _code_only(text[opened:])


def _outside_fences(lines: list[str]) -> list[str]:
    """The lines outside of code fences; a reply that is one fence is not quoting.

    Where a fence is left open although more marks follow, what it holds has marks of its own, and
    everything from the first mark to the last counts as fenced.
    """
    marks = [(at, mark) for at, line in enumerate(lines) if (mark := _FENCE.fullmatch(line))]
    if not marks:
        return lines
    first, last = marks[0][0], marks[-1][0]
    if len(marks) == 2 and not any(map(str.strip, lines[:first] + lines[last + 1 :])):
        return lines[first + 1 : last]
    own: list[str] = []
    at, opened = 0, ""
    for line, mark in marks:
        if not opened:
            own += lines[at:line]
            opened = mark[1]
        elif mark[1].startswith(opened) and not mark[2].strip():
            at, opened = line + 1, ""
    if not opened:
        return own + lines[at:]
    cut_off = len(marks) == 1 or bool(marks[-1][1][2].strip())
    return lines[:first] if cut_off else lines[:first] + lines[last + 1 :]
