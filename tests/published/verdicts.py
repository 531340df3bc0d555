"""Verdicts of published datasets without their texts, as a dataset that PeerJudge loads.

    peerjudge rank tests/published/verdicts.py:tests/published/vicuna80.jsonl.gz --weights peer

A table is JSON Lines: first the dataset's name and humans, then one line per comparison
with its reviews by reviewer. A review is the shown order and the verdict, as in `21=`: the second
answer first, a tie. Verdicts are the number of an answer, `=` (tie), `x` (inconsistent), `?`
(unreadable) or `-` (refused); then follow ratings of the shown answers (`:4.0,`, empty if missing) and
the rated aspect (`@fluency`). Answers keep their length: as text they are that many times `x`.

Run as a script, it derives the tables anew: `python tests/published/verdicts.py FOLDER`, where the
folder holds `vicuna80`, `llmbar`, `mtbench` and `summeval` as PeerJudge reads them.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from peerjudge.data import (
    INCONSISTENT,
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Dataset,
    Question,
    RecordedReview,
    Verdict,
)
from peerjudge.datasets import Request, Source, load, read_rows
from peerjudge.datasets.sources import llmbar, mtbench, summeval, vicuna80

NAMES = ("vicuna80", "llmbar", "mtbench", "summeval")
_CONVENTIONS = {
    "vicuna80": vicuna80.CONVENTIONS,
    "llmbar": llmbar.CONVENTIONS,
    "mtbench": mtbench.CONVENTIONS,
    "summeval": summeval.CONVENTIONS,
}
_MARKS = {"=": TIE, "x": INCONSISTENT, "?": UNREADABLE, "-": REFUSED}


def derive_table(dataset: Dataset) -> str:
    """Return the table of a dataset."""
    reviews: defaultdict[str, list[RecordedReview]] = defaultdict(list)
    for review in dataset.reviews:
        reviews[review.comparison].append(review)
    head = {"name": dataset.name, "humans": dataset.humans}
    rows = [head, *(_row(one, reviews[one.id]) for one in dataset.comparisons)]
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def read_table(request: Request) -> Dataset:
    """Return the dataset of a table; reviews are in the order of comparison and reviewer."""
    head, *rows = (row.fields for row in read_rows(request.path))
    comparisons = tuple(map(_comparison, rows))
    reviews = (
        review
        for row, comparison in zip(rows, comparisons, strict=True)
        for review in _reviews(row, comparison)
    )
    return Dataset(
        name=head["name"],
        description=SOURCE.description,
        humans=tuple(head["humans"]),
        conventions=_CONVENTIONS[head["name"]],
        comparisons=comparisons,
        reviews=tuple(reviews) if request.reviews else (),
    )


def _row(comparison: Comparison, reviews: list[RecordedReview]) -> dict[str, object]:
    said: defaultdict[str, list[str]] = defaultdict(list)
    for review in reviews:
        said[review.reviewer].append(_code(review, comparison.shown))
    return {
        "id": comparison.id,
        "question": comparison.question.id,
        "category": comparison.question.category,
        "subset": comparison.subset,
        "answers": [[one.id, one.author, len(one.text)] for one in comparison.answers],
        "gold": comparison.gold and _mark(comparison.gold, comparison.shown),
        "meta": {key: value for key, value in comparison.meta.items() if key != "source_path"},
        "reviews": {name: " ".join(codes) for name, codes in sorted(said.items())},
    }


def _comparison(row: dict) -> Comparison:
    answers = tuple(
        Answer(id=name, author=author, text="x" * length) for name, author, length in row["answers"]
    )
    ids = tuple(answer.id for answer in answers)
    return Comparison(
        id=row["id"],
        question=Question(id=row["question"], text=row["question"], category=row["category"]),
        answers=answers,
        gold=None if row["gold"] is None else _verdict(row["gold"], ids),
        subset=row["subset"],
        meta=row["meta"],
    )


def _reviews(row: dict, comparison: Comparison) -> Iterator[RecordedReview]:
    ids = comparison.shown
    for name, codes in row["reviews"].items():
        for code in codes.split():
            head, _, aspect = code.partition("@")
            head, _, scores = head.partition(":")
            yield RecordedReview(
                comparison=comparison.id,
                reviewer=name,
                shown=tuple(ids[int(place) - 1] for place in head[:-1]),
                verdict=_verdict(head[-1], ids),
                scores=tuple(float(x) if x else None for x in scores.split(",")) if scores else (),
                aspect=aspect,
            )


def _code(review: RecordedReview, ids: tuple[str, ...]) -> str:
    order = "".join(str(ids.index(name) + 1) for name in review.shown)
    scores = ",".join("" if score is None else repr(score) for score in review.scores)
    return (
        order
        + _mark(review.verdict, ids)
        + (f":{scores}" if review.scores else "")
        + (f"@{review.aspect}" if review.aspect else "")
    )


def _mark(verdict: Verdict, ids: tuple[str, ...]) -> str:
    if verdict.choice is not None:
        return str(ids.index(verdict.choice) + 1)
    return next(mark for mark, meant in _MARKS.items() if meant == verdict)


def _verdict(mark: str, ids: tuple[str, ...]) -> Verdict:
    return _MARKS.get(mark) or Verdict.of(ids[int(mark) - 1])


SOURCE = Source(description="verdicts of a published dataset, without texts", read=read_table)

if __name__ == "__main__":
    for dataset_name in NAMES:
        table = derive_table(load(f"{dataset_name}:{Path(sys.argv[1]) / dataset_name}"))
        file = Path(__file__).with_name(f"{dataset_name}.jsonl.gz")
        file.write_bytes(gzip.compress(table.encode(), mtime=0))
