"""Predictions of figures that the fit did not see, beside rules that need no model.

Only these errors are evidence for the model: figures that were fitted are met because they were fitted.
Each pair of PRD's Table 4 is left out in turn: its three discussed accuracies and their gains, and for
GPT-4 with Claude all of Table 9, which is of the same pair. The totals of section 5 stay in, though the
pair takes part in them; leaving them out too, with the preferences after discussing, shows how much that
gives away. That a coin settles splits is fixed before the fit; the other two rules are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from studies.analytic import Settle
from studies.calibration import llmbar, prd
from studies.calibration.targets import LlmbarTargets, Pair, PrdTargets

FIT: Settle = "coin"
SETTLES: tuple[Settle, ...] = (FIT, "last", "leader")
GAINED = ", gain"
RULES = ("better", "mean", "leader's")
"""Rules that predict by a private accuracy: the better of the pair, the mean, the leader's."""


def hold_out_pair(pair: Pair, published: PrdTargets) -> Mapping[str, float]:
    """Return mean errors over the discussed accuracies of a pair that is left out of the fit.

    By way to settle splits for the fit, by model without discussion, and by rule. With `GAINED` after
    the name: over the gains, which are paired and so much less noisy; of the fit where a coin settles.
    """
    errors: dict[str, float] = {}
    for settle in SETTLES:
        predicted = _predict(pair, published, settle=settle)
        errors[settle] = _average_error(pair.discussion, _find(prd.DISCUSSED, pair, predicted))
        if settle == FIT:
            errors[f"{FIT}{GAINED}"] = _miss_gains(pair, predicted)
    for model in prd.list_null_models(published):
        predicted = _predict(pair, published, settle=FIT, model=model)
        errors[model.name] = _average_error(pair.discussion, _find(prd.DISCUSSED, pair, predicted))
        errors[f"{model.name}{GAINED}"] = _miss_gains(pair, predicted)
    better, mean = max(pair.private), sum(pair.private) / 2
    rules = ((better,) * 3, (mean,) * 3, (*pair.private, mean))
    for rule, predictions in zip(RULES, rules, strict=True):
        # A rule starts from the published private accuracies, so it misses a gain by as much.
        errors[rule] = errors[f"{rule}{GAINED}"] = _average_error(pair.discussion, predictions)
    return errors


def _miss_gains(pair: Pair, predicted: Mapping[str, float]) -> float:
    gains = [value - sum(pair.private) / 2 for value in pair.discussion]
    return _average_error(gains, _find(prd.GAIN, pair, predicted))


def hold_out_prompts(published: PrdTargets) -> tuple[float, float]:
    """Return the mean errors on Table 9 of the fit without its pair, and of the better private accuracy."""
    pair = published.pairs[0]
    prompts = _list_prompts(pair, published)
    predicted = _predict(pair, published, settle=FIT)
    return (
        _average_error(list(prompts.values()), [predicted[one] for one in prompts]),
        _average_error(list(prompts.values()), [max(pair.private)] * len(prompts)),
    )


def hold_out_strictly(published: PrdTargets) -> float:
    """Return the mean error on the first pair if every figure that it enters at all is left out."""
    pair = published.pairs[0]
    groups = (prd.HELD, prd.ALTERED, prd.PLACE, prd.WINS)
    after = {
        figure.id
        for figure in prd.list_figures(published)
        if figure.group in groups and not figure.name.partition(", ")[2].startswith("private")
    }
    predicted = _predict(pair, published, settle=FIT, besides=after)
    return _average_error(pair.discussion, _find(prd.DISCUSSED, pair, predicted))


def hold_out_rows(published: LlmbarTargets) -> list[tuple[str, float, float, float, float]]:
    """Leave out PRePair's row of every evaluator in turn.

    Returns by evaluator: its name, the published total, the errors of the fit on the total and (mean)
    on the cells, and the error on the total of the rule that explaining changes nothing.
    """
    rows = {(row.model, row.method): row for row in published.rows}
    found: list[tuple[str, float, float, float, float]] = []
    for model in published.models:
        row = rows[model, "prepair"]
        fit = llmbar.fit_llmbar(published, without={(model, "prepair")})
        said = llmbar.expect_figures(*llmbar.build_world(fit.values, published), published)
        cells = [
            abs(figure.published - said[figure.id])
            for figure in llmbar.list_figures(published)
            if figure.group == llmbar.CELL and figure.name.startswith(f"{row.name},")
        ]
        total = abs(row.total - said[f"{llmbar.TOTAL}: {row.name}"])
        pairwise = abs(row.total - rows[model, "pairwise"].total)
        found.append((model, row.total, total, sum(cells) / len(cells), pairwise))
    return found


def _predict(
    pair: Pair,
    published: PrdTargets,
    *,
    settle: Settle,
    besides: Iterable[str] = (),
    model: prd.Model | None = None,
) -> Mapping[str, float]:
    """Return the expectations of a fit without this pair and the figures `besides`."""
    hidden = {
        f"{group}: {pair.name}, {lead}"
        for group in (prd.DISCUSSED, prd.GAIN)
        for lead in pair.leads
    }
    hidden |= {*_list_prompts(pair, published), *besides}
    fitted = model or prd.build_model(published)
    found = prd.fit_prd(published, model=fitted, settle=settle, without=hidden)
    cast = fitted.build_cast(found.values)
    return prd.expect_figures(cast, published, settle=settle)


def _list_prompts(pair: Pair, published: PrdTargets) -> Mapping[str, float]:
    """Return Table 9 by the ids of its figures, if it is of this pair."""
    if pair != published.pairs[0]:
        return {}
    figures = prd.list_figures(published)
    return {figure.id: figure.published for figure in figures if figure.group == prd.PROMPT}


def _find(group: str, pair: Pair, predicted: Mapping[str, float]) -> list[float]:
    return [predicted[f"{group}: {pair.name}, {lead}"] for lead in pair.leads]


def _average_error(published: Sequence[float], predicted: Sequence[float]) -> float:
    off = [abs(a - b) for a, b in zip(published, predicted, strict=True)]
    return sum(off) / len(off)
