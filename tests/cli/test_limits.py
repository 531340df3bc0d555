"""What the command line says of what a run would take, and of runs that were stopped."""

import json

import pytest

STUDY = ("run", "leader_follower", "--limit", "2", "--display", "none")


def test_a_dry_run_says_what_it_would_take(shell):
    """Calls, tokens and cost, condition by condition and task by task, without a folder."""
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


def test_a_dry_run_needs_no_key_and_knows_prices(shell):
    """What a model costs is estimated where its price is known, and unknown where it is not."""
    (shell.folder / "agents").mkdir()
    for name, model in (("known", "gpt-4o"), ("unknown", "of-tomorrow")):
        card = f'[model]\nprovider = "openai"\nname = "{model}"\n'
        (shell.folder / "agents" / f"{name}.toml").write_text(card)
        (shell.folder / f"{name}.py").write_text(
            '"""One judge."""\nfrom peerjudge.data import Condition, Experiment\n'
            'EXPERIMENT = Experiment(data="sample", conditions=(\n'
            f'    Condition(name="alone", protocol="pairwise", seats=("{name}",)),))\n'
        )
    known = shell("run", "known.py", "--dry-run", "--json").document
    assert known["cost_usd"] > 0
    assert "genai-prices" in known["prices"]["known"]["source"]
    unknown = shell("run", "unknown.py", "--dry-run", "--json").document
    assert (unknown["cost_usd"], unknown["cost_known"]) == (None, False)
    assert "cost: unknown" in shell("run", "unknown.py", "--dry-run").out
    refused = shell("run", "unknown.py", "--cost-limit", "1")
    assert refused.code == 2
    assert "prices.toml" in refused.err


def test_a_limit_exits_with_3_and_a_higher_one_goes_on(shell):
    """The run that was stopped says how to go on, and going on ends it."""
    stopped = shell(*STUDY, "--out", "x", "--token-limit", "30000")
    assert stopped.code == 3
    assert "or higher to resume" in " ".join(stopped.err.split())
    document = shell(*STUDY, "--out", "x", "--token-limit", "30000", "--json")
    assert document.code == 3
    assert document.document["stopped"] == "token limit"
    gone_on = shell(*STUDY, "--out", "x", "--token-limit", "3000000", "--json")
    assert gone_on.code == 0
    assert gone_on.document["stopped"] is None
    assert gone_on.document["discussions"]["skipped"] > 0


def test_a_hopeless_run_exits_with_1_and_a_sentence(shell):
    """Where nobody answers, the run stops after five failures instead of asking on."""
    (shell.folder / "agents").mkdir()
    (shell.folder / "agents" / "absent.py").write_text(
        '"""Never there."""\n\n\nasync def judge(request):\n    raise ConnectionError("gone")\n\n\n'
        "def reviewer():\n    return judge\n"
    )
    (shell.folder / "study.py").write_text(
        '"""One judge."""\nfrom peerjudge.data import Condition, Experiment\n'
        'EXPERIMENT = Experiment(data="sample", conditions=(\n'
        '    Condition(name="alone", protocol="pairwise", seats=("absent",)),))\n'
    )
    words = ("run", "study.py", "--max-connections", "1", "--display", "none")
    outcome = shell(*words, "--fail-on-error", "0.5", "--json")
    assert outcome.code == 1
    assert outcome.document["stopped"] == "too many failures"
    assert outcome.document["discussions"]["failed"] == 5
    (cause,) = outcome.document["failures"]
    assert (cause["reviewer"], cause["kind"], cause["count"]) == ("absent", "ConnectionError", 5)
    assert "5 failed: absent, ConnectionError: gone" in outcome.err
    assert "too many failures (5 discussions)" in " ".join(outcome.err.split())


def test_what_a_server_says_cannot_steer_the_terminal(shell):
    """The message of a failure is told without its control codes, in logs and in the end."""
    (shell.folder / "agents").mkdir()
    (shell.folder / "agents" / "hostile.py").write_text(
        '"""Clears the screen."""\n\n\nasync def judge(request):\n'
        '    raise ConnectionError("\\x1b[2Jgone\\r")\n\n\ndef reviewer():\n    return judge\n'
    )
    (shell.folder / "study.py").write_text(
        '"""One judge."""\nfrom peerjudge.data import Condition, Experiment\n'
        'EXPERIMENT = Experiment(data="sample", conditions=(\n'
        '    Condition(name="alone", protocol="pairwise", seats=("hostile",)),))\n'
    )
    outcome = shell("run", "study.py", "--limit", "1")
    assert outcome.code == 1
    assert "gone" in outcome.err
    assert not set("\x1b\r") & set(outcome.out + outcome.err)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--max-connections", "0"), "1 connection or more, not 0"),
        (("--log-level", "loud"), "unknown log level 'loud'"),
        (("--store", "study"), "--out"),
    ],
)
def test_a_flag_that_cannot_be_meant_exits_with_2(shell, flags, said):
    """What makes no sense is said before anything is begun, with what would."""
    outcome = shell("run", "quickstart", *flags)
    assert outcome.code == 2
    assert said in outcome.err
    assert not (shell.folder / "runs").exists()


@pytest.mark.parametrize("flag", ["--cost-limit", "--token-limit", "--deadline"])
def test_a_senseless_bound_exits_with_2(shell, flag):
    """A limit of nothing is a mistake."""
    outcome = shell("run", "quickstart", flag, "0")
    assert outcome.code == 2
    assert "not 0" in outcome.err


def test_every_flag_is_explained(shell):
    """The help of `run` says what each bound does."""
    text = shell("run", "--help").out
    for flag in ("--cost-limit", "--token-limit", "--fail-on-error", "--deadline", "--cache"):
        assert flag in text
    assert json.dumps("prices.toml")[1:-1] in text
