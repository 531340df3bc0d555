"""`show`, `new` and `init`: a project of one's own begins with files that work."""

from __future__ import annotations

import tomllib

import pytest


@pytest.fixture(scope="module")
def project(new_shell):
    """A shell in a new project."""
    shell = new_shell()
    assert shell("init", "study").code == 0
    shell.folder /= "study"
    return shell


def test_a_new_project_is_checked_and_run(project):
    """The experiment of `init` judges its table with its card and its prompts, as the commands say."""
    assert project("check").code == 0
    estimate = project("run", "my_study", "--dry-run", "--json").document
    assert estimate["comparisons"] == 2
    assert {seat for one in estimate["conditions"] for seat in one["seats"]} == {"my_model"}
    shown = project("show", "prompt", "my_study", "--condition", "alone", "--json").document
    assert "Why is the sky blue?" in shown[0]["messages"][1]["text"]
    done = project("run", "my_study", "--seat", "judge=sim_solid", "--json")
    assert done.code == 0
    assert done.document["discussions"] == {**done.document["discussions"], "failed": 0}
    # Every other file is part of it.
    assert project("plan", "my_study", "--seat", "judge=sim_solid", "--studies", "20").code == 0
    assert project("init", ".").code == 2


def test_a_new_pack_shows_what_it_changed(project):
    """`--diff` has the changed lines alone, `--resolved` the whole pack."""
    path = project.folder / "protocols" / "prompts" / "my_prompts.toml"
    path.write_text(path.read_text() + 'aspects = ["Be right."]\n')
    changes = project("show", "prompts", "my_prompts", "--diff").out.splitlines()
    assert '+    "Be right.",' in changes
    assert not any("[tasks]" in line for line in changes)
    assert "[tasks]" in project("show", "prompts", "my_prompts", "--resolved").out


@pytest.mark.parametrize(
    ("source", "form"),
    [
        *(("gpt_4o", "schema"), ("claude_sonnet", "schema"), ("llama_local", "schema")),
        *(("vllm_local", "schema"), ("sim_solid", "")),
    ],
)
def test_a_new_card_asks_for_a_verdict_bound_by_a_schema(project, source, form):
    """A card of a model service has the form `schema`, which quotes nothing; the built-in ones have none."""
    assert project("new", "agents", f"own_{source}", "--from", source).code == 0
    path = project.folder / "agents" / f"own_{source}.toml"
    made, built_in = tomllib.loads(path.read_text()), project("show", "agents", source).out
    assert made.get("form", "") == form
    assert {**made, "form": ""} == {**tomllib.loads(built_in), "form": ""}
    assert project("check").code == 0


def test_any_item_is_shown_as_it_was_written(project):
    """`show` prints the file."""
    shown = project("show", "agents", "my_model").out
    assert shown.rstrip() == (project.folder / "agents" / "my_model.toml").read_text().rstrip()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("new", "agents", "my-model"), "no name for a shelf file"),
        (("new", "agents", "class"), "'class' cannot name a reviewer: use at most 64 letters"),
        (("new", "agents", "my_model"), "exists; choose another name"),
        (("new", "agents", "other", "--from", "gpt_4"), "did you mean 'gpt_4o'"),
        (("show", "prompts", "long_from"), "did you mean 'long_form'"),
        (("show", "agents", "my_model", "--resolved"), "--resolved is for prompt packs"),
        (("show", "agents", "my_model", "--diff"), "there is nothing to compare"),
        (("show", "agents", "my_model", "--diff", "--resolved"), "cannot be combined"),
    ],
)
def test_a_mistake_gets_a_sentence(project, words, sentence):
    """Exit code 2; no file is written."""
    before = sorted(project.folder.rglob("*"))
    done = project(*words)
    assert done.code == 2
    assert sentence in " ".join(done.err.split())
    assert sorted(project.folder.rglob("*")) == before
