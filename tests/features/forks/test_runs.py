"""Forks of a run: a run of their own beside it, resumed, refused and compared."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil

import pytest

import peerjudge as pj
from peerjudge.data import replace
from peerjudge.errors import ExperimentError, StoreError
from peerjudge.features.forks.changes import parse_changes
from peerjudge.features.forks.choosing import parse_where
from peerjudge.runs import open_run
from tests.runs.model_server import ChatServer

LEADER = ["leader=other"]


@pytest.fixture
def run(tmp_path, kept, monkeypatch):
    """A small run of two comparisons, which a test may fork."""
    monkeypatch.setenv("PEERJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    folder = shutil.copytree(kept.folder, tmp_path / "study")
    return dataclasses.replace(kept, folder=str(folder))


def read(folder):
    """Return the words and the conclusion of each discussion of a run, by its parent or id."""
    return {
        one.fork.parent if one.fork else one.id: (
            [turn.utterance.text for turn in one.turns],
            one.verdict,
            one.comparison,
            one.seats,
        )
        for one in pj.load_sync(folder)
    }


def files(folder):
    """Return the content of all files of a run but its forks."""
    return {
        one.name: one.read_bytes()
        for one in folder.iterdir()
        if one.is_file() and "-shm" not in one.name
    }


def test_a_fork_without_a_change_is_the_run_again(run, tmp_path):
    """With the draws of the parents, simulated reviewers say the same, and the run is untouched."""
    study = tmp_path / "study"
    before = files(study)
    found = pj.fork_sync(run, at=2, draws=0, where="condition=talk")
    parents = {key: value for key, value in read(study).items() if len(value[3]) == 2}
    assert read(found.folder) == parents
    assert found.folder.parent == study / "forks"
    assert files(study) == before
    # Two kept turns of four were not asked for again.
    assert found.summary.calls.simulated == 2 * len(parents)
    assert found.effects.rows[0].turned.value == 0.0


def test_forks_that_stopped_at_a_limit_resume_to_the_same_end(run, tmp_path):
    """Interrupted and resumed forks have the words and the table of uninterrupted ones."""
    asked = {"at": 2, "changes": LEADER, "where": "condition=talk"}
    stopped = pj.fork_sync(run, **asked, name="a", token_limit=20_000, max_connections=1)
    assert stopped.summary.stopped == "token limit"
    resumed = pj.fork_sync(run, **asked, name="a")
    whole = pj.fork_sync(run, **asked, name="b")
    assert stopped.summary.discussions.done + resumed.summary.discussions.done == (
        whole.summary.discussions.done
    )
    assert resumed.effects == whole.effects
    ended = [{one.id: one.turns for one in pj.load_sync(each.folder)} for each in (resumed, whole)]
    assert ended[0] == ended[1]
    assert pj.fork_sync(run, **asked, name="a").summary.discussions.done == 0


def test_forks_are_a_run_that_every_command_reads(run):
    """Conditions of forks are scored, compared and reported like any others."""
    found = pj.fork_sync(run, at=2, changes=["reviewer_2=sim_plain"], where="condition=talk")
    names = {"talk / no change", "talk / reviewer_2=sim_plain"}
    scored = pj.score(found.folder).df
    assert set(scored["condition"]) == names
    # The verdicts that the seat inherited are those of the reviewer that gave them.
    changed = scored[scored["condition"] == "talk / reviewer_2=sim_plain"]
    private = changed[changed["stance"] == "private"]
    assert "sim_plain" not in set(private["reviewer"])
    assert {one.condition for one in pj.load_sync(found.folder)} == names
    assert "talk / no change" in str(pj.compare(found.folder))
    with pytest.raises(StoreError, match="run of forks"):
        pj.fork_sync(found.folder, at=2, draws=1)


def test_edited_words_of_all_discussions(run):
    """The words of a turn are edited in every discussion, and the rest is played on."""
    found = pj.fork_sync(
        run, at=3, changes=["turn.2=I am certain. {text}"], where="condition=talk", draws=1
    )
    for one in pj.load_sync(found.folder):
        edited = [turn.index for turn in one.turns if turn.origin == "edited"]
        assert edited == ([2] if one.fork.change else [])
    assert found.document()["rows"][1]["change"] == "turn.2=I am certain. {text}"
    assert list(found.df["change"].unique()) == ["no change", "turn.2=I am certain. {text}"]
    assert "noise floor" in str(found)


def test_discussions_that_the_protocol_would_not_repeat_are_refused(run):
    """Every refusal has its reason, and none left is an error."""
    found = pj.fork_sync(run, at=1, changes=["turns=3"], draws=1)
    assert sum(one.fork.change == "turns=3" for one in pj.load_sync(found.folder)) == 8
    with pytest.raises(ExperimentError, match="turn 0, which is kept, saw the answers in another"):
        pj.fork_sync(run, at=1, changes=["order=other"])
    with pytest.raises(ExperimentError, match=r"it has only [14] turns"):
        pj.fork_sync(run, at=9, draws=1)
    with pytest.raises(StoreError, match="holds other forks"):
        pj.fork_sync(run, at=0, draws=1, name=found.folder.name)


def test_discussions_that_have_ended_are_left_out_and_counted(run):
    """A lone judge has nothing left to say after its verdict, and is no discussion that did not turn."""
    found = pj.fork_sync(run, at=1, draws=1)
    assert {one.condition for one in pj.load_sync(found.folder)} == {"talk / no change"}
    ended = {reason: count for (_, reason), count in found.refused.items()}
    assert ended == {"nothing is left to play after 1 turn": 4}
    assert "nothing is left to play after 1 turn" in str(found)
    # A change can make a discussion longer: it is then held against the conclusion as it was.
    longer = pj.fork_sync(run, at=4, changes=["turns=3"], where="condition=talk", draws=1)
    lengths = {(one.fork.change, len(one.turns)) for one in pj.load_sync(longer.folder)}
    assert lengths == {("", 4), ("turns=3", 5)}
    with pytest.raises(ExperimentError, match="nothing is left to play after 4 turns"):
        pj.fork_sync(run, at=4, changes=["prompts=open_chat"], where="condition=talk")


def test_limits_of_a_run_hold_for_its_forks(small, tmp_path, monkeypatch):
    """What the run and its other forks have spent is no longer left; a limit of one's own replaces it."""
    monkeypatch.setenv("PEERJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    spent = pj.run_sync(small, limit=2, out=tmp_path / "free").tokens
    run = pj.run_sync(small, limit=2, out=tmp_path / "study", token_limit=3 * spent)
    assert run.tokens == spent
    asked = {"at": 0, "changes": LEADER, "where": "condition=talk", "max_connections": 1}
    first = pj.fork_sync(run, **asked, draws=4)
    assert first.summary.stopped == "token limit"
    both = spent + first.summary.tokens
    assert 2.5 * spent < both <= 3 * spent
    second = pj.fork_sync(run, **asked, draws=1, name="more", token_limit=10 * spent)
    assert second.summary.stopped is None
    with pytest.raises(
        ExperimentError, match=r"played with --token-limit \d+, and it and its forks"
    ):
        pj.fork_sync(run, **asked, draws=1, name="last")


def test_order_can_change_from_the_beginning(run):
    """A fork that keeps no turn shows the answers in the other order."""
    found = pj.fork_sync(run, at=0, changes=["order=other"], draws=1, where="condition=alone")
    parents = {one.id: one for one in pj.load_sync(run.folder)}
    for one in pj.load_sync(found.folder):
        shown = parents[one.fork.parent].comparison.shown
        assert one.comparison.shown == (shown[::-1] if one.fork.change else shown)


def test_one_discussion_is_chosen_by_the_beginning_of_its_id(run):
    """Filters are those of the viewer; `id=` names one discussion."""
    parent = next(one for one in pj.load_sync(run.folder) if one.condition == "talk")
    found = pj.fork_sync(run, at=2, where=f"id={parent.id[:10]}", draws=3)
    assert {one.fork.parent for one in pj.load_sync(found.folder)} == {parent.id}
    assert sorted(one.fork.draw for one in pj.load_sync(found.folder)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("gold=bad", "unknown gold 'bad'"),
        ("colour=red", "unknown word 'colour'"),
        ("wrong", "unknown word 'wrong'"),
        ("turns_min=x", "turns_min in --where is a number"),
    ],
)
def test_a_filter_that_means_nothing_is_an_error(where, message):
    """No word of a filter is ignored: it would fork other discussions than meant."""
    with pytest.raises(ExperimentError, match=message):
        parse_where(where)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("leader", "takes KEY=VALUE"),
        ("leader=first", "leader of a fork is other"),
        ("turn.2=x", "keeps turn.0 to turn.1"),
        ("turn.x=x", "edits no turn that is kept"),
        ("turn.0=@nowhere.txt", "cannot read the words"),
        ("repetitions=2", "is not a change of a discussion"),
    ],
)
def test_a_change_that_no_fork_has_is_an_error(pair, message):
    """Changes are refused before anything is read or paid."""
    with pytest.raises(ExperimentError, match=message):
        parse_changes([pair], at=2)


