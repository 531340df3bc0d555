"""Items of the data that OPRO shows to the proposer."""

from __future__ import annotations

import pytest

from peerjudge.data import (
    Answer,
    Comparison,
    Condition,
    Dataset,
    Experiment,
    Question,
    Search,
    Verdict,
)
from peerjudge.features.search.declaring import ANSWERS_SHOWN, QUESTION_SHOWN, declare
from peerjudge.features.search.proposals import ask_for_text
from peerjudge.features.search.targets import choose_targets
from peerjudge.runs import prepare
from peerjudge.shelf import Shelf

SPLIT = "20,20,20"
ARTICLE = "The river rose on Monday. " * 120 + "Nobody was hurt."
SUMMARY = "The river rose and nobody was hurt. " * 15 + "It fell again."
RATED = Experiment(
    name="rated",
    data="",
    prompts="summary_coherence",
    conditions=(
        Condition(
            name="init",
            protocol="score_reasons",
            seats=("sim_plain",),
            options={"form": "schema", "order": "reasons_score", "scale": "1-5"},
        ),
    ),
)


def ask(experiment: Experiment, comparisons, search: Search) -> str:
    """The request for a text with the first exemplar of a search on these comparisons."""
    shelf = Shelf()
    dataset = Dataset(name="made", description="Made here.", comparisons=tuple(comparisons))
    prepared = prepare(experiment, shelf=shelf, dataset=dataset)
    targets = choose_targets(search.targets, prepared, shelf)
    options = declare(search, prepared, targets, shelf=shelf, seed=1).options
    target = options.targets[0]
    _, user = ask_for_text(target, [(target.text, 0.5)], options.exemplars[:1], options=options)
    return user.text


def test_an_exemplar_shows_the_summary_that_was_rated():
    """Of an article of 3,136 characters the beginning is shown, then the whole summary, then its rating."""
    comparisons = [
        Comparison(
            id=f"c{n}",
            question=Question(id=f"q{n}", text=ARTICLE),
            answers=(Answer(id="m", text=SUMMARY),),
            meta={"gold_coherence": 2.0},
        )
        for n in range(60)
    ]
    search = Search(
        method="opro",
        proposer="none",
        objective="error",
        targets=("pack:reply.schema_reasons_score",),
        split=SPLIT,
    )
    text = ask(RATED, comparisons, search)
    begin = text.index(f"> {ARTICLE[:QUESTION_SHOWN]} [... 2,536 more characters]")
    rated = text.index(f"> Summary: {SUMMARY}")
    assert begin < rated < text.index("Right judgement:\n> 2")
    assert "Nobody was hurt." not in text.replace(SUMMARY, "")


@pytest.mark.parametrize("answers", [2, 3, 4])
def test_an_exemplar_shows_every_answer_of_a_long_comparison(answers: int):
    """Each answer has its share of the characters, so that none is left out behind a long question."""
    letters = "abcd"[:answers]
    comparisons = [
        Comparison(
            id=f"c{n}",
            question=Question(id=f"q{n}", text="Why? " * 1000),
            answers=tuple(Answer(id=one, text=f"{one}{one}. " * 1000) for one in letters),
            gold=Verdict.of("b"),
        )
        for n in range(60)
    ]
    protocol = "pairwise" if answers == 2 else "n_way"
    experiment = Experiment(
        name="choice",
        data="",
        prompts="long_form",
        conditions=(Condition(name="alone", protocol=protocol, seats=("sim_plain",)),),
    )
    text = ask(experiment, comparisons, Search(method="opro", proposer="none", split=SPLIT))
    share = ANSWERS_SHOWN // answers
    places = [text.index(f"({one}): {(f'{one}{one}. ' * 1000)[:share]} [...") for one in letters]
    assert places == sorted(places)
    assert text.index("Right judgement:") > places[-1]
    assert text.partition("Right judgement:\n> ")[2].startswith("Answer (b)")
