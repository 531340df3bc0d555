"""`run --shards N`: local processes that play a part each, and one merged run at the end."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.errors import ExperimentError, StoreError
from peerjudge.features.exchange.export_command import export_command
from peerjudge.features.shards.planning import check_options, plan_shards
from peerjudge.features.shards.playing import play_shards
from peerjudge.features.shards.purse import Purse
from peerjudge.features.shards.tasks import ShardReport, ShardTask, play_task, start_shard
from peerjudge.runs import read_manifest
from peerjudge.runs.budget import Amount
from peerjudge.runs.ledger import Spending
from peerjudge.runs.results import CallCounts, DiscussionCounts, RunSummary


def export(run: Path) -> bytes:
    """Return the export of a run as JSON lines."""
    out = run.with_suffix(".jsonl")
    asyncio.run(export_command(str(run), format="jsonl", out=out, force=True))
    return out.read_bytes()


def command(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Start the command line."""
    pipe = subprocess.PIPE
    line = [sys.executable, "-m", "peerjudge", *words]
    return subprocess.Popen(line, cwd=cwd, stdout=pipe, stderr=pipe, text=True)


async def in_this_process(task: ShardTask):
    """Play a shard here, and yield what it reports: what another way to start shards does."""
    reports: list[ShardReport] = []
    await play_task(task, reports.append)
    for report in reports:
        yield report


def play(folder: Path, *, count: int = 3, start=in_this_process, **given) -> RunSummary:
    """Play twelve questions of the quickstart in shards."""
    plan = plan_shards("quickstart", count, {"limit": 12, "out": folder, **given})
    return asyncio.run(play_shards(plan, None, start=start))


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> RunSummary:
    """The same run in one piece."""
    folder = tmp_path_factory.mktemp("whole") / "study"
    return pj.run_sync("quickstart", limit=12, out=folder)


def test_two_processes_give_the_run_in_one_piece(whole, tmp_path):
    """The quickstart in two shards prints one summary and report, and exports the same to the byte."""
    words = ("run", "quickstart", "--limit", "12", "--shards", "2", "--out", "study", "--json")
    with command(*words, "--display", "plain", cwd=tmp_path) as process:
        out, said = process.communicate()
    assert process.returncode == 0, said
    summary = json.loads(out)
    assert summary["discussions"]["done"] == whole.discussions.done
    assert (summary["folder"], summary["tokens"]) == ("study", whole.tokens)
    assert "2 shards, " in said
    assert f"{whole.discussions.done} of {whole.discussions.done} discussions" in said
    assert (tmp_path / "study" / "report.html").exists()
    assert export(tmp_path / "study") == export(Path(str(whole.folder)))


def test_ctrl_c_ends_all_shards_and_the_same_command_resumes(tmp_path):
    """An interrupted run ends with 130 and no shard goes on; the next run plays what is missing."""
    words = ("run", "quickstart", "--limit", "4", "--shards", "2", "--out", "study")
    slow = (*words, "-S", "latency=0.3", "--display", "plain")
    with command(*slow, cwd=tmp_path) as process:
        assert process.stderr is not None
        for line in process.stderr:
            # The first count comes seconds after the start, when both shards play.
            if " open" in line:
                break
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130, said
    assert not (tmp_path / "study" / "manifest.json").exists()
    out = tmp_path / "study"
    plan = plan_shards("quickstart", 2, {"limit": 4, "out": out, "settings": {"latency": "0"}})
    summary = asyncio.run(play_shards(plan, None))
    assert summary.discussions.skipped + summary.discussions.done == 4 * 28
    assert len(pj.load_sync(out)) == 4 * 28


def test_a_killed_shard_is_named_and_resumed(tmp_path):
    """Where a process is killed the others end, the log is named, and the next run completes the shard."""

    async def killed(task: ShardTask):
        if task.shard.startswith("2/"):
            return
        async for report in in_this_process(task):
            yield report

    with pytest.raises(StoreError, match=r"1 of 3 shards ended without a summary.*shard-2\.log"):
        play(tmp_path / "study", start=killed)
    summary = play(tmp_path / "study")
    assert summary.discussions.skipped
    assert summary.discussions.done
    assert len(pj.load_sync(tmp_path / "study")) == 12 * 28


