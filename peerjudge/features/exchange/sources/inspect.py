"""Logs of Inspect AI: what models answered to the samples of a task, and how scorers scored it.

Read from `.json` logs, and from `.eval` logs with the extra `inspect` (`pip install 'peerjudge[inspect]'`),
one or several or a folder of them. Each sample gives an answer of the log's model: `id` names the
question, `input` is its text (of messages, all with their speakers), `output.completion` the answer.
Samples of several logs with one task, `id` and `epoch` are paired; `import --pairs single` leaves them alone.

Scores are reviews by the scorer's name: `C` is 1, `P` 0.5, `I` 0, and numbers, `true` and `false` count as
they are. Of a score with several values, each is a review by `SCORER/KEY`. `N` (no answer), NaN (unscored)
and other texts are unreadable. In a pair, a scorer prefers the answer with the higher score. Samples that
ended in an error, and outputs without text, are counted apart and left out; logs that did not succeed are
named. The first target is kept as `reference`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, cast

from peerjudge.data import Dataset, Scalar, replace as changed
from peerjudge.datasets.chats import join_messages
from peerjudge.datasets.lines import Bad, Row, parse_json, read_lines
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError
from peerjudge.features.exchange.outputs import Output, build_outputs

_ENDING = ".eval"
_MARKS = {"C": 1.0, "P": 0.5, "I": 0.0}


def _read(request: Request) -> Dataset:
    notes: list[str] = []

    def list_rows(bad: Bad) -> Iterator[Row]:
        for file in _list_logs(request):
            try:
                yield from _read_samples(file, notes)
            except DataError as error:
                bad(error)

    try:
        data = build_outputs(request, list_rows, _read_sample, description="samples")
    except DataError as cause:
        raise DataError("; ".join((str(cause), *notes))) from cause
    return changed(data, notes=(*data.notes, *notes))


def _list_logs(request: Request) -> Iterator[Path]:
    """Yield the logs, those of a folder in the order of their paths, which is that of time."""
    for path in (request.path, *request.options.files):
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        logs = [file for file in inside if file.suffix in (".json", _ENDING)]
        if path.is_dir() and not logs:
            msg = f"{path} has no logs (.json, {_ENDING}); name the files"
            raise DataError(msg)
        yield from logs or [path]


def _read_samples(path: Path, notes: list[str]) -> Iterator[Row]:
    """Yield the samples of a log, each with the model and the task as `log_model` and `log_task`.

    A log that did not succeed is added to `notes`.
    """
    log = _read_eval(path) if path.suffix == _ENDING else _read_json(path)
    whole = Row(path, 1, log, "log")
    spec = whole.part("eval")
    facts = {"log_model": spec.text("model"), "log_task": spec.label("task")}
    status = whole.label("status") or "unknown"
    if not log.get("samples"):
        msg = f"the log has no samples (status: {status}); run the task again"
        raise whole.error(msg)
    samples = whole.parts("samples")
    if status != "success":
        notes.append(
            f"{path.name}: status {status}, {len(samples)} samples; the log may be incomplete"
        )
    for number, sample in enumerate(samples, start=1):
        yield replace(sample, line=number, unit="sample", at="", fields={**sample.fields, **facts})


def _read_json(path: Path) -> Mapping[str, object]:
    text = "".join(line for _, line in read_lines(path))
    log = parse_json(text, where=str(path), wanted="complete JSON", advice="; write the log again")
    if not isinstance(log, dict) or "eval" not in log:
        msg = f"{path} is no log of Inspect: it has no 'eval'"
        raise DataError(msg)
    return cast("dict[str, object]", log)


def _read_eval(path: Path) -> Mapping[str, object]:
    """Return a log in Inspect's own archive, whose compression and chunks only Inspect reads."""
    if not path.is_file():
        msg = f"there is no file {path}; check the path"
        raise DataError(msg)
    try:
        inspect_log = cast("Any", import_module("inspect_ai.log"))
    except ImportError as cause:
        msg = (
            f"{path} is read by inspect-ai, which is not installed; run `pip install 'peerjudge[inspect]'`, "
            "or convert the log with `inspect log convert --to json`"
        )
        raise DataError(msg) from cause
    try:
        log = inspect_log.read_eval_log(str(path), resolve_attachments="core")
    except Exception as cause:
        msg = f"{path} cannot be read by inspect-ai: {type(cause).__name__}: {cause}"
        raise DataError(msg) from cause
    return cast("dict[str, object]", log.model_dump(mode="python", exclude={"plan", "stats"}))


