"""What the fit predicts of figures it was not shown, beside rules that need no model.

Each pair of PRD's Table 4 is left out in turn: its three discussed accuracies and their gains, and for
GPT-4 with Claude all of Table 9, which is of the same pair. The totals of section 5 stay in, though the
pair takes part in them; how much that gives away is shown by leaving them out too, with the preferences
after discussing. The fit is told beforehand that a coin settles splits; the other two rules are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.simulation.analytic import Settle
from peerjudge.simulation.calibration.llmbar import (
    CELL,
    TOTAL,
    figures,
    fit_llmbar,
    row_name,
    world_of,
)
from peerjudge.simulation.calibration.llmbar import expected as llmbar_expected
from peerjudge.simulation.calibration.prd import cast_of, expected, fit_prd
from peerjudge.simulation.calibration.prd_figures import (
    ALTERED,
    DISCUSSED,
    GAIN,
    HELD,
    PLACE,
    PROMPT,
    WINS,
    leads,
)
from peerjudge.simulation.calibration.prd_figures import figures as prd_figures
from peerjudge.simulation.calibration.targets import LlmbarTargets, Pair, PrdTargets

__all__ = ["SETTLES", "HeldOutPair", "HeldOutRow", "held_out_pairs", "held_out_rows", "strictly"]

SETTLES: tuple[Settle, ...] = ("coin", "last", "leader")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutPair:
    """Mean errors over the three discussed accuracies of a pair.

    `errors` are those of the fit that was not shown the pair, for every way to settle splits; the
    others are of rules: the better private accuracy, the mean one, the leader's.
    """

    pair: str
    errors: dict[Settle, float]
    better: float
    mean: float
    leader: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutRow:
    """The PRePair row of one evaluator, predicted from its other rows and the other evaluators.

    `pairwise` is the rule that explaining changes nothing.
    """

    model: str
    total: float
    error: float
    cells: float
    pairwise: float


def held_out_pairs(published: PrdTargets) -> tuple[HeldOutPair, ...]:
    """Every pair of Table 4, left out in turn."""
    return tuple(
        HeldOutPair(
            pair=pair.name,
            errors={settle: _error(pair, published, settle=settle) for settle in SETTLES},
            better=_off(pair, (max(pair.private),) * 3),
            mean=_off(pair, (sum(pair.private) / 2,) * 3),
            leader=_off(pair, (*pair.private, sum(pair.private) / 2)),
        )
        for pair in published.pairs
    )


def strictly(published: PrdTargets) -> float:
    """The error on the first pair where no figure that it enters at all was shown to the fit."""
    pair = published.pairs[0]
    groups = (HELD, ALTERED, PLACE, WINS)
    after = {
        figure.id
        for figure in prd_figures(published)
        if figure.group in groups and not figure.name.partition(", ")[2].startswith("private")
    }
    return _error(pair, published, settle="coin", besides=after)


def held_out_rows(published: LlmbarTargets) -> tuple[HeldOutRow, ...]:
    """PRePair's row of every evaluator, left out in turn."""
    rows = {(row.model, row.method): row for row in published.rows}
    found: list[HeldOutRow] = []
    for model in published.models:
        row = rows[model, "prepair"]
        fit = fit_llmbar(published, without={(model, "prepair")})
        said = llmbar_expected(world_of(fit.values, published), published)
        cells = [
            abs(figure.published - said[figure.id])
            for figure in figures(published)
            if figure.group == CELL and figure.name.startswith(f"{row_name(row)},")
        ]
        found.append(
            HeldOutRow(
                model=model,
                total=row.total,
                error=abs(row.total - said[f"{TOTAL}: {row_name(row)}"]),
                cells=sum(cells) / len(cells),
                pairwise=abs(row.total - rows[model, "pairwise"].total),
            )
        )
    return tuple(found)


def _error(
    pair: Pair, published: PrdTargets, *, settle: Settle, besides: set[str] | None = None
) -> float:
    names = [f"{pair.name}, {lead}" for lead in leads(pair)]
    hidden = {f"{group}: {name}" for group in (DISCUSSED, GAIN) for name in names}
    hidden |= besides or set()
    if pair == published.pairs[0]:
        hidden |= {figure.id for figure in prd_figures(published) if figure.group == PROMPT}
    found = fit_prd(published, settle=settle, without=hidden)
    said = expected(cast_of(found.values, published.reviewers), published, settle=settle)
    return _off(pair, [said[f"{DISCUSSED}: {name}"] for name in names])


def _off(pair: Pair, predicted: Sequence[float]) -> float:
    off = [abs(a - b) for a, b in zip(pair.discussion, predicted, strict=True)]
    return sum(off) / len(off)
