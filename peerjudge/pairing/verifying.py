"""Verify pairs: judges other than the writer choose in every order; the run is one as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from peerjudge.data import Condition, Dataset, Experiment, Orders, Transcript, replace
from peerjudge.pairing.filing import build_comparison
from peerjudge.pairing.nouns import Pair
from peerjudge.runs import prepare
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.runner import run_prepared
from peerjudge.shelf import Shelf
from peerjudge.store import Archive

VERIFIED = 2 / 3
"""Share of the verifiers' verdicts for the better answer from which a pair is verified."""

_HARD = "hard for"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Pairs with their votes; `easy` are those that a card judged right where its errors were wanted."""

    pairs: tuple[Pair, ...]
    easy: tuple[Pair, ...] = ()
    calls: Counter[str] = field(default_factory=Counter[str])
    tokens: int = 0
    cost_usd: float | None = 0.0
    stopped: str | None = None


async def verify_pairs(
    pairs: Sequence[Pair],
    *,
    verify: Sequence[str],
    hard_for: str,
    place: Place,
    bounds: Bounds,
    environ: Mapping[str, str] | None,
    shelf: Shelf,
    seed: int,
    tell: Callable[[str], None],
) -> Checked:
    """Return the pairs with the verifiers' votes, without those that `hard_for` judges right.

    A verdict that cannot be read counts against the better answer. With `sampled`, the answer that most
    verdicts choose becomes the better one.
    """
    if not pairs:
        return Checked(pairs=())
    seats = [*verify, *([hard_for] if hard_for and hard_for not in verify else [])]
    tell(f"{len(pairs)} pairs are judged by {', '.join(seats)} in every order")
    several = any(len(pair.shown) > 2 for pair in pairs)
    experiment = Experiment(
        name="verify_pairs",
        data="pairs",
        prompts="open_chat",
        seed=seed,
        conditions=tuple(
            Condition(
                name=name,
                protocol="n_way" if several else "pairwise",
                seats=(name,),
                orders=Orders.BOTH,
            )
            for name in seats
        ),
    )
    comparisons = tuple(build_comparison(pair) for pair in pairs)
    dataset = Dataset(name="pairs", description="pairs to verify", comparisons=comparisons)
    prepared = prepare(experiment, shelf=shelf, dataset=dataset)
    summary = await run_prepared(
        prepared,
        place=place.inside,
        bounds=bounds,
        progress=False,
        shelf=shelf,
        environ=environ,
    )
    async with Archive.open(place.source) as store:
        found = [one async for one in store.transcripts_of([head.id for head in prepared.plan])]
    votes = _count_votes(found)
    kept: list[Pair] = []
    easy: list[Pair] = []
    for pair in pairs:
        one = _choose_gold(pair, votes)
        right, judged = _votes_for(one, votes, hard_for)
        if hard_for and judged and right == judged:
            easy.append(one)
        else:
            kept.append(_settle(one, votes, verify))
    return Checked(
        pairs=tuple(kept),
        easy=tuple(easy),
        calls=Counter(
            paid=summary.calls.paid,
            cached=summary.calls.cached,
            failed=summary.calls.failed,
            simulated=summary.calls.simulated,
        ),
        tokens=summary.tokens,
        cost_usd=summary.cost_usd,
        stopped=summary.stopped,
    )


_Votes = Mapping[tuple[str, str], Counter[str]]
"""By pair and judge: how often each answer was chosen; `""` for no readable choice."""


def _count_votes(transcripts: Sequence[Transcript]) -> dict[tuple[str, str], Counter[str]]:
    votes: dict[tuple[str, str], Counter[str]] = {}
    for transcript in transcripts:
        counted = votes.setdefault((transcript.comparison.id, transcript.condition), Counter[str]())
        counted[transcript.verdict.choice or ""] += 1
    return votes


def _votes_for(pair: Pair, votes: _Votes, judge: str) -> tuple[int, int]:
    counted = votes.get((pair.id, judge), Counter[str]())
    return counted["better"], counted.total()


def _choose_gold(pair: Pair, votes: _Votes) -> Pair:
    """Return a sampled pair with the answer first that most verdicts choose; others unchanged."""
    if pair.recipe != "sampled":
        return pair
    total = sum((each for (name, _), each in votes.items() if name == pair.id), Counter[str]())
    best = max(("better", *_name_worse(pair)), key=lambda name: total[name])
    if best == "better":
        return pair
    place = _name_worse(pair).index(best)
    rest = [pair.better, *(one for n, one in enumerate(pair.worse) if n != place)]
    return replace(pair, better=pair.worse[place], worse=tuple(rest))


def _name_worse(pair: Pair) -> list[str]:
    return [f"worse_{number}" for number in range(1, len(pair.worse) + 1)]


def _settle(pair: Pair, votes: _Votes, verify: Sequence[str]) -> Pair:
    counted = {name: _votes_for(pair, votes, name) for name in verify}
    right = sum(one for one, _ in counted.values())
    judged = sum(all_ for _, all_ in counted.values())
    if not judged:
        return pair
    status = "verified" if right >= VERIFIED * judged else "disputed"
    return replace(pair, votes=counted, status=status)
