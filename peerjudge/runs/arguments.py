"""Arguments of a run that are checked before anything is opened."""

from __future__ import annotations

from pathlib import Path

from peerjudge.analysis.stopping import StopRule, parse_rule
from peerjudge.errors import ExperimentError

_DATABASES = frozenset({".db", ".sqlite"})
_ORDERS = ("plain", "open")


def check_arguments(*, out: str | Path | None, store: str | None, connections: int) -> None:
    """Raise `ExperimentError` if the place is given twice or wrongly, or a number is below 1."""
    if out is not None and store is not None:
        msg = "a run goes into a folder (out) or into a store (store), not into both"
        raise ExperimentError(msg)
    if store is not None and "://" not in store and Path(store).suffix not in _DATABASES:
        msg = (
            f"--store takes a database URL such as sqlite:///study.db, not {store!r}; "
            "use --out for a folder"
        )
        raise ExperimentError(msg)
    if connections < 1:
        msg = f"a run takes 1 connection or more, not {connections}"
        raise ExperimentError(msg)


def choose_data(data: str | None, questions: str | None) -> str | None:
    """Return the dataset of a run: the questions to be answered first, where there are some.

    Raises `ExperimentError` for both together.
    """
    if questions is None:
        return data
    if data is not None:
        msg = "data have answers, and questions are answered first: give --data or --questions, not both"
        raise ExperimentError(msg)
    return f"questions:{questions}"


def read_order(*, until: str | None, order: str) -> tuple[StopRule | None, bool]:
    """Return the stopping rule, and whether open pairs are played first.

    Raises `ExperimentError` for an unknown rule or order, and for both together.
    """
    if order not in _ORDERS:
        msg = f"the next comparisons are {' or '.join(_ORDERS)}, not {order!r}"
        raise ExperimentError(msg)
    rule = None if until is None else parse_rule(until)
    if rule is not None and order == "open":
        msg = (
            "an early stop needs questions in random order, and an open order chooses them by results; "
            "use --until or --next open"
        )
        raise ExperimentError(msg)
    return rule, order == "open"
