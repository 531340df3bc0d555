"""What the fit predicts of figures it was not shown, beside rules that need no model.

Each pair of PRD's Table 4 is left out in turn: its three discussed accuracies and their gains, and for
GPT-4 with Claude all of Table 9, which is of the same pair. The totals of section 5 stay in, though the
pair takes part in them; how much that gives away is shown by leaving them out too, with the preferences
after discussing. The fit is told beforehand that a coin settles splits; the other two rules are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from studies.analytic import Settle
from studies.calibration.llmbar import (
    CELL,
    TOTAL,
    figures,
    fit_llmbar,
    row_name,
    world_of,
)
from studies.calibration.llmbar import expected as llmbar_expected
from studies.calibration.prd import cast_of, expected, fit_prd
from studies.calibration.prd_figures import (
    ALTERED,
    DISCUSSED,
    GAIN,
    HELD,
    PLACE,
    PROMPT,
    WINS,
    leads,
)
from studies.calibration.prd_figures import figures as prd_figures
from studies.calibration.targets import LlmbarTargets, Pair, PrdTargets

__all__ = ["SETTLES", "HeldOutPair", "HeldOutRow", "held_out_pair", "held_out_rows", "strictly"]

SETTLES: tuple[Settle, ...] = ("coin", "last", "leader")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutPair:
    """Mean errors over the three discussed accuracies of a pair.

    `errors` are those of the fit that was not shown the pair, for every way to settle splits; the
    others are of rules: the better private accuracy, the mean one, the leader's. `prompts` is the
    error of the fit and of the first rule on Table 9, where it was left out too.
    """

    pair: str
    errors: dict[Settle, float]
    better: float
    mean: float
    leader: float
    prompts: tuple[float, float] | None


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


def held_out_pair(pair: Pair, published: PrdTargets) -> HeldOutPair:
    """A pair of Table 4, left out."""
    said: dict[Settle, Mapping[str, float]] = {
        settle: _said(pair, published, settle=settle) for settle in SETTLES
    }
    errors: dict[Settle, float] = {
        settle: _off(pair.discussion, _discussed(pair, found)) for settle, found in said.items()
    }
    better, mean = max(pair.private), sum(pair.private) / 2
    prompts = _prompts(pair, published)
    return HeldOutPair(
        pair=pair.name,
        errors=errors,
        better=_off(pair.discussion, (better,) * 3),
        mean=_off(pair.discussion, (mean,) * 3),
        leader=_off(pair.discussion, (*pair.private, mean)),
        prompts=(
            _off(list(prompts.values()), [said["coin"][one] for one in prompts]),
            _off(list(prompts.values()), [better] * len(prompts)),
        )
        if prompts
        else None,
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
    said = _said(pair, published, settle="coin", besides=after)
    return _off(pair.discussion, _discussed(pair, said))


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


def _said(
    pair: Pair, published: PrdTargets, *, settle: Settle, besides: Iterable[str] = ()
) -> Mapping[str, float]:
    """What a fit expects that was not shown this pair, nor the figures `besides`."""
    names = [f"{pair.name}, {lead}" for lead in leads(pair)]
    hidden = {f"{group}: {name}" for group in (DISCUSSED, GAIN) for name in names}
    hidden |= set(_prompts(pair, published))
    hidden |= set(besides)
    found = fit_prd(published, settle=settle, without=hidden)
    return expected(cast_of(found.values, published.reviewers), published, settle=settle)


def _prompts(pair: Pair, published: PrdTargets) -> Mapping[str, float]:
    """Table 9 by the ids of its figures, if it is of this pair."""
    if pair != published.pairs[0]:
        return {}
    return {
        figure.id: figure.published for figure in prd_figures(published) if figure.group == PROMPT
    }


def _discussed(pair: Pair, said: Mapping[str, float]) -> list[float]:
    return [said[f"{DISCUSSED}: {pair.name}, {lead}"] for lead in leads(pair)]


def _off(published: Sequence[float], predicted: Sequence[float]) -> float:
    off = [abs(a - b) for a, b in zip(published, predicted, strict=True)]
    return sum(off) / len(off)
