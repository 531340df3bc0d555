"""Prompts of an experiment before it is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.data import Condition
from peerjudge.errors import PeerJudgeError
from peerjudge.shelf import Shelf

from .model_server import play, study

TALK = Condition(
    name="talk",
    protocol="leader_follower",
    seats=("ann", "bob"),
    orders="given",
    options={"turns": 4},
)


def _leave_out(unset: tuple[str, ...], card: Path) -> None:
    """Name settings in a card that its model does not take."""
    text = card.read_text("utf-8")
    card.write_text(text.replace("[limits]", f"unset = {json.dumps(unset)}\n[limits]"))


@pytest.mark.parametrize("unset", [(), ("system",), ("system", "form")])
@pytest.mark.parametrize("form", ["", "schema"])
async def test_a_preview_has_the_messages_that_the_server_is_sent(model, unset, form):
    """Each call of a discussion is sent what the preview shows, once replies stand for placeholders."""
    for name in ("ann", "bob"):
        model.card(name, form=form)
        _leave_out(unset, Path(f"agents/{name}.toml"))
    experiment = study(TALK, reask=0)
    shelf = Shelf(Path.cwd())
    calls = [call for call in pj.preview(experiment, shelf=shelf).calls if not call.when]
    said = (f"[reply of {call.reviewer} in turn {call.turn}]" for call in calls)
    model.words = lambda body: next(said)
    if form and "form" not in unset:
        # Bound replies are JSON, of which others hear the argument and the choice.
        calls = [call for call in calls if not call.placeholders]
        model.words = lambda body: '{"argument": "Right.", "choice": "Answer (a)"}'
    await play(experiment)
    sent = [[(one["role"], one["content"]) for one in body["messages"]] for body in model.bodies]
    shown = [[(one.role, one.text) for one in call.messages] for call in calls]
    assert sent[: len(shown)] == shown
    assert len(shown) == (2 if form and "form" not in unset else 6)


async def test_tokens_of_a_preview_are_those_of_the_estimate(model):
    """Prompts that hold replies count them at the assumed length, and are called estimates."""
    model.card("bob")
    shelf = Shelf(Path.cwd())
    found = pj.preview(study(TALK), shelf=shelf, turn=5)
    call, asked = found.calls
    assert not call.when
    assert asked.when == "only if the reply names no choice"
    assert call.estimated
    assert call.placeholders
    assert call.prompt_tokens > 5 * 300 > sum(len(one.text) for one in call.messages) / 4


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"comparison": "sample-1"}, "no comparison is called 'sample-1'"),
        ({"condition": "strong"}, "no condition is called 'strong'"),
        ({"turn": 40}, "the turns are 0 to"),
    ],
)
def test_what_an_experiment_does_not_have_is_refused(asked, said):
    """An unknown comparison, condition or turn is named beside those that there are."""
    with pytest.raises(PeerJudgeError, match=said):
        pj.preview("quickstart", **asked)


def test_a_prompt_is_printed_once():
    """Private reviews are the same in every condition; the second time they are named only."""
    found = pj.preview("quickstart")
    system = found.calls[0].messages[0].text
    private = [call for call in found.calls if call.private and call.reviewer == "sim_strong"]
    assert len(private) > 1
    assert "The same prompt as in turn 0 of strong with weak." in str(found)
    assert str(found).count(system) < sum(
        any(one.text == system for one in call.messages) for call in found.calls
    )
    assert [len(call.messages) for call in found.calls] == [*found.df["messages"]]
