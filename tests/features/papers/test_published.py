"""Printed figures are consistent, and are shown beside the runs that they belong to."""

from __future__ import annotations

import dataclasses

import pytest

from peerjudge.analysis.collecting import collect_transcripts
from peerjudge.analysis.published import Played, describe_conditions, match_published
from peerjudge.analysis.scoring import score_ballots
from peerjudge.data import Question, Sampling, Verdict, replace
from peerjudge.errors import DataError
from peerjudge.features.papers.reading import read_published_tables
from peerjudge.testing import comparison_of, seats_of, transcript_of

SUBSETS = ("Natural", "Neighbor", "GPTInst", "GPTOut", "Manual")


def _run(protocols=("pairwise", "prepair"), reviewer="sim_llmbar_gpt35", subsets=SUBSETS):
    """Return scores of a lone judge that is right on every subset but Manual, by protocol."""
    (seat,) = seats_of(1)
    told = []
    for number, subset in enumerate(subsets):
        category = "Natural" if subset == "Natural" else "Adversarial"
        comparison = replace(
            comparison_of(2, name=f"c{number}"),
            gold=Verdict.of("answer-1"),
            subset=subset,
            question=Question(id=f"c{number}", text="Why?", category=category),
        )
        said = transcript_of(
            "2" if subset == "Manual" else "1",
            comparison=comparison,
            seats=(replace(seat, reviewer=reviewer),),
        )
        told += [replace(said, condition=name, protocol=name) for name in protocols]
    return score_ballots(collect_transcripts(told, name="run"), by="subset")


@pytest.mark.parametrize(
    ("name", "lines", "rounded"),
    # Lines whose total is printed 0.01 off what its subsets add up to.
    [
        ("Table 4", 35, 4),
        ("Table 5", 3, 0),
        ("Table 6", 11, 1),
        ("Table 7", 3, 1),
        ("Table 8", 5, 1),
    ],
)
def test_printed_figures_are_whole_instances_and_add_up(name, lines, rounded):
    """Every cell of PRePair's tables of LLMBar is k of n, and the total is the sum of its four subsets."""
    (table,) = (one for one in read_published_tables("prepair") if one.name == name)
    assert len(table.lines) == lines
    off = 0
    for line in table.lines:
        right = {name: share * table.items[name] for name, share in line.values.items()}
        assert all(abs(count - round(count)) < 0.03 for count in right.values()), line
        total = sum(round(right[name]) for name in SUBSETS[1:])
        assert total == round(right["Adversarial"])
        off += round(total / table.items["Adversarial"], 4) != line.values["Adversarial"]
    assert off == rounded


def test_every_line_is_of_a_known_setting_and_method():
    """Tables name only settings and methods that they declare, once each."""
    for table in read_published_tables("prepair"):
        keys = [(line.setting, line.protocol) for line in table.lines]
        assert len(keys) == len(set(keys))
        assert {setting for setting, _ in keys} <= set(table.settings)
        assert {protocol for _, protocol in keys} <= set(table.methods)
        assert all(set(line.values) <= set(table.items) for line in table.lines)


@pytest.mark.parametrize(
    ("reviewer", "setting"),
    [
        ("sim_llmbar_gpt35", "gpt-3.5-turbo"),
        ("gpt_4", "gpt-4"),
        ("gpt_4o", "gpt-4o"),
        ("my-GPT-4o-mini-judge", "gpt-4o-mini"),
        ("claude_sonnet", "claude-3-haiku"),
        ("vllm_local", None),
    ],
)
def test_a_reviewer_stands_beside_the_evaluator_it_is_named_after(reviewer, setting):
    """The longest fitting name decides; a reviewer named after none stands alone."""
    table, rows = match_published(_run(reviewer=reviewer), read_published_tables("prepair"))
    found = {line.setting if line else None for _, _, line in rows}
    # Claude was not rated pointwise, and this run did not either.
    assert found == {setting}
    assert table.name == "Table 4"


@pytest.mark.parametrize(
    ("played", "table", "adversarial"),
    [
        (Played(method="prepair"), "Table 4", 0.5423),
        (Played(method="prepair", temperature=0.7), "Table 4", 0.5706),
        (Played(method="prepair", temperature=1.0), "Table 4", 0.5423),
        (Played(method="prepair", prompts="long_form"), "Table 4", 0.5423),
        (Played(method="prepair", prompts="instruction_following_paraphrased"), "Table 8", 0.5988),
        (Played(method="self_metrics:prepair", temperature=0.0), "Table 5", 0.5831),
    ],
)
def test_figures_are_those_of_the_prompts_and_the_temperature(played, table, adversarial):
    """Paraphrased prompts, metrics of its own and temperature 0.7 have figures of their own."""
    tables = read_published_tables("prepair")
    found, ((_, _, line),) = match_published(_run(("prepair",)), tables, played={"prepair": played})
    assert (found.name, line.table, line.values["Adversarial"]) == (table, table, adversarial)


def test_a_method_that_was_not_printed_at_a_temperature_stands_alone():
    """At temperature 0.7 no rating was printed, and those at 0 are no substitute."""
    warm = Played(method="pointwise", temperature=0.7)
    _, rows = match_published(
        _run(("pointwise",)), read_published_tables("prepair"), played={"pointwise": warm}
    )
    assert [line for _, _, line in rows] == [None]


def test_a_run_says_how_it_was_played():
    """Method, prompts and temperature of a condition come from its discussions."""
    (seat,) = seats_of(1)
    seat = replace(seat, sampling=Sampling(temperature=0.7))
    told = replace(
        transcript_of("1", seats=(seat,)),
        condition="own",
        protocol="self_metrics",
        prompts="prometheus",
        options={"ties": False, "then": "prepair"},
    )
    assert describe_conditions(collect_transcripts([told], name="run")) == {
        "own": Played(method="self_metrics:prepair", prompts="prometheus", temperature=0.7)
    }


def test_rows_are_methods_in_the_order_of_the_paper():
    """One row per method, with what was printed for it; a chosen evaluator overrides the names."""
    scores = _run(("prepair", "pointwise"))
    _, rows = match_published(scores, read_published_tables("prepair"))
    assert [method for _, method, _ in rows] == ["Pointwise", "w/ PRePair"]
    assert rows[1][2].values["Adversarial"] == 0.5423
    assert rows[1][0].groups["Adversarial"].accuracy.value == 0.75
    _, rows = match_published(scores, read_published_tables("prepair"), setting="gpt-4")
    assert rows[1][2].values["Adversarial"] == 0.8088


def test_a_run_without_printed_figures_is_an_error():
    """Other groups, an unknown evaluator, another publication and other protocols are refused."""
    tables = read_published_tables("prepair")
    with pytest.raises(DataError, match="no table by category; use --by labeler or --by subset"):
        match_published(dataclasses.replace(_run(), by="category"), tables)
    with pytest.raises(DataError, match=r"no evaluator 'gpt-5'; it has gpt-3\.5-turbo"):
        match_published(_run(), tables, setting="gpt-5")
    with pytest.raises(DataError, match="no published figures 'prd'; choose one of prepair"):
        read_published_tables("prd")
    with pytest.raises(DataError, match="no condition has a protocol of PRePair"):
        match_published(_run(("panel",)), tables)
