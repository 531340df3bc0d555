"""Shards of a run: parts of its questions, played apart, which merge into the run in one piece."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

import peerjudge as pj
from peerjudge.clients import Price
from peerjudge.data import Card, Limits
from peerjudge.errors import ExperimentError, StoreError
from peerjudge.features.exchange.export_command import export_command
from peerjudge.runs import Costs, prepare
from peerjudge.runs.bounds import Bounds
from peerjudge.runs.manifest import read_manifest
from peerjudge.runs.merging import merge_runs
from peerjudge.runs.shards import divide, divide_rates, measure_shares, parse_shard

_N = 3


def export(run, folder):
    """Return the export of a run as JSON lines."""
    out = folder / "export.jsonl"
    asyncio.run(export_command(str(run), format="jsonl", out=out, force=True))
    return out.read_bytes()


@pytest.fixture(scope="module")
def whole(small, tmp_path_factory):
    """A run of twelve questions in one piece."""
    folder = tmp_path_factory.mktemp("whole") / "study"
    return pj.run_sync(small, limit=12, out=folder)


def play(small, folder, number, **more):
    """Play a shard of the same run."""
    return pj.run_sync(
        small, limit=12, shard=f"{number}/{_N}", out=folder / f"shard-{number}", **more
    )


def merge(folder):
    """Merge the shards, and return the folder of the merged run."""
    parts = [str(folder / f"shard-{number}") for number in range(1, _N + 1)]
    asyncio.run(merge_runs(*parts, out=folder / "merged"))
    return folder / "merged"


def test_merged_shards_are_the_undivided_run(small, whole, tmp_path):
    """Twelve questions in three parts give each discussion once, and the same export to the byte."""
    parts = [play(small, tmp_path, number) for number in range(1, _N + 1)]
    assert sum(part.discussions.done for part in parts) == whole.discussions.done
    assert all(part.discussions.done for part in parts)
    assert len({part.run for part in parts} | {whole.run}) == _N + 1
    assert export(merge(tmp_path), tmp_path) == export(whole.folder, tmp_path)


def test_a_question_stays_in_one_shard(small):
    """All discussions of a question, in every order, condition and repetition, are in one part."""
    homes: dict[str, set[int]] = {}
    for number in range(1, _N + 1):
        part = prepare(small, shard=f"{number}/{_N}", settings={"repetitions": "2"})
        for head in part.plan:
            homes.setdefault(head.comparison.question.id, set()).add(number)
    assert all(len(numbers) == 1 for numbers in homes.values())
    assert len(homes) == len({c.question.id for c in prepare(small).plan.comparisons})


def test_a_shard_without_questions_is_complete(small, tmp_path):
    """Of one question in three parts, two are empty; they end as complete runs and merge with the third."""
    parts = [
        pj.run_sync(small, limit=1, shard=f"{k}/3", out=tmp_path / f"shard-{k}", cost_limit=1.0)
        for k in (1, 2, 3)
    ]
    assert sorted(bool(part.discussions.done) for part in parts) == [False, False, True]
    assert [part.stopped for part in parts] == [None] * 3
    assert len(pj.load_sync(merge(tmp_path))) == sum(part.discussions.done for part in parts)


_PLAY = """
import os, signal, sys
import peerjudge as pj

class Killer:
    ends = 0
    def planned(self, prepared, counts): pass
    def began(self, transcript): pass
    def skipped(self, count): pass
    def ended(self, transcript):
        self.ends += 1
        if self.ends == 4:
            os.kill(os.getpid(), signal.SIGKILL)

