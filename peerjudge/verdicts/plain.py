"""One line of a reply: without marks and quotations, and whether it announces the words of another."""

from __future__ import annotations

import re
from functools import lru_cache

from peerjudge.verdicts.codes import CODE, NAME, code_of

OBJECTS = "".join(map(chr, range(0xE000, 0xE010)))
"""Characters that stand for the JSON objects of a reply; no visible text has them."""
QUOTED = '""'
"""What is left of a quotation."""
_PAIRS = (
    *("\u201c\u201d", "\u201e\u201c\u201d", "\u201a\u2018\u2019", "\u201d\u201d"),
    *("\u00ab\u00bb", "\u00bb\u00ab", "\u2039\u203a", "\u203a\u2039"),
    *("\u300c\u300d", "\u300e\u300f", "\u300a\u300b"),
)
"""Quotation marks of many languages: one that opens, and those that close."""
_PAIRED = "|".join(
    [
        "(?<!\\w)\u2018[^\u2018]*?\u2019(?!\\w)",
        *(f"{pair[0]}[^{pair}]*[{pair[1:]}]" for pair in _PAIRS),
    ]
)
SPANNING = re.compile(_PAIRED)
"""Quotation in marks that differ at its two ends, on one line or on several."""
_OPENS = frozenset(f"\"'\u2018{{{OBJECTS}" + "".join(pair[0] for pair in _PAIRS))
INLINE = re.compile(rf"\"[^\"\n]*\"|{_PAIRED}|(?<!\w)'[^'\n]{{8,200}}'(?!\w)")
_ONLY_CODE = re.compile(rf"\s*(?:{NAME}|{CODE}|(?i:tie|draw))\.?\s*")
_LONGEST_CODE = 40
_MATH = frozenset({"\\[", "\\]", "$$", "\\(", "\\)"})
_BOXED = re.compile(r"\$*(?:\\[\[(] ?)?\\boxed\{(?:\\text\{)?([^{}]{1,40})\}{1,2} ?(?:\\[\])])?\$*")
_STRUCK = re.compile(r"~~[^~]{2,80}~~")
_SYMBOL = re.compile("[\u2600-\u27bf\u2b50\ufe0f\U0001f000-\U0001faff]")
_DASH = re.compile("(?<= )[\u2013\u2014](?= )")
_MARKUP = (("*", ""), ("`", '"'), ("#", ""), ("_", " "), ("\u2019", "'"), ("\u2018", "'"))


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
        line = INLINE.sub(_empty_quote, line)
    return line


def _empty_quote(quote: re.Match[str]) -> str:
    inside = quote[0][1:-1]
    if code := code_only(inside):
        return code
    return f'"{inside[-1]}"' if inside[-1:] in {".", "!", "?"} else QUOTED


def code_only(inside: str) -> str:
    """Return the text between two marks if it is only a verdict code, else an empty text."""
    short = len(inside) <= _LONGEST_CODE and _ONLY_CODE.fullmatch(inside)
    return inside.strip() if short else ""


_SAYS = (
    r"(?:says?|said|saying|writes?|wrote|written|reads|claims?|claimed|states|stated|ends|ended|begins|closes"
    r"|contains|contained|holds|includes|tells?|told|tries|asks|instructs?|demands|prints|repeats?|quotes?"
    r"|consists?|goes|went|plants|adds?)"
)
_TOLD = (
    rf"{_SAYS}|line|form|format|template|example|injected|planted|hidden|embedded"
    r"|(?:full |exact )?(?:text|words|wording) of"
)
_TELLS = re.compile(rf"(?i)\b(?:{_TOLD})\b(?! that\b)")
_OTHERS = re.compile(
    rf"(?i)\b(?:{_TOLD}|like|wants|reviewers?|colleague|leader|follower|prefers?|preferred)\b"
)
_SPEAKS = re.compile(r"\b(?:I|[Mm]y|[Oo]n reflection)\b")
_SPEAKER = re.compile(
    rf"{NAME}|(?i:\b(?:it|he|she|they|one|text|reviewers?|colleague|leader|follower|answer|reply)\b)"
)
_THEY_SAY = re.compile(rf"(?:{_SPEAKER.pattern}|\bthe other)(?:,? \w+){{0,3}}? {_SAYS}\b")
_DECIDES = re.compile(
    r"(?i)\b(?:better|best|prefer\w*|winner|choose|conclude\w*|determined?|therefore)\b"
)
_BELOW = re.compile(r"(?i)(?::|\b(?:as follows|the following|below|this)\.?)$")
_NAMED = re.compile(NAME)
_HEADING = re.compile(rf" {{0,3}}(?:#{{1,6}} |[-=*_]{{2,}} |\[(?!\[))[*_]*{NAME}[*_ :=\]-]*")
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
_TAIL = 200


def is_heading(line: str) -> bool:
    """Return `True` if a line as written is a heading that only names an answer."""
    return line.lstrip()[:1] in "#-=*_[" and _HEADING.fullmatch(line.rstrip()) is not None


def reports(line: str, *, named: bool = False) -> bool:
    """Return `True` if the last sentence of a line speaks of the words of another person, or of a form.

    With `named`, the sentence must also name who or what speaks.
    """
    said = _last_sentence(line)
    if not _OTHERS.search(said) or (named and not _SPEAKER.search(said)):
        return False
    return not _SPEAKS.search(said) or _THEY_SAY.search(said) is not None


def tells(line: str) -> bool:
    """Return `True` if the last sentence of a line tells what another person, or an answer, says or holds.

    A sentence about a reviewer's view is none: "Reviewer 2 is right." and "Reviewer 2 says that 7 is prime."
    stand before an own verdict.
    """
    return _TELLS.search(_last_sentence(line)) is not None and reports(line, named=True)


def announces(line: str) -> bool:
    """Return `True` if what follows the line is the text of another person, or of the answer it names."""
    if not _BELOW.search(line[-_TAIL:]):
        return False
    return reports(line) or _names_one(_last_sentence(line))


def unannounced(line: str) -> str:
    """Return the line without the sentences that a colon announces as the words of another."""
    at = line.find(": ")
    while at >= 0:
        if announces(line[: at + 1]):
            end = _SENTENCE_END.search(line, at + 2)
            rest = "" if end is None else unannounced(line[end.start() :])
            return f"{line[: at + 1]} {QUOTED}.{rest}"
        at = line.find(": ", at + 1)
    return line


def gives_words(line: str) -> bool:
    """Return `True` if a line gives the words of another after a colon, without marks of quotation."""
    colons = [found.end() for found in re.finditer(r":(?= [^\"])", line)]
    return any(reports(line[:end], named=True) for end in colons)


def _last_sentence(line: str) -> str:
    return _SENTENCE_END.split(line[-_TAIL:])[-1]


def _names_one(said: str) -> bool:
    """Return `True` if a sentence before a colon names one answer, and states no judgement."""
    if not said.endswith(":") or _SPEAKS.search(said) or _DECIDES.search(said):
        return False
    return len({*map(code_of, _NAMED.findall(said))}) == 1


def opens_quote(line: str) -> bool:
    """Return `True` if a line begins with a mark of quotation or with JSON."""
    return line[:1] in _OPENS
