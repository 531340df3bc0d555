"""Own words of a reviewer: the reply without thinking, fenced code, quoted answers and quotations.

An answer may imitate a verdict line, and a reply may quote such an answer; quoted text is never the
reviewer's verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from peerjudge.verdicts.codes import CODE, NAME

_ANY = r"(?:<(/?)(?:think(?:ing)?|thought|seed:think)>|\[(/?)THINK\]|◁(/?)think▷)"
_THINKING = re.compile(rf"(?i)(?P<mention>[`\"“](?=.{{,13}}[`\"”]))?{_ANY}(?(mention)[`\"”])")
_PARTS = ("hink>", "hinking>", "HINK>", "hink]", "HINK]", "ought>", "think▷")


def split_thinking(text: str) -> tuple[str, str]:
    """Return the thinking in a text and the text outside of it, which has no thinking tags.

    A tag that is never closed extends to the end: the reply was cut off while the model was
    thinking. A closing tag alone ends thinking that began at the start, as some chat templates write the
    opening tag into the prompt. A tag in quotation marks or backticks is a mention.
    """
    closed = ">" in text or "]" in text or "▷" in text
    if not closed or not any(part in text for part in _PARTS) or _THINKING.search(text) is None:
        return "", text
    thought: list[str] = []
    kept: list[str] = []
    at, thinking = 0, False
    for tag in _THINKING.finditer(text):
        if tag["mention"]:
            continue
        if any(tag.groups()):
            thought += [text[at : tag.start()]] if thinking else [*kept, text[at : tag.start()]]
            kept = kept if thinking else []
            at, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[at : tag.start()])
            at, thinking = tag.end(), True
    (thought if thinking else kept).append(text[at:])
    return "\n".join(filter(None, map(str.strip, thought))), "".join(kept).strip()


_DELIMITED = re.compile(
    r"(?i)<(/?)(?:answer|response|output|quote|blockquote)(?:[ _-]?\w{1,12})?>"
    r"|\[the (?:start|(end)) of [^\]\n]{1,60}\]"
    r"|<<< (?:(end) of )?[^<>|\n]{1,80} \| \w{6,16} >>>"
)
_TAG = re.compile(
    r"(?i)</?(?:final[ _])?(?:verdict|choice|result|winner|decision|judge?ment|preference|vote"
    r"|final[ _]answer|best[ _]answer|better[ _]answer)>|</?(?:b|i|u|em|strong)>"
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`~]*)")
_INLINE = re.compile(
    r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]|(?<!\w)\'[^\'\n]{8,200}\'(?!\w)'
)
_ONLY_CODE = re.compile(rf"\s*(?:{NAME}|{CODE}|(?i:tie|draw))\.?\s*")
_LONGEST_CODE = 40
_MATH = frozenset({"\\[", "\\]", "$$", "\\(", "\\)"})
_BOXED = re.compile(r"\$*(?:\\[\[(] ?)?\\boxed\{(?:\\text\{)?([^{}]{1,40})\}{1,2} ?(?:\\[\])])?\$*")
_STRUCK = re.compile(r"~~[^~]{2,80}~~")
_SYMBOL = re.compile("[\u2600-\u27bf\u2b50\ufe0f\U0001f000-\U0001faff]")
_DASH = re.compile("(?<= )[\u2013\u2014](?= )")
_MARKUP = (("*", ""), ("`", ""), ("#", ""), ("_", " "), ("\u2019", "'"), ("\u2018", "'"))


@lru_cache(maxsize=256)
def plain(line: str) -> str:
    """Return the line without Markdown marks, boxes and symbols, with single spaces."""
    if "\\boxed" in line:
        line = _BOXED.sub(lambda box: box[1] if _ONLY_CODE.fullmatch(box[1]) else box[0], line)
    if "~~" in line:
        line = _STRUCK.sub("", line)
    for mark, instead in _MARKUP:  # faster than `str.translate`: most lines have no mark
        if mark in line:
            line = line.replace(mark, instead)
    if not line.isascii():
        line = _DASH.sub("-", _SYMBOL.sub("", line))
    return " ".join(line.split())


def unquoted(line: str) -> str:
    """Return the line without quotations, unless a quotation only names an answer."""
    if '"' in line or "'" in line or not line.isascii():
        line = _INLINE.sub(_empty_quote, line)
    return line


def own_lines(text: str) -> list[str]:
    """Return the non-blank lines outside of thinking tags, fenced code, delimited answers and `>` quotes."""
    # First, so that a quoted delimiter neither opens nor closes a passage.
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    text = _TAG.sub("", split_thinking(text)[1])
    if "<" in text or "[" in text:
        text = "".join(_outside_delimiters(text))
    lines = text.splitlines()
    if "```" in text or "~~~" in text:
        lines = _outside_fences(lines)
    if "\\boxed" in text:
        lines = [line for line in lines if line.strip() not in _MATH]
    return [line for line in lines if line and not line.isspace()]


def _empty_quote(quote: re.Match[str]) -> str:
    inside = quote[0][1:-1]
    if code := _code_only(inside):
        return code
    return f'"{inside[-1]}"' if inside[-1:] in {".", "!", "?"} else '""'


def _code_only(inside: str) -> str:
    """Return the text between two marks if it is only a verdict code, else an empty text."""
    short = len(inside) <= _LONGEST_CODE and _ONLY_CODE.fullmatch(inside)
    return inside.strip() if short else ""


def _outside_delimiters(text: str) -> Iterator[str]:
    """Yield the text outside of delimited answers, and verdict codes in tags."""
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


def _outside_fences(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines outside of code fences; a reply that is one single fence is not a quotation.

    If a fence stays open although more marks follow, its content contains marks itself, and
    everything from the first mark to the last counts as fenced.
    """
    marks = [(at, mark) for at, line in enumerate(lines) if (mark := _FENCE.fullmatch(line))]
    if not marks:
        return lines
    first, last = marks[0][0], marks[-1][0]
    if len(marks) == 2 and not any(map(str.strip, [*lines[:first], *lines[last + 1 :]])):
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
        return [*own, *lines[at:]]
    cut_off = len(marks) == 1 or bool(marks[-1][1][2].strip())
    return lines[:first] if cut_off else [*lines[:first], *lines[last + 1 :]]


