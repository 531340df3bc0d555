"""Report of the ecology of peer ranking: the weight of able reviewers under several rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from peerjudge.data import Measurement, Scheme
from peerjudge.reporting.figures import Figure
from studies.ecology.population import Floats, History, Population, Rule, play_rounds
from studies.outcome import Study, Table, draw_curves

_SIZE = 12
_FACTIONS = (0, 2, 4, 5, 6, 7, 8, 10)
_SHOWN = (2, 4, 6, 7, 8)
_OWN = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
_ROUNDS = 25
_POPULATIONS = 200

_SMALL = Population(able=2, faction=2, quality=(0.3, -0.3), pull=0.0)
"""A small circle of similar reviewers, in which self-reviews matter; the less able favour themselves."""

EQUAL = Rule(name="equal weights", scheme=None)
PRD = Rule(name="PRD", scheme=Scheme.PRD)
ALL_HEARD = Rule(name="PRD, all heard", scheme=Scheme.PRD, all_heard=True)
DAMPED = Rule(name="damped, 0.85", scheme=Scheme.DAMPED)
HALF = Rule(name="damped, 0.5", scheme=Scheme.DAMPED, damping=0.5)
_RULES = (EQUAL, PRD, ALL_HEARD, DAMPED, HALF)
PRD_OTHERS = Rule(name="PRD, no self-review", scheme=Scheme.PRD, exclude_self=True)
DAMPED_OTHERS = Rule(name="damped, no self-review", scheme=Scheme.DAMPED, exclude_self=True)
_SELF_RULES = (PRD, PRD_OTHERS, DAMPED, DAMPED_OTHERS)

_UP = "weight of the able"
_Curve = tuple[str, str, Sequence[float], Sequence[Measurement]]
Found = Mapping[Rule, Sequence[History]]


def compute_ecology(*, seed: int, populations: int = _POPULATIONS, rounds: int = _ROUNDS) -> Study:
    """Play populations with growing factions, and with growing self-enhancement, under every rule.

    Args:
        seed: of all draws.
        populations: number of each kind.
        rounds: number of rounds.
    """

    def play(kind: Population, rule: Rule) -> History:
        return play_rounds(kind, rule, rounds=rounds, populations=populations, seed=seed)

    kinds = [Population(able=_SIZE - faction, faction=faction) for faction in _FACTIONS]
    vain = [replace(_SMALL, own=own) for own in _OWN]
    by_rule: Found = {rule: [play(kind, rule) for kind in kinds] for rule in _RULES}
    by_own: Found = {rule: [play(kind, rule) for kind in vain] for rule in _SELF_RULES}
    factions = [f"{faction} of {_SIZE}" for faction in _FACTIONS]
    return Study(
        title="The ecology of peer ranking",
        summary=tuple(_write_summary(by_rule, by_own)),
        tables=(
            _build_table(
                "Weight of the able at the end, by the size of the faction", factions, by_rule
            ),
            _build_captures(factions, by_rule),
            _build_table(
                "Weight of 2 able of 4 at the end, by how far the other 2 are drawn to their own "
                "answers",
                [f"{own:g} sd" for own in _OWN],
                by_own,
            ),
        ),
        figures=_draw_figures(by_rule, by_own),
        document={
            "simulated": True,
            "populations": populations,
            "rounds": rounds,
            "size": _SIZE,
            "capture": {
                rule.name: [
                    {"faction": faction, "able_weight": _average_end(one), "captured": one.captured}
                    for faction, one in zip(_FACTIONS, histories, strict=True)
                ]
                for rule, histories in by_rule.items()
            },
            "self_review": {
                rule.name: [
                    {"own": own, "able_weight": _average_end(one)}
                    for own, one in zip(_OWN, histories, strict=True)
                ]
                for rule, histories in by_own.items()
            },
        },
    )


def _draw_figures(by_rule: Found, by_own: Found) -> Mapping[str, Figure]:
    # Only three, so that their bands are visible.
    drawn = {rule: by_rule[rule] for rule in (EQUAL, PRD, DAMPED)}
    return {
        "rounds": draw_curves(
            "rounds",
            [
                _trace_rounds(f"{faction} of {_SIZE}", by_rule[PRD][_FACTIONS.index(faction)].able)
                for faction in _SHOWN
            ],
            title="Weight of the able over the rounds of PRD's scheme, by the faction's size: mean and "
            "95 % of populations",
            across="round",
            up=_UP,
        ),
        "capture": draw_curves(
            "capture",
            _trace_ends([faction / _SIZE for faction in _FACTIONS], drawn),
            title="Weight of the able after the last round, by the share of the faction: mean and 95 % "
            "of populations",
            across="share of the faction",
            up=_UP,
        ),
        "self-review": draw_curves(
            "self-review",
            _trace_ends(_OWN, by_own),
            title="Weight of 2 able of 4 after the last round, by the pull of the other 2 to their own "
            "answers: mean and 95 % of populations",
            across="self-enhancement [sd]",
            up=_UP,
        ),
    }


def _write_summary(by_rule: Found, by_own: Found) -> Iterator[str]:
    def able(rule: Rule, faction: int) -> str:
        return f"{_average_end(by_rule[rule][_FACTIONS.index(faction)]):.2f}"

    def first(rule: Rule, faction: int) -> str:
        return f"{by_rule[rule][_FACTIONS.index(faction)].captured:.0%}"

    few, many = by_rule[PRD][_FACTIONS.index(4)].able, by_rule[PRD][_FACTIONS.index(7)].able
    rounds = few.shape[1] - 1
    yield (
        f"{_SIZE} reviewers are contestants too. The able judge better and write better; a faction of "
        "the others is drawn to its own members' answers. Weights select the reviewers of the next round."
    )
    yield (
        f"Converging to the able: against a faction of 4, PRD's scheme gives the able {few[:, 1].mean():.2f} "
        f"of the weight after the first round and {few[:, -1].mean():.2f} after {rounds}; with equal "
        f"weights they have {able(EQUAL, 4)}."
    )
    yield (
        f"Capture: with a majority of 7 the able fall to {many[:, -1].mean():.2f} of the weight, and the "
        f"faction's best is ranked first in {first(PRD, 7)} of the populations ({first(EQUAL, 7)} with "
        f"equal weights, {first(DAMPED, 7)} damped). At 6 of {_SIZE} it is {first(PRD, 6)} under PRD's "
        f"scheme and {first(EQUAL, 6)} with equal weights: peer ranking helps the better half, but none "
        "of these rules undoes a majority."
    )
    yield (
        f"Damping moves both ends towards the middle: the able weigh {able(DAMPED, 4)} instead of "
        f"{able(PRD, 4)} against 4, and {able(DAMPED, 8)} instead of {able(PRD, 8)} against 8. It keeps "
        "all heard, and changes little in the first rank."
    )
    yield (
        f"Selection by weight matters less than the weights: with all heard alike the able end at "
        f"{able(ALL_HEARD, 4)} and {able(ALL_HEARD, 7)} against 4 and 7."
    )
    modest, vain = (
        {rule: _average_end(histories[end]) for rule, histories in by_own.items()}
        for end in (0, -1)
    )
    yield (
        f"Self-review, in a circle of four: beside two that nearly always choose themselves the two able "
        f"fall from {modest[PRD]:.2f} to {vain[PRD]:.2f} (damped: {modest[DAMPED]:.2f} to "
        f"{vain[DAMPED]:.2f}). Without self-reviews vanity gains nothing: {vain[PRD_OTHERS]:.2f} and "
        f"{vain[DAMPED_OTHERS]:.2f} in both cases."
    )


def _average_end(history: History) -> float:
    return float(history.able[:, -1].mean())


def _build_table(title: str, columns: Sequence[str], found: Found) -> Table:
    return Table(
        title=title,
        columns=("rule", *columns),
        rows=tuple(
            (rule.name, *(round(_average_end(one), 3) for one in histories))
            for rule, histories in found.items()
        ),
    )


def _build_captures(columns: Sequence[str], found: Found) -> Table:
    return Table(
        title="Share of populations in which one of the faction is ranked first",
        columns=("rule", *columns),
        rows=tuple(
            (rule.name, *(history.captured for history in histories))
            for rule, histories in found.items()
        ),
    )


def _trace_rounds(name: str, able: Floats) -> _Curve:
    at = [float(number) for number in range(able.shape[1])]
    return (
        name,
        f"{float(able[:, -1].mean()):.2f}",
        at,
        [_measure_band(column) for column in able.T],
    )


def _trace_ends(at: Sequence[float], found: Found) -> list[_Curve]:
    return [
        (
            rule.name,
            f"{_average_end(histories[-1]):.2f}",
            at,
            [_measure_band(history.able[:, -1]) for history in histories],
        )
        for rule, histories in found.items()
    ]


def _measure_band(values: Floats) -> Measurement:
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return Measurement(
        value=float(values.mean()), low=low, high=high, n=len(values), method="populations"
    )
