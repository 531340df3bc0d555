"""Parts of a prompt text: what every edit must keep, what it may change, and why a text is no candidate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from peerjudge.features.search.nouns import Form, SearchOptions, Target

__all__ = [
    "Span",
    "Unit",
    "find_edit_fault",
    "find_longest",
    "find_text_fault",
    "hide_expressions",
    "keeps_expressions",
    "list_expressions",
    "list_fences",
    "list_kept",
    "list_keys",
    "list_units",
    "opens_expression",
    "show_expressions",
    "split_margins",
]

_MASK = "\x00"
_QUOTED = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_EXPRESSION = re.compile(
    rf"\{{\{{(?:{_QUOTED}|[^\"'])*?\}}\}}|\{{%(?:{_QUOTED}|[^\"'])*?%\}}|\{{#.*?#\}}", re.DOTALL
)
"""A Jinja expression, statement or comment; braces in its strings do not end it."""
_OPENING = re.compile(r"\{\{|\{%|\{#")
_KEY = re.compile(r'"(\w[\w .-]*)"\s*:')
"""A JSON key; narrower than JSON allows, so that the words between two quotations are none."""
_JSON_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_JSON_OPENING = re.compile(r'\{\s*(?="\w[\w .-]*"\s*:)')
_FENCES = re.compile(r"<<<|>>>|```|(?m:^[ \t]*>)|<\|[^|\n]*\|>")
"""Marks that delimit quoted material, here or in the chat templates of models."""
_STRUCTURE = re.compile(r"(?m:^[ \t]*#+[^\n]*$)|(?m:^[ \t]*\d+[.)](?!\d))")
"""Headings, and the numbers of lists."""
_PLACEHOLDER = re.compile(r"\{(\d+)\}")

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_TOKEN = re.compile(r"\w+(?:['\u2019-]\w+)*|[^\w\s]")
"""A word or a single mark of punctuation: the words of the paper's code."""
_SENTENCE = re.compile(r"[^\s][^\n]*?(?:[.!?](?=\s|$)|(?=\n)|$)")
_CLAUSE = re.compile(r"[^\n,;:.!?()\[\]{}\"<>|\x00]+")
_OPENERS = frozenset(
    """
    a about above after against all also although an and any are as at because before behind below
    between both but by do does each either every for from has have how if in into is its like must
    neither nor not of on only onto or other per shall should since so some such than
    that the their them then there these they this those through to under unless until upon was
    were what when where whether which while who whose will with within without you your
    """.split()  # noqa: SIM905  (a column of words is easier to read)
)
"""Function words: a phrase begins at one of them, and needs a word that is none of them."""


Unit: TypeAlias = Literal["words", "phrases", "sentences"]
"""The kinds of unit of a text."""


class Span(NamedTuple):
    """A part of a text, from `start` up to `end`."""

    start: int
    end: int


@lru_cache(maxsize=256)
def list_kept(text: str, form: Form) -> tuple[Span, ...]:
    """Return what every edit keeps: expressions, headings, marks and keys of JSON, fence marks.

    The words of a JSON value are free, its quotation marks are not.
    """
    spans = [*_expression_spans(text, form)]
    masked = _mask(text, spans)
    for pattern in (_FENCES, _STRUCTURE):
        spans += [Span(*found.span()) for found in pattern.finditer(masked)]
    masked = _mask(text, spans)
    spans += _json_spans(masked)
    return tuple(sorted(set(spans)))


@lru_cache(maxsize=256)
def list_units(text: str, *, form: Form, level: Unit, protect: bool) -> tuple[Span, ...]:
    """Return the words, phrases or sentences that may be edited, in order.

    With `protect`, none of them contains a part that is kept, and words have no punctuation.
    Without it every word and every mark of punctuation is a unit, as in the code of the GRIPS paper.

    Phrases follow a rule: they end at punctuation and before a function word. The paper's phrases are
    leaves of a constituency tree, which needs a parser.
    """
    masked = _mask(text, list_kept(text, form)) if protect else text
    match level:
        case "words":
            found = (_WORD if protect else _TOKEN).finditer(masked)
            return tuple(Span(*one.span()) for one in found)
        case "sentences":
            spans = (Span(*one.span()) for one in _SENTENCE.finditer(masked))
            return tuple(span for span in spans if _is_sentence(masked[span.start : span.end]))
        case "phrases":
            clauses = _CLAUSE.finditer(masked)
            return tuple(
                span for clause in clauses for span in _phrases(masked, Span(*clause.span()))
            )


def list_expressions(text: str, form: Form) -> tuple[str, ...]:
    """Return the template expressions and statements of a text in order; none in plain text."""
    return tuple(text[span.start : span.end] for span in _expression_spans(text, form))


def list_keys(text: str) -> tuple[str, ...]:
    """Return the JSON keys of a text in order, each as often as it occurs."""
    return tuple(_KEY.findall(_EXPRESSION.sub(_MASK, text)))


def list_fences(text: str) -> tuple[str, ...]:
    """Return the fence marks of a text in order."""
    return tuple(mark.strip() for mark in _FENCES.findall(text))


def opens_expression(text: str, form: Form) -> bool:
    """Return whether the text opens template syntax outside its complete expressions."""
    return form == "template" and bool(_OPENING.search(_EXPRESSION.sub("", text)))


def keeps_expressions(text: str, base: str, form: Form) -> bool:
    """Return whether a text has the expressions of the base, each at least as often, and no others.

    Where some are statements (`if`, `for`), all must be the same, in the same order, as an expression
    may have a value only within its statement.
    """
    ours, theirs = list_expressions(text, form), list_expressions(base, form)
    if any(expression.startswith("{%") for expression in theirs):
        return ours == theirs
    return Counter(ours) >= Counter(theirs) and set(ours) == set(theirs)


