"""Broken cards, prompt packs and experiments: the check of a project names what fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerjudge.data import Card, Condition, Experiment, ReviewerKind, replace
from peerjudge.datasets import load
from peerjudge.datasets.sources.records import write_records
from peerjudge.shelf import Shelf
from peerjudge.testing import (
    PLAIN_PACK,
    CheckedFile,
    check_card,
    check_experiment,
    check_pack,
    check_project,
    rounds_of,
)

ROOT = Path(__file__).resolve().parents[2]
PACK = (ROOT / "protocols" / "prompts" / "open_chat.toml").read_text(encoding="utf-8")
PROTOCOL = '''"""The first answer wins."""
from peerjudge.data import Cue, Verdict
SEATS = (1, 1)
def next_cues(seats, comparison, turns, options):
    cue = Cue(seat=seats[0].id, task={task!r}, sees=comparison.shown, private=True)
    return () if turns else (cue,)
'''
BIASED = (
    "def conclude(seats, comparison, turns, options):\n    return Verdict.of(comparison.shown[0])\n"
)
EXPERIMENT = """from peerjudge.data import Condition, Experiment
EXPERIMENT = Experiment(
    data="sample", conditions=(Condition(name="a", protocol="pairwise", seats=(5,)),)
)
"""
SWAPPED = "SWAP_SYMMETRIC = False\n"


def without(part: str, following: str) -> str:
    """The pack for open questions without one of its parts."""
    return PACK[: PACK.index(f"\n{part} = ") + 1] + PACK[PACK.index(f"\n{following} = ") + 1 :]


def check(project: Path, place: str, text: str) -> CheckedFile:
    """Check a project of one file, with a few of the built-in ones."""
    builtin = project / "builtin"
    for name in ("agents/sim_plain.toml", "protocols/pairwise.py", "protocols/leader_follower.py"):
        (builtin / name).parent.mkdir(parents=True, exist_ok=True)
        (builtin / name).symlink_to(ROOT / name)
    (builtin / "protocols" / "prompts").mkdir()
    (builtin / "protocols" / "prompts" / "open_chat.toml").write_text(PACK, encoding="utf-8")
    path = project / place
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    (checked,) = check_project(Shelf(project, builtin))
    assert (checked.path, bool(checked.problem)) == (str(path), bool(checked.broken))
    return checked


@pytest.mark.parametrize(
    ("place", "text", "clauses", "said"),
    [
        ("agents/a.toml", '[model]\nprovider = "openai"\nnam = "x"\n', ["loads"], "mean 'name'?"),
        ("agents/a.toml", "[traits]\nabilty = 1.0\n", ["traits"], "mean 'ability'?"),
        ("agents/my-card.py", "def reviewer(): ...", ["name"], "for example 'my_card'"),
        ("agents/a.py", "def reviewer(): ...", ["reviewer"], "'a' cannot review"),
        ("protocols/p.py", "raise SystemExit(3)", ["loads"], "SystemExit"),
        (
            "protocols/p.py",
            "SEATS = (1, 1)\nOptions = 3\ndef next_cues(*_): ...",
            ["loads"],
            "dataclass",
        ),
        ("protocols/p.py", PROTOCOL.format(task="reviw"), ["words"], "lacks task 'reviw'"),
        (
            "protocols/p.py",
            PROTOCOL.format(task="review") + BIASED,
            ["unanimous_refusal", "swap_symmetric"],
            "every reply was unreadable, and conclude returned answer-1 instead of unreadable",
        ),
        (
            "protocols/p.py",
            PROTOCOL.format(task="review") + BIASED + SWAPPED,
            ["unanimous_refusal"],
            "Conclude UNREADABLE or REFUSED",
        ),
        ("protocols/p.py", PROTOCOL.format(task="review"), [], ""),
        (
            "protocols/prompts/p.toml",
            without("heard", "aspects"),
            ["loads"],
            "lacks the part 'heard'",
        ),
        (
            "protocols/prompts/p.toml",
            PACK.replace("{{ answer }}", ""),
            ["shows_all"],
            "does not show the text of answer-1",
        ),
        (
            "protocols/prompts/p.toml",
            PACK.replace("{{ labels[loop.index0] }}", "Text"),
            ["labels"],
            "shows answer-1 without its label",
        ),
        (
            "protocols/prompts/p.toml",
            PACK.replace("\n{{ question }}", "\n> Read this:\n{{ question }}"),
            ["quotation"],
            "lines of its own that begin with >",
        ),
        (
            "protocols/prompts/p.toml",
            PACK.replace("\n{{ answer }}", " {{ answer }}"),
            ["shows_all"],
            "unchanged and each on lines of its own",
        ),
        (
            "protocols/prompts/p.toml",
            PACK.replace("\nreview = ", "\nsing = ", 1).replace(
                "\n[tasks]\n", '\n[tasks]\nreview = "{{ labels[9].x }}"\n'
            ),
            ["templates"],
            "tasks.review of prompt pack 'p' cannot be filled",
        ),
        (
            "experiments/e.py",
            EXPERIMENT,
            ["loads"],
            "condition 'a': seats takes names of cards or Seatings, not 5",
        ),
    ],
)
def test_a_broken_file_is_found(
    tmp_path: Path, place: str, text: str, clauses: list[str], said: str
):
    """Each clause that a file breaks is named, with what happened."""
    checked = check(tmp_path, place, text)
    assert [each.clause for each in checked.broken] == clauses
    assert said in checked.problem


def test_a_pack_without_a_task_says_which_protocols_need_it(tmp_path: Path):
    """A pack may serve some protocols only; a note names the others with the missing task."""
    checked = check(tmp_path, "protocols/prompts/mine.toml", without("discuss", "reconsider"))
    assert checked.broken == ()
    assert checked.notes[0].startswith("has no task 'discuss', so it cannot be used with leader_fo")


def test_a_pack_serves_one_protocol_at_least():
    """A pack without a task for any protocol is broken; either fence is sound."""
    assert check_pack(PLAIN_PACK, [rounds_of(1)]) == ()
    assert check_pack(replace(PLAIN_PACK, fence="marks"), [rounds_of(1)]) == ()
    (broken,) = check_pack(replace(PLAIN_PACK, tasks={"sing": "La."}), [rounds_of(1)])
    assert broken.clause == "tasks"


def test_every_condition_of_an_experiment_is_checked():
    """Conditions fail one by one, and dataset and repetitions beside them."""
    once = Condition(name="a", protocol="pairwise", seats=("sim_plain",))
    experiment = Experiment(
        data="smaple",
        repetitions=0,
        conditions=(
            once,
            replace(once, name="b", protocol="pairwse"),
            replace(once, name="c", seats=("sim_missing",)),
            replace(once, name="d", seats=("sim_plain", "sim_plain")),
            replace(once, name="e", options={"ties": "maybe"}),
        ),
    )
    broken = check_experiment(experiment, Shelf(ROOT))
    named = [(each.clause, each.problem.split(":")[0]) for each in broken]
    assert named == [
        ("conditions", "condition 'b'"),
        ("conditions", "condition 'c'"),
        ("conditions", "condition 'd'"),
        ("conditions", "condition 'e'"),
        ("repetitions", "experiment '' has 0 repetitions"),
        ("dataset", "experiment '' names the unknown dataset 'smaple'"),
    ]
    twice = replace(experiment, data="sample", repetitions=1, conditions=(once, once))
    assert [each.clause for each in check_experiment(twice, Shelf(ROOT))] == ["conditions"]


@pytest.mark.parametrize("data", ["{}/own.csv", "csv:{}/own.csv", "{}/records", "sample"])
def test_an_experiment_may_name_its_data_by_their_path(tmp_path, data):
    """A table and a folder of records need no name of a dataset, as in a run."""
    (tmp_path / "own.csv").write_text("question,answer_a,answer_b\nWhy?,x,y\n")
    write_records(load("sample"), tmp_path / "records", origin="sample", files=(), licence="MIT")
    once = Condition(name="a", protocol="pairwise", seats=("sim_plain",))
    experiment = Experiment(data=data.format(tmp_path), conditions=(once,))
    assert check_experiment(experiment, Shelf(ROOT)) == ()


def test_a_card_without_a_model_is_broken():
    """A card in Python needs a model, a kind of its own, or a source of recorded reviews."""
    assert [each.clause for each in check_card(Card(name="ada"))] == ["model"]
    assert [each.clause for each in check_card(Card(name="ada", kind=ReviewerKind.RECORDED))] == [
        "source"
    ]
