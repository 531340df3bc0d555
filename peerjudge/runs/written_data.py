"""Data that a run writes before it plays, such as answers of its contestants.

What is written, and how, is the matter of a feature: it offers a function to the hook `data of a run`, under
the name of a dataset. Of an experiment on `questions:PATH`, the offer `questions` plans the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, cast

from peerjudge.data import Dataset, Experiment
from peerjudge.errors import ExperimentError
from peerjudge.registry import find_offer
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.results import AnswerCounts
from peerjudge.runs.texts import WritingEstimate, WritingResult, WrittenText
from peerjudge.shelf import Shelf

_HOOK = "data of a run"
_QUESTIONS = "questions"
"""Dataset whose answers the reviewers of a run write first."""


class WrittenData(Protocol):
    """Texts that were written for a run, and the comparisons made of them."""

    @property
    def writing(self) -> WritingResult:
        """The texts, what they cost, and the limit that stopped them, if any."""
        ...

    @property
    def counts(self) -> AnswerCounts:
        """The numbers of texts and of comparisons."""
        ...

    def list_pairs(self, limit: int | None) -> Dataset:
        """Return the first comparisons; all of them without a limit."""
        ...


class DataPlan(Protocol):
    """The texts that a run needs before it plays."""

    @property
    def texts(self) -> int:
        """Number of texts."""
        ...

    def rehearse(self, *, limit: int | None) -> Dataset:
        """Return the first comparisons with placeholders, to estimate the run."""
        ...

    async def estimate(self, *, out: str | Path | None, store: str | None) -> WritingEstimate:
        """Estimate the most that the missing texts take; no model is called."""
        ...

    async def write(
        self,
        *,
        place: Place,
        bounds: Bounds,
        shelf: Shelf,
        environ: Mapping[str, str] | None,
        on_text: Callable[[WrittenText], None] | None,
    ) -> WrittenData:
        """Write the missing texts into the place of the run.

        Raises:
            ExperimentError: Nothing can be compared, although no limit stopped the writing.
        """
        ...


class PlanData(Protocol):
    """What a feature offers: the plan of an experiment on its dataset."""

    def __call__(self, experiment: Experiment, shelf: Shelf, *, limit: int | None) -> DataPlan:
        """Return the plan; with a limit on comparisons, that of the texts that they need."""
        ...


def choose_data(data: str | None, questions: str | None) -> str | None:
    """Return the dataset of a run, or the questions to be answered first; both together are refused."""
    if questions is None:
        return data
    if data is not None:
        if data.startswith("?"):
            msg = "--map and --codes are of data with answers; name the column of --questions 'question'"
            raise ExperimentError(msg)
        msg = "data have answers, and questions are answered first: give --data or --questions, not both"
        raise ExperimentError(msg)
    return f"{_QUESTIONS}:{questions}"


def plan_data(experiment: Experiment, shelf: Shelf, *, limit: int | None) -> DataPlan | None:
    """Return the plan of the texts that an experiment needs first; `None` for data that are there.

    Raises as the plan of the feature does.
    """
    plan = cast("PlanData | None", find_offer(_HOOK, experiment.data.partition(":")[0]))
    return None if plan is None else plan(experiment, shelf, limit=limit)
