"""Play candidates of a search: every evaluation is an ordinary run into the one place of the search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from peerjudge.data import Dataset, Objective, Transcript, Usage, replace
from peerjudge.features.search.nouns import Candidate, CandidateScores
from peerjudge.features.search.objectives import Scored, score_transcripts
from peerjudge.features.search.targets import find_render_fault, lay_over
from peerjudge.runs import Prepared, RunSummary, WritingResult, prepare
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.estimate import Estimate, estimate_calls
from peerjudge.runs.ledger import Spending
from peerjudge.runs.runner import run_prepared
from peerjudge.shelf import Shelf
from peerjudge.store import Archive, Status, exists

FAILED = "failed calls"
"""What stopped a search whose calls failed for good: their scores are not known, and 0 would be wrong."""


class StoppedError(Exception):
    """The search cannot go on now; the same command resumes it.

    Args:
        stopped: The limit of the place that was reached, or `FAILED`.
        enough: The lowest limit with which it could have gone on.
        why: The error of a failed call.
    """

    def __init__(self, stopped: str, enough: float | None = None, *, why: str = "") -> None:
        super().__init__(stopped)
        self.stopped = stopped
        self.enough = enough
        self.why = why


def add_reserve(result: RunSummary | WritingResult, reserve: Spending) -> float | None:
    """Return the lowest limit with which a stopped run could have gone on, the reserve included."""
    if result.enough is None:
        return None
    of_tokens = result.stopped == "token limit"
    return result.enough + ((reserve.tokens if of_tokens else reserve.usd) or 0)


@dataclass(slots=True)
class Spent:
    """Calls, tokens and cost of one command, and its discussions: completed, failed and kept."""

    paid: int = 0
    cached: int = 0
    failed: int = 0
    simulated: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0
    discussions: int = 0
    broken: int = 0
    skipped: int = 0

    def add(self, result: RunSummary | WritingResult) -> None:
        """Add the calls, and the discussions, of a run or of texts."""
        self.paid += result.calls.paid
        self.cached += result.calls.cached
        self.failed += result.calls.failed
        self.simulated += result.calls.simulated
        self.tokens += result.tokens
        known = self.cost_usd is not None and result.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (result.cost_usd or 0.0) if known else None
        if isinstance(result, RunSummary):
            self.discussions += result.discussions.done
            self.broken += result.discussions.failed
            self.skipped += result.discussions.skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Plays candidates of one experiment.

    `base` is the experiment as resolved without changes, `dataset` what it judges. All is kept in `folder`.
    """

    base: Prepared
    shelf: Shelf
    dataset: Dataset
    objective: Objective
    aspect: str
    folder: Path
    cache: str | Path | None
    bounds: Bounds
    environ: Mapping[str, str] | None = None
    spent: Spent = field(default_factory=Spent)

    @property
    def place(self) -> Place:
        """Where everything is kept."""
        return Place(out=self.folder, cache=self.cache)

    def select(self, questions: Collection[str]) -> Dataset:
        """Return the dataset with the comparisons of these questions only."""
        asked = set(questions)
        kept = (one for one in self.dataset.comparisons if one.question.id in asked)
        return replace(self.dataset, comparisons=tuple(kept))

    def prepare(
        self, texts: Mapping[str, str], questions: Collection[str]
    ) -> tuple[Prepared, Shelf]:
        """Resolve the experiment with these texts on these questions."""
        shelf = lay_over(self.shelf, texts, self.base)
        prepared = prepare(
            self.base.plan.experiment,
            shelf=shelf,
            dataset=self.select(questions),
        )
        return prepared, shelf

    async def evaluate(
        self, candidate: Candidate, questions: Sequence[str], *, reserve: Spending | None = None
    ) -> CandidateScores:
        """Play a candidate on these questions and return its scores.

        Args:
            candidate: the candidate.
            questions: ids of questions.
            reserve: what the runs of the search must leave of the limits.

        Raises:
            StoppedError: a limit was reached.
        """
        if fault := find_render_fault(candidate.texts, self.base, self.shelf):
            return CandidateScores(candidate=candidate.id, refused=fault)
        prepared, shelf = self.prepare(candidate.texts, questions)
        transcripts = await self.play(prepared, shelf, reserve=reserve)
        scored = self.score(transcripts, questions)
        tokens, cost = _sum_usage(transcripts, prepared)
        missing = {question: 0.0 for question in questions if question not in scored.scores}
        return CandidateScores(
            candidate=candidate.id,
            scores={one: {**scored.scores, **missing}[one] for one in questions},
            consistency=scored.consistency,
            unreadable=scored.unreadable,
            predictions=scored.predictions,
            tokens=tokens,
            cost=cost,
        )

    def score(self, transcripts: Sequence[Transcript], questions: Sequence[str]) -> Scored:
        """Return the scores of discussions by the objective of the search."""
        return score_transcripts(
            transcripts, objective=self.objective, questions=questions, aspect=self.aspect
        )

    async def play(
        self,
        prepared: Prepared,
        shelf: Shelf,
        *,
        reserve: Spending | None = None,
        shown: bool = False,
    ) -> tuple[Transcript, ...]:
        """Run a prepared experiment and return its discussions, by comparison.

        A run that is `shown` is the one that the folder stands for, as `score` and `report` read it; all
        others are in its store alone, and need no run where all discussions are complete.

        Raises:
            StoppedError: a limit was reached, or calls failed.
        """
        left = reserve or Spending(tokens=0, usd=0.0)
        heads = [head.id for head in prepared.plan]
        if not shown and (kept := await self._read_complete(heads)):
            self.spent.skipped += len(kept)
            return kept
        summary = await run_prepared(
            prepared,
            place=self.place if shown else self.place.inside,
            bounds=self.bounds.leave(left),
            progress=False,
            shelf=shelf,
            environ=self.environ,
        )
        self.spent.add(summary)
        if summary.stopped is not None:
            raise StoppedError(summary.stopped, add_reserve(summary, left))
        if summary.discussions.failed:
            first = summary.failures[0] if summary.failures else None
            why = "" if first is None else f"{first.reviewer}: {first.kind}: {first.message}"
            raise StoppedError(FAILED, why=why)
        async with Archive.open(self.folder) as store:
            return tuple([one async for one in store.transcripts_of(heads)])

    async def require_probabilities(self) -> None:
        """Play the base on one question for the objective `margin`, before more is paid.

        Raises:
            ExperimentError: no reply has log-probabilities.
            StoppedError: a limit was reached, or calls failed.
        """
        first = self.dataset.comparisons[0].question.id
        prepared, shelf = self.prepare({}, [first])
        self.score(await self.play(prepared, shelf), [first])

    async def _read_complete(self, heads: Sequence[str]) -> tuple[Transcript, ...]:
        """Return the discussions if each of them is complete; else none."""
        if not exists(self.folder):
            return ()
        async with Archive.open(self.folder) as store:
            found = await store.statuses(heads)
            if len(found) < len(set(heads)) or set(found.values()) != {Status.DONE}:
                return ()
            return tuple([one async for one in store.transcripts_of(heads)])

    def estimate_base(self, questions: Collection[str]) -> Estimate:
        """Return the most that playing the base once on these questions takes."""
        prepared, _ = self.prepare({}, questions)
        return estimate_calls(prepared.plan, prepared.costs)

    def estimate(self, questions: Collection[str], *, times: int) -> Spending:
        """Return the most that playing the base so many times on these questions takes."""
        base = self.estimate_base(questions)
        usd = base.cost_usd
        return Spending(tokens=times * base.tokens, usd=None if usd is None else times * usd)


def _sum_usage(transcripts: Sequence[Transcript], prepared: Prepared) -> tuple[int, float | None]:
    """Return tokens and cost of all replies, as if none were cached."""
    tokens, cost = 0, 0.0
    known = True
    for transcript in transcripts:
        seats = {seat.id: seat.reviewer for seat in transcript.seats}
        for turn in transcript.turns:
            usage: Usage = turn.utterance.usage
            tokens += usage.prompt_tokens + usage.completion_tokens
            price = prepared.costs.of(seats[turn.cue.seat], usage)
            known, cost = known and price is not None, cost + (price or 0.0)
    return tokens, cost if known else None
