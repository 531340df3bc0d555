"""Pairs of a better and a worse answer: by rule gold is known, by a writer it is verified."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from hypothesis import given, strategies as st

import peerjudge as pj
from peerjudge.data import Condition, Experiment
from peerjudge.datasets import load
from peerjudge.errors import CardError, DataError, ExperimentError
from peerjudge.features.pairs.filtering import Seen, place_better
from peerjudge.features.pairs.making import pairs
from peerjudge.features.pairs.nouns import Item, MadeAnswer, Pair
from peerjudge.features.pairs.rules import RULES, is_as_long, list_sentences
from peerjudge.shelf import Shelf

RULED = ("neighbour", "shuffled", "altered", "cut")

WRITER = '''
"""Writes texts between tags, of the length that is asked for."""

import re


async def write(request):
    asked = request.messages[-1].text
    words = int(re.search(r"about (\\d+) words", asked)[1]) if "words" in asked else 8
    kind = "bad" if "wrong" in asked or "worse" in asked else "good"
    return "<text>" + " ".join(f"{kind}{n}" for n in range(words)) + "</text>"


def reviewer():
    return write
'''


SAMPLER = '''
"""Writes a numbered text each time."""

from itertools import count

numbers = count(1)


async def write(request):
    return f"<text>text number {next(numbers)}</text>"


def reviewer():
    return write
'''
JUDGE = '''
"""Chooses the text with the greater number."""

import re


async def judge(request):
    first, second = map(int, re.findall(r"text number (\\d+)", request.messages[-1].text))
    return f"Choice: Answer ({'a' if first > second else 'b'})"


def reviewer():
    return judge
'''


def make(tmp_path, data="sample", **given):
    """Make pairs from the sample."""
    shelf = Shelf(tmp_path)
    given = {"recipes": RULED, "out": tmp_path / "pairs"} | given
    return asyncio.run(pairs(data, shelf=shelf, **given))


@pytest.fixture
def project(tmp_path):
    """A project with a writer in Python."""
    (tmp_path / "agents").mkdir()
    for name, text in (("typist", WRITER), ("sampler", SAMPLER), ("later", JUDGE)):
        (tmp_path / "agents" / f"{name}.py").write_text(text)
    return tmp_path


def test_the_better_answer_is_first_in_exactly_half(tmp_path):
    """Its place says nothing, over all pairs and within a recipe (one more of an odd number)."""
    found = make(tmp_path)
    first = [pair.place == 0 for pair in found.pairs]
    assert abs(2 * sum(first) - len(first)) <= 1
    for recipe in RULED:
        mine = [pair.place == 0 for pair in found.pairs if pair.recipe == recipe]
        assert mine
        assert abs(2 * sum(mine) - len(mine)) <= 1


def test_the_same_seed_gives_the_same_files(tmp_path):
    """Nothing is drawn but with the seed; another seed gives other pairs."""
    one = make(tmp_path, out=tmp_path / "one")
    two = make(tmp_path, out=tmp_path / "two")
    texts = [(tmp_path / name / "pairs.jsonl").read_text() for name in ("one", "two")]
    assert texts[0] == texts[1]
    other = make(tmp_path, out=tmp_path / "other", seed=5)
    assert [pair.worse for pair in other.pairs] != [pair.worse for pair in one.pairs]
    assert len(two.pairs) == len(one.pairs)


def test_what_is_written_is_read_by_the_loaders(tmp_path):
    """The table and LLMBar's layout have the same pairs with the same gold."""
    found = make(tmp_path)
    table = load(f"jsonl:{tmp_path / 'pairs' / 'pairs.jsonl'}")
    layout = load(f"llmbar:{tmp_path / 'pairs' / 'LLMBar'}")
    golds = [
        sorted(
            (one.question.text, one.subset, answer.text)
            for one in data.comparisons
            for answer in one.answers
            if one.gold is not None and answer.id == one.gold.choice
        )
        for data in (table, layout)
    ]
    assert golds[0] == golds[1]
    assert len(golds[0]) == len(found.pairs)
    assert {one.meta["licence"] for one in table.comparisons} == {"MIT"}


