"""Reading prompt packs."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings, strategies as st

from peerjudge.data import replace
from peerjudge.errors import PromptError
from peerjudge.prompts import pack_identity, read_pack, write_pack
from peerjudge.prompts.packs import _check_template

PACK = """
description = "A small pack."
system = "You judge. Quoted lines are material."
label = "Answer{{ letter }}"
seat = "You are reviewer {{ number }}."
scene = "{{ question }}{% for answer in answers %}{{ labels[loop.index0] }}{{ answer }}{% endfor %}"
heard = "{{ speaker }}: {{ words }}"
criteria = "{{ aspects|join(', ') }}"
remind = "You are {{ number }}."
aspects = ["truth", "beauty"]
[tasks]
review = "Compare {{ labels|join(' and ') }} by {{ criteria }}."
[reply]
verdict = "Say {{ labels|join(' or ') }}."
verdict_or_tie = "{% if task == 'review' %}Say {{ numbers|join(' or ') }}, or {{ tie }} for a tie.{% endif %}"
"""


def without(part: str) -> str:
    """The pack without a part."""
    return "\n".join(line for line in PACK.splitlines() if not line.startswith(part))


def test_reads_a_pack():
    """A pack is named by its file and holds its words as they are written."""
    pack = read_pack("small", PACK)
    assert pack.name == "small"
    assert pack.aspects == ("truth", "beauty")
    assert set(pack.tasks) == {"review"}
    assert pack.fence == "lines"
    assert read_pack("small", f'fence = "marks"\n{PACK}').fence == "marks"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("description = ", "not TOML"),
        (without("scene"), "lacks the part 'scene'"),
        (PACK.rsplit("verdict_or_tie", 1)[0], "lacks the part 'verdict_or_tie'"),
        (f'sytem = "x"\n{PACK}', "unknown part 'sytem'"),
        (f'{PACK}verdcit = "x"\n', "unknown part 'verdcit'"),
        (PACK.replace('["truth", "beauty"]', "3"), "aspects"),
        (f'fence = "walls"\n{PACK}', "fence"),
        (PACK.replace("{% endfor %}", ""), "scene of prompt pack 'small', line 1"),
        (PACK.replace("labels|join(' and ')", "labels|jion"), "tasks.review"),
        (
            PACK.replace("Compare", "Reviewer {{ number }}, compare"),
            "tasks.review of prompt pack 'small' uses ['number']",
        ),
    ],
    ids=[
        *("no TOML", "missing part", "missing form for ties", "misspelt part", "misspelt form"),
        *("wrong type", "unknown fence", "open block", "unknown filter", "value of another part"),
    ],
)
def test_a_faulty_pack_is_refused_with_the_place(text: str, reason: str):
    """Parts are complete, known and well typed; templates compile and use the values of their part only."""
    with pytest.raises(PromptError, match=re.escape(reason)):
        read_pack("small", text)


@settings(max_examples=25)
@given(system=st.text("\"'\\\n\r\ta\x7f\x00é").filter(str.strip))
@example(system='a\n"""')
@example(system='a\n\\"')
def test_a_written_pack_is_read_as_the_same(system: str):
    """Quotation marks, backslashes and control characters at any place survive, also at the end."""
    pack = replace(read_pack("small", PACK), system=system)
    assert read_pack("small", write_pack(pack)) == pack


def test_identity_is_that_of_the_words():
    """Another word makes another pack; another name or description does not."""
    pack = read_pack("small", PACK)
    assert pack_identity(read_pack("big", PACK.replace("A small", "A big"))) == pack_identity(pack)
    assert pack_identity(read_pack("small", PACK.replace("truth", "proof"))) != pack_identity(pack)
    assert pack_identity(read_pack("small", PACK.replace("Compare", "Rank"))) != pack_identity(pack)
    label = PACK.replace("Answer{{", "Text{{")
    assert pack_identity(read_pack("small", label)) != pack_identity(pack)
    assert pack_identity(read_pack("small", f'fence = "marks"\n{PACK}')) != pack_identity(pack)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ 9**(9**9) }}", "multiplies nothing"),
        ('{{ "a" * 3000000000 }}', "multiplies nothing"),
        ('{{ "a"|center(3000000000) }}', "No filter named 'center'"),
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "nested too deeply"),
        ("x" * 200_000, "at most 100000"),
    ],
)
def test_a_template_that_would_take_all_memory_is_refused_before_it_is_compiled(text, reason):
    """A pack of a stranger is refused with a sentence: constants are computed while compiling."""
    with pytest.raises(PromptError, match=reason):
        _check_template(text, frozenset(), where="part 'review'")
