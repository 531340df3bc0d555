"""Runs that end when their primary contrast is decided."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from peerjudge.data import Condition, Experiment, Leader, replace, to_json, to_plain
from peerjudge.errors import ExperimentError
from peerjudge.results.comparisons import compare
from peerjudge.results.scores import score
from peerjudge.runs import load, prepare, read_manifest, run, run_sync
from peerjudge.runs.manifest import read_decision

from .observers import Killer

QUESTIONS = 90


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """An able reviewer that convinces another one, on 90 questions of which no two are alike."""
    file = tmp_path_factory.mktemp("data") / "pairs.jsonl"
    rows = [
        {
            "question": f"Question {n}?",
            "answer_a": f"yes {n}",
            "answer_b": f"no {n}",
            "gold": "ab"[n % 2],
        }
        for n in range(QUESTIONS)
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    return Experiment(
        name="study",
        data=f"jsonl:{file}",
        primary="talk over mean seat",
        conditions=(
            Condition(
                name="talk",
                protocol="leader_follower",
                seats=("sim_strong", "sim_weak"),
                leader=Leader.BOTH,
                orders="given",
                options={"turns": 2},
            ),
        ),
    )


@pytest.fixture(scope="module")
def decided(study, tmp_path_factory):
    """The summary of a run, one call at a time, that ended when its contrast was decided."""
    folder = tmp_path_factory.mktemp("decided") / "run"
    return run_sync(study, out=folder, until="decided", max_connections=1)


async def texts(folder) -> list[str]:
    """Return the discussions of a run as text."""
    return [to_json(one) for one in await load(folder)]


async def test_a_clear_contrast_ends_a_study_early(decided):
    """The run stops at a look with complete questions only, and the manifest has its decision."""
    assert decided.stopped == "decided"
    found = decided.decision
    assert found is not None
    assert found.outcome == "better"
    assert found.anytime.low > 0
    assert found.questions < QUESTIONS == found.available
    assert decided.discussions.done == 2 * found.questions == len(await load(decided.folder))
    assert read_decision(read_manifest(Path(decided.folder))) == found


async def test_the_decision_does_not_depend_on_concurrency(study, decided, tmp_path):
    """One call at a time, or fifty that return in another order, play and decide the same."""
    slow = replace(study, reviewer_settings={"latency": 0.002})
    many = await run(slow, out=tmp_path, until="decided", max_connections=50)
    assert to_plain(decided.decision) == to_plain(many.decision)
    assert decided.discussions == many.discussions


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kills=st.lists(st.integers(1, 60), min_size=1, max_size=3))
async def test_a_killed_run_decides_as_an_uninterrupted_one(
    study, decided, tmp_path_factory, kills
):
    """Runs that are killed after any numbers of discussions end with the same look and discussions."""
    killed = tmp_path_factory.mktemp("killed")
    for after in kills:
        task = asyncio.create_task(
            run(study, out=killed, until="decided", observer=Killer(after), max_connections=4)
        )
        await asyncio.wait([task])
    resumed = await run(study, out=killed, until="decided")
    assert resumed.decision == decided.decision
    assert await texts(killed) == await texts(decided.folder)


async def test_a_decided_run_does_nothing_more(study, decided, tmp_path):
    """The same command again plays nothing; without the rule it goes on, and says so."""
    folder = shutil.copytree(decided.folder, tmp_path / "run")
    again = await run(study, out=folder, until="decided")
    assert (again.discussions.done, again.decision) == (0, decided.decision)
    assert again.stopped == "decided"
    dropped = await run(study, out=folder)
    assert dropped.discussions.done == 2 * (QUESTIONS - decided.decision.questions)
    assert read_decision(read_manifest(folder)) == replace(decided.decision, continued=True)


async def test_a_tighter_rule_goes_on(study, tmp_path):
    """A smaller half-width needs more questions and keeps those that were played."""
    wide = await run(study, out=tmp_path, until="ci<0.15")
    assert wide.stopped == "precise"
    tight = await run(study, out=tmp_path, until="ci<0.08")
    assert tight.discussions.skipped == wide.discussions.done
    assert tight.decision.questions > wide.decision.questions
    half = (tight.decision.usual.high - tight.decision.usual.low) / 2
    assert half < 0.08


async def test_an_undecided_study_uses_all_questions(study, tmp_path):
    """A rule that is not met leaves the run complete, with the last look after the last question."""
    summary = await run(study, out=tmp_path, limit=30, until="ci<0.001")
    assert summary.stopped is None
    assert summary.decision.outcome == "undecided"
    assert summary.decision.questions == summary.decision.available == 30
    assert summary.discussions.done == 60


async def test_a_cost_limit_in_a_block_leaves_the_last_look(study, decided, tmp_path):
    """A run that stops at another limit names that limit, and resumes to the same decision."""
    limit = int(decided.tokens * 0.9)
    summary = await run(study, out=tmp_path, until="decided", token_limit=limit)
    assert summary.stopped == "token limit"
    resumed = await run(study, out=tmp_path, until="decided")
    assert resumed.decision == decided.decision


def test_questions_come_in_a_seeded_random_order(study):
    """The order depends on the seed, not on the file; a limit takes its beginning."""

    def order(**given):
        plan = prepare(study, shuffled=True, **given).plan
        return [one.question.id for one in plan.comparisons]

    full = order()
    assert sorted(full) == sorted(one.question.id for one in prepare(study).plan.comparisons)
    assert order(limit=25) == full[:25]
    assert order(seed=7) != full
    assert full != [one.question.id for one in prepare(study).plan.comparisons]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"primary": ""}, 'primary="talk over better seat"'),
        ({"primary": "talk over vote"}, 'add a condition with protocol="vote" and the seats'),
        (
            {"primary": "talk over self-consistency"},
            "the seats sim_strong; add .* the seats sim_weak",
        ),
        (
            {"data": "sample", "limit": 19},
            "20 or more questions .* there are 19; run without --until",
        ),
    ],
)
async def test_a_contrast_that_cannot_be_decided_is_refused(study, tmp_path, change, message):
    """The message names what is missing, and no folder is made."""
    limit = change.pop("limit", None)
    with pytest.raises(ExperimentError, match=message):
        await run(replace(study, **change), out=tmp_path / "out", until="decided", limit=limit)
    assert not (tmp_path / "out").exists()


async def test_a_setting_declares_the_primary_contrast(study, tmp_path):
    """`-S primary=...` declares the contrast of an experiment that has none."""
    bare = replace(study, primary="")
    given = {"primary": "talk over better seat"}
    summary = await run(bare, out=tmp_path, settings=given, until="decided", limit=20)
    assert summary.decision.contrast == "talk over better seat"
    with pytest.raises(ExperimentError, match="choose a condition"):
        await run(bare, out=tmp_path, settings={"primary": "x over y"})


def test_every_result_states_the_last_look(decided):
    """Score and compare print it below intervals that are for a fixed number of questions."""
    scores, compared = score(decided.folder), compare(decided.folder)
    for found in (scores, compared):
        texts = [part for part in found.parts() if isinstance(part, str)]
        (note,) = [one for one in texts if one.startswith("Stopped at look")]
        assert note.endswith("for a number of questions fixed in advance.")
    plain = to_plain(decided.decision)
    assert scores.document()["decision"] == plain
    assert compared.document()["decisions"] == [plain]
