"""Prompt searches as pure functions: the next step from the records so far, and what to make of the end."""

from peerjudge.search.adoption import (
    MAX_FINALISTS,
    adopt,
    adopt_naively,
    choose_finalists,
    measure_overstatement,
    paper_options,
    pareto_front,
)
from peerjudge.search.replay import next_step, read_state
from peerjudge.search.splits import halve_search, split_questions

__all__ = [
    "MAX_FINALISTS",
    "adopt",
    "adopt_naively",
    "choose_finalists",
    "halve_search",
    "measure_overstatement",
    "next_step",
    "paper_options",
    "pareto_front",
    "read_state",
    "split_questions",
]
