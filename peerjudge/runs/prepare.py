"""Resolves an experiment: everything it names is found, and nobody is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import Card, Dataset, Experiment, ReviewerKind, content_hash, replace, to_plain
from peerjudge.datasets import load as load_dataset
from peerjudge.prompts import pack_identity
from peerjudge.runs.costs import Costs, costs_of
from peerjudge.runs.folder import manifest_of
from peerjudge.runs.plan import Plan, cast_parts
from peerjudge.runs.settings import apply_settings, cards_of
from peerjudge.shelf import Shelf

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An experiment with everything it names found, and the data it will be played on."""

    plan: Plan
    dataset: Dataset
    costs: Costs
    manifest: Mapping[str, object]

    @property
    def run_id(self) -> str:
        """The same for the same experiment, however many comparisons are played.

        An edited card, prompt pack or protocol makes another run: what was played before stays in
        the store, and is not mixed with what is played now.
        """
        parts = [
            [part.code, pack_identity(part.pack), [seat.identity for seat in part.seats]]
            for part in self.plan.parts
        ]
        return content_hash(to_plain(replace(self.plan.experiment, question="")), parts)


def prepare(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    shelf: Shelf | None = None,
) -> Prepared:
    """Resolve an experiment without calling anybody.

    Args:
        experiment: A name on the shelf, the path of a file, or a declaration.
        data: A dataset `NAME` or `NAME:PATH` instead of the declared one.
        limit: Play only the first so many comparisons.
        seed: Instead of the declared one.
        settings: `key: value` settings; see `apply_settings`.
        shelf: Where names are looked up; by default the working directory, then the built-in shelf.

    Raises:
        PeerJudgeError: Something it names is not there or does not fit.
    """
    shelf = shelf or Shelf()
    declared = experiment if isinstance(experiment, Experiment) else shelf.experiment(experiment)
    declared = replace(
        declared,
        name=declared.name or "experiment",
        data=data or declared.data,
        seed=declared.seed if seed is None else seed,
    )
    declared = apply_settings(declared, settings or {}, shelf)
    cast = cards_of(declared, shelf)
    parts = cast_parts(declared, shelf, cast)
    dataset = load_dataset(declared.data, limit=limit, reviews=_needs_reviews(cast.values()))
    plan = Plan(experiment=declared, parts=parts, cast=cast, comparisons=dataset.comparisons)
    costs = costs_of(cast, project=shelf.project or Path.cwd())
    manifest = manifest_of(plan, shelf, dataset=dataset.name) | {"prices": costs.document()}
    return Prepared(plan=plan, dataset=dataset, costs=costs, manifest=manifest)


def _needs_reviews(cards: Iterable[Card]) -> bool:
    return any(card.kind is ReviewerKind.RECORDED and not card.source for card in cards)
