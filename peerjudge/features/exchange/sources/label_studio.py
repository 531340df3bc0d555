"""Exports of Label Studio: tasks in which annotators compared two texts.

Read from the JSON export: `data` of a task, and `annotations` with `completed_by`, `was_cancelled` and
`result`. The vote is the first result of type `pairwise` (`value.selected`: `left`, `right`) or
`choices` (`value.choices`: a vote as in `votes`). Cancelled annotations and those without such a result
are counted and left out.

The texts are the fields `question`, `answer_a`, `answer_b` (and `author_a`, `author_b`) of `data`;
`import --map answer_a=text1` names other fields. Without `question` the field `prompt` or `instruction`
is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import cast

from peerjudge.data import Dataset
from peerjudge.datasets.codes import Choice, Codebook
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import JUDGED_OPTIONS, Request, Source
from peerjudge.features.exchange.judgements import Judgement, build_judged, read_pair
from peerjudge.features.exchange.sources.votes import read_vote


def _read(request: Request) -> Dataset:
    read = partial(_read_task, request.options.names)
    return build_judged(request.unmapped, read, description="annotations")


def _read_task(names: Mapping[str, str], row: Row, codebook: Codebook) -> Iterator[Judgement]:
    given = read_pair(row, "data", names)
    authors = [answer.author for answer in given.answers]
    yield given
    for annotation in row.parts("annotations") if row.fields.get("annotations") else ():
        codebook.offered += 1
        if annotation.flag("was_cancelled"):
            codebook.left_out["cancelled annotations"] += 1
            continue
        choice = _read_choice(annotation, authors, codebook)
        if choice is None:
            codebook.left_out["annotations without a vote"] += 1
            continue
        name = _name_person(annotation)
        yield given.change(judge=name, choice=choice, person=True, row=annotation)


def _read_choice(annotation: Row, authors: Sequence[str], codebook: Codebook) -> Choice:
    results = annotation.fields.get("result")
    if not isinstance(results, list) or not results:
        return None
    for result in annotation.parts("result"):
        kind, value = result.label("type"), result.part("value")
        if kind == "pairwise":
            return read_vote(value, "selected", authors, codebook)
        if kind == "choices":
            said = value.first_text("choices")
            return read_vote(value.enter({"choices": said}), "choices", authors, codebook)
    return None


def _name_person(annotation: Row) -> str:
    """Return the annotator's id; an export can hold the whole user instead."""
    who = annotation.fields.get("completed_by")
    if isinstance(who, dict):
        user = cast("Mapping[str, object]", who)
        who = user.get("id") or user.get("email")
    return f"annotator_{who}" if who is not None else "annotator"


SOURCE = Source(
    description="JSON exports of Label Studio: pairwise or choices of annotators",
    read=_read,
    options=JUDGED_OPTIONS,
    votes=True,
    keys=(frozenset(("data", "annotations")),),
)
