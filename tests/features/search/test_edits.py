"""Edits of GRIPS: places, kept parts, and the manner of the paper."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from peerjudge.features.search.edits import Edit, apply_edit, describe_edit, draw_edit
from peerjudge.features.search.nouns import SearchOptions, Target
from peerjudge.features.search.texts import (
    Span,
    hide_expressions,
    keeps_expressions,
    list_expressions,
    list_kept,
    list_keys,
    list_units,
    show_expressions,
    split_margins,
)
from peerjudge.prompts.packs import read_pack

PACKS = [
    path
    for path in sorted((Path(__file__).parents[3] / "protocols" / "prompts").glob("*.toml"))
    if "[tasks]" in path.read_text(encoding="utf-8")  # not a pack that takes its texts from another
]
INIT = (
    "Output a json of the following format: "
    '{"reasons": "point out your reasons for the rating on coherence", "score": "the rating"}'
)
"""The output instruction that the sequencing paper begins with (its table 3)."""


def target_of(text: str, form: str = "template") -> Target:
    """A target with this base text."""
    return Target(name="pack:reply.schema_reasons_score", text=text, form=form)


def options_of(target: Target, **settings) -> SearchOptions:
    """The options of a search."""
    given = {"level": "phrases", **settings}
    return SearchOptions(method="grips", targets=(target,), questions=("q",), **given)


def units(text: str, level: str = "phrases", *, protect: bool = True) -> list[str]:
    """The units of a text, as texts."""
    spans = list_units(text, form="template", level=level, protect=protect)
    return [text[span.start : span.end] for span in spans]


def delete(text: str, word: str, **settings) -> str:
    """The text after the deletion of the first place of a word."""
    target, at = target_of(text), text.index(word)
    options = options_of(target, **settings)
    edit = Edit(
        operation="delete", spans=(Span(at, at + len(word)),), texts=(word,), level=options.level
    )
    return apply_edit(text, edit, target=target, options=options)


def random_edits(target: Target, *, count: int, seed: int, **settings) -> list[str]:
    """Texts after one, two, ... random edits, each of the text before; paraphrases are invented."""
    random, options = np.random.default_rng(seed), options_of(target, **settings)
    text, deleted, texts = target.text, [], []
    for number in range(count):
        edit = draw_edit(
            text, target=target, options=options, deleted=deleted, random=random, paraphrase=True
        )
        if edit is None:
            break
        if edit.operation == "paraphrase":
            edit = Edit(
                operation="paraphrase", spans=edit.spans, texts=edit.texts, new=f"word {number}"
            )
        deleted += edit.texts if edit.operation == "delete" else ()
        text = apply_edit(text, edit, target=target, options=options)
        texts.append(text)
    return texts


def test_phrases_begin_at_function_words():
    """The rule gives phrases that a reader of English would mark."""
    found = units("Rate the set of conversations, and name each serious fault.")
    assert found == ["Rate", "the set", "of conversations", "and name", "each serious fault"]
    found = units("Decide which answer carries out the instruction.")
    assert found == ["Decide", "which answer carries out", "the instruction"]


def test_units_leave_out_what_is_kept():
    """No unit has an expression, a key of JSON, a heading, or the number of a list."""
    text = '# Rules\n1. Rate from {{ low }} on.\n{"score": "a whole number"}'
    assert units(text, "words") == ["Rate", "from", "on", "a", "whole", "number"]
    assert units(text, "sentences") == []
    assert units("Read all. Rate {{ it }}. Be fair.", "sentences") == ["Read all.", "Be fair."]


def test_words_of_the_paper_include_punctuation():
    """In the paper's way braces and colons are words, so an edit can destroy JSON and expressions."""
    found = units('{"score": {{ low }}}', "words", protect=False)
    assert found == ["{", '"', "score", '"', ":", "{", "{", "low", "}", "}", "}"]


@pytest.mark.parametrize(
    ("text", "word", "left"),
    [
        ("Read the text twice.", "the", "Read text twice."),
        ("Read the text twice.", "twice", "Read the text."),
        ("Read the text twice.", "Read", "the text twice."),
        ("One\nTwo\nThree", "Two", "One\nThree"),
    ],
)
def test_a_deletion_leaves_no_gap(text: str, word: str, left: str):
    """One space goes with the deleted word, and a line that is empty goes as well."""
    assert delete(text, word) == left


def test_one_place_or_every_occurrence():
    """A position is edited alone, or all equal units; in the paper's way all equal strings."""
    text = "Rate the rating of the other text."
    assert delete(text, "the") == "Rate rating of the other text."
    assert delete(text, "the", every_occurrence=True, level="words") == "Rate rating of other text."
    assert delete("a cat at a mat", "a", protect=False, every_occurrence=True) == "a cat t  mat"


def test_deleting_a_colon_in_the_papers_way_loses_all_colons():
    """The defect of the paper's winner: it has no colon left and is no JSON."""
    text = delete(INIT, ":", protect=False, every_occurrence=True, level="words")
    assert ":" not in text
    assert list_keys(INIT) == ("reasons", "score")
    assert list_keys(text) == ()


