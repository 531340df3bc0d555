"""Arena-Hard, promptfoo, AutoGen and chats: what their files hold becomes comparisons, reviews and turns."""

from __future__ import annotations

import json

import pytest

from peerjudge.data import TIE, UNREADABLE, Verdict
from peerjudge.datasets import load
from peerjudge.datasets.source import Options, Request
from peerjudge.datasets.sources.discussions import read_discussions
from peerjudge.errors import DataError
from peerjudge.features.exchange.importing import recognize


def judgment(*scores, **more):
    """Return a line of Arena-Hard with a game for each score."""
    games = [{"score": score, "judgment": {"answer": f"[[{score}]]"}} for score in scores]
    return {"uid": "u1", "model": "mine", "judge": "j", "games": games, **more}


def test_the_second_game_of_arena_hard_is_swapped(write):
    """The baseline is A in the first game and B in the second, and strong preferences are choices."""
    scores = ("B>>A", "A>B"), ("A<B", "A=B"), ("A>>B", None)
    rows = [judgment(*pair, uid=f"u{n}", baseline="base") for n, pair in enumerate(scores)]
    data = load(f"arena_hard:{write('judge.jsonl', rows)}")
    mine, base = Verdict.of("mine"), Verdict.of("base")
    assert [one.verdict for one in data.reviews] == [mine, mine, mine, TIE, base, UNREADABLE]
    assert {one.shown for one in data.reviews[::2]} == {("base", "mine")}
    assert {one.shown for one in data.reviews[1::2]} == {("mine", "base")}
    assert data.reviews[0].text == "[[B>>A]]"
    assert any("B>>A: second answer, once" in note for note in data.notes)


