"""Texts of questions and answers as HTML: Markdown without markup of its own, links, images or loads.

People must see what a model is sent. So nothing of a text is hidden: links, images, references, HTML,
entities and backslashes stay as they are written, signs within a formula or a name are no emphasis, and
items of a list keep the numbers of the text. A text of which a word would be lost is shown as written.
"""

from __future__ import annotations

import re
from functools import cache
from string import punctuation
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_OFF = (
    *("html_block", "html_inline", "link", "image", "autolink", "reference"),
    *("entity", "escape", "code", "lheading"),
)
"""Rules that would load, link, hide or guess: an indented line is no code, an underlined one no heading."""
_PLAIN = frozenset(
    {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak"}
)
_SIGNS = re.compile(r"_+|(?<=[A-Za-z0-9)\]}])\*+(?=[A-Za-z0-9(\[{\\$-])")
"""Signs within a formula or a name, such as `x**2`, `(a)*(b)` and `__init__`."""
_LAYOUT = re.compile(f"[\\s{re.escape(punctuation)}]+")
"""What Markdown may turn into a form; every other character of a text is shown."""
_LONGEST = 100_000
"""Characters; a longer text is shown as it is written."""


def write_text(text: str) -> Markup:
    """Return a text as HTML in an element of its own; one without Markdown is shown as it is written."""
    tokens = [] if len(text) > _LONGEST else _load_parser().parse(text)
    found = _walk(tokens)
    if all(token.type in _PLAIN for token in found) or not _is_whole(text, found):
        return Markup('<div class="said" dir="auto" data-fold>{}</div>').format(text)
    for token in tokens:
        _tame(token)
    parser = _load_parser()
    # The parser has escaped the text.
    body = Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704
    return Markup('<div class="said md" dir="auto" data-fold>{}</div>').format(body)


@cache
def _load_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable("table").disable(_OFF)
    parser.inline.ruler.before("emphasis", "signs", _keep_signs)
    parser.add_render_rule("fence", _write_fence)
    return parser


def _walk(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens with their children; there is one level of these."""
    return [one for token in tokens for one in (token, *(token.children or ()))]


def _is_whole(text: str, tokens: Sequence[Token]) -> bool:
    """Return whether the tokens hold all words; Markdown drops surplus cells and what is nested too deep."""
    shown = "".join(token.info + token.content for token in tokens if token.type != "inline")
    return _LAYOUT.sub("", shown) == _LAYOUT.sub("", text)


def _tame(token: Token) -> None:
    """Keep the number of an item, the outline of the page, and the rule that pages have no styles inside."""
    if token.type == "list_item_open" and token.info:
        token.attrSet("value", token.info)
    elif token.type in {"heading_open", "heading_close"}:
        token.tag = "p"
        if token.nesting == 1:
            token.attrSet("class", "heading")
    elif token.type in {"th_open", "td_open"}:
        token.attrs.pop("style", None)


def _keep_signs(state: StateInline, silent: bool) -> bool:  # noqa: FBT001  the parser calls it so
    found = _SIGNS.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.pending += found.group()
    state.pos = found.end()
    return True


def _write_fence(
    _renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object
) -> str:
    """Return a block of code under the words that follow its fence, such as the language."""
    token = tokens[index]
    named = Markup('<span class="language">{}</span>').format(token.info.strip())
    return f"<pre>{named if token.info.strip() else ''}<code>{escape(token.content)}</code></pre>\n"
