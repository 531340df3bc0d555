"""Runs whose models are asked for a choice, in every form, behind a real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peerjudge.data import EventKind, Outcome, replace
from peerjudge.errors import CardError, DataError, ExperimentError
from peerjudge.results.reports import report_run
from peerjudge.runs import estimate_calls, load, open_run, prepare
from peerjudge.shelf import Shelf
from peerjudge.shelf.cards import read_card
from peerjudge.tracker import track

from .model_server import ALONE, BARE, MURKY, TALK, TOKENS, Model, is_question, only, play, study


async def test_a_model_whose_reply_names_no_choice_is_asked_once(model: Model):
    """It sees its own reply above a short question with the labels, and its answer is the verdict."""
    model.words = lambda body: "Answer (b)" if is_question(body) else MURKY
    summary = await play(study(ALONE))
    one = await only()
    (turn,) = one.turns
    assert turn.utterance.text == MURKY
    assert turn.review.verdict.choice == one.comparison.shown[1]
    assert turn.review.rule == "asked: last-line name"
    asked = model.bodies[1]["messages"]
    assert asked[:-2] == model.bodies[0]["messages"]
    assert asked[-2:] == [
        {"role": "assistant", "content": MURKY},
        {
            "role": "user",
            "content": "Your reply names no choice. Name it: write Answer (a) or Answer (b) and nothing "
            "else.",
        },
    ]
    assert (summary.asked.replies, summary.asked.verdicts, summary.asked.failed) == (1, 1, 0)


async def test_a_reply_that_names_nothing_when_asked_stays_unreadable(model: Model):
    """There is no second question, and the rule is that of the reply."""
    summary = await play(study(ALONE))
    (turn,) = (await only()).turns
    assert str(turn.review.verdict) == "unreadable"
    assert turn.review.rule == "no verdict"
    assert turn.asked is not None
    assert len(model.bodies) == 2
    assert (summary.asked.replies, summary.asked.verdicts) == (1, 0)


async def test_a_choice_a_refusal_and_a_cut_reply_are_followed_by_no_question(model: Model):
    """Only a whole reply without a choice is."""
    model.say(
        ("Answer (a) is better.", "stop"),
        ("I'm sorry, but I can't help with that.", "stop"),
        (MURKY, "length"),
    )
    summary = await play(study(ALONE), limit=3)
    assert len(model.bodies) == 3
    assert summary.asked.replies == 0


async def test_reask_0_asks_nothing_and_is_another_experiment(model: Model):
    """A reproduction turns the question off; runs and discussions then have identities of their own."""
    shelf = Shelf(Path.cwd())
    on, off = (prepare(study(ALONE, reask=n), limit=1, shelf=shelf) for n in (1, 0))
    assert on.run_id == prepare(study(ALONE), limit=1, shelf=shelf).run_id
    assert on.run_id != off.run_id
    assert {head.id for head in on.plan}.isdisjoint(head.id for head in off.plan)
    turned_off = prepare(study(ALONE), limit=1, settings={"reask": "0"}, shelf=shelf)
    assert turned_off.run_id == off.run_id
    await play(study(ALONE, reask=0))
    assert len(model.bodies) == 1
    with pytest.raises(DataError, match="reask is 0 or 1, not 2"):
        study(ALONE, reask=2)
    with pytest.raises(ExperimentError, match="reask=2"):
        prepare(study(ALONE), limit=1, settings={"reask": "2"}, shelf=shelf)


async def test_an_answer_to_the_question_makes_opinion_events(model: Model):
    """It is the reviewer's own verdict: a leader that then chooses the other answer has altered."""
    said = iter(
        ["Answer (a) is better.\n\n1", "Answer (b) is better.\n\n2", MURKY, "Answer (b)", "2"]
    )
    model.words = lambda body: next(said)
    await play(study(TALK))
    one = await only()
    assert [turn.asked is not None for turn in one.turns] == [False, False, True, False]
    events = [(each.turn, each.kind) for each in track(one).events]
    assert events == [(2, EventKind.ALTERED), (3, EventKind.AGREED)]