def test_more_answers_are_graded(tmp_path):
    """With four answers, three are worse, and each is cut shorter than the one before."""
    found = make(tmp_path, recipes=("cut",), answers=4)
    for pair in found.pairs:
        lengths = [len(answer.text) for answer in pair.worse]
        assert len(lengths) == 3
        assert lengths == sorted(lengths, reverse=True)
        assert len(pair.better.text) > lengths[0]
    assert {pair.place for pair in found.pairs} == {0, 1, 2, 3}


def test_a_writer_makes_pairs_that_others_verify(project):
    """Verdicts in both orders decide the status; the same call again calls nothing."""
    given = {"recipes": ("unclear", "verbose_wrong"), "writer": "typist", "verify": ("sim_strong",)}
    found = make(project, limit=6, **given)
    assert {pair.status for pair in found.pairs} <= {"verified", "disputed"}
    assert all(pair.votes["sim_strong"][1] == 2 for pair in found.pairs)
    assert {pair.worse[0].author for pair in found.pairs} == {"typist"}
    row = json.loads((project / "pairs" / "pairs.jsonl").read_text().splitlines()[0])
    assert row["writer"] == "typist"
    assert row["prompt_hash"]
    assert row["chosen_by"] == "sim_strong"
    again = make(project, limit=6, **given)
    assert again.pairs == found.pairs
    assert not any(again.calls.values())


def test_the_sample_that_verifiers_choose_is_the_better_answer(project):
    """Its votes are those for it, also where it was written as the worse one."""
    found = make(project, recipes="sampled", writer="sampler", verify="later", limit=3)
    for pair in found.pairs:
        better, worse = (int(one.text.rsplit(" ", 1)[1]) for one in (pair.better, *pair.worse))
        assert better > worse
        assert (pair.status, pair.votes) == ("verified", {"later": (2, 2)})
    assert [count.disputed for count in found.counts] == [0]
    rows = (project / "pairs" / "pairs.jsonl").read_text().splitlines()
    assert {json.loads(row)["votes_for_better"] for row in rows} == {2}


def test_pairs_are_hard_for_a_card_that_errs_on_them(tmp_path):
    """Those that the card judges right in both orders are left out and counted."""
    every = make(tmp_path, recipes=("altered",), out=tmp_path / "all")
    hard = make(tmp_path, recipes=("altered",), out=tmp_path / "hard", hard_for="sim_strong")
    (count,) = hard.counts
    assert count.left_out["right by sim_strong"] == len(every.pairs) - len(hard.pairs) > 0
    assert "sim_strong" in (tmp_path / "hard" / "README.md").read_text()


def test_a_cut_answer_is_found_by_its_length(tmp_path):
    """The audit names a judge that reads nothing and is still right."""
    found = make(tmp_path, recipes=("cut",))
    assert found.solvable_by == {"cut": ["longer"]}


def test_scores_on_pairs_warn_of_their_verifiers(tmp_path):
    """A judge that helped to choose the pairs is flattered on them, and `score` says so."""
    make(tmp_path, recipes=("altered",), verify=("sim_solid",))
    judged = Experiment(
        data=f"jsonl:{tmp_path / 'pairs' / 'pairs.jsonl'}",
        prompts="open_chat",
        conditions=tuple(
            Condition(name=name, protocol="pairwise", seats=(name,))
            for name in ("sim_solid", "sim_weak")
        ),
    )
    found = pj.score(pj.run_sync(judged, out=tmp_path / "run"))
    assert found.choosers == ("sim_solid",)
    assert "sim_solid helped to choose these comparisons" in str(found)


ITEM = st.builds(
    Item,
    question=st.just("q"),
    text=st.just("Why?"),
    answer=st.text("abc XYZ 12.\n", min_size=1, max_size=120).filter(str.strip),
    author=st.just("source"),
    category=st.just(""),
    parent=st.just("p"),
)


