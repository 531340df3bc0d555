"""Findings of a search as nouns: candidates, splits, the choice, the held-out test, and transfer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

from msgspec import field

from peerjudge.data import Measurement, Noun, to_plain
from peerjudge.features.search.estimating import SearchEstimate
from peerjudge.features.search.nouns import Adoption
from peerjudge.features.search.playing import Spent
from peerjudge.marks import mark_controls
from peerjudge.shown import Framed
from peerjudge.store.database import STORE_FILE


class SplitSize(Noun, frozen=True, kw_only=True):
    """The size of a split."""

    questions: int
    comparisons: int


class CandidateRow(Noun, frozen=True, kw_only=True):
    """A candidate with its mean scores on the search and the select split.

    `n` counts the questions of the search split that it was scored on, `change` says how it was made.
    """

    id: str
    parent: str
    step: int
    origin: str
    change: str
    valid: bool
    why: str
    search: float | None
    select: float | None
    n: int
    consistency: float | None
    unreadable: float
    tokens: int
    cost_usd: float | None
    texts: Mapping[str, str] = field(default_factory=dict[str, str])


class RatingFit(Noun, frozen=True, kw_only=True):
    """How ratings fit gold: mean absolute error, Pearson, Kendall's tau-b."""

    mae: float
    pearson: float
    kendall: float


class TestFindings(Noun, frozen=True, kw_only=True):
    """Base and chosen on the held-out questions, once.

    `difference` is paired, with questions as the unit. `ratings` and `williams` (p of the difference of
    the correlations, questions as clusters) are of rated answers only.
    """

    __test__ = False

    base: Measurement
    chosen: Measurement
    difference: Measurement
    consistency: Mapping[str, float | None]
    unreadable: Mapping[str, float]
    ratings: Mapping[str, RatingFit] = field(default_factory=dict[str, RatingFit])
    williams: float | None = None


class TransferRow(Noun, frozen=True, kw_only=True):
    """Base and chosen judged by another reviewer, or on other data."""

    reviewer: str
    data: str
    base: Measurement
    chosen: Measurement
    difference: Measurement


class Optimized(Framed, Noun, frozen=True, kw_only=True):
    """Result of a search. A notebook and `print` show tables.

    Attributes:
        out: folder of the search.
        run: id of the experiment as it is without changes, of the conditions that the targets change.
        experiment: its name.
        data: the dataset.
        method: of the search.
        objective: what it raised.
        aspect: of the gold ratings.
        targets: base texts by target.
        splits: sizes by name.
        left_out: comparisons without gold.
        unchanged: conditions whose prompts have no target; they are not played.
        candidates: all of them, the base first.
        front: candidates that no other beats in objective, consistency and cost.
        adoption: the decision.
        test: base and chosen on the held-out questions; `None` where nothing was adopted.
        overstatement: score on the search split less that on the test split, of the chosen.
        transfer: other reviewers and data.
        test_opened: how many searches in this folder have used these test questions.
        paper: the search was done as in the paper: naive adoption, no select split.
        stopped: the limit that stopped it, or failed calls, else `None`.
        enough: the lowest limit with which it could have gone on.
        failure: the error of a failed call that stopped it.
        simulated: whether the judges are simulated.
        files: the files written, by what they are.
        spent: of this command.
        estimate: of a dry run, in which nothing is played.
    """

    renderer: ClassVar[str] = "peerjudge.features.search.describing"

    out: str
    run: str
    experiment: str
    data: str
    method: str
    objective: str
    aspect: str
    targets: Mapping[str, str]
    splits: Mapping[str, SplitSize]
    left_out: int
    unchanged: tuple[str, ...]
    candidates: tuple[CandidateRow, ...]
    front: tuple[str, ...]
    adoption: Adoption | None
    test: TestFindings | None
    overstatement: float | None
    transfer: tuple[TransferRow, ...]
    test_opened: int
    paper: bool
    stopped: str | None
    enough: float | None
    failure: str
    simulated: bool
    files: Mapping[str, str]
    spent: Spent
    estimate: SearchEstimate | None = None

    def describe_briefly(self) -> str:
        """Return one line, as `repr` is."""
        adopted = "nothing chosen yet" if self.adoption is None else f"chosen: {self.chosen.id}"
        told = f"{self.method} on {self.data}, {len(self.candidates)} candidates, {adopted}"
        return mark_controls(f"<Optimized {self.experiment}: {told}>")

    @property
    def base(self) -> CandidateRow:
        """The unchanged texts."""
        return self.candidates[0]

    @property
    def chosen(self) -> CandidateRow:
        """The adopted candidate; the base where none was."""
        wanted = self.adoption.chosen if self.adoption else self.base.id
        return next(candidate for candidate in self.candidates if candidate.id == wanted)

    def document(self) -> dict[str, Any]:
        """Return the result as `search.json` holds it: nothing in it depends on interruptions."""
        plain = cast("dict[str, Any]", to_plain(self))
        adoption = self.adoption
        for name in (
            "spent",
            "stopped",
            "enough",
            "failure",
            "adoption",
            "out",
            "run",
            "estimate",
            "files",
        ):
            del plain[name]
        rows = cast("list[dict[str, Any]]", plain["candidates"])
        plain["targets"] = list(self.targets)
        plain["test"] = None if self.test is None else _flatten(self.test)
        return {
            **plain,
            "base": rows[0]["id"],
            "chosen": self.chosen.id,
            "adopted": adoption.adopted if adoption else False,
            "why": adoption.why if adoption else "",
            "finalists": to_plain(adoption)["finalists"] if adoption else [],  # pyright: ignore[reportIndexIssue]
        }

    def full_document(self) -> dict[str, Any]:
        """Return the result with what only this command knows: its calls, and the limit that ended it."""
        return {
            **self.document(),
            "run": self.run,
            "store": str(Path(self.out) / STORE_FILE),
            "out": self.out,
            "folder": self.out,
            "files": dict(self.files),
            "stopped": self.stopped,
            "calls": {
                "paid": self.spent.paid,
                "cached": self.spent.cached,
                "failed": self.spent.failed,
                "simulated": self.spent.simulated,
            },
            "discussions": {
                "done": self.spent.discussions,
                "failed": self.spent.broken,
                "skipped": self.spent.skipped,
            },
            "tokens": self.spent.tokens,
            "cost_usd": self.spent.cost_usd,
            "cost_known": self.spent.cost_usd is not None,
        }


def _flatten(test: TestFindings) -> dict[str, Any]:
    """Return the test with each measure of ratings by itself: `mae`, `pearson` and `kendall`."""
    plain = cast("dict[str, Any]", to_plain(test))
    fits = cast("dict[str, dict[str, float]]", plain.pop("ratings"))
    for name in RatingFit.__struct_fields__:
        plain[name] = {way: fit[name] for way, fit in fits.items()} or None
    return plain
