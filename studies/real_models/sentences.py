"""Sentences of the report: what each condition found, and what the numbers cannot tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from peerjudge.analysis import Compared, Findings
from peerjudge.analysis.conditions import ConditionFindings, SeatFindings
from peerjudge.analysis.controls import Controlled
from peerjudge.data import Measurement, replace
from peerjudge.reporting.formats import counted, percent, points

BASELINE = "explained_large"
"""The larger model alone with the reply that opens a discussion: the cheapest alternative to one."""
_CHANCE = 0.5
_FEW = 8
"""Number of questions below which no interval is printed: those of so few are much too narrow."""


def list_findings(
    findings: Findings, margins: Mapping[str, Measurement], compared: Sequence[Compared]
) -> list[str]:
    """Return one sentence for each reviewer and condition: changes of mind, discussions, lone judges.

    Args:
        findings: of one data set.
        margins: by condition the mean probability of the gold answer, where it is known.
        compared: every two conditions.
    """
    controls = {one.condition for one in findings.stances.controls}
    discussed = [one for one in findings.conditions if one.discusses and one.name not in controls]
    alone = [one for one in findings.conditions if one.seats == 1]
    say = _Plain() if findings.questions < _FEW else _Interval()
    sentences = [
        say.caution(findings.questions),
        *(_say_changes(one, say) for one in findings.by_reviewer),
        _say_controls(findings.stances.controls),
        *(_say_discussed(one, say) for one in discussed),
        *(
            _say_alternative(one)
            for one in _find_alternatives(findings, compared, controls)
            if say.compares
        ),
        *(_say_alone(one, margins.get(one.name), say) for one in alone),
    ]
    return [sentence for sentence in sentences if sentence]


class _Interval:
    """Words for numbers with their intervals."""

    compares = True

    def caution(self, _: int) -> str:
        return ""

    def share(self, found: Measurement) -> str:
        return f"{percent(found)} %"

    def times(self, found: Measurement) -> str:
        return self.share(found)

    def gain(self, found: Measurement) -> str:
        return f"{points(found)} points{_sign(found)}"

    def chance(self, found: Measurement) -> str:
        return _beside_chance(found)


class _Plain:
    """Words for numbers of too few questions: neither intervals nor what follows from them."""

    compares = False

    def caution(self, questions: int) -> str:
        return (
            f"{counted(questions, 'question')}: too few for intervals or for a comparison of conditions. "
            "The numbers describe these transcripts and nothing else."
        )

    def share(self, found: Measurement) -> str:
        return f"{100 * found.value:.0f} %"

    def times(self, found: Measurement) -> str:
        return f"{round(found.value * found.n)} of {found.n}"

    def gain(self, found: Measurement) -> str:
        return f"{100 * found.value:+.0f} points"

    def chance(self, _: Measurement) -> str:
        return ""


_Words = _Interval | _Plain


def list_limits(findings: Sequence[Findings], names: Sequence[str]) -> list[str]:
    """Return what the numbers cannot tell.

    Args:
        findings: of each data set.
        names: of the data sets.
    """
    sizes = " and ".join(
        f"{counted(found.questions, 'question')} of `{name}`"
        for found, name in zip(findings, names, strict=True)
    )
    widest = max((width for found in findings for width in _widths(found)), default=0.0)
    weak = (
        "These are among the weakest models that follow instructions at all: small, trained on code, and "
        "quantized. The discussions below show how they fail. What they do says nothing about large "
        "models, and little about other small ones."
    )
    small = (
        f"The study has {sizes}, one seed, one prompt pack and one card per model. Intervals resample "
        "questions only; another wording, seed or server is outside of them. The widest interval of an "
        f"accuracy spans {100 * widest:.0f} points."
    )
    many = (
        "Many numbers are compared, and none was chosen in advance: an interval that just excludes zero is "
        "no finding."
    )
    alike = (
        "Both models are of one family and learned from similar data. That they agree is little evidence "
        "that they are right."
    )
    argument = (
        "Events are read from verdicts by rule. That a model adopts a verdict after hearing it does not "
        "show that the argument persuaded it: compare `hearing` with `irrelevant`, where the reasons say "
        "nothing about the answers, and with `placebo`, where nothing is heard."
    )
    cut = "A reply that is cut at the limit of tokens mostly has no verdict and then counts as unreadable."
    return [weak, small, many, alike, argument, cut]


@dataclass(frozen=True, slots=True)
class _Alternative:
    """A discussion against a cheaper way to judge: difference in accuracy, and calls of each."""

    discussion: str
    other: str
    calls: float
    other_calls: float
    difference: Measurement
    margin: Measurement | None


def _find_alternatives(
    findings: Findings, compared: Sequence[Compared], controls: Collection[str]
) -> Iterator[_Alternative]:
    """Yield each discussion against the vote of as many calls, then against the larger model alone."""
    pairs = {(pair.one, pair.other): pair for pair in compared}
    for row in findings.contrasts:
        for vote in row.over_vote.rows:
            pair = pairs.get((row.condition, vote.name))
            if pair is not None and row.condition not in controls:
                found, margin = pair.difference.difference, pair.margin and pair.margin.difference
                yield _Alternative(
                    pair.one, pair.other, pair.turns, pair.other_turns, found, margin
                )
    discussed = {one.name for one in findings.conditions if one.discusses} - set(controls)
    for pair in compared:
        if pair.one == BASELINE and pair.other in discussed:
            found = _negate(pair.difference.difference)
            margin = pair.margin and _negate(pair.margin.difference)
            yield _Alternative(pair.other, pair.one, pair.other_turns, pair.turns, found, margin)


def _negate(found: Measurement) -> Measurement:
    return replace(found, value=-found.value, low=-found.high, high=-found.low)


def _say_alone(row: ConditionFindings, margin: Measurement | None, say: _Words) -> str:
    if row.after is None or row.after.accuracy.n == 0:
        return ""
    found = row.after.accuracy
    chosen = ""
    if row.first_after is not None:
        chosen = f"; chose the first-shown answer {say.share(row.first_after)}"
    sure = "" if margin is None else f"; margin {say.share(margin)}{say.chance(margin)}"
    return (
        f"`{row.name}`: accuracy {say.share(found)} of {counted(found.n, 'verdict')}"
        f"{say.chance(found)}{sure}{chosen}."
    )


def _beside_chance(found: Measurement) -> str:
    if found.low <= _CHANCE <= found.high:
        return ", which cannot be told from a coin"
    return ", better than a coin" if found.low > _CHANCE else ", worse than a coin"


def _say_discussed(row: ConditionFindings, say: _Words) -> str:
    if row.before is None or row.after is None or row.gain is None:
        return ""
    agreed = ""
    if row.agreement.before is not None and row.agreement.after is not None:
        agreed = (
            f"; both seats agreed in {say.share(row.agreement.before)} before and "
            f"{say.share(row.agreement.after)} after"
        )
    return (
        f"`{row.name}`: accuracy {say.share(row.before.accuracy)} in private, "
        f"{say.share(row.after.accuracy)} after discussion, {say.gain(row.gain)}{agreed}."
    )


def _say_alternative(row: _Alternative) -> str:
    sure = ""
    if row.margin is not None:
        sure = f"; margin {points(row.margin)} points{_sign(row.margin)}"
    return (
        f"`{row.discussion}` against `{row.other}` ({row.calls:.1f} and {row.other_calls:.1f} calls per "
        f"verdict): accuracy {points(row.difference)} points{_sign(row.difference)}{sure}."
    )


def _sign(difference: Measurement) -> str:
    if difference.low <= 0.0 <= difference.high:
        return " (no effect can be shown)"
    side = "above" if difference.low > 0.0 else "below"
    return f" (this interval alone is {side} 0; not corrected for the other comparisons)"


def _say_changes(row: SeatFindings, say: _Words) -> str:
    if row.altered is None or not row.contradicted:
        return ""
    return (
        f"`{row.reviewer}` heard a contradiction {counted(row.contradicted, 'time')} and adopted the other "
        f"verdict in {say.times(row.altered)}. Of its changes of mind {row.towards_gold:,} led to the gold "
        f"answer and {row.away_from_gold:,} away from it."
    )


def _say_controls(rows: Sequence[Controlled]) -> str:
    """Return the counts of all reviewers; whether they differ is in the table of the controls."""
    told = [row for row in rows if row.reviewer is None and row.altered.n]
    if not told:
        return ""
    counts = ", ".join(f"{_Plain().times(row.altered)} in `{row.condition}`" for row in told)
    return f"Opinions altered at the first contradiction: {counts}."


def _widths(findings: Findings) -> Iterator[float]:
    for row in findings.conditions:
        if row.after is not None and row.after.accuracy.n:
            yield row.after.accuracy.high - row.after.accuracy.low
