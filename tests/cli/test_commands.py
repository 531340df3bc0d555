"""The contract of the command line: output and exit code of each command."""

import csv
import io
import json

import pytest

import peerjudge as pj
from peerjudge.data import OpinionEvent, Transcript, from_json, from_plain

RUN = ("run", "leader_follower", "--limit", "2", "-S", "turns=2")


@pytest.fixture(scope="module")
def first(new_shell):
    """A shell in which an experiment was run for the first time, and what the command printed."""
    shell = new_shell()
    return shell, shell(*RUN)


def test_a_run_prints_results_and_progress_separately(first):
    """Results are on stdout and progress on stderr, so that a pipe has the results only."""
    _, outcome = first
    assert outcome.code == 0
    assert "Simulated reviewers" in outcome.out
    assert "report.html" in outcome.out
    assert "16 of 16 discussions" in outcome.err
    assert "Accuracy" not in outcome.err


def test_the_same_command_twice_runs_once(first):
    """Without --out, the same experiment has the same folder; `--json` prints the agreed names."""
    shell, outcome = first
    document = shell(*RUN, "--json").document
    assert document["discussions"] == {"done": 0, "failed": 0, "skipped": 16, "waiting": 0}
    assert document["folder"] in outcome.out
    names = {"run", "store", "discussions", "calls", "tokens", "cost_usd", "cost_known", "stopped"}
    assert names <= document.keys()
    assert {"paid", "cached", "failed"} <= document["calls"].keys()
    assert document["calls"]["paid"] == 0
    assert document["cost_known"] is True


@pytest.mark.parametrize(
    ("words", "kinds", "reviewers"),
    [
        (("--kind", "altered"), {"altered"}, None),
        (("--kind", "altered,held"), {"altered", "held"}, None),
        (("--kind", "altered", "--kind", "held"), {"altered", "held"}, None),
        (("--kind", "altered after agreement"), {"altered_after_agreement"}, None),
        (("--reviewer", "sim_weak"), None, {"sim_weak"}),
        (
            ("--kind", "altered", "--reviewer", "sim_weak,sim_plain"),
            {"altered"},
            {"sim_weak", "sim_plain"},
        ),
    ],
)
def test_events_are_chosen_by_kind_and_reviewer(played, words, kinds, reviewers):
    """A filter keeps the same events as text, JSON and CSV, and those of the function in Python."""
    lines = played("events", "study", *words, "--json").out.splitlines()
    found = [json.loads(line) for line in lines]
    every = [json.loads(line) for line in played("events", "study", "--json").out.splitlines()]
    assert found == [
        one
        for one in every
        if (not kinds or one["kind"] in kinds) and (not reviewers or one["reviewer"] in reviewers)
    ]
    told = played("events", "study", *words)
    assert len(told.out.splitlines()) == len(found)
    if found:
        assert len(found) < len(every)
        table = played("events", "study", *words, "--format", "csv").out
        assert len(table.splitlines()) == len(found) + 2
    else:
        assert f"none of {len(every)} opinion events" in told.err
    chosen = {"kinds": sorted(kinds or ()), "reviewers": sorted(reviewers or ())}
    listed = pj.events(played.folder / "study", **chosen)
    assert len(listed.events) == len(found)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kind", "alterd"), "no kind of event is called 'alterd'; did you mean 'altered'?"),
        (("--reviewer", "sim_week"), "no discussion has a reviewer 'sim_week'"),
        (("--summary", "--kind", "altered"), "the summary has a row for each of them"),
        (("--graph", "x.graphml", "--reviewer", "sim_weak"), "the summary has a row for each"),
    ],
)
def test_a_filter_of_events_that_chooses_nothing_by_mistake_is_an_error(played, words, message):
    """Unknown kinds and reviewers, and a filter where it has no meaning, are sentences."""
    done = played("events", "study", *words)
    assert done.code == 2
    assert message in done.err


def test_events_are_one_json_object_a_line(played):
    """Every line of `events --json` is an opinion event."""
    outcome = played("events", "study", "--json")
    events = [from_plain(OpinionEvent, json.loads(line)) for line in outcome.out.splitlines()]
    assert {event.kind.value for event in events} >= {"held", "altered", "agreed"}


def test_exported_discussions_and_turns_are_complete(played):
    """JSON lines are discussions in the versioned form; CSV has one row per turn, with its line breaks."""
    assert played("export", "study", "--format", "csv", "-o", "turns.csv").code == 0
    rows = list(csv.DictReader(io.StringIO((played.folder / "turns.csv").read_text("utf-8"))))
    lines = played("export", "study", "--format", "jsonl").out.splitlines()
    assert len(rows) == sum(len(from_json(Transcript, line).turns) for line in lines)
    assert any("\n" in row["text"] for row in rows)


