"""Published figures to which reviewers are fitted: of `targets.toml`, and PRD's of its table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from peerjudge.data import Noun, from_plain
from peerjudge.features.papers.reading import read_paper
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


_NAMES = {"GPT-4": "gpt4", "Claude": "claude", "GPT-3.5": "gpt35"}
_PROMPTS = {"generic": "generic", "explicit": "explicit", "role": "with role"}
_RUNS = {
    "GPT-3.5 & GPT-3.5": ["gpt35", "gpt35 again"],
    "Claude & Claude": ["claude cool", "claude warm"],
    "GPT-4 & GPT-4": ["gpt4 cool", "gpt4 warm"],
}
"""Private runs of a reviewer that discusses with itself; GPT-3.5's first is the same run as elsewhere."""


@cache
def read_targets() -> Targets:
    """Read the published figures; those of PRD from the table that `peerjudge reproduce` reads."""
    text = Path(__file__).with_name("targets.toml").read_text("utf-8")
    read = tomllib.loads(text)
    return from_plain(Targets, {**read, "prd": {**read["prd"], **_read_prd()}})


def _read_prd() -> dict[str, object]:
    """Return PRD's Tables 4, 6, 7 and 9 and the counts of Figure 6 in the form of `PrdTargets`."""
    paper = read_paper("prd")
    rows: dict[str, dict[str, list[float]]] = {}
    for item in paper.items:
        for cell in item.cells:
            if isinstance(cell.value, float | int):
                rows.setdefault(item.name, {}).setdefault(cell.key[1], []).append(cell.value)
    opinions = {
        (cell.key[1], cell.key[2]): cell.value
        for item in paper.items
        if item.name == "Figure 6"
        for cell in item.cells
        if isinstance(cell.value, float | int)
    }
    return {
        "pairs": [
            {
                "reviewers": [_NAMES[name] for name in row.split(" & ")],
                "private": values[:2],
                "discussion": values[2:],
                **({"runs": _RUNS[row]} if row in _RUNS else {}),
            }
            for row, values in rows["Table 4"].items()
        ],
        "prompts": {_PROMPTS[row]: rows["Table 9"][row] for row in _PROMPTS},
        "gpt3_wins": {own: rows["Table 6"][name] for name, own in _NAMES.items()},
        "gpt3_wins_by_place": {own: rows["Table 7"][name] for name, own in _NAMES.items()},
        "held": {own: opinions[name, "held"] for name, own in _NAMES.items()},
        "altered_as_leader": {
            own: opinions[name, "altered as leader"]
            for name, own in _NAMES.items()
            if (name, "altered as leader") in opinions
        },
    }
