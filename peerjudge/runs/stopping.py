"""Early stop of a run: looks after complete questions, until the primary contrast is decided."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import groupby

from peerjudge.analysis.collecting import BallotCollector
from peerjudge.analysis.stopping import FIRST_LOOK, Decision, StopRule, list_looks, look_at
from peerjudge.data import Comparison, Primary, read_primary
from peerjudge.errors import ExperimentError
from peerjudge.runs.schedule import Part, Plan, read_discussions
from peerjudge.statistics.sampler import Sampler
from peerjudge.store import Archive

_VOTE = "vote"


class UntilDecided:
    """Order of play that ends when a rule is met; looks do not depend on timing or concurrency.

    The discussions of a block run concurrently. Each look waits for all of them and reads the complete
    discussions of all questions so far from the store, so that a resumed run decides the same.
    The plan has its questions in random order, as `prepare` shuffles them. Raises as `require_primary`.
    """

    def __init__(self, plan: Plan, archive: Archive, rule: StopRule) -> None:
        self._primary = require_primary(plan)
        needed = tuple(
            part
            for part in plan.parts
            if part.condition.name == self._primary.condition or part.protocol.name == _VOTE
        )
        self._needed = dataclasses.replace(plan, parts=needed)
        self._archive = archive
        self._rule = rule
        by_question = groupby(plan.comparisons, key=lambda comparison: comparison.question.id)
        self._questions = [list(group) for _, group in by_question]
        self._looks = list_looks(len(self._questions))
        self._collector = BallotCollector()
        self._played: Sequence[Comparison] = ()
        self._done = 0
        self.decision: Decision | None = None
        """The last look, if there was one."""

    async def next_block(self) -> Sequence[Comparison]:
        """Look at the complete questions, and return those up to the next look; empty at the end."""
        if self._played:
            await self._look()
        if self._done == len(self._looks) or (self.decision and self.decision.stop_reason):
            return ()
        first = self._looks[self._done - 1] if self._done else 0
        block = self._questions[first : self._looks[self._done]]
        self._played = [comparison for question in block for comparison in question]
        return self._played

    async def _look(self) -> None:
        for transcript in await read_discussions(self._archive, self._needed, self._played):
            self._collector.add(transcript)
        self._done += 1
        self.decision = look_at(
            self._collector.ballots(),
            self._primary,
            self._rule,
            look=self._done,
            questions=self._looks[self._done - 1],
            available=len(self._questions),
            sampler=Sampler(),
        )


def require_primary(plan: Plan) -> Primary:
    """Return the declared primary contrast of a plan that can be decided.

    Raises `ExperimentError` where there is none, its conditions are missing, or too few questions have
    a gold answer.
    """
    experiment = plan.experiment
    primary = read_primary(
        experiment.primary, (condition.name for condition in experiment.conditions)
    )
    if primary is None:
        known = ", ".join(f'"{name} over better seat"' for name in _list_discussions(plan))
        msg = (
            f"experiment {experiment.name!r} declares no primary contrast to decide; declare one, as in "
            f"primary={known or _NO_DISCUSSION}, in the file or with -S primary=..."
        )
        raise ExperimentError(msg)
    if primary.condition not in _list_discussions(plan):
        msg = f"{experiment.primary!r} cannot be decided: {primary.condition!r} is no discussion"
        raise ExperimentError(msg)
    if missing := [*_list_missing(plan, primary)]:
        msg = f"{experiment.primary!r} cannot be decided: {'; '.join(missing)}"
        raise ExperimentError(msg)
    judged = {
        comparison.question.id for comparison in plan.comparisons if comparison.gold is not None
    }
    if len(judged) < FIRST_LOOK:
        msg = (
            f"an early stop needs {FIRST_LOOK} or more questions with a gold answer, and there are "
            f"{len(judged)}; run without --until"
        )
        raise ExperimentError(msg)
    return primary


_NO_DISCUSSION = '"CONDITION over ALTERNATIVE" (which needs a discussion of two or more seats)'


def _list_discussions(plan: Plan) -> list[str]:
    return [
        part.condition.name
        for part in plan.parts
        if len(part.seats) > 1 and part.protocol.name != _VOTE
    ]


def _list_missing(plan: Plan, primary: Primary) -> Iterator[str]:
    """Yield the votes that the alternative needs and the plan does not have."""
    (judged,) = (part for part in plan.parts if part.condition.name == primary.condition)
    reviewers = _reviewers(judged)
    votes = {_reviewers(part) for part in plan.parts if part.protocol.name == _VOTE}
    wanted = {
        "vote": [reviewers],
        "self-consistency": [frozenset({reviewer}) for reviewer in sorted(reviewers)],
    }
    for names in wanted.get(primary.alternative, []):
        if names not in votes:
            yield f'add a condition with protocol="vote" and the seats {", ".join(sorted(names))}'


def _reviewers(part: Part) -> frozenset[str]:
    return frozenset(seat.reviewer for seat in part.seats)
