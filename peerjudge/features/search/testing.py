"""The held-out test of a search, and its transfer to other reviewers and data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.coefficients import resample_coefficients
from peerjudge.data import Condition, Dataset, Experiment, Measurement, Seating, replace
from peerjudge.features.search.findings import RatingFit, TestFindings, TransferRow
from peerjudge.features.search.nouns import Candidate
from peerjudge.features.search.objectives import Objective, Scored, measure_gain
from peerjudge.features.search.playing import Player
from peerjudge.features.search.targets import change_cards, change_packs
from peerjudge.runs import Prepared, prepare
from peerjudge.runs.ledger import Spending
from peerjudge.shelf import OverlaidShelf, Shelf
from peerjudge.statistics.interval import SHARE, measure_mean
from peerjudge.statistics.sampler import Sampler
from peerjudge.statistics.testing import compare_correlations

BASE, CHOSEN = "base", "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Scores of base and chosen on the same questions."""

    questions: tuple[str, ...]
    base: Scored
    chosen: Scored

    def measure(self, objective: Objective) -> tuple[Measurement, Measurement, Measurement]:
        """Return the means of both, and of their difference; questions are the unit."""
        ours = [self.chosen.scores.get(question, 0.0) for question in self.questions]
        theirs = [self.base.scores.get(one, 0.0) for one in self.questions]
        clusters = np.arange(len(ours))
        differences = [one - other for one, other in zip(ours, theirs, strict=True)]
        return (
            measure_mean(theirs, clusters, limits=SHARE),
            measure_mean(ours, clusters, limits=SHARE),
            measure_gain(differences, objective=objective),
        )


async def play_both(player: Player, chosen: Candidate, questions: Sequence[str]) -> Played:
    """Play base and chosen as conditions of one run, which then is the run of the folder.

    Raises:
        StoppedError: a limit was reached.
    """
    prepared, shelf = _pair(player, chosen, player.select(questions))
    return await _play(player, prepared, shelf, questions, shown=True)


async def transfer(
    player: Player,
    chosen: Candidate,
    *,
    questions: Sequence[str],
    cards: Sequence[str],
    datasets: Sequence[Dataset],
) -> tuple[TransferRow, ...]:
    """Return base and chosen by reviewer and dataset: others on the test questions, all on other data.

    Raises:
        StoppedError: a limit was reached.
    """
    own = player.select(questions)
    rows: list[TransferRow] = []
    for data in (own, *datasets):
        for card in ("", *cards):
            if data is own and not card:
                continue
            prepared, shelf = _pair(player, chosen, data, card=card)
            names = tuple(dict.fromkeys(one.question.id for one in data.comparisons))
            played = await _play(player, prepared, shelf, names)
            base, ours, difference = played.measure(player.objective)
            rows.append(
                TransferRow(
                    reviewer=card or ", ".join(player.base.plan.cast),
                    data=data.name,
                    base=base,
                    chosen=ours,
                    difference=difference,
                )
            )
    return tuple(rows)


def find_test(played: Played, objective: Objective) -> TestFindings:
    """Return the findings of the held-out test."""
    base, chosen, difference = played.measure(objective)
    named = {BASE: played.base, CHOSEN: played.chosen}
    rated = {name: _flatten(one) for name, one in named.items()}
    fits = {name: _fit(pairs) for name, pairs in rated.items() if len(pairs) > 1}
    return TestFindings(
        base=base,
        chosen=chosen,
        difference=difference,
        consistency={name: one.consistency for name, one in named.items()},
        unreadable={name: one.unreadable for name, one in named.items()},
        ratings=fits,
        williams=_test_correlations(played) if fits else None,
    )


def _flatten(scored: Scored) -> list[tuple[float, float]]:
    return [pair for pairs in scored.ratings.values() for pair in pairs]