def _read_sample(row: Row, skipped: Counter[str]) -> Iterator[Output]:
    """Yield the answer of a sample, unless it ended in an error or has no text."""
    if row.fields.get("error") is not None or not row.fields.get("output"):
        skipped["samples with an error or without an output"] += 1
        return
    text = _read_completion(row, skipped)
    if not text.strip():
        skipped["samples with an empty answer"] += 1
        return
    target = row.fields.get("target")
    targets = cast("list[object]", target) if isinstance(target, list) else [target]
    first = targets[0] if targets else None
    task, number = row.label("log_task"), row.label("id")
    meta: dict[str, Scalar] = {"reference": first} if isinstance(first, str) and first else {}
    yield Output(
        row=row,
        asked=f"{task}-{number}" if task else number,
        trial=row.integer("epoch") if "epoch" in row.fields else 1,
        question=_read_input(row, skipped),
        author=row.label("log_model"),
        text=text,
        category=task,
        meta=meta,
        ratings=_read_ratings(row),
    )


def _read_completion(row: Row, skipped: Counter[str]) -> str:
    """Return the text of the first choice; logs of early versions have no `completion`."""
    output = row.part("output")
    if output.cell("completion") or not output.fields.get("choices"):
        return _resolve(row, output.cell("completion"))
    message = output.parts("choices")[0].fields.get("message")
    return _join(row, [message], skipped)


def _read_input(row: Row, skipped: Counter[str]) -> str:
    asked = row.fields.get("input")
    if isinstance(asked, list):
        return _join(row, cast("list[object]", asked), skipped)
    return _resolve(row, row.text("input"))


def _join(row: Row, messages: list[object], skipped: Counter[str]) -> str:
    """Return messages as one text."""
    whole: list[object] = []
    for one in messages:
        if not isinstance(one, dict):
            whole.append(one)
            continue
        message = dict(cast("Mapping[str, object]", one))
        content = message.get("content")
        if isinstance(content, str):
            message["content"] = _resolve(row, content)
        whole.append(message)
    return join_messages(row.enter({"messages": whole}), "messages", skipped)


def _resolve(row: Row, text: str) -> str:
    """Return a text; long ones are kept in `attachments` and named by their key."""
    attachments = row.fields.get("attachments")
    key = text.removeprefix("attachment://")
    if key == text or not isinstance(attachments, dict):
        return text
    found = cast("Mapping[str, object]", attachments).get(key)
    return found if isinstance(found, str) else text


def _read_ratings(row: Row) -> dict[str, float | None]:
    scores = row.fields.get("scores")
    ratings: dict[str, float | None] = {}
    if not isinstance(scores, dict):
        return ratings
    for name, score in cast("Mapping[str, object]", scores).items():
        value = (
            cast("Mapping[str, object]", score).get("value") if isinstance(score, dict) else None
        )
        if isinstance(value, dict):
            parts = cast("Mapping[str, object]", value).items()
            ratings |= {f"{name}/{key}": _read_value(one) for key, one in parts}
        else:
            ratings[name] = _read_value(value)
    return ratings


def _read_value(value: object) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value) if isfinite(value) else None
    if not isinstance(value, str):
        return None
    try:
        number = _MARKS[value] if value in _MARKS else float(value)
    except ValueError:
        return None
    return number if isfinite(number) else None


SOURCE = Source(
    description="logs of Inspect AI (.json, .eval): samples of models, and scores as reviews",
    read=_read,
    options=frozenset(("humans", "skip_bad", "files", "pairs")),
    keys=(frozenset(("status", "eval")),),
)
