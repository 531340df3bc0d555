"""The output-sequencing paper beside a run: forms, rules, and coherence of summaries against experts."""

from __future__ import annotations

import json

import pytest

import peerjudge as pj
from peerjudge.data import Condition, Experiment
from peerjudge.errors import DataError


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """The values of the paper beside those of both judges on three sets in two trials, by name."""
    folder = tmp_path_factory.mktemp("forms") / "r"
    run = pj.run_sync("sequencing", limit=3, settings={"repetitions": "2"}, out=folder)
    levels = {row["name"]: row for row in pj.score(run).document()["rated"]}
    return pj.reproduce("sequencing", run), levels


def _cells(found, item: str) -> dict[str, dict[str, object]]:
    return {cell["name"]: cell for cell in found.document()["cells"] if cell["item"] == item}


def test_forms_of_the_paper_are_found_in_a_run(forms):
    """Each value of Table 2 is that of the condition with this form, judge and the special rules."""
    found, levels = forms
    cells = _cells(found, "Table 2")
    assert len(cells) == 14
    assert cells["mean, ex (rs), gpt-3.5-turbo-0613"]["published"] == 6.09
    for form, model, judge in (
        ("ex (s)", "gpt-3.5-turbo-0613", "gpt35"),
        ("json (rs)", "gpt-4-0613", "gpt4"),
    ):
        level = levels[f"{form}, {judge}"]
        assert cells[f"mean, {form}, {model}"]["ours"] == pytest.approx(level["mean"]["value"])
    deviation = cells["standard deviation, json (sr), gpt-3.5-turbo-0613"]
    assert deviation["ours"] == pytest.approx(levels["json (sr), gpt35"]["sd"])
    assert {cell["inside"] for cell in cells.values()} == {None}


def test_figure_3_leaves_out_the_special_rules(forms):
    """The figures have the same forms with and without rules; a model without a judge stays empty."""
    found, levels = forms
    for item, rest in (("Figure 1", ""), ("Figure 3", ", no rules")):
        cells = _cells(found, item)
        assert sum(cell["ours"] is not None for cell in cells.values()) == 12
        ours = cells["json (s), gpt-4-0613"]["ours"]
        assert ours == pytest.approx(levels[f"json (s), gpt4{rest}"]["mean"]["value"])
    printed = str(found)
    assert "Lost in the text that we have" in printed
    assert "ours are of 3 sets" in printed


def test_coherence_is_held_against_the_experts_of_the_data(tmp_path):
    """Table 4 and section 3.1 come from a run on rated summaries; two judges in one form give none."""
    rows = (
        {"question": f"Article {n}.", "answer_1": f"Summary {n}.", "gold_coherence": 1 + n % 5}
        for n in range(12)
    )
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)))

    def play(*judges: str, other: str = ""):
        conditions = tuple(
            Condition(
                name=f"{order} {judge}",
                protocol="score_reasons",
                seats=(other if other and order == "score_reasons" else judge,),
                options={"order": order},
            )
            for order in ("score_reasons", "reasons_score")
            for judge in judges
        )
        data = f"jsonl:{tmp_path / 's.jsonl'}"
        experiment = Experiment(
            name="sums", data=data, prompts="summary_coherence", conditions=conditions
        )
        return pj.run_sync(experiment, out=tmp_path / "-".join([*judges, other]))

    found = play("sim_solid")
    (own, _) = pj.score(found).document()["correlations"][::-1]
    beside = pj.reproduce("sequencing", found)
    cells = _cells(beside, "Table 4")
    assert own["condition"] == "reasons_score sim_solid"
    assert cells["init(json(rs)), Pearson"]["ours"] == pytest.approx(own["pearson"]["value"])
    error = cells["init(json(rs)), mean absolute error"]
    assert error["ours"] == pytest.approx(own["mean_error"]["value"])
    assert cells["optimised, +OPRO, Kendall"]["ours"] is None
    means = _cells(beside, "Section 3.1")
    assert all(cell["ours"] is not None for cell in means.values())
    mixed = _cells(pj.reproduce("sequencing", play("sim_solid", other="sim_weak")), "Section 3.1")
    assert all(cell["ours"] is None for cell in mixed.values())
    assert all("there are sim_solid, sim_weak" in cell["note"] for cell in mixed.values())
    with pytest.raises(DataError, match="gives nothing of Output sequencing"):
        pj.reproduce("sequencing", play("sim_solid", "sim_weak"))
