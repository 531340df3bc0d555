"""The recipes of docs/recipes.md that analyse the frame of ballots with other packages."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import peerjudge as pj

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recipes.md"


def run_recipe(heading: str) -> dict[str, object]:
    """Run the program below a heading in the working directory, and return its names."""
    section = PAGE.read_text("utf-8").split(f"## {heading}\n")[1]
    names: dict[str, object] = {}
    exec(re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[0], names)
    return names


def test_one_model_measures_ability_and_position_of_simulated_reviewers(
    tmp_path, monkeypatch, capsys
):
    """In private verdicts of the quickstart the abler reviewer chooses gold more, length being equal."""
    pytest.importorskip("statsmodels", reason="pip install statsmodels")
    monkeypatch.chdir(tmp_path)
    pj.run_sync("quickstart", limit=24, out="study")
    fit = run_recipe("Models of verdicts: statsmodels")["fit"]
    able, weak = (
        fit.params[f"gold_first:C(reviewer)[{name}]"] for name in ("sim_strong", "sim_weak")
    )
    assert able > weak + 1
    assert "longer" in fit.params
    assert "chose_first" in capsys.readouterr().out


@pytest.mark.filterwarnings("default")
def test_errors_of_people_are_estimated_from_their_votes(tmp_path, monkeypatch, capsys):
    """Of three people, the one who errs in 35 % of the votes is estimated to err more than the best one."""
    pytest.importorskip("crowdkit", reason="pip install crowd-kit")
    monkeypatch.chdir(tmp_path)
    random = Random(1)
    lines = ["question,answer_a,answer_b,gold,annotator"]
    for number in range(200):
        for who, errs in (("ann", 0.1), ("bob", 0.15), ("cem", 0.35)):
            gold = "ab"[(number % 2 == 0) ^ (random.random() < errs)]
            lines.append(f"Question {number}?,yes {number},no {number},{gold},{who}")
    Path("pairs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    model = run_recipe("Votes that disagree: crowd-kit")["model"]
    right = {who: model.errors_.loc[(who, "a"), "a"] for who in ("ann", "cem")}
    assert right["ann"] > right["cem"] + 0.1
