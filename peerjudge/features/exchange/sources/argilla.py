"""Exports of Argilla: records with the answers of annotators to a question about two texts.

Read from `records.to_json()`: `fields`, `responses` (by the name of the question a list of `value` and
`user_id`) and `suggestions` (by question `value` and `agent`), which are reviews by models. The first
question whose values are votes, as in `votes`, is read; `import --map vote=QUESTION` names it. Responses with
another `status` than `submitted` are counted and left out.

The texts are the fields `question` (or `prompt`, `instruction`), `answer_a`, `answer_b`; `import --map
answer_a=response_1` names other fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import cast

from peerjudge.data import Dataset
from peerjudge.datasets.codes import Codebook
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import JUDGED_OPTIONS, Request, Source
from peerjudge.features.exchange.judgements import Judgement, build_judged, read_pair
from peerjudge.features.exchange.sources.votes import read_vote

_VOTE = "vote"
_COUNTED = ("", "submitted")
"""Statuses of responses that count; drafts and discarded ones do not."""


def _read(request: Request) -> Dataset:
    names = dict(request.options.names)
    question = names.pop(_VOTE, "")
    return build_judged(
        request.unmapped, partial(_read_record, names, question), description="records"
    )


def _read_record(
    names: Mapping[str, str], question: str, row: Row, codebook: Codebook
) -> Iterator[Judgement]:
    given = read_pair(row, "fields", names)
    authors = [answer.author for answer in given.answers]
    yield given
    responses, suggestions = _find(row, "responses"), _find(row, "suggestions")
    asked = question or next(iter({**responses, **suggestions}), "")
    codebook.offered += sum(len(_as_list(each)) for each in responses.values())
    for response in _list(row, "responses", asked, responses):
        status = response.label("status").lower()
        if status not in _COUNTED:
            codebook.left_out[f"{status} responses"] += 1
            continue
        choice = read_vote(response, "value", authors, codebook)
        name = f"annotator_{response.label('user_id')}"
        yield given.change(judge=name, choice=choice, person=True, row=response)
    for suggestion in _list(row, "suggestions", asked, suggestions):
        choice = read_vote(suggestion, "value", authors, codebook)
        yield given.change(judge=suggestion.label("agent") or "suggestion", choice=choice)


def _find(row: Row, key: str) -> dict[str, object]:
    """Return the answers by question; earlier releases list all answers of one person together."""
    value = row.fields.get(key)
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    found: dict[str, object] = {}
    for person in row.parts(key) if isinstance(value, list) and value else ():
        for question in person.part("values").fields if person.fields.get("values") else ():
            answer = person.part("values").part(question).fields
            rest = {name: person.fields.get(name) for name in ("user_id", "status")}
            cast("list[object]", found.setdefault(question, [])).append({**answer, **rest})
    return found


def _as_list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _list(row: Row, key: str, asked: str, given: Mapping[str, object]) -> Iterator[Row]:
    value = given.get(asked)
    for place, entry in enumerate(_as_list(value)):
        if isinstance(entry, dict):
            yield row.enter(cast("dict[str, object]", entry), f"{key}.{asked}[{place}]")


SOURCE = Source(
    description="exports of Argilla: fields, responses, suggestions",
    read=_read,
    options=JUDGED_OPTIONS,
    votes=True,
    keys=(frozenset(("fields", "responses")), frozenset(("fields", "suggestions"))),
)
