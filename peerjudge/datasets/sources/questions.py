"""Questions that the reviewers of an experiment answer before they judge: `questions:PATH`.

The path is what `peerjudge.datasets.questions` reads. A run puts the answers of its contestants in the
place of the empty answer that stands here for each question.
"""

from __future__ import annotations

from peerjudge.data import Answer, Comparison, Dataset
from peerjudge.datasets.questions import read_questions
from peerjudge.datasets.source import Request, Source


def _read(request: Request) -> Dataset:
    asked = read_questions(str(request.path))
    return Dataset(
        name="questions",
        description=f"questions of {request.path.name}",
        comparisons=tuple(
            Comparison(id=one.id, question=one, answers=(Answer(id="answer", text=""),))
            for one in asked
        ),
        missing_texts="`peerjudge answers` lets contestants write the answers",
    )


SOURCE = Source(
    description="questions of yours, which the reviewers of a run answer first (run --questions PATH)",
    read=_read,
)
