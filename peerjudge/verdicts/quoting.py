"""Own words of a reviewer: the reply without fenced and quoted passages.

An answer may imitate a verdict line, and a reply may quote such an answer; quoted text is never the
reviewer's verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from peerjudge.verdicts.codes import CODE, NAME
from peerjudge.verdicts.orders import unbox
from peerjudge.verdicts.thinking import split_thinking

_DELIMITED = re.compile(
    r"(?i)<(/?)(?:answer|response|output|quote|blockquote)(?:[ _-]?\w{1,12})?>"
    r"|\[the (?:start|(end)) of [^\]\n]{1,60}\]"
    r"|<<< (?:(end) of )?[^<>|\n]{1,80} \| \w{6,16} >>>"
)
_TAG = re.compile(
    r"(?i)(?P<next>(?<=>))?</?(?:(?:final[ _])answer|(?:final[ _])?(?:verdict|choice|result|winner"
    r"|decision|judge?ment|preferred|preference|better|best|pick"
    r"|selected|selection|vote)(?:[ _](?:answer|response|output|assistant|option))?)>|</?(?:b|i|u|em|strong)>"
)
_MARK_TAG = re.compile(
    r"(?i)<(?:score|rating|mark)s?[ _-]?(?:(?:of|for)[ _-])?(?:answer|response|assistant"
    r"|output)?[ _-]?([12ab])>"
    r"\s*([0-9.,]{1,5}(?: ?/ ?[0-9]{1,3})?)\s*</[^<>\n]{1,40}>"
)
_PARAMETER = re.compile(
    r"(?i)<parameter(?:=| name=\"?)(?:[a-z]*_)?(?:verdict|choice|winner|decision|judge?ment|preference|vote"
    r"|best|better)(?:_[a-z]*)?\"?>"
    r"\s*([^<>\n]{1,40}?)\s*</parameter>"
)
_CALLS = re.compile(r"(?i)</?(?:tool_call|function)(?:=[\w.-]{1,60})?>")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`~]*)")
_INLINE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]|「[^「」\n]*」')
_ANNOUNCED = re.compile(
    r"(?i)((?:^|[.!?] )(?:(?:therefore|thus|so|hence),? )?(?:the|my) (?:last|final) line(?: is| reads)?):? "
    rf'["“]((?:final )?(?:choice|verdict): (?:{NAME}|{CODE}))\.?["”](?=\.?$)'
)
"""The requested last line, which small models put into quotation marks within their last sentence."""
_SINGLE = re.compile(r"(?<!\w)'[^'\n]{8,200}'(?!\w)")
_SHORT = re.compile(rf"(?:{NAME}|{CODE}|(?i:tie|draw))\.?")
_SHORTEST = 40
_MATH = frozenset({"\\[", "\\]", "$$", "\\(", "\\)"})
_SYMBOL = re.compile("[\u2600-\u27bf\u2b50\ufe0f\U0001f000-\U0001faff]")
_DASH = re.compile("(?<= )[\u2013\u2014](?= )")
_STRUCK = re.compile(r"~~[^~]{2,80}~~")
_CALL = re.compile(
    r"<(/?)(?:tool_call|function_call|tool|function)>|<\|/?tool_call\|>|\[/?TOOL_CALLS\]"
)
_MARKUP = (("*", ""), ("`", ""), ("#", ""), ("_", " "), ("\u2019", "'"), ("\u2018", "'"))


@lru_cache(maxsize=256)
def plain(line: str) -> str:
    """Return the line without Markdown marks and with single spaces."""
    if "\\" in line:
        line = unbox(line)
    if "~~" in line:
        line = _STRUCK.sub("", line)
    for mark, instead in _MARKUP:  # faster than `str.translate`: most lines have no mark
        if mark in line:
            line = line.replace(mark, instead)
    if not line.isascii():
        line = _DASH.sub("-", _SYMBOL.sub("", line))
    return " ".join(line.split())


def unquoted(line: str) -> str:
    """Return the line without text in double quotes, unless that text only names an answer."""
    if " '" in line or line[:1] == "'":
        line = _SINGLE.sub(_emptied, line)
    if '"' in line or not line.isascii():
        line = _INLINE.sub(_emptied, line)
    return "" if line[:6].lower() == "quote:" else line


def unwrap_label(line: str) -> str:
    """Return the last line of a reply without the marks around the verdict that it announces.

    Only a sentence of its own announces: `The last line is: "Choice: Answer (b)".` Words about an
    answer that says so quote it.
    """
    return _ANNOUNCED.sub(r"\1: \2", line) if " line " in line else line


def own_lines(text: str) -> list[str]:
    """Return the non-blank lines outside of thinking tags, fenced code, delimited answers and `>` quotes."""
    if ">" in text:
        # First, so that a quoted delimiter neither opens nor closes a passage.
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    text = split_thinking(text)[1]
    if "<" in text:
        if "<parameter" in text:
            text = _CALLS.sub("", _PARAMETER.sub(r"\nVerdict: \1\n", text))
        text = _TAG.sub(lambda tag: "" if tag["next"] is None else "\n", text)
        text = _MARK_TAG.sub(lambda tag: f"Answer {tag[1].upper()}: {tag[2]}\n", text)
    if "<" in text or "[" in text:
        text = "".join(_outside_delimiters(text))
    lines = text.splitlines()
    if "```" in text or "~~~" in text:
        lines = _outside_fences(lines)
    if "\\boxed" in text:
        lines = [line for line in lines if line.strip() not in _MATH]
    return [line for line in lines if line and not line.isspace()]


def final_block(text: str) -> str:
    """Return the content of a closing code fence if the reply ends in one, else the reply."""
    text = text.strip()
    if "call" in text or "<tool" in text or "<function" in text or "TOOL_CALLS" in text:
        text = _CALL.sub("", text).strip()
    if text.startswith("```") and text.count("```") == 2 and not text.endswith("```"):
        # A fence that opens the reply holds its verdict; sentences may follow.
        return text.partition("\n")[2].partition("```")[0].strip()
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
    """Return the text between two marks if it is only a verdict code, else an empty text."""
    if len(inside) > _SHORTEST:
        return ""
    inside = inside.strip()
    return inside if _SHORT.fullmatch(inside) else ""


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


def _outside_fences(lines: list[str]) -> list[str]:
    """Return the lines outside of code fences; a reply that is one single fence is not a quotation.

    If a fence stays open although more marks follow, its content contains marks itself, and
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
