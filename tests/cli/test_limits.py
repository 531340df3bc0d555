"""Estimates, limits and invalid options on the command line."""

import asyncio
import csv
import json

import pytest

import peerjudge as pj
from peerjudge.features.people.desk import DeskAnswer
from peerjudge.features.people.desk_places import open_desk
from peerjudge.verdicts import CUT_OFF

STUDY = ("run", "leader_follower", "--limit", "2", "-S", "turns=2", "--display", "none")


def write_study(shell, seat, *, file="study.py"):
    """Write an experiment with one judge."""
    (shell.folder / file).write_text(
        '"""One judge."""\nfrom peerjudge.data import Condition, Experiment\n'
        'EXPERIMENT = Experiment(data="sample", conditions=(\n'
        f'    Condition(name="alone", protocol="pairwise", seats=("{seat}",)),))\n'
    )


def test_a_dry_run_prints_calls_tokens_and_cost(shell):
    """Calls, tokens and cost are listed by condition and task, and no folder is created."""
    table = shell("run", "quickstart", "--limit", "2", "--dry-run")
    assert table.code == 0
    for said in ("discuss", "(private)", "no model was called", "replies of 300 tokens", "$0.00"):
        assert said.lower() in table.out.lower()
    document = shell("run", "quickstart", "--limit", "2", "--dry-run", "--json").document
    steps = [step for condition in document["conditions"] for step in condition["steps"]]
    assert document["calls"] == sum(step["calls"] - step["shared"] for step in steps)
    assert document["tokens"] == sum(
        step["prompt_tokens"] + step["completion_tokens"] for step in steps
    )
    assert document["discussions"] == sum(each["discussions"] for each in document["conditions"])
    assert (document["cost_usd"], document["cost_known"]) == (0.0, True)
    assert not list(shell.folder.iterdir())


def test_a_dry_run_counts_requests_to_people_apart(shell):
    """People are no paid calls and have no tokens; equal private requests are one."""
    shell.write("agents/ann.toml", 'kind = "human"\n')
    words = ("run", "leader_follower", "--limit", "2", "--seat", "strong=ann", "--dry-run")
    document = shell(*words, "--json").document
    steps = [step for condition in document["conditions"] for step in condition["steps"]]
    assert 0 < document["people"] == sum(step["people"] for step in steps)
    assert document["calls"] == sum(
        step["calls"] - step["shared"] - step["people"] for step in steps
    )
    private = [step for step in steps if step["private"] and step["people"]]
    assert all(step["shared"] for step in private), "under both leaders, a private review is one"
    table = shell(*words).out
    assert f"{document['people']} answers of people" in table


def test_answers_of_people_are_exported(shell):
    """`export --people` writes one row per answer as CSV or JSON lines, and refuses other formats."""
    shell.write("agents/ann.toml", 'kind = "human"\n')
    words = ("run", "leader_follower", "--limit", "1", "--seat", "strong=ann", "--out", "study")
    assert shell(*words, "--display", "none").code == 3
    with open_desk(shell.folder / "study") as desk:
        task = desk.next_task()
        desk.submit(DeskAnswer(task=task.id, text="=1+1\nVerdict: 1", confidence=40))
    row = json.loads(shell("export", "study", "--people", "--format", "jsonl").out)
    assert (row["card"], row["confidence"], row["private"]) == ("ann", 40, True)
    table = list(
        csv.reader(shell("export", "study", "--people", "--format", "csv").out.splitlines())
    )
    assert table[0] == [name for name in row if name != "scores"], "no slider was moved"
    assert any(cell.startswith("'=1+1") for cell in table[1]), "no spreadsheet runs the text"
    for wrong in (("--format", "arena"), ("--format", "csv", "--frame", "turns")):
        assert shell("export", "study", "--people", *wrong).code == 2
    assert "none" in shell("export", "nowhere", "--people", "--format", "csv").err


def test_a_dry_run_needs_no_key_and_knows_prices(shell):
    """The cost of a model is estimated from its price, and unknown without one."""
    for name, model in (("known", "gpt-4o"), ("unknown", "of-tomorrow")):
        card = f'[model]\nprovider = "openai"\nname = "{model}"\n'
        shell.write(f"agents/{name}.toml", card)
        write_study(shell, name, file=f"{name}.py")
    known = shell("run", "known.py", "--dry-run", "--json").document
    assert known["cost_usd"] > 0
    assert "genai-prices" in known["prices"]["known"]["source"]
    unknown = shell("run", "unknown.py", "--dry-run", "--json").document
    assert (unknown["cost_usd"], unknown["cost_known"]) == (None, False)
    assert "cost: unknown" in shell("run", "unknown.py", "--dry-run").out
    refused = shell("run", "unknown.py", "--cost-limit", "1")
    assert refused.code == 2
    assert "prices.toml" in refused.err


