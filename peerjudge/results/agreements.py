"""Agreement of reviewers with gold, alone and as a panel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from peerjudge.analysis import (
    GoldAgreement,
    NoGoldError,
    OwnVotesError,
    Panel,
    measure_agreement,
    measure_panel,
    select_judges,
)
from peerjudge.analysis.selecting import HUMAN, keep_contestants, name_people
from peerjudge.data import COUNTING, LEVEL, Undecided, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.data.choices import require_choice
from peerjudge.reporting.formats import counted, interval, interval_note, percent, preface
from peerjudge.reporting.layout import (
    Cell,
    Column,
    Section,
    Table,
    build_couple,
    build_section,
    build_table,
)
from peerjudge.results.accuracy import LEFT_OUT
from peerjudge.results.added import measure_added_panel
from peerjudge.results.base import Document, FramedResult, Shown, list_names, name_gold
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.contestants import SCHEMES
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    from peerjudge.analysis import PanelPair


_OWN_VOTES = (
    "Gold for a person is made of the votes of the other people. A comparison on which no other person voted "
    "has no gold for this one."
)
_NOT_TOGETHER = (
    "No accuracy of these people together: gold is made of their own votes, and a panel is not compared with "
    "itself."
)
_NO_GOLD = "No accuracy: no pair has both a gold and a readable verdict of these reviewers."
_BOTH_CHOOSE = (
    "Both choose: where neither the vote nor the gold of the others is a tie; "
    "two others who differ are a tie."
)
_NONE: Mapping[str, object] = {"accuracy": None, "fleiss_kappa": None, "n": 0, "unreadable": 0}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AgreementResult(FramedResult):
    """Agreement of the combined verdict with gold; `gold` is its name, `panel` the single reviewers.

    `agreement` is `None` where there is no gold, or all gold is made of the votes of these reviewers, and
    `declined` says which; `people` is true if some
    of them are people, and `among_people` if all of several are. Their agreement with one another then
    comes first. `pairs` are shown, or not. `added` are the results of features.
    """

    frame: ClassVar[str] = "agreement"
    agreement: GoldAgreement | None
    panel: Panel | None
    gold: str
    simulated: bool
    questions: int
    people: bool = False
    among_people: bool = False
    pairs: bool = True
    declined: str = ""
    added: Mapping[str, FramedResult] = field(default_factory=dict[str, FramedResult])

    def document(self) -> Document:
        """Return the document of `peerjudge agreement --json`."""
        combined = _NONE if self.agreement is None else _list_values(self.agreement)
        document = {**combined, "simulated": self.simulated}
        if self.agreement is None and self.panel is not None:
            document |= {"reviewers": list(self.panel.reviewers), "gold": self.gold}
            document["declined"] = self.declined
        if self.panel is not None:
            panel = {"panel": to_plain(self.panel)}
            document = panel | document if self.among_people else document | panel
        if self.added:
            document["added"] = {name: one.document() for name, one in self.added.items()}
        return make_plain(document)

    def parts(self) -> Shown:
        """Return the sentences on the agreement, and the tables of the panel."""
        together: list[str | Table] = [self.declined]
        if self.agreement is not None:
            together = [*_describe_agreement(self.agreement, self.gold)]
        parts: list[str | Table] = [*preface(simulated=self.simulated, questions=self.questions)]
        if self.panel is None:
            parts += together
        else:
            tables = [build_panel_accuracy_table(self.panel)]
            tables += [build_panel_table(self.panel)] if self.pairs else []
            alike = describe_panel(self.panel)
            if self.among_people:
                parts += [*alike, *tables, "", *together]
            else:
                parts += [*together, *tables, "", *alike]
        for one in self.added.values():
            parts += ["", *one.parts()]
        if self.people:
            parts += ["", _OWN_VOTES]
        return [*parts, "", interval_note(LEVEL, self.questions)]

    def rows(self) -> Iterator[Cells]:
        """Yield the agreement of all together, then that of each reviewer and each pair.

        That of people with one another comes first.
        """
        if self.among_people and self.panel is not None and self.panel.fleiss_kappa is not None:
            among = {"reviewers": ", ".join(self.panel.reviewers)}
            yield {**among, "measure": "kappa_among_people", **list_cells(self.panel.fleiss_kappa)}
        if self.agreement is not None:
            together = {"reviewers": ", ".join(self.agreement.reviewers)}
            yield {**together, "measure": "accuracy", **list_cells(self.agreement.accuracy)}
            yield {**together, "measure": "fleiss_kappa", **list_cells(self.agreement.fleiss_kappa)}
        if self.panel is None:
            return
        together = {"reviewers": ", ".join(self.panel.reviewers)}
        if self.panel.krippendorff_alpha is not None:
            alpha = list_cells(self.panel.krippendorff_alpha)
            yield {**together, "measure": "krippendorff_alpha", **alpha}
        for name, accuracy in self.panel.accuracy.items():
            yield {"reviewers": name, "measure": "accuracy", **list_cells(accuracy)}
        for pair in self.panel.pairs:
            names = {"reviewers": f"{pair.one}, {pair.other}"}
            yield {**names, "measure": "cohen_kappa", **list_cells(pair.cohen_kappa)}
            wrong = pair.error_correlation
            if wrong is not None:
                yield {**names, "measure": "error_correlation", **list_cells(wrong)}
        for one in self.added.values():
            yield from one.rows()


def build_people_section(panel: Panel | None) -> Section | None:
    """Return how the people agree whose votes are the gold of a run."""
    return panel and build_section(
        "Agreement of the annotators",
        "Gold is made of the votes of several people. " + " ".join(describe_panel(panel)),
        build_panel_accuracy_table(panel),
        _OWN_VOTES,
        anchor="annotators",
    )


def build_panel_accuracy_table(panel: Panel) -> Table:
    """Return the accuracy of each reviewer of a panel."""
    choose = any(one.n for one in panel.decided.values())
    return build_table(
        "Accuracy by reviewer, in %",
        [name for name, accuracy in panel.accuracy.items() if accuracy.n],
        Column("Reviewer", ""),
        Column("Accuracy", lambda name: panel.accuracy[name], "share"),
        Column("Both choose", panel.decided.get, "share"),
        note=" ".join([LEFT_OUT, *([_BOTH_CHOOSE] if choose else [])]),
    )


def build_panel_table(panel: Panel) -> Table:
    """Return agreement, shared errors and tests for every two reviewers of a panel."""

    def compare_with_gold(pair: PanelPair) -> Cell | None:
        test = pair.correlation
        return None if test is None else build_couple(test.r12, test.r13)

    return build_table(
        "Pairs of reviewers: the same verdict in %",
        panel.pairs,
        Column("First", "one"),
        Column("Second", "other"),
        Column("Same", "same", "share"),
        Column("Cohen's kappa", "cohen_kappa"),
        Column("Errors", "error_correlation", about="correlation of their errors"),
        Column(
            "Accuracy, points",
            "accuracy.difference",
            "points",
            about="of the first minus that of the second, with the test of `compare`",
        ),
        Column(
            "p", "accuracy_adjusted", "p", about="adjusted by Holm's method for the number of pairs"
        ),
        Column("With gold", compare_with_gold, about="correlation of each with gold"),
        Column("p, Williams", "correlation_adjusted", "p", about="adjusted in the same way"),
        names=2,
    )


def describe_panel(panel: Panel) -> list[str]:
    """Return how alike all reviewers of a panel judge, and how many independent ones they equal."""
    sentences = [
        f"{name}: {interval(measured)}."
        for name, measured in (
            ("Fleiss' kappa", panel.fleiss_kappa),
            ("Krippendorff's alpha", panel.krippendorff_alpha),
            ("Correlation of errors, mean over pairs", panel.error_correlation),
        )
        if measured is not None
    ]
    if panel.same is not None:
        both = panel.same_choice
        sentences.append(
            f"The same verdict: {percent(panel.same)} % of {panel.same.n:,} pairs of verdicts"
            + ("." if both is None else f", {percent(both)} % of the {both.n:,} where both choose.")
        )
    if panel.effective is not None:
        sentences.append(
            f"Worth {interval(panel.effective, 1)} independent reviewers of {len(panel.reviewers)}, "
            "because of shared errors."
        )
    return sentences


@check_arguments
def agreement(
    source: Source,
    *,
    gold: str = HUMAN,
    reviewers: str | Sequence[str] | None = None,
    weights: Literal["equal", "peer"] = "equal",
    stance: Stance = "private",
    contestant_of: Mapping[str, str] | None = None,
    panel: bool = False,
    between: str | Sequence[str] | None = None,
    seed: int = 0,
) -> AgreementResult:
    """Measure accuracy and Fleiss' kappa of the reviewers' combined verdict against gold.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts.
        gold: `human` for the gold of the data, or the name of a reviewer to measure against.
        reviewers: Only these; one alone, or several as a panel. `*` stands for any letters, and `human` for
            all people, who are held against gold of one another's votes.
        weights: `equal`, or `peer`: weight reviewers by their rank as contestants.
        stance: For a run: `private` verdicts, before a seat heard another one, or `final` ones.
        contestant_of: Contestants by reviewer, for reviewers with another name than theirs, for peer weights
            and self-preference; they replace those that the cards of a run declare.
        panel: Also measure each reviewer and each pair: kappas, Krippendorff's alpha, common errors, the
            equivalent number of independent reviewers, and tests of which is better, adjusted for the
            number of pairs; and panels with several weights against the best of them. Several people are
            always measured one by one.
        between: Only pairs of answers by two of these contestants; peer weights are found among these.
        seed: Seed of the resampling for the intervals.

    Raises:
        DataError: A reviewer gave no verdict, or nothing has both a gold and a readable verdict.
        StoreError: There is no such run.

    Example:
        >>> pj.agreement("study", reviewers="sim_strong").df[["measure", "value", "n"]]
                measure  value  n
        0      accuracy   0.75  8
        1  fleiss_kappa   0.50  8
    """
    require_choice(weights, ("equal", "peer"), name="weights")
    ballots = read_material(source, contestant_of=contestant_of).ballots
    kept = list_names(between)
    if kept is not None:
        ballots = keep_contestants(ballots, kept)
    stances = ballots.of_stance(stance)
    names = list_names(reviewers)
    chosen = name_people(ballots, names or ())
    several = len(chosen) > 1 and set(chosen) <= set(ballots.humans)
    together: GoldAgreement | None = None
    declined = ""
    try:
        together = measure_agreement(
            stances, reviewers=names, gold=gold, weights=weights, seed=seed
        )
    except NoGoldError as cause:
        if not panel and not several:
            raise
        declined = _NOT_TOGETHER if isinstance(cause, OwnVotesError) else _NO_GOLD
    judged = select_judges(stances, reviewers=names, gold=gold) if panel or several else None
    return AgreementResult(
        agreement=together,
        panel=None if judged is None else measure_panel(judged, seed=seed),
        gold=name_gold(ballots, gold),
        simulated=ballots.simulated,
        questions=stances.count_questions(),
        people=gold == HUMAN and not set(ballots.humans).isdisjoint(chosen),
        among_people=several,
        pairs=panel,
        declined=declined,
        added=measure_added_panel(judged, seed=seed) if panel and judged is not None else {},
    )


def _describe_agreement(measured: GoldAgreement, gold: str) -> list[str]:
    """Return how well the combined verdict of reviewers agrees with gold."""
    lines = [
        f"{' & '.join(measured.reviewers)} against {gold}",
        f"accuracy      {percent(measured.accuracy, 1)} %",
    ]
    lines += [
        f"Fleiss kappa  {interval(measured.fleiss_kappa)}",
        (
            f"{counted(measured.n, 'judged item')} (a comparison in one shown order); left out: "
            f"{counted(measured.unreadable, 'review')} without a choice (unreadable or refused), and "
            f"{counted(measured.unjudged, 'item')} that no reviewer with a weight judged"
        ),
    ]
    if measured.weights.scheme is not None:
        lines.append(f"Reviewers have peer weights by {SCHEMES[measured.weights.scheme]}.")
    if len(measured.reviewers) > 1:
        lines.append(
            "Combined: the sign of the mean of -1 (first shown), 0 (tie) and +1 (second), weighted; "
            "these three are the categories of kappa."
        )
    if measured.unsettled:
        lines.append(
            f"in {measured.unsettled:,} of {measured.samples:,} resamples the peer weights did not "
            "settle; their last weights are used"
        )
    return lines


def _list_values(measured: GoldAgreement) -> dict[str, object]:
    """Return the agreement as plain values for JSON.

    `scheme` is that of the peer weights, null for equal weights.
    `fleiss_kappa` is null where it does not exist: both raters always gave the same verdict. `accuracy`
    leaves the `unjudged` items out. `intervals` has the bounds of each value.
    """
    values = {
        "accuracy": measured.accuracy,
        "fleiss_kappa": measured.fleiss_kappa,
    }
    return {
        "reviewers": list(measured.reviewers),
        "scheme": None if measured.weights.scheme is None else measured.weights.scheme.value,
        "gold": measured.gold,
        **{name: value.value for name, value in values.items()},
        "intervals": {name: [value.low, value.high] for name, value in values.items()},
        "level": measured.accuracy.level,
        "conventions": {
            "accuracy": COUNTING[Undecided.LEFT_OUT],
        },
        "n": measured.n,
        "unreadable": measured.unreadable,
        "unjudged": measured.unjudged,
    }