async def test_questions_are_booked_cached_and_estimated_like_any_call(model: Model):
    """The server's bill is what the place has spent; the estimate counts them apart."""
    model.words = lambda body: "1" if is_question(body) else MURKY
    shelf = Shelf(Path.cwd())
    prepared = prepare(study(ALONE), limit=2, shelf=shelf)
    found = estimate_calls(prepared.plan, prepared.costs)
    assert (found.calls, sum(step.calls for step in found.asks)) == (2, 2)
    summary = await play(study(ALONE), limit=2)
    assert summary.calls.paid == len(model.bodies) == 4
    assert summary.tokens == model.billed
    async with open_run("out") as opened:
        booked = await opened.store.booked()
        findings = (await report_run(opened)).findings
    assert {each.reviewer: each.calls for each in booked} == {"ann": 4}
    assert (findings.effort.asked, findings.effort.asked_verdicts) == (2, 2)
    again = await play(study(ALONE), out="again", cache="out", limit=2)
    assert (again.calls.paid, again.calls.cached) == (0, 4)
    assert len(model.bodies) == 4


async def test_a_failed_question_fails_no_discussion_and_is_repeated(model: Model):
    """The reply stays paid and unreadable, and the next run asks again."""
    model.words = lambda body: 401 if is_question(body) else MURKY
    first = await play(study(ALONE))
    assert (first.discussions.failed, first.asked.failed) == (0, 1)
    assert (await only()).turns[0].review.rule == "asking failed: AuthenticationError"
    model.words = lambda body: "2" if is_question(body) else MURKY
    second = await play(study(ALONE))
    one = await only()
    assert one.verdict.choice == one.comparison.shown[1]
    assert second.tokens == TOKENS
    assert len(model.bodies) == 3


@pytest.mark.parametrize("bare", [False, True])
async def test_a_schema_has_the_argument_first_and_the_labels_as_choices(model: Model, bare: bool):
    """A bare verdict has no argument; `none` leaves the choice open."""
    model.card("ann", form="schema")
    reply = (
        {"choice": "Answer (b)"} if bare else {"argument": "It is exact.", "choice": "Answer (b)"}
    )
    model.words = lambda body: json.dumps(reply)
    await play(study(BARE if bare else ALONE))
    one = await only()
    assert one.verdict.choice == one.comparison.shown[1]
    form = model.bodies[0]["response_format"]
    assert form["json_schema"]["strict"]
    properties = form["json_schema"]["schema"]["properties"]
    assert [*properties] == (["choice"] if bare else ["argument", "choice"])
    assert properties["choice"]["enum"] == ["Answer (a)", "Answer (b)", "none"]
    asked = model.bodies[0]["messages"][-1]["content"]
    assert "Reply with a JSON object and nothing else." in asked
    assert "last line" not in asked


IN_SCHEMA = [
    ('{"choice": "Answer (b)", "argument": "Answer (a) is short."}', "stop", 1),
    ('```json\n{"argument": "x", "choice": "Answer (b)"}\n```', "stop", 1),
    ('{"argument": "Answer (b) is exact and Answer', "length", None),
    ('{"argument": "x", "choice": "Answer (c)"}', "stop", None),
    ('{"argument": "x", "choice": "both"}', "stop", None),
    ('{"argument": "Neither.", "choice": "none"}', "stop", None),
]


async def test_no_reply_in_a_schema_is_lost_or_read_wrongly(model: Model):
    """Any order of keys and a fence are read; a cut reply and an unknown value have no verdict."""
    model.card("ann", form="schema")
    model.say(*((content, finish) for content, finish, _ in IN_SCHEMA))
    summary = await play(study(ALONE, reask=0), limit=len(IN_SCHEMA))
    for one, (content, _, choice) in zip(await load("out"), IN_SCHEMA, strict=True):
        assert one.turns[0].utterance.text == content
        expected = None if choice is None else one.comparison.shown[choice]
        assert one.verdict.choice == expected, content
    assert summary.discussions.failed == 0
    assert summary.tokens == model.billed == len(IN_SCHEMA) * TOKENS