def test_a_limit_exits_with_3_and_a_higher_one_resumes(shell):
    """A stopped run prints how to resume it, and the resumed run completes."""
    stopped = shell(*STUDY, "--out", "x", "--token-limit", "30000", "--json")
    assert (stopped.code, stopped.document["stopped"]) == (3, "token limit")
    assert "or higher to resume" in " ".join(stopped.err.split())
    resumed = shell(*STUDY, "--out", "x", "--token-limit", "3000000", "--json")
    assert resumed.code == 0
    assert resumed.document["stopped"] is None
    assert resumed.document["discussions"]["skipped"] > 0


def test_a_run_with_too_many_failures_exits_with_1(shell):
    """If every call fails, the run stops after five failures."""
    shell.write(
        "agents/absent.py",
        '"""Always fails."""\n\n\nasync def judge(request):\n    raise ConnectionError("gone")\n\n\n'
        "def reviewer():\n    return judge\n",
    )
    write_study(shell, "absent")
    words = ("run", "study.py", "--max-connections", "1", "--display", "none")
    outcome = shell(*words, "--fail-on-error", "0.5", "--json")
    assert outcome.code == 1
    assert outcome.document["stopped"] == "too many failures"
    assert outcome.document["discussions"]["failed"] == 5
    (cause,) = outcome.document["failures"]
    assert (cause["reviewer"], cause["kind"], cause["count"]) == ("absent", "ConnectionError", 5)
    assert "5 failed: absent, ConnectionError: gone" in outcome.err
    assert "too many failures (5 discussions)" in " ".join(outcome.err.split())


CURT = """
from peerjudge.data import Utterance

def reviewer():
    async def judge(request):
        first, second = request.cue.sees
        cut = "Let me compare both in every" if first < second else ""
        return Utterance(text=cut, finish_reason="length")

    return judge
"""


def test_cut_and_empty_replies_are_named_at_the_end(shell):
    """The end of a run says how many verdicts were cut off, what to raise, and what failed."""
    shell.write("agents/curt.py", CURT)
    write_study(shell, "curt")
    outcome = shell("run", "study.py", "--limit", "2", "--display", "none", "--json")
    assert outcome.code == 1
    assert outcome.document["discussions"] == {"done": 2, "failed": 2, "skipped": 0, "waiting": 0}
    assert outcome.document["cut_off"] == [{"reviewer": "curt", "max_tokens": None, "count": 2}]
    assert [each["kind"] for each in outcome.document["failures"]] == ["EmptyReplyError"]
    said = " ".join(outcome.err.split())
    assert "2 replies of curt were cut off before their verdict, at the server's limit" in said
    assert "raise max_tokens" in said


def test_cut_replies_of_simulated_reviewers_ask_for_no_limit(shell):
    """A simulated reviewer leaves a reply unfinished by its traits: no `max_tokens` would change that."""
    write_study(shell, "sim_weak")
    outcome = shell("run", "study.py", "-S", "unreadable_rate=0.9", "--display", "none", "--json")
    assert outcome.code == 0
    rules = [
        turn.review.rule
        for one in asyncio.run(pj.load(shell.folder / outcome.document["folder"]))
        for turn in one.turns
    ]
    assert CUT_OFF in rules
    assert outcome.document["cut_off"] == []
    assert "max_tokens" not in outcome.err


def test_failed_discussions_exit_with_1_and_cannot_control_the_terminal(shell):
    """Logs and closing messages say how to retry, and have no control codes of a server's message."""
    shell.write(
        "agents/hostile.py",
        '"""Clears the screen."""\n\n\nasync def judge(request):\n'
        '    raise ConnectionError("\\x1b[2Jgone\\r")\n\n\ndef reviewer():\n    return judge\n',
    )
    write_study(shell, "hostile")
    outcome = shell("run", "study.py", "--limit", "1")
    assert outcome.code == 1
    assert "gone" in outcome.err
    assert "again" in outcome.err
    assert not set("\x1b\r") & set(outcome.out + outcome.err)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--max-connections", "0"), "1 connection or more, not 0"),
        (("--log-level", "loud"), "unknown log level 'loud'"),
        (("--store", "study"), "--out"),
        (("--cost-limit", "0"), "not 0"),
        (("--token-limit", "0"), "not 0"),
        (("--deadline", "0"), "not 0"),
    ],
)
def test_an_invalid_option_exits_with_2(shell, flags, said):
    """The error names a valid value, and nothing is written."""
    outcome = shell("run", "quickstart", *flags)
    assert outcome.code == 2
    assert said in outcome.err
    assert not (shell.folder / "runs").exists()
