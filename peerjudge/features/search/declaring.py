"""Declare a search: its options, splits and exemplars, from an experiment and what the user gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from peerjudge.data import Comparison, Scalar, Search, replace
from peerjudge.errors import DataError, ExperimentError
from peerjudge.features.search.adoption import paper_options
from peerjudge.features.search.nouns import Exemplar, SearchOptions, Splits, Target
from peerjudge.features.search.objectives import (
    OBJECTIVES,
    find_gold_rating,
    keep_gold,
    list_aspects,
)
from peerjudge.features.search.splits import halve_search, split_questions
from peerjudge.prompts import list_labels
from peerjudge.runs import Prepared
from peerjudge.shelf import Shelf

QUESTION_SHOWN = 600
"""An exemplar shows so many characters of its question or document."""
ANSWERS_SHOWN = 1500
"""And so many of its answers, each an equal share: three exemplars fit into a small context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A search that is ready: its declaration, the comparisons with gold, splits, and options."""

    search: Search
    comparisons: tuple[Comparison, ...]
    left_out: int
    splits: Splits
    options: SearchOptions
    seed: int


def merge_search(declared: Search | None, given: Mapping[str, object]) -> Search:
    """Return the search that an experiment declares, with what is given in its place.

    Raises `ExperimentError` for an unknown method or objective, and for a size below 1.
    """
    for name in ("steps", "candidates"):
        if given.get(name) == 0:  # In a declaration 0 is the method's own; a user means none.
            msg = f"{name} of a search is at least 1, not 0"
            raise ExperimentError(msg)
    wanted = {key: value for key, value in given.items() if value not in (None, "", ())}
    search = replace(declared or Search(), **wanted)
    if search.objective not in OBJECTIVES:
        msg = f"there is no objective {search.objective!r}; choose one of {', '.join(OBJECTIVES)}"
        raise ExperimentError(msg)
    if search.method == "opro" and not search.proposer:
        msg = "opro asks a proposer for texts; name a card with --proposer"
        raise ExperimentError(msg)
    return search


def declare(
    search: Search,
    prepared: Prepared,
    targets: Sequence[Target],
    *,
    shelf: Shelf,
    seed: int,
) -> Declared:
    """Return the search on the data of an experiment.

    Raises:
        ExperimentError: no comparison has gold; several aspects have, and none is named; a split is
            too small.
    """
    comparisons, aspect = _choose_comparisons(search, prepared)
    search = replace(search, aspect=aspect)
    splits = _split(search, comparisons, seed=seed)
    options = SearchOptions(
        method=search.method,
        targets=tuple(targets),
        questions=splits.search,
        objective=OBJECTIVES[search.objective],
        paraphrase=bool(search.proposer),
        exemplars=tuple(_list_exemplars(search, comparisons, splits, prepared, shelf)),
    )
    if splits.paper:
        options = replace(paper_options(options), paraphrase=bool(search.proposer))
        if search.objective == "error":
            options = replace(options, entropy=0.0)
    changes: dict[str, int] = {}
    if search.steps:
        changes["steps"] = search.steps
    if search.candidates:
        changes["candidates"] = search.candidates
    if search.patience is not None:
        changes["patience"] = search.patience
    try:
        options = replace(options, **changes)
        options.__post_init__()
    except DataError as cause:
        raise ExperimentError(str(cause)) from cause
    return Declared(
        search=search,
        comparisons=comparisons,
        left_out=len(prepared.plan.comparisons) - len(comparisons),
        splits=splits,
        options=options,
        seed=seed,
    )


def _choose_comparisons(search: Search, prepared: Prepared) -> tuple[tuple[Comparison, ...], str]:
    """Return the comparisons that can be scored, and the aspect of their gold."""
    everything, aspect = prepared.plan.comparisons, search.aspect
    if search.objective == "error":
        known = list_aspects(everything)
        if not aspect and len(known) == 1:
            aspect = known[0]
        if aspect not in known:
            named = f"{aspect!r} is not one of them" if aspect else "name one with --aspect"
            msg = f"the data have gold ratings of {', '.join(known) or 'no aspect'}; {named}"
            raise ExperimentError(msg)
    played = replace(prepared.dataset, comparisons=everything)
    return keep_gold(played, search.objective, aspect=aspect).comparisons, aspect


def _split(search: Search, comparisons: Sequence[Comparison], *, seed: int) -> Splits:
    """Split the questions by subset, or by their mean gold where they are rated."""
    golds: dict[str, list[float]] = {}
    subsets: dict[str, str] = {}
    for comparison in comparisons:
        rating = find_gold_rating(comparison, search.aspect)
        golds.setdefault(comparison.question.id, []).append(0.0 if rating is None else rating)
        subsets.setdefault(
            comparison.question.id, comparison.subset or comparison.question.category
        )
    strata: dict[str, str | float] = (
        {name: sum(values) / len(values) for name, values in golds.items()}
        if search.objective == "error"
        else dict(subsets)
    )
    paper = search.split == "paper"
    sizes = None if paper or not search.split else _parse_sizes(search.split)
    try:
        splits = split_questions(strata, draw=seed, sizes=sizes, paper=paper)
    except DataError as cause:
        raise ExperimentError(str(cause)) from cause
    return halve_search(splits) if paper and search.method == "opro" else splits


def _parse_sizes(text: str) -> tuple[int, int, int]:
    parts = text.split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
        msg = f"--split is paper, or three numbers of questions such as 20,20,40, not {text!r}"
        raise ExperimentError(msg)
    search, select, test = (int(part) for part in parts)
    return search, select, test


def _list_exemplars(
    search: Search,
    comparisons: Sequence[Comparison],
    splits: Splits,
    prepared: Prepared,
    shelf: Shelf,
) -> list[Exemplar]:
    """Return the items that OPRO can show, with their gold in the words of the pack."""
    if search.method != "opro":
        return []
    experiment, asked = prepared.plan.experiment, set(splits.search)
    pack = shelf.prompts(experiment.conditions[0].prompts or experiment.prompts)
    exemplars: list[Exemplar] = []
    for comparison in comparisons:
        if comparison.question.id not in asked:
            continue
        labels = list_labels(pack, len(comparison.answers))
        most = ANSWERS_SHOWN // len(comparison.answers)
        answers = [
            f"{label}: {_cut(answer.text, most)}"
            for label, answer in zip(labels, comparison.answers, strict=True)
        ]
        exemplars.append(
            Exemplar(
                question=comparison.question.id,
                shown="\n\n".join([_cut(comparison.question.text, QUESTION_SHOWN), *answers]),
                gold=_name_gold(comparison, labels, search.aspect),
            )
        )
    return exemplars


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text, with the number of characters that are left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]} [... {len(text) - most:,} more characters]"


def _name_gold(one: Comparison, labels: Sequence[str], aspect: str) -> str:
    rating = find_gold_rating(one, aspect)
    if rating is not None:
        return f"{rating:g}"
    gold: Scalar = one.gold.choice if one.gold is not None else None
    return labels[one.shown.index(str(gold))] if gold is not None else "Tie"
