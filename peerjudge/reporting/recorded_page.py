"""Sections of the page of recorded reviews, beside the values that papers printed about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from peerjudge.data import Measurement, Ranking, Scheme
from peerjudge.reporting.accuracy import SHARES
from peerjudge.reporting.biases import (
    length_table,
    panel_sentences,
    panel_table,
    position_table,
    self_table,
)
from peerjudge.reporting.contestants import (
    MOST_ROWS,
    drawable,
    grid_of,
    measured_of,
    series_of,
    standings_table,
    trajectory_figure,
    trajectory_meaning,
    versus_figure,
    weights_table,
)
from peerjudge.reporting.drawing import Figure
from peerjudge.reporting.figures import Marked, Values, dot_figure, mark_figure
from peerjudge.reporting.formats import (
    counted,
    decimal,
    interval,
    interval_note,
    percent,
    plain_tick,
    rating_tick,
)
from peerjudge.reporting.layout import Part, Section, Table, table_of
from peerjudge.reporting.scores import scores_table

if TYPE_CHECKING:
    from peerjudge.analysis.recorded import Evaluator, JuryAgreement, RecordedFindings
    from peerjudge.reporting.published import Published

_ALL, _WEIGHTED = "All", "All (weighted)"
_START = 1000.0


def recorded_sections(found: RecordedFindings, printed: Published) -> list[Section]:
    """Return the sections of the page; a section without anything to show is left out."""
    sections = [
        _ranking_section(found, printed),
        _agreement_section(found, printed),
        _accuracy_section(found),
        _weights_section(found, printed),
        _trajectory_section(found, printed),
        _versus_section(found, printed),
        _position_section(found, printed),
        _self_section(found),
        _length_section(found),
        _together_section(found),
    ]
    return [section for section in sections if section is not None]


def _note(found: RecordedFindings) -> str:
    return interval_note(found.level, found.questions)


def _gold(found: RecordedFindings) -> str:
    return "people" if found.humans else "gold"


def _printed_in(printed: Published, key: str, title: str) -> str:
    """Return the title with the table or figure of the paper that it reproduces."""
    return f"{title} ({printed.titles[key]})" if key in printed.titles else title


def _remark(printed: Published, key: str) -> list[str]:
    return [f"{printed.titles[key]}: {printed.remarks[key]}"] if key in printed.remarks else []


def order_of_contestants(found: RecordedFindings) -> tuple[str, ...]:
    """Return the contestants in the order of the ranking that weighs most of what is known."""
    names = [evaluator.jury.name for evaluator in found.evaluators]
    if not names:
        return ()
    place = next((names.index(name) for name in (_WEIGHTED, _ALL) if name in names), 0)
    return tuple(found.evaluators[place].win_rate.contestants)


def _ranking_section(found: RecordedFindings, printed: Published) -> Section:
    if not found.evaluators:
        missing = [f"No ranking: {found.ranking_missing}"]
        return Section(id="ranking", title="Ranking", link="Ranking", parts=missing)
    names = {one.jury.name for one in found.evaluators}
    meaning = [
        "The contestants ranked by each evaluator, 1 is the best.",
        "All: every reviewer has the same weight." if _ALL in names else "",
        "All (weighted): every reviewer has its weight as a contestant."
        if _WEIGHTED in names
        else "",
        "Human: the votes of people; of several on one pair, the sign of their mean."
        if found.humans
        else "",
        f"Intervals are {100 * found.level:.0f} % and resample the",
        f"{counted(found.questions, 'question')}; those of Elo also shuffle the order of the battles.",
        f"Seed: {found.seed}.",
    ]
    parts: list[Part] = [" ".join(filter(None, meaning))]
    rates = {one.jury.name: one.win_rate for one in found.evaluators}
    ratings = {one.jury.name: one.elo for one in found.evaluators}
    for key, title, rankings, values, digits in (
        ("win_rate", "Win rates", rates, printed.win_rate, 3),
        ("elo", "Elo ratings", ratings, printed.elo, 0),
    ):
        known = {name: one for name, one in rankings.items() if one is not None}
        figure = _ranks_figure(found, key, known, values, digits)
        if figure is not None:
            table = standings_table(
                f"{title} by evaluator",
                rankings,
                contestants=order_of_contestants(found),
                printed=values,
                cell=partial(interval, digits=digits),
                note="Ours with interval and rank." if values else "With interval and rank.",
            )
            title = _printed_in(printed, key, title)
            parts.append(Section(id=key, title=title, parts=[figure, table]))
    parts += [
        f"No Elo rating by {one.jury.name}: {one.elo_missing}"
        for one in found.evaluators
        if one.elo_missing
    ]
    if found.awarded:
        table = standings_table(
            "Win rates by each reviewer alone, in %",
            found.awarded,
            contestants=order_of_contestants(found),
        )
        parts.append(Section(id="alone", title="Each reviewer alone", parts=[table]))
    return Section(id="ranking", title="Ranking by evaluator", link="Ranking", parts=parts)


def _ranks_figure(
    found: RecordedFindings,
    key: str,
    rankings: Mapping[str, Ranking],
    printed: Mapping[str, Mapping[str, float]],
    digits: int,
) -> Figure | None:
    """Return the scores of the contestants, best first, with a mark for each evaluator."""
    if not rankings:
        return None
    is_rate = key == "win_rate"
    rows = [
        (
            name,
            [
                _marked(measured_of(ranking, name), printed.get(evaluator, {}).get(name), digits)
                if name in ranking.contestants
                else None
                for evaluator, ranking in rankings.items()
            ],
        )
        for name in order_of_contestants(found)[:MOST_ROWS]
    ]
    return Figure(
        id=key.replace("_", "-"),
        description=f"{'Win rate' if is_rate else 'Elo rating'} of each contestant by evaluator.",
        drawing=mark_figure(
            rows,
            list(rankings),
            across="win rate; a tie is half a win" if is_rate else "Elo rating",
            reference=(0.5, "half of the battles") if is_rate else (_START, "the start"),
            limits=SHARES if is_rate else None,
            unit=plain_tick if is_rate else rating_tick,
        ),
        note=_note(found) if is_rate else f"{_note(found)[:-1]} and shuffling the battles.",
    )


def _marked(measured: Measurement, printed: float | None, digits: int) -> Marked | None:
    if isnan(measured.value):
        return None
    note = interval(measured, digits)
    return Marked(measured=drawable(measured), note=note, printed=printed)


def _agreement_section(found: RecordedFindings, printed: Published) -> Section | None:
    figure = _agreement_figure(found, printed)
    if figure is None:
        return None
    gold = _gold(found)
    right = "where people tie" if found.humans else "where gold is a tie"
    meaning = (
        "How often the combined verdict of a jury, the sign of the weighted mean score of its "
        f"members, equals {'the human verdict' if found.humans else 'gold'}; a tie is right exactly "
        f"{right}. Fleiss' kappa of the two corrects for chance."
    )
    table = _agreement_table(found, printed)
    below = Section(
        id="accuracy-and-kappa",
        title=_printed_in(printed, "agreement", "Accuracy and kappa"),
        parts=[figure, table],
    )
    title = f"Agreement with {gold}"
    return Section(id="agreement", title=title, link=title, parts=[meaning, below])


def _agreement_table(found: RecordedFindings, printed: Published) -> Table:
    def said(key: str) -> Callable[[JuryAgreement], str]:
        return lambda row: decimal(printed.agreement.get(row.jury.name, {}).get(key))

    return table_of(
        f"Fleiss' kappa and accuracy against {'the human verdict' if found.humans else 'gold'}",
        found.agreement,
        ("Jury", lambda row: row.jury.name),
        ("Printed kappa", said("kappa")),
        ("Fleiss' kappa", lambda row: interval(row.agreement.fleiss_kappa)),
        ("Printed accuracy", said("accuracy")),
        ("Accuracy", lambda row: interval(row.agreement.accuracy)),
        ("Items", lambda row: f"{row.agreement.n:,}"),
        ("Unreadable", lambda row: f"{row.agreement.unreadable:,}"),
        note="Items are pairs in one shown order.",
    )


def _agreement_figure(found: RecordedFindings, printed: Published) -> Figure | None:
    rows = [
        (
            row.jury.name,
            [
                Marked(
                    measured=row.agreement.accuracy,
                    note=interval(row.agreement.accuracy),
                    printed=printed.agreement.get(row.jury.name, {}).get("accuracy"),
                )
            ],
        )
        for row in found.agreement
    ]
    if not rows:
        return None
    items = max(row.agreement.n for row in found.agreement)
    return Figure(
        id="agreement",
        description=f"Accuracy of each jury against {_gold(found)}.",
        drawing=mark_figure(
            rows, [""], across="accuracy, as a share of the items", limits=SHARES, unit=plain_tick
        ),
        note=f"{_note(found)} {counted(items, 'item')}: pairs in one shown order.",
    )


def _accuracy_section(found: RecordedFindings) -> Section:
    if found.gold_missing:
        return Section(id="accuracy", title="Accuracy", link="Accuracy", parts=[found.gold_missing])
    meaning = "The share of a reviewer's readable verdicts that name the gold answer, both orders together."
    table = scores_table("Accuracy in %", found.scores, found.groups)
    return Section(id="accuracy", title="Accuracy", link="Accuracy", parts=[meaning, table])


def _weights_section(found: RecordedFindings, printed: Published) -> Section | None:
    figure = _weights_figure(found)
    if figure is None:
        return None
    meaning = (
        "The weight of a reviewer follows from its own score as a contestant, as judged by equally "
        "weighted reviewers. PRD Equation 2 always gives the weakest reviewer weight 0; in the damped "
        "scheme all weights are positive and it always converges."
    )
    return Section(
        id="weights",
        title=_printed_in(printed, "weights", "Reviewer weights"),
        link="Reviewer weights",
        parts=[meaning, figure, *_remark(printed, "weights"), weights_table(found.weights)],
    )


def _weights_figure(found: RecordedFindings) -> Figure | None:
    prd, damped = (found.weights.get(scheme.value) for scheme in (Scheme.PRD, Scheme.DAMPED))
    shown = prd or damped
    if shown is None:
        return None
    both = damped if prd is not None else None
    rows = [
        Values(
            name=name,
            note=interval(weight),
            count="" if both is None else f"damped {interval(both[name])}",
            start=None if both is None else both[name],
            end=weight,
        )
        for name, weight in sorted(shown.items(), key=lambda item: -item[1].value)
    ]
    return Figure(
        id="weights",
        description="Weight of each reviewer, by PRD Equation 2 and by the damped scheme.",
        drawing=dot_figure(
            rows[:MOST_ROWS],
            across="weight (all of a scheme sum to 1)",
            reference=(1 / len(rows), "equal weights"),
            limits=SHARES,
            unit=plain_tick,
            keys=("damped", "PRD Equation 2"),
            arrows=False,
        ),
        note=_note(found),
    )


def _trajectory_section(found: RecordedFindings, printed: Published) -> Section | None:
    lines = [(one, one.trajectory) for one in _distinct(found) if one.trajectory is not None]
    if not lines:
        return None
    followed = lines[0][1].contestant
    series = [
        series_of(line, _judge_name(one), printed.elo.get(one.jury.name, {}).get(line.contestant))
        for one, line in lines
    ]
    figure = trajectory_figure(
        series, f"Elo rating of {followed} by number of battles and evaluator.", found.level
    )
    meaning = (
        f"{trajectory_meaning(followed, found.level)} Lines are drawn over at most twice the battles "
        "of the shortest."
    )
    return Section(
        id="trajectory",
        title=_printed_in(printed, "elo_trajectory", "Elo rating by battle"),
        link="Elo rating by battle",
        parts=[meaning, figure, *_remark(printed, "elo_trajectory")],
    )


def _distinct(found: RecordedFindings) -> list[Evaluator]:
    """Return the evaluators of PRD Figures 4 and 7: `All` only where there is no weighted one."""
    names = [one.jury.name for one in found.evaluators]
    return [one for one in found.evaluators if one.jury.name != _ALL or _WEIGHTED not in names]


def _judge_name(evaluator: Evaluator) -> str:
    name, reviewers = evaluator.jury.name, evaluator.jury.reviewers
    return f"{name} as evaluator" if reviewers == (name,) else name


def _versus_section(found: RecordedFindings, printed: Published) -> Section | None:
    shown = _distinct(found)
    if not shown:
        return None
    order = order_of_contestants(found)
    figure = versus_figure(
        [grid_of(one.head_to_head, title=_judge_name(one), order=order) for one in shown],
        "How often each contestant won against each other one, by evaluator.",
        [one.head_to_head for one in shown],
    )
    meaning = (
        "How often the contestant of a row won against that of a column. Blue is more than half, "
        "orange less."
    )
    return Section(
        id="versus",
        title=_printed_in(printed, "head_to_head", "Wins between contestants"),
        link="Wins between contestants",
        parts=[meaning, figure, *_remark(printed, "head_to_head")],
    )


def _position_section(found: RecordedFindings, printed: Published) -> Section:
    figure = _position_figure(found)
    meaning = (
        "The share of a reviewer's choices, ties aside, that name the answer shown first. A reviewer "
        "without position bias that judges every pair in both orders chooses the first answer half of "
        "the time. For reviewers that saw each pair in one order only the share is not shown."
    )
    return Section(
        id="position",
        title=_printed_in(printed, "position", "Preference for the first-shown answer"),
        link="Preference for the first answer",
        parts=[
            meaning,
            *([figure, *_remark(printed, "position")] if figure is not None else []),
            position_table(found.positions, found.consistency),
        ],
    )


def _position_figure(found: RecordedFindings) -> Figure | None:
    both_orders = {row.reviewer for row in found.consistency}
    rows = [
        Values(
            name=row.reviewer,
            note=f"{percent(row.share)} %",
            count=counted(row.share.n, "choice"),
            end=row.share,
        )
        for row in sorted(found.positions, key=lambda row: -row.share.value)
        if row.share.n and row.reviewer in both_orders
    ]
    if not rows or len(rows) > MOST_ROWS:
        return None
    return Figure(
        id="position",
        description="Share of each reviewer's choices that name the first-shown answer.",
        drawing=dot_figure(
            rows,
            across="choices that name the first-shown answer",
            reference=(0.5, "no preference"),
            limits=SHARES,
        ),
        note=_note(found),
    )


def _self_section(found: RecordedFindings) -> Section | None:
    if not found.self_enhancement:
        return None
    gold = _gold(found)
    verb = "are" if found.humans else "is"
    meaning = (
        f"How a reviewer judges its own answers, and how the other reviewers and {gold} judge them, on "
        "the same pairs. A difference above 0 favours the own answers. All peers may overrate an "
        f"answer, so {gold} {verb} the stricter standard."
    )
    return Section(
        id="own",
        title="Self-preference",
        link="Self-preference",
        parts=[meaning, self_table(found.self_enhancement, gold)],
    )


def _length_section(found: RecordedFindings) -> Section | None:
    if not found.verbosity:
        return None
    meaning = "How choices depend on the length of the answers."
    table = length_table(found.verbosity, _gold(found))
    return Section(id="length", title="Length", link="Length", parts=[meaning, table])


def _together_section(found: RecordedFindings) -> Section | None:
    if found.together is None:
        return None
    meaning = "Reviewers that make the same errors add little to each other."
    return Section(
        id="together",
        title="Agreement between reviewers",
        link="Agreement between reviewers",
        parts=[" ".join([meaning, *panel_sentences(found.together)]), panel_table(found.together)],
    )
