"""Scores of candidates by a simulated judge, without words: what its runs would give, much faster.

A pair is judged in both orders at temperature 0. The equations are those of
`peerjudge.simulation.judgement`, with the same hashed draws, so every verdict is that of the reviewer
itself; a test plays a search both ways.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from peerjudge.data import Comparison, Request, Seat, replace
from peerjudge.features.search.nouns import Candidate
from peerjudge.prompts import render
from peerjudge.runs import Prepared
from peerjudge.shelf import Shelf
from peerjudge.simulation import Traits, find_latent, split_noise
from peerjudge.simulation.latent import draw_normal
from peerjudge.simulation.reactions import Temper

TARGET = "pack:tasks.review"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """What no candidate changes in a comparison: numbers of its first answer less those of its second."""

    comparison: Comparison
    merit: float
    shared: float
    own: float
    place: float


@dataclass(frozen=True)
class Judge:
    """The one judge of an experiment with the protocol `pairwise`, whose task a search changes.

    Scores of a question are the share of right verdicts over both orders.
    """

    prepared: Prepared
    shelf: Shelf

    @cached_property
    def _seat(self) -> Seat:
        (seat,) = self.prepared.plan.parts[0].seats
        return seat

    @cached_property
    def _items(self) -> Mapping[str, _Item]:
        return {one.question.id: self._draw_item(one) for one in self.prepared.plan.comparisons}

    @cached_property
    def _kept(self) -> dict[str, tuple[Traits, str]]:
        return {}

    def score(self, candidate: Candidate, question: str) -> float:
        """Return the score of a candidate on a question."""
        traits, wording = self.find_traits(candidate)
        noise, item = split_noise(traits, 0.0), self._items[question]
        error = (
            math.sqrt(noise.shared) * item.shared
            + math.sqrt(noise.own) * item.own
            + math.sqrt(noise.wording)
            * self._subtract(item.comparison, "t", self._seat.reviewer, wording)
        )
        right = 0
        for side in (1.0, -1.0):
            lead = traits.ability * item.merit + side * traits.position_bias
            lead += (error + side * math.sqrt(noise.place) * item.place) / math.sqrt(2)
            right += (lead > 0) == (item.merit > 0)
        return right / 2

    def score_all(self, candidate: Candidate, questions: Sequence[str]) -> dict[str, float]:
        """Return the scores of a candidate on these questions."""
        return {question: self.score(candidate, question) for question in questions}

    def find_traits(self, candidate: Candidate) -> tuple[Traits, str]:
        """Return the traits of the judge under the task of a candidate, and the digest of the wording."""
        if candidate.id not in self._kept:
            self._kept[candidate.id] = _find_traits(self, candidate.texts[TARGET])
        return self._kept[candidate.id]

    def _draw_item(self, one: Comparison) -> _Item:
        seed, name = self.prepared.plan.experiment.seed, self._seat.reviewer
        merit, (first, second) = find_latent(one, seed=seed).merit, one.shown
        places = [draw_normal(seed, "p", name, one.id, place) for place in (0, 1)]
        return _Item(
            comparison=one,
            merit=merit[first] - merit[second],
            shared=self._subtract(one, "u"),
            own=self._subtract(one, "v", name),
            place=places[0] - places[1],
        )

    def _subtract(self, one: Comparison, *key: str) -> float:
        """Draw a number for every answer; return the first answer's less the second's."""
        seed = self.prepared.plan.experiment.seed
        first, second = (draw_normal(seed, *key, one.id, answer) for answer in one.shown)
        return first - second


def _find_traits(judge: Judge, task: str) -> tuple[Traits, str]:
    """Return traits and digest of the wording of a prompt with this task, for the first comparison."""
    plan = judge.prepared.plan
    (part, *_), comparison = plan.parts, plan.comparisons[0]
    (seat,) = part.seats
    cue, *_ = part.protocol.next_cues(part.seats, comparison, ())
    pack = replace(part.pack, tasks={**part.pack.tasks, cue.task: task})
    temper = _build_temper(judge.shelf, seat.reviewer)
    messages = render(
        pack, seats=part.seats, comparison=comparison, turns=(), cue=cue, role=temper.card.role
    )
    request = Request(
        discussion="",
        turn=0,
        seat=seat,
        cue=cue,
        comparison=comparison,
        heard=(),
        messages=messages,
        drawn=lambda: "",
    )
    return temper.find_traits(request)


@cache
def _build_temper(shelf: Shelf, name: str) -> Temper:
    return Temper(shelf.card(name))
