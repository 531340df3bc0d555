"""`peerjudge optimize`: resumed, repeated and limited searches, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peerjudge.cli import main
from peerjudge.shelf import Shelf
from peerjudge.statistics.interval import METHOD
from peerjudge.testing import check_pack
from tests.features.search.conftest import write_project

SEARCH = ("optimize", "rules", "--out", "found", "--display", "none")


@pytest.fixture(scope="module")
def whole(commands, tmp_path_factory):
    """A search that nothing disturbed: its project, and what the command printed."""
    project = write_project(tmp_path_factory.mktemp("whole"))
    outcome = commands.run(project.folder, *SEARCH, "--json")
    assert outcome.code == 0, outcome.err
    return project, outcome


def read_search(folder: Path) -> bytes:
    """Return the file of the result."""
    return (folder / "found" / "search.json").read_bytes()


def test_a_misleading_rule_is_edited_away(whole):
    """The search finds a better text, adopts it on unseen questions, and the test confirms it."""
    project, outcome = whole
    found = outcome.document
    assert found["adopted"]
    assert found["test"]["difference"]["low"] > 0
    assert found["test_opened"] == 1
    chosen = next(one for one in found["candidates"] if one["id"] == found["chosen"])
    assert "looks longer" not in chosen["texts"]["pack:aspects"]
    keys = """method objective targets splits candidates front base chosen adopted test overstatement
        transfer test_opened run store folder discussions calls tokens cost_usd cost_known stopped"""
    assert set(keys.split()) <= found.keys()
    assert project.calls == found["discussions"]["done"]


def test_the_winner_is_a_pack_that_the_shelf_loads(whole):
    """best.toml in protocols/prompts is a pack with the text of the winner."""
    project, outcome = whole
    found = outcome.document
    best = (project.folder / "found" / "best.toml").read_text()
    (project.folder / "protocols/prompts/house_best.toml").write_text(best)
    pack = Shelf(project.folder).prompts("house_best")
    chosen = next(one for one in found["candidates"] if one["id"] == found["chosen"])
    assert "\n".join(pack.aspects) == chosen["texts"]["pack:aspects"]
    assert check_pack(pack, [Shelf().protocol("pairwise")]) == ()


def test_the_same_command_again_calls_nobody(whole, commands):
    """A finished search is read from its folder, and its result is the same to the byte."""
    project, _ = whole
    calls, before = project.calls, read_search(project.folder)
    again = commands.run(project.folder, *SEARCH, "--json")
    assert again.code == 0
    assert project.calls == calls
    assert again.document["discussions"]["done"] == 0
    assert read_search(project.folder) == before


def test_a_search_killed_in_every_phase_ends_as_if_undisturbed(whole, commands, project):
    """Killed while searching, choosing and testing, it pays for lost calls only; Ctrl-C is no different."""
    reference, outcome = whole
    splits = {"search": 0.2, "late search": 0.45, "select": 0.6, "test": 0.85}
    total = outcome.document["discussions"]["done"]
    for share in splits.values():
        (project.folder / "SIGKILL").write_text(str(int(share * total)))
        assert commands.run(project.folder, *SEARCH).code == -9
    (project.folder / "SIGINT").write_text(str(int(0.95 * total)))
    interrupted = commands.run(project.folder, *SEARCH)
    assert interrupted.code == 130
    assert "run the same command to resume" in interrupted.err
    assert commands.run(project.folder, *SEARCH).code == 0
    assert read_search(project.folder) == read_search(reference.folder)
    # Each kill loses at most the calls in flight.
    assert project.calls <= reference.calls + 10 * (len(splits) + 1)


def test_a_dry_run_says_the_most_that_a_search_takes(whole, commands, project):
    """A dry run calls nobody and writes nothing, and a search takes no more calls than it says."""
    reference, _ = whole
    outcome = commands.run(project.folder, *SEARCH, "--dry-run", "--json")
    assert outcome.code == 0, outcome.err
    assert project.calls == 0
    assert not (project.folder / "found").exists()
    found = outcome.document
    assert {one["name"]: one["evaluations"] for one in found["phases"]} == {
        # The base, and four candidates in rungs of 5, 5 and 10 questions, of which half are left each time.
        "search": 20 + 4 * 5 + 2 * 5 + 1 * 10,
        "select": 6 * 20,
        "test": 2 * 20,
    }
    assert reference.calls <= found["calls"]
    shown = commands.run(project.folder, *SEARCH, "--dry-run")
    assert "An answer that looks longer" in shown.out
    assert "No model was called" in shown.out


def test_a_folder_without_a_test_is_no_run(commands, project):
    """`report` says what a search folder holds; with a test, its report is of base and chosen."""
    (project.folder / "found").mkdir()
    (project.folder / "found" / "search.json").write_text("{}")
    outcome = commands.run(project.folder, "report", "found")
    assert outcome.code == 2
    assert "search of `peerjudge optimize`" in outcome.err


def test_the_folder_is_reported_as_the_run_of_the_test(whole, commands):
    """`score` has base and chosen on the test questions, `compare` the difference of the test."""
    project, outcome = whole
    scored = commands.run(project.folder, "score", "found", "--json")
    assert scored.code == 0, scored.err
    assert outcome.document["test"]["chosen"]["n"] == 20
    assert "chosen" in scored.out
    compared = commands.run(project.folder, "compare", "found", "--to", "base", "--json")
    (pair,) = compared.document["pairs"]
    assert (pair["one"], pair["other"]) == ("chosen", "base")
    assert pair["difference"]["difference"] == outcome.document["test"]["difference"]
    assert commands.run(project.folder, "report", "found").code == 0


@pytest.mark.slow
def test_a_search_stops_at_its_limit_and_resumes(whole, commands, project):
    """A limit of tokens holds over all phases; a higher one resumes the search where it stopped."""
    reference, _ = whole
    low = commands.run(project.folder, *SEARCH, "--token-limit", "1000")
    assert low.code == 3
    assert project.calls == 0
    assert "set aside" in low.err
    assert "--dry-run" in low.err
    assert commands.run(project.folder, *SEARCH, "--token-limit", "100000000").code == 0
    assert read_search(project.folder) == read_search(reference.folder)


@pytest.mark.slow
def test_openings_of_the_test_are_counted_over_searches(whole, commands):
    """A second search on the same data in the same folder has seen the test questions before."""
    project, _ = whole
    other = commands.run(project.folder, *SEARCH, "--steps", "2", "--json")
    assert other.code == 0, other.err
    assert other.document["test_opened"] == 2
    shown = commands.run(project.folder, *SEARCH, "--steps", "2")
    assert "opened" in shown.out
    assert "2" in shown.out


def test_transfer_compares_base_and_chosen_elsewhere(whole, commands):
    """Another reviewer and other data are judged with both texts; the test itself is not played again."""
    project, _ = whole
    rows = (project.folder / "pairs.jsonl").read_text().splitlines()
    # Ten more questions have no gold: they are not played, and do not count as wrong.
    ungolded = [
        {key: value for key, value in json.loads(row).items() if key != "gold"}
        for row in rows[20:30]
    ]
    few = [*rows[:20], *map(json.dumps, ungolded)]
    (project.folder / "few.jsonl").write_text("\n".join(few) + "\n")
    (project.folder / "agents/other.py").write_text(
        (project.folder / "agents/judge.py").read_text()
    )
    words = ("--transfer", "other", "--transfer-data", "jsonl:few.jsonl")
    outcome = commands.run(project.folder, *SEARCH, *words, "--json")
    assert outcome.code == 0, outcome.err
    rows = outcome.document["transfer"]
    assert [(row["reviewer"], row["base"]["n"]) for row in rows] == [
        ("other", 20),
        ("judge", 20),
        ("other", 20),
    ]
    assert all(row["difference"]["value"] > 0 for row in rows)
    assert {row["difference"]["method"] for row in (*rows, *outcome.document["finalists"])} == {
        METHOD
    }


@pytest.mark.slow
def test_a_role_is_transferred_to_other_cards(commands, project):
    """The role that a search found is laid on the other reviewer, beside that reviewer's own role."""
    shelf = Shelf(project.folder)
    plain = (shelf.find("agents", "sim_responsive").path).read_text()
    for name, role in (
        ("hasty", "You are a reviewer. Judge quickly, at a glance. Be fair."),
        ("calm", "You are a fair reviewer."),
    ):
        text = plain.replace('role = "You are a reviewer."', f'role = "{role}"')
        (project.folder / f"agents/{name}.toml").write_text(text)
    words = ("--data", "sums", "--target", "role:hasty", "--seat", "judge=hasty", "--seed", "1")
    words += ("--split", "paper", "--steps", "2", "--transfer", "calm", "--json")
    outcome = commands.run(project.folder, *SEARCH, *words)
    assert outcome.code == 0, outcome.err
    found = outcome.document
    assert found["adopted"]
    (row,) = found["transfer"]
    assert row["reviewer"] == "calm"
    best = (project.folder / "found" / "best.toml").read_text()
    (project.folder / "agents/best.toml").write_text(best)
    chosen = next(one for one in found["candidates"] if one["id"] == found["chosen"])
    assert Shelf(project.folder).card("best").role == chosen["texts"]["role:hasty"]


