"""`peerjudge reproduce prepair`: accuracies of methods beside PRePair's, from runs and recorded verdicts."""

import tomllib
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.data import Question, Sampling, Verdict, replace
from peerjudge.errors import DataError
from peerjudge.features.papers import reading as papers
from peerjudge.features.papers.reading import read_paper
from peerjudge.testing import comparison_of, seats_of, transcript_of

SUBSETS = {"Natural": 4, "Neighbor": 2, "GPTInst": 2, "GPTOut": 2, "Manual": 2}


def play(protocol, *, reviewer="sim_llmbar_gpt35", wrong=("Manual",), condition="", **more):
    """Discussions of a lone judge that errs on these subsets and on the second pair of Natural."""
    (seat,) = seats_of(1)
    seat = replace(
        seat, reviewer=reviewer, sampling=Sampling(temperature=more.pop("temperature", 0.0))
    )
    for subset, size in SUBSETS.items():
        for number in range(size):
            name = f"{subset}-{number}"
            category = "Natural" if subset == "Natural" else "Adversarial"
            comparison = replace(
                comparison_of(2, name=name),
                gold=Verdict.of("answer-1"),
                subset=subset,
                question=Question(id=name, text="Why?", category=category),
            )
            missed = subset in wrong or name == "Natural-1"
            said = transcript_of("2" if missed else "1", comparison=comparison, seats=(seat,))
            yield replace(said, condition=condition or protocol, protocol=protocol, **more)


def find(source, **more):
    """The cells of PRePair from a source, by item and name."""
    document = pj.reproduce("prepair", list(source), **more).document()
    return {(cell["item"], cell["name"]): cell for cell in document["cells"]}


def test_accuracies_stand_in_every_table_that_prints_them():
    """The four subsets are pooled as in the paper, and Table 2 and Figure 1 have the same values."""
    cells = find(play("pairwise"))
    assert cells["Table 4", "gpt-3.5-turbo, Pairwise, Natural"]["ours"] == 0.75
    assert cells["Table 4", "gpt-3.5-turbo, Pairwise, Manual"]["ours"] == 0
    for item in ("Table 4", "Table 2", "Figure 1"):
        cell = cells[item, "gpt-3.5-turbo, Pairwise, Adversarial"]
        assert (cell["published"], cell["ours"]) == (0.3605, 0.75)
        assert cell["low"] < 0.75 < cell["high"]
    given = {item for item, cell in cells.items() if cell["ours"] is not None}
    assert len(given) == 6 + 2


PLAYED = {
    "temperature 0.7": ({"temperature": 0.7}, "Table 4", "gpt-3.5-turbo@0.7, w/ PRePair"),
    "paraphrased": (
        {"prompts": "instruction_following_paraphrased"},
        "Table 8",
        "gpt-3.5-turbo, w/ PRePair",
    ),
    "own metrics": (
        {"protocol": "self_metrics", "options": {"then": "prepair"}},
        "Table 5",
        "gpt-3.5-turbo, Own metrics, w/ PRePair",
    ),
    "Prometheus": (
        {"prompts": "prometheus", "reviewer": "my_prometheus"},
        "Table 7",
        "prometheus-2-7b, w/ PRePair",
    ),
    "an open model": ({"reviewer": "llama_3_8b"}, "Table 6", "llama-3-8b, w/ PRePair"),
    "pros and cons": (
        {"protocol": "pros_cons"},
        "Section 3.2",
        "gpt-3.5-turbo, w/ pros and cons",
    ),
}


@pytest.mark.parametrize("played", PLAYED)
def test_a_condition_belongs_to_the_table_of_its_prompts_and_temperature(played):
    """Method, prompts, evaluator and temperature choose the table; no other table has the value."""
    settings, item, name = PLAYED[played]
    cells = find(play(**{"protocol": "prepair", **settings}))
    given = {key for key, cell in cells.items() if cell["ours"] is not None}
    assert (item, f"{name}, Adversarial") in given
    assert {key[0] for key in given} == {item}


def test_an_unreadable_verdict_is_wrong():
    """The paper's shares are over all instances, so ours are as well."""
    (first, *others) = play("pairwise", wrong=())
    lost = transcript_of("?", comparison=first.comparison, seats=first.seats)
    lost = replace(lost, condition="pairwise", protocol="pairwise")
    cells = find([lost, *others])
    assert cells["Table 4", "gpt-3.5-turbo, Pairwise, Natural"]["ours"] == 0.5


def test_two_conditions_for_one_value_leave_it_out_and_are_named():
    """A value is not chosen among several; the other values stand."""
    runs = [
        *play("pairwise", condition="first"),
        *play("pairwise", condition="second"),
        *play("prepair"),
    ]
    cells = find(runs)
    lost = cells["Table 4", "gpt-3.5-turbo, Pairwise, Natural"]
    assert lost["ours"] is None
    assert "first by sim_llmbar_gpt35, second by sim_llmbar_gpt35" in lost["note"]
    assert cells["Table 4", "gpt-3.5-turbo, w/ PRePair, Natural"]["ours"] == 0.75


def test_a_reviewer_stands_for_the_evaluator_it_is_said_to_be():
    """Without a name or seat that says it, `--as` does, and the message has the option to add."""
    cells = find(play("pairwise", reviewer="mine"), stand_ins={"mine": "gpt-4o"})
    assert cells["Table 2", "gpt-4o, Pairwise, Adversarial"]["ours"] == 0.75
    with pytest.raises(DataError, match="add --as mine=MODEL, with MODEL one of"):
        find(play("pairwise", reviewer="mine"))


@pytest.mark.slow
def test_recorded_verdicts_give_two_methods(shell, verdicts):
    """GPT-4 and LLaMA2 as LLMBar recorded them, which the paper did not count: few values are equal."""
    outcome = shell("reproduce", "prepair", verdicts("llmbar"), "--json")
    assert outcome.code == 0, outcome.err
    given = [cell for cell in outcome.document["cells"] if cell["ours"] is not None]
    assert len(given) == 1 + 2 + 12 + 10
    assert {(cell["inside"], cell["origin"]) for cell in given} == {(None, "recorded")}
    assert all("are LLMBar's, not those of the paper" in cell["note"] for cell in given)
    rows = {tuple(cell["name"].split(", ")[:2]) for cell in given}
    assert {evaluator for evaluator, _ in rows} == {"gpt-4", "llama-2-70b-chat"}
    assert {method for _, method in rows} == {"Pairwise", "w/ CoT"}
    missing = {item["name"]: item["missing"] for item in outcome.document["items"]}
    assert "peerjudge run prepair_mtbench" in missing["Table 3"]
    assert "then=pairwise" in missing["Table 5"]


def test_no_printed_value_stands_twice():
    """Table 2 and Figure 1 have no values of their own, and Table 6 shares those of Llama-3.1."""
    file = Path(papers.__file__).parent / "tables" / "prepair.toml"
    own = {one["name"]: one.get("grids", []) for one in tomllib.loads(file.read_text())["items"]}
    assert (own["Table 2"], own["Figure 1"]) == ([], [])
    items = {item.name: item for item in read_paper("prepair").items}
    main = {cell.key: cell for cell in items["Table 4"].cells}
    assert len(items["Table 2"].cells) == 29
    assert all(main[cell.key] is cell for cell in items["Table 2"].cells)
    shared = [cell for cell in items["Table 6"].cells if main.get(cell.key) is cell]
    assert {cell.key[:2] for cell in shared} == {
        ("llama-3.1-8b", "w/ CoT"),
        ("llama-3.1-8b", "w/ PRePair"),
    }
