"""Texts that a model wrote on request: what of a reply is the text."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast

from peerjudge.data import Noun
from peerjudge.data.texts import TextReply

__all__ = ["ParsedText", "read_meta", "read_text"]

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


def _unfence(text: str) -> str:
    found = re.fullmatch(r"```\w*\n(.*?)\n?```", text, re.DOTALL)
    return found[1] if found else text


def _unquote(text: str) -> str:
    """Return the text without the marks that the meta-prompt puts before lines.

    Small models copy them, often on some of the lines only. No line of a pack begins with one.
    """
    return re.sub(r"(?m)^> ?", "", text)


@cache
def read_meta() -> Mapping[str, Mapping[str, str]]:
    """Return the meta-prompts by name: instructions for a model that writes texts."""
    text = files(__package__ or "").joinpath("meta.toml").read_text(encoding="utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))


def _is_example(text: str) -> bool:
    """Whether a text is copied from the form of the reply that a meta-prompt shows."""
    words = " ".join(text.split()).rstrip(".")
    shown = read_meta()["opro"]["form_with_marks"].partition("$")[0]
    return words in read_meta()["examples"]["texts"] or words.startswith(shown)
