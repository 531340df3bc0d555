"""PRePair: accuracy of judging methods by evaluator, on LLMBar and MT-Bench."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.golds import LABELER
from peerjudge.analysis.judges import Judge
from peerjudge.analysis.published import TOTAL, Played, describe_conditions, find_line
from peerjudge.analysis.scoring import Score, score_ballots
from peerjudge.data import Conventions, Measurement, Undecided
from peerjudge.datasets import load as load_dataset
from peerjudge.features.papers.declared import Estimate
from peerjudge.features.papers.reading import read_published_tables
from peerjudge.features.papers.reproducing import CellKey, Estimates, Evidence

MT_BENCH = "mtbench1131"

RECORDED: Mapping[str, tuple[str, Played]] = {
    f"{model}/{strategy}": (evaluator, Played(method=method))
    for model, evaluator in (("GPT-4", "gpt-4"), ("LLaMA2", "llama-2-70b-chat"))
    for strategy, method in (("Vanilla", "pairwise"), ("CoT", "pairwise_cot"))
}
"""Evaluators that LLMBar's authors recorded, and what they are in the paper.

The paper takes its prompts of both methods from LLMBar, and has evaluators of the same names. The other
recorded strategies are none of its methods, and its GPT-3.5 is a later version than the recorded ones.
"""


def measure_accuracies(evidence: Evidence) -> Estimates:
    """Estimate a table or figure: the accuracy of every method and evaluator that it has."""
    cells = list(_list_cells(evidence))
    times = Counter(key for key, _, _ in cells)
    left_out = [one for key in times if times[key] > 1 for own, one, _ in cells if own == key]
    names = (" by ".join(filter(None, (one.condition, one.reviewer))) for one in left_out)
    twice = dict.fromkeys(names)
    recorded = any(judge.stance == "recorded" for _, judge, _ in cells)
    values = {key: measured for key, _, measured in cells if times[key] == 1}
    return Estimates(
        values=evidence.only_printed(values),
        reviewers={key: [judge.reviewer] for key, judge, _ in cells},
        note="Every verdict counts, in each order in which it was given, and an unreadable one is wrong. The "
        "paper has one verdict on each pair."
        + " The verdicts on record are LLMBar's, not those of the paper."
        * recorded,
        missing=f"values of several conditions are left out ({', '.join(twice)}), others need "
        f"{evidence.item.needs}"
        if twice
        else "",
    )


def _list_cells(evidence: Evidence) -> Iterator[tuple[CellKey, Judge, Measurement]]:
    """Yield every accuracy of the source that has a place in the table or figure."""
    tables = read_published_tables("prepair")
    wanted = {evidence.item.name, *evidence.item.of}
    named = {one: model for model, names in evidence.reviewers.items() for one in names}
    played = describe_conditions(evidence.ballots)
    for by in dict.fromkeys(table.by for table in tables if table.name in wanted):
        fitting = [table for table in tables if table.by == by]
        for one in _score(evidence, by):
            line = find_line(fitting, *_identify(one.judge, named, played))
            if line is None or line.table not in wanted:
                continue
            method = fitting[0].methods[line.protocol]
            cells = {"": one.total, **one.groups}
            for group in line.values.keys() & cells.keys():
                key = (line.setting, method, group or TOTAL)
                yield key, one.judge, cells[group].counting(Undecided.AS_TIE)


def _identify(
    judge: Judge, named: Mapping[str, str], played: Mapping[str, Played]
) -> tuple[Played, str]:
    """Return how a judge judged, and its name in the paper; empty for none."""
    if judge.stance == "recorded":
        evaluator, how = RECORDED.get(judge.reviewer, ("", Played(method="")))
        return how, evaluator
    how = played.get(judge.condition) or Played(method=judge.protocol)
    return how, named.get(judge.reviewer, "") * (judge.stance == "concluded")


def _score(evidence: Evidence, by: str) -> Iterable[Score]:
    """Return the scores of a source by these groups; none for other data than the paper's."""
    ballots = evidence.ballots
    if by == LABELER:
        # A run has no votes of people: those of its dataset are gold.
        of_paper = evidence.data.partition(":")[0] == MT_BENCH
    else:
        groups = {
            name
            for comparison in ballots.comparisons
            for name in (comparison.subset, comparison.question.category)
        }
        of_paper = not groups.isdisjoint(cell.key[2] for cell in evidence.item.cells)
    return _score_ballots(ballots, by, evidence.data, evidence.seed) if of_paper else ()


_COUNTED = Conventions(source="PRePair", undecided=Undecided.AS_TIE)


# The tables of the paper are of the same scores, and each is estimated by itself.
@lru_cache(maxsize=2)
def _score_ballots(ballots: Ballots, by: str, data: str, seed: int) -> tuple[Score, ...]:
    gold = load_dataset(data) if by == LABELER else None
    return tuple(score_ballots(ballots, by=by, gold=gold, seed=seed, conventions=_COUNTED).scores)


ITEMS: Mapping[str, Estimate] = dict.fromkeys(
    ("Figure 1", *(f"Table {number}" for number in range(2, 9)), "Section 3.2"),
    measure_accuracies,
)
