"""Report of the region: the truth pull from which a discussion of two beats its better seat.

Two reviewers discuss under both leaders, two turns each, and conclude what they agree on, or else what
the leader thinks. The better seat is the abler one, asked once. Truth pull is what makes a reviewer yield
sooner to a right argument than to a wrong one; it is the only source of gains over the better seat that
hearing each other has in this model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from peerjudge.data import Measurement
from peerjudge.reporting.figures import Figure
from peerjudge.simulation.arrays import Items, Speaker, World, score_verdicts
from peerjudge.simulation.traits import Traits
from studies.outcome import Study, Table, draw_curves
from studies.talks import simulate_talk

ABILITY = 1.3
RATIOS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SHARED = (0.0, 0.3, 0.6)
PULLS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0)
_TURNS = 4
_NONE = 0.1
_ITEMS, _STUDIES = 200, 500

Gains = Mapping[float, Mapping[float, Sequence[float]]]
"""The difference from the better seat by shared error and ratio of abilities, for each truth pull."""


def measure_gain(*, ratio: float, shared: float, pull: float, seed: int, studies: int) -> float:
    """Return the accuracy of the discussion minus that of the abler seat alone.

    Args:
        ratio: ability of the other seat as a share of the abler one's.
        shared: share of the error variance that both seats have in common.
        pull: truth pull of both.
        seed: of the simulated studies, the same for all points, so that these differ by less.
        studies: number of studies of 200 questions.
    """
    world = World(
        Items.build_plain([1 - 2 * (number % 2) for number in range(_ITEMS)]),
        studies=studies,
        random=np.random.default_rng(seed),
    )
    able, other = (
        Speaker(
            name=name,
            traits=Traits(
                ability=ability, shared_error=shared, copy_error=0.15, firmness=2.0, truth_pull=pull
            ),
        )
        for name, ability in (("able", ABILITY), ("other", ratio * ABILITY))
    )
    private = {one.name: world.draw_verdicts(one) for one in (able, other)}
    concluded: list[float] = []
    for seats in ((able, other), (other, able)):
        held = simulate_talk(world, seats, [private[one.name] for one in seats], turns=_TURNS)
        concluded.append(float(score_verdicts(held.stances[0], world).mean()))
    alone = float(score_verdicts(private[able.name], world).mean())
    return sum(concluded) / len(concluded) - alone


def find_even(gains: Sequence[float]) -> float | None:
    """Return the least truth pull from which the gain is above 0; `None` within the range if never."""
    for place, gain in enumerate(gains):
        if gain > 0.0:
            if place == 0:
                return PULLS[0]
            before = gains[place - 1]
            share = -before / (gain - before)
            return PULLS[place - 1] + share * (PULLS[place] - PULLS[place - 1])
    return None


def compute_region(*, seed: int, studies: int = _STUDIES) -> Study:
    """Measure discussions over abilities, shared errors and truth pulls.

    Args:
        seed: of the simulated studies.
        studies: number of studies of 200 questions at each point.
    """
    gains: Gains = {
        shared: {
            ratio: [
                measure_gain(ratio=ratio, shared=shared, pull=pull, seed=seed, studies=studies)
                for pull in PULLS
            ]
            for ratio in RATIOS
        }
        for shared in SHARED
    }
    even = {
        shared: {ratio: find_even(found) for ratio, found in row.items()}
        for shared, row in gains.items()
    }
    return Study(
        title="Where a discussion of two beats its better seat",
        summary=(_summarize(gains, even),),
        tables=(_build_table(gains, even),),
        figures={"region": _draw(even)},
        document={
            "simulated": True,
            "studies": studies,
            "ability": ABILITY,
            "truth_pulls": list(PULLS),
            "gains": {
                str(shared): {
                    str(ratio): [round(one, 4) for one in found] for ratio, found in row.items()
                }
                for shared, row in gains.items()
            },
            "even": {
                str(shared): {str(ratio): value for ratio, value in row.items()}
                for shared, row in even.items()
            },
        },
    )


_Even = Mapping[float, Mapping[float, float | None]]


def _summarize(gains: Gains, even: _Even) -> str:
    middle = even[SHARED[1]]
    equal, half = middle[RATIOS[-1]], middle[0.5]
    most = max(found[0] for row in gains.values() for found in row.values())
    return (
        f"Without truth pull a discussion is at most {100 * most:+.1f} points from its better seat, and that "
        f"only between equals. With a shared error of "
        f"{SHARED[1]:g}, two equally able reviewers need {_say(equal)}, and where one is half as able as the "
        f"other {_say(half)}: the less equal the seats, the more must right arguments "
        "persuade, or the better seat alone is cheaper and better. The cards of the quickstart have 0.5, "
        "those fitted to PRD 1.5."
    )


def _say(value: float | None) -> str:
    if value is None:
        return f"a truth pull of more than {PULLS[-1]:g}"
    return "hardly any truth pull" if value < _NONE else f"a truth pull of {value:.2f}"


def _build_table(gains: Gains, even: _Even) -> Table:
    return Table(
        title="Accuracy minus that of the better seat, by truth pull",
        columns=("shared error", "ability ratio", *(f"{pull:g}" for pull in PULLS), "even at"),
        rows=tuple(
            (shared, ratio, *(round(one, 3) for one in found), even[shared][ratio])
            for shared, row in gains.items()
            for ratio, found in row.items()
        ),
        note="Ability ratio: ability of the other seat as a share of the abler one's. Even at: the truth "
        "pull from which the discussion is better.",
    )


def _draw(even: _Even) -> Figure:
    def point(value: float) -> Measurement:
        return Measurement(value=value, low=value, high=value, n=_ITEMS * _STUDIES)

    curves = [
        (
            f"shared error {shared:g}",
            "",
            [ratio for ratio, value in row.items() if value is not None],
            [point(value) for value in row.values() if value is not None],
        )
        for shared, row in even.items()
    ]
    return draw_curves(
        "region",
        [curve for curve in curves if curve[2]],
        title="Truth pull from which a discussion of two beats its better seat alone: above a line it "
        "does, below it does not.",
        across="ability of the other seat, as a share of the better one's",
        up="truth pull needed to beat the better seat",
    )
