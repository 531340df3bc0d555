"""Frame of ballots: one row per verdict."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import (
    DIRECTIONS,
    EVENTS,
    OUTCOME_CODES,
    Ballots,
    Codes,
    Numbers,
    Stage,
)
from peerjudge.analysis.frames.tables import import_pandas, make_frame
from peerjudge.data import Comparison

if TYPE_CHECKING:
    import pandas as pd

FACTS = ("repetition", "turns", "spoken", "speakers", "alone", "agreed")
FLAGS = ("complete", "failed", "one_order")
MOVES = ("gold_move", "majority_move", "first_move")
OUTCOMES = {code: outcome.value for outcome, code in OUTCOME_CODES.items()}

_Objects = npt.NDArray[np.object_]


def build_ballots_frame(ballots: Ballots) -> pd.DataFrame:
    """Return one row per ballot, in their order.

    Names are categories in the order of the source, so that a selection of rows keeps it.
    """
    facts = ballots.discussions
    every = ballots.discussion
    comparisons = ballots.comparisons
    number = ballots.comparison
    humans = np.array([name in ballots.humans for name in ballots.reviewers], dtype=np.bool_)
    invented = np.array(
        [name in ballots.simulated_reviewers for name in ballots.reviewers], dtype=np.bool_
    )
    asked = [comparison.question for comparison in comparisons]

    def of_comparison(values: Sequence[object]) -> _Objects:
        return _pick(values, number)

    def of_discussion(values: Sequence[object], missing: object = None) -> _Objects:
        return _pick(values, every, missing)

    def name_verdicts(codes: Codes) -> _Objects:
        shown = [one.shown for one in comparisons]
        return _objects(
            [
                shown[n][code] if code >= 0 else OUTCOMES.get(code)
                for n, code in zip(_list(number), _list(codes), strict=True)
            ]
        )

    likely: list[list[float]] = ballots.probabilities.tolist()
    return make_frame(
        "ballots",
        {
            "question": of_comparison([one.id for one in asked]),
            "category": of_comparison([one.category for one in asked]),
            "comparison": _categories(number, [one.id for one in comparisons]),
            "subset": of_comparison([one.subset for one in comparisons]),
            "answers": of_comparison([one.shown for one in comparisons]),
            "authors": of_comparison([tuple(a.author for a in one.answers) for one in comparisons]),
            "lengths": of_comparison(_cut(ballots.lengths.tolist(), comparisons)),
            "markdown": of_comparison(_cut(ballots.markdown.tolist(), comparisons)),
            "gold": name_verdicts(ballots.gold_of[ballots.comparison]),
            "meta": of_comparison([one.meta for one in comparisons]),
            "reviewer": _categories(ballots.reviewer, ballots.reviewers),
            "contestant": _pick(
                [ballots.contestant_of.get(name) for name in ballots.reviewers], ballots.reviewer
            ),
            "human": np.where(ballots.reviewer >= 0, humans[ballots.reviewer], False),  # noqa: FBT003
            "simulated": np.where(
                ballots.reviewer >= 0,
                invented[ballots.reviewer],
                of_discussion(facts.simulated.tolist(), ballots.simulated).astype(np.bool_),
            ),
            "shown": _show(ballots),
            "verdict": name_verdicts(ballots.verdict),
            "probabilities": _objects(
                [tuple(one for one in row if not isnan(one)) or None for row in likely]
            ),
            "rating": ballots.rating,
            "usd": ballots.usd,
            "aspect": _pick(ballots.aspects, ballots.aspect),
            "stage": _pick([one.name.lower() for one in Stage], ballots.stage.astype(np.int32)),
            "opening": ballots.opening,
            "closing": ballots.closing,
            "discussion": of_discussion(facts.ids),
            "condition": _categories(of_discussion(facts.condition.tolist(), -1), facts.conditions),
            "protocol": of_discussion([facts.protocols[n] for n in _list(facts.protocol)]),
            "control": of_discussion([facts.controls[n] for n in _list(facts.control)]),
            "setting": of_discussion([facts.settings[n] for n in _list(facts.setting)]),
            "seats": of_discussion([facts.seatings[n] for n in _list(facts.seating)]),
            "first_shown": of_discussion(
                [
                    tuple(comparisons[n].shown[k] for k in ballots.orders[order])
                    for n, order in zip(_list(facts.comparison), _list(facts.order), strict=True)
                ]
            ),
            **{name: of_discussion(getattr(facts, name).tolist()) for name in (*FACTS, *FLAGS)},
            "seat": ballots.seat,
            "turn": ballots.turn,
            "round": ballots.round,
            "event": _pick([one.value for one in EVENTS], ballots.event.astype(np.int32)),
            "before": name_verdicts(ballots.before),
            "others": name_verdicts(ballots.others),
            "opponents": _pick(ballots.panels, ballots.opponents),
            **{
                name: _pick([one.value for one in DIRECTIONS], getattr(ballots, name))
                for name in MOVES
            },
        },
    )


def _show(ballots: Ballots) -> _Objects:
    """Return the ids of the answers in the order in which each reviewer saw them."""
    known: dict[tuple[int, int], tuple[str, ...]] = {}
    found: list[object] = []
    for key in zip(_list(ballots.comparison), _list(ballots.order), strict=True):
        if key not in known:
            shown = ballots.comparisons[key[0]].shown
            known[key] = tuple(shown[place] for place in ballots.orders[key[1]])
        found.append(known[key])
    return _objects(found)


def _cut(table: Sequence[Sequence[Any]], comparisons: Sequence[Comparison]) -> list[object]:
    """Return the entries of the answers that each comparison has."""
    return [
        tuple(
            tuple(cast("list[int]", cell)) if isinstance(cell, list) else cell
            for cell in row[: len(one.answers)]
        )
        for row, one in zip(table, comparisons, strict=True)
    ]


def _list(codes: npt.NDArray[np.integer[Any]]) -> list[int]:
    return codes.tolist()


def _categories(codes: Numbers | _Objects, names: Sequence[str]) -> pd.Categorical:
    pd = import_pandas()
    return pd.Categorical.from_codes(codes.astype(np.int32), categories=list(names))  # pyright: ignore[reportUnknownMemberType]  its stubs are partial


def _pick(
    values: Sequence[object], places: npt.NDArray[np.integer[Any]], missing: object = None
) -> _Objects:
    """Return the values at these places, and the missing one at places below 0."""
    return _objects([*values, missing])[np.where(places >= 0, places, len(values))]


def _objects(values: Sequence[object]) -> _Objects:
    """Return an array of objects; numpy would take tuples of equal length for rows."""
    array = np.empty(len(values), dtype=np.object_)
    for place, value in enumerate(values):
        array[place] = value
    return array
