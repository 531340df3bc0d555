"""Outputs of models without judgements: question, model and answer in each row.

Read from one file or several, or from a folder of such files, in any of these layouts:

* A table (CSV, JSON Lines or one JSON list) with `question`, `answer`, `model`, and optionally `id` of the
  question, `category`, `subset` and `reference`. Without `model`, the name of the file is the model.
* Outputs of AlpacaEval: `instruction`, `output`, `generator`, `dataset`.
* Answers of FastChat: `question_id`, `model_id`, `choices[0].turns`; the questions come from
  `question.jsonl` in the folder of the file or above it. Further turns of the user are part of the answer.
* Samples of lm-evaluation-harness (`samples_TASK_DATE.jsonl`, tasks that generate text): `doc_id`, `doc`,
  `arguments`, `resps`, `target`. The model is the name of the folder. The question is the prompt of the
  first file, which may hold examples; `--map question=FIELD` takes a field of `doc` instead.

`--pairs` says which answers are compared: `all` pairs of models, those with `baseline=NAME`, or `single`
answers, for ratings. A `reference` is kept in `meta`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from peerjudge.data import Dataset, Scalar
from peerjudge.datasets.chats import find_questions, join_messages, join_turns, read_questions
from peerjudge.datasets.formats import read_unmapped, rename
from peerjudge.datasets.lines import Bad, Row
from peerjudge.datasets.source import FILE_OPTIONS, Request, Source
from peerjudge.features.exchange.outputs import Output, build_outputs, list_files

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[^/]*)?\.jsonl(\.gz)?")


@dataclass(slots=True)
class _Reader:
    """Reads rows of any layout; keeps FastChat's questions by folder, and prompts of samples."""

    names: Mapping[str, str]
    asked: dict[Path, Mapping[str, Row]] = field(default_factory=dict[Path, Mapping[str, Row]])
    prompts: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def read(self, row: Row, skipped: Counter[str]) -> Iterator[Output]:
        if {"doc_id", "resps"} <= row.fields.keys():
            yield self._read_sample(row, skipped)
            return
        mapped = rename(self.names, row)
        if {"question_id", "choices"} <= mapped.fields.keys():
            yield self._read_turns(mapped)
        elif {"instruction", "output"} <= mapped.fields.keys():
            yield Output(
                row=row,
                question=mapped.text("instruction"),
                author=mapped.label("generator") or _name_file(row),
                text=mapped.text("output"),
                subset=mapped.label("dataset"),
            )
        else:
            yield _read_output(mapped)

    def _read_turns(self, row: Row) -> Output:
        number = row.label("question_id")
        if row.path not in self.asked:
            self.asked[row.path] = read_questions(find_questions(row.path))
        if number not in self.asked[row.path]:
            msg = (
                f"question {number!r} is not in a question.jsonl in the folder of this file or above it; "
                "put FastChat's questions there"
            )
            raise row.error(msg)
        question = self.asked[row.path][number]
        asked = question.texts("turns")
        replies = row.parts("choices")[0].texts("turns")
        reference = question.fields.get("reference")
        return Output(
            row=row,
            asked=number,
            question=asked[0],
            author=row.label("model_id") or _name_file(row),
            text=join_turns(list(asked[1:]), list(replies)),
            category=question.label("category"),
            meta=_keep_reference(question.first_text("reference") if reference else ""),
        )

    def _read_sample(self, row: Row, skipped: Counter[str]) -> Output:
        named = _SAMPLES.fullmatch(row.path.name)
        task = named["task"] if named else ""
        number = row.label("doc_id")
        chosen = self.names.get("question", "")
        question = row.part("doc").text(chosen) if chosen else _read_prompt(row, skipped)
        # Chat templates differ by model; the document is the same.
        key = (task, row.label("doc_hash") or number)
        return Output(
            row=row,
            asked=f"{task}-{number}" if task else number,
            question=self.prompts.setdefault(key, question),
            author=row.path.resolve().parent.name,
            text=_read_reply(row),
            category=task,
            meta=_keep_reference(row.cell("target")),
        )


def _read_output(row: Row) -> Output:
    return Output(
        row=row,
        asked=row.label("id"),
        question=row.text("question"),
        author=row.label("model") or _name_file(row),
        text=row.text("answer"),
        category=row.label("category"),
        subset=row.label("subset"),
        meta=_keep_reference(row.cell("reference")),
    )


def _name_file(row: Row) -> str:
    return row.path.name.partition(".")[0]


def _keep_reference(reference: str) -> dict[str, Scalar]:
    return {"reference": reference} if reference else {}


def _read_prompt(row: Row, skipped: Counter[str]) -> str:
    """Return the prompt of a sample; earlier releases write a list of requests, not an object."""
    arguments = row.fields.get("arguments")
    if isinstance(arguments, list) and arguments:
        request = cast("list[object]", arguments)[0]
        prompt = cast("list[object]", request)[0] if isinstance(request, list) and request else None
    else:
        prompt = row.part("arguments").part("gen_args_0").fields.get("arg_0")
    if isinstance(prompt, list) and len(cast("list[object]", prompt)) == 1:
        prompt = cast("list[object]", prompt)[0]  # a chat, as JSON
    if not isinstance(prompt, str):
        msg = f"the prompt of a sample is a text, not {prompt!r:.60}"
        raise row.error(msg)
    return _read_messages(row, prompt, skipped) if prompt.startswith('[{"role"') else prompt


def _read_messages(row: Row, prompt: str, skipped: Counter[str]) -> str:
    try:
        messages = cast("object", json.loads(prompt))
    except ValueError:
        return prompt
    return join_messages(row.enter({"messages": messages}, "arguments"), "messages", skipped)


def _read_reply(row: Row) -> str:
    """Return the first generated text of a sample."""
    said = row.fields.get("resps")
    while isinstance(said, list) and said:
        said = cast("list[object]", said)[0]
    texts = row.fields.get("resps")
    requests = len(cast("list[object]", texts)) if isinstance(texts, list) else 0
    if requests != 1 or not isinstance(said, str) or _is_likelihood(row):
        msg = "'resps' holds no generated text; tasks that score given continuations have no answers to judge"
        raise row.error(msg)
    return said


def _is_likelihood(row: Row) -> bool:
    """Return whether the first reply is a pair of a log-likelihood and a flag."""
    repeats = cast("list[object]", row.fields["resps"])[0]
    return isinstance(repeats, list) and isinstance(cast("list[object]", repeats)[0], list)


def _read(request: Request) -> Dataset:
    files = list_files(request, beginning="samples_")

    def list_rows(bad: Bad) -> Iterator[Row]:
        for file in files:
            yield from read_unmapped(file, request.options, bad=bad)

    reader = _Reader(names=request.options.names)
    return build_outputs(request, list_rows, reader.read, description="outputs")


SOURCE = Source(
    description="outputs of models: question, model, answer; AlpacaEval, FastChat, lm-evaluation-harness",
    read=_read,
    options=FILE_OPTIONS | {"pairs"},
    keys=(
        frozenset(("question", "model", "answer")),
        frozenset(("instruction", "output", "generator")),
        frozenset(("question_id", "model_id", "choices")),
        frozenset(("doc_id", "arguments", "resps")),
    ),
)
