"""Gold verdicts in groups: by subset, category, labeler, or a column of the data."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from peerjudge.analysis.accuracy import Golds
from peerjudge.analysis.assembling import Vocabulary
from peerjudge.analysis.ballots import SHARED, TIE, Ballots, Bools, Codes, Numbers, Shares
from peerjudge.analysis.grouping import group_rows
from peerjudge.data import MAX_ANSWERS, Comparison
from peerjudge.data.choices import suggest_name
from peerjudge.errors import DataError

LABELER = "labeler"
"""Groups votes by the type of the labeler; every vote is then a gold verdict of its own."""

GROUPINGS: Mapping[str, Callable[[Comparison], str]] = MappingProxyType(
    {
        "subset": lambda one: one.subset,
        "category": lambda one: one.question.category,
    }
)
"""The group of a comparison by name of the grouping; an empty text is none. A key of `meta` is one, too."""


def find_golds(ballots: Ballots, by: str, *, used: Bools, votes: Collection[str] = ()) -> Golds:
    """Return the gold verdicts with their groups, in the order of the source.

    * empty: no groups;
    * `subset`: the benchmark's own division. Where whole subsets make up a category (LLMBar's
      Adversarial), that category is a group as well, after the subsets;
    * `category`: of the question;
    * `labeler`: the types of labelers. Every readable vote is then one gold, so a verdict counts as
      often as there are votes on its comparison;
    * any other name: that key of the comparisons' `meta`;
    * names separated by commas: the groups that are equal in all of them, such as `science, easy`.

    Args:
        ballots: the comparisons, and the votes of humans.
        by: name of the groups.
        used: by comparison, true for those to use.
        votes: types of labelers; each of their votes is then one gold, in any groups.

    Raises:
        DataError: the source has no such groups; the message names those it has.
    """
    comparisons = ballots.comparisons
    asked: Numbers = np.flatnonzero(used).astype(np.int32)
    totals = _find_totals([comparisons[int(n)] for n in asked]) if by == "subset" else {}
    numbers = asked[ballots.gold_of[asked] >= TIE]
    verdicts = ballots.gold_of[numbers]
    voters: tuple[str, ...] = ()
    if by == LABELER or votes:
        given = find_votes(ballots, votes)
        given = given.where(used[given.comparison])
        given = given.where(np.argsort(given.comparison, kind="stable"))
        asked = numbers = given.comparison
        verdicts, voters = given.verdict, tuple(given.reviewers[int(n)] for n in given.reviewer)
    kinds = (
        [(name_labeler_type(name),) for name in voters]
        if by == LABELER
        else [_name_groups(comparisons[int(n)], by, totals) for n in numbers]
    )
    groups = _list_groups(kinds)
    if by and not groups:
        raise DataError(_describe_groups(ballots, by, [comparisons[int(n)] for n in asked]))
    members = {
        group: np.array([group in names for names in kinds], dtype=np.bool_) for group in groups
    }
    return Golds(
        comparison=numbers,
        verdict=verdicts,
        groups={"": np.ones(len(numbers), dtype=np.bool_), **members},
        voters=voters,
    )


def _list_groups(kinds: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the names in the order of the source; a total comes after all groups of which it is one."""
    totals = {group for names in kinds for group in names[1:]}
    named = dict.fromkeys(group for names in kinds for group in names)
    return sorted(named, key=lambda group: group in totals)


def name_labeler_type(labeler: str) -> str:
    """Return the type of a labeler: `expert` for `expert_17`; the name if it has no number."""
    return re.sub(r"_\d+$", "", labeler)


def align_comparisons(ballots: Ballots, source: Ballots) -> Ballots:
    """Return the ballots on comparisons of the source, with its comparisons and their own orders.

    Raises:
        DataError: a comparison of the same id has other answers in the source.
    """
    numbers = {one.id: number for number, one in enumerate(source.comparisons)}
    number = np.array(
        [numbers.get(comparison.id, -1) for comparison in ballots.comparisons], dtype=np.int32
    )
    places = np.full((len(number), MAX_ANSWERS), -1, dtype=np.int8)
    for own, at in enumerate(map(int, number)):
        if at >= 0:
            one, theirs = ballots.comparisons[own], source.comparisons[at].shown
            if set(one.shown) != set(theirs):
                msg = f"the comparison {one.id!r} has other answers in {source.name}"
                raise DataError(msg)
            places[own, : len(theirs)] = [theirs.index(answer) for answer in one.shown]
    kept = ballots.where(number[ballots.comparison] >= 0)
    chosen = places[kept.comparison, np.maximum(kept.verdict, 0)]
    orders = Vocabulary[tuple[int, ...]]()
    group, first = group_rows(kept.comparison, kept.order)
    order = [
        orders[
            tuple(places[kept.comparison[row], list(kept.orders[int(kept.order[row])])].tolist())
        ]
        for row in first.tolist()
    ]
    return replace(
        kept,
        voter_gold=_find_voter_gold(kept, number[kept.comparison], source),
        questions=source.questions,
        comparisons=source.comparisons,
        question_of=source.question_of,
        gold_of=source.gold_of,
        lengths=source.lengths,
        markdown=source.markdown,
        orders=tuple(orders),
        own_order=source.own_order,
        comparison=number[kept.comparison],
        order=np.array(order, dtype=np.int32)[group],
        verdict=np.where(kept.verdict >= 0, chosen, kept.verdict),
        probabilities=_permute(kept.probabilities, places[kept.comparison]),
    )


