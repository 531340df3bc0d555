"""Markdown of questions and answers: what is shown as a form, what stays a sign, and that nothing acts."""

import re

import pytest

pytest.importorskip("markupsafe", reason="needs markupsafe: pip install 'peerjudge[web]'")

from peerjudge.web.markdown import write_text

from .conftest import HOSTILE

ALLOWED = {
    *(
        "div",
        "p",
        "br",
        "hr",
        "strong",
        "em",
        "code",
        "pre",
        "span",
        "ol",
        "ul",
        "li",
        "blockquote",
    ),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The **main** point", "<strong>main</strong>"),
        ("*slightly* better", "<em>slightly</em>"),
        ("call `f(x)`", "<code>f(x)</code>"),
        ("```python\nif a < b:\n    f()\n```", "<code>if a &lt; b:\n    f()\n</code>"),
        ("```python\nx\n```", '<span class="language">python</span>'),
        ("```\nnever closed", "<code>never closed</code>"),
        ("- one\n- two", "<li>one</li>"),
        ("2. two\n7. seven", '<li value="7">seven</li>'),
        ("## Cause\nLight.", '<p class="heading">Cause</p>'),
        ("> quoted", "<blockquote>"),
        ("| a | b |\n|---|--:|\n| 1 | 2 |", "<td>2</td>"),
        ("**One**\ntwo", "<br />\ntwo"),
    ],
)
def test_markdown_has_its_form(text, shown):
    """Emphasis, code, lists with their numbers, headings, quotes, tables and line breaks are forms."""
    assert shown in write_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Two  spaces,\n  an indent\n\n\nand lines.",
        "    four spaces are no code",
        "5*3*2, x**2 + y**2, (a)*(b)*(c) and 2 * 3 * 4",
        "snake_case_name and __init__ and _x_",
        r"\( \frac{a}{b} \), \[x^2\] and \*",
        "[name](https://example.org) ![picture](https://example.org/x.png) <https://example.org>",
        "[r]: https://example.org 'title'",
        "&lt;b&gt; &amp; &#0;",
        "<!-- a comment --> <details>",
        "| one |\n|---|\n| 1 | a cell too many |",
        "> " * 40 + "deep",
        "**bold** \0 and NUL",
        "**long** " * 12_000,
        "",
    ],
)
def test_what_is_no_markdown_or_would_lose_words_is_shown_as_it_is_written(text):
    """A text without forms, or of which Markdown would hide a word, keeps each of its characters."""
    shown = write_text(text)
    assert 'class="said"' in shown
    assert shown.unescape().partition(">")[2].removesuffix("</div>") == text


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1)) [b](data:text/html,x) [c](https://example.org 'x')",
        "![a](https://example.org/x.png) ![b](javascript:alert(1))",
        "<javascript:alert(1)> <https://example.org> https://example.org",
        "[r]\n\n[r]: javascript:alert(1)",
        '`<script>` and `"><img src=x>`',
        '```"><script>alert(1)</script>\n</code></pre><script>\n```',
        "# <script>alert(1)</script>",
        "| <img src=x> |\n|:-:|\n| [a](javascript:b) |",
        "- <iframe src=https://example.org>\n\n  <style>@import 'x'</style>",
        "> <svg onload=alert(1)>",
        '1. <a href="javascript:alert(1)">x</a>',
    ],
)
@pytest.mark.parametrize("form", ["{}", "**x** {}", "{}\n\n- x", "*{}*"])
def test_no_text_makes_an_element_that_loads_links_or_acts(text, form):
    """Only elements of form are made, with no attribute but a class, a direction and a number."""
    shown = str(write_text(form.format(text)))
    for name, attributes in re.findall(r"<(\w+)([^>]*)>", shown):
        assert name in ALLOWED
        plain = re.sub(
            r' (class="[a-z ]+"|dir="auto"|data-fold|value="\d+"|start="\d+"| ?/)', "", attributes
        )
        assert plain in {"", " /"}, attributes
    assert "alert(1)" in shown or "alert(1)" not in text
