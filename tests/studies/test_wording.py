"""Factorial study of the wording: its design, its packs, and the effects that it measures."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from peerjudge.analysis import collect_transcripts
from peerjudge.data import (
    Cue,
    Review,
    Seat,
    TokenLogprob,
    Transcript,
    Turn,
    Utterance,
    Verdict,
    replace,
)
from peerjudge.prompts import read_pack, render
from peerjudge.runs import prepare
from peerjudge.shelf import Shelf
from peerjudge.testing import comparison_of, transcript_of
from studies.wording.effects import MEASURES, measure_effects, measure_wordings
from studies.wording.factors import FACTORS, build_pack, build_signs, list_cells
from studies.wording.forms import average, compare_forms, measure_forms, write_forms
from studies.wording.project import dump_pack, write_project

BIAS = {"labels": 0.8, "fence": -0.4, "form": 0.2}
SIGNAL = {"rules": 0.6, "place": 0.3}
CELLS = list_cells(folded=True)


@pytest.mark.parametrize("folded", [False, True])
def test_factors_are_balanced_and_independent(*, folded: bool):
    """Each level occurs in half of the cells, and any two factors are uncorrelated."""
    cells = list_cells(folded=folded)
    signs = build_signs(cells)
    assert len({cell.name for cell in cells}) == len(cells) == (16 if folded else 8)
    assert (signs.sum(axis=1) == 0).all()
    assert (signs @ signs.T == len(cells) * np.eye(len(FACTORS))).all()


def test_sixteen_cells_separate_effects_from_interactions_of_two():
    """In the folded design no factor is mixed with the product of two others."""
    signs = build_signs(CELLS)
    for one, other in combinations(range(len(FACTORS)), 2):
        assert not (signs @ (signs[one] * signs[other])).any()


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_every_cell_is_a_pack_that_asks_for_one_verdict(cell):
    """Each pack is valid TOML, shows question and answers, and asks for one verdict."""
    pack = read_pack(cell.name, dump_pack(build_pack(cell)))
    pair = comparison_of(2)
    cue = Cue(seat="s", task="review", sees=pair.shown, private=True)
    system, user = render(
        pack, seats=(Seat(id="s", reviewer="r"),), comparison=pair, turns=(), cue=cue
    )
    for text in (pair.question.text, *(answer.text for answer in pair.answers)):
        assert user.text.count(text) == 1
    assert ("1 or 2" in user.text) == (cell.level("labels") == "numbers")
    assert ("the mark" in system.text) == (cell.level("fence") == "marks")
    order = user.text.index(pair.question.text) < user.text.index("Rules, most important first")
    assert order == (cell.level("place") == "before")


def test_the_project_is_played_by_the_command_line_as_it_is(tmp_path):
    """The written experiment has one condition per cell, each with a pack of the project."""
    path = write_project(tmp_path, data="sample", url="http://127.0.0.1:9/v1", model="m")
    experiment = Shelf(project=tmp_path).experiment(path)
    prepared = prepare(experiment, limit=1, shelf=Shelf(project=tmp_path))
    names = [cell.name for cell in list_cells()]
    assert [one.name for one in experiment.conditions] == names
    assert {head.condition for head in prepared.plan} == set(names)


def test_planted_effects_come_back():
    """Effects on the preference for a place are found exactly, those on the margin by their sign."""
    ballots = collect_transcripts(
        [told(cell, name, swap=swap) for cell in CELLS for name in "abc" for swap in (False, True)],
        name="run",
    )
    measured = measure_wordings(ballots)
    assert not np.isnan(measured.values).any()
    for effect in measure_effects(measured, folded=True):
        if effect.measure == "bias":
            assert effect.estimate == pytest.approx(BIAS.get(effect.factor, 0.0), abs=1e-5)
        if effect.measure == "margin":
            assert (effect.estimate > 0.01) == (effect.factor in SIGNAL)
        assert effect.pairs == 3


def test_a_pair_in_one_order_is_left_out():
    """Without both orders a preference for a place cannot be told from a preference for an answer."""
    whole = [told(CELLS[0], "a", swap=swap) for swap in (False, True)]
    measured = measure_wordings(collect_transcripts([*whole, told(CELLS[0], "b")], name="run"))
    values = dict(zip(measured.pairs, measured.of(CELLS[0].name).T, strict=True))
    assert np.isnan(values["b"]).all()
    assert len(values["a"]) == len(MEASURES)
    assert not np.isnan(values["a"]).any()


def told(cell, name: str, *, swap: bool = False) -> Transcript:
    """A bare verdict whose log-odds follow from the planted effects of the cell's levels."""
    levels = dict(zip(FACTORS, cell.levels, strict=True))
    bias = sum(size * level for factor, level in levels.items() if (size := BIAS.get(factor)))
    signal = sum(size * level for factor, level in levels.items() if (size := SIGNAL.get(factor)))
    pair = comparison_of(2, gold=1, name=name)
    shown = pair.swapped() if swap else pair
    odds = bias + (-signal if swap else signal)
    first = 1 / (1 + math.exp(-odds))
    top = (("1", math.log(first)), ("2", math.log1p(-first)))
    token = TokenLogprob(token="1", logprob=top[0][1], top=top)
    one = transcript_of("1", comparison=shown, condition=cell.name)
    turns = tuple(
        replace(turn, utterance=replace(turn.utterance, text="1", logprobs=(token,)))
        for turn in one.turns
    )
    return replace(one, turns=turns)


def test_forms_are_measured_on_pairs_judged_in_both_orders(tmp_path):
    """A form that names the gold answer in both orders is right, consistent and readable at once."""
    path = write_forms(tmp_path, data="sample", url="http://127.0.0.1:9/v1", model="m")
    prepared = prepare(path, limit=1, shelf=Shelf(tmp_path))
    heads = list(prepared.plan)
    assert len(heads) == 6
    played = []
    for head in heads:
        gold = head.comparison.gold.choice
        cue = Cue(seat="s", task="review_explained", sees=head.comparison.shown)
        asked = head.condition == "two_step"
        said = Utterance(text="x")
        rule = "asked: last-line name" if asked else "last-line label"
        review = Review(verdict=Verdict.of(gold), rule=rule)
        turn = Turn(index=0, cue=cue, utterance=said, review=review, asked=said if asked else None)
        played.append(replace(head, turns=(turn,)))
    measured = measure_forms(played)
    for form, rows in measured.items():
        assert average(rows, "accuracy")[0] == average(rows, "same")[0] == 1
        assert average(rows, "at_once")[0] == (form != "two_step")
        assert average(rows, "readable")[0] == 1
    at_once = compare_forms(measured["line"], measured["two_step"])[4]
    assert (at_once.measure, at_once.estimate, at_once.pairs) == ("at_once", 1, 1)
