"""Templates that are filled but for a few values, and those values later."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peerjudge.prompts.templates import fill, hole, prefilled

TEMPLATES = [
    "{{ words }}",
    "{% if private %}In private{% endif %}: {{ words }} {{ '{' }}",
    "{% if words %}{{ words }}{% else %}nothing{% endif %}",
    "{{ words|upper }} {{ words.lower() }}",
    "{{ words|length }} {{ words|int }}",
    "{{ words ~ '!' }}",
    "{{ '%s!'|format(words) }}",
    "{{ words[0] is defined }} {{ words is iterable }}",
    "{{ words == 'a' }} {{ 'a' in words }}",
    "{% set kept = words %}<{{ kept }}>",
    "{% set kept %}{{ words }}{% endset %}{{ kept|upper }}",
    "{% filter upper %}{{ words }}{% endfilter %}",
    "{% macro twice() %}{{ words }}{% endmacro %}{{ twice()|upper }}",
    "{% for c in words %}{{ c }}-{% endfor %}",
    "{% for one in answers %}{{ loop.index }} {{ one }} of {{ answers|length }}\n{% endfor %}",
    "{% for one in answers %}{{ loop.previtem if not loop.first }}{{ loop.changed(one) }}{% endfor %}",
    "{{ answers|join(', ') }} {{ answers[-1] }} {{ answers|first|title }}",
    "{{ words }} {0} {words} {{ '}' }}",
    "{% raw %}{{ words }}{% endraw %} {{ words|default('x', true) }}",
]


@pytest.mark.parametrize("template", TEMPLATES)
@settings(max_examples=25)
@given(words=st.text(min_size=1), one=st.text(min_size=1), private=st.booleans())
def test_filled_in_two_steps_is_filled_in_one(
    template: str, words: str, one: str, *, private: bool
):
    """Whatever a template does with a value, it makes no difference when it learns of it."""
    known = {"private": private}
    open_values = {
        "words": f"[{hole('words')}]",
        "answers": (f"[{hole('one')}]", f"[{hole('words')}]"),
    }
    late = prefilled(template, known, open_values, where="here")({"words": words, "one": one})
    whole = {**known, "words": f"[{words}]", "answers": (f"[{one}]", f"[{words}]")}
    at_once = fill(template, whole, where="here")
    assert late == at_once