def split_margins(text: str, form: Form) -> tuple[str, str, str]:
    """Return the text in three parts: its lines before the first free word, the rest, and those after.

    The lines at both ends that only have kept parts and white space need not be written anew.
    """
    lines = _mask(text, list_kept(text, form)).splitlines(keepends=True)
    free = [number for number, line in enumerate(lines) if _WORD.search(line)]
    if not free:
        return "", text, ""
    start = sum(map(len, lines[: free[0]]))
    end = sum(map(len, lines[: free[-1] + 1]))
    end = len(text[:end].rstrip())
    return text[:start], text[start:end], text[end:]


def hide_expressions(text: str, form: Form) -> str:
    """Return the text with the placeholders `{1}`, `{2}`, ... for its expressions.

    A text for a proposer has no template syntax; equal expressions get placeholders of their own.
    """
    hidden, end = "", 0
    for number, span in enumerate(_expression_spans(text, form), 1):
        hidden += f"{text[end : span.start]}{{{number}}}"
        end = span.end
    return hidden + text[end:]


def show_expressions(text: str, base: str, form: Form) -> str:
    """Return the text with the expressions of the base for its placeholders.

    A placeholder without an expression stays as it is.
    """
    expressions = list_expressions(base, form)

    def restore(match: re.Match[str]) -> str:
        number = int(match[1])
        return expressions[number - 1] if 1 <= number <= len(expressions) else match[0]

    return _PLACEHOLDER.sub(restore, text)


def find_longest(base: str, times: float) -> int:
    """Return the greatest length of a text: so many times the base, and at least 200 characters."""
    return max(int(times * len(base)), 200)


def find_text_fault(text: str, *, target: Target, options: SearchOptions) -> str:
    """Return why a proposed text may not replace the base text of a target; empty if it may.

    Template expressions must be kept even without `protect`, as the text does not render otherwise.
    """
    base = target.text
    if fault := _find_size_fault(text, base, options):
        return fault
    if opens_expression(text, target.form):
        return "the text adds template syntax"
    if not keeps_expressions(text, base, target.form):
        return "the text does not keep every template expression of the base"
    if options.protect and list_keys(text) != list_keys(base):
        return f"the text does not keep the JSON keys {', '.join(list_keys(base)) or '(none)'}"
    if _adds_fence(text, base):
        return "the text adds marks that delimit quoted material"
    return ""


def find_edit_fault(text: str, *, target: Target, options: SearchOptions) -> str:
    """Return why an edited text may not be a candidate; empty if it may.

    With `protect` all kept parts must be those of the base: expressions, the whole form of JSON, fence
    marks. Without it any text but an empty or a too long one is tried, as the paper did.
    """
    fault = _find_size_fault(text, target.text, options)
    if fault or not options.protect:
        return fault
    if opens_expression(text, target.form):
        return "the text adds template syntax"
    if _kept_parts(text, target) != _kept_parts(target.text, target):
        return "the text does not keep the expressions, headings, marks and JSON of the base"
    return ""


def _expression_spans(text: str, form: Form) -> Iterator[Span]:
    if form == "template":
        for found in _EXPRESSION.finditer(text):
            yield Span(*found.span())


def _mask(text: str, spans: tuple[Span, ...] | list[Span]) -> str:
    characters = list(text)
    for span in spans:
        characters[span.start : span.end] = _MASK * (span.end - span.start)
    return "".join(characters)


def _json_spans(text: str) -> Iterator[Span]:
    """The marks and keys of every JSON object; the keys alone where its end is missing."""
    end = 0
    for opening in _JSON_OPENING.finditer(text):
        if opening.start() < end:
            continue  # Within the object before.
        spans, end = _read_object(text, opening.start())
        yield from spans
    yield from (Span(*found.span()) for found in _KEY.finditer(text, end))


def _read_object(text: str, start: int) -> tuple[list[Span], int]:
    spans: list[Span] = []
    depth, at = 0, start
    while at < len(text):
        if string := _JSON_STRING.match(text, at):
            key = _KEY.match(text, at)
            at = (key or string).end()
            spans += (
                [Span(key.start(), at)]
                if key
                else [Span(string.start(), string.start() + 1), Span(at - 1, at)]
            )
            continue
        depth += (text[at] in "{[") - (text[at] in "}]")
        if not text[at].isspace() and text[at] != _MASK:
            spans.append(Span(at, at + 1))
        at += 1
        if depth == 0:
            return spans, at
    return [Span(*found.span()) for found in _KEY.finditer(text, start)], len(text)


def _is_sentence(text: str) -> bool:
    return _MASK not in text and bool(_WORD.search(text))


def _phrases(text: str, clause: Span) -> Iterator[Span]:
    """The phrases of a clause: each begins at a function word that follows a content word."""
    start, end, content = -1, -1, False
    for word in _WORD.finditer(text, clause.start, clause.end):
        opener = word[0].lower() in _OPENERS
        if start >= 0 and opener and content:
            yield Span(start, end)
            start, content = -1, False
        start = word.start() if start < 0 else start
        end, content = word.end(), content or not opener
    if start >= 0 and content:
        yield Span(start, end)


def _find_size_fault(text: str, base: str, options: SearchOptions) -> str:
    if not text.strip():
        return "the text is empty"
    longest = find_longest(base, options.longest)
    if len(text) > longest:
        return f"the text has {len(text)} characters; at most {longest} are allowed"
    return ""


def _kept_parts(text: str, target: Target) -> list[str]:
    return [text[span.start : span.end] for span in list_kept(text, target.form)]


def _adds_fence(text: str, base: str) -> bool:
    marks = list_fences(base)
    return any(list_fences(text).count(mark) > marks.count(mark) for mark in set(list_fences(text)))