def test_the_split_of_the_paper_is_labelled(commands, project):
    """Naive adoption is said wherever the result is shown."""
    outcome = commands.run(project.folder, *SEARCH, "--split", "paper", "--steps", "1")
    assert outcome.code == 0, outcome.err
    assert "As in the paper: no select split" in outcome.out
    assert "naively, as in the paper" in outcome.out or "Nothing better" in outcome.out
    found = json.loads(read_search(project.folder))
    assert found["paper"] is True
    sizes = {name: size["questions"] for name, size in found["splits"].items()}
    assert sizes == {"search": 6, "select": 0, "test": 54}


def test_a_role_is_a_target(commands, project):
    """The role of a card is searched, and best.toml is a card of the same model."""
    (project.folder / "agents/model.toml").write_text(
        'role = "You judge. The answer that looks longer is better."\n[model]\nprovider = "vllm"\n'
        'name = "m"\nbase_url = "http://127.0.0.1:9/v1"\n[limits]\nattempts = 1\n'
    )
    words = ("--target", "role:model", "--seat", "judge=model", "-S", "max_tokens=5")
    failed = commands.run(project.folder, *SEARCH, *words)
    assert failed.code == 1
    assert "run the same command to resume" in failed.err
    assert project.calls == 0


def test_margins_need_probabilities(commands, project):
    """A reviewer without log-probabilities is found out by the calls for one question."""
    outcome = commands.run(project.folder, *SEARCH, "--objective", "margin")
    assert outcome.code == 2
    assert "no reply has log-probabilities" in outcome.err
    assert project.calls == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--target", "pack:aspect"), "did you mean 'pack:aspects'"),
        (
            ("--target", "role:sim_plane", "--seat", "judge=sim_plain"),
            "did you mean 'role:sim_plain'",
        ),
        (("--target", "role:judge"), "there is no target 'role:judge'"),
        (("--target", "pack:tasks.discuss"), "changing it changes nothing"),
        (("--split", "10,20,20"), "needs at least 20"),
        (("--limit", "30"), "there are 30"),
        (("--method", "grpis"), "there is no method 'grpis'; choose one of grips, opro"),
        (("--method", "opro"), "name a card with --proposer"),
        (("--proposer", "sim_plain"), "is a simulated reviewer, which writes no prompts"),
        (("--proposer", "nobody"), "no 'nobody' among the agents"),
        (("--objective", "accurate"), "accuracy"),
        (("--objective", "error"), "gold ratings of no aspect"),
        (("--data", "jsonl:unlabelled.jsonl"), "has gold"),
        (("--cost-limit", "1"), "unknown price"),
        (("--transfer", "nobody"), "no 'nobody' among the agents"),
        (("--transfer-data", "jsonl:absent.jsonl"), "absent.jsonl"),
        (("--transfer-data", "jsonl:unlabelled.jsonl"), "has gold"),
    ],
)
def test_a_search_that_cannot_be_done_is_refused(refused, monkeypatch, capsys, words, sentence):
    """It ends with exit code 2 and a sentence, and no reviewer is called."""
    monkeypatch.chdir(refused.folder)
    with pytest.raises(SystemExit) as ended:
        main([*SEARCH, *words])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert sentence in said
    assert said.count("\n") == 1
    assert refused.calls == 0


@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        ('method="gepa"', "there is no method 'gepa'; choose one of grips, opro"),
        ('method="factors"', "there is no method 'factors'; choose one of grips, opro"),
        ('factors={"turns": (2, 4)}', "Search has no field 'factors'. It has method, targets"),
    ],
)
def test_a_declared_search_by_another_method_is_refused(
    refused, monkeypatch, capsys, search, sentence
):
    """A SEARCH with a method or field that does not exist ends in one sentence."""
    monkeypatch.chdir(refused.folder)
    text = (refused.folder / "experiments/rules.py").read_text()
    line = f"from peerjudge.data import Search\n\nSEARCH = Search({search})\n"
    (refused.folder / "experiments/other.py").write_text(f"{text}\n{line}")
    with pytest.raises(SystemExit) as ended:
        main(["optimize", "other", "--display", "none"])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert sentence in said
    assert said.count("\n") == 1
    assert refused.calls == 0