def test_a_limit_holds_for_all_shards_and_is_used_up(whole, tmp_path):
    """Shards that stop early leave the rest to others; their sum stays below the limit of the whole."""
    limit = whole.tokens // 2
    summary = play(tmp_path / "study", token_limit=limit)
    assert summary.stopped == "token limit"
    assert summary.limit == Spending(tokens=limit, usd=None)
    # Less than the longest discussion is left.
    assert limit - whole.tokens // 100 < summary.tokens <= limit
    again = play(tmp_path / "study", token_limit=2 * whole.tokens)
    assert again.stopped is None
    assert again.spent_before.tokens == summary.tokens
    assert again.tokens + summary.tokens == whole.tokens
    assert export(tmp_path / "study") == export(Path(str(whole.folder)))


def ended(*, before: int, now: int, enough: int | None = None) -> RunSummary:
    """Return the summary of a shard that spent so many tokens."""
    return RunSummary(
        run="r",
        store="s",
        folder="s",
        discussions=DiscussionCounts(done=1),
        calls=CallCounts(),
        tokens=now,
        cost_usd=0.0,
        cost_known=True,
        spent_before=Spending(tokens=before, usd=0.0),
        spent_now=Spending(tokens=now, usd=0.0),
        limit=Spending(tokens=None, usd=None),
        stopped=None if enough is None else "token limit",
        enough=enough,
    )


def test_what_a_shard_leaves_goes_to_those_that_begin_later():
    """Of 1,000 tokens, 100 spent before: shares of the rest, then what the first left, then what remains."""
    shares = [Amount(share, share) for share in (0.5, 0.3, 0.2)]
    purse = Purse(Amount(1000.0), shares, [Amount(100.0), Amount(), Amount()])
    assert purse.grant(0).tokens == pytest.approx(100 + 450)
    assert purse.grant(1).tokens == pytest.approx(270)
    purse.settle(0, ended(before=100, now=50))
    assert purse.free.tokens == pytest.approx(180 + 400)
    assert purse.grant(2).tokens == pytest.approx(580)
    purse.settle(2, ended(before=0, now=500))
    stopped = ended(before=0, now=260, enough=300)
    purse.settle(1, stopped)
    assert purse.free.tokens == pytest.approx(1000 - 150 - 500 - 260)
    assert purse.can_go_on(1, stopped)
    assert not purse.can_go_on(1, ended(before=0, now=260, enough=400))
    assert purse.grant_rest(1).tokens == pytest.approx(260 + 90)
    assert purse.free.tokens == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("count", "given", "sentence"),
    [
        (0, {}, "1 shard or more"),
        (2, {"until": "decided"}, "--until looks at all questions"),
        (2, {"batch": True}, "--batch"),
        (2, {"questions": "questions.txt"}, "peerjudge answers"),
        (2, {"shard": "1/2"}, "one of the two"),
        (2, {"store": "study.db"}, "below --out"),
        (2, {"wait": True}, "--wait"),
    ],
)
def test_what_a_run_in_shards_cannot_keep_is_refused(count, given, sentence):
    """An option that needs one process is refused with what to do instead."""
    with pytest.raises(ExperimentError, match=sentence):
        check_options(count, given)


def test_people_are_not_seated_in_several_processes(tmp_path, monkeypatch):
    """A person would have to answer at the desk of every shard, so that the run is refused."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "ann.toml").write_text('kind = "human"\n')
    given = {"seats": {"sim_plain": "ann"}, "limit": 1}
    with pytest.raises(ExperimentError, match="ann: people answer at the desk of one run"):
        plan_shards("quickstart", 2, given)


def test_a_folder_keeps_its_number_of_shards(tmp_path):
    """Questions are divided anew by another number, so that it is refused; so are other runs and files."""
    play(tmp_path / "study", limit=1)
    with pytest.raises(StoreError, match="resume with --shards 3"):
        plan_shards("quickstart", 2, {"out": tmp_path / "study"})
    assert [one["name"] for one in read_manifest(tmp_path / "study")["merged"]] == [
        f"shard-{number}" for number in (1, 2, 3)
    ]
    pj.run_sync("quickstart", limit=1, out=tmp_path / "plain")
    with pytest.raises(StoreError, match="not played in shards"):
        plan_shards("quickstart", 3, {"out": tmp_path / "plain"})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="other files"):
        plan_shards("quickstart", 3, {"out": tmp_path / "other"})


def test_an_error_of_a_shard_is_that_of_the_run(tmp_path):
    """What the process of a shard refuses is said with the number of the shard."""
    plan = plan_shards("quickstart", 2, {"limit": 2, "out": tmp_path / "study"})
    broken = tmp_path / "study" / "shards" / "shard-2"
    broken.mkdir(parents=True)
    (broken / "manifest.json").write_text("{")
    with pytest.raises(ExperimentError, match=r"shard 2/2: cannot read"):
        asyncio.run(play_shards(plan, None, start=start_shard))
