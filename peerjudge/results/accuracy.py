"""Tables and figures of accuracy, and the conventions on what an accuracy counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from peerjudge.data import COUNTING, Conventions, Measurement
from peerjudge.reporting.figures import Figure, Row, Rows, build_mark
from peerjudge.reporting.formats import MISSING, caution, counted, interval_note, percent, share
from peerjudge.reporting.layout import (
    AnyColumn,
    Column,
    Section,
    Table,
    build_couple,
    build_section,
    build_table,
)

if TYPE_CHECKING:
    from peerjudge.analysis import Accuracy, Compared
    from peerjudge.analysis.conditions import ConditionFindings, Consistency, GroupFindings
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.outcomes import Change
    from peerjudge.analysis.ratings import Correlation
    from peerjudge.analysis.scoring import Score


J = TypeVar("J", "Score", "Correlation")
LEFT_OUT = "Inconsistent, unreadable and refused verdicts are left out."
SHARES = (0.0, 1.0)
_MARGIN = "the difference of the probability of the gold answer, from log-odds averaged over the shown orders"


def build_judged_table(
    title: str, rows: Sequence[J], *columns: AnyColumn[J], names: int = 3, note: str = ""
) -> Table:
    """Return a table whose rows are named by the judge; outside runs that is the reviewer alone."""
    return build_table(
        title,
        rows,
        Column("Condition", "judge.condition"),
        Column("Reviewer", "judge.reviewer"),
        ("Stance", lambda row: row.judge.stance if row.judge.condition else MISSING),
        *columns,
        names=names,
        note=note,
    )


def describe_conventions(rows: Sequence[Score], followed: Conventions | None) -> list[str]:
    """Return what the accuracies count, and where the other ways to count are."""
    undecided = any(row.total.undecided for row in rows)
    if followed is not None:
        return [describe_published(followed)]
    if undecided or not rows:
        return [LEFT_OUT] if rows else []
    return ["No verdict is inconsistent, unreadable or refused; none is left out."]


def describe_published(followed: Conventions) -> str:
    """Return how the authors of a dataset count, in one sentence."""
    if followed.ratings:
        return f"As published ({followed.source}): {followed.ratings}."
    people = " or ".join(followed.votes)
    parts = [
        COUNTING[followed.undecided],
        f"every vote of an {people} is a gold verdict" if people else "",
        "a group of subsets, and all, is the mean of its subsets"
        if followed.mean_of_groups
        else "",
    ]
    return f"As published ({followed.source}): {'; '.join(filter(None, parts))}."


def build_accuracy_section(findings: Findings) -> Section | None:
    """Return the accuracy of every condition before and after discussion, and its comparisons."""
    names = [condition.name for condition in findings.conditions]
    subsets = [condition.subsets for condition in findings.conditions]
    categories = [condition.categories for condition in findings.conditions]
    return build_section(
        "Accuracy before and after discussion",
        "The share of readable verdicts that name the gold answer, in percent. Before: the private "
        "verdicts of the seats. After: the conclusions of the discussions. "
        + " ".join(
            [interval_note(findings.level, findings.questions), *caution(findings.questions)]
        ),
        draw_before_after(
            findings,
            [(row.name, _known(row.before), _known(row.after)) for row in findings.conditions],
            id="accuracy",
            description="Accuracy of each condition: of the private verdicts before discussion, and "
            "of the conclusions after it.",
            across="verdicts that name the gold answer",
            counts="conclusion",
            chance="chance",
        )
        or "No finished discussion has a known gold answer, so there is no accuracy.",
        build_section("By subset", _groups_table("subset", names, subsets)),
        build_section("By category", _groups_table("category", names, categories)),
        anchor="accuracy",
    )


def build_pairs_table(title: str, pairs: Sequence[Compared], *, folded: bool = False) -> Table:
    """Return one row for each pair of conditions, runs or reviewers compared."""
    return build_table(
        title,
        pairs,
        Column("First", "one"),
        Column("Second", "other"),
        Column("Comparisons", "comparisons"),
        Column("Turns", lambda row: build_couple(row.turns, row.other_turns, 1)),
        Column("Difference", "difference.difference", "points"),
        Column("p", "difference.p_value", "p"),
        Column("p, Holm", "holm", "p"),
        Column("Margin", "margin.difference", "points", about=_MARGIN, key="margin"),
        names=2,
        note="Accuracy of the first minus that of the second on the comparisons that both judged. "
        "Interval and p are Student's t on the means of questions with two questions added; p, Holm: "
        "adjusted for all pairs.",
        folded=folded,
    )


def build_changes_table(rows: Sequence[Change], *, folded: bool = False) -> Table:
    """Return the accuracy of each reviewer's first and last stance by condition."""
    return build_table(
        "Accuracy by reviewer in %, gain in points",
        rows,
        Column("Condition", "condition"),
        Column("Reviewer", "reviewer"),
        Column("First", "before", "share"),
        Column("Last", "after", "share"),
        Column("Gain", "gain.difference", "points"),
        Column("p", "gain.p_value", "p"),
        names=2,
        note="Of each reviewer's first and last stance, where both are readable; p is that of the interval.",
        folded=folded,
    )


