"""The published figures that reviewers are fitted to, as `targets.toml` states them with their sources."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from peerjudge.data import Noun, from_plain

__all__ = [
    "Figure",
    "LlmbarRow",
    "LlmbarTargets",
    "Notes",
    "Pair",
    "PrdTargets",
    "Questions",
    "Targets",
    "Vicuna80Reviewer",
    "Vicuna80Targets",
    "targets",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published figure: a share, or a count of events.

    `group` is where it was published and what it is of. `spread` is about its sampling error and
    says how much it weighs in the fit; 0 for a figure that is only looked at.
    """

    group: str
    name: str
    published: float
    spread: float

    @property
    def id(self) -> str:
        """Unique among all figures."""
        return f"{self.group}: {self.name}"


class Questions(Noun, frozen=True, kw_only=True):
    """Questions of one kind; see `studies.analytic.Case`."""

    gold: int
    machine: int
    count: int


class Pair(Noun, frozen=True, kw_only=True):
    """A line of PRD's Table 4. `runs` names the private runs of a reviewer that met itself."""

    reviewers: tuple[str, str]
    private: tuple[float, float]
    discussion: tuple[float, float, float]
    runs: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """Such as `gpt4 & claude`."""
        return " & ".join(self.reviewers)

    @property
    def copies(self) -> bool:
        """Whether one reviewer sits in both seats."""
        return self.reviewers[0] == self.reviewers[1]


class PrdTargets(Noun, frozen=True, kw_only=True):
    """PRD's discussions on LFQA: Tables 4, 6, 7 and 9 and section 5."""

    questions: tuple[Questions, ...]
    pairs: tuple[Pair, ...]
    prompts: Mapping[str, tuple[float, float, float]] = field(hash=False)
    gpt3_wins: Mapping[str, tuple[float, float]] = field(hash=False)
    gpt3_wins_by_place: Mapping[str, tuple[float, float, float, float]] = field(hash=False)
    held: Mapping[str, int] = field(hash=False)
    altered_as_leader: Mapping[str, int] = field(hash=False)

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Those that are modelled."""
        return tuple(self.held)


class LlmbarRow(Noun, frozen=True, kw_only=True):
    """A line of PRePair's Table 4; `cells` are in the order of `LlmbarTargets.items`."""

    model: str
    method: str
    cells: tuple[float, ...]
    total: float


class LlmbarTargets(Noun, frozen=True, kw_only=True):
    """PRePair on LLMBar: at temperature 0 (`rows`) and at 0.7 (`warm`, which is not fitted)."""

    items: Mapping[str, int] = field(hash=False)
    rows: tuple[LlmbarRow, ...]
    warm: tuple[LlmbarRow, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The evaluators, in the table's order."""
        return tuple(dict.fromkeys(row.model for row in self.rows))


class Vicuna80Reviewer(Noun, frozen=True, kw_only=True):
    """Shares of a reviewer's 1600 recorded verdicts; `own_wins` of the 640 on its own answers.

    `words` is the mean length of its reviews.
    """

    first: float
    tie: float
    second: float
    both_orders: float
    own_wins: float
    accuracy: float
    words: int


class Vicuna80Targets(Noun, frozen=True, kw_only=True):
    """The recorded reviews of Vicuna80, counted.

    `gold` holds, per two contestants in one key, how often the first is better, neither, the second.
    """

    questions: int
    gold: Mapping[str, tuple[int, int, int]] = field(hash=False)
    reviewers: Mapping[str, Vicuna80Reviewer] = field(hash=False)
    agreement: Mapping[str, float] = field(hash=False)
    again: Mapping[str, float] = field(hash=False)


class Notes(Noun, frozen=True, kw_only=True):
    """What has to be known to read them: where they contradict themselves."""

    contradictions: tuple[str, ...]


class Targets(Noun, frozen=True, kw_only=True):
    """All of them."""

    prd: PrdTargets
    llmbar: LlmbarTargets
    vicuna80: Vicuna80Targets
    notes: Notes


@cache
def targets() -> Targets:
    """The figures as they were published."""
    text = files("studies.calibration").joinpath("targets.toml").read_text("utf-8")
    return from_plain(Targets, tomllib.loads(text))
