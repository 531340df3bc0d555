"""The shipped experiments of PRD: what they judge, share and weigh."""

import pytest

import peerjudge as pj
from peerjudge.runs import prepare
from peerjudge.runs.estimate import Costs, estimate_calls
from peerjudge.shelf import Shelf
from tests.features.pairs.pairs_kit import write_pairs

CONTESTANTS = ("gpt4", "claude", "gpt35", "vicuna-13b", "bard")
CARD = '[model]\nprovider = "openai"\nname = "m"\n'


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """A run of `prd_vicuna80` on four questions."""
    folder = tmp_path_factory.mktemp("ranked")
    data = write_pairs(folder, CONTESTANTS)
    pj.run_sync("prd_vicuna80", data=data, out=str(folder / "run"))
    return folder / "run"


def test_prompts_of_table_9_cost_one_set_of_private_reviews(tmp_path):
    """Under `generic` and `role`, all private reviews are those of `explicit`, and paid for once."""
    (tmp_path / "agents").mkdir()
    for name in ("ann", "bob", "cyd"):
        (tmp_path / "agents" / f"{name}.toml").write_text(CARD)
    seats = {"gpt4": "ann", "claude": "bob", "gpt35": "cyd"}
    data = write_pairs(tmp_path, ("human", "gpt3"))
    plan = prepare("prd_lfqa", data=data, seats=seats, shelf=Shelf(tmp_path)).plan
    paid = {
        step.condition: (step.calls, step.shared)
        for step in estimate_calls(plan, Costs()).steps
        if step.private
    }
    # Two reviews of four pairs in two orders; each is heard under both leaders.
    assert paid["explicit"] == (32, 16)
    assert paid["generic"] == paid["role"] == (32, 32)
    assert paid["gpt4 with gpt35"] == (32, 24)
    assert paid["gpt35 with itself"] == (32, 24)


def test_every_discussion_of_lfqa_is_led_by_both_in_both_orders(tmp_path):
    """Each condition has four discussions of a pair: two leaders in two orders, of four turns each."""
    data = write_pairs(tmp_path, ("human", "gpt3"), questions=1)
    pj.run_sync("prd_lfqa", data=data, out=str(tmp_path / "run"))
    transcripts = pj.load_sync(tmp_path / "run")
    led = {
        (one.condition, one.comparison.shown, one.seats[0].reviewer, one.seats[0].sampling)
        for one in transcripts
    }
    assert len(led) == len(transcripts) == 8 * 4
    assert {sum(not turn.cue.private for turn in one.turns) for one in transcripts} == {4}


def test_discussions_of_vicuna80_are_of_table_5(ranked):
    """GPT-4 and Claude discuss the answers of GPT-3.5 and Vicuna-13b only; all five judge all pairs."""
    frame = pj.discussions_df(ranked)
    counts = frame["condition"].value_counts()
    assert counts["gpt4 with claude"] == 4 * 2
    assert counts["bard"] == 4 * 10 * 2
    talked = [one for one in pj.load_sync(ranked) if one.condition == "gpt4 with claude"]
    assert {answer.author for one in talked for answer in one.comparison.answers} == {
        "gpt35",
        "vicuna-13b",
    }


def test_pairs_that_are_discussed_weigh_no_more_in_the_ranking(ranked):
    """The ranking of the run is that of the lone reviews: each reviewer judged each pair twice."""
    every = pj.rank(ranked, weights="peer", bootstrap=0)
    frame = pj.ballots_df(ranked)
    alone = pj.rank(frame[frame["protocol"] == "pairwise_cot"], weights="peer", bootstrap=0)
    assert every.document() == alone.document()
    assert every.ranking.reviews == 5 * 4 * 10 * 2
    assert len(set(every.ranking.weights.weights.values())) == 5


def test_the_weights_of_a_reproduction_are_those_of_the_ranking(ranked):
    """`reproduce` finds the models of PRD by the contestants of cards, and counts private reviews only."""
    weights = pj.rank(ranked, weights="peer", bootstrap=0).ranking.weights.weights
    found = pj.reproduce("prd", ranked, items=["Figure 3"])
    assert found.stand_ins == {
        "sim_vicuna80_gpt4": "GPT-4",
        "sim_vicuna80_claude": "Claude",
        "sim_vicuna80_gpt35": "GPT-3.5",
        "sim_vicuna": "Vicuna",
        "sim_bard": "Bard",
    }
    ours = {cell.name.removeprefix("weight, "): cell.ours for cell in found.cells}
    assert ours == {model: weights[name] for name, model in found.stand_ins.items()}