def build_consistency_section(findings: Findings) -> Section | None:
    """Return how often the same judgement in both orders contradicts itself, by condition."""
    table = build_table(
        "Judgements made in both orders: counts, and the consistent share in %",
        findings.conditions,
        Column("Condition", "name"),
        *_consistency_columns(after=False),
        *_consistency_columns(after=True),
        groups=(("Private verdicts", 4), ("Conclusions", 4)),
        note="The share is that of the judgements readable in both orders.",
    )
    return build_section(
        "Consistency",
        "The same judgement made with the answers in both orders. It contradicts itself when the "
        "two verdicts differ.",
        table,
    )


def draw_accuracies(measured: Mapping[str, Measurement]) -> dict[str, Figure]:
    """Return accuracies with their intervals as dots, by the name of the figure; empty without any."""
    rows = [
        Row(
            name=name,
            note=f"{percent(one)} %",
            count=counted(one.n, "verdict"),
            marks=[build_mark(one)],
        )
        for name, one in measured.items()
        if one.n
    ]
    if not rows:
        return {}
    figure = Figure(
        id="accuracy",
        description="Accuracy against gold, with intervals that have questions as the unit.",
        chart=Rows(rows=rows, across="verdicts that name the gold answer", limits=SHARES),
    )
    return {figure.id: figure}


def draw_before_after(
    findings: Findings,
    shares: Iterable[tuple[str, Measurement | None, Measurement | None]],
    *,
    id: str,  # noqa: A002  of the figure
    description: str,
    across: str,
    counts: str,
    chance: str,
) -> Figure | None:
    """Return shares before and after discussion as dots, one row for each name with a share after it.

    Args:
        findings: of the run.
        shares: name, share before and share after.
        id: of the figure.
        description: of the figure.
        across: the label of the axis.
        counts: what the shares count.
        chance: the name of the share that chance gives.
    """
    rows = [
        Row(
            name=name,
            note=("" if before is None else f"{share(before.value)} \u2192 ")
            + f"{percent(after)} %",
            count=counted(after.n, counts),
            marks=[build_mark(before), build_mark(after)],
        )
        for name, before, after in shares
        if after is not None
    ]
    if not rows:
        return None
    # Without as many answers in all comparisons, chance has no one share.
    answers = findings.answers or 0
    return Figure(
        id=id,
        description=description,
        chart=Rows(
            rows=rows,
            across=across,
            reference=(1 / answers, chance) if answers > 1 else None,
            limits=SHARES,
            series=("before", "after"),
            hollow=True,
            arrows=True,
        ),
        note=interval_note(findings.level, findings.questions),
    )


def _known(accuracy: Accuracy | None) -> Measurement | None:
    return accuracy.accuracy if accuracy is not None and accuracy.accuracy.n else None


def _groups_table(
    kind: str, conditions: Sequence[str], columns: Sequence[Sequence[GroupFindings]]
) -> Table:
    """Return the accuracy of every condition by subset or category, before and after."""
    named = [{group.name: group for group in column} for column in columns]
    names = sorted({name for column in named for name in column})

    def show(group: GroupFindings | None) -> str:
        if group is None or group.after is None:
            return MISSING
        start = "" if group.before is None else f"{share(group.before.accuracy.value)} \u2192 "
        return start + percent(group.after.accuracy)

    def cell(groups: dict[str, GroupFindings]) -> Callable[[str], str]:
        return lambda name: show(groups.get(name))

    return build_table(
        f"Accuracy by {kind} in %, before \u2192 after",
        names,
        Column(kind.capitalize(), ""),
        *zip(conditions, map(cell, named), strict=True),
        note="The interval is that of the accuracy after discussion.",
    )


def _consistency_columns(*, after: bool) -> Iterator[AnyColumn[ConditionFindings]]:
    def of(row: ConditionFindings) -> Consistency:
        return row.consistency_after if after else row.consistency_before

    yield Column("Judged", lambda row: of(row).judged)
    yield "Contradict", lambda row: f"{of(row).inconsistent:,}" if of(row).judged else MISSING
    yield "Unreadable", lambda row: f"{of(row).unreadable:,}" if of(row).judged else MISSING
    yield Column("Consistent", lambda row: of(row).rate, "share")
