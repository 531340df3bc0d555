"""Checks of pairs: by judges other than the writer, and audits by judges that read nothing.

Verifiers choose in every order, in a run as any other. Audits go by length, place, overlap and markup.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from peerjudge.data import Condition, Dataset, Experiment, Orders, Transcript, replace
from peerjudge.features.pairs.filing import build_comparison
from peerjudge.features.pairs.nouns import Audit, MadeAnswer, Pair
from peerjudge.features.pairs.rules import list_words
from peerjudge.runs import RunSummary, prepare
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.runner import run_prepared
from peerjudge.shelf import Shelf
from peerjudge.statistics.interval import measure_mean
from peerjudge.store import Archive

VERIFIED = 2 / 3
"""Share of the verifiers' verdicts for the better answer from which a pair is verified."""

_MARKUP = re.compile(r"\*\*|^#+ |^\s*[-*] |^\s*\d+\. |```", re.MULTILINE)

Feature = Callable[[Pair, int, MadeAnswer], float]
"""A number for an answer at a place; the judge chooses the answer with the greatest one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Pairs with their votes; `easy` are those that a card judged right where its errors were wanted."""

    pairs: tuple[Pair, ...]
    easy: tuple[Pair, ...] = ()
    run: RunSummary | None = None


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
        best = _find_best(pair, votes)
        right, judged = _votes_for(best, votes, pair, hard_for)
        given = {name: _votes_for(best, votes, pair, name) for name in verify}
        one = _settle(_promote(pair, best), given)
        if hard_for and judged and right == judged:
            easy.append(one)
        else:
            kept.append(one)
    return Checked(pairs=tuple(kept), easy=tuple(easy), run=summary)


_Votes = Mapping[tuple[str, str], Counter[str]]
"""By pair and judge: how often each answer was chosen; `""` for no readable choice."""


def _count_votes(transcripts: Sequence[Transcript]) -> dict[tuple[str, str], Counter[str]]:
    votes: dict[tuple[str, str], Counter[str]] = {}
    for transcript in transcripts:
        counted = votes.setdefault((transcript.comparison.id, transcript.condition), Counter[str]())
        counted[transcript.verdict.choice or ""] += 1
    return votes


def _votes_for(name: str, votes: _Votes, pair: Pair, judge: str) -> tuple[int, int]:
    """Return the verdicts of a judge for the answer of this name, and all of them."""
    counted = votes.get((pair.id, judge), Counter[str]())
    return counted[name], counted.total()


def _find_best(pair: Pair, votes: _Votes) -> str:
    """Return the name of the answer that is better: of a sampled pair that which most verdicts choose."""
    if pair.recipe != "sampled":
        return "better"
    total = sum((each for (name, _), each in votes.items() if name == pair.id), Counter[str]())
    return max(sorted(pair.answers), key=lambda name: total[name])


def _promote(pair: Pair, best: str) -> Pair:
    """Return the pair with the answer of this name as the better one."""
    if best == "better":
        return pair
    worse = {name: one for name, one in pair.answers.items() if name != "better"}
    rest = (pair.better, *(one for name, one in worse.items() if name != best))
    return replace(pair, better=worse[best], worse=rest)


def _settle(pair: Pair, votes: Mapping[str, tuple[int, int]]) -> Pair:
    """Return the pair with the votes of its verifiers, and what follows from them."""
    voted = replace(pair, votes=votes)
    right, judged = voted.verdicts
    if not judged:
        return pair
    return replace(voted, status="verified" if right >= VERIFIED * judged else "disputed")


def _measure_overlap(pair: Pair, place: int, answer: MadeAnswer) -> float:
    del place
    asked, said = list_words(pair.item.text), list_words(answer.text)
    return len(asked & said) / len(asked) if asked else 0.0


JUDGES: Mapping[str, Feature] = MappingProxyType(
    {
        "longer": lambda _, __, answer: float(len(answer.text)),
        "shorter": lambda _, __, answer: -float(len(answer.text)),
        "first": lambda _, place, __: -float(place),
        "last": lambda _, place, __: float(place),
        "overlap": _measure_overlap,
        "markup": lambda _, __, answer: float(len(_MARKUP.findall(answer.text))),
    }
)
"""The judges that read nothing. Equal answers count as half right (one in k)."""


def audit(pairs: Sequence[Pair]) -> tuple[Audit, ...]:
    """Return the accuracy of each judge on these pairs; questions are the unit. Empty without pairs."""
    if not pairs:
        return ()
    questions = [pair.item.question for pair in pairs]
    chance = float(np.mean([1 / len(pair.shown) for pair in pairs]))
    audits: list[Audit] = []
    for name, feature in JUDGES.items():
        credits_ = [_credit(pair, feature) for pair in pairs]
        accuracy = measure_mean(credits_, questions, limits=(0.0, 1.0))
        audits.append(Audit(judge=name, accuracy=accuracy, chance=chance))
    return tuple(audits)


def _credit(pair: Pair, feature: Feature) -> float:
    values = [feature(pair, place, answer) for place, answer in enumerate(pair.shown)]
    best = max(values)
    chosen = [place for place, value in enumerate(values) if value == best]
    return 1 / len(chosen) if pair.place in chosen else 0.0
