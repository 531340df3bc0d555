"""Report of the recorded searches, as Markdown: candidates, decisions, and what the proposer wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from peerjudge.data import Measurement
from peerjudge.features.search.nouns import Candidate
from peerjudge.reporting.formats import counted
from studies.prompt_search.reading import Publication, PublishedSearch

TRIED = "the text was tried before"
"""Why most replies of a small proposer are not valid; such rows would repeat the table."""
_TITLES = {"grips": "GRIPS", "opro": "OPRO"}
_FACTS = """\
Written by `python -m studies.prompt_search report` from the records and discussions in this folder.

One small model on an ordinary processor is judge and proposer: {model}.
The judge gives a bare verdict (`pairwise`, pack `instruction_following`) on the {pairs} shortest pairs of
LLMBar Natural, in both orders.
Only the rules of the pack may change (`pack:aspects`). The objective is the margin: the probability of the
gold answer, from log-odds averaged over the orders; .5 is chance.
{splits}
Differences are paired, with questions as the unit, and their 95 % intervals are score intervals.
"""
_LIMITS = """\
## What this cannot tell

- One judge of 1.5 billion parameters, trained on code, and one dataset. Searches with other judges may end
  otherwise.
- Three searches say little about the methods: another seed draws other edits, other texts, other questions.
- With 20 questions an interval of a difference of margins is wide. A real gain that is smaller than its
  half width is missed, by design: the rule protects against adopting luck, not against missing a gain.
- The pairs have served before: 46 of the 80 helped to choose the wording of the pack, so the base has had a
  search of its own.
- Questions and answers of LLMBar (MIT licence, Copyright 2023 Princeton Natural Language Processing) are
  replaced by digests; replies of the proposer may quote them.
- Calls ran one at a time at temperature 0. Another server may round log-probabilities differently.
"""


def write_report(found: Publication) -> str:
    """Return the report of the published searches."""
    first = found.searches[0]
    sizes = [len(getattr(first.splits, name)) for name in ("search", "select", "test")]
    parts = [
        "# Recorded searches for better prompts\n",
        _FACTS.format(
            model=found.manifest["model"],
            pairs=sum(sizes),
            splits="Questions: {} to search, {} to select, {} to test.".format(*sizes),
        ),
        "## In short\n",
        "\n".join(line for one in found.searches for line in _summarize(one)) + "\n",
        *(part for one in found.searches for part in _describe(one)),
        _LIMITS,
    ]
    return "\n".join(parts)


def _title(one: PublishedSearch) -> str:
    return f"{_TITLES[one.method]} (proposer at temperature {one.temperature:g})"


def _summarize(one: PublishedSearch) -> Iterator[str]:
    title = _title(one)
    made = [row for row in one.state.candidates[1:] if row.valid]
    base = _mean(one, one.base.id, one.splits.search)
    finalists = one.adoption.finalists
    verdict = "adopted one" if one.adoption.adopted else "adopted nothing"
    yield (
        f"- {title} tried {counted(len(made), 'candidate')} and {verdict}: {one.adoption.why}. "
        f"The base has a margin of {base:.3f} on the search questions."
    )
    for row in finalists:
        search = one.compare(row.candidate, one.splits.search)
        select = one.compare(row.candidate, one.splits.select)
        yield (
            f"  - Finalist `{row.candidate[:6]}`: {search.value:+.3f} above the base on the questions it was "
            f"found with, {_show(select)} on the {select.n} that it had not seen."
        )
    if one.adoption.adopted:
        test = one.compare(one.adoption.chosen, one.splits.test)
        yield f"  - On the {test.n} test questions the adopted text differs by {_show(test)}."
    if one.replies:
        valid = sum(not reason for reason in _judge_replies(one))
        yield f"  - The proposer wrote {counted(len(one.replies), 'text')}, {valid} of them valid."


def _describe(one: PublishedSearch) -> Iterator[str]:
    yield f"## {_title(one)}\n"
    yield "| candidate | step | how | rules | n | search | above base | consistent | select |"
    yield "|---|--:|---|---|--:|--:|--:|--:|--:|"
    selected = {row.candidate for row in one.adoption.finalists}
    for row in one.state.candidates:
        if row.why == TRIED:
            continue
        scored = one.state.scores.get(row.id)
        asked = sorted(scored.scores) if scored else []
        chosen = row.id in selected or (bool(selected) and row is one.base)
        own = one.score(row.id, asked) if asked else None
        cells = [
            f"`{row.id[:6]}`",
            str(row.step),
            row.origin if row.valid else f"{row.origin}, not valid: {row.why}",
            _show_change(row, one),
            str(len(asked)) if asked else "",
            f"{fmean(own.scores.values()):.3f}" if own else "",
            f"{one.compare(row.id, asked).value:+.3f}" if own and row.step else "",
            f"{own.consistency:.2f}" if own and own.consistency is not None else "",
            f"{_mean(one, row.id, one.splits.select):.3f}" if chosen else "",
        ]
        yield f"| {' | '.join(cells)} |"
    yield (
        "\nCandidates are compared on the first quarter, half and whole of the search questions; the worse "
        "half drops out at each (`n`). `above base` is the difference from the base on the same questions.\n"
    )
    yield f"Decision: {one.adoption.why}.\n"
    if one.adoption.finalists:
        yield from _table_finalists(one)
    if one.replies:
        yield _count_replies(one)


def _table_finalists(one: PublishedSearch) -> Iterator[str]:
    yield "| finalist | difference, search | difference, select | bound | overstatement |"
    yield "|---|--:|--:|--:|--:|"
    for row in one.adoption.finalists:
        search = one.compare(row.candidate, one.splits.search)
        select = one.compare(row.candidate, one.splits.select)
        yield (
            f"| `{row.candidate[:6]}` | {_show(search)} | {_show(select)} | {row.bound:+.3f} | "
            f"{search.value - select.value:+.3f} |"
        )
    yield (
        "\nThe bound is one-sided at 5 %, corrected for the number of finalists; above 0 a finalist is "
        "adopted. Overstatement is the difference on the search questions less that on the others.\n"
    )


def _count_replies(one: PublishedSearch) -> str:
    reasons = Counter(reason for reason in _judge_replies(one) if reason)
    valid = len(one.replies) - sum(reasons.values())
    listed = "".join(f" {number} not valid: {reason}." for reason, number in reasons.most_common())
    return f"The proposer was asked {counted(len(one.replies), 'time')}; {valid} valid.{listed}\n"


def _judge_replies(one: PublishedSearch) -> list[str]:
    """Return for each reply of the proposer why it was not valid, empty where it was."""
    written = [row for row in one.state.candidates if row.origin in ("paraphrase", "opro")]
    return [row.why for row in written]


def _show_change(row: Candidate, one: PublishedSearch) -> str:
    """Return what a candidate says: the change of an edit, the whole text of a proposal."""
    if row.origin == "opro":
        text = " / ".join(row.texts[row.target].split("\n"))
        return text.replace("|", "\\|").replace("<", "&lt;")
    if row.id == one.base.id:
        return "unchanged"
    return row.change.replace("|", "\\|").replace("<", "&lt;")


def _mean(one: PublishedSearch, candidate: str, questions: Sequence[str]) -> float:
    return fmean(one.score(candidate, questions).scores.values())


def _show(measured: Measurement) -> str:
    return f"{measured.value:+.3f} [{measured.low:+.3f}, {measured.high:+.3f}]"
