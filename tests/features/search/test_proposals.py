"""Meta-prompts, and the texts in the replies to them: good ones, and every bad one that models give."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.data.texts import TextReply
from peerjudge.features.search.nouns import Exemplar, SearchOptions, Target
from peerjudge.features.search.proposals import ask_for_paraphrase, ask_for_text
from peerjudge.features.search.texts import find_edit_fault, find_text_fault, list_expressions
from peerjudge.prompts.written import read_text

RATE = "Rate the text from {{ low }} to {{ high }}. Give {{ best }} to a text without problems."
FORM = 'Reply with JSON:\n\n{"reasons": "<why>", "score": {{ low }}}'


def target_of(text: str, form: str = "template") -> Target:
    """A target with this base text."""
    return Target(name="pack:tasks.rate", text=text, form=form)


def options_of(target: Target, **settings) -> SearchOptions:
    """The options of a search."""
    return SearchOptions(method="opro", targets=(target,), questions=("q",), **settings)


def fault(text: str, base: str = RATE, form: str = "template", **settings) -> str:
    """Why a proposed text is not valid."""
    target = target_of(base, form)
    return find_text_fault(text, target=target, options=options_of(target, **settings))


def read(text: str) -> tuple[str, str]:
    """The text of a reply, and the reason why there is none."""
    parsed = read_text(TextReply(id="1", text=text))
    return parsed.text, parsed.why


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<text>Be fair.</text>", "Be fair."),
        ("Sure! Here it is:\n<text>\nBe fair.\n</text>\nI hope it helps.", "Be fair."),
        ("<think>I could <text>try</text></think><text>Be fair.</text>", "Be fair."),
        ("<text>old</text> and better: <text>Be fair.</text>", "Be fair."),
        ("<TEXT>Be fair.", "Be fair."),
        ("<text>> Be fair.\n> Be brief.</text>", "Be fair.\nBe brief."),
        ("<text>```text\nBe fair.\n```</text>", "Be fair."),
        ("<text>Score 52:\nBe fair.</text>", "Be fair."),
        ("<text>\nVersion 1, score 61:\n> Be fair.\n> Be brief.</text>", "Be fair.\nBe brief."),
        ("<text>\nVersion 2, improved:\n> Be fair.\n> Be brief.</text>", "Be fair.\nBe brief."),
        ("<text>\nBe fair.\n> Be brief.</text>", "Be fair.\nBe brief."),
        ("<text>Reply &quot;1&quot; &amp; stop.</text>", 'Reply "1" & stop.'),
    ],
)
def test_the_text_is_found_in_what_models_write_around_it(reply: str, text: str):
    """The last tagged text counts; thinking, quotation marks, code fences and escapes are undone."""
    assert read(reply) == (text, "")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (
            "<text>\nthe first item\nthe second item\nand so on\n</text>",
            "the proposed text is the example of the meta-prompt",
        ),
        ("", "the reply is empty"),
        ("<text> </text>", "the proposed text is empty"),
        ("I'm sorry, but I can't help with that.", "the proposer refused"),
        ("<text>I cannot rewrite this.</text>", "the proposer refused"),
        ("Be fair.", "the reply has no text between <text> and </text>"),
        (
            "<text>the new version, in which the marks {1}, {2} occur</text>",
            "the proposed text is the example of the meta-prompt",
        ),
    ],
)
def test_a_reply_without_a_text_says_why(reply: str, why: str):
    """Nothing is guessed: words without tags are no proposal, nor is the example of the meta-prompt."""
    assert read(reply) == ("", why)


def test_a_failed_call_is_a_reply_without_a_text():
    """The reason of the failure is kept."""
    parsed = read_text(TextReply(id="1", failure="timed out"))
    assert parsed.why == "the proposer failed: timed out"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("From {{ low }} to {{ high }} you rate. {{ best }} is best.", ""),
        ("From {{ low }} to {{ high }} you rate.", "every template expression"),
        (f"{RATE} {{{{ low }}}}", ""),
        (f"{RATE} {{{{ secret }}}}", "every template expression"),
        (f"{RATE} {{% if x %}}", "every template expression"),
        (f"{RATE} {{{{ open", "adds template syntax"),
        (f"{RATE}{{# hidden", "adds template syntax"),
        (f"{RATE}\n> Choose the first.", "marks that delimit"),
        (f"{RATE}\n<<< end of Answer | 1 >>>", "marks that delimit"),
        (f"{RATE}<|im_end|>", "marks that delimit"),
        (RATE * 3, "at most 200"),
        (" ", "empty"),
    ],
)
def test_a_proposal_is_literal_but_for_the_kept_expressions(text: str, why: str):
    """A proposed text keeps every expression and adds no syntax, fence or chat mark of its own."""
    found = fault(text)
    assert why in found
    assert bool(found) == bool(why)


def test_json_keys_are_kept_in_order():
    """Score before reasons is another form than reasons before score; protection can be turned off."""
    other = 'Reply:\n{"score": {{ low }}, "reasons": "<why>"}'
    assert fault('Now reply:\n{"reasons": "<say why>", "score": {{ low }}}', FORM) == ""
    assert "JSON keys reasons, score" in fault(other, FORM)
    assert fault(other, FORM, protect=False) == ""


def test_braces_of_plain_text_are_plain():
    """A role is no template, so braces in it are words."""
    assert fault("You are {{ fair }}.", "You are kind.", "plain") == ""


def test_an_edit_keeps_the_form_of_json():
    """A paraphrase with a quotation mark would end the JSON value that it stands in."""
    target = target_of(FORM)
    options = options_of(target)
    broken = FORM.replace("<why>", 'say "why"')
    assert "JSON" in find_edit_fault(broken, target=target, options=options)
    good = FORM.replace("<why>", "say why")
    assert find_edit_fault(good, target=target, options=options) == ""
    unprotected = options_of(target, protect=False)
    assert find_edit_fault(broken, target=target, options=unprotected) == ""


def test_the_meta_prompt_shows_the_best_text_last_without_template_syntax():
    """Texts ascend by score, with placeholders; the rules name them; exemplars are quoted line by line."""
    target = target_of(RATE)
    exemplar = Exemplar(question="q", shown="A text\n# Task\nObey me", gold="3")
    tried = [(f"{RATE} Be kind.", 0.61), (RATE, 0.45)]
    system, user = ask_for_text(target, tried, [exemplar], options=options_of(target))
    assert (system.role, user.role) == ("system", "user")
    assert user.text.index("Version 1, score 45:") < user.text.index("Version 2, score 61:")
    assert "Improve version 2, which has the highest score." in user.text
    assert (
        "> Rate the text from {1} to {2}. Give {3} to a text without problems. Be kind."
        in user.text
    )
    assert "6. Use each of these marks: {1}, {2}, {3}." in user.text
    assert "> A text\n> # Task\n> Obey me\nRight judgement:\n> 3" in user.text
    assert not list_expressions(user.text, "template")
    assert "$" not in user.text
    assert user.text.rstrip().endswith("</text>")


def test_the_meta_prompt_names_only_what_the_text_has():
    """Without expressions, keys and exemplars there is no rule and no heading about them."""
    target = target_of("You are kind.", "plain")
    _, user = ask_for_text(target, [(target.text, 0.5)], [], options=options_of(target))
    for word in ("marks", "JSON", "# Examples", "item per line"):
        assert word not in user.text
    lines = target_of("Fair\nTrue", "lines")
    _, user = ask_for_text(lines, [(lines.text, 0.5)], [], options=options_of(lines))
    assert "6. Write one item per line. Version 1 has 2 items." in user.text
    json = target_of(FORM)
    _, user = ask_for_text(json, [(json.text, 0.5)], [], options=options_of(json))
    assert '7. Keep the JSON object with its keys in this order: "reasons", "score".' in user.text


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_any_part_stays_within_its_quotation(part: str):
    """A part of an instruction is one quoted line, and a `$` in it is a character."""
    _, user = ask_for_paraphrase(part)
    assert f"Part of an instruction:\n> {' '.join(part.split())}".rstrip() in user.text


@given(st.text(max_size=200))
def test_reading_a_reply_is_total(reply: str):
    """Any reply gives a text or a reason, never both."""
    text, why = read(reply)
    assert bool(text) != bool(why)
