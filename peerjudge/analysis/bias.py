"""What sways a reviewer besides the answers' worth: their place, their author, their length."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from peerjudge.analysis.judged import HUMAN, judged
from peerjudge.analysis.position import OrderConsistency, Position, order_consistency, position
from peerjudge.analysis.self_enhancement import SelfEnhancement, self_enhancement
from peerjudge.analysis.verbosity import Verbosity, verbosity
from peerjudge.data import Dataset, Noun

__all__ = ["Bias", "Discussed", "bias", "discussed"]


class Discussed(Noun, frozen=True, kw_only=True):
    """Position and order consistency of the stances before and after discussing, by reviewer."""

    position_before: tuple[Position, ...]
    position_after: tuple[Position, ...]
    consistency_before: tuple[OrderConsistency, ...]
    consistency_after: tuple[OrderConsistency, ...]


class Bias(Noun, frozen=True, kw_only=True):
    """The biases of reviewers, one row for each in every table.

    `self_enhancement` has rows only for those who judged answers of their own or of their family.
    `discussed` is `None` where nobody discussed. `simulated` says that no real model gave the reviews.
    """

    gold: str
    simulated: bool
    position: tuple[Position, ...]
    consistency: tuple[OrderConsistency, ...]
    self_enhancement: tuple[SelfEnhancement, ...]
    verbosity: tuple[Verbosity, ...]
    discussed: Discussed | None = None


def bias(
    dataset: Dataset,
    *,
    reviewers: Collection[str] | None = None,
    gold: str = HUMAN,
    families: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Bias:
    """Position, order consistency, self-enhancement and verbosity of recorded reviews.

    Args:
        dataset: reviews of pairs; a run read as one will do.
        reviewers: whose; `None` is everybody but the humans and `gold`.
        gold: `human` for the comparisons' own gold, else a reviewer whose verdicts serve as gold.
        families: the family of reviewers and authors by name, for self-enhancement.
        seed: of the resampling.
    """
    reviews = judged(dataset, reviewers=reviewers, gold=gold)
    return Bias(
        gold=gold,
        simulated=dataset.simulated,
        position=position(reviews, seed=seed),
        consistency=order_consistency(reviews, seed=seed),
        self_enhancement=self_enhancement(reviews, families=families, seed=seed),
        verbosity=verbosity(reviews, seed=seed),
    )


def discussed(
    before: Dataset,
    after: Dataset,
    *,
    reviewers: Collection[str] | None = None,
    seed: int = 0,
) -> Discussed:
    """What discussing did to position bias.

    Args:
        before: the private stances of discussions, as reviews.
        after: the final stances of the same discussions.
        reviewers: whose; `None` is everybody.
        seed: of the resampling.
    """
    was, now = (judged(one, reviewers=reviewers) for one in (before, after))
    return Discussed(
        position_before=position(was, seed=seed),
        position_after=position(now, seed=seed),
        consistency_before=order_consistency(was, seed=seed),
        consistency_after=order_consistency(now, seed=seed),
    )
