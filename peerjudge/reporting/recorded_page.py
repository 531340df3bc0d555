"""Sections of the page of recorded reviews, beside the values that papers printed about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from peerjudge.data import Measurement, Ranking, Scheme
from peerjudge.reporting.accuracy import SHARES
from peerjudge.reporting.annotators import build_annotator_tables, describe_annotators
from peerjudge.reporting.biases import (
    build_length_table,
    build_panel_table,
    build_position_table,
    build_self_table,
    describe_panel,
)
from peerjudge.reporting.contestants import (
    MOST_ROWS,
    build_curve,
    build_grid,
    build_standings_table,
    build_weights_table,
    describe_trajectory,
    draw_trajectory,
    draw_versus,
    fill_bounds,
    measure_standing,
)
from peerjudge.reporting.conventions import COUNTED, build_conventions_table, describe_conventions
from peerjudge.reporting.figures import Figure, Mark, Row, Rows, build_mark
from peerjudge.reporting.formats import (
    caution,
    counted,
    decimal,
    interval,
    interval_note,
    percent,
    plain_tick,
    rating_tick,
)
from peerjudge.reporting.layout import Column, Part, Section, Table, build_section, build_table
from peerjudge.reporting.scores import build_scores_table

if TYPE_CHECKING:
    from peerjudge.analysis.annotators import AnnotatedGold
    from peerjudge.analysis.recorded import Evaluator, JuryAgreement, RecordedFindings
    from peerjudge.reporting.published import Published

_ALL, _WEIGHTED = "All", "All (weighted)"
_START = 1000.0


def build_recorded_sections(
    found: RecordedFindings, printed: Published, annotated: AnnotatedGold | None = None
) -> list[Section]:
    """Return the sections of the page; a section without anything to show is left out.

    Args:
        found: the findings of the recorded reviews.
        printed: the values that a paper printed about them.
        annotated: the annotator model, where several people voted on a pair.
    """
    gold = "people" if found.humans else "gold"
    verdict = "the human verdict" if found.humans else "gold"
    together = found.together

    def compared(key: str, title: str, *parts: Part | None) -> Section | None:
        """Build a section named after the table or figure of the paper that it reproduces."""
        name, remark = printed.titles.get(key), printed.remarks.get(key)
        named = f"{title} ({name})" if name else title
        return build_section(named, *parts, remark and f"{name}: {remark}", anchor=key)

    sections = [
        _ranking_section(found, printed, compared),
        build_section(
            f"Agreement with {gold}",
            "How often the combined verdict of a jury, the sign of the weighted mean score of its "
            f"members, equals {verdict}; a tie is right exactly where {gold} "
            f"{'tie' if found.humans else 'is a tie'}. Fleiss' kappa corrects for chance.",
            compared(
                "agreement",
                "Accuracy and kappa",
                _agreement_figure(found, printed, gold),
                _agreement_table(found, printed, verdict),
            ),
        ),
        build_section(
            "Accuracy",
            found.gold_missing
            or "The share of a reviewer's readable verdicts that name the gold answer, both orders "
            "together.",
            build_scores_table("Accuracy in %", found.scores, found.groups),
            build_conventions_table(found.scores),
            " ".join(describe_conventions(found.scores, None)),
            required=True,
        ),
        annotated
        and build_section(
            "Gold that people disagree on",
            "Several people voted on a pair and do not always agree, so gold, which follows from their "
            "votes, can be wrong. A model of their votes (Dawid and Skene) estimates how often each "
            "person errs, and from that the accuracy of each reviewer.",
            *build_annotator_tables(annotated),
            " ".join(describe_annotators(annotated)),
            anchor="annotators",
        ),
        compared(
            "weights",
            "Reviewer weights",
            "The weight of a reviewer follows from its own score as a contestant, as judged by "
            "equally weighted reviewers. PRD Equation 2 always gives the weakest reviewer weight 0; "
            "in the damped scheme all weights are positive and it always converges.",
            _weights_figure(found),
            build_weights_table(found.weights),
        ),
        compared("elo_trajectory", "Elo rating by battle", *_trajectory(found, printed)),
        compared(
            "head_to_head",
            "Wins between contestants",
            "How often the contestant of a row won against that of a column. Blue is more than half, "
            "orange less.",
            _versus_figure(found),
        ),
        compared(
            "position",
            "Preference for the first-shown answer",
            "The share of a reviewer's choices, ties aside, that name the answer shown first. A "
            "reviewer without position bias that judges every pair in both orders chooses the first "
            "answer half of the time. For reviewers that saw each pair in one order only the share "
            "is not shown.",
            _position_figure(found),
            build_position_table(found.positions, found.consistency),
        ),
        build_section(
            "Self-preference",
            f"How a reviewer judges its own answers, and how the other reviewers and {gold} judge "
            "them, on the same pairs. A difference above 0 favours the own answers. All peers may "
            f"overrate an answer, so {gold} {'are' if found.humans else 'is'} the stricter standard.",
            build_self_table(found.self_enhancement, gold),
        ),
        build_section(
            "Length",
            "How choices depend on the length of the answers.",
            build_length_table(found.verbosity, gold),
        ),
        together
        and build_section(
            "Agreement between reviewers",
            "Reviewers that make the same errors add little to each other. "
            + " ".join(describe_panel(together)),
            build_panel_table(together),
        ),
    ]
    return [section for section in sections if section is not None]


def _note(found: RecordedFindings) -> str:
    return interval_note(found.level, found.questions)


def _order(found: RecordedFindings) -> tuple[str, ...]:
    """Return the contestants in the order of the ranking that weighs most of what is known."""
    names = [evaluator.jury.name for evaluator in found.evaluators]
    if not names:
        return ()
    place = next((names.index(name) for name in (_WEIGHTED, _ALL) if name in names), 0)
    return tuple(found.evaluators[place].win_rate.contestants)


def _ranking_section(
    found: RecordedFindings, printed: Published, compared: Callable[..., Section | None]
) -> Section | None:
    if not found.evaluators:
        return build_section("Ranking", f"No ranking: {found.ranking_missing}", required=True)
    names = {one.jury.name for one in found.evaluators}
    meaning = [
        "The contestants ranked by each evaluator, 1 is the best.",
        "All: every reviewer has the same weight." if _ALL in names else "",
        "All (weighted): every reviewer has its weight as a contestant."
        if _WEIGHTED in names
        else "",
        f"No reviewer is weighed: {found.weights_missing}." if found.weights_missing else "",
        "Human: the votes of people; of several on one pair, the sign of their mean."
        if found.humans
        else "",
        interval_note(found.level, found.questions),
        *caution(found.questions),
        f"Seed: {found.seed}.",
    ]
    parts: list[Part | None] = [" ".join(filter(None, meaning))]
    rates = {one.jury.name: one.win_rate for one in found.evaluators}
    ratings = {one.jury.name: one.elo for one in found.evaluators}
    for key, title, rankings, values, digits in (
        ("win_rate", "Win rates", rates, printed.win_rate, 3),
        ("elo", "Elo ratings", ratings, printed.elo, 0),
    ):
        known = {name: one for name, one in rankings.items() if one is not None}
        table = build_standings_table(
            f"{title} by evaluator",
            rankings if known else {},
            contestants=_order(found),
            printed=values,
            cell=partial(interval, digits=digits),
            note="Ours with interval and rank." if values else "With interval and rank.",
        )
        figure = _ranks_figure(found, key, known, values, digits) if known else None
        parts.append(figure and compared(key, title, figure, table))
    parts += [
        f"No Elo rating by {one.jury.name}: {one.elo_missing}"
        for one in found.evaluators
        if one.elo_missing
    ]
    title = "Win rates by each reviewer alone, in %"
    alone = build_standings_table(title, found.awarded, contestants=_order(found))
    parts.append(build_section("Each reviewer alone", alone))
    return build_section("Ranking by evaluator", *parts, anchor="ranking")


def _ranks_figure(
    found: RecordedFindings,
    key: str,
    rankings: Mapping[str, Ranking],
    printed: Mapping[str, Mapping[str, float]],
    digits: int,
) -> Figure:
    """Return the scores of the contestants, best first, with a mark for each evaluator."""
    is_rate = key == "win_rate"
    rows = [
        Row(
            name=name,
            marks=[
                _mark(measure_standing(ranking, name), printed.get(evaluator, {}).get(name), digits)
                if name in ranking.contestants
                else None
                for evaluator, ranking in rankings.items()
            ],
        )
        for name in _order(found)[:MOST_ROWS]
    ]
    chart = Rows(
        rows=rows,
        series=list(rankings),
        across="win rate; a tie is half a win" if is_rate else "Elo rating",
        reference=(0.5, "half of the battles") if is_rate else (_START, "the start"),
        limits=SHARES if is_rate else None,
        unit=plain_tick if is_rate else rating_tick,
    )
    return Figure(
        id=key.replace("_", "-"),
        description=f"{'Win rate' if is_rate else 'Elo rating'} of each contestant by evaluator.",
        chart=chart,
        note=_note(found) if is_rate else f"{_note(found)[:-1]} and shuffling the battles.",
    )


def _mark(measured: Measurement, printed: float | None, digits: int = 3) -> Mark | None:
    if isnan(measured.value):
        return None
    note = interval(measured, digits)
    return Mark(measured=fill_bounds(measured), note=note, printed=printed)


def _agreement_table(found: RecordedFindings, printed: Published, verdict: str) -> Table:
    def said(key: str) -> Callable[[JuryAgreement], str]:
        return lambda row: decimal(printed.agreement.get(row.jury.name, {}).get(key))

    return build_table(
        f"Fleiss' kappa and accuracy against {verdict}",
        found.agreement,
        Column("Jury", "jury.name"),
        ("Printed kappa", said("kappa")),
        Column("Fleiss' kappa", "agreement.fleiss_kappa"),
        ("Printed accuracy", said("accuracy")),
        Column("Accuracy", "agreement.accuracy"),
        Column("Items", "agreement.n"),
        Column("As tie", "agreement.as_tie"),
        Column("As half", "agreement.as_half"),
        Column("Unreadable", "agreement.unreadable"),
        note="Items are pairs in one shown order. Accuracy leaves out items without a readable verdict. "
        f"{COUNTED}",
    )


def _agreement_figure(found: RecordedFindings, printed: Published, gold: str) -> Figure | None:
    if not found.agreement:
        return None
    rows = [
        Row(name=row.jury.name, marks=[_mark(row.agreement.accuracy, said.get("accuracy"))])
        for row in found.agreement
        for said in [printed.agreement.get(row.jury.name, {})]
    ]
    items = max(row.agreement.n for row in found.agreement)
    across = "accuracy, as a share of the items"
    return Figure(
        id="agreement",
        description=f"Accuracy of each jury against {gold}.",
        chart=Rows(rows=rows, across=across, limits=SHARES, unit=plain_tick),
        note=f"{_note(found)} {counted(items, 'item')}: pairs in one shown order.",
    )


def _weights_figure(found: RecordedFindings) -> Figure | None:
    prd, damped = (found.weights.get(scheme.value) for scheme in (Scheme.PRD, Scheme.DAMPED))
    shown = prd or damped
    if shown is None:
        return None
    both = damped if prd is not None else None
    rows = [
        Row(
            name=name,
            note=interval(weight),
            count="" if both is None else f"damped {interval(both[name])}",
            marks=[build_mark(None if both is None else both[name]), build_mark(weight)],
        )
        for name, weight in sorted(shown.items(), key=lambda item: -item[1].value)
    ]
    chart = Rows(
        rows=rows[:MOST_ROWS],
        across="weight (all of a scheme sum to 1)",
        reference=(1 / len(rows), "equal weights"),
        limits=SHARES,
        unit=plain_tick,
        series=("damped", "PRD Equation 2"),
        hollow=True,
    )
    description = "Weight of each reviewer, by PRD Equation 2 and by the damped scheme."
    return Figure(id="weights", description=description, chart=chart, note=_note(found))


def _trajectory(found: RecordedFindings, printed: Published) -> list[Part | None]:
    lines = [(one, one.trajectory) for one in _distinct(found) if one.trajectory is not None]
    if not lines:
        return []
    followed = lines[0][1].contestant
    curves = [
        build_curve(line, _judge_name(one), printed.elo.get(one.jury.name, {}).get(line.contestant))
        for one, line in lines
    ]
    description = f"Elo rating of {followed} by number of battles and evaluator."
    meaning = describe_trajectory(followed, found.level)
    return [
        f"{meaning} Lines are drawn over at most twice the battles of the shortest.",
        draw_trajectory(curves, description, found.level),
    ]


def _distinct(found: RecordedFindings) -> list[Evaluator]:
    """Return the evaluators of PRD Figures 4 and 7: `All` only where there is no weighted one."""
    names = [one.jury.name for one in found.evaluators]
    return [one for one in found.evaluators if one.jury.name != _ALL or _WEIGHTED not in names]


def _judge_name(evaluator: Evaluator) -> str:
    name, reviewers = evaluator.jury.name, evaluator.jury.reviewers
    return f"{name} as evaluator" if reviewers == (name,) else name


def _versus_figure(found: RecordedFindings) -> Figure | None:
    shown = _distinct(found)
    if not shown:
        return None
    order = _order(found)
    return draw_versus(
        [build_grid(one.head_to_head, title=_judge_name(one), order=order) for one in shown],
        "How often each contestant won against each other one, by evaluator.",
        [one.head_to_head for one in shown],
    )


def _position_figure(found: RecordedFindings) -> Figure | None:
    both_orders = {row.reviewer for row in found.consistency}
    rows = [
        Row(
            name=row.reviewer,
            note=f"{percent(row.share)} %",
            count=counted(row.share.n, "choice"),
            marks=[build_mark(row.share)],
        )
        for row in sorted(found.positions, key=lambda row: -row.share.value)
        if row.share.n and row.reviewer in both_orders
    ]
    if not rows or len(rows) > MOST_ROWS:
        return None
    across = "choices that name the first-shown answer"
    return Figure(
        id="position",
        description="Share of each reviewer's choices that name the first-shown answer.",
        chart=Rows(rows=rows, across=across, reference=(0.5, "no preference"), limits=SHARES),
        note=_note(found),
    )
