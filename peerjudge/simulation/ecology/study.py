"""The ecology of peer ranking as a study: who ends up with the weight, and what changes that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from peerjudge.data import Curve, CurveFigure, Measurement, Scheme, Study, StudyTable
from peerjudge.simulation.ecology.population import (
    Floats,
    History,
    Population,
    Rule,
    play_rounds,
)

__all__ = ["ecology_study"]

_SIZE = 12
_FACTIONS = (0, 2, 4, 5, 6, 7, 8, 10)
_SHOWN = (2, 4, 6, 7, 8)
_OWN = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
_ROUNDS = 25
_POPULATIONS = 200
_CLEARLY = 0.01

_SMALL = Population(able=2, faction=2, quality=(0.3, -0.3), pull=0.0)
"""Few and not far apart, so that one's own reviews weigh; the less able love themselves only."""

EQUAL = Rule(name="equal weights", scheme=None)
PRD = Rule(name="PRD", scheme=Scheme.PRD)
DAMPED = Rule(name="damped, 0.85", scheme=Scheme.DAMPED)
HALF = Rule(name="damped, 0.5", scheme=Scheme.DAMPED, damping=0.5)
_RULES = (EQUAL, PRD, DAMPED, HALF)
_SELF_RULES = (
    PRD,
    Rule(name="PRD, no self-review", scheme=Scheme.PRD, exclude_self=True),
    DAMPED,
    Rule(name="damped, no self-review", scheme=Scheme.DAMPED, exclude_self=True),
)

Found = Mapping[Rule, Sequence[History]]


def ecology_study(*, seed: int, populations: int = _POPULATIONS, rounds: int = _ROUNDS) -> Study:
    """Play populations of growing factions, and of growing love of oneself, under every rule.

    Args:
        seed: of all draws.
        populations: how many of each kind.
        rounds: how many each plays.
    """

    def play(kind: Population, rule: Rule) -> History:
        return play_rounds(kind, rule, rounds=rounds, populations=populations, seed=seed)

    kinds = [Population(able=_SIZE - faction, faction=faction) for faction in _FACTIONS]
    vain = [replace(_SMALL, own=own) for own in _OWN]
    by_rule: Found = {rule: [play(kind, rule) for kind in kinds] for rule in _RULES}
    by_own: Found = {rule: [play(kind, rule) for kind in vain] for rule in _SELF_RULES}
    shares = [faction / _SIZE for faction in _FACTIONS]
    return Study(
        title="The ecology of peer ranking",
        summary=tuple(_sentences(by_rule, by_own)),
        tables=(
            _table("Weight of the able at the end, by the faction's share", shares, by_rule),
            _captures(shares, by_rule),
            _table(
                "Weight of 2 able of 4 at the end, by the self-love of the other 2", _OWN, by_own
            ),
        ),
        figures=_figures(by_rule, by_own, shares),
        document={
            "simulated": True,
            "populations": populations,
            "rounds": rounds,
            "size": _SIZE,
            "capture": {
                rule.name: [
                    {"faction": faction, "able_weight": _end(one), "captured": one.captured}
                    for faction, one in zip(_FACTIONS, histories, strict=True)
                ]
                for rule, histories in by_rule.items()
            },
            "self_review": {
                rule.name: [
                    {"own": own, "able_weight": _end(one)}
                    for own, one in zip(_OWN, histories, strict=True)
                ]
                for rule, histories in by_own.items()
            },
        },
    )


def _figures(by_rule: Found, by_own: Found, shares: Sequence[float]) -> Mapping[str, CurveFigure]:
    return {
        "rounds": CurveFigure(
            title="Weight of the able over the rounds of PRD's scheme, by the faction's size",
            across="round",
            up="weight of the able",
            curves=tuple(
                _over_rounds(f"{faction} of {_SIZE}", by_rule[PRD][_FACTIONS.index(faction)].able)
                for faction in _SHOWN
            ),
        ),
        "capture": _final(
            "Weight of the able after the last round, by the share of the faction",
            "share of the faction",
            shares,
            by_rule,
        ),
        "self-review": _final(
            "Weight of 2 able of 4 after the last round, by the pull of the other 2 to their own answers",
            "self-enhancement",
            _OWN,
            by_own,
        ),
    }


def _sentences(by_rule: Found, by_own: Found) -> Iterator[str]:
    yield (
        f"{_SIZE} reviewers are contestants too. The able judge better and write better; a faction of "
        "the others favours its own members. Weights decide who is heard in the next round."
    )
    for rule, histories in by_rule.items():
        ends = [_end(history) for history in histories]
        more = [f for f, end in zip(_FACTIONS, ends, strict=True) if end > 1 - f / _SIZE + _CLEARLY]
        lost = [f for f, one in zip(_FACTIONS, histories, strict=True) if one.captured > 0.5]
        kept = f"up to {max(more)} members" if more else "no size"
        fallen = f"from {min(lost)} members on" if lost else "at no size tried"
        yield (
            f"{rule.name}: the able weigh more than their number against a faction of {kept}; the "
            f"faction's best is ranked first in most populations {fallen}."
        )
    for rule, histories in by_own.items():
        yield (
            f"{rule.name}: two able of four weigh {_end(histories[0]):.2f} beside two who are modest, "
            f"and {_end(histories[-1]):.2f} beside two who all but always choose themselves."
        )


def _end(history: History) -> float:
    return float(history.able[:, -1].mean())


def _table(title: str, columns: Sequence[float], found: Found) -> StudyTable:
    return StudyTable(
        title=title,
        columns=("rule", *(f"{column:.2f}" for column in columns)),
        rows=tuple((rule.name, *map(_end, histories)) for rule, histories in found.items()),
    )


def _captures(columns: Sequence[float], found: Found) -> StudyTable:
    return StudyTable(
        title="Populations in which the faction's best is ranked first, by the faction's share",
        columns=("rule", *(f"{column:.2f}" for column in columns)),
        rows=tuple(
            (rule.name, *(history.captured for history in histories))
            for rule, histories in found.items()
        ),
    )


def _over_rounds(name: str, able: Floats) -> Curve:
    return Curve(
        name=name,
        at=tuple(float(number) for number in range(able.shape[1])),
        values=tuple(_band(column) for column in able.T),
        note=f"{float(able[:, -1].mean()):.2f}",
    )


def _final(title: str, across: str, at: Sequence[float], found: Found) -> CurveFigure:
    return CurveFigure(
        title=title,
        across=across,
        up="weight of the able",
        curves=tuple(
            Curve(
                name=rule.name,
                at=tuple(at),
                values=tuple(_band(history.able[:, -1]) for history in histories),
                note=f"{_end(histories[-1]):.2f}",
            )
            for rule, histories in found.items()
        ),
    )


def _band(values: Floats) -> Measurement:
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return Measurement(
        value=float(values.mean()), low=low, high=high, n=len(values), method="populations"
    )
