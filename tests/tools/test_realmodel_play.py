"""Every protocol and every pack is run, and the table counts what was said."""

from __future__ import annotations

import asyncio
import json
import math

import pytest

from peerjudge.cli.console import json_text
from peerjudge.data import Comparison, TokenLogprob, Transcript, replace
from peerjudge.datasets import load
from peerjudge.errors import ExperimentError
from peerjudge.runs import prepare
from peerjudge.shelf import Shelf
from peerjudge.testing import PLAIN_PACK, comparison_of, transcript_of
from tools.realmodel import play
from tools.realmodel.table import (
    Share,
    build_document,
    build_rows,
    build_text_table,
    describe_total,
)

SCRIPT = '''
"""Prefers the first answer, and rates every answer 4."""

from peerjudge.data import Expects


async def judge(request):
    ratings = {"rate": "4", "score": '{"reasons": "So.", "score": 4}'}
    if request.cue.expects is Expects.VERDICT:
        return "[RESULT] A" if "[RESULT]" in request.messages[-1].text else "1"
    return ratings.get(request.cue.task, "It is so.")


def reviewer():
    return judge
'''


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Shelf of a project in which a script speaks for the model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / f"{play.CARD}.py").write_text(SCRIPT, "utf-8")
    return Shelf(project=tmp_path)


def measure_length(comparison: Comparison) -> int:
    """Return the number of characters of a comparison."""
    return len(comparison.question.text) + sum(len(one.text) for one in comparison.answers)


def test_the_shortest_comparisons_come_first():
    """Pairs are those of the sample; a third answer belongs to another question."""
    spec = play.find_data()
    pairs, triples = (load(f"{spec}:{answers}").comparisons for answers in (2, 3))
    lengths = [measure_length(pair) for pair in pairs]
    assert lengths == sorted(lengths)
    assert {pair.id for pair in pairs} == {pair.id for pair in load("sample").comparisons}
    for pair, triple in zip(pairs, triples, strict=True):
        assert (triple.gold, triple.answers[:2]) == (pair.gold, pair.answers)
        assert triple.id != pair.id
        assert len(triple.answers) == 3


def test_each_protocol_and_each_pack_has_a_condition(shelf):
    """In the short run nothing on the shelves is left out, and nothing comes twice."""
    conditions = play.list_conditions(shelf, full=False)
    for kind, chosen in (
        ("protocols", [each.protocol for each in conditions]),
        ("prompts", [each.prompts for each in conditions]),
    ):
        assert {entry.name for entry in shelf.entries(kind)} == set(chosen)
    names = [each.name for each in conditions]
    shown = len(shelf.entries("protocols")) + len(shelf.entries("prompts"))
    assert len(names) == len(set(names)) < shown


def test_a_full_run_combines_each_protocol_with_each_fitting_pack(shelf):
    """A pack without the tasks of a protocol is not combined with it."""
    found = {(each.protocol, each.prompts) for each in play.list_conditions(shelf, full=True)}
    assert ("panel", "open_chat") in found
    assert ("score_reasons", "prometheus") not in found
    short = {(each.protocol, each.prompts) for each in play.list_conditions(shelf, full=False)}
    assert short < found


def test_conditions_can_be_limited_by_name(shelf):
    """Names are those of protocols and packs; an unknown one is refused."""
    (experiment,) = play.build_experiments("m", shelf, play.SHORT, only=["vote", "open_chat"])
    assert {each.name for each in experiment.conditions} == {
        "pairwise, open_chat",
        "vote, instruction_following",
    }
    with pytest.raises(ExperimentError, match="no condition with nothing"):
        play.build_experiments("m", shelf, play.SHORT, only=["nothing"])


def test_the_card_carries_address_and_sampling(tmp_path):
    """Replies are greedy, short and come with log-probabilities; quotes in names do no harm."""
    shelf = play.write_card(tmp_path, url="http://127.0.0.1:1/v1", model='a"b', max_tokens=7)
    card = shelf.card(play.CARD)
    assert (card.model.name, card.model.base_url) == ('a"b', "http://127.0.0.1:1/v1")
    sampling = card.sampling
    assert (sampling.temperature, sampling.max_tokens, sampling.logprobs) == (0.0, 7, True)


