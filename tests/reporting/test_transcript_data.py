"""Transcripts as data of the page."""

import json
import zlib
from base64 import b64decode
from collections import Counter

from hypothesis import given, settings, strategies as st

from peerjudge.analysis.listing import Flag, find_flags
from peerjudge.data import replace
from peerjudge.reporting import transcripts
from peerjudge.reporting.transcripts import TEXT_LIMIT, TranscriptData, embed_json
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tracker import opinion_events
from tests.reporting.conftest import listed, with_utterances

texts = st.text(max_size=8)
plain = st.recursive(
    texts | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


def unpacked(data: TranscriptData) -> list[dict]:
    """Return the chunks as a browser reads them."""
    return [json.loads(zlib.decompress(b64decode(chunk))) for chunk in data.chunks()]


def flags(moves: str, **told) -> Flag:
    """Return the filters that this discussion passes."""
    transcript = transcript_of(moves, **told)
    return find_flags(transcript, opinion_events(transcript))


@settings(max_examples=50)
@given(plain)
def test_embedded_json_cannot_leave_its_script_element(value: object):
    """No string leaves a character with a meaning in HTML."""
    text = embed_json(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


def test_filters_follow_the_stances():
    """Each filter is a fact about the stances."""
    assert flags("1|1 1 1") == Flag(0)
    assert flags("2|1 1 1", gold=1) == Flag.ALTERED
    assert flags("1|2 1 1", gold=1) == Flag.ALTERED
    assert flags("1|2 1 1", gold=2) == Flag.ALTERED | Flag.AWAY
    assert Flag.AWAY not in flags("1|2 2 2", gold=1), "a leader that moves away is no follower"
    assert flags("1|2 1 2") == Flag.DISAGREED
    assert flags("1|2") == Flag(0), "a vote is no discussion"
    assert flags("?|1 1 1") == Flag.UNREADABLE
    assert flags("!|1 1 1") == Flag.UNREADABLE


def test_every_discussion_is_found_again(run):
    """The index has a row for each discussion, and the chunk its turns and texts."""
    data = listed(run)
    chunks = unpacked(data)
    index = json.loads(data.index())
    assert [row[0] for row in index["rows"]] == [told.id for told in run]
    assert len(data) == len(run)
    for place, told in enumerate(run):
        chunk = chunks[place // index["chunk"]]
        discussion = chunk["discussions"][place % index["chunk"]]
        texts = [chunk["texts"][turn[0]] for turn in discussion["turns"]]
        assert texts == [turn.utterance.text for turn in told.turns]
        assert tuple(discussion["shown"]) == told.comparison.shown


def test_verdicts_are_numbers_in_the_shown_order(run):
    """With swapped answers gold is the second one, and marks follow the shown order."""
    row = json.loads(listed(run).index())["rows"][4]
    assert [move[1] for move in row[5]] == list("121212")
    assert row[7] == "2"


def test_a_text_is_held_once_and_long_ones_in_part():
    """Equal texts are stored once; a text beyond the limit is cut and its length is kept."""
    long = with_utterances(transcript_of("1|1 1"), text="x" * (TEXT_LIMIT + 7))
    (held,) = unpacked(listed([long]))
    places = {turn[0] for turn in held["discussions"][0]["turns"]}
    assert len(places) == 1
    (place,) = places
    assert len(held["texts"][place]) == TEXT_LIMIT
    assert held["lengths"] == {str(place): TEXT_LIMIT + 7}


def test_a_colour_belongs_to_the_answer_in_both_orders():
    """The last value of a row names each shown answer by its place among all, whatever the order."""
    told = transcript_of("1|2 1 1", gold=1)
    twin = replace(told, id="twin", comparison=told.comparison.swapped())
    rows = json.loads(listed([told, twin]).index())["rows"]
    assert [row[-1] for row in rows] == [[1, 2], [2, 1]]
    assert [row[-3] for row in rows] == ["1", "2"], "gold is named by its place in each order"


def test_tasks_are_named_in_words():
    """A reader of a page sees words, not the name of a task in a prompt pack."""
    told = transcript_of("1|2 1 1")
    turns = [
        replace(turn, cue=replace(turn.cue, task=task))
        for turn, task in zip(told.turns, ("review_explained", "my_task", "discuss"), strict=False)
    ]
    (chunk,) = unpacked(listed([replace(told, turns=tuple(turns))]))
    named = [turn[1] for turn in chunk["discussions"][0]["turns"]]
    assert named == ["review with reasons", "my task", "discussion"]


def test_of_many_discussions_those_of_some_comparisons_are_listed(monkeypatch):
    """Of twice as many as a page may have, about half of the comparisons are there, each in both orders."""
    monkeypatch.setattr(transcripts, "MOST_LISTED", 100)
    data = TranscriptData(expected=200)
    for number in range(100):
        comparison = comparison_of(2, name=f"c{number}")
        for shown in (comparison, comparison.swapped()):
            if data.count(shown.id):
                data.add(transcript_of("1|1", comparison=shown), ())
    assert data.total == 200
    assert 70 < len(data) < 130
    listed_ones = [one["comparison"] for chunk in unpacked(data) for one in chunk["discussions"]]
    assert set(Counter(listed_ones).values()) == {2}
