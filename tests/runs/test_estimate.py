"""The estimate of calls, tokens and cost before a run."""

from __future__ import annotations

import dataclasses

import pytest

from peerjudge.data import Condition, Experiment, Leader, Orders, replace
from peerjudge.runs import Costs, estimate_calls, load, prepare, run
from peerjudge.shelf import Shelf


async def test_the_estimated_calls_are_those_of_the_run(small, tmp_path):
    """A run of fixed length makes exactly the estimated calls."""
    found = estimate_calls(prepare(small, limit=4).plan, Costs())
    summary = await run(small, out=tmp_path, limit=4)
    assert found.calls == summary.calls.simulated
    assert list(found.discussions.values()) == [16, 8]
    assert found.simulated
    assert found.cost_usd == 0.0


async def test_the_estimated_prompt_tokens_are_those_of_the_run(small, tmp_path):
    """The estimate of a private prompt is within 5 % of the reported tokens."""
    alone = replace(small, conditions=small.conditions[1:])
    (step,) = estimate_calls(prepare(alone, limit=4).plan, Costs()).steps
    await run(alone, out=tmp_path, limit=4)
    turns = [turn for one in await load(tmp_path) for turn in one.turns]
    prompts = sum(turn.utterance.usage.prompt_tokens for turn in turns)
    assert step.prompt_tokens == pytest.approx(prompts, rel=0.05)


@pytest.mark.parametrize(
    ("protocol", "seats", "options", "waves"),
    [
        ("pairwise", 1, {}, 1),
        ("pointwise", 1, {}, 1),
        ("prepair", 1, {}, 2),
        ("prepair_star", 1, {}, 2),
        ("reconciled", 1, {"method": "prepair"}, 2),
        ("self_metrics", 1, {"then": "prepair"}, 3),
        ("vote", 9, {}, 1),
        ("vote", 3, {"opening": "prepair", "self_metrics": True}, 3),
        ("leader_follower", 2, {}, 5),
        ("prepair_discussion", 2, {}, 6),
        ("panel", 4, {}, 9),
        ("at_once", 4, {}, 3),
    ],
)
def test_discussions_take_as_few_waves_as_what_they_hear_allows(protocol, seats, options, waves):
    """Calls that hear none of each other are one wave: private reviews of all seats, explanations of all."""
    condition = Condition(
        name="one", protocol=protocol, seats=("sim_plain",) * seats, options=options
    )
    study = Experiment(data="sample", conditions=(condition,))
    assert estimate_calls(prepare(study, limit=1).plan, Costs()).waves == {"one": waves}


def test_an_early_stop_is_not_assumed(small):
    """Discussions that may end in agreement count at their full length."""
    settings = {"stop": "agreement", "turns": "6"}
    plan = prepare(small, limit=1, settings=settings).plan
    steps = {
        step.task: step.calls
        for step in estimate_calls(plan, Costs()).steps
        if step.condition == "talk"
    }
    assert steps["discuss"] == 6 * 4


def test_a_large_plan_is_estimated_from_a_sample(small):
    """Some comparisons are simulated; the numbers are scaled to all of them."""
    whole = prepare(small).plan
    few = dataclasses.replace(whole, comparisons=whole.comparisons[:18])
    assert estimate_calls(few, Costs()).sampled == 18
    found = estimate_calls(whole, Costs())
    assert found.sampled < found.comparisons == len(whole.comparisons)
    assert found.calls == pytest.approx(2 * estimate_calls(few, Costs()).calls, rel=0.02)


CARD = '[model]\nprovider = "openai"\nname = "{model}"\n[sampling]\nmax_tokens = 50\n'


def models(folder, *, model: str) -> tuple[Experiment, Shelf]:
    """Two models of OpenAI discuss, each leading, and vote."""
    (folder / "agents").mkdir()
    for name in ("ann", "bob"):
        (folder / "agents" / f"{name}.toml").write_text(CARD.format(model=model))
    talk = Condition(
        name="talk",
        protocol="leader_follower",
        seats=("ann", "bob"),
        leader=Leader.BOTH,
        orders=Orders.GIVEN,
    )
    vote = replace(talk, name="vote", protocol="vote", leader=Leader.FIRST)
    return Experiment(name="models", data="sample", conditions=(talk, vote)), Shelf(folder)


def test_the_cost_of_a_known_model_is_estimated(tmp_path):
    """The cost follows from the published price and 50 tokens per reply; no key is needed."""
    experiment, shelf = models(tmp_path, model="gpt-4")
    prepared = prepare(experiment, limit=2, shelf=shelf)
    found = estimate_calls(prepared.plan, prepared.costs)
    prompt = sum(step.prompt_tokens for step in found.steps)
    replies = sum(step.completion_tokens for step in found.steps)
    assert replies == 50 * found.calls
    assert found.cost_usd == pytest.approx((30 * prompt + 60 * replies) / 1e6)
    assert prepared.manifest["prices"]["ann"]["output"] == 60.0


def test_an_unknown_model_has_an_unknown_cost(tmp_path):
    """An unknown price is `None`, not 0."""
    experiment, shelf = models(tmp_path, model="of-tomorrow")
    prepared = prepare(experiment, limit=2, shelf=shelf)
    assert estimate_calls(prepared.plan, prepared.costs).cost_usd is None
    assert prepared.manifest["prices"] == {"ann": None, "bob": None}


def test_shared_private_reviews_are_counted_once(tmp_path):
    """A private review that two discussions share is paid once."""
    experiment, shelf = models(tmp_path, model="gpt-4")
    alike = replace(
        experiment,
        conditions=(experiment.conditions[1], replace(experiment.conditions[1], name="again")),
    )
    prepared = prepare(alike, limit=2, shelf=shelf)
    found = estimate_calls(prepared.plan, prepared.costs)
    first = [step for step in found.steps if step.condition == "vote"]
    again = [step for step in found.steps if step.condition == "again"]
    assert sum(step.shared for step in first) == 0
    assert all(step.shared == step.calls for step in again)
    assert found.calls == 4
