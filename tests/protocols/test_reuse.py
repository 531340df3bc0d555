"""What is said of one answer is paid for once, however many pairs, orders and protocols hear it."""

from __future__ import annotations

import asyncio
import typing
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from peerjudge.clients import Governed, MemoryCache, SingleFlight
from peerjudge.clients.fake import FakeChatClient, FakePrompt
from peerjudge.data import (
    Answer,
    Card,
    Comparison,
    Question,
    Role,
    Sampling,
    Scalar,
    Seat,
    Transcript,
    Turn,
    content_hash,
)
from peerjudge.engine import discuss
from peerjudge.protocol import Comparative
from peerjudge.reviewers import ModelReviewer
from peerjudge.shelf import Shelf

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
QUESTION = Question(id="q", text="Why is the sky blue?")
ANSWERS = tuple(Answer(id=name, text=f"It is because of {name}.") for name in "abcd")
K = len(ANSWERS)
EXPLAIN, RATE, CRITERIA = "Assess this answer on its own.", "Rate this answer", "three short quest"


def pairs(ids: Sequence[str] = ()) -> list[Comparison]:
    """Every pair of the answers in both orders; `ids` renames the answers of every pair."""
    found: list[Comparison] = []
    for chosen in combinations(ANSWERS, 2):
        name = "-".join(answer.id for answer in chosen)
        answers = tuple(
            Answer(id=new, text=answer.text)
            for new, answer in zip(ids or [answer.id for answer in chosen], chosen, strict=True)
        )
        pair = Comparison(id=name, question=QUESTION, answers=answers)
        found += [pair, pair.swapped()]
    return found


def replies(prompt: FakePrompt) -> str:
    """A rating, and verdict 2 to whatever asks for a verdict."""
    return "4" if RATE in prompt.text else "I see.\n\n2"


class Bench:
    """Two reviewers on one model that shares what it has said, and what the model was asked."""

    def __init__(self, sampling: Sampling | None = None) -> None:
        self.model = FakeChatClient(replies)
        flights = SingleFlight(MemoryCache())
        self.sampling = sampling or Sampling()
        self.speakers = {
            name: ModelReviewer(
                Card(name=name),
                Governed(self.model, reviewer=name, model="m", identity="m", flights=flights),
            )
            for name in ("ann", "bob")
        }

    async def play(
        self,
        comparison: Comparison,
        protocol: str,
        seats: Sequence[str] = ("ann",),
        **options: Scalar,
    ) -> tuple[Turn, ...]:
        """The turns of one discussion."""
        chosen = SHELF.protocol(protocol, options)
        places = tuple(
            Seat(id=f"s{n}", reviewer=name, role=Role.JUDGE, sampling=self.sampling)
            for n, name in enumerate(seats)
        )
        head = Transcript(
            id=content_hash(comparison.id, comparison.shown, protocol, seats, options),
            comparison=comparison,
            protocol=protocol,
            seats=places,
        )
        ended = await discuss(
            head,
            protocol=chosen,
            reviewers={place.id: self.speakers[place.reviewer] for place in places},
            pack=SHELF.prompts("long_form"),
            roles={},
        )
        assert ended.failure is None
        return ended.turns

    def asked(self, words: str) -> int:
        """How often the model was asked something with these words."""
        return sum(words in prompt.text for prompt in self.model.prompts)


async def test_k_answers_take_k_explanations():
    """All pairs of k answers in both orders take k explanations of a reviewer, not 2k(k-1)."""
    bench = Bench()
    turns = [turn for pair in pairs() for turn in await bench.play(pair, "prepair")]
    heard = [turn for turn in turns if turn.cue.task == "explain_one"]
    assert len(heard) == 2 * K * (K - 1)
    assert bench.asked(EXPLAIN) == K
    assert sum(not turn.utterance.cached for turn in heard) == K


async def test_all_protocols_of_a_run_share_them():
    """Alone, reconciled, as leader or as follower, a reviewer explains an answer once."""
    bench = Bench()
    for pair in pairs():
        await bench.play(pair, "prepair")
        await bench.play(pair, "prepair", ties=True)
        await bench.play(pair, "reconciled", method="prepair")
        await bench.play(pair, "prepair_discussion", ["ann", "bob"])
        await bench.play(pair, "leader_follower", ["bob", "ann"], opening="prepair", turns=1)
        await bench.play(pair, "vote", ["bob", "ann"], opening="prepair")
    assert bench.asked(EXPLAIN) == K * len(bench.speakers)


async def test_ratings_and_own_criteria_are_shared_too():
    """A rating is given once per answer, and criteria are written once per question."""
    bench = Bench()
    for pair in pairs():
        await bench.play(pair, "pointwise")
        await bench.play(pair, "leader_follower", ["ann", "bob"], opening="pointwise", turns=0)
    assert bench.asked(RATE) == K * len(bench.speakers)
    for pair in pairs():
        await bench.play(pair, "self_metrics", then="pairwise_cot")
        await bench.play(pair, "self_metrics", then="prepair")
    assert bench.asked(CRITERIA) == 1
    assert bench.asked(EXPLAIN) == K


async def test_what_the_answers_are_called_does_not_matter():
    """Where every pair calls its answers 1 and 2, an answer is known by its words."""
    bench = Bench()
    for pair in pairs(ids=("1", "2")):
        await bench.play(pair, "prepair")
    assert bench.asked(EXPLAIN) == K


async def test_discussions_at_the_same_time_share_them():
    """Whoever needs an explanation that is being written waits for it."""
    bench = Bench()
    await asyncio.gather(*(bench.play(pair, "prepair") for pair in pairs()))
    assert bench.asked(EXPLAIN) == K


async def test_what_would_be_said_otherwise_is_not_shared():
    """Another temperature, generic instructions, or criteria heard before take another explanation."""
    bench, warm = Bench(), Bench(Sampling(temperature=1.0))
    warm.speakers = {
        name: ModelReviewer(speaker.card, bench.speakers[name].client)
        for name, speaker in warm.speakers.items()
    }
    pair = pairs()[0]
    for times, (who, protocol, options) in enumerate(
        [
            (bench, "prepair", {}),
            (warm, "prepair", {}),
            (bench, "prepair", {"aspects": False}),
            (bench, "self_metrics", {"then": "prepair"}),
        ],
        start=1,
    ):
        await who.play(pair, protocol, **options)
        assert bench.asked(EXPLAIN) == 2 * times


async def test_two_seats_of_one_reviewer_explain_twice():
    """A reviewer in two seats gives two draws of everything, and each is shared among the pairs."""
    bench = Bench()
    for pair in pairs():
        await bench.play(pair, "prepair_discussion", ["ann", "ann"], turns=0)
    assert bench.asked(EXPLAIN) == 2 * K


@pytest.mark.parametrize("method", typing.get_args(Comparative))
async def test_asking_in_both_orders_costs_nothing_where_both_orders_are_played(method: str):
    """A reconciled judge is asked, word for word, what lone judges are asked in either order."""
    bench = Bench()
    pair = pairs()[0]
    await bench.play(pair, method)
    await bench.play(pair.swapped(), method)
    asked = len(bench.model.prompts)
    await bench.play(pair, "reconciled", method=method)
    assert len(bench.model.prompts) == asked