def _find_voter_gold(ballots: Ballots, numbers: Numbers, source: Ballots) -> Codes:
    """Return the gold without their own votes of the source's voters, `SHARED` for other ballots."""
    voted = source.where(source.voter_gold != SHARED)
    voters: list[int] = voted.reviewer.tolist()
    judged: list[int] = voted.comparison.tolist()
    golds: list[int] = voted.voter_gold.tolist()
    known = {
        (source.reviewers[voter], number): gold
        for voter, number, gold in zip(voters, judged, golds, strict=True)
    }
    voter_gold: Codes = np.full(len(ballots), SHARED, dtype=np.int8)
    if known:
        codes: list[int] = ballots.reviewer.tolist()
        places: list[int] = numbers.tolist()
        names = [ballots.reviewers[code] if code >= 0 else "" for code in codes]
        voter_gold[:] = [known.get(key, SHARED) for key in zip(names, places, strict=True)]
    return voter_gold


def _permute(probabilities: Shares, places: Codes) -> Shares:
    """Return probabilities `[ballot, answer]` with every answer at its place; -1 is no answer."""
    if not probabilities.shape[1]:
        return probabilities
    moved = np.full_like(probabilities, np.nan)
    ballot, answer = np.nonzero(places >= 0)
    moved[ballot, places[ballot, answer]] = probabilities[ballot, answer]
    return moved


def find_votes(ballots: Ballots, types: Collection[str] = ()) -> Ballots:
    """Return the readable votes of people; of those of these types only, if any are named."""
    votes = ballots.where(ballots.by_people & ballots.readable)
    if not types:
        return votes
    wanted = [name_labeler_type(name) in types for name in votes.reviewers]
    return votes.where(np.array(wanted, dtype=np.bool_)[votes.reviewer])


def _name_groups(comparison: Comparison, by: str, totals: Mapping[str, str]) -> tuple[str, ...]:
    if by in GROUPINGS:
        group = GROUPINGS[by](comparison)
        total = totals.get(group) if by == "subset" else None
        return tuple(name for name in (group, total) if name)
    value = comparison.meta.get(by)
    if value is not None:
        return (str(value),)
    names = _split_names(by)
    parts = [_name_groups(comparison, name, {}) for name in names] if len(names) > 1 else []
    return (", ".join(part for (part,) in parts),) if parts and all(parts) else ()


def _split_names(by: str) -> list[str]:
    return [name for name in map(str.strip, by.split(",")) if name]


def _find_totals(comparisons: Iterable[Comparison]) -> dict[str, str]:
    """Return the category of each subset that has only this one and shares it with another."""
    categories: defaultdict[str, set[str]] = defaultdict(set)
    for comparison in comparisons:
        categories[comparison.subset].add(comparison.question.category)
    nested = {subset: next(iter(found)) for subset, found in categories.items() if len(found) == 1}
    if len(nested) < len(categories):
        return {}
    shared = list(nested.values())
    return {
        subset: category
        for subset, category in nested.items()
        if subset and category and category not in nested and shared.count(category) > 1
    }


def _describe_groups(ballots: Ballots, by: str, comparisons: Sequence[Comparison]) -> str:
    own = [name for name, group in GROUPINGS.items() if any(map(group, comparisons))]
    labeled = [LABELER] if len(find_votes(ballots)) else []
    known = own + labeled + sorted({key for comparison in comparisons for key in comparison.meta})
    missing = [name for name in _split_names(by) if name not in known]
    if len(_split_names(by)) > 1 and not missing:
        alone = f" {LABELER!r} stands alone." if LABELER in _split_names(by) else ""
        return f"{ballots.name} has no comparison with all of {by}; name fewer of them.{alone}"
    by = missing[0] if missing else by
    groups = ", ".join(known) or "no groups"
    hint = "; take the votes from a dataset that has them (--gold)" if by == LABELER else ""
    return f"{ballots.name} cannot be scored by {by!r}; it has {groups}{hint or suggest_name(by, known)}"