def test_a_scripted_run_fills_the_table(shelf):
    """A reviewer that always prefers the first answer is right in one order, and never the same."""
    experiments = play.build_experiments("script", shelf, play.SHORT)
    summaries = asyncio.run(play.play(experiments, shelf, play.SHORT, observer=None))
    transcripts = asyncio.run(play.read_runs(summaries))
    packs = {entry.name: shelf.prompts(entry.name) for entry in shelf.entries("prompts")}
    rows = build_rows(transcripts, packs)
    assert len(rows) == sum(len(each.conditions) for each in experiments)
    assert all(row.readable.count == row.readable.n > 0 for row in rows)
    assert not any(row.failed or row.cut.count or row.fences.count for row in rows)
    by_name = {(row.protocol, row.pack): row for row in rows}
    pairwise = by_name["pairwise", "instruction_following"]
    assert (pairwise.right, pairwise.same) == (Share(2, 4), Share(0, 2))
    assert (pairwise.first, pairwise.calls) == (Share(4, 4), 4)
    # Two answers, both rated 4, in two orders of two pairs; equal ratings are a tie.
    rated = by_name["pointwise", "instruction_following"]
    assert (rated.readable, rated.right, rated.same) == (Share(8, 8), Share(0, 4), Share(2, 2))
    three = by_name["n_way", "instruction_following"]
    assert (three.right, three.first) == (Share(2, 6), Share(6, 6))
    table = build_text_table(rows, title="All")
    assert len(table.rows) == len(rows)
    document = json.loads(json_text(build_document(rows, model="script")))
    listed = {row["protocol"]: row["readable"] for row in document["rows"]}
    assert listed["leader_follower"] == {"count": 16, "n": 16}
    assert "are readable" in describe_total(rows)


def test_margins_come_from_the_log_probabilities_of_conclusions():
    """A judge that always says 1, more surely where it is right, has a margin above one half."""
    pair = comparison_of(gold=1)
    transcripts: list[Transcript] = []
    for shown, sure in ((pair, 0.9), (pair.swapped(), 0.6)):
        given = transcript_of("1", comparison=shown, condition="sure")
        top = (("1", math.log(sure)), ("2", math.log(1 - sure)))
        token = TokenLogprob(token="1", logprob=math.log(sure), top=top)
        (turn,) = given.turns
        said = replace(turn.utterance, text="1", logprobs=(token,))
        transcripts.append(replace(given, turns=(replace(turn, utterance=said),), prompts="own"))
    (row,) = build_rows(transcripts, {"own": PLAIN_PACK})
    # Log-odds of gold: log 9 in one order, -log 1.5 in the other.
    assert row.margin.value == pytest.approx(math.sqrt(6) / (1 + math.sqrt(6)))
    assert (row.margin.n, row.right) == (1, Share(1, 2))


def test_the_same_run_is_resumed(shelf):
    """A second start finds every discussion, and a larger one plays only the new comparisons."""
    experiments = play.build_experiments("script", shelf, play.SHORT, only=["pairwise_cot"])
    for comparisons, done, skipped in ((2, 4, 0), (2, 0, 4), (3, 2, 4)):
        extent = play.Extent(comparisons=comparisons, max_tokens=120, full=False)
        (summary,) = asyncio.run(play.play(experiments, shelf, extent, observer=None))
        assert (summary.discussions.done, summary.discussions.skipped) == (done, skipped)


def test_protocols_of_pairs_and_of_three_answers_are_two_experiments(shelf):
    """Each can be prepared with its data, so no condition has too few answers."""
    experiments = play.build_experiments("script", shelf, play.SHORT)
    answers = [
        {len(each.answers) for each in prepare(one, limit=2, shelf=shelf).plan.comparisons}
        for one in experiments
    ]
    assert answers == [{2}, {3}]
