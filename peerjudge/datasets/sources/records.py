"""Records folders: imported comparisons and reviews, with where they come from.

A folder holds `dataset.json` (name, format, files with their digests, counts, people, licence),
`comparisons.jsonl` and `reviews.jsonl`, one noun in each line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar, cast

from peerjudge.data import (
    Comparison,
    Dataset,
    GoldRule,
    Noun,
    RecordedReview,
    from_plain,
    replace,
    to_plain,
)
from peerjudge.datasets.lines import read_rows
from peerjudge.datasets.source import Request, Source, score_vote, settle_gold
from peerjudge.errors import DataError

RECORDS = "dataset.json"
"""The file that makes a folder a records folder."""

_COMPARISONS, _REVIEWS = "comparisons.jsonl", "reviews.jsonl"
_VERSION = 1
_CHUNK = 1 << 20

N = TypeVar("N", bound=Noun)


def write_records(
    dataset: Dataset,
    folder: Path,
    *,
    origin: str,
    files: Iterable[Path],
    licence: str,
    shared: bool = False,
) -> None:
    """Write a dataset with its reviews into a folder; `dataset.json` comes last.

    Args:
        dataset: the dataset.
        folder: a folder that does not exist, is empty, or holds records.
        origin: name of the format that it was read from.
        files: the files that it was read from.
        licence: of the records; empty where it is not known.
        shared: write beside other files, as in the folder of a study.

    Raises:
        DataError: the folder holds other files, or cannot be written.
    """
    held = folder.exists() and not (folder / RECORDS).is_file() and any(folder.iterdir())
    if held and not shared:
        msg = f"{folder} holds other files; name a new folder with --out"
        raise DataError(msg)
    described = {
        "version": _VERSION,
        "name": dataset.name,
        "description": dataset.description,
        "format": origin,
        "files": {file.name: _digest(file) for file in files},
        "comparisons": len(dataset.comparisons),
        "reviews": len(dataset.reviews),
        "humans": list(dataset.humans),
        "unordered": list(dataset.unordered),
        "gold_rule": dataset.gold_rule.value,
        "missing_texts": dataset.missing_texts,
        "labeled": list(dataset.labeled),
        "left_out": dict(dataset.left_out),
        "licence": licence,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORDS).unlink(missing_ok=True)
        _write_nouns(folder / _COMPARISONS, dataset.comparisons)
        _write_nouns(folder / _REVIEWS, dataset.reviews)
        text = json.dumps(described, ensure_ascii=False, indent=1)
        (folder / RECORDS).write_text(f"{text}\n", "utf-8")
    except OSError as cause:
        msg = f"{folder} cannot be written: {cause.strerror or cause}"
        raise DataError(msg) from cause


def read_records(request: Request) -> Dataset:
    """Return the dataset in a records folder.

    A gold rule of the request settles the votes of people again where a comparison has several.

    Raises:
        DataError: the folder holds no records, or records of a later version; a line is no noun.
    """
    folder = request.path
    described = read_description(folder)
    comparisons = tuple(_read_nouns(folder / _COMPARISONS, Comparison))
    needed = request.reviews or request.gold is not None
    reviews = tuple(_read_nouns(folder / _REVIEWS, RecordedReview)) if needed else ()
    humans = tuple(cast("list[str]", described.get("humans") or []))
    labeled = tuple(cast("list[str]", described.get("labeled") or []))
    if request.gold is not None:
        voted = [review for review in reviews if review.comparison not in set(labeled)]
        comparisons = tuple(_settle(comparisons, voted, frozenset(humans), request.gold))
    return Dataset(
        name=str(described.get("name") or folder.name),
        description=str(described.get("description") or ""),
        comparisons=comparisons,
        reviews=reviews if request.reviews else (),
        humans=humans,
        gold_rule=request.gold or GoldRule(str(described.get("gold_rule"))),
        missing_texts=str(described.get("missing_texts") or ""),
        unordered=tuple(cast("list[str]", described.get("unordered") or [])),
        labeled=labeled,
        left_out=cast("dict[str, int]", described.get("left_out") or {}),
    )


def _settle(
    comparisons: Iterable[Comparison],
    reviews: Iterable[RecordedReview],
    humans: frozenset[str],
    rule: GoldRule,
) -> Iterator[Comparison]:
    votes: dict[str, list[RecordedReview]] = {}
    for review in reviews:
        if review.reviewer in humans and review.verdict.readable:
            votes.setdefault(review.comparison, []).append(review)
    for comparison in comparisons:
        cast_votes = votes.get(comparison.id, [])
        if len(comparison.answers) != 2 or not cast_votes:
            yield comparison
            continue
        pair = (comparison.answers[0].id, comparison.answers[1].id)
        scores = [score_vote(vote.verdict, pair) for vote in cast_votes]
        yield replace(comparison, gold=settle_gold(scores, rule, pair))


def read_description(folder: Path) -> Mapping[str, object]:
    """Return the description of a records folder; raises `DataError` where there is none."""
    path = folder / RECORDS
    if not path.is_file():
        msg = f"{folder} is no records folder: it has no {RECORDS}; `peerjudge import` writes one"
        raise DataError(msg)
    try:
        described = cast("object", json.loads(path.read_text("utf-8")))
    except (ValueError, RecursionError) as cause:
        msg = f"{path} is not complete JSON ({cause}); import the records again"
        raise DataError(msg) from cause
    if not isinstance(described, dict) or described.get("version") != _VERSION:  # pyright: ignore[reportUnknownMemberType]
        msg = f"{path} is not of version {_VERSION}; import the records again, or update PeerJudge"
        raise DataError(msg)
    return cast("Mapping[str, object]", described)


def _write_nouns(path: Path, nouns: Iterable[Noun]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for noun in nouns:
            file.write(f"{json.dumps(to_plain(noun), ensure_ascii=False)}\n")


def _read_nouns(path: Path, kind: type[N]) -> Iterator[N]:
    if path.is_file() and not path.stat().st_size:
        return
    for row in read_rows(path):
        try:
            yield from_plain(kind, row.fields)
        except DataError as cause:
            raise row.error(str(cause)) from cause


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


SOURCE = Source(description="a folder that `peerjudge import` wrote", read=read_records, votes=True)
