"""The most that a search takes, before a model is called."""

from __future__ import annotations

from math import ceil
from typing import Any

from peerjudge.data import Noun, add_costs, to_plain
from peerjudge.features.search.adoption import MAX_FINALISTS
from peerjudge.features.search.declaring import Declared
from peerjudge.features.search.nouns import SearchOptions
from peerjudge.features.search.playing import Player


class Phase(Noun, frozen=True, kw_only=True):
    """The most that one phase of a search takes.

    `evaluations` counts questions judged with one text; cost is `None` if a price is unknown.
    """

    name: str
    evaluations: int
    calls: int
    tokens: int
    cost_usd: float | None


class SearchEstimate(Noun, frozen=True, kw_only=True):
    """The most that a search takes: its phases, and the texts that it asks the proposer for."""

    phases: tuple[Phase, ...]
    texts: int

    @property
    def calls(self) -> int:
        """Calls of all reviewers and of the proposer."""
        return sum(phase.calls for phase in self.phases) + self.texts

    @property
    def tokens(self) -> int:
        """Tokens of the reviewers; those of the proposer are not known before."""
        return sum(phase.tokens for phase in self.phases)

    @property
    def cost_usd(self) -> float | None:
        """Cost of the reviewers in USD."""
        return add_costs(phase.cost_usd for phase in self.phases)

    def document(self) -> dict[str, Any]:
        """Return the estimate as `optimize --dry-run --json` prints it."""
        return {
            "phases": to_plain(self.phases),
            "texts": self.texts,
            "calls": self.calls,
            "tokens": self.tokens,
            "cost_usd": self.cost_usd,
            "cost_known": self.cost_usd is not None,
        }


def estimate_search(declared: Declared, player: Player) -> SearchEstimate:
    """Return the most that searching, selecting and testing take, with replies of the assumed length.

    It assumes that no step ends the search early, that five candidates become finalists, and that
    nothing is kept. Transfer is not included.
    """
    splits, options = declared.splits, declared.options
    searched = _count_searched(options)
    phases = [
        _estimate("search", splits.search, searched, player),
        _estimate("select", splits.select, (MAX_FINALISTS + 1) * len(splits.select), player),
        _estimate("test", splits.test, 2 * len(splits.test), player),
    ]
    return SearchEstimate(phases=tuple(phases), texts=_count_texts(options))


def _count_searched(options: SearchOptions) -> int:
    """Return the evaluations of the base and of all candidates on questions of the search split."""
    n = len(options.questions)
    shares = zip((0.0, *options.halving), options.halving, strict=False)
    rungs = [ceil(high * n) - ceil(low * n) for low, high in shares]
    return n + options.steps * sum(
        size * ceil(options.candidates / 2**place) for place, size in enumerate(rungs)
    )


def _count_texts(options: SearchOptions) -> int:
    asks = options.method == "opro" or options.paraphrase
    return options.steps * options.candidates if asks else 0


def _estimate(name: str, questions: tuple[str, ...], evaluations: int, player: Player) -> Phase:
    """Return a phase, from what the base takes on all questions of its split."""
    if not questions:
        return Phase(name=name, evaluations=0, calls=0, tokens=0, cost_usd=0.0)
    base = player.estimate_base(questions)
    times = evaluations / len(questions)
    return Phase(
        name=name,
        evaluations=evaluations,
        calls=ceil(times * base.calls),
        tokens=ceil(times * base.tokens),
        cost_usd=None if base.cost_usd is None else times * base.cost_usd,
    )
