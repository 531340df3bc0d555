"""Nouns: frozen, equal by value, strict when they are read, and usable in pydantic models."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, ValidationError

from peerjudge import data
from peerjudge.data import (
    Answer,
    Comparison,
    Cue,
    Expects,
    Measurement,
    Message,
    Noun,
    PromptPack,
    Question,
    Ranking,
    Sampling,
    Transcript,
    Usage,
    Utterance,
    from_json,
    from_plain,
    replace,
    to_json,
    to_plain,
)
from peerjudge.errors import DataError
from peerjudge.testing import comparison_of, transcript_of

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
UTTERANCES = st.builds(
    Utterance,
    text=TEXTS,
    usage=st.builds(Usage, prompt_tokens=st.integers(0, 10**6), estimated=st.booleans()),
    model=TEXTS,
    latency=st.floats(0, 1e4),
    attempts=st.integers(1, 9),
    cached=st.booleans(),
)


def nouns() -> Iterator[type[Noun]]:
    """All nouns that the room exports."""
    for name in data.__all__:
        kind = getattr(data, name)
        if isinstance(kind, type) and issubclass(kind, Noun) and kind is not Noun:
            yield kind


def test_a_noun_is_frozen_and_takes_no_other_field():
    """A noun never changes, and an unknown field is an error."""
    configs = {kind.__name__: kind.__struct_config__ for kind in nouns()}
    assert len(configs) > 40
    assert [name for name, one in configs.items() if not one.frozen] == []
    assert [name for name, one in configs.items() if not one.forbid_unknown_fields] == []


def test_a_noun_is_equal_by_value():
    """Two comparisons of the same content are equal, as keys and as values, also after pickling."""
    one, other = comparison_of(2, gold=1), comparison_of(2, gold=1)
    assert one.shown == other.shown
    assert {one, other, pickle.loads(pickle.dumps(one))} == {one}


def test_a_changed_copy_is_checked_as_a_new_noun():
    """A changed copy is checked like a new noun."""
    assert replace(comparison_of(2), subset="hard").subset == "hard"
    with pytest.raises(DataError, match="shows the same answer twice"):
        replace(comparison_of(2), answers=(Answer(id="a", text=""), Answer(id="a", text="")))
    with pytest.raises(AttributeError):
        comparison_of(2).subset = "hard"


@given(UTTERANCES)
def test_an_utterance_survives_its_json_form(utterance):
    """Any text and any number survive, to the last digit."""
    assert from_json(Utterance, to_json(utterance)) == utterance
    assert from_plain(Utterance, to_plain(utterance)) == utterance


def test_a_transcript_survives_its_json_form():
    """Seats, cues and verdicts survive."""
    transcript = transcript_of("2|1 2 1 1 1")
    assert from_json(Transcript, to_json(transcript)) == transcript


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('"expects":"verdict"', '"expects":"song"'), r"turns\[0\]\.cue\.expects.*song"),
        (('"index":0,', '"index":"no",'), r"turns\[0\]\.index: Expected `int`.*found 'no'"),
        (('"index":0,', ""), r"turns\[0\]: Object missing required field `index`"),
        (('"index":0,', '"index":0,"mood":"good",'), r"turns\[0\]: Object contains unknown field"),
        (("Transcript/1", "Transcript/9"), "expected a Transcript/1 document.*Transcript/9"),
        (('{"schema"', '"schema"'), "expected a Transcript/1 document|not JSON"),
        (('"data":{', '"data":{{'), "not JSON"),
    ],
)
def test_an_error_in_a_document_is_named_with_its_place(change, sentence):
    """The message names the first error, its place and the value found."""
    text = to_json(transcript_of("2|1 2 1"))
    assert change[0] in text
    with pytest.raises(DataError, match=sentence):
        from_json(Transcript, text.replace(*change, 1))


def test_settings_may_be_given_as_text():
    """A temperature given as text is read as a number; any other text is refused with its value."""
    assert from_plain(Sampling, {"temperature": "0.7"}) == Sampling(temperature=0.7)
    with pytest.raises(DataError, match=r"temperature.*'hot'"):
        from_plain(Sampling, {"temperature": "hot"})
    with pytest.raises(DataError, match="temperature is 0 to 2, not 7"):
        from_plain(Sampling, {"temperature": 7})


def test_an_error_in_a_table_is_named_with_the_table():
    """The message shows the whole table, since the entry is unknown."""
    said = {"one": {"score": "much", "rank": 1}}
    with pytest.raises(DataError, match=r"contestants\[\.\.\.\]\.score.*found \{'one'"):
        from_plain(Ranking, {"contestants": said})
    with pytest.raises(DataError, match=r"tasks\[\.\.\.\]: Expected `str`, got `int`"):
        from_plain(PromptPack, {"tasks": {"review": 3}})


def test_numbers_of_numpy_are_written_as_numbers():
    """Values computed in arrays have the JSON form of plain numbers."""
    measured = Measurement(value=np.float64(0.5), low=0.0, high=1.0, n=np.int64(3))
    assert from_json(Measurement, to_json(measured)) == Measurement(value=0.5, low=0, high=1, n=3)
    assert to_plain(measured) == {**to_plain(measured), "value": 0.5, "n": 3}


def test_nouns_fit_into_dicts_and_frames():
    """Plain values of nouns make dicts and the rows of frames."""
    pandas = pytest.importorskip("pandas")
    said = Usage(prompt_tokens=3, estimated=True)
    assert to_plain(replace(Utterance(text="hi"), usage=said))["usage"] == {
        "prompt_tokens": 3,
        "completion_tokens": 0,
        "thinking_tokens": 0,
        "estimated": True,
    }
    frame = pandas.DataFrame([to_plain(said), to_plain(Usage())])
    assert frame["prompt_tokens"].tolist() == [3, 0]
    assert replace(said, estimated=False) == Usage(prompt_tokens=3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seat": 3},
        {"task": None},
        {"sees": "oops"},
        {"sees": (["a"], "b")},
        {"hears": [0]},
        {"hears": ("0",)},
        {"expects": "verdict"},
    ],
)
def test_a_cue_of_other_types_is_refused(wrong):
    """A protocol's author learns of a wrong type where the cue is constructed."""
    with pytest.raises(DataError, match="a cue needs a seat id and a task"):
        Cue(**{"seat": "s", "task": "review", "sees": ("a", "b"), **wrong})


class Letter(BaseModel):
    """A pydantic model that holds nouns."""

    cue: Cue
    comparison: Comparison


def test_pydantic_models_hold_nouns():
    """AutoGen's messages and configurations hold nouns and check them in the same way."""
    cue = Cue(seat="s", task="review", sees=("1", "2"), expects=Expects.VERDICT)
    letter = Letter(cue=cue, comparison=comparison_of(2))
    assert Letter.model_validate_json(letter.model_dump_json()) == letter
    assert Letter.model_validate(letter.model_dump()).cue is not cue
    for mode in ("validation", "serialization"):
        assert Letter.model_json_schema(mode=mode)["properties"]["cue"]["type"] == "object"
    with pytest.raises(ValidationError, match="missing required field `task`"):
        Letter.model_validate({"cue": {"seat": "s"}, "comparison": letter.comparison})


def test_a_noun_shows_what_it_is():
    """The representation of a noun is the call that makes it, without fields at their defaults."""
    assert repr(Question(id="q", text="why?")) == "Question(id='q', text='why?')"
    assert repr(Message(role="user", text="hi")).startswith("Message(role='user', text='hi'")