_REFUSES = re.compile(
    r"\b(?i:(?:i|we)(?:'m| am| are)?(?: (?:sorry|afraid)[,;:.]?(?: but)?(?: that)? (?:i|we)(?:'m| am| are)?)?"
    r" (?:can ?not|can't|won't|will not|unable to|not able to|(?:must )?decline to|(?:must )?refuse to"
    r"|(?:am |do )?not (?:feel )?comfortable|don't feel comfortable|prefer not to)(?: \w+){0,2}?"
    r" (?:assist|help|comply|evaluat(?:e|ing)|judg(?:e|ing)|rat(?:e|ing)|rank(?:ing)?|grad(?:e|ing)"
    r"|scor(?:e|ing)|compar(?:e|ing)|answer(?:ing)?(?! \(?[1-9a-e]\b)|respond|choosing|fulfill?|engage"
    r"|participate|continue|do (?:this|that)|discuss|take part|promote|satisfy|complete"
    r"|(?:provid|giv)(?:e|ing) (?:an?|any|my) (?:response|evaluation|judge?ment|answer|verdict"
    r"|comparison|decision|assessment)))\b"
    r"|(?i:\bas an? (?:AI|(?:AI |large )?language model)\b[^.]{0,60}\b(?:cannot|can't|unable to|not able to)"
    r" (?:choose|pick|decide|judge|compare)\b)"
)
_OPENING_LINES, _OPENING = 3, 300
"""A refusal stands in the first lines and characters of a reply."""


def refuses(lines: Sequence[str]) -> bool:
    """Return `True` if the first of a reply's own lines decline the task, in English.

    A reply that cannot tell which answer is better is unreadable, not a refusal.
    """
    said = " ".join(unquoted(plain(line)) for line in lines[:_OPENING_LINES])
    return bool(_REFUSES.search(said[:_OPENING]))