pj.run_sync("quickstart", limit=4, shard="2/2", out=sys.argv[1], max_connections=1, observer=Killer())
"""


def test_a_killed_shard_resumes_from_its_folder(tmp_path):
    """After a kill the same command plays what is missing, and nothing that had ended before."""
    command = [sys.executable, "-c", _PLAY, str(tmp_path / "shard")]
    killed = subprocess.run(command, env=dict(os.environ), capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    again = pj.run_sync("quickstart", limit=4, shard="2/2", out=tmp_path / "shard")
    untouched = pj.run_sync("quickstart", limit=4, shard="2/2", out=tmp_path / "other")
    assert again.discussions.skipped
    assert again.discussions.done + again.discussions.skipped == untouched.discussions.done
    assert export(tmp_path / "shard", tmp_path) == export(tmp_path / "other", tmp_path)


def test_shares_of_a_limit_sum_to_the_limit(small):
    """The parts have together what the whole may spend, each by its estimate, and say so."""
    prepared = prepare(small, limit=12, shard="1/3")
    assert prepared.whole is not None
    costs = Costs(dict.fromkeys(prepared.plan.cast, Price(input=1.0, output=2.0, source="test")))
    shares = measure_shares(prepared.whole, costs, _N)
    assert sum(share.usd for share in shares) == pytest.approx(1.0)
    given = Bounds(cost_limit=9.0, token_limit=1_000_001)
    divisions = [
        divide(parse_shard(f"{number}/{_N}"), prepared.whole, costs, given)
        for number in range(1, _N + 1)
    ]
    bounds = [division.bounds for division in divisions]
    assert sum(each.cost_limit or 0.0 for each in bounds) == pytest.approx(9.0)
    assert 1_000_001 - _N < sum(each.token_limit or 0 for each in bounds) <= 1_000_001
    assert "of the limit of $9.00; " in divisions[0].sentence


def test_limited_shards_stay_below_the_limit(small, whole, tmp_path):
    """Parts that stop at their shares have spent together no more than the limit of the whole."""
    limit = whole.tokens // 2
    parts = [play(small, tmp_path, number, token_limit=limit) for number in range(1, _N + 1)]
    assert "token limit" in {part.stopped for part in parts}
    assert 0 < sum(part.tokens for part in parts) <= limit


def test_rates_are_divided_by_the_shards_that_run_at_a_time():
    """A card's calls a minute are of all shards together; its identity and other limits do not change."""
    card = Card(
        name="ann", limits=Limits(requests_per_minute=100, tokens_per_minute=7, max_connections=4)
    )
    plain = Card(name="bob")
    divided = divide_rates({"ann": card, "bob": plain}, parse_shard("3/64%8").together)
    assert divided["ann"].limits == Limits(
        requests_per_minute=12, tokens_per_minute=1, max_connections=4
    )
    assert divided["bob"] is plain
    assert parse_shard("3/64").together == 64


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"shard": "0/3"}, "shards count from 1"),
        ({"shard": "4/3"}, "shards count from 1"),
        ({"shard": "2"}, "takes K/N"),
        ({"shard": "1/3%4"}, "1 to 3 run at a time"),
        ({"shard": "1/3", "until": "decided"}, "--until looks at all questions"),
        ({"shard": "1/3", "batch": True}, "--batch"),
        ({"shard": "1/3", "questions": "questions.txt"}, "peerjudge answers"),
        ({"shard": "1/3", "store": "study.db", "token_limit": 9}, "also by other shards"),
    ],
)
def test_what_shards_cannot_keep_is_refused(small, given, sentence, tmp_path, monkeypatch):
    """A shard that does not exist, or an option that needs the whole run, is refused before any call."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExperimentError, match=sentence):
        pj.run_sync(small, **given)
    assert not [*tmp_path.iterdir()]


def test_a_folder_holds_one_shard(small, tmp_path, monkeypatch):
    """Another part, or the whole, is not mixed into the folder of a shard; by default each has its own."""
    monkeypatch.chdir(tmp_path)
    pj.run_sync(small, limit=1, shard="1/2", out="part")
    with pytest.raises(StoreError, match="holds shard 1/2 of 'small', not shard 2/2"):
        pj.run_sync(small, limit=1, shard="2/2", out="part")
    with pytest.raises(StoreError, match="not all questions"):
        pj.run_sync(small, limit=1, out="part")
    summary = pj.run_sync(small, limit=1, shard="2/2")
    assert str(summary.folder).endswith("-shard-2-of-2")
    assert read_manifest(tmp_path / str(summary.folder))["shard"] == "2/2"


def test_shards_in_one_database_are_runs_of_their_own(small, whole, tmp_path):
    """Each shard of a database can be named and merged."""
    place = f"sqlite:///{tmp_path / 'study.db'}"
    parts = [
        pj.run_sync(small, limit=12, shard=f"{number}/{_N}", store=place)
        for number in range(1, _N + 1)
    ]
    sources = [f"{place}#{part.run}" for part in parts]
    asyncio.run(merge_runs(*sources, out=tmp_path / "merged"))
    assert export(tmp_path / "merged", tmp_path) == export(whole.folder, tmp_path)
