"""Reading prompt packs."""

from __future__ import annotations

import pytest

from peerjudge.errors import PromptError
from peerjudge.prompts import pack_identity, read_pack

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


def refused(text: str) -> str:
    """The message of the refusal."""
    with pytest.raises(PromptError) as caught:
        read_pack("small", text)
    return str(caught.value)


def test_reads_a_pack():
    """A pack is named by its file and holds its words as they are written."""
    pack = read_pack("small", PACK)
    assert pack.name == "small"
    assert pack.aspects == ("truth", "beauty")
    assert set(pack.tasks) == {"review"}
    assert pack.fence == "lines"
    assert read_pack("small", f'fence = "marks"\n{PACK}').fence == "marks"


def test_text_that_is_not_toml():
    """A file that is not TOML is refused with the place."""
    assert "not TOML" in refused("description = ")


def test_missing_part():
    """A pack without a part is refused, and the part is named."""
    assert "lacks the part 'scene'" in refused(
        "\n".join(line for line in PACK.splitlines() if not line.startswith("scene"))
    )


def test_missing_reply_form():
    """A pack must have a reply form for ties, even if no protocol asks for ties."""
    assert "lacks the part 'verdict_or_tie'" in refused(PACK.rsplit("verdict_or_tie", 1)[0])


def test_unknown_key():
    """A misspelt part is refused instead of ignored."""
    assert "unknown part 'sytem'" in refused('sytem = "x"\n' + PACK)


def test_unknown_reply_form():
    """An unknown reply form is refused."""
    assert "unknown part 'verdcit'" in refused(PACK + 'verdcit = "x"\n')


def test_wrong_type():
    """A part of the wrong type is refused, and named."""
    assert "aspects" in refused(PACK.replace('["truth", "beauty"]', "3"))


def test_unknown_fence():
    """A fence is made of lines or of marks."""
    assert "fence" in refused(f'fence = "walls"\n{PACK}')


def test_template_that_does_not_compile():
    """A template with an open block is refused with its part and line."""
    message = refused(PACK.replace("{% endfor %}", ""))
    assert message.startswith("scene of prompt pack 'small', line 1")


def test_template_with_an_unknown_filter():
    """A template that uses a filter which does not exist is refused when it is read."""
    assert "tasks.review" in refused(PACK.replace("labels|join(' and ')", "labels|jion"))


def test_template_with_an_unknown_value():
    """A template may use only the values of its part, so private prompts cannot name a seat."""
    message = refused(PACK.replace("Compare", "Reviewer {{ number }}, compare"))
    assert "tasks.review of prompt pack 'small' uses ['number']" in message


def test_identity_is_that_of_the_words():
    """Another word makes another pack; another name or description does not."""
    pack = read_pack("small", PACK)
    assert pack_identity(read_pack("big", PACK.replace("A small", "A big"))) == pack_identity(pack)
    assert pack_identity(read_pack("small", PACK.replace("truth", "proof"))) != pack_identity(pack)
    assert pack_identity(read_pack("small", PACK.replace("Compare", "Rank"))) != pack_identity(pack)
    label = PACK.replace("Answer{{", "Text{{")
    assert pack_identity(read_pack("small", label)) != pack_identity(pack)
    assert pack_identity(read_pack("small", f'fence = "marks"\n{PACK}')) != pack_identity(pack)