async def test_a_none_in_a_schema_is_asked_for_a_choice(model: Model):
    """Small models write it about one answer, and repeat it unless a schema of the choice binds them."""
    model.card("ann", form="schema")
    none = '{"argument": "Answer (a) is wrong.", "choice": "none"}'
    model.words = lambda body: '{"choice": "Answer (b)"}' if is_question(body) else none
    await play(study(ALONE))
    one = await only()
    assert one.verdict.choice == one.comparison.shown[1]
    bound = model.bodies[1]["response_format"]["json_schema"]["schema"]["properties"]
    assert bound == {"choice": {"type": "string", "enum": ["Answer (a)", "Answer (b)", "none"]}}
    model.words = lambda body: none
    await play(study(ALONE), out="again")
    (again,) = await load("again")
    assert again.verdict.outcome is Outcome.UNREADABLE


async def test_reasoning_without_content_is_an_empty_reply_that_is_booked(model: Model):
    """A reply whose words are all thinking fails its turn; its tokens are spent."""
    model.card("ann", form="schema")
    model.words = lambda body: {"content": "", "reasoning_content": "Answer (a) is better."}
    summary = await play(study(ALONE))
    one = await only()
    assert one.failure is not None
    assert one.failure.kind == "EmptyReplyError"
    assert summary.tokens == model.billed


async def test_a_server_that_refuses_the_schema_is_asked_for_a_line(model: Model):
    """The reviewer falls back once, with the prompt of the pack, and each of its replies says so."""
    model.card("ann", form="schema")
    model.words = lambda body: (
        400 if "response_format" in body else "It is exact.\nChoice: Answer (a)"
    )
    summary = await play(study(ALONE), limit=2)
    played = await load("out")
    assert [one.verdict.choice for one in played] == [one.comparison.shown[0] for one in played]
    assert ["response_format" in body for body in model.bodies] == [True, False, False]
    assert 'the last line: "Choice: Answer (a)"' in model.bodies[1]["messages"][-1]["content"]
    assert {one.turns[0].utterance.unset for one in played} == {("form",)}
    assert summary.tokens == model.billed == 2 * TOKENS


@pytest.mark.parametrize("thinking", ["", "The second one lacks a step."])
async def test_a_server_that_ignores_the_schema_is_asked_for_a_line(model: Model, thinking: str):
    """llama.cpp with a model that thinks takes a schema and writes prose: the first reply shows it."""
    model.card("ann", form="schema")
    line = "It is exact.\nChoice: Answer (a)"
    model.words = lambda body: {
        "content": "The first one is exact." if "response_format" in body else line,
        "reasoning_content": thinking,
    }
    summary = await play(study(ALONE), limit=2)
    played = await load("out")
    assert [one.verdict.choice for one in played] == [one.comparison.shown[0] for one in played]
    assert ["response_format" in body for body in model.bodies] == [True, False, False]
    assert {one.turns[0].utterance.unset for one in played} == {("form",)}
    assert summary.tokens == model.billed == 3 * TOKENS


@pytest.mark.parametrize(
    "replies",
    [
        [('{"choice": "Answer (a)"}', "stop"), ("Answer (b) is better.", "stop")],
        [("I'm sorry, but I can't help with that.", "stop")] * 2,
        [('Here it is:\n```json\n{"choice": "Answer (a)"}\n```', "stop")] * 2,
        [(MURKY, "length")] * 2,
    ],
    ids=["prose after JSON", "refusal", "JSON among words", "cut off, maybe while thinking"],
)
async def test_a_schema_is_kept_where_no_reply_shows_that_it_is_ignored(model: Model, replies):
    """A server that ignores a schema never writes JSON, and replies with prose to the end."""
    model.card("ann", form="schema")
    model.say(*replies)
    await play(study(ALONE, reask=0), limit=2)
    assert ["response_format" in body for body in model.bodies] == [True, True]


