"""A prompt pack takes from another what it does not have itself."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import replace
from peerjudge.errors import PromptError
from peerjudge.prompts import pack_identity, read_pack, write_pack
from peerjudge.shelf import Shelf


def write(project, name, text):
    """Put a pack on the shelf of a project."""
    folder = project / "protocols" / "prompts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")


OWN = """
description = "My rules."
extends = "long_form"
aspects = ["Be right."]
[tasks]
review = "{{ criteria }} Choose."
"""


def test_a_pack_replaces_parts_and_keys_of_the_one_it_extends(tmp_path):
    """Tables are merged by key; other parts are replaced as a whole."""
    write(tmp_path, "mine", OWN)
    shelf = Shelf(tmp_path)
    base, mine = shelf.prompts("long_form"), shelf.prompts("mine")
    assert mine.aspects == ("Be right.",)
    assert mine.tasks == {**base.tasks, "review": "{{ criteria }} Choose."}
    assert (mine.system, mine.reply, mine.description) == (base.system, base.reply, "My rules.")


def test_the_identity_of_a_pack_is_that_of_its_words(tmp_path):
    """A pack written out in full and one that extends another are the same reviewer's prompt."""
    write(tmp_path, "mine", OWN)
    resolved = Shelf(tmp_path).prompts("mine")
    write(tmp_path, "whole", write_pack(resolved))
    assert pack_identity(Shelf(tmp_path).prompts("whole")) == pack_identity(resolved)
    write(tmp_path, "same", 'extends = "long_form"\n')
    shelf = Shelf(tmp_path)
    assert pack_identity(shelf.prompts("same")) == pack_identity(shelf.prompts("long_form"))


def test_a_pack_may_extend_the_built_in_one_of_its_name(tmp_path):
    """A project changes one part of a built-in pack for all experiments that name it."""
    write(tmp_path, "long_form", OWN)
    write(tmp_path, "more", 'extends = "long_form"\naspects = ["Be brief."]\n')
    shelf = Shelf(tmp_path)
    assert shelf.prompts("long_form").aspects == ("Be right.",)
    assert shelf.prompts("more").tasks["review"] == "{{ criteria }} Choose."


@pytest.mark.parametrize(
    ("packs", "complaint"),
    [
        ({"one": "two", "two": "one"}, "extend each other: one -> two -> one"),
        ({"one": "one"}, "extend each other: one -> one"),
    ],
)
def test_packs_that_extend_each_other_are_refused(tmp_path, packs, complaint):
    """The error names the packs in their order."""
    for name, base in packs.items():
        write(tmp_path, name, f'extends = "{base}"\n')
    with pytest.raises(PromptError, match=complaint):
        Shelf(tmp_path).prompts("one")


def test_what_a_pack_adds_is_checked(tmp_path):
    """A key that is misspelt, or a value that its part does not get, is named."""
    write(tmp_path, "mine", OWN.replace("aspects", "aspect"))
    with pytest.raises(PromptError, match="unknown part 'aspect'"):
        Shelf(tmp_path).prompts("mine")
    write(tmp_path, "other", OWN.replace("Choose.", "{{ question }}"))
    with pytest.raises(
        PromptError, match=r"tasks\.review of prompt pack 'other' uses \['question'\]"
    ):
        Shelf(tmp_path).prompts("other")
    with pytest.raises(PromptError, match="extends of prompt pack 'x' is the name of another pack"):
        read_pack("x", f"extends = {json.dumps('long_form')}\n")


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60).map(
    lambda text: text.replace("{", "(").replace("}", ")").replace("\r", " ")
)


@given(TEXTS, st.lists(TEXTS, max_size=3), st.sampled_from(['"', '""', '"""', "\\", "\n", "\t"]))
def test_a_pack_that_is_written_is_read_as_it_was(text, aspects, hard):
    """Quotes, backslashes, line breaks and control characters survive TOML."""
    base = Shelf().prompts("long_form")
    pack = replace(base, system=text + hard, aspects=(*aspects, hard + text), fence="marks")
    assert read_pack("long_form", write_pack(pack)) == pack