def test_the_edits_of_the_paper_on_its_instruction():
    """The first winner of the paper's table 3 comes from INIT by deleting every `the `."""
    text = delete(INIT, "the", protect=False, every_occurrence=True, level="words")
    winner = INIT.replace("the following", "following").replace("the rating on", "rating on")
    assert " ".join(text.split()) == winner


def test_swapped_units_change_places():
    """A swap keeps all words."""
    text = "Read all answers. Name faults."
    target = target_of(text)
    edit = Edit(operation="swap", spans=(Span(0, 4), Span(18, 22)), texts=("Read", "Name"))
    swapped = apply_edit(text, edit, target=target, options=options_of(target))
    assert swapped == "Name all answers. Read faults."
    assert describe_edit(edit) == 'swap "Read" and "Name"'


def test_only_deleted_texts_are_added():
    """Without a deletion nothing can be added; afterwards the deleted text can come back."""
    target = target_of("Read the whole text twice.")
    options, random = options_of(target), np.random.default_rng(0)

    def draw(deleted):
        given = {"target": target, "options": options, "deleted": deleted, "random": random}
        return [draw_edit(target.text, **given, paraphrase=False) for _ in range(60)]

    assert {edit.operation for edit in draw([])} == {"delete", "swap"}
    added = [edit for edit in draw(["slowly"]) if edit.operation == "add"]
    assert {edit.new for edit in added} == {"slowly"}
    texts = {apply_edit(target.text, edit, target=target, options=options) for edit in added}
    assert "Read the whole text twice slowly." in texts
    assert "slowly Read the whole text twice." in texts


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("level", ["words", "mixed"])
def test_200_edits_leave_expressions_and_keys_whole(path: Path, level: str):
    """After 200 random edits of a pack the kept parts are those of the original, in every template.

    The edited pack is read without an error.
    """
    text = path.read_text(encoding="utf-8")
    plain = tomllib.loads(text)
    templates = [*plain["tasks"].values(), *plain["reply"].values()]
    edits = 0
    for seed, template in enumerate(templates):
        edited = random_edits(target_of(template), count=20, seed=seed, level=level)
        edits += len(edited)
        for one in edited[-1:]:
            assert list_expressions(one, "template") == list_expressions(template, "template")
            assert list_keys(one) == list_keys(template)
            assert kept(one) == kept(template)
            assert one != template
            text = text.replace(template, one)
    assert edits >= 200
    read_pack(path.stem, text)


def kept(text: str) -> list[str]:
    """The kept parts of a text."""
    return [text[span.start : span.end] for span in list_kept(text, "template")]


def test_placeholders_stand_for_expressions():
    """A proposer sees `{1}`; the text that comes back has the expressions again."""
    text = 'From {{ low }} to {{ "}}" ~ high }}{% if a %}!{% endif %}'
    shown = hide_expressions(text, "template")
    assert shown == "From {1} to {2}{3}!{4}"
    assert show_expressions(shown, text, "template") == text
    assert show_expressions("{9} {0}", text, "template") == "{9} {0}"
    assert hide_expressions("a {{ b }}", "plain") == "a {{ b }}"


def test_statements_keep_their_order():
    """Expressions may change places, but not where a statement decides about their values."""
    assert keeps_expressions("{{ b }} {{ a }}", "{{ a }} {{ b }}", "template")
    assert keeps_expressions("{{ a }} {{ a }} {{ b }}", "{{ a }} {{ b }}", "template")
    assert not keeps_expressions("{{ a }} {{ a }}", "{{ a }} {{ b }}", "template")
    assert not keeps_expressions("{{ a }} {{ b }} {{ c }}", "{{ a }} {{ b }}", "template")
    text = "{% for x in y %}{{ x }}{% endfor %}{{ z }}"
    moved = "{{ x }}{% for x in y %}{% endfor %}{{ z }}"
    assert keeps_expressions(text, text, "template")
    assert not keeps_expressions(moved, text, "template")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "\n{{ criteria }}\n\n# Task\nRate {{ it }}.\n",
            ("\n{{ criteria }}\n\n# Task\n", "Rate {{ it }}.", "\n"),
        ),
        ("{% if a %}\nRate.\n{% endif %}\n", ("{% if a %}\n", "Rate.", "\n{% endif %}\n")),
        ("Rate from {{ low }} to {{ high }}", ("", "Rate from {{ low }} to {{ high }}", "")),
        ("{{ criteria }}", ("", "{{ criteria }}", "")),
    ],
)
def test_lines_without_free_words_need_not_be_written_anew(text: str, parts: tuple[str, str, str]):
    """The margins of a text are whole lines of kept parts; what is between them is shown to a proposer."""
    assert split_margins(text, "template") == parts
    assert "".join(split_margins(text, "template")) == text
