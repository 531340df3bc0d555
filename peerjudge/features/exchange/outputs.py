"""Comparisons from single outputs of models: pairs of each two, pairs with a baseline, or lone answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from peerjudge.data import Dataset, Scalar
from peerjudge.datasets.codes import Choice
from peerjudge.datasets.lines import Bad, Row
from peerjudge.datasets.names import clean_name
from peerjudge.datasets.rows import take_rows
from peerjudge.datasets.source import Request
from peerjudge.errors import DataError
from peerjudge.features.exchange.judgements import Judgement, Written, build_compared

_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".json.gz", ".jsonl.gz", ".csv.gz")
_BASELINE = "baseline="
_UNPAIRED = "questions that too few models answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One model's answer to a question.

    `asked` names the question; without it the text does. `trial` tells several answers of a model to it
    apart: answers of one trial are compared. `ratings` are those that reviewers gave this answer, by
    reviewer, `None` where a rating cannot be read.
    """

    row: Row
    question: str
    author: str
    text: str
    asked: str = ""
    trial: int = 1
    category: str = ""
    subset: str = ""
    meta: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    ratings: Mapping[str, float | None] = field(default_factory=dict[str, float | None])

    def __post_init__(self) -> None:
        for name in ("author", "asked", "category", "subset"):
            object.__setattr__(self, name, clean_name(getattr(self, name)))


_Answers: TypeAlias = dict[str, Output]
"""The outputs of one trial of a question, by author."""


def list_files(request: Request, *, beginning: str = "") -> list[Path]:
    """Return the request's files; of a folder, those with rows in it, in the order of their paths.

    Args:
        request: its path and further files.
        beginning: of the file names that are preferred where a folder has such files.

    Raises:
        DataError: a folder has no file with rows.
    """
    found: list[Path] = []
    for path in (request.path, *request.options.files):
        inside = sorted(_walk(path)) if path.is_dir() else [path]
        preferred = [file for file in inside if beginning and file.name.startswith(beginning)]
        if not inside:
            msg = f"{path} has no file with rows ({', '.join(_ENDINGS)}); name the files"
            raise DataError(msg)
        found += preferred or inside
    return found


def _walk(folder: Path) -> Iterator[Path]:
    left_out = ("question.jsonl", "results_")
    for file in folder.rglob("*"):
        if file.name.endswith(_ENDINGS) and not file.name.startswith(left_out):
            yield file


def build_outputs(
    request: Request,
    rows: Callable[[Bad], Iterable[Row]],
    read: Callable[[Row, Counter[str]], Iterable[Output]],
    *,
    description: str,
) -> Dataset:
    """Return the comparisons of these outputs that the request's option `pairs` asks for.

    A reviewer that rated both answers of a pair prefers the one with the higher rating; equal ratings are a
    tie. It saw each answer alone, so its reviews have no order.

    Args:
        request: the files and options.
        rows: returns the rows of all files, and gives errors to the function that it is called with.
        read: returns the outputs of a row, or raises `DataError`; counts what it leaves out, by reason.
        description: of the dataset, before the name of the file.

    Raises:
        DataError: with file and line, for rows that cannot be read, and two answers of one model to one
            question; for an unknown way to pair, and where no two models answered one question.
    """
    baseline = _read_baseline(request.options.pairs)
    groups: dict[tuple[str, int], _Answers] = defaultdict(dict)

    skipped = Counter[str]()

    def add_row(row: Row) -> None:
        for one in read(row, skipped):
            _add(groups[one.asked or one.question, one.trial], one)

    left_out = {**take_rows(rows, add_row, request.options), **skipped}
    authors = sorted({author for answers in groups.values() for author in answers})
    if not authors:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        msg = f"{request.path} has no output with a text{reasons and f' ({reasons})'}"
        raise DataError(msg)
    if baseline and baseline not in authors:
        msg = (
            f"there is no model {baseline!r} to be the baseline; choose one of {', '.join(authors)}"
        )
        raise DataError(msg)
    if request.options.pairs != "single" and len(authors) < 2:
        msg = (
            f"all outputs are of {authors[0]}; name the files of other models too, or "
            "take --pairs single to rate the answers"
        )
        raise DataError(msg)
    judgements = list(_compare(groups.values(), request.options.pairs, baseline))
    if not judgements:
        msg = f"no question has answers of two of {', '.join(authors)}, so there is nothing to compare"
        raise DataError(msg)
    paired = {(judgement.asked or judgement.question) for judgement in judgements}
    if alone := len({asked for asked, _ in groups} - paired):
        left_out[_UNPAIRED] = alone
    return build_compared(request, judgements, description=description, left_out=left_out)


def _read_baseline(pairs: str) -> str:
    if pairs in ("", "all", "single"):
        return ""
    baseline = pairs.removeprefix(_BASELINE)
    if baseline == pairs or not baseline:
        msg = f"pairs are all, single or baseline=NAME, not {pairs!r}"
        raise DataError(msg)
    return baseline


def _add(answers: _Answers, one: Output) -> None:
    known = answers.setdefault(one.author, one)
    if known is not one and known.text != one.text:
        msg = (
            f"{one.author!r} has another answer to this question on {known.row.describe(one.row)}; keep "
            "one, or give the two models different names"
        )
        raise one.row.error(msg)
    first = next(iter(answers.values()))
    if first.question != one.question:
        msg = (
            f"question {one.asked!r} has another text than on {first.row.describe(one.row)}; give each "
            "question an id of its own"
        )
        raise one.row.error(msg)


def _compare(groups: Iterable[_Answers], pairs: str, baseline: str) -> Iterator[Judgement]:
    for answers in groups:
        if pairs == "single":
            for answer in answers.values():
                yield from _rate(answer)
            continue
        for author, other in combinations(sorted(answers), 2):
            if not baseline or baseline in (author, other):
                yield from _prefer(answers[author], answers[other])


def _judge(one: Output, *others: Output) -> Judgement:
    return Judgement(
        row=one.row,
        asked=one.asked,
        question=one.question,
        answers=tuple(Written(text=each.text, author=each.author) for each in (one, *others)),
        category=one.category,
        subset=one.subset,
        meta=one.meta,
        ordered=not others,
    )


def _rate(one: Output) -> Iterator[Judgement]:
    given = _judge(one)
    yield given
    for reviewer, rating in one.ratings.items():
        choice: Choice = "unreadable" if rating is None else 0
        yield given.change(judge=reviewer, choice=choice, rating=rating)


def _prefer(one: Output, other: Output) -> Iterator[Judgement]:
    given = _judge(one, other)
    yield given
    for reviewer, rating in one.ratings.items():
        if reviewer in other.ratings:
            yield given.change(
                judge=reviewer, choice=_choose_higher(rating, other.ratings[reviewer])
            )


def _choose_higher(one: float | None, other: float | None) -> Choice:
    if one is None or other is None:
        return "unreadable"
    return "tie" if one == other else int(other > one)
