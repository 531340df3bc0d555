"""Published figures to which reviewers are fitted, with their sources in `targets.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from peerjudge.data import Noun, from_plain
from studies.analytic import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published figure: a share, or a count of events.

    `group` is its source and subject. `spread` is about its sampling error and sets its weight in the
    fit; 0 for a figure that is not fitted.
    """

    group: str
    name: str
    published: float
    spread: float

    @property
    def id(self) -> str:
        """Unique name among all figures."""
        return f"{self.group}: {self.name}"


class Pair(Noun, frozen=True, kw_only=True):
    """A line of PRD's Table 4. `runs` names the private runs of a reviewer that met itself."""

    reviewers: tuple[str, str]
    private: tuple[float, float]
    discussion: tuple[float, float, float]
    runs: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """Name such as `gpt4 & claude`."""
        return " & ".join(self.reviewers)

    @property
    def private_runs(self) -> tuple[str, str]:
        """Names of the private runs of both seats."""
        return self.runs or self.reviewers

    @property
    def copies(self) -> bool:
        """True if one reviewer sits in both seats."""
        return self.reviewers[0] == self.reviewers[1]

    @property
    def leads(self) -> tuple[str, str, str]:
        """Names of the three discussions of the pair."""
        one, other = ("first", "second") if self.copies else self.reviewers
        return f"{one} leads", f"{other} leads", "random"


class PrdTargets(Noun, frozen=True, kw_only=True):
    """PRD's discussions on LFQA: Tables 4, 6, 7 and 9 and section 5."""

    questions: tuple[Case, ...]
    pairs: tuple[Pair, ...]
    prompts: Mapping[str, tuple[float, float, float]] = field(hash=False)
    gpt3_wins: Mapping[str, tuple[float, float]] = field(hash=False)
    gpt3_wins_by_place: Mapping[str, tuple[float, float, float, float]] = field(hash=False)
    held: Mapping[str, int] = field(hash=False)
    altered_as_leader: Mapping[str, int] = field(hash=False)

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Names of the modelled reviewers."""
        return tuple(self.held)


class LlmbarRow(Noun, frozen=True, kw_only=True):
    """A line of PRePair's Table 4; `cells` are in the order of `LlmbarTargets.items`."""

    model: str
    method: str
    cells: tuple[float, ...]
    total: float

    @property
    def name(self) -> str:
        """Evaluator and method."""
        return f"{self.model} {self.method}"


class LlmbarTargets(Noun, frozen=True, kw_only=True):
    """PRePair on LLMBar: at temperature 0 (`rows`) and at 0.7 (`warm`, which is not fitted)."""

    items: Mapping[str, int] = field(hash=False)
    rows: tuple[LlmbarRow, ...]
    warm: tuple[LlmbarRow, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the evaluators, in the table's order."""
        return tuple(dict.fromkeys(row.model for row in self.rows))


class Vicuna80Targets(Noun, frozen=True, kw_only=True):
    """Counts of the recorded reviews of Vicuna80.

    `gold` holds, for two contestants in one key, how often the first is better, neither, the second.
    `reviewers` has shares of a reviewer's 1600 verdicts by name; `own_wins` is of the 640 on its own
    answers, and `words` the mean length of its reviews.
    """

    questions: int
    gold: Mapping[str, tuple[int, int, int]] = field(hash=False)
    reviewers: Mapping[str, Mapping[str, float]] = field(hash=False)
    agreement: Mapping[str, float] = field(hash=False)
    again: Mapping[str, float] = field(hash=False)


class Targets(Noun, frozen=True, kw_only=True):
    """All published figures; `notes["contradictions"]` says where they contradict each other."""

    prd: PrdTargets
    llmbar: LlmbarTargets
    vicuna80: Vicuna80Targets
    notes: Mapping[str, tuple[str, ...]] = field(hash=False)


@cache
def read_targets() -> Targets:
    """Read the published figures."""
    text = Path(__file__).with_name("targets.toml").read_text("utf-8")
    return from_plain(Targets, tomllib.loads(text))
