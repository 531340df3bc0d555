"""Answers of contestants: the questions they get, the tables they become, and what a simulation invents."""

from __future__ import annotations

import gzip
import json
from itertools import combinations
from pathlib import Path
from statistics import NormalDist, fmean

import pytest

from peerjudge import answers
from peerjudge.data import (
    Answer,
    Card,
    Comparison,
    Condition,
    Experiment,
    Question,
    ReviewerKind,
    Verdict,
    replace,
)
from peerjudge.datasets import load
from peerjudge.errors import DataError, ExperimentError, ShelfError
from peerjudge.features.tournaments.plans import plan_answers
from peerjudge.features.tournaments.questions import read_questions
from peerjudge.runs import load as load_run, run
from peerjudge.shelf import Shelf
from peerjudge.simulation import find_answer_quality, find_latent
from peerjudge.simulation.writing import SKILL

THREE = ["sim_strong", "sim_solid", "sim_weak"]
ASKED = ["Why is the sky blue?", "What is rain?", "Who wrote Faust?"]


def test_questions_come_from_lines_tables_and_datasets(tmp_path: Path):
    """A text has one per line; tables have ids and categories; a dataset asks each question once."""
    (tmp_path / "q.txt").write_text("Why?\n\n  Who?  \n")
    rows = [{"id": 7, "text": "Why?", "category": "c"}, {"question": "Who?", "other": [1]}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "q.jsonl").write_text(lines)
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "q.csv").write_text('id,question,category\n7,"Why, then?",c\n8,Who?,\n')
    found = read_questions(str(tmp_path / "q.txt"))
    assert [one.text for one in found] == ["Why?", "Who?"]
    assert len({one.id for one in found}) == 2
    table = read_questions(str(tmp_path / "q.jsonl"))
    assert table == read_questions(str(tmp_path / "q.jsonl.gz"))
    assert table == (Question(id="7", text="Why?", category="c"), found[1])
    assert [one.text for one in read_questions(str(tmp_path / "q.csv"))] == ["Why, then?", "Who?"]
    sample = load("sample").comparisons
    asked = read_questions("sample")
    assert {one.id for one in asked} == {one.question.id for one in sample}
    assert read_questions("sample", limit=2) == asked[:2]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("q.txt", "\n \n", "has no questions"),
        ("q.txt", "Why?\nWho?\nWhy?\n", "line 3: question 'Why.' is also on line 1"),
        (
            "q.jsonl",
            '{"id": 1, "text": "A?"}\n{"id": "1", "text": "B?"}\n',
            "line 2: id '1' is also",
        ),
        ("q.jsonl", '{"id": 1, "text": "A?"}\n{"id": 2, "text": "A?"}\n', "'A.' is also on line 1"),
        ("q.jsonl", '{"text": " "}\n', "the question is empty"),
        ("q.jsonl", '{"query": "A?"}\n', "no 'question'"),
        ("q.csv", "question,id\n", "no records"),
    ],
)
def test_questions_that_cannot_be_asked_are_refused(tmp_path: Path, name, text, sentence):
    """File, line and cause are named."""
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=sentence):
        read_questions(str(tmp_path / name))


async def test_answers_become_pairs_and_single_answers(tmp_path: Path):
    """Every two contestants meet in every question, in the rows that `jsonl:` reads."""
    found = await answers(ASKED, by=THREE, out=tmp_path)
    assert found.complete
    pairs = load(found.files["pairs"])
    assert pairs.comparisons == found.dataset.comparisons
    met = {
        (one.question.text, *sorted(each.author for each in one.answers))
        for one in pairs.comparisons
    }
    assert met == {(text, *pair) for text in ASKED for pair in combinations(sorted(THREE), 2)}
    assert len(pairs.comparisons) == 9
    singles = load(found.files["answers"]).comparisons
    assert len(singles) == 9
    assert {len(one.answers) for one in singles} == {1}
    texts = {(one.question.text, one.answers[0].author): one.answers[0].text for one in singles}
    assert all(
        texts[one.question.text, each.author] == each.text
        for one in pairs.comparisons
        for each in one.answers
    )
    facts = found.pairs[0]["answers"][0]
    assert facts["card"] == facts["author"] == facts["model"]
    assert (facts["seed"], facts["draw"], facts["mark"], facts["simulated"]) == (0, 0, "", True)
    assert len(facts["prompt"]) == 32
    again = await answers(ASKED, by=THREE, out=tmp_path)
    assert again.rows == found.rows
    assert (again.writing.kept, again.calls.simulated) == (9, 0)
    assert "9 pairs of answers" in str(found)


async def test_no_contestant_is_shown_first_more_often(tmp_path: Path):
    """In protocols that show one order only, neither of two contestants has the better place."""
    found = await answers([f"Question {n}?" for n in range(80)], by=THREE[:2], out=tmp_path)
    first = [one.answers[0].author for one in found.dataset.comparisons]
    assert 25 < first.count("sim_strong") < 55


