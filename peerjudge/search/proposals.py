"""Requests to the proposer from the meta-prompts, and the texts in its replies."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal, cast

from peerjudge.data import Exemplar, Message, Noun, Reflected, SearchOptions, Target, TextReply
from peerjudge.search.texts import (
    find_longest,
    hide_expressions,
    list_expressions,
    list_keys,
    split_margins,
)

__all__ = ["ParsedText", "ask_for_paraphrase", "ask_for_revision", "ask_for_text", "read_text"]

_SHOWN = 1500
"""An exemplar is cut after this many characters, so that a few of them fit into a small context."""

_TAGGED = re.compile(r"<text>(.*?)(?:</text>|\Z)", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_ESCAPED = re.compile(r"&(?:lt|gt|amp|quot|#39|apos);")
_COPIED = re.compile(
    r"\A\s*(?:>\s*)?(?:(?:version|instruction) \d+(?:, [^\n:]{1,30})?|score \d+):\s*", re.IGNORECASE
)
"""The line above a text in the meta-prompt of OPRO, which small models copy or adapt."""
_REFUSAL = re.compile(
    r"\A\W*(?:(?:i['\u2019]m|i am|we are|we['\u2019]re) (?:sorry|afraid|unable|not able)\b"
    r"|(?:sorry|apologies)\b"
    r"|(?:i|we) (?:can ?not|can['\u2019]t|won['\u2019]t|will not|must decline|decline)\b"
    r"|as an? (?:ai|(?:large )?language model)\b)",
    re.IGNORECASE,
)


class ParsedText(Noun, frozen=True, kw_only=True):
    """The text in a reply, or the reason why there is none."""

    text: str = ""
    why: str = ""


def ask_for_paraphrase(part: str) -> tuple[Message, ...]:
    """Return the messages that ask for other words for one part of an instruction."""
    meta = _read_meta()["paraphrase"]
    return _messages(meta, part=" ".join(part.split()))


def ask_for_text(
    target: Target,
    tried: Sequence[tuple[str, float]],
    exemplars: Sequence[Exemplar],
    *,
    options: SearchOptions,
) -> tuple[Message, ...]:
    """Return the messages that ask for a better text of a target.

    Args:
        target: the target with its base text.
        tried: texts and their scores from 0 to 1; shown in ascending order.
        exemplars: items of the search split, with gold.
        options: of the search; the objective in words and the bound of the length.
    """
    meta = _read_meta()["opro"]
    ascending = sorted(tried, key=lambda one: one[1])
    texts = [
        _fill(
            meta["tried"],
            number=number,
            score=f"{100 * score:.0f}",
            text=quote(_show(text, target)),
        )
        for number, (text, score) in enumerate(ascending, 1)
    ]
    shown = "\n\n".join(
        _fill(meta["exemplar"], number=number, text=quote(_cut(one.shown)), gold=quote(one.gold))
        for number, one in enumerate(exemplars, 1)
    )
    best = ascending[-1][0] if ascending else target.text
    return _messages(
        meta,
        objective=options.objective,
        tried="\n\n".join(texts),
        exemplars=f"\n{_fill(meta['exemplars'], shown=shown)}\n" if shown else "",
        best=len(ascending),
        **_describe_reply(target, options, best=best, number=len(ascending)),
    )


def ask_for_revision(
    target: Target, text: str, items: Sequence[Reflected], *, options: SearchOptions
) -> tuple[Message, ...]:
    """Return the messages that ask for a better text after a look at some items (GEPA).

    Args:
        target: the target with its base text.
        text: the text that the reviewer had.
        items: what was judged with it, the replies, and gold.
        options: of the search; the bound of the length.
    """
    meta = _read_meta()["gepa"]
    shown = [
        _fill(
            meta["item"],
            number=number,
            shown=quote(_cut(one.shown)),
            said=quote(_cut(one.said)),
            gold=quote(one.gold),
        )
        for number, one in enumerate(items, 1)
    ]
    return _messages(
        meta,
        text=quote(_show(text, target)),
        items="\n\n".join(shown),
        **_describe_reply(target, options, best=text, number=1),
    )


def _describe_reply(
    target: Target, options: SearchOptions, *, best: str, number: int
) -> dict[str, object]:
    """Return what meta-prompts say of the new text: its length, what it keeps, and its form."""
    meta = _read_meta()["opro"]
    hidden = max(0, len(target.text) - len(_show(target.text, target)))
    return {
        "longest": find_longest(target.text, options.longest) - hidden,
        "kept": _list_rules(meta, target, best=best, number=number, protect=options.protect),
        "form": _show_form(meta, target),
    }


def read_text(reply: TextReply) -> ParsedText:
    """Return the text that the proposer wrote between its tags.

    The last tagged text counts. Quotation marks of lines (`>`), a code fence around the whole, HTML
    escapes and a copied score are undone. A missing end tag is forgiven, missing tags are not: words
    around a text cannot be told from the text.
    """
    if reply.failure:
        return ParsedText(why=f"the proposer failed: {reply.failure}")
    said = _THINKING.sub("", reply.text).strip()
    if not said:
        return ParsedText(why="the reply is empty")
    found = _TAGGED.findall(said)
    if not found:
        refused = _REFUSAL.match(said)
        return ParsedText(
            why="the proposer refused"
            if refused
            else "the reply has no text between <text> and </text>"
        )
    text = _unquote(_COPIED.sub("", _unfence(found[-1].strip())))
    text = html.unescape(text) if _ESCAPED.search(text) else text
    if not text.strip():
        return ParsedText(why="the proposed text is empty")
    if _REFUSAL.match(text):
        return ParsedText(why="the proposer refused")
    if _is_example(text):
        return ParsedText(why="the proposed text is the example of the meta-prompt")
    return ParsedText(text=text.strip())


def quote(text: str) -> str:
    """Return the text with `> ` before every line, so that no line of it is taken for the prompt's."""
    return "\n".join(f"> {line}" for line in text.strip().splitlines())