def test_an_export_that_fails_changes_no_file(played):
    """A missing folder is an error, and a misspelt run does not empty a file."""
    outcome = played("export", "study", "--format", "csv", "-o", "nowhere/turns.csv")
    assert (outcome.code, outcome.out) == (2, "")
    assert "nowhere/turns.csv" in outcome.err
    kept = played.folder / "kept.csv"
    kept.write_text("mine")
    assert played("export", "stduy", "--format", "csv", "-o", "kept.csv").code == 2
    assert kept.read_text() == "mine"


def test_what_is_simulated_says_so(played):
    """Rankings, agreement and events of simulated reviewers cannot be taken for real ones."""
    for command in ("rank", "agreement", "events"):
        assert "simulated" in played(command, "study").out.lower()


def test_a_run_measures_its_reviewers(played):
    """A reviewer's agreement with gold has the agreed JSON."""
    document = played("agreement", "study", "--reviewers", "sim_strong", "--json").document
    assert document["reviewers"] == ["sim_strong"]
    assert 0 <= document["accuracy"] <= 1
    assert {"gold", "fleiss_kappa", "n", "unreadable"} <= document.keys()


@pytest.mark.parametrize("kind", ["agents", "protocols", "prompts", "experiments", "datasets"])
def test_every_shelf_can_be_listed(shell, kind):
    """The content of every shelf is listed with a description."""
    rows = shell("list", kind, "--json").document
    assert rows
    assert all(row["description"] for row in rows)


def test_check_finds_what_would_not_run(shell):
    """A card with a misspelt field is found without a run, and said in one line."""
    shell.write("agents/mine.toml", '[model]\nprovider = "openai"\nnam = "x"\n')
    outcome = shell("check")
    assert outcome.code == 2
    assert "agents/mine" in outcome.out
    assert "nam" in outcome.out
    assert outcome.out.endswith("1 file of the project, 1 with problems\n")


MISTAKES = {
    "no such experiment": (("run", "nothing"), "Choose one of"),
    "no such flag": (("run", "quickstart", "--nope"), "nope"),
    "one word too many": (
        ("fork", "study", "--at", "2", "leader=other"),
        "unexpected argument 'leader=other'; `peerjudge fork --help` lists",
    ),
    "no such command": (("frobnicate",), "frobnicate"),
    "no such setting": (("run", "quickstart", "-S", "bogus=1"), "known:"),
    "not a setting": (
        ("run", "quickstart", "-S", "bogus"),
        "-S takes key=value, as in -S turns=6, not 'bogus'",
    ),
    "a setting without a key": (("run", "quickstart", "-S", "=6"), "-S takes key=value"),
    "a setting twice": (
        ("run", "quickstart", "-S", "turns=4", "-S", "turns=6"),
        "-S has 'turns' twice, as '4' and as '6'",
    ),
    "a seat without a card": (("run", "quickstart", "--seat", "a="), "--seat takes NAME=CARD"),
    "a family without a name": (
        ("rank", "study", "--families", "oops"),
        "--families takes name=family",
    ),
    "not a number": (("run", "quickstart", "--limit", "x"), "limit"),
    "a negative seed": (("rank", "study", "--seed", "-1"), "--seed. Must be >= 0"),
    "no source": (("rank",), "SOURCE"),
    "no such run": (("events", "nowhere"), "nowhere"),
    "no such dataset": (("rank", "nosuch:place"), "nosuch"),
    "no such folder": (("run", "quickstart", "--data", "vicuna80:nowhere"), "nowhere"),
    "no such shelf": (("list", "toys"), "toys"),
    "two places": (
        ("run", "quickstart", "--out", "x", "--store", "sqlite:///y.db"),
        "not into both",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_exits_with_2_and_a_sentence(shell, mistake):
    """A mistake is told on stderr, without a traceback, and leaves stdout empty."""
    words, says = MISTAKES[mistake]
    outcome = shell(*words)
    assert outcome.code == 2
    assert says in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_a_missing_key_names_its_variable(shell):
    """A model whose key is not set is told before anything is played."""
    shell.write(
        "experiments/real.py",
        '"""Asks a real model."""\n'
        "from peerjudge.data import Condition, Experiment\n"
        'ASKED = Condition(name="a", protocol="pairwise", seats=("gpt_4o",))\n'
        'EXPERIMENT = Experiment(data="sample", conditions=(ASKED,))\n',
    )
    outcome = shell("run", "real")
    assert outcome.code == 2
    assert "OPENAI_API_KEY" in outcome.err


def test_a_foreign_file_is_not_taken_for_a_store(shell):
    """A file that is no store is told so and left as it is."""
    (shell.folder / "store.db").write_text("my diary")
    outcome = shell("run", "quickstart", "--limit", "1", "--out", ".")
    assert outcome.code == 2
    assert (shell.folder / "store.db").read_text() == "my diary"
    assert "Traceback" not in outcome.err
