"""Arguments of a run that are checked before anything is opened."""

from __future__ import annotations

from peerjudge.analysis.stopping import StopRule, parse_rule
from peerjudge.errors import ExperimentError

_ORDERS = ("plain", "open")


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