@given(ITEM, st.integers(1, 3), st.integers(0, 99))
def test_altering_changes_numbers_and_names_alone(item, strength, seed):
    """Without its digits and names, an altered answer is the accepted one."""
    text = RULES["altered"](item, (), strength, seed)
    names = re.compile(r"\d|[A-Z][a-z]{2,}")
    if text:
        assert text != item.answer
        assert names.sub("", text) == names.sub("", item.answer)


@pytest.mark.parametrize("seed", range(10))
def test_a_name_that_is_alone_leaves_the_numbers_to_be_altered(seed):
    """It has no other to be exchanged with, so a number is changed."""
    answer = "It happened in Paris, then in Paris, then in Paris and in 1999."
    item = Item(question="q", text="?", answer=answer, author="", category="", parent="p")
    altered = RULES["altered"](item, (), 1, seed)
    assert altered.count("Paris") == 3
    assert "1999" not in altered


@given(ITEM, st.integers(1, 3), st.integers(0, 99))
def test_shuffling_keeps_every_character(item, strength, seed):
    """Sentences change places; nothing is added or lost."""
    text = RULES["shuffled"](item, (), strength, seed)
    assert not text or (text != item.answer and sorted(text) == sorted(item.answer))
    assert all(item.answer[start:end].strip() for start, end in list_sentences(item.answer))


@given(st.lists(st.sampled_from(RULED), min_size=1, max_size=30), st.integers(0, 9))
def test_places_are_balanced_for_any_number_of_pairs(recipes, seed):
    """The better answer is first in half of the pairs, whatever the recipes are."""
    item = Item(question="q", text="?", answer="a", author="", category="", parent="p")
    made = [
        Pair(
            id=f"{recipe}-{n}",
            item=item,
            recipe=recipe,
            better=MadeAnswer(text="a", author=""),
            worse=(MadeAnswer(text="b", author=recipe),),
            seed=seed,
        )
        for n, recipe in enumerate(recipes)
    ]
    placed = place_better(made, seed=seed)
    assert sum(pair.place == 0 for pair in placed) in (len(made) // 2, (len(made) + 1) // 2)
    assert place_better(made[::-1], seed=seed) == placed[::-1]


def test_duplicates_are_found_by_their_words():
    """Case and white space do not count; one other word in twenty does not either."""
    words = [f"word{n}" for n in range(60)]
    seen = Seen([" ".join(words)])
    assert seen.has("  ".join(words).upper())
    assert seen.has(" ".join([*words[:59], "other"]))
    assert not seen.has(" ".join(words[::-1]))
    assert is_as_long("a" * 100, "b" * 109)
    assert not is_as_long("a" * 100, "b" * 120)


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"recipes": ("shufled",)}, ExperimentError, "did you mean 'shuffled'"),
        ({"recipes": ()}, ExperimentError, "name a recipe"),
        ({"recipes": ("polished",)}, ExperimentError, "name a card with --writer"),
        (
            {"recipes": ("polished",), "writer": "typist", "verify": ("typist",)},
            ExperimentError,
            "only verifier",
        ),
        ({"recipes": ("polished",), "writer": "sim_weak"}, CardError, "writes no answers"),
        (
            {"recipes": ("sampled",), "writer": "typist"},
            ExperimentError,
            "have no gold until others judge",
        ),
        ({"answers": 5}, ExperimentError, "from 2 to 4, not 5"),
        ({"limit": 0}, ExperimentError, "a limit of 0 questions leaves nothing"),
        ({"data": "lfqa:nowhere"}, ExperimentError, "licence of 'lfqa:nowhere' is not known"),
        (
            {"data": "dialogues", "recipes": ("cut",), "against": "nothing"},
            DataError,
            "no dataset 'nothing'",
        ),
    ],
)
def test_what_cannot_be_made_is_refused(project, given, error, sentence):
    """Before anything is spent or written, a sentence says what is wrong."""
    with pytest.raises(error, match=sentence):
        make(project, **given)
    assert not (project / "pairs").exists()
