"""Tables and sentences of coverage, false claims, rankings and annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from studies.outcome import Table
from studies.recovery.claims import Claims
from studies.recovery.contrasts import GainClaims
from studies.recovery.coverage import LEAST, Coverage, is_honest
from studies.recovery.rankings import RankCoverage
from studies.recovery.ratings import COEFFICIENTS, RatingCoverage
from studies.recovery.reversals import Reversals
from studies.stopping.rules import Decided


def write_coverage(covered: Sequence[Coverage], intervals: str) -> str:
    """Return the least coverage of these 95 % intervals."""
    least = min(covered, key=lambda one: one.covered)
    kept = sum(map(is_honest, covered))
    sizes = {one.questions for one in covered}
    return (
        f"From {min(sizes)} to {max(sizes)} questions, 95 % {intervals} hold the truth in at least "
        f"{least.covered:.3f} of the studies ({least.population}, {least.questions} questions, standard "
        f"error {least.error:.3f}); {kept} of {len(covered)} coverages are at least {LEAST}, within "
        "two standard errors."
    )


def build_coverage_table(covered: Sequence[Coverage], sizes: Sequence[int]) -> Table:
    """Return the coverage of each population by number of questions."""
    cells = {(one.population, one.questions): one for one in covered}
    return Table(
        title="Share of 95 % intervals that hold the truth, by number of questions",
        columns=("population", *map(str, sizes)),
        rows=tuple(
            (name, *(cells[name, size].covered for size in sizes))
            for name in dict.fromkeys(one.population for one in covered)
        ),
        note=f"The standard error of a share is at most {max(one.error for one in covered):.3f}.",
    )


def say_claims(claims: Sequence[Claims]) -> str:
    """Return how often the headline of a report claims what is not there."""
    kept = all(one.any <= one.at_most for one in claims)
    named = ", ".join(f"{one.any:.1%} of studies with {one.conditions}" for one in claims)
    return (
        f"Where discussing changes nothing, the headline of a report claims a gain or a loss against the "
        f"better seat in {named} conditions, {'which is' if kept else 'MORE THAN'} at most 5 % within chance."
    )


def say_gains(gains: Sequence[GainClaims]) -> str:
    """Return how often a true gain of 10 points over the better seat is claimed, and a false one."""
    false = max(one.better + one.worse for one in gains if not one.gain)
    named = ", ".join(
        f"{one.better:.0%} ({one.world}, {one.questions} questions)"
        for one in gains
        if one.gain and one.questions in (40, 80)
    )
    return (
        f"A true gain of 10 points over the better seat is claimed in {named}; where there is none, "
        f"a gain or a loss in at most {false:.1%}."
    )


def build_gains_table(gains: Sequence[GainClaims]) -> Table:
    """Return the claims over the better seat by true gain and number of questions."""
    return Table(
        title="Claims over the better seat, shares of studies of single verdicts",
        columns=("seats", "true gain", "questions", "mean", "better", "worse", "seat known"),
        rows=tuple(
            (
                one.world,
                one.gain,
                one.questions,
                round(one.value, 3),
                one.better,
                one.worse,
                one.known_seat,
            )
            for one in gains
        ),
        note="mean: of the printed differences. seat known: gains claimed over the better seat alone, if it "
        "were named in advance.",
    )


def build_claims_table(claims: Sequence[Claims]) -> Table:
    """Return the shares of studies that claim something, by number of conditions."""
    return Table(
        title="False claims of the headline, where discussing changes nothing",
        columns=("conditions", "better", "worse", "any", "without adjusting", "at most"),
        rows=tuple(
            (one.conditions, one.better, one.worse, one.any, one.unadjusted, one.at_most)
            for one in claims
        ),
        note="Shares of studies of 24 questions. `without adjusting` is the share in which some "
        "condition's own 95 % interval leaves out 0; `at most` is what chance allows for 5 %.",
    )


def build_rankings_table(found: Sequence[RankCoverage]) -> Table:
    """Return the coverage of the bounds of rankings by option and number of questions."""
    return Table(
        title="Share of 95 % bounds of rankings that hold the truth",
        columns=(
            "score",
            "weights",
            "questions",
            "of scores",
            "of ranks",
            "of weights",
        ),
        rows=tuple(
            (
                one.scoring,
                one.weights,
                one.questions,
                one.score_covered,
                one.rank_covered,
                one.weight_covered,
            )
            for one in found
        ),
        note="Peer weights are computed again in each resample. The "
        f"standard error of a share of scores is at most {max(one.error for one in found):.3f}.",
    )


def say_rankings(found: Sequence[RankCoverage]) -> str:
    """Return the least coverage of scores and of ranks."""
    score, place = (
        min(found, key=lambda one: one.score_covered),
        min(found, key=lambda one: one.rank_covered),
    )
    return (
        f"Under all weights, bounds of scores hold the truth in at least "
        f"{score.score_covered:.3f} (standard error {score.error:.3f}) of the studies, and bounds of ranks "
        f"in at least {place.rank_covered:.3f}."
    )


def build_ratings_table(found: Sequence[RatingCoverage]) -> Table:
    """Return coverage, false claims and power of the comparison of ratings by number of questions."""
    return Table(
        title="Ratings of two conditions: shares of studies",
        columns=(
            "planted",
            "questions",
            *(f"{name}, covered" for name in COEFFICIENTS),
            *(f"{name} with gold" for name in COEFFICIENTS),
            *(f"claimed by {name}" for name in found[0].claimed),
        ),
        rows=tuple(
            (
                "yes" if one.planted else "",
                one.questions,
                *(one.covered[name] for name in COEFFICIENTS),
                *(one.difference_covered[name] for name in COEFFICIENTS),
                *one.claimed.values(),
            )
            for one in found
        ),
        note="covered: intervals of the coefficient of both conditions; with gold: of the difference of "
        "their coefficients with gold. claimed: studies in which one condition is found to agree more "
        "with gold, which is false where nothing is planted. The standard error of a share near 0.05 or "
        f"0.95 is {found[0].error:.3f}.",
    )


def say_ratings(found: Sequence[RatingCoverage]) -> str:
    """Return the least coverage of intervals of ratings, and the greatest share of false claims."""
    least = min(min((*one.covered.values(), *one.difference_covered.values())) for one in found)
    false = max(max(one.claimed.values()) for one in found if not one.planted)
    return (
        "Intervals of correlations of ratings, and of their differences with gold, hold the truth in at "
        f"least {least:.3f} of the studies (standard error {found[0].error:.3f}); where both conditions err "
        f"alike, a test claims a difference in at most {false:.1%}."
    )


def say_reversals(found: Sequence[Reversals]) -> str:
    """Return how many rankings of reviewers in perfect agreement have another order than theirs."""
    lost, refused = sum(one.reversed for one in found), sum(one.refused for one in found)
    ranked = sum(one.ranked for one in found)
    return (
        f"Reviewers in perfect agreement are ranked in another order than theirs in {lost} of {ranked:,} "
        f"rankings under {len(found)} options; {refused} more had no ranking, because Elo's peer weights "
        "oscillated."
    )


def say_stopping(found: Sequence[Decided], error: float) -> str:
    """Return the greatest error rate of `run --until decided`."""
    most = max(one.better + one.worse for one in found)
    return (
        f"Without a difference, `--until decided` decides that there is one in at most {most:.1%} of studies "
        f"(standard error {error:.1%})."
    )


def list_coverage(covered: Sequence[Coverage]) -> Mapping[str, object]:
    """Return by number of questions the least coverage, and that of each population."""
    sizes = sorted({one.questions for one in covered})
    found: dict[str, object] = {}
    for size in sizes:
        rows = [one for one in covered if one.questions == size]
        least = min(rows, key=lambda one: one.covered)
        found[str(size)] = {
            "covered": least.covered,
            "error": least.error,
            "population": least.population,
            "honest": all(map(is_honest, rows)),
            "populations": {
                one.population: {"covered": one.covered, "error": one.error, "width": one.width}
                for one in rows
            },
        }
    return found


def list_reversals(found: Sequence[Reversals]) -> Mapping[str, object]:
    """Return the number of reversals, of rankings and of options, and the counts of each option."""
    return {
        "reversals": sum(one.reversed for one in found),
        "rankings": sum(one.ranked for one in found),
        "refused": sum(one.refused for one in found),
        "options": [asdict(one) for one in found],
    }