def test_a_setting_that_no_protocol_takes_is_an_error(run):
    """Settings of reviewers are refused with what to do instead."""
    with pytest.raises(ExperimentError, match="a fork cannot change 'temperature'"):
        pj.fork_sync(run, at=1, changes=["temperature=0.1"])


def test_a_card_that_changed_is_not_forked(run, tmp_path, monkeypatch):
    """Forks without a change would be played by another reviewer than their parents."""
    agents = tmp_path / "project" / "agents"
    agents.mkdir(parents=True)
    (agents / "sim_weak.toml").write_text("[traits]\nability = 2.0\n")
    monkeypatch.chdir(tmp_path / "project")
    with pytest.raises(ExperimentError, match="the card 'sim_weak' has changed"):
        pj.fork_sync(run, at=2, where="condition=talk", draws=1)


def test_forks_name_their_run(run):
    """The manifest of forks says what they fork."""
    found = pj.fork_sync(run, at=2, changes=LEADER, where="condition=talk", draws=1)

    async def manifest():
        async with open_run(found.folder) as opened:
            return opened.manifest

    link = asyncio.run(manifest())["forked_from"]
    assert (link["run"], link["at"], link["where"]) == (run.run, 2, "condition=talk")
    assert [one["change"] for one in link["arms"]] == ["", "leader=other"]