async def test_a_question_after_the_fallback_follows_the_prompt_that_was_sent(model: Model):
    """The reviewer sees the words of the pack, below which it wrote its reply."""
    model.card("ann", form="schema")
    model.words = lambda body: (
        400 if "response_format" in body else "Answer (a)" if is_question(body) else MURKY
    )
    await play(study(ALONE))
    _, sent, asked = model.bodies
    assert asked["messages"][:-2] == sent["messages"]
    assert (await only()).turns[0].review.rule == "asked: last-line name"


async def test_two_steps_ask_for_reasons_and_then_for_the_choice(model: Model):
    """The question is part of every verdict; the choice counts, and words alone if it names nothing."""
    model.card("ann", form="two_step", provider="vllm")
    model.words = lambda body: "Answer (b)" if is_question(body) else "Answer (a) is short."
    prepared = prepare(study(ALONE), limit=1, shelf=Shelf(Path.cwd()))
    assert estimate_calls(prepared.plan, prepared.costs).calls == 2
    await play(study(ALONE))
    one = await only()
    assert one.verdict.choice == one.comparison.shown[1]
    first, second = model.bodies
    assert "You will be asked for your choice afterwards." in first["messages"][-1]["content"]
    assert "grammar" not in first
    assert second["grammar"] == 'root ::= "Answer (a)" | "Answer (b)"'
    assert second["structured_outputs"] == {"choice": ["Answer (a)", "Answer (b)"]}
    assert second["messages"][-1]["content"].startswith("Now name your choice")


async def test_two_steps_of_a_bare_verdict_are_one(model: Model):
    """Without reasons there is one request for the choice."""
    model.card("ann", form="two_step", provider="vllm")
    model.words = lambda body: "Answer (b)"
    await play(study(BARE))
    assert len(model.bodies) == 1
    assert "grammar" in model.bodies[0]


async def test_others_hear_the_prose_of_a_verdict_in_a_schema(model: Model):
    """A reviewer is told the argument and the choice, not JSON."""
    model.card("ann", form="schema")
    model.words = lambda body: '{"argument": "It is exact.", "choice": "Answer (b)"}'
    await play(study(TALK))
    heard = json.dumps(model.bodies[-1]["messages"])
    assert "> It is exact.\\n> Choice: Answer (b)" in heard
    await load("out")


def write_pack() -> None:
    """Write a pack whose verdicts are JSON."""
    Path("protocols/prompts").mkdir(parents=True)
    Path("protocols/prompts/json_form.toml").write_text('extends = "long_form"\nform = "schema"\n')


async def test_the_form_of_a_card_replaces_that_of_the_pack(model: Model):
    """A pack sets the form of all models that have none of their own."""
    write_pack()
    model.words = lambda body: (
        '{"choice": "Answer (a)"}' if "response_format" in body else "Choice: Answer (a)"
    )
    await play(study(ALONE, prompts="json_form"))
    model.card("ann", form="line")
    await play(study(ALONE, prompts="json_form"), out="line")
    assert ["response_format" in body for body in model.bodies] == [True, False]


def test_an_unknown_form_is_refused_before_the_first_call():
    """The message lists the forms."""
    with pytest.raises(CardError, match="choose one of line, schema, two_step"):
        read_card("ann", 'form = "xml"\n[model]\nprovider = "openai"\nname = "x"\n')
    with pytest.raises(CardError, match="no \\[model\\]"):
        read_card("ann", 'form = "line"\n[traits]\nskill = 1.0\n')


async def test_a_failed_reply_is_no_reply_without_a_choice(model: Model):
    """A discussion that fails asks nothing."""
    model.words = lambda body: 401
    summary = await play(replace(study(ALONE), name="failing"))
    assert summary.discussions.failed == 1
    assert len(model.bodies) == 1


async def test_a_cut_reply_is_counted_once(model: Model):
    """Equal private calls of conditions share one reply, which was cut off once."""
    model.words, model.finish = lambda body: "The first answer is", "length"
    again = replace(ALONE, name="again")
    summary = await play(study(ALONE, again, TALK, reask=0))
    assert [(one.reviewer, one.count) for one in summary.cut_off] == [("ann", len(model.bodies))]
    assert summary.calls.cached
