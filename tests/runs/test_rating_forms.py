"""Runs whose models are asked for ratings, in every form, behind a real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peerjudge.data import Condition, Cue, Expects, replace
from peerjudge.engine.replaying import replay
from peerjudge.prompts import describe_form, list_keys
from peerjudge.runs import estimate_calls, load, prepare
from peerjudge.shelf import Shelf

from .model_server import MURKY, TOKENS, Model, is_question, only, play, study

RATED = Condition(
    name="rated",
    protocol="pointwise",
    seats=("ann",),
    orders="given",
    options={"logprobs": False},
)
SCORED = Condition(
    name="scored",
    protocol="score_reasons",
    seats=("ann",),
    orders="given",
    options={"scale": "10-1"},
)


async def test_a_rating_in_a_schema_is_a_whole_number_of_the_scale(model: Model):
    """Each answer is rated in a call of its own, whose schema lists the ratings; the better one wins."""
    model.card("ann", form="schema")
    ratings = iter([2, 4])
    model.words = lambda body: json.dumps({"rating": next(ratings)})
    await play(study(RATED))
    one = await only()
    assert [turn.review.score for turn in one.turns] == [2, 4]
    assert one.verdict.choice == one.comparison.shown[1]
    form = model.bodies[0]["response_format"]["json_schema"]
    assert form["strict"]
    assert form["schema"]["properties"] == {"rating": {"type": "integer", "enum": [1, 2, 3, 4, 5]}}
    assert form["schema"]["required"] == ["rating"]
    asked = model.bodies[0]["messages"][-1]["content"]
    assert asked.endswith('Its only key is "rating": a whole number from 1 to 5.')


def test_a_rating_after_reasons_has_its_argument_first():
    """A task other than the bare rating asks for reasons, and its JSON has them before the number."""
    cue = Cue(
        seat="ann", task="score", sees=("a",), expects=Expects.RATING, scale=(10, 1), aspects=True
    )
    assert list_keys(cue) == ("argument", "rating")
    words = describe_form("schema", cue, ("1", "2", "3"))
    assert words.index('"argument"') < words.index('"rating": a whole number from 1 to 3')


KEYS = {
    "score_only": ["score"],
    "score_reasons": ["score", "reasons"],
    "reasons_score": ["reasons", "score"],
}


def score_in(order: str, **options: str) -> Condition:
    """Return the condition of scores with the keys in this order."""
    return replace(
        SCORED, name=f"{order} {options}", options={"scale": "10-1", "order": order, **options}
    )


async def test_the_forms_of_score_reasons_are_bound_in_the_words_of_the_study(model: Model):
    """The schema has the keys of the form in its order, and the prompt is the one of a line."""
    forms = [(order, shown) for order in KEYS for shown in ("example", "schema")]
    every = study(*(score_in(order, form=shown) for order, shown in forms))
    model.words = lambda body: '{"score": 3, "reasons": "Exact."}'
    await play(every, out="line")
    lines, model.bodies = model.bodies, []
    model.card("ann", form="schema")
    await play(every)
    assert [body["messages"] for body in model.bodies] == [body["messages"] for body in lines]
    assert not any("response_format" in body for body in lines)
    for body, (order, _) in zip(model.bodies[::2], forms, strict=True):
        properties = body["response_format"]["json_schema"]["schema"]["properties"]
        assert [*properties] == KEYS[order]
        assert properties["score"] == {"type": "integer", "enum": [*range(1, 11)]}
    assert {turn.review.score for one in await load("out") for turn in one.turns} == {3}


IN_SCHEMA = [
    ('{"rating": 4, "argument": "It has 2 of 5 steps."}', "stop", 4),
    ('```json\n{"argument": "x", "rating": 4}\n```', "stop", 4),
    ('{"argument": "x", "rating": "4"}', "stop", 4),
    ('{"argument": "I would give it a score of 4, as', "length", None),
    ('{"rating": 6}', "stop", None),
    ('{"rating": 0}', "stop", None),
    ('{"rating": "good"}', "stop", None),
    ('{"rating": null}', "stop", None),
    ('{"rating": 4, "score": 2}', "stop", None),
    ('{"rating": 3}', "stop", 3),
]


async def test_no_rating_in_a_schema_is_lost_or_read_wrongly(model: Model):
    """Any order of keys and a fence are read; a cut reply and a value off the scale are no ratings."""
    model.card("ann", form="schema")
    model.say(*((content, finish) for content, finish, _ in IN_SCHEMA))
    summary = await play(study(RATED, reask=0), limit=len(IN_SCHEMA) // 2)
    turns = [turn for one in await load("out") for turn in one.turns]
    assert [(turn.utterance.text, turn.review.score) for turn in turns] == [
        (content, score) for content, _, score in IN_SCHEMA
    ]
    assert summary.discussions.failed == 0
    assert summary.tokens == model.billed == len(IN_SCHEMA) * TOKENS


@pytest.mark.parametrize("form", ["schema", "line"])
async def test_a_model_whose_reply_gives_no_rating_is_asked_once(model: Model, form: str):
    """The question names the scale, and the number that follows is the rating."""
    model.card("ann", form=form)
    model.words = lambda body: "3" if is_question(body) else '{"rating": 9}'
    prepared = prepare(study(RATED), limit=1, shelf=Shelf(Path.cwd()))
    estimate = estimate_calls(prepared.plan, prepared.costs)
    assert (estimate.calls, sum(step.calls for step in estimate.asks)) == (2, 2)
    summary = await play(study(RATED))
    one = await only()
    assert [turn.review.score for turn in one.turns] == [3, 3]
    assert {turn.review.rule for turn in one.turns} == {"asked: last-line number, as stated"}
    asked = next(body for body in model.bodies if is_question(body))
    assert asked["messages"][:-2] in [body["messages"] for body in model.bodies]
    assert asked["messages"][-1]["content"] == (
        "Your reply gives no rating. Give it: write a whole number from 1 to 5 and nothing else."
    )
    assert (summary.asked.replies, summary.asked.verdicts) == (2, 2)
    (again,) = await load("out")
    assert replay(again, None, is_recorded=lambda turn: False).differences == ()


async def test_the_answer_to_the_question_is_bound_to_the_score(model: Model):
    """In every order of the keys, the schema of the answer to the question has the score alone."""
    model.card("ann", form="schema")
    model.words = lambda body: '{"score": 3}' if is_question(body) else '{"score": 99}'
    await play(study(*map(score_in, KEYS)))
    assert {turn.review.score for one in await load("out") for turn in one.turns} == {3}
    asked = [body for body in model.bodies if is_question(body)]
    assert len(asked) == 2 * len(KEYS)
    for body in asked:
        bound = body["response_format"]["json_schema"]["schema"]
        assert bound["properties"] == {"score": {"type": "integer", "enum": [*range(1, 11)]}}
        assert bound["required"] == ["score"]


async def test_a_failed_question_for_a_rating_is_repeated(model: Model):
    """The answer stays unrated until the next run asks again."""
    model.words = lambda body: 401 if is_question(body) else MURKY
    first = await play(study(RATED))
    assert (first.discussions.failed, first.asked.failed) == (0, 2)
    assert {(turn.review.score, turn.review.verdict) for turn in (await only()).turns} == {
        (None, None)
    }
    model.words = lambda body: "2" if is_question(body) else MURKY
    await play(study(RATED))
    assert [turn.review.score for turn in (await only()).turns] == [2, 2]


async def test_a_server_that_refuses_the_schema_of_a_rating_is_asked_for_a_line(model: Model):
    """The reviewer falls back once, with the prompt of the pack, and each of its ratings says so."""
    model.card("ann", form="schema")
    model.words = lambda body: 400 if "response_format" in body else "4"
    await play(study(RATED))
    one = await only()
    assert [turn.review.score for turn in one.turns] == [4, 4]
    assert ["response_format" in body for body in model.bodies] == [True, False, False]
    assert model.bodies[1]["messages"][-1]["content"].endswith(
        "Reply with a whole number from 1 to 5 and nothing else."
    )
    assert {turn.utterance.unset for turn in one.turns} == {("form",)}


async def test_reasoning_without_a_rating_is_an_empty_reply_that_is_booked(model: Model):
    """A reply whose words are all thinking fails its turn; its tokens are spent."""
    model.card("ann", form="schema")
    model.words = lambda body: {"content": "", "reasoning_content": "A rating of 4."}
    summary = await play(study(RATED))
    assert (await only()).failure.kind == "EmptyReplyError"
    assert summary.tokens == model.billed


async def test_a_bare_rating_in_two_steps_is_one_request_bound_to_the_numbers(model: Model):
    """The server may write a number of the scale and nothing else."""
    model.card("ann", form="two_step", provider="vllm")
    model.words = lambda body: "4"
    await play(study(RATED))
    assert len(model.bodies) == 2
    assert model.bodies[0]["structured_outputs"] == {"choice": ["1", "2", "3", "4", "5"]}


async def test_scores_in_the_words_of_the_study_are_not_asked_again_without_a_schema(model: Model):
    """Its prompt is the same without one, so the reply counts, and says that it was not bound."""
    model.card("ann", form="schema")
    model.words = lambda body: "Rating: 3"
    await play(study(SCORED))
    one = await only()
    assert [turn.review.score for turn in one.turns] == [3, 3]
    assert ["response_format" in body for body in model.bodies] == [True, False]
    assert {turn.utterance.unset for turn in one.turns} == {("form",)}
