"""MT-Bench's conversations are read from either published layout, and can be judged."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from peerjudge.data import TIE, Condition, Experiment
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.features.papers.reproductions import reproduce
from peerjudge.results.scores import score
from peerjudge.runs import estimate_calls, load as load_run, prepare, run

QUESTIONS = (
    {
        "question_id": 81,
        "category": "writing",
        "turns": ["Describe the harbour.", "Now in five words."],
    },
    {
        "question_id": 111,
        "category": "math",
        "turns": ["What is 6 x 7?", "And twice that?"],
        "reference": ["42", "84"],
    },
)
REPLIES = {
    ("alpha", 81): ["Boats lie at the quay.", "Boats lie still at dawn."],
    ("beta", 81): ["It is wet.", "Wet, loud, cold, old, grey."],
    ("gamma", 81): ["A harbour has ships.", "Ships."],
    ("alpha", 111): ["42", "84"],
    ("beta", 111): ["48", "96"],
    ("gamma", 111): ["It is 42.", "It is 44."],
}
MODELS = ("alpha", "beta", "gamma")


def converse(model, number):
    """Return the messages as the Hugging Face dataset has them."""
    asked = next(one["turns"] for one in QUESTIONS if one["question_id"] == number)
    return [
        {"content": text, "role": role}
        for turn in zip(asked, REPLIES[model, number], strict=True)
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]


def vote(number, turn, pair, winner, judge):
    """Return a row of the Hugging Face dataset."""
    return {
        "question_id": number,
        "model_a": pair[0],
        "model_b": pair[1],
        "winner": winner,
        "judge": judge,
        "conversation_a": converse(pair[0], number),
        "conversation_b": converse(pair[1], number),
        "turn": turn,
    }


VOTES = (
    vote(81, 1, ("beta", "alpha"), "model_b", "author_2"),
    vote(81, 1, ("alpha", "beta"), "model_a", "expert_1"),
    vote(81, 1, ("alpha", "beta"), "tie", "expert_7"),
    vote(81, 2, ("gamma", "alpha"), "model_b", "expert_1"),
    vote(111, 2, ("alpha", "gamma"), "model_a", "expert_7"),
    vote(111, 2, ("gamma", "alpha"), "model_a", "author_2"),
)
VERDICTS = tuple(
    vote(number, turn, pair, "model_a", "gpt4_pair")
    for number in (81, 111)
    for turn in (1, 2)
    for pair in combinations(MODELS, 2)
)


def strip(row):
    """Return the row without its conversations."""
    return {key: value for key, value in row.items() if not key.startswith("conversation")}


@pytest.fixture
def folder(write):
    """Write a folder of MT-Bench: by default with the conversations in the rows."""

    def to_folder(votes=VOTES, verdicts=VERDICTS, questions="question.jsonl", answers=()):
        tables = {"human.jsonl": votes, "gpt4_pair.jsonl": verdicts, questions: QUESTIONS}
        for model in answers:
            tables[f"model_answer/{model}.jsonl"] = [
                {
                    "question_id": one["question_id"],
                    "answer_id": "xyz",
                    "model_id": model,
                    "choices": [{"index": 0, "turns": REPLIES[model, one["question_id"]]}],
                    "tstamp": 1.5,
                }
                for one in QUESTIONS
            ]
        paths = [write(name, list(rows)) for name, rows in tables.items()]
        return paths[0].parent

    return to_folder


def find(dataset, name):
    """Return the comparison of this id."""
    return next(one for one in dataset.comparisons if one.id == name)


def test_a_turn_is_judged_with_all_before_it(folder):
    """The first turn shows one message and one reply; the second one both turns of each conversation."""
    dataset = load(f"mtbench:{folder()}")
    first, second = find(dataset, "81-1-alpha-beta"), find(dataset, "81-2-alpha-beta")
    assert first.question.text == "Describe the harbour."
    assert [one.text for one in first.answers] == ["Boats lie at the quay.", "It is wet."]
    assert second.question.text == (
        "The user wrote 2 messages. The reply to the last one is judged.\n\n"
        "Message 1:\nDescribe the harbour.\n\nMessage 2:\nNow in five words."
    )
    assert second.answer("beta").text == (
        "Reply to message 1:\nIt is wet.\n\nReply to message 2:\nWet, loud, cold, old, grey."
    )
    assert first.question.id == second.question.id
    assert {one.question.category for one in dataset.comparisons} == {"writing", "math"}
    assert dataset.missing_texts == ""


def test_both_published_layouts_give_the_same_dataset(folder):
    """Conversations in the rows of votes, and files of answers beside rows without them."""
    rows = load(f"mtbench:{folder()}")
    bare = [list(map(strip, table)) for table in (VOTES, VERDICTS)]
    assert load(f"mtbench:{folder(*bare, answers=MODELS)}") == rows


def test_every_vote_of_experts_and_authors_is_kept(folder):
    """Several votes on a pair, in either order of the models, settle one gold verdict."""
    dataset = load(f"mtbench:{folder()}")
    votes = [one for one in dataset.reviews if one.reviewer in dataset.humans]
    assert len(votes) == len(VOTES)
    assert dataset.humans == ("author_2", "expert_1", "expert_7")
    pair = find(dataset, "81-1-alpha-beta")
    assert [one.shown for one in votes if one.comparison == pair.id] == [
        ("beta", "alpha"),
        ("alpha", "beta"),
        ("alpha", "beta"),
    ]
    assert pair.gold.choice == "alpha"
    assert find(dataset, "111-2-alpha-gamma").gold == TIE
    assert find(dataset, "111-1-alpha-gamma").gold is None


def test_the_reference_of_a_turn_is_kept_beside_its_texts(folder):
    """Questions with published reference answers have the one of the turn, others none."""
    dataset = load(f"mtbench:{folder()}")
    found = {one.id: one.meta.get("reference") for one in dataset.comparisons}
    assert (found["111-1-alpha-beta"], found["111-2-alpha-beta"]) == ("42", "84")
    assert found["81-1-alpha-beta"] is None


def test_a_pair_needs_both_conversations(folder):
    """Where the answers of a model are missing its pairs show no text, and are named by what is missing."""
    bare = [list(map(strip, table)) for table in (VOTES, VERDICTS)]
    dataset = load(f"mtbench:{folder(*bare, answers=('alpha', 'beta'))}")
    shown = {one.id: [bool(answer.text) for answer in one.answers] for one in dataset.comparisons}
    assert shown["81-2-alpha-beta"] == [True, True]
    assert shown["81-2-alpha-gamma"] == [False, False]
    assert "conversations of gamma are missing" in dataset.missing_texts
    with pytest.raises(DataError, match="conversations of gamma are missing"):
        prepare(judge(), data=f"mtbench:{folder(*bare, answers=('alpha', 'beta'))}")


def test_first_turns_alone_may_have_short_conversations(folder):
    """A row of turn 1 may end with the first reply; a row of turn 2 has the rest."""
    short = vote(81, 1, ("alpha", "beta"), "tie", "expert_1")
    short |= {side: short[side][:2] for side in ("conversation_a", "conversation_b")}
    dataset = load(f"mtbench:{folder([short], VERDICTS)}")
    assert "old, grey." in find(dataset, "81-2-alpha-beta").answer("beta").text


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"conversation_a": converse("beta", 81)[1:]}, "'conversation_a' must alternate between"),
        ({"conversation_a": "Hello"}, "'conversation_a' must be a list"),
        ({"conversation_b": converse("alpha", 111)}, "must hold 2 messages of the user, the same"),
        ({"conversation_a": converse("beta", 81)[:2]}, "must hold 2 messages of the user"),
        (
            {"model_b": "gamma"},
            "the conversation of 'gamma' about question 81 differs from that in",
        ),
    ],
)
def test_a_wrong_conversation_is_named_by_file_and_line(folder, change, complaint):
    """A conversation has another form, ends too early, or differs between two rows."""
    good = vote(81, 2, ("beta", "alpha"), "model_a", "expert_1")
    path = folder([VOTES[3], {**good, **change}])
    with pytest.raises(DataError, match=rf"human.jsonl, line 2: .*{complaint}"):
        load(f"mtbench:{path}")


def test_parquet_becomes_rows_by_the_documented_line(folder, tmp_path):
    """Hugging Face publishes Parquet, which pandas writes as JSON Lines."""
    expected = load(f"mtbench:{folder()}")
    message = pa.struct([("content", pa.string()), ("role", pa.string())])
    columns = {"conversation_a": pa.list_(message), "conversation_b": pa.list_(message)}
    for name, rows in (("human", VOTES), ("gpt4_pair", VERDICTS)):
        table = pa.table(
            {key: pa.array([row[key] for row in rows], columns.get(key)) for key in rows[0]}
        )
        pq.write_table(table, tmp_path / "table.parquet")
        frame = pd.read_parquet(tmp_path / "table.parquet")
        frame.to_json(tmp_path / f"{name}.jsonl", orient="records", lines=True)
    assert load(f"mtbench:{tmp_path}") == expected


def judge():
    """Return an experiment of one simulated judge."""
    return Experiment(
        name="judge",
        data="mtbench",
        conditions=Condition(name="once", protocol="pairwise_cot", seats="sim_plain"),
    )


async def test_conversations_are_judged(folder, tmp_path):
    """Each pair of a folder with texts is played in both orders; a discussion holds what it judged."""
    summary = await run(judge(), data=f"mtbench:{folder()}", out=tmp_path / "run")
    assert summary.discussions.done == 2 * len(VERDICTS)
    shown = {
        answer.text
        for one in await load_run(tmp_path / "run")
        if one.comparison.id == "111-2-alpha-gamma"
        for answer in one.comparison.answers
    }
    assert shown == {
        "Reply to message 1:\n42\n\nReply to message 2:\n84",
        "Reply to message 1:\nIt is 42.\n\nReply to message 2:\nIt is 44.",
    }


def test_labels_alone_are_refused_with_the_files_that_are_needed(folder):
    """No call is made on answers without texts."""
    bare = [list(map(strip, table)) for table in (VOTES, VERDICTS)]
    with pytest.raises(DataError, match=r"MT-Bench's conversations are .*model_answer/MODEL.jsonl"):
        prepare(judge(), data=f"mtbench:{folder(*bare)}")


@pytest.mark.data
def test_the_different_votes_on_first_turns_are_as_many_as_prepair_counts(published):
    """1,131 in all; of these, 169 were given by an expert and an author, so the order decides their type."""
    path = published("mtbench")
    dataset, whole = load(f"mtbench1131:{path}"), load(f"mtbench:{path}")
    assert len(dataset.comparisons) == 910
    kinds = Counter(vote.reviewer.partition("_")[0] for vote in dataset.reviews)
    assert kinds == {"gpt4": 910, "expert": 863, "author": 268}
    first = {one.id for one in whole.comparisons if one.subset == "turn 1"}
    given = {
        kind: {
            (vote.comparison, vote.verdict)
            for vote in whole.reviews
            if vote.reviewer.startswith(kind) and vote.comparison in first
        }
        for kind in ("expert", "author")
    }
    assert len(given["expert"] | given["author"]) == 1131
    assert len(given["expert"] & given["author"]) == 169
    assert 885 in range(len(given["expert"]) - 169, len(given["expert"]) + 1)


def test_equal_votes_count_once(folder):
    """Of votes with one verdict on one pair the first stays; gold is settled from all."""
    against = vote(81, 1, ("alpha", "beta"), "model_b", "expert_9")
    dataset = load(f"mtbench1131:{folder([*VOTES, against])}")
    (one,) = dataset.comparisons
    votes = [
        (vote.reviewer, str(vote.verdict))
        for vote in dataset.reviews
        if vote.reviewer in dataset.humans
    ]
    assert votes == [("author_2", "alpha"), ("expert_7", "tie"), ("expert_9", "beta")]
    assert (one.id, one.gold.choice) == ("81-1-alpha-beta", "alpha")


async def test_the_methods_of_prepair_are_played_on_mtbench(folder, tmp_path):
    """Five methods by each reviewer; verdicts may be ties, and stand beside the published ones."""
    data = f"mtbench1131:{folder()}"
    prepared = prepare("prepair_mtbench", data=data)
    calls = sum(step.calls for step in estimate_calls(prepared.plan, prepared.costs).steps)
    assert calls == 36
    summary = await run("prepair_mtbench", data=data, out=tmp_path / "run")
    assert summary.discussions.done == len(prepared.plan) == 2 * 5 * 2
    assert summary.calls.failed == 0
    played = await load_run(tmp_path / "run")
    options = {one.protocol: one.options for one in played}
    assert {name for name, given in options.items() if given.get("ties")} == {
        "pairwise",
        "pairwise_cot",
        "prepair_star",
        "prepair",
    }
    assert {name for name, given in options.items() if given.get("blind")} == {
        "prepair_star",
        "prepair",
    }
    found = score(tmp_path / "run", by="labeler", gold=data, beside="prepair").document()
    printed = {
        (row["reviewer"], row["protocol"]): row["published"]["values"] for row in found["rows"]
    }
    assert printed["sim_vicuna80_gpt35", "prepair"]["author"] == 0.5772
    assert printed["sim_llmbar_gpt4o_mini", "pairwise"] == {"": 0.672}
    counted = score(tmp_path / "run", gold=data, as_published=True).document()["rows"]
    scored = {(row["reviewer"], row["protocol"]): row["as_published"][""] for row in counted}
    cells = {
        (cell["item"], cell["name"]): cell
        for cell in reproduce("prepair", tmp_path / "run").document()["cells"]
    }
    total = cells["Table 3", "gpt-4o-mini, w/ PRePair, total"]
    assert total["ours"] == scored["sim_llmbar_gpt4o_mini", "prepair"]["value"]
    assert total["published"] == 0.641
    assert cells["Table 3", "gpt-3.5-turbo, Pairwise, expert"]["ours"] is not None
    assert cells["Figure 1", "gpt-4o-mini, Pairwise, total"]["ours"] is not None
    assert cells["Figure 1", "gpt-4o-mini, Pairwise, Adversarial"]["ours"] is None


async def test_another_reviewer_takes_a_seat_of_the_experiment(folder, tmp_path):
    """`--seat gpt35=CARD` replaces the reviewer in all five methods."""
    seats = {"gpt35": "sim_solid", "gpt4o_mini": "sim_plain"}
    prepared = prepare("prepair_mtbench", data=f"mtbench1131:{folder()}", seats=seats)
    assert {seat.reviewer for part in prepared.plan.parts for seat in part.seats} == set(
        seats.values()
    )


def test_the_experiment_needs_the_conversations(folder):
    """Without texts nothing is called, and the sentence names the files."""
    bare = [list(map(strip, table)) for table in (VOTES, VERDICTS)]
    with pytest.raises(DataError, match=r"1 of 1 comparisons have no texts .*model_answer/MODEL"):
        prepare("prepair_mtbench", data=f"mtbench1131:{folder(*bare)}")
