"""Discussions against cheaper ways to judge, and the early stop that a contrast decides, as shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from peerjudge.reporting.figures import Figure, Row, Rows, build_mark
from peerjudge.reporting.formats import counted, isolated, minus_signs, p_value, points, points_tick
from peerjudge.reporting.layout import Column, Section, Table, build_section, build_table

if TYPE_CHECKING:
    from peerjudge.analysis.contrasts import ConditionContrasts
    from peerjudge.analysis.stopping import Decision
    from peerjudge.data import Measurement


_NAMES = {
    "mean seat": "its mean seat, asked once",
    "best seat": "its better seat, asked once",
    "self-consistency": "its better seat, asked as often",
    "vote": "a vote of its reviewers",
}
_SIMULTANEOUS = "{level} interval simultaneous with all others of these findings"
_TOGETHER = "{level} intervals, simultaneous for all conditions"
_Bounds = Sequence[tuple[str, "Measurement"]]
_FOUND = {
    "better": "is above 0",
    "worse": "is below 0",
    "equivalent": "is equivalent to 0 within the margin",
    "precise": "is known precisely enough",
    "undecided": "is not decided",
}
_FIXED = "Tests and intervals of the table are for a number of questions fixed in advance."


def build_contrasts_section(
    rows: Sequence[ConditionContrasts], *, decision: Decision | None = None
) -> Section | None:
    """Return the difference of every discussion from each cheaper way to judge."""
    return build_section(
        "Against cheaper ways to judge",
        "The accuracy of a discussion minus that of an alternative on the same comparisons, in "
        "percentage points. The better seat is chosen for each question on all other questions, so "
        "never for being right on the question on which it is compared. Asked as often: a vote of that "
        "reviewer alone with as many calls.",
        draw_contrasts(rows),
        build_contrasts_table(rows),
        " ".join(note_alternatives(rows)) or None,
        *note_decision(decision),
        anchor="alternatives",
    )


def build_contrasts_table(rows: Sequence[ConditionContrasts]) -> Table:
    """Return one row per discussion and alternative, with the adjusted p-values of its family."""
    pairs = [(row.condition, one) for row in rows for one in row.all if one.difference is not None]
    # The declared contrast comes first.
    pairs.sort(key=lambda pair: not pair[1].primary)
    return build_table(
        "Discussions against cheaper ways to judge, difference in accuracy in points",
        pairs,
        Column("Condition", "0"),
        Column("Over", "1.alternative"),
        ("Who", lambda pair: " or ".join(pair[1].against)),
        Column("Comparisons", "1.comparisons"),
        ("Calls", lambda pair: f"{pair[1].turns:.1f} : {pair[1].other_turns:.1f}"),
        Column("Difference", "1.difference.difference", "points"),
        Column("p", "1.difference.p_value", "p"),
        Column("p, Holm", "1.p_holm", "p"),
        ("Test", lambda pair: pair[1].family),
        names=3,
        note="Intervals (95 %) hold for one row each; the first findings and the figure of a report have "
        "wider ones that hold for all conditions together. p: of the difference being 0, by sign flips "
        "of questions and by its score, the greater of the two; where no question was lost, or none won, "
        "also of losses or gains that may be unseen. It is at most 0.05 where the interval of the row leaves "
        "out 0. Over several alternatives, p of a gain is the greatest over them, as a gain must hold over "
        "each; p of a loss is the least, times their number. p, Holm: corrected within the family of "
        "declared tests (best seat, self-consistency, vote; all conditions) or of exploratory ones (mean "
        "seat); a primary contrast is not corrected. The best seat is chosen on the other questions, and "
        "its interval holds whichever seat is best.",
    )


def note_alternatives(rows: Sequence[ConditionContrasts]) -> list[str]:
    """Return what makes a row less than it seems, one sentence per reason, with the conditions.

    Alternatives that were not played, and votes in which one reviewer decides every even split.
    """
    reasons: dict[str, list[str]] = {}
    for row in rows:
        for one in row.all:
            if one.reason:
                reasons.setdefault(f"Over {one.alternative}: {one.reason}.", []).append(
                    row.condition
                )
            if one.decider:
                known = f"{one.decider} decides every even split of {' and '.join(one.against)}"
                reasons.setdefault(
                    f"Over vote: {known}, so this vote is no fair alternative; play it with "
                    "leader=Leader.BOTH.",
                    [],
                ).append(row.condition)
    return [f"{reason} ({', '.join(names)})" for reason, names in reasons.items()]


def draw_contrasts(rows: Sequence[ConditionContrasts]) -> Figure | None:
    """Return the difference of every discussion from its better seat, with simultaneous bounds."""
    known = [(row, row.seat_at_once) for row in rows if row.seat_at_once is not None]
    if not known:
        return None
    return Figure(
        id="over-best-seat",
        description="Accuracy of each discussion minus that of its better seat alone.",
        chart=Rows(
            rows=[
                Row(
                    name=row.condition,
                    note=minus_signs(points(measured)),
                    count=counted(measured.n, "comparison"),
                    marks=[build_mark(measured)],
                )
                for row, measured in known
            ],
            across="difference in accuracy from the better seat alone, in percentage points",
            reference=(0.0, "same as the better seat"),
            limits=(-1.0, 1.0),
            unit=points_tick,
        ),
        note=f"{_TOGETHER.format(level=f'{100 * known[0][1].level:.0f} %')}.",
    )


def say_contrasts(
    rows: Sequence[ConditionContrasts], *, decision: Decision | None = None
) -> Iterator[str]:
    """Yield the headline of a run: the primary contrast, the better seat, the best alternative.

    With a stopping rule its last look comes first, in place of the test for a fixed number of questions.

    Bounds hold for all conditions at once, so a claim is false in at most 5 % of studies in which
    discussing changes nothing, with any number of conditions.
    """
    if decision is None:
        yield from _say_primary(rows)
    else:
        yield describe_decision(decision)
    seat = [(row.condition, row.seat_at_once) for row in rows if row.seat_at_once is not None]
    if not seat:
        return
    yield _say("the better seat alone, asked once", seat)
    best = [
        (row.condition, row.best_at_once)
        for row in rows
        if row.best_at_once is not None
        and (row.over_self_consistency.difference or row.over_vote.difference)
    ]
    if best:
        yield _say("the best of its seats and of the votes with as many calls", best)


def note_decision(decision: Decision | None, *, isolate: bool = True) -> list[str]:
    """Return a note below a table of contrasts whose intervals do not allow for the looks, if any."""
    if decision is None:
        return []
    return [f"{describe_decision(decision, isolate=isolate)} {_FIXED}"]


def describe_decision(decision: Decision, *, isolate: bool = True) -> str:
    """Return the last look of a run with a stopping rule, with the interval that is valid there.

    Args:
        decision: the last look.
        isolate: set the name of the contrast apart for a page, where it may have another direction.
    """
    contrast = isolated(decision.contrast) if isolate else decision.contrast
    at = (
        f"look {decision.look}, after {decision.questions:,} of {decision.available:,} questions in "
        "random order"
    )
    verb = "Not stopped at" if decision.stop_reason is None else "Stopped at"
    known = minus_signs(points(decision.anytime))
    sentence = (
        f"{verb} {at}, by the rule \u201c{decision.rule}\u201d: the contrast "
        f"\u201c{contrast}\u201d {_FOUND[decision.outcome]}, {known} points "
        f"({decision.anytime.level:.0%} at all looks together)."
    )
    if decision.outcome == "precise":
        sentence += (
            f" The interval of the rule, {minus_signs(points(decision.usual))}, is for a number of "
            "questions fixed in advance."
        )
    if decision.continued:
        sentence += " The run was continued after this look without the rule."
    return sentence


def _say_primary(rows: Sequence[ConditionContrasts]) -> Iterator[str]:
    for row in rows:
        for one in row.all:
            if not one.primary:
                continue
            name = f"\u201c{isolated(row.condition)}\u201d over {_NAMES[one.alternative]}"
            name = f"The declared contrast, {name}"
            if one.difference is None:
                yield f"{name}, cannot be measured: {one.reason}."
                continue
            measured = one.difference.difference
            yield (
                f"{name}: {signed_points(measured)} points (interval of this contrast alone, "
                f"p\u00a0{phrase_p(one.difference.p_value)}), "
                f"{_judge(measured, 'more often right', 'less often right', 'which may be chance')}."
            )


def _say(other: str, bounds: _Bounds) -> str:
    """Return in which conditions a difference is shown, losses as gains, with simultaneous bounds."""
    level = f"{100 * bounds[0][1].level:.0f} %"
    if len(bounds) == 1:
        verb = _judge(
            bounds[0][1],
            "is more often right than",
            "is less often right than",
            "has shown neither a gain nor a loss over",
        )
        named = _list(bounds)
        return f"Discussing {verb} {other}:{named}, {_SIMULTANEOUS.format(level=level)}."
    better = [pair for pair in bounds if pair[1].low > 0.0]
    worse = [pair for pair in bounds if pair[1].high < 0.0]
    rest = [pair for pair in bounds if pair not in better and pair not in worse]
    shown = " and ".join(
        f"a {word} in {len(found) or 'none'}{_list(found, brackets=True)}"
        for word, found in (("gain", better), ("loss", worse))
    )
    unsure = f", neither in {len(rest)}{_list(rest, brackets=True)}" if rest else ""
    return (
        f"Against {other}, discussing shows {shown} of {len(bounds)} conditions{unsure}; "
        f"{_TOGETHER.format(level=level)}."
    )


def _list(bounds: _Bounds, *, brackets: bool = False) -> str:
    named = "; ".join(
        f"\u201c{isolated(name)}\u201d {signed_points(measured)}" for name, measured in bounds
    )
    if not bounds:
        return ""
    return f" ({named} points)" if brackets else f" {named} points"


def _judge(measured: Measurement, better: str, worse: str, unsure: str) -> str:
    if measured.low > 0.0:
        return better
    return worse if measured.high < 0.0 else unsure


def signed_points(measured: Measurement) -> str:
    """Format a difference in points with its interval and minus signs."""
    return minus_signs(points(measured))


def phrase_p(value: float) -> str:
    """Format a p-value as it follows the letter p: `= 0.03` or `< 0.001`."""
    text = p_value(value)
    return (text if text.startswith("<") else f"= {text}").replace(" ", "\u00a0")
