"""Sorts gold verdicts into the groups whose accuracy is asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from peerjudge.analysis.scoring.nouns import GoldRow, Judged
from peerjudge.data import Comparison
from peerjudge.errors import DataError

__all__ = ["LABELER", "gold_rows"]

LABELER = "labeler"
"""Groups votes by who gave them; each vote is then a gold of its own."""

_OWN = ("subset", "category")


def gold_rows(judged: Judged, by: str) -> tuple[tuple[GoldRow, ...], tuple[str, ...]]:
    """The gold verdicts with their groups, and the groups in the order of the source.

    * empty: no groups;
    * `subset`: the benchmark's own division. Where whole subsets make up a category (LLMBar's
      Adversarial), that category is a group as well, after them;
    * `category`: of the question;
    * `labeler`: the types of labelers. Every readable vote is then one gold, so a verdict counts as
      often as there were votes on its comparison;
    * anything else: that key of the comparisons' `meta`.

    Raises:
        DataError: nothing in the source has such groups; says which there are.
    """
    if by == LABELER:
        rows = [
            GoldRow(comparison=name, gold=gold, groups=(labeler,))
            for name in judged.comparisons
            for labeler, gold in judged.votes.get(name, ())
        ]
    else:
        totals = _totals(judged.comparisons.values()) if by == "subset" else {}
        rows = [
            GoldRow(comparison=one.id, gold=one.gold, groups=_groups(one, by, totals))
            for one in judged.comparisons.values()
            if one.gold is not None and one.gold.readable
        ]
    groups = dict.fromkeys(group for row in rows for group in row.groups)
    if by and not groups:
        raise DataError(_nothing_by(judged, by))
    last = {group for row in rows for group in row.groups[1:]}
    return tuple(rows), tuple(sorted(groups, key=lambda group: group in last))


def _groups(comparison: Comparison, by: str, totals: Mapping[str, str]) -> tuple[str, ...]:
    if by == "subset":
        total = totals.get(comparison.subset)
        own = (comparison.subset,) if comparison.subset else ()
        return own if total is None else (*own, total)
    if by == "category":
        return (comparison.question.category,) if comparison.question.category else ()
    value = comparison.meta.get(by)
    return () if not by or value is None else (str(value),)


def _totals(comparisons: Iterable[Comparison]) -> dict[str, str]:
    """The category of each subset, if the subset has only that one and shares it with another."""
    categories: defaultdict[str, set[str]] = defaultdict(set)
    for one in comparisons:
        categories[one.subset].add(one.question.category)
    nested = {subset: next(iter(found)) for subset, found in categories.items() if len(found) == 1}
    if len(nested) < len(categories):
        return {}
    shared = list(nested.values())
    return {
        subset: category
        for subset, category in nested.items()
        if subset and category and category not in nested and shared.count(category) > 1
    }


def _nothing_by(judged: Judged, by: str) -> str:
    groups = ", ".join(_known(judged)) or "no groups"
    hint = "; take the votes from a dataset that has them (--gold)" if by == LABELER else ""
    return f"{judged.name} cannot be scored by {by!r}; it has {groups}{hint}"


def _known(judged: Judged) -> list[str]:
    comparisons = judged.comparisons.values()
    own = [
        by
        for by in _OWN
        if any(one.subset if by == "subset" else one.question.category for one in comparisons)
    ]
    labeled = [LABELER] if judged.votes else []
    return own + labeled + sorted({key for one in comparisons for key in one.meta})
