"""Contestants answer questions, and their answers become the data of a tournament."""

from peerjudge.registry import Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Contestants answer questions, and their answers become the data of a tournament.",
    hooks={"data of a run": {"questions": "running:plan_run_answers"}},
)
