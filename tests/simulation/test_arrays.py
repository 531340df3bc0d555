"""Studies drawn as arrays agree with spoken discussions."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from peerjudge.data import (
    TIE,
    Card,
    Comparison,
    EventKind,
    ReviewerKind,
    Sampling,
    Transcript,
    Verdict,
    replace,
)
from peerjudge.engine import discuss
from peerjudge.errors import DataError, ProtocolError
from peerjudge.shelf import Shelf
from peerjudge.simulation import SimulatedReviewer, Traits
from peerjudge.simulation.arrays import Items, Speaker, World, build_items, build_speaker
from peerjudge.simulation.discussions import play_script
from peerjudge.simulation.scripts import write_script
from peerjudge.testing import comparison_of, seats_of
from peerjudge.tracker import opinion_events, stance_of

TRAITS = {
    "ability": 0.9,
    "surface": 0.6,
    "position_bias": 0.3,
    "self_enhancement": 0.4,
    "machine_taste": 0.2,
    "verbosity": 0.3,
    "shared_error": 0.3,
    "copy_error": 0.2,
    "place_error": 0.15,
    "susceptibility": 0.5,
    "firmness": 1.2,
    "truth_pull": 0.8,
    "tie_width": 0.3,
    "length": 20,
}
OTHERS = TRAITS | {"ability": 0.4, "susceptibility": 1.5, "position_bias": -0.4}
CARDS = {
    name: Card(name=name, kind=ReviewerKind.SIMULATED, family=family, traits=traits)
    for name, family, traits in (
        ("one", "claude", TRAITS | {"persuasiveness": 1.5}),
        ("two", "human", OTHERS),
    )
}
SHELF = Shelf()
CONTRADICTED = (EventKind.ALTERED, EventKind.HELD, EventKind.SHIFTED)
NONE = 9


def _comparisons(count: int) -> list[Comparison]:
    """Build pairs of several kinds: misleading ones, longer ones, a machine's, a reviewer's own."""
    made = []
    for number in range(count):
        pair = comparison_of(gold=number % 2 + 1, name=f"item-{number}")
        first, second = pair.answers
        first = replace(first, author=("gpt3", "human", "claude")[number % 3])
        second = replace(second, author="human", text=second.text + " and more" * (number % 4))
        subset = "Neighbor" if number % 3 == 0 else ""
        made.append(replace(pair, answers=(first, second), subset=subset))
    return made


def _seats(names: tuple[str, ...], temperatures: tuple[float, ...], *, logprobs: bool = False):
    return tuple(
        replace(
            seat,
            reviewer=name,
            sampling=Sampling(temperature=temperature, logprobs=logprobs),
        )
        for seat, name, temperature in zip(seats_of(len(names)), names, temperatures, strict=True)
    )


def _value(verdict: Verdict | None, comparison: Comparison) -> int:
    if verdict == TIE:
        return 0
    if verdict is None or verdict.choice is None:
        return NONE
    return 1 if verdict.choice == comparison.shown[0] else -1


async def _spoken(protocol, seats, comparisons, *, swapped: bool, seed: int) -> np.ndarray:
    """Return by discussion the verdict, private and final stances, and events of each seat."""
    reviewers = {seat.id: SimulatedReviewer(CARDS[seat.reviewer], seed=seed) for seat in seats}
    pack, rows = SHELF.prompts("long_form"), []
    for comparison in comparisons:
        head = Transcript(
            id=f"d-{comparison.id}",
            comparison=comparison.swapped() if swapped else comparison,
            protocol=protocol.name,
            seats=seats,
        )
        ended = await discuss(head, protocol=protocol, reviewers=reviewers, pack=pack, roles={})
        stances = [
            (stance_of(ended, seat, stance="private"), stance_of(ended, seat, stance="final"))
            for seat in seats
        ]
        gold = _value(comparison.gold, comparison)
        private = [_value(stance, comparison) for stance, _ in stances]
        final = [_value(stance, comparison) for _, stance in stances]
        found = opinion_events(ended)
        events = [[event.kind for event in found if event.seat == seat.id] for seat in seats]
        verdict = _value(ended.verdict, comparison)
        rows.append(
            _row(verdict, gold, private, final)
            + [sum(event in CONTRADICTED for event in seat) for seat in events]
            + [seat.count(EventKind.ALTERED) for seat in events]
        )
    return np.array(rows, dtype=float)


def _row(verdict, gold, private, final) -> list:
    alike = np.all([stance == private[0] for stance in private], axis=0)
    shares = [verdict == gold, verdict == 1, verdict == 0, verdict == NONE, alike]
    for before, after in zip(private, final, strict=True):
        shares += [before == gold, before == 1, after == gold]
    return shares


def _drawn(protocol, seats, comparisons, *, swapped: bool, studies: int):
    """Return the discussions drawn as arrays, and their verdicts and stances as `_row` has them."""
    world = World(build_items(comparisons), studies=studies, random=np.random.default_rng(3))
    speakers = {seat.id: build_speaker(CARDS[seat.reviewer], comparisons) for seat in seats}
    script = write_script(protocol, seats, comparisons[0], swapped=swapped)
    played = play_script(script, world, speakers, draws={})
    return played, _row(played.conclusion, world.gold, played.private, played.final)


@pytest.mark.parametrize(
    ("name", "options", "names", "temperatures", "swapped", "logprobs"),
    [
        ("leader_follower", {}, ("one", "two"), (1, 0.5), False, False),
        (
            "leader_follower",
            {"outcome": "majority", "hears": "own", "ties": True},
            ("two", "one"),
            (1, 1),
            True,
            False,
        ),
        ("self_discussion", {"outcome": "leader"}, ("one", "one"), (0.2, 1), False, False),
        ("panel", {}, ("one", "two", "one"), (1, 1, 1), True, False),
        ("at_once", {}, ("one", "two", "one"), (1, 1, 1), True, False),
        ("panel", {"rounds": 2}, ("two", "one", "two", "two"), (1, 1, 1, 1), False, False),
        ("leader_follower", {"control": "placebo"}, ("one", "two"), (1, 1), False, False),
        ("leader_follower", {"control": "irrelevant"}, ("one", "two"), (1, 1), True, False),
        ("leader_follower", {"control": "swapped"}, ("one", "two"), (1, 1), False, False),
        ("panel", {"control": "swapped"}, ("one", "two", "two"), (1, 1, 1), True, False),
        ("vote", {}, ("one", "two", "one", "two"), (1, 1, 1, 1), False, False),
        ("prepair_discussion", {}, ("one", "two"), (1, 1), False, False),
        ("pairwise", {}, ("one",), (1,), True, False),
        ("prepair", {}, ("one",), (0.0,), False, False),
        ("prepair_star", {}, ("two",), (1,), False, False),
        ("pointwise", {}, ("one",), (1,), False, False),
        ("pointwise", {}, ("one",), (1,), False, True),
    ],
)
def test_arrays_and_words_agree_in_distribution(
    name, options, names, temperatures, swapped, logprobs
):
    """Every protocol gives the same shares of verdicts, stances and events in arrays and in words."""
    comparisons = _comparisons(180)
    protocol = SHELF.protocol(name, options)
    seats = _seats(names, temperatures, logprobs=logprobs)
    spoken = asyncio.run(_spoken(protocol, seats, comparisons, swapped=swapped, seed=11))
    played, drawn = _drawn(protocol, seats, comparisons, swapped=swapped, studies=40)
    drawn += [*played.contradicted, *played.altered]
    means = np.array([np.mean(values) for values in drawn])
    error = spoken.std(axis=0) / np.sqrt(len(spoken)) + 1e-3
    assert np.abs((spoken.mean(axis=0) - means) / error).max() < 4.0


TWO, COPIES = ("one", "two"), ("one", "one")
PATTERN = [0, 5, 6, 7, 8, 9, 10]
"""Of a row: the verdict right; seat by seat private right, private first, final right."""


@pytest.mark.parametrize(
    ("name", "names", "temperatures", "swapped"),
    [
        ("leader_follower", TWO, (1, 1), False),
        pytest.param("leader_follower", TWO, (1, 1), True, marks=pytest.mark.slow),
        pytest.param("leader_follower", TWO[::-1], (1, 1), False, marks=pytest.mark.slow),
        ("leader_follower", TWO[::-1], (1, 1), True),
        ("self_discussion", COPIES, (0.2, 1), False),
    ],
    ids=["one-leads", "one-leads-swapped", "two-leads", "two-leads-swapped", "copies"],
)
def test_patterns_and_scatter_agree_over_many_seeds(name, names, temperatures, swapped):
    """Patterns of verdicts and the scatter of studies are the same in arrays and in words.

    Chi-square over the patterns of a discussion's verdicts, Kolmogorov-Smirnov over the gains of
    studies, whose spread comes from the errors that reviewers and copies share.
    """
    comparisons, protocol = _comparisons(12), SHELF.protocol(name)
    seats = _seats(names, temperatures)
    spoken = np.stack(
        [
            asyncio.run(_spoken(protocol, seats, comparisons, swapped=swapped, seed=seed))
            for seed in range(25)
        ]
    )
    _, row = _drawn(protocol, seats, comparisons, swapped=swapped, studies=2000)
    drawn = np.stack(row, axis=-1).astype(float)
    assert _same_patterns(spoken, drawn) > 0.001
    assert ks_2samp(_gains(spoken), _gains(drawn)).pvalue > 0.001


def _same_patterns(spoken: np.ndarray, drawn: np.ndarray) -> float:
    """Return the p-value that both have one distribution of patterns; rare ones are pooled."""
    size = 2 ** len(PATTERN)
    powers = 2 ** np.arange(len(PATTERN))
    counts = np.array(
        [
            np.bincount((rows[..., PATTERN] @ powers).astype(int).ravel(), minlength=size)
            for rows in (spoken, drawn)
        ]
    )
    expected = counts[1] * counts[0].sum() / counts[1].sum()
    common = expected >= 5
    table = np.column_stack([counts[:, common], counts[:, ~common].sum(axis=1)])
    return chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue


def _gains(rows: np.ndarray) -> np.ndarray:
    """Return by study how much more often final verdicts are right than private ones."""
    return (rows[..., [7, 10]] - rows[..., [5, 8]]).mean(axis=(1, 2))


def test_errors_of_place_reverse_when_the_answers_are_swapped():
    """An error of place makes a reviewer less consistent when the answers are swapped."""
    world = World(Items.build_plain([1] * 50), studies=200, random=np.random.default_rng(2))
    same = {}
    for share in (0.0, 0.6):
        speaker = Speaker(name=f"r{share}", traits=Traits(ability=0.3, place_error=share))
        given, turned = (world.draw_verdicts(speaker, swapped=swapped) for swapped in (False, True))
        same[share] = (given == turned).mean()
    assert same[0.6] < same[0.0] - 0.1


def test_errors_are_shared_as_planted_in_arrays_too():
    """Two normal signs of correlation r agree with probability 1/2 + arcsin(r) / pi."""
    world = World(Items.build_plain([1] * 50), studies=400, random=np.random.default_rng(2))
    traits = Traits(ability=0.0, shared_error=0.3, copy_error=0.5)
    one, other = (Speaker(name=name, traits=traits) for name in ("one", "two"))
    first = world.draw_verdicts(one)
    for speaker, correlation in ((one, 0.8), (other, 0.3)):
        agreed = (first == world.draw_verdicts(speaker)).mean()
        assert agreed == pytest.approx(0.5 + np.arcsin(correlation) / np.pi, abs=0.015)


def test_protocols_that_cannot_be_followed_raise_an_error():
    """Three answers, and protocols without a verdict, raise an error."""
    seats = _seats(("one",), (1.0,))
    with pytest.raises(ProtocolError, match="two answers"):
        write_script(SHELF.protocol("n_way"), seats, comparison_of(3, gold=1))
    with pytest.raises(DataError, match="only pairs"):
        build_items([comparison_of(3, gold=1)])