def _fit(pairs: Sequence[tuple[float, float]]) -> RatingFit:
    x, y = np.asarray(pairs, dtype=np.float64).T
    names = ("pearson", "kendall")
    whole = np.zeros(len(x), dtype=np.int32)
    found = resample_coefficients(x, y, whole, sampler=Sampler(samples=0))
    values = {name: float(found[name][0]) for name in names}
    return RatingFit(mae=float(np.abs(x - y).mean()), **values)


def _test_correlations(played: Played) -> float | None:
    """Return p of Williams' test on the answers that both could rate."""
    gold: list[float] = []
    ours: list[float] = []
    theirs: list[float] = []
    clusters: list[int] = []
    for number, question in enumerate(played.questions):
        one = played.chosen.ratings.get(question, ())
        other = played.base.ratings.get(question, ())
        if len(one) != len(other):
            continue
        for (rating, right), (base, _) in zip(one, other, strict=True):
            gold.append(right)
            ours.append(rating)
            theirs.append(base)
            clusters.append(number)
    found = compare_correlations(gold, ours, theirs, np.asarray(clusters))
    return None if found is None else found.p_value


def _pair(
    player: Player, chosen: Candidate, dataset: Dataset, *, card: str = ""
) -> tuple[Prepared, Shelf]:
    """Resolve an experiment in which every condition is played with the base and with the chosen texts.

    With a `card`, it takes every seat; a role that the search found is laid on it.
    """
    shelf, plan = player.shelf, player.base.plan
    packs = change_packs(chosen.texts, player.base, shelf)
    cards = change_cards(chosen.texts, player.base, shelf)
    if card and cards:
        cards = {card: replace(shelf.card(card), role=next(iter(cards.values())).role)}
    named = {name: f"{name}_{CHOSEN}" for name in (*packs, *cards)}
    overlaid = OverlaidShelf(
        project=shelf.project,
        builtin=shelf.builtin,
        packs={named[name]: replace(pack, name=named[name]) for name, pack in packs.items()},
        cards={named[name]: replace(card, name=named[name]) for name, card in cards.items()},
        origins={new: old for old, new in named.items()},
    )
    experiment = plan.experiment
    conditions = [
        _rename(_seat(condition, card), experiment, named if way == CHOSEN else {}, way)
        for condition in experiment.conditions
        for way in (BASE, CHOSEN)
    ]
    data = experiment.data if dataset.name == player.dataset.name else dataset.name
    both = replace(experiment, data=data, conditions=tuple(conditions), primary="", seats={})
    prepared = prepare(both, shelf=overlaid, dataset=dataset)
    return prepared, overlaid


def _rename(
    condition: Condition,
    experiment: Experiment,
    named: Mapping[str, str],
    way: str,
) -> Condition:
    pack = condition.prompts or experiment.prompts
    several = len(experiment.conditions) > 1
    return replace(
        condition,
        name=f"{condition.name}: {way}" if several else way,
        prompts=named.get(pack, pack),
        seats=tuple(
            replace(seat, reviewer=named.get(seat.reviewer, seat.reviewer))
            if isinstance(seat, Seating)
            else named.get(seat, seat)
            for seat in condition.seats
        ),
    )


def _seat(condition: Condition, card: str) -> Condition:
    """Return the condition with another reviewer on every seat; unchanged without one."""
    if not card:
        return condition
    seats = [
        replace(seat, reviewer=card) if isinstance(seat, Seating) else card
        for seat in condition.seats
    ]
    return replace(condition, seats=tuple(seats))


async def _play(
    player: Player,
    prepared: Prepared,
    shelf: Shelf,
    questions: Sequence[str],
    *,
    shown: bool = False,
) -> Played:
    found = await player.play(prepared, shelf, reserve=Spending(tokens=0, usd=0.0), shown=shown)
    # A discussion that was played before has the condition of then, so it is found by its id.
    ways = {head.id: head.condition.rpartition(": ")[2] for head in prepared.plan}
    parts = {way: [one for one in found if ways[one.id] == way] for way in (BASE, CHOSEN)}
    return Played(
        questions=tuple(questions),
        base=player.score(parts[BASE], questions),
        chosen=player.score(parts[CHOSEN], questions),
    )
