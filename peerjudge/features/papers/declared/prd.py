"""PRD: ranking and agreement of recorded reviews, and accuracy and preferences of discussions."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from peerjudge.analysis import Ballots, build_tournament, count_holdings, measure_agreement
from peerjudge.analysis.leaders import find_led_pairs, measure_pair
from peerjudge.analysis.peers import measure_head_to_head
from peerjudge.analysis.position import (
    measure_gold_preference,
    measure_position,
    measure_preferences,
)
from peerjudge.analysis.selecting import keep_contestants
from peerjudge.data import EventKind, Measurement, Ranking, Scheme, Scoring, Tournament, replace
from peerjudge.errors import DataError, UnconnectedError
from peerjudge.features.papers.declared import Estimate
from peerjudge.features.papers.reproducing import (
    CellKey,
    Estimates,
    Evidence,
    Origin,
    find_speakers,
)
from peerjudge.protocol.scripted import transcript_of
from peerjudge.ranking import peer_rank, rank
from peerjudge.reporting.formats import name_event
from peerjudge.results.contestants import measure_standing
from peerjudge.statistics.sampler import Sampler
from peerjudge.tracker import opinion_events

MODELS = ("GPT-4", "Claude", "Vicuna", "GPT-3.5", "Bard")
TALKERS = ("GPT-4", "Claude", "GPT-3.5")
WEIGHTED, ALL, HUMAN = "All (weighted)", "All", "Human"
MACHINE = "GPT-3"
PROMPTS = ("generic", "explicit", "role")
"""Conditions with the prompts of Table 9; the other discussions of the paper have the explicit one."""

_DISCUSSIONS = 560
"""Discussions of a reviewer in Figure 6: 140 questions, two other reviewers, either leads."""
_OTHER_PROMPTS = ("generic", "role")
_AND = " & "
_COUNTED = (
    "Random is the mean over both leaders. Unreadable verdicts count as wrong, as in the paper."
)

_ELO_ORDERS = 1000
"""As `rank` takes by default, so that both print the same ratings."""
_PUBLISHED_ORDERS = {"GPT-4": 10_000, ALL: 1_000, WEIGHTED: 100, HUMAN: 10_000}
"""Random orders over which the notebook of the authors averages, by evaluator."""

_TWO_SIDED = 1.96
"""Quantile of the normal distribution for two-sided bounds of 95 %."""

_Values = dict[CellKey, Measurement | str]
_Reviewers = dict[CellKey, Collection[str]]
_Weights = Literal["equal", "peer"]


def rank_contestants(evidence: Evidence) -> Estimates:
    """Estimate Table 2: Elo ratings and win rates by evaluator."""
    values: _Values = {}
    by_chance: dict[CellKey, tuple[float, float]] = {}
    apart = _explain_apart(evidence)
    for evaluator, tournament, weights in _list_evaluators(evidence):
        if weights == "peer" and apart:
            continue
        for grid, scoring in (("Elo", Scoring.ELO), ("win rate", Scoring.WIN_RATE)):
            ranking = rank(
                tournament,
                scoring=scoring,
                weights=weights,
                orders=_ELO_ORDERS,
                seed=evidence.seed,
            )
            values |= {
                (grid, evaluator, model): measured
                for model, measured in _list_standings(evidence, ranking)
            }
            by_chance |= {
                (grid, evaluator, model): bounds
                for model, bounds in _bound_published(evidence, ranking, evaluator)
            }
    published = ", ".join(f"{orders:,} ({name})" for name, orders in _PUBLISHED_ORDERS.items())
    return Estimates(
        values=values,
        reviewers={key: _find_jury(evidence, key[1]) for key in values},
        note=f"Elo ratings depend on the order of the battles: ours are means over {_ELO_ORDERS} random "
        "orders, the published ones, by the notebook of its authors (peer_rank/peer_ranking.ipynb), over "
        f"{published}.",
        missing=apart,
        by_chance=by_chance,
    )


def measure_juries(evidence: Evidence) -> Estimates:
    """Estimate Table 3: kappa and accuracy against people."""
    values: _Values = {}
    apart = _explain_apart(evidence)
    for jury in _rows(evidence):
        jurors = _choose_jury(evidence, jury)
        weights: _Weights = "peer" if len(jurors) > 1 else "equal"
        if jurors and not (weights == "peer" and apart):
            reviews = evidence.ballots.of_stance("private")
            agreement = measure_agreement(
                reviews, reviewers=jurors, weights=weights, seed=evidence.seed
            )
            values["", jury, "kappa"] = agreement.fleiss_kappa
            values["", jury, "accuracy"] = agreement.accuracy
    return Estimates(
        values=evidence.only_printed(values),
        reviewers={key: _choose_jury(evidence, key[1]) for key in values},
        missing=apart,
    )


def weigh_reviewers(evidence: Evidence) -> Estimates:
    """Estimate Figure 3: the weights by Equation 2."""
    tournament = _build_tournament(evidence, _choose_jury(evidence, WEIGHTED))
    if tournament is None:
        return Estimates()
    ranking = rank(tournament, weights="peer", seed=evidence.seed)
    bounds = ranking.weight_bounds or {}
    values: _Values = {}
    for model in MODELS:
        name = evidence.find_reviewer(model)
        if name is not None and name in bounds:
            low, high = bounds[name]
            values["", "weight", model] = Measurement(
                value=ranking.weights.weights[name], low=low, high=high, n=ranking.reviews
            )
    return Estimates(
        values=values, reviewers=dict.fromkeys(values, _choose_jury(evidence, WEIGHTED))
    )


def compare_contestants(evidence: Evidence) -> Estimates:
    """Estimate Figures 7 and 8: win rates between two contestants."""
    values: _Values = {}
    apart = _explain_apart(evidence)
    for evaluator, tournament, weights in _list_evaluators(evidence):
        if weights == "peer" and apart:
            continue
        shares = measure_head_to_head(tournament, weighted=weights == "peer", seed=evidence.seed)
        values |= {
            (evaluator, one, other): shares[own, against]
            for one in MODELS
            for other in MODELS
            if one != other
            and (own := evidence.find_contestant(one))
            and (against := evidence.find_contestant(other))
        }
    return Estimates(
        values=evidence.only_printed(values),
        reviewers={key: _find_jury(evidence, key[0]) for key in values},
        missing=apart,
    )


def measure_one_pair(evidence: Evidence) -> Estimates:
    """Find what reviews and discussions give for Table 5: accuracy on GPT-3.5 against Vicuna."""
    pair = [evidence.find_contestant(model) for model in ("GPT-3.5", "Vicuna")]
    known = [name for name in pair if name is not None]
    everyone = _choose_jury(evidence, WEIGHTED)
    tournament = _build_tournament(evidence, everyone)
    if tournament is None:
        return Estimates()
    kept = keep_contestants(evidence.ballots.where(evidence.ballots.opening), known)
    juries: tuple[tuple[str, tuple[str, ...], _Weights | Mapping[str, float]], ...] = (
        ("GPT-4", _choose_jury(evidence, "GPT-4"), "equal"),
        (ALL, everyone, "equal"),
        (WEIGHTED, everyone, peer_rank(tournament).weights),
    )
    values: _Values = {
        ("", name, "accuracy"): measure_agreement(
            kept, reviewers=reviewers, weights=weights, seed=evidence.seed
        ).accuracy
        for name, reviewers, weights in juries
    }
    reviewers: _Reviewers = {("", name, "accuracy"): jurors for name, jurors, _ in juries}
    (discussion,) = (row for row in _rows(evidence) if _AND in row)
    talks = dataclasses.replace(evidence, ballots=keep_contestants(evidence.ballots, known))
    one, other = discussion.split(_AND)
    measured = _measure_pair(talks, one, other, without=())
    if "random" in measured:
        values["", discussion, "accuracy"] = measured["random"]
        reviewers["", discussion, "accuracy"] = _choose_jury(evidence, discussion)
    return Estimates(values=values, reviewers=reviewers)


def measure_discussions(evidence: Evidence) -> Estimates:
    """Estimate Table 4: accuracy in private, and of discussions by leader."""
    values: _Values = {}
    reviewers: _Reviewers = {}
    for row in _rows(evidence):
        one, other = row.split(_AND)
        measured = _measure_pair(evidence, one, other, without=_OTHER_PROMPTS)
        speakers = {"R1": one, "R2": other}
        for column, value in measured.items():
            values["", row, column] = value
            reviewers["", row, column] = _choose_jury(evidence, speakers.get(column, row))
    return Estimates(values=values, reviewers=reviewers, note=_COUNTED)


def measure_prompts(evidence: Evidence) -> Estimates:
    """Estimate Table 9: accuracy of GPT-4 with Claude by prompt."""
    columns = {"R1 leads": "GPT-4 leads", "R2 leads": "Claude leads", "random": "random"}
    values: _Values = {}
    reviewers: _Reviewers = {}
    for prompt in PROMPTS:
        others = [name for name in evidence.ballots.discussions.conditions if name != prompt]
        measured = _measure_pair(evidence, "GPT-4", "Claude", without=others)
        for column, value in measured.items():
            key, speakers = ("", prompt, columns.get(column, "")), f"GPT-4{_AND}Claude"
            if column not in columns:
                speakers = "GPT-4" if column == "R1" else "Claude"
                key = ("", f"{speakers} alone", "random")
            values[key] = value
            reviewers[key] = _choose_jury(evidence, speakers)
    return Estimates(values=values, reviewers=reviewers, note=_COUNTED)


def measure_machine_wins(evidence: Evidence) -> Estimates:
    """Estimate Tables 6 and 7: how often GPT-3 is preferred to people, before and after discussing."""
    machine = evidence.find_contestant(MACHINE)
    if machine is None:
        return Estimates()
    values: _Values = {
        ("", HUMAN, column): measured
        for column, measured in zip(
            ("initial", "initial, GPT-3 first", "initial, human first"),
            measure_gold_preference(evidence.ballots, machine),
            strict=True,
        )
    }
    reviewers: _Reviewers = dict.fromkeys(values, ())
    for model, when, ballots in _list_stances(evidence):
        for row in measure_preferences(ballots):
            if row.author == machine:
                own: _Values = {
                    ("", model, when): row.share,
                    ("", model, f"{when}, GPT-3 first"): row.first,
                    ("", model, f"{when}, human first"): row.second,
                }
                values |= own
                reviewers |= dict.fromkeys(own, find_speakers(ballots))
    return Estimates(
        values=evidence.only_printed(values),
        reviewers=reviewers,
        note="After discussing counts the last verdicts of a reviewer in its discussions with others.",
    )


def measure_places(evidence: Evidence) -> Estimates:
    """Estimate Figure 5: how often the first-shown answer is chosen, before and after discussing."""
    values: _Values = {}
    reviewers: _Reviewers = {}
    for model, when, ballots in _list_stances(evidence):
        for row in measure_position(ballots.where(ballots.answers == 2)):
            values["", model, when] = row.share
            reviewers["", model, when] = find_speakers(ballots)
    return Estimates(values=values, reviewers=reviewers)


def count_opinions(evidence: Evidence) -> Estimates:
    """Estimate Figure 6: discussions in which a reviewer held or altered its opinion."""
    values: _Values = {}
    reviewers: _Reviewers = {}
    models = {evidence.find_reviewer(model): model for model in TALKERS}
    speakers = {
        model: find_speakers(after)
        for model, when, after in _list_stances(evidence)
        if when == "after"
    }
    for row in count_holdings(_find_mixed(evidence), sampler=Sampler(seed=evidence.seed)):
        times = _DISCUSSIONS if row.role is None else _DISCUSSIONS / 2
        place = "" if row.role is None else f" as {row.role}"
        for name, measured in (("held", row.held_share), ("altered", row.altered_share)):
            key = ("", models[row.reviewer], f"{name}{place}")
            values[key] = _scale(measured, times)
            reviewers[key] = speakers[models[row.reviewer]]
    return Estimates(
        values=evidence.only_printed(values),
        reviewers=reviewers,
        note=f"Shares of our discussions, times the paper's {_DISCUSSIONS} of each reviewer.",
    )


def classify_dialogues(evidence: Evidence) -> Estimates:
    """Say of Appendix H what each reviewer did last, agreement aside."""
    values: _Values = {}
    rows = _rows(evidence)
    for row, dialogue in zip(rows, evidence.item.dialogues, strict=True):
        transcript = transcript_of(dialogue.moves)
        for event in opinion_events(transcript):
            if event.kind is not EventKind.AGREED:
                place = [seat.id for seat in transcript.seats].index(event.seat)
                values["", row, dialogue.reviewers[place]] = name_event(event.kind)
    return Estimates(
        values=evidence.only_printed(values),
        note="From the verdicts that the paper prints; ours is the last event of a reviewer but agreement.",
        origin=Origin.PRINTED,
    )


def _find_mixed(evidence: Evidence) -> Ballots:
    """Return the ballots of discussions of two different models under the main prompt of the paper."""
    facts = evidence.ballots.discussions
    known = {evidence.find_reviewer(model) for model in TALKERS}
    seated = [{reviewer for reviewer, _, _ in seating} for seating in facts.seatings]
    mixed = np.array([len(one) == 2 and one <= known for one in seated], dtype=np.bool_)
    main = np.array(
        [condition not in _OTHER_PROMPTS for condition in facts.conditions], dtype=np.bool_
    )
    chosen = find_led_pairs(evidence.ballots) & mixed[facts.seating] & main[facts.condition]
    return evidence.ballots.of_discussions(chosen)


def _list_stances(evidence: Evidence) -> Iterator[tuple[str, str, Ballots]]:
    """Yield each model with its stances before and after its discussions with other models."""
    mixed = _find_mixed(evidence)
    for model in TALKERS:
        name = evidence.find_reviewer(model)
        code = -1 if name is None else mixed.reviewers.index(name)
        own = mixed.where((mixed.reviewer == code) & (mixed.seat >= 0))
        yield model, "initial", own.where(own.opening)
        yield model, "after", own.where(own.closing)


def _scale(measured: Measurement, factor: float) -> Measurement:
    value, low, high = (end * factor for end in (measured.value, measured.low, measured.high))
    return replace(measured, value=value, low=low, high=high)


def _rows(evidence: Evidence) -> list[str]:
    return list(dict.fromkeys(cell.key[1] for cell in evidence.item.cells))


def _measure_pair(
    evidence: Evidence, one: str, other: str, *, without: Sequence[str]
) -> Mapping[str, Measurement]:
    """Return the columns of Table 4 for two models; none if they do not discuss."""
    pair = evidence.find_reviewer(one), evidence.find_reviewer(other)
    if pair[0] is None or pair[1] is None:
        return {}
    return measure_pair(
        evidence.ballots, (pair[0], pair[1]), without=without, sampler=Sampler(seed=evidence.seed)
    )


def _choose_jury(evidence: Evidence, jury: str) -> tuple[str, ...]:
    """Return the reviewers of a jury such as `GPT-4 & Claude`; none if one is missing."""
    models = MODELS if jury == WEIGHTED else jury.split(_AND)
    reviewers = [evidence.find_reviewer(model) for model in models]
    known = tuple(name for name in reviewers if name is not None)
    return known if len(known) == len(reviewers) else ()


def _find_jury(evidence: Evidence, evaluator: str) -> tuple[str, ...]:
    """Return the reviewers of an evaluator of Table 2."""
    if evaluator == HUMAN:
        return evidence.ballots.humans
    return _choose_jury(evidence, WEIGHTED if evaluator == ALL else evaluator)


def _explain_apart(evidence: Evidence) -> str:
    """Return why the reviewers have no peer weights where no battles connect them; else nothing."""
    known = [name for model in MODELS if (name := evidence.find_reviewer(model)) is not None]
    reviews = evidence.ballots.of_stance("private")
    try:
        if len(known) > 1:
            peer_rank(build_tournament(reviews, reviewers=known), scheme=Scheme.DAMPED)
    except UnconnectedError as failed:
        return failed.reason
    except DataError:
        return ""  # Its reviews are no battles, and what needs them is left out.
    return ""


def _list_evaluators(evidence: Evidence) -> Iterator[tuple[str, Tournament, _Weights]]:
    """Yield the evaluators of Table 2 with their battles and weights."""
    for name in ("GPT-4", ALL, WEIGHTED, HUMAN):
        weights: _Weights = "peer" if name == WEIGHTED else "equal"
        tournament = _build_tournament(evidence, _find_jury(evidence, name))
        if tournament is not None:
            yield name, tournament, weights


def _build_tournament(evidence: Evidence, reviewers: tuple[str, ...]) -> Tournament | None:
    """Return the battles of the five contestants; `None` without one of them, or without reviewers."""
    if not reviewers or not all(evidence.find_contestant(model) for model in MODELS):
        return None
    return build_tournament(evidence.ballots.of_stance("private"), reviewers=reviewers)


def _bound_published(
    evidence: Evidence, ranking: Ranking, evaluator: str
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the 95 % bounds of each model's published Elo rating, if both means are over random orders."""
    orders = 1 / _ELO_ORDERS + 1 / _PUBLISHED_ORDERS[evaluator]
    deviations = ranking.between_orders or {}
    for model in MODELS:
        name = evidence.find_contestant(model)
        if name is not None and name in deviations:
            mean, reach = (
                ranking.contestants[name].score,
                _TWO_SIDED * deviations[name] * orders**0.5,
            )
            yield model, (mean - reach, mean + reach)


def _list_standings(evidence: Evidence, ranking: Ranking) -> Iterator[tuple[str, Measurement]]:
    for model in MODELS:
        name = evidence.find_contestant(model)
        if name is not None and name in ranking.contestants:
            yield model, measure_standing(ranking, name)


ITEMS: Mapping[str, Estimate] = {
    "Table 2": rank_contestants,
    "Table 3": measure_juries,
    "Section 4.2": measure_juries,
    "Figure 3": weigh_reviewers,
    "Table 4": measure_discussions,
    "Table 5": measure_one_pair,
    "Table 6": measure_machine_wins,
    "Table 7": measure_machine_wins,
    "Figure 5": measure_places,
    "Figure 6": count_opinions,
    "Table 9": measure_prompts,
    "Figure 7": compare_contestants,
    "Figure 8": compare_contestants,
    "Appendix H": classify_dialogues,
}