async def test_several_answers_by_each_contestant_meet_in_turn(tmp_path: Path):
    """The first answer of one meets the first of the other, the second the second."""
    found = await answers(ASKED[:1], by=THREE[:2], out=tmp_path, count=3)
    ids = [{each.id for each in one.answers} for one in found.dataset.comparisons]
    assert ids == [{f"sim_strong#{n}", f"sim_solid#{n}"} for n in (1, 2, 3)]
    assert len({row["id"] for row in found.rows}) == 6
    assert len({each.text for one in found.dataset.comparisons for each in one.answers}) == 6


async def test_equal_answers_are_no_pair(tmp_path: Path):
    """Two contestants with the same words have nothing to compare; a third meets each of them."""
    (tmp_path / "agents").mkdir()
    for name, reply in (("one", "42"), ("two", " 42\n"), ("three", "43")):
        (tmp_path / f"agents/{name}.py").write_text(
            f'"""Says a number."""\n\n\nasync def reviewer(request):\n    return {reply!r}\n'
        )
    found = await answers(
        ASKED[:1], by=["one", "two", "three"], out=tmp_path / "a", shelf=Shelf(tmp_path)
    )
    met = [{each.author for each in one.answers} for one in found.dataset.comparisons]
    assert met == [{"one", "three"}, {"two", "three"}]
    assert found.equal == 1


def test_contestants_are_two_or_more_different_cards(tmp_path: Path):
    """The name of a contestant is that of its card or the one the card gives."""
    shelf = Shelf(tmp_path)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/twin.toml").write_text('contestant = "sim_weak"\n[traits]\nability = 1\n')
    for by, kind, sentence in (
        (["sim_weak"], ExperimentError, "2 or more contestants; the cards are: sim_weak"),
        ([], ExperimentError, "the cards are: none"),
        (["sim_weak", "sim_weak"], ExperimentError, "'sim_weak' is named twice"),
        (["sim_weak", "twin"], ExperimentError, "are both the contestant 'sim_weak'"),
        (["sim_weak", "sim_strang"], ShelfError, "did you mean 'sim_strong'"),
    ):
        with pytest.raises(kind, match=sentence):
            plan_answers(ASKED, by=by, shelf=shelf)
    with pytest.raises(DataError, match="two questions have the id"):
        plan_answers(["A?", "A?"], by=THREE, shelf=shelf)
    with pytest.raises(ExperimentError, match="max_tokens is 1 or more, not 0"):
        plan_answers(ASKED, by=THREE, max_tokens=0, shelf=shelf)


def test_better_judges_write_better_answers_by_the_stated_amount():
    """The mean quality of a simulated answer is 4 for each unit of accuracy as a judge."""
    cards = {
        ability: Card(
            name=f"able_{ability}", kind=ReviewerKind.SIMULATED, traits={"ability": ability}
        )
        for ability in (0.0, 1.0)
    }
    drawn = {
        ability: [find_answer_quality(card, seed=3, draw=str(n)) for n in range(4000)]
        for ability, card in cards.items()
    }
    # A judge of ability 1 is right in 75 %, one of ability 0 in 50 %.
    assert fmean(drawn[1.0]) - fmean(drawn[0.0]) == pytest.approx(SKILL * 0.25, abs=0.06)
    wins = fmean(one > other for one, other in zip(drawn[1.0], drawn[0.0], strict=True))
    assert wins == pytest.approx(NormalDist().cdf(1.0), abs=0.03)
    failing = replace(cards[1.0], traits={"ability": 1.0, "refusal_rate": 1.0})
    lost = [find_answer_quality(failing, seed=3, draw=str(n)) for n in range(50)]
    assert lost == pytest.approx([value - 2 for value in drawn[1.0][:50]])


def test_the_truth_of_written_answers_is_their_quality():
    """Gold comes first; without gold, a quality of both answers decides; else a hash, as before."""
    pair = Comparison(
        id="p",
        question=Question(id="q", text="?"),
        answers=(Answer(id="a", text="x"), Answer(id="b", text="y")),
    )
    qualities = {"simulated_quality_a": -0.5, "simulated_quality_b": 1.0}
    found = find_latent(replace(pair, meta=qualities), seed=1)
    assert found.truth == Verdict.of("b")
    assert found.merit == {"a": -1.5, "b": 0.0}
    by_hash = find_latent(pair, seed=1)
    assert find_latent(replace(pair, meta={"simulated_quality_a": 9.0}), seed=1) == by_hash
    gold = find_latent(replace(pair, meta=qualities, gold=Verdict.of("a")), seed=1)
    assert gold.truth == Verdict.of("a")


async def test_judges_prefer_the_answers_of_better_quality(tmp_path: Path):
    """A simulated judge finds the better of two simulated answers more often than not."""
    found = await answers([f"Question {n}?" for n in range(30)], by=THREE, out=tmp_path / "a")
    judge = Experiment(
        name="judge",
        data=f"jsonl:{found.files['pairs']}",
        conditions=(Condition(name="alone", protocol="pairwise", seats=("sim_strong",)),),
    )
    await run(judge, out=tmp_path / "run")
    right = [
        one.verdict == find_latent(one.comparison, seed=0).truth
        for one in await load_run(tmp_path / "run")
    ]
    assert len(right) == 180
    assert 0.75 < fmean(right) < 0.95
