"""Output sequencing: level and scatter of scores by form of the reply, and coherence against experts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import nan

import numpy as np

from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.judges import group_judges
from peerjudge.analysis.rating_pairs import tabulate_ratings
from peerjudge.analysis.ratings import RatingLevel, correlate_ratings
from peerjudge.data import Measurement
from peerjudge.features.papers.declared import Estimate
from peerjudge.features.papers.reproducing import CellKey, Estimates, Evidence, find_speakers
from peerjudge.statistics.sampler import Sampler

FORMS = {
    f"{name} ({letters})": (form, order)
    for name, form in (("ex", "example"), ("json", "schema"))
    for letters, order in (
        ("s", "score_only"),
        ("sr", "score_reasons"),
        ("rs", "reasons_score"),
    )
}
"""The options `form` and `order` of `score_reasons` by the names of the paper."""

_DIALOGUES, _SUMMARIES = "10-1", "1-5"
"""The scales of the two parts of the paper."""
_ASPECT = "coherence"
_OWN_DEVIATION = (
    "The paper does not say over what its standard deviations are: ours are of all ratings."
)
_OPTIMISED = {
    "init": ("", "init(json(rs))"),
    "GRIPS": ("optimised", "+GRIPS"),
    "OPRO": ("optimised", "+OPRO"),
}
"""Conditions of `coherence_prompt` with the grid and row of Table 4."""
_OWN_WORDS = "The optimised wordings are ours, with what the paper tells of its own."
_OWN_TEST = "The paper tests on 90 % of the articles; ours are all summaries of the run."

_Values = dict[CellKey, Measurement | str]


def measure_forms(evidence: Evidence) -> Estimates:
    """Estimate Table 2: means and standard deviations with the special rules."""
    values: _Values = {}
    for model, form, level in _list_levels(evidence, rules=True):
        values["mean", form, model] = level.mean
        values["standard deviation", form, model] = Measurement(
            value=level.sd, low=nan, high=nan, n=level.ratings
        )
    return Estimates(
        values=evidence.only_printed(values),
        reviewers={key: _find_judge(evidence, key[2]) for key in values},
        note=_OWN_DEVIATION if values else "",
    )


def correlate_coherence(evidence: Evidence) -> Estimates:
    """Estimate Table 4: the initial and the optimised instructions against experts.

    Conditions named `init`, `GRIPS` and `OPRO` are those of `coherence_prompt`; a run with one condition
    has the initial instruction.
    """
    rated = _choose(evidence.ballots, "json (rs)", rules=False, scale=_SUMMARIES)
    names = rated.discussions.conditions
    searched = {name for name in _OPTIMISED if name in names}
    if not searched and len(tabulate_ratings(rated)) != 1:
        return Estimates()
    values: _Values = {}
    reviewers: dict[CellKey, frozenset[str]] = {}
    for name, (grid, row) in _OPTIMISED.items():
        if searched and name not in searched:
            continue
        chosen = rated
        if searched:
            chosen = _pick(rated, "condition", [condition == name for condition in names])
        for measure, value in _correlate(chosen, evidence):
            values[grid, row, measure] = value
            reviewers[grid, row, measure] = find_speakers(chosen)
        if not searched:
            break
    notes = [_OWN_TEST] if values else []
    return Estimates(
        values=values,
        reviewers=reviewers,
        note=" ".join([*notes, _OWN_WORDS][: 1 + bool(searched)]),
    )


def _correlate(rated: Ballots, evidence: Evidence) -> Iterator[tuple[str, Measurement]]:
    judged, judges, _ = group_judges(rated, None)
    used = np.isin(np.arange(len(judged.comparisons)), judged.comparison)
    for rating in correlate_ratings(judged, judges, used, sampler=Sampler(seed=evidence.seed)):
        if rating.aspect == _ASPECT:
            yield "mean absolute error", rating.mean_error
            yield "Pearson", rating.pearson
            yield "Kendall", rating.kendall


def compare_orders(evidence: Evidence) -> Estimates:
    """Estimate the means of section 3.1: reasons before and after the score."""
    values: _Values = {}
    judges: set[str] = set()
    for form in ("json (rs)", "json (sr)"):
        rated = _choose(evidence.ballots, form, rules=False, scale=_SUMMARIES)
        rows = tabulate_ratings(rated)
        judges |= {rated.reviewers[code] for code in np.unique(rated.reviewer)}
        if len(rows) == 1:
            values["", form, "mean"] = rows[0].levels[0].mean
    if len(judges) > 1:
        named = ", ".join(sorted(judges))
        return Estimates(missing=f"is of one judge in both forms, and here there are {named}")
    return Estimates(
        values=values,
        reviewers=dict.fromkeys(values, judges),
        note=_OWN_TEST if values else "",
    )


def measure_means(evidence: Evidence, *, rules: bool) -> Estimates:
    """Estimate Figures 1 and 3: the scores with and without the special rules."""
    levels = [*_list_levels(evidence, rules=rules)]
    items = max((level.items for *_, level in levels), default=0)
    return Estimates(
        values={("", form, model): level.mean for model, form, level in levels},
        reviewers={("", form, model): _find_judge(evidence, model) for model, form, _ in levels},
        note="" if items < 2 else f"The paper has 50 trials of one set; ours are of {items} sets.",
    )


def _find_judge(evidence: Evidence, model: str) -> frozenset[str]:
    name = evidence.find_reviewer(model)
    return frozenset() if name is None else frozenset({name})


def _list_levels(evidence: Evidence, *, rules: bool) -> Iterator[tuple[str, str, RatingLevel]]:
    """Yield model, form and level of all ratings of dialogues by one model in one condition."""
    for model in evidence.reviewers:
        reviewer = evidence.find_reviewer(model)
        for form in FORMS:
            rated = _choose(evidence.ballots, form, rules=rules, scale=_DIALOGUES)
            seatings = rated.discussions.seatings
            alone = [[seat[0] for seat in seating] == [reviewer] for seating in seatings]
            rows = tabulate_ratings(_pick(rated, "seating", alone))
            if len(rows) == 1:
                yield model, form, rows[0].levels[0]


def _choose(ballots: Ballots, form: str, *, rules: bool, scale: str) -> Ballots:
    """Return the ballots of the discussions that were asked for ratings in this form."""
    kind, order = FORMS[form]
    wanted = {f"form={kind}", f"order={order}", f"rules={rules}", f"scale={scale}"}
    settings = ballots.discussions.settings
    return _pick(ballots, "setting", [wanted <= {*setting.split()} for setting in settings])


def _pick(ballots: Ballots, column: str, chosen: Sequence[bool]) -> Ballots:
    """Return the ballots of discussions whose condition, setting or seating is chosen, by its code."""
    codes = getattr(ballots.discussions, column)
    return ballots.of_discussions(np.array(chosen, dtype=np.bool_)[codes])


ITEMS: Mapping[str, Estimate] = {
    "Table 2": measure_forms,
    "Figure 1": partial(measure_means, rules=True),
    "Figure 3": partial(measure_means, rules=False),
    "Table 4": correlate_coherence,
    "Section 3.1": compare_orders,
}
