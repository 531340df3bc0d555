"""Answers that the contestants of a run write before it plays, for an experiment on `questions:PATH`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, islice
from pathlib import Path

from peerjudge.data import Answer, Comparison, Dataset, Experiment
from peerjudge.errors import DataError, ExperimentError
from peerjudge.features.tournaments.answering import Answers, collect_answers, estimate_answers
from peerjudge.features.tournaments.plans import AnswerPlan, plan_answers
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.estimate import ASSUMED_REPLY
from peerjudge.runs.texts import WritingEstimate, WrittenText
from peerjudge.runs.writing import write_texts
from peerjudge.shelf import Shelf


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswers:
    """The answers that a run needs, by all contestants that its conditions seat."""

    plan: AnswerPlan

    @property
    def texts(self) -> int:
        """Number of answers."""
        return len(self.plan.tasks)

    def rehearse(self, *, limit: int | None) -> Dataset:
        """Return the first pairs with placeholders of the assumed length, to estimate a run."""
        words = "word" * ASSUMED_REPLY
        pairs = (
            Comparison(
                id=f"{question.id} {' '.join(authors)}",
                question=question,
                answers=tuple(
                    Answer(id=author, text=f"{words} {author}", author=author) for author in authors
                ),
            )
            for question in self.plan.questions
            for authors in combinations(self.plan.cards, 2)
        )
        return Dataset(
            name="questions",
            description=f"answers of {', '.join(self.plan.cards)}",
            comparisons=tuple(islice(pairs, limit)),
        )

    async def estimate(self, *, out: str | Path | None, store: str | None) -> WritingEstimate:
        """Estimate the most that the missing answers take; no model is called."""
        return await estimate_answers(self.plan, out=out, store=store)

    async def write(
        self,
        *,
        place: Place,
        bounds: Bounds,
        shelf: Shelf,
        environ: Mapping[str, str] | None,
        on_text: Callable[[WrittenText], None] | None,
    ) -> Answers:
        """Write the missing answers into the place of the run; in a folder, also their tables.

        Raises:
            ExperimentError: No pair of answers can be compared, although no limit stopped the writing.
            PeerJudgeError: As for `write_texts`.
        """
        written = await write_texts(
            self.plan.tasks,
            place=place,
            bounds=bounds,
            seed=self.plan.seed,
            shelf=shelf,
            environ=environ,
            on_text=on_text,
        )
        answers = collect_answers(self.plan, written, folder=place.folder)
        if not answers.pairs and written.stopped is None:
            raise ExperimentError(_explain_no_pairs(answers))
        return answers


def plan_run_answers(experiment: Experiment, shelf: Shelf, *, limit: int | None) -> RunAnswers:
    """Return the answers that an experiment on `questions:PATH` needs.

    The contestants are the cards that its conditions seat. With a limit on comparisons, the first
    questions are answered. Raises as `plan_answers`.
    """
    path = experiment.data.partition(":")[2]
    if not path:
        msg = "'questions' needs a path; give questions:PATH, or run with --questions PATH"
        raise DataError(msg)
    seated = (card for condition in experiment.conditions for card in condition.cards)
    by = tuple(dict.fromkeys(seated))
    pairs = len(by) * (len(by) - 1) // 2
    most = None if limit is None else -(-limit // max(1, pairs))
    return RunAnswers(plan=plan_answers(path, by=by, limit=most, seed=experiment.seed, shelf=shelf))


def _explain_no_pairs(answers: Answers) -> str:
    failed = answers.writing.failures
    if failed and failed[0].failure is not None:
        failure = failed[0].failure
        return (
            f"no question has two answers, because {len(failed):,} of {len(answers.writing.texts):,} calls "
            f"failed; the first: {failed[0].task.card}: {failure.kind}: {failure.message}"
        )
    return "no question has two different answers, so there is nothing to judge; seat other contestants"