def _show(text: str, target: Target) -> str:
    """The text without the margins of the base, which a proposal need not have."""
    head, _, tail = split_margins(target.text, target.form)
    if text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail):
        text = text[len(head) : len(text) - len(tail)]
    return hide_expressions(text, target.form)


def _list_core(target: Target) -> tuple[str, ...]:
    """The expressions that the proposer sees as marks."""
    return list_expressions(split_margins(target.text, target.form)[1], target.form)


def _list_marks(target: Target) -> str:
    return ", ".join(f"{{{number}}}" for number in range(1, len(_list_core(target)) + 1))


def _show_form(meta: Mapping[str, str], target: Target) -> str:
    """The text between the tags in the example of the form."""
    if target.form == "lines":
        return meta["form_of_lines"]
    marks = _list_marks(target)
    return _fill(meta["form_with_marks"], marks=marks) if marks else meta["form"]


def _list_rules(
    meta: Mapping[str, str], target: Target, *, best: str, number: int, protect: bool
) -> str:
    """The rules of what to keep, numbered after the five that every request has.

    `best` is the text with the highest score, which is shown with this `number`.
    """
    expressions = _list_core(target)
    rules: list[str] = []
    if expressions:
        rules.append(_fill(meta["placeholders"], marks=_list_marks(target)))
    if any(expression.startswith("{%") for expression in expressions):
        rules.append(_fill(meta["in_order"], best=number))
    if protect and (keys := list_keys(target.text)):
        rules.append(_fill(meta["keys"], keys=", ".join(f'"{key}"' for key in keys)))
    if target.form == "lines":
        count = sum(bool(line.strip()) for line in best.splitlines())
        rules.append(_fill(meta["lines"], best=number, count=count))
    return "".join(f"{place}. {rule}\n" for place, rule in enumerate(rules, 6))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} [...]"


def _unfence(text: str) -> str:
    found = re.fullmatch(r"```\w*\n(.*?)\n?```", text, re.DOTALL)
    return found[1] if found else text


def _unquote(text: str) -> str:
    """Return the text without the marks that the meta-prompt puts before lines.

    Small models copy them, often on some of the lines only. No line of a pack begins with one.
    """
    return re.sub(r"(?m)^> ?", "", text)


def _messages(meta: Mapping[str, str], **values: object) -> tuple[Message, ...]:
    roles: tuple[Literal["system", "user"], ...] = ("system", "user")
    return tuple(Message(role=role, text=_fill(meta[role], **values)) for role in roles)


def _fill(template: str, **values: object) -> str:
    """Return the filled template; values are data, a `$` in them stays."""
    return Template(template.strip()).substitute(values)


@cache
def _read_meta() -> Mapping[str, Mapping[str, str]]:
    """The meta-prompts, a constant of the package."""
    text = files(__package__ or "").joinpath("meta.toml").read_text(encoding="utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))


def _is_example(text: str) -> bool:
    """Whether a text is copied from the form of the reply that a meta-prompt shows."""
    words = " ".join(text.split()).rstrip(".")
    shown = _read_meta()["opro"]["form_with_marks"].partition("$")[0]
    return words in _read_meta()["examples"]["texts"] or words.startswith(shown)
