"""Results of promptfoo (`promptfoo eval --output results.json`): outputs of providers, and scores as reviews.

Read from one JSON file or several, or a folder of them. Each result gives the output of a provider for a
test; outputs for one test are paired, or left alone with `--pairs single`. The question is the prompt. Where
a test has several prompts, they are what is compared: the question is the variables of the test, and the
contestant is the provider with the label of the prompt.

Scores of assertions are reviews by the metric or type of the assertion (`llm-rubric`), and without
assertions the score of the result is one by `promptfoo`. In a pair, the higher score is preferred. Results
with an error or without an output are counted and left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from peerjudge.data import Dataset
from peerjudge.datasets.lines import Bad, Row, read_object
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError
from peerjudge.features.exchange.outputs import Output, build_outputs, list_files


@dataclass(slots=True)
class _Reader:
    """Reads results; `prompted` are the tests with several prompts, `drawn` counts repeated outputs."""

    prompted: set[str] = field(default_factory=set[str])
    drawn: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])

    def list_rows(self, files: Sequence[Path], bad: Bad) -> Iterator[Row]:
        """Yield the results of all files, after their prompts are compared."""
        rows = list[Row]()
        for file in files:
            try:
                rows += _read_file(file)
            except DataError as error:
                bad(error)
        prompts: dict[str, str] = {}
        for row in rows:
            test, prompt = _name_test(row), _read_prompt(row)
            if prompts.setdefault(test, prompt) != prompt:
                self.prompted.add(test)
        yield from rows

    def read(self, row: Row, skipped: Counter[str]) -> Iterator[Output]:
        """Yield the output of a result, unless it has none."""
        response = row.fields.get("response")
        empty: Mapping[str, object] = {}
        held = cast("Mapping[str, object]", response) if isinstance(response, dict) else empty
        said = held.get("output")
        text = said if isinstance(said, str) else "" if said is None else json.dumps(said)
        if not text.strip():
            skipped["results with an error or without an output"] += 1
            return
        test, author = _name_test(row), _name_provider(row)
        # Either all tests are read by their variables or none, so that the contestants are the same.
        if self.prompted:
            author = f"{author} {row.part('prompt').label('label')}".strip()
        self.drawn[test, author] += 1
        yield Output(
            row=row,
            asked=test,
            trial=self.drawn[test, author],
            question=_write_variables(row) if self.prompted else _read_prompt(row),
            author=author,
            text=text,
            ratings=_read_ratings(row),
        )


def _read_file(path: Path) -> list[Row]:
    """Return the results of a file; they are a list, in later versions inside an object of this name."""
    whole = Row(path, 1, read_object(path), "result")
    if isinstance(whole.fields.get("results"), dict):
        whole = whole.part("results")
    return [
        Row(path, number, one.fields, "result")
        for number, one in enumerate(whole.parts("results"), start=1)
    ]


def _name_test(row: Row) -> str:
    """Return the name of a test: its number, or its variables where versions have no number."""
    return f"test-{row.label('testIdx')}" if "testIdx" in row.fields else _write_variables(row)


def _name_provider(row: Row) -> str:
    given = row.fields.get("provider")
    if isinstance(given, dict):
        provider = row.part("provider")
        return provider.label("label") or provider.label("id") or "provider"
    return row.label("provider") or "provider"


def _read_prompt(row: Row) -> str:
    return row.part("prompt").cell("raw")


def _write_variables(row: Row) -> str:
    """Return the variables of a test: the value of the only one, or each after its name."""
    holder = row if isinstance(row.fields.get("vars"), dict) else row.part("testCase")
    given: Mapping[str, object] = holder.part("vars").fields if holder.fields.get("vars") else {}
    values = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in given.items()
    }
    if len(values) == 1:
        return next(iter(values.values()))
    return "\n\n".join(f"{name}:\n{value}" for name, value in values.items()) or _read_prompt(row)


def _read_ratings(row: Row) -> dict[str, float | None]:
    grading = row.part("gradingResult") if row.fields.get("gradingResult") else None
    if grading is None or not grading.fields.get("componentResults"):
        return {"promptfoo": row.number("score")} if row.fields.get("score") is not None else {}
    ratings: dict[str, float | None] = {}
    for one in grading.parts("componentResults"):
        assertion = one.part("assertion") if one.fields.get("assertion") else one
        name = assertion.label("metric") or assertion.label("type") or "promptfoo"
        alike = sum(known == name or known.startswith(f"{name} ") for known in ratings)
        ratings[f"{name} {alike + 1}" if alike else name] = one.number("score")
    return ratings


def _read(request: Request) -> Dataset:
    reader = _Reader()
    rows = partial(reader.list_rows, list_files(request))
    return build_outputs(request, rows, reader.read, description="promptfoo results")


SOURCE = Source(
    description="results of promptfoo (JSON): outputs of providers, and scores as reviews",
    read=_read,
    options=frozenset(("humans", "skip_bad", "files", "pairs")),
    keys=(frozenset(("evalId", "results")), frozenset(("results", "config"))),
)
