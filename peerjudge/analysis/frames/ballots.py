"""Frame of ballots: one row per verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import (
    DIRECTIONS,
    DISCUSSION_COUNTS,
    EVENTS,
    NONE,
    OUTCOME_CODES,
    UNREADABLE,
    Ballots,
    Codes,
    Numbers,
    Stage,
)
from peerjudge.analysis.frames.tables import import_pandas, make_frame
from peerjudge.data import Comparison

if TYPE_CHECKING:
    import pandas as pd

FLAGS: Mapping[str, bool] = {"complete": True, "failed": False, "one_order": False}
"""Columns of the flags of `Discussions`, like the next ones with the value of a missing cell."""
KINDS: Mapping[str, str] = {"protocol": "", "control": "none", "setting": ""}
"""Columns of its codes into the names of the plural."""
PLAIN: Mapping[str, object] = {
    "rating": nan,
    "usd": nan,
    "opening": True,
    "closing": True,
    "seat": -1,
    "turn": -1,
    "round": 0,
}
"""Columns that are those of `Ballots`."""
VERDICTS: Mapping[str, int] = {"verdict": UNREADABLE, "before": NONE, "others": NONE}
"""Columns of verdicts, with the code of a missing cell, like the next ones."""
_DIRECTIONS = tuple(one.value for one in DIRECTIONS)
CODED: Mapping[str, tuple[tuple[str, ...], int]] = {
    "stage": (tuple(one.name.lower() for one in Stage), int(Stage.RECORDED)),
    "event": (tuple(one.value for one in EVENTS), -1),
    **dict.fromkeys(("gold_move", "majority_move", "first_move"), (_DIRECTIONS, -1)),
}
"""Columns of names that are known beforehand, in the order of their codes."""
OUTCOMES = {code: outcome.value for outcome, code in OUTCOME_CODES.items()}

_OF_COMPARISON: Mapping[str, Callable[[Comparison], object]] = {
    "question": lambda one: one.question.id,
    "category": lambda one: one.question.category,
    "subset": lambda one: one.subset,
    "answers": lambda one: one.shown,
    "authors": lambda one: tuple(answer.author for answer in one.answers),
    "meta": lambda one: one.meta,
}
_Objects = npt.NDArray[np.object_]


def build_ballots_frame(ballots: Ballots) -> pd.DataFrame:
    """Return one row per ballot, in their order.

    Names are categories in the order of the source, so that a selection of rows keeps it.
    """
    likely: list[list[float]] = ballots.probabilities.tolist()
    return make_frame(
        "ballots",
        {
            **_describe_comparisons(ballots),
            **_describe_reviewers(ballots),
            **_describe_discussions(ballots),
            **{name: getattr(ballots, name) for name in PLAIN},
            **{name: _name_verdicts(ballots, getattr(ballots, name)) for name in VERDICTS},
            **{name: _pick(names, getattr(ballots, name)) for name, (names, _) in CODED.items()},
            "shown": _show(ballots),
            "probabilities": _objects(
                [tuple(one for one in row if not isnan(one)) or None for row in likely]
            ),
            "aspect": _pick(ballots.aspects, ballots.aspect),
            "opponents": _pick(ballots.panels, ballots.opponents),
        },
    )


def _describe_comparisons(ballots: Ballots) -> dict[str, object]:
    comparisons, number = ballots.comparisons, ballots.comparison
    return {
        **{
            name: _pick([read(one) for one in comparisons], number)
            for name, read in _OF_COMPARISON.items()
        },
        "comparison": _categories(number, [one.id for one in comparisons]),
        "lengths": _pick(_cut(ballots.lengths.tolist(), comparisons), number),
        "markdown": _pick(_cut(ballots.markdown.tolist(), comparisons), number),
        "gold": _name_verdicts(ballots, ballots.gold_of[number]),
    }


def _describe_reviewers(ballots: Ballots) -> dict[str, object]:
    """Return the columns of reviewers; a conclusion of several seats is as simulated as its discussion."""
    names, number = ballots.reviewers, ballots.reviewer
    spoken = _pick(ballots.discussions.simulated.tolist(), ballots.discussion, ballots.simulated)
    invented = _pick([name in ballots.simulated_reviewers for name in names], number)
    return {
        "reviewer": _categories(number, names),
        "contestant": _pick([ballots.contestant_of.get(name) for name in names], number),
        "human": _pick([name in ballots.humans for name in names], number, missing=False).astype(
            np.bool_
        ),
        "simulated": np.where(number >= 0, invented, spoken).astype(np.bool_),
    }


def _describe_discussions(ballots: Ballots) -> dict[str, object]:
    facts = ballots.discussions
    values: dict[str, Sequence[object]] = {
        "discussion": facts.ids,
        **{
            name: _pick(getattr(facts, f"{name}s"), getattr(facts, name)).tolist() for name in KINDS
        },
        "seats": _pick(facts.seatings, facts.seating).tolist(),
        "first_shown": [
            tuple(ballots.comparisons[n].shown[k] for k in ballots.orders[order])
            for n, order in zip(_list(facts.comparison), _list(facts.order), strict=True)
        ],
        **{name: getattr(facts, name).tolist() for name in (*DISCUSSION_COUNTS, *FLAGS)},
    }
    conditions = _pick(facts.condition.tolist(), ballots.discussion, -1)
    return {
        **{name: _pick(cells, ballots.discussion) for name, cells in values.items()},
        "condition": _categories(conditions, facts.conditions),
    }


def _name_verdicts(ballots: Ballots, codes: Codes) -> _Objects:
    """Return the id of each chosen answer, or the outcome."""
    shown = [one.shown for one in ballots.comparisons]
    return _objects(
        [
            shown[number][code] if code >= 0 else OUTCOMES.get(code)
            for number, code in zip(_list(ballots.comparison), _list(codes), strict=True)
        ]
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
