"""Laws of the split between thinking and reply."""

import pytest
from hypothesis import given, strategies as st

from peerjudge.verdicts import read_verdict, split_thinking

TAGS = st.sampled_from(["think", "thinking", "THINK", "thought", "seed:think"])
PROSE = st.text(st.characters(exclude_characters='<[◁`"“”', exclude_categories=("Cs",)))


@given(TAGS, PROSE, PROSE)
def test_what_stands_in_the_tags_is_the_thinking_and_the_rest_is_the_reply(tag, thought, reply):
    """No word is lost, and no word of the thinking is left in the reply."""
    assert split_thinking(f"<{tag}>{thought}</{tag}>{reply}") == (thought.strip(), reply.strip())


@given(PROSE)
def test_a_text_without_tags_is_all_reply(text):
    """It is returned unchanged, white space included."""
    assert split_thinking(text) == ("", text)


@pytest.mark.parametrize("mention", ["`<think>`", '"<think>"', "`[THINK]`"])
def test_a_quoted_tag_is_a_mention(mention):
    """A reviewer may criticise an answer for the tags in it."""
    text = f"Answer 2 leaks its {mention} tag.\n\n1"
    assert split_thinking(text) == ("", text)
    assert read_verdict(text).position == 0
