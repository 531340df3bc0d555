"""The figures that PRD printed of its discussions on LFQA, and the same figures of any tally.

Each discussed accuracy counts also as a gain over the mean private accuracy of its pair: published by
subtraction, and much less noisy than either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from studies.analytic import Floats
from studies.calibration.targets import Figure, Pair, PrdTargets

__all__ = [
    "ACCURACIES",
    "ALTERED",
    "DISCUSSED",
    "GAIN",
    "HELD",
    "Tally",
    "figures",
    "leads",
    "tally",
]

PRIVATE = "PRD Table 4, private"
DISCUSSED = "PRD Table 4, discussed"
GAIN = "PRD Table 4, gain"
PROMPT = "PRD Table 9"
WINS = "PRD Table 6"
PLACE = "PRD Table 7"
HELD = "PRD section 5, held"
ALTERED = "PRD section 5, altered as leader"

ACCURACIES = (PRIVATE, DISCUSSED, PROMPT)
"""The groups whose figures are accuracies on all 140 questions."""

_SPREADS = {
    PRIVATE: 0.0394,
    DISCUSSED: 0.0387,
    GAIN: 0.0225,
    PROMPT: 0.0387,
    WINS: 0.056,
    PLACE: 0.079,
    HELD: 10.0,
    ALTERED: 1.5,
}
_AFTER = 0.85
"""Figures after discussing are means of several discussions, and scatter less."""

_WHEN = ("private", "after")
_PLACES = (
    "private, GPT-3 first",
    "private, human first",
    "after, GPT-3 first",
    "after, human first",
)
"""About the sampling errors: of 140 questions, of 75, of 37; of paired differences; of counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a cast does on the questions, as PRD counts it.

    Accuracies in private by run, and in discussions by (pair or prompt, who leads); wins of GPT-3 by
    reviewer in private and after, each with GPT-3 first and second; events by reviewer. The values are
    numbers, or arrays over simulated studies.
    """

    private: Mapping[str, Floats]
    discussed: Mapping[tuple[str, int], Floats]
    prompts: Mapping[tuple[str, int], Floats]
    wins: Mapping[str, tuple[Floats, Floats, Floats, Floats]]
    held: Mapping[str, Floats]
    altered: Mapping[str, Floats]


def leads(pair: Pair) -> tuple[str, str, str]:
    """How the three discussions of a pair are told apart."""
    one, other = ("first", "second") if pair.copies else pair.reviewers
    return f"{one} leads", f"{other} leads", "random"


def figures(published: PrdTargets) -> tuple[Figure, ...]:
    """Every figure, the gains included, in the order of the tables."""
    return (*_accuracies(published), *_gains(published), *_of_gpt3(published), *_events(published))


def tally(tallied: Tally, published: PrdTargets) -> Mapping[str, Floats]:
    """The figures, by id, that these counts make."""
    found: dict[str, Floats] = {}
    for run, value in tallied.private.items():
        found[f"{PRIVATE}: {run}"] = value
    for pair in published.pairs:
        one, other = (tallied.private[run] for run in pair.runs or pair.reviewers)
        for place, lead in enumerate(leads(pair)):
            value = tallied.discussed[pair.name, place]
            found[f"{DISCUSSED}: {pair.name}, {lead}"] = value
            found[f"{GAIN}: {pair.name}, {lead}"] = value - (one + other) / 2
    for (prompt, place), value in tallied.prompts.items():
        found[f"{PROMPT}: {prompt}, {leads(published.pairs[0])[place]}"] = value
    for name, wins in tallied.wins.items():
        found.update(_wins(name, wins, published))
    found |= {f"{HELD}: {name}": tallied.held[name] for name in published.held}
    found |= {f"{ALTERED}: {name}": tallied.altered[name] for name in published.altered_as_leader}
    return found


def _figure(group: str, name: str, published: float, *, shrink: float = 1.0) -> Figure:
    return Figure(group=group, name=name, published=published, spread=_SPREADS[group] * shrink)


def _accuracies(published: PrdTargets) -> Iterator[Figure]:
    # The same private run is printed in several lines of Table 4.
    runs: dict[str, float] = {}
    for pair in published.pairs:
        runs |= dict(zip(pair.runs or pair.reviewers, pair.private, strict=True))
    for run, value in runs.items():
        yield _figure(PRIVATE, run, value)
    for pair in published.pairs:
        for lead, value in zip(leads(pair), pair.discussion, strict=True):
            yield _figure(DISCUSSED, f"{pair.name}, {lead}", value)
    for prompt, values in published.prompts.items():
        for lead, value in zip(leads(published.pairs[0]), values, strict=True):
            yield _figure(PROMPT, f"{prompt}, {lead}", value)


def _gains(published: PrdTargets) -> Iterator[Figure]:
    for pair in published.pairs:
        for lead, value in zip(leads(pair), pair.discussion, strict=True):
            yield _figure(GAIN, f"{pair.name}, {lead}", value - sum(pair.private) / 2)


def _of_gpt3(published: PrdTargets) -> Iterator[Figure]:
    for group, table, columns in (
        (WINS, published.gpt3_wins, _WHEN),
        (PLACE, published.gpt3_wins_by_place, _PLACES),
    ):
        for name, values in table.items():
            for column, value in zip(columns, values, strict=True):
                shrink = _AFTER if column.startswith("after") else 1.0
                yield _figure(group, f"{name}, {column}", value, shrink=shrink)


def _events(published: PrdTargets) -> Iterator[Figure]:
    for name, count in published.held.items():
        yield _figure(HELD, name, count)
    for name, count in published.altered_as_leader.items():
        yield _figure(ALTERED, name, count)


def _wins(
    name: str, wins: tuple[Floats, Floats, Floats, Floats], published: PrdTargets
) -> Iterator[tuple[str, Floats]]:
    first = sum(kind.count for kind in published.questions if kind.machine > 0)
    second = sum(kind.count for kind in published.questions if kind.machine < 0)
    for when, (ahead, behind) in zip(_WHEN, (wins[:2], wins[2:]), strict=True):
        yield f"{WINS}: {name}, {when}", (ahead * first + behind * second) / (first + second)
    for place, value in zip(_PLACES, wins, strict=True):
        yield f"{PLACE}: {name}, {place}", value
