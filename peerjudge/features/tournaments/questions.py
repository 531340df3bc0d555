"""Questions without answers: a table, a text with one question per line, or those of a dataset.

A table (`.csv`, `.jsonl`, also `.gz`) has the columns `question` (or `text`) and optionally `id` and
`category`; other columns are not read. In a text (`.txt`), blank lines are skipped.

The dataset `questions:PATH` has the questions that the reviewers of an experiment answer before they judge. A
run puts the answers of its contestants in the place of the empty answer that stands here for each question.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from peerjudge.data import Answer, Comparison, Dataset, Question, content_hash
from peerjudge.datasets.catalogue import load
from peerjudge.datasets.formats import read_cells
from peerjudge.datasets.lines import Row, read_lines, read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError

_TABLES = {".csv": "csv", ".jsonl": "jsonl", ".jsonl.gz": "jsonl", ".txt": "txt"}


def read_questions(spec: str, *, limit: int | None = None) -> tuple[Question, ...]:
    """Return the questions of a file or dataset, in its order.

    A question without an id gets one from its text.

    Args:
        spec: Path of a file, or a dataset `NAME` or `NAME:PATH`, whose questions are taken once each.
        limit: Keep only this many, the first ones.

    Raises:
        DataError: The file or dataset cannot be read, has no questions, or has two with one id or text.
    """
    if limit is not None and limit < 1:
        msg = f"a limit of {limit} questions leaves nothing; give 1 or more"
        raise DataError(msg)
    kind = next((name for ending, name in _TABLES.items() if spec.endswith(ending)), "")
    known = ":" in spec and not Path(spec).expanduser().is_file()
    found = _list_asked(spec) if known or not kind else _read_file(Path(spec).expanduser(), kind)
    if not found:
        msg = f"{spec} has no questions; give one per line"
        raise DataError(msg)
    return found[:limit]


def _list_asked(spec: str) -> tuple[Question, ...]:
    """Return the questions that the comparisons of a dataset ask, each once."""
    asked = {
        comparison.question.id: comparison.question
        for comparison in load(spec, reviews=False).comparisons
    }
    return tuple(asked.values())


def _read_file(path: Path, kind: str) -> tuple[Question, ...]:
    ids: dict[str, int] = {}
    texts: dict[str, int] = {}
    questions: list[Question] = []
    for row in _read_rows(path, kind):
        question = _read_question(row)
        for what, value, seen in (("question", question.text, texts), ("id", question.id, ids)):
            if value in seen:
                msg = f"{what} {value!r:.80} is also on line {seen[value]}; give each question once"
                raise row.error(msg)
            seen[value] = row.line
        questions.append(question)
    return tuple(questions)


def _read_rows(path: Path, kind: str) -> Iterator[Row]:
    if kind == "jsonl":
        yield from read_rows(path)
    elif kind == "csv":
        yield from read_cells(path)
    else:
        for number, line in read_lines(path):
            if line.strip():
                yield Row(path, number, {"question": line.strip()})


def _read_question(row: Row) -> Question:
    text = row.text("question" if "question" in row.fields or "text" not in row.fields else "text")
    if not text.strip():
        msg = "the question is empty; write the question that is to be answered"
        raise row.error(msg)
    name = row.label("id").strip() or f"q-{content_hash(text)[:12]}"
    return Question(id=name, text=text, category=row.label("category").strip())


def _read(request: Request) -> Dataset:
    asked = read_questions(str(request.path))
    return Dataset(
        name="questions",
        description=f"questions of {request.path.name}",
        comparisons=tuple(
            Comparison(id=one.id, question=one, answers=(Answer(id="answer", text=""),))
            for one in asked
        ),
        missing_texts="`peerjudge answers` lets contestants write the answers",
    )


SOURCE = Source(
    description="questions of yours, which the reviewers of a run answer first (run --questions PATH)",
    read=_read,
)