class Reasons(ChatServer):
    """Server whose replies differ in their number."""

    def reply(self, body):
        """Return the number of the call as a reason."""
        return f"Reason {len(self.bodies)}.\nChoice: Answer 1"


def test_kept_turns_of_models_are_not_paid_again(tmp_path, small, monkeypatch, httpserver):
    """A server sees the played turns of redraws alone, and nothing of a fork that repeats its parent."""
    server = Reasons(httpserver, prompt=100)
    calls = server.bodies
    (tmp_path / "agents").mkdir()
    for name in ("ann", "bob"):
        (tmp_path / f"agents/{name}.toml").write_text(
            f'role = "You are {name}."\n[model]\nprovider = "vllm"\nname = "{name}-1"\n'
            f'base_url = "{server.url}"\n[sampling]\ntemperature = 1.0\n'
        )
    prices = "".join(f'["{name}-1"]\ninput = 1.0\noutput = 1.0\n' for name in ("ann", "bob"))
    (tmp_path / "prices.toml").write_text(prices)
    monkeypatch.chdir(tmp_path)
    talk = replace(small.conditions[0], seats=("ann", "bob"))
    run = pj.run_sync(replace(small, conditions=(talk,)), limit=1, out="study")
    played = len(calls)
    assert played == run.calls.paid

    same = pj.fork_sync("study", at=2, draws=0)
    assert len(calls) == played
    assert (same.summary.calls.paid, same.summary.cost_usd) == (0, 0.0)
    assert read(same.folder) == read("study")

    changed = pj.fork_sync("study", at=2, changes=["turn.0=I am sure. {text}"], draws=1)
    forks = pj.load_sync(changed.folder)
    own = sum(len(one.turns) - 2 for one in forks)
    assert changed.summary.calls.paid == len(calls) - played == own
    assert changed.summary.cost_usd == pytest.approx(own * 110 / 1e6)
    dry = pj.fork_sync("study", at=2, changes=["turn.0=I am sure. {text}"], draws=1)
    assert (dry.summary.calls.paid, dry.summary.discussions.skipped) == (0, len(forks))