def test_texts_of_arena_hard_stand_above_the_judgments(write, tmp_path):
    """Both layouts of its questions and answers are read; the baseline may be named."""
    folder = tmp_path / "data" / "model_judgment" / "j"
    folder.mkdir(parents=True)
    (tmp_path / "data" / "model_answer").mkdir()
    chat = [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": {"answer": "new"}}]
    turns = [{"turns": [{"content": "old"}]}]
    for name, rows in {
        "question.jsonl": [{"uid": "u1", "prompt": "Q?", "category": "hard"}],
        "model_answer/mine.jsonl": [{"uid": "u1", "model": "mine", "messages": chat}],
        "model_answer/gpt.jsonl": [{"question_id": "u1", "model_id": "gpt", "choices": turns}],
        "model_judgment/j/mine.jsonl": [judgment("A>B", None)],
    }.items():
        (tmp_path / "data" / name).write_text("\n".join(map(json.dumps, rows)))
    data = load(f"arena_hard:{folder / 'mine.jsonl'}", options=Options(pairs="baseline=gpt"))
    (one,) = data.comparisons
    assert one.question.text == "Q?"
    assert {answer.author: answer.text for answer in one.answers} == {"gpt": "old", "mine": "new"}


def result(test, provider, output, score, *, prompt="Say hi", label="p", **more):
    """Return a result of promptfoo with one graded assertion."""
    graded = {"score": score, "assertion": {"type": "llm-rubric", "value": "polite"}}
    return {
        "testIdx": test,
        "provider": {"id": provider, "label": ""},
        "prompt": {"raw": prompt, "label": label},
        "vars": {"name": f"person {test}"},
        "response": {"output": output},
        "score": score,
        "gradingResult": {"score": score, "componentResults": [graded]},
        **more,
    }


def test_outputs_of_promptfoo_are_paired_by_test(write):
    """Providers are contestants, and the higher score of a grader is its choice."""
    rows = [result(0, "x:a", "hi", 1), result(0, "x:b", "yo", 0.2), result(1, "x:a", "hi", 0.5)]
    failed = result(1, "x:b", None, 0, error="429")
    document = {"evalId": "e", "results": {"version": 3, "results": [*rows, failed]}, "config": {}}
    path = write("results.json", json.dumps(document, indent=1))
    assert recognize(path, Options()) == "promptfoo"
    data = load(f"promptfoo:{path}")
    (review,) = data.reviews
    assert (review.reviewer, review.verdict) == ("llm-rubric", Verdict.of("x:a"))
    assert data.comparisons[0].question.text == "Say hi"
    assert data.left_out["results with an error or without an output"] == 1


def test_prompts_of_promptfoo_are_contestants_where_a_test_has_several(write):
    """The question is the variables then, as the prompts are what is compared."""
    rows = [
        result(0, "x:a", "hi", 1, prompt="Greet", label="p1"),
        result(0, "x:a", "yo", 0, prompt="Say hello", label="p2"),
    ]
    data = load(f"promptfoo:{write('results.json', json.dumps({'results': rows, 'config': {}}))}")
    assert {one.author for one in data.comparisons[0].answers} == {"x:a p1", "x:a p2"}
    assert data.comparisons[0].question.text == "person 0"


PAIR = {"question": "Q?", "answer_a": "x", "answer_b": "y"}
THREAD = [
    {"source": "user", "content": "Which is better?", "type": "TextMessage"},
    {"source": "ann", "content": [{"name": "look", "arguments": "{}"}], "type": "ToolCallRequestEvent"},
    {"source": "ann", "content": "x.\n[[1]]", "type": "TextMessage"},
    {"source": "bob", "content": "y.\n[[2]]", "type": "TextMessage"},
]  # fmt: skip
CHAT = [
    {"role": "system", "content": "Judge."},
    {"role": "user", "content": "Which is better?"},
    {"role": "assistant", "name": "ann", "content": "x.\n[[1]]"},
    {"role": "assistant", "name": "bob", "content": [{"type": "text", "text": "y.\n[[2]]"}]},
]
STATE = {
    "type": "TeamState",
    "agent_states": {
        "ann": {"type": "ChatAgentContainerState"},
        "RoundRobinGroupChatManager": {"type": "RoundRobinManagerState", "message_thread": THREAD},
    },
}


@pytest.mark.parametrize(
    "fields", [{"turns": STATE}, {"turns": THREAD}, {"messages": CHAT}, {"turns": CHAT}]
)
def test_chats_and_saved_teams_are_discussions(write, fields):
    """Speakers are the named ones; the task and calls of tools are counted, not said."""
    path = write("talks.json", json.dumps([{**PAIR, **fields}], indent=1))
    found = read_discussions(Request(path=path))
    (talk,) = found.transcripts
    assert [turn.cue.seat for turn in talk.turns] == ["ann", "bob"]
    assert [turn.utterance.text[0] for turn in talk.turns] == ["x", "y"]
    assert found.left_out["messages of the system and the user"] >= 1


def test_fields_of_turns_are_named(write):
    """A map names fields of the row or of its turns, also inside objects."""
    turns = [{"who": "ann", "message": {"content": "x.\n[[1]]"}}]
    path = write("talks.json", json.dumps([{"Q": "Q?", "answers": ["x", "y"], "log": turns}]))
    names = {"question": "Q", "turns": "log", "speaker": "who", "text": "message.content"}
    found = read_discussions(Request(path=path, options=Options(names=names)))
    assert found.transcripts[0].turns[0].utterance.text == "x.\n[[1]]"


@pytest.mark.parametrize("alone", [STATE, {"messages": CHAT}])
def test_a_chat_without_answers_says_what_to_add(write, alone):
    """A saved team does not say which answers were judged, so one sentence names what is missing."""
    path = write("state.json", json.dumps(alone, indent=1))
    with pytest.raises(DataError, match=r"does not say which answers were judged") as raised:
        read_discussions(Request(path=path))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"evalId": "e", "results": {"results": []}, "config": {}}, "promptfoo"),
        ({"status": "success", "eval": {}, "samples": []}, "inspect"),
        (judgment("A>B", "B>A"), "arena_hard"),
        (STATE, "discussions"),
        ({"question": "Q?", "response_A": "x", "response_B": "y", "label": "A>B"}, "judge_bench"),
    ],
)
def test_a_file_of_another_tool_is_named(write, document, kind):
    """One sentence names the format of a file that is given as a table of pairs."""
    path = write("file.json", json.dumps(document, indent=1))
    with pytest.raises(DataError, match=rf"looks like {kind}, .*peerjudge import {kind}") as raised:
        load(str(path))
    assert "\n" not in str(raised.value)


def test_discussions_that_are_held_twice_are_counted(write):
    """The same turns on the same answers by the same speakers are said; other words are a repetition."""
    turns = [{"speaker": "ann", "text": "x.\n[[1]]"}]
    other = [{"speaker": "ann", "text": "y.\n[[2]]"}]
    path = write("talks.jsonl", [{**PAIR, "turns": each} for each in (turns, turns, other, turns)])
    found = read_discussions(Request(path=path))
    assert [one.repetition for one in found.transcripts] == [0, 1, 2, 3]
    assert found.notes[-1].startswith("2 of 4 discussions have the turns of an earlier one")


def test_a_table_of_pairs_needs_no_format(write):
    """Import reads one's own columns by their names, and shows which columns others may be."""
    row = {**PAIR, "gold": "a"}
    assert recognize(write("own.json", json.dumps([row])), Options()) == "jsonl"
    assert recognize(write("own.csv", "question,answer_a,answer_b\nQ?,x,y\n"), Options()) == "csv"
    other = write("other.csv", "Prompt,Output 1,Output 2\nQ?,x,y\n")
    with pytest.raises(DataError, match=r"use --map question=Prompt --map answer_a='Output 1'"):
        recognize(other, Options())


def test_yaml_is_named(write):
    """A file that no delimiter splits is not spoken of as a table where its ending says what it is."""
    with pytest.raises(DataError, match=r"is YAML, .* write JSON"):
        recognize(write("results.yaml", "results:\n  version: 3\n"), Options())
