"""Records folders: imported comparisons and reviews, with where they come from.

A folder holds `dataset.json` (name, format, files with their digests, counts, people, licence),
`comparisons.jsonl` and `reviews.jsonl`, one noun in each line.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar, cast

from msgspec import field

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

N = TypeVar("N", bound=Noun)


class Description(Noun, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """Content of `dataset.json`: what of a dataset is no comparison and no review, and its origin.

    `format` is that of the `files` (SHA-256 by name) that were read; `comparisons` and `reviews` are numbers.
    """

    version: int
    name: str = ""
    description: str = ""
    format: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    comparisons: int = 0
    reviews: int = 0
    humans: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    gold_rule: GoldRule
    missing_texts: str = ""
    labeled: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()
    licence: str = ""


def write_records(
    dataset: Dataset,
    folder: Path,
    *,
    origin: str,
    files: Collection[Path],
    licence: str,
    shared: bool = False,
) -> None:
    """Write a dataset with its reviews into a folder; `dataset.json` comes last.

    Args:
        dataset: the dataset.
        folder: a folder that does not exist, is empty, or holds records, or those of an interrupted import.
        origin: name of the format that it was read from.
        files: the files that it was read from.
        licence: of the records; empty where it is not known.
        shared: write beside other files, as in the folder of a study.

    Raises:
        DataError: the folder holds other files, or cannot be written.
    """
    unfinished = [folder / f"{name}.part" for name in (_COMPARISONS, _REVIEWS, RECORDS)]
    held = folder.exists() and not (folder / RECORDS).is_file()
    if held and not shared and not {*folder.iterdir()} <= {*unfinished}:
        msg = f"{folder} holds other files; name a new folder with --out"
        raise DataError(msg)
    names = Counter(file.name for file in files)
    described = Description(
        version=_VERSION,
        name=dataset.name,
        description=dataset.description,
        format=origin,
        files={
            file.name if names[file.name] == 1 else file.as_posix(): digest_file(file)
            for file in files
        },
        comparisons=len(dataset.comparisons),
        reviews=len(dataset.reviews),
        humans=dataset.humans,
        unordered=dataset.unordered,
        gold_rule=dataset.gold_rule,
        missing_texts=dataset.missing_texts,
        labeled=dataset.labeled,
        left_out=dataset.left_out,
        notes=dataset.notes,
        licence=licence,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_nouns(unfinished[0], dataset.comparisons)
        _write_nouns(unfinished[1], dataset.reviews)
        text = json.dumps(to_plain(described), ensure_ascii=False, indent=1)
        unfinished[2].write_text(f"{text}\n", "utf-8")
        (folder / RECORDS).unlink(missing_ok=True)
        for file in unfinished:
            file.replace(file.with_suffix(""))
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
    if request.gold is not None:
        voted = [review for review in reviews if review.comparison not in set(described.labeled)]
        humans = frozenset(described.humans)
        comparisons = tuple(_settle(comparisons, voted, humans, request.gold))
    return Dataset(
        name=described.name or folder.name,
        description=described.description,
        comparisons=comparisons,
        reviews=reviews if request.reviews else (),
        humans=described.humans,
        gold_rule=request.gold or described.gold_rule,
        missing_texts=described.missing_texts,
        unordered=described.unordered,
        labeled=described.labeled,
        left_out=described.left_out,
        notes=described.notes,
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


def read_description(folder: Path) -> Description:
    """Return the description of a records folder; raises `DataError` where there is none."""
    path = folder / RECORDS
    if not path.is_file():
        msg = f"{folder} is no records folder: it has no {RECORDS}; `peerjudge import` writes one"
        raise DataError(msg)
    try:
        plain = cast("object", json.loads(path.read_text("utf-8")))
    except (ValueError, RecursionError) as cause:
        msg = f"{path} is not complete JSON ({cause}); import the records again"
        raise DataError(msg) from cause
    if not isinstance(plain, dict) or plain.get("version") != _VERSION:  # pyright: ignore[reportUnknownMemberType]
        msg = f"{path} is not of version {_VERSION}; import the records again, or update PeerJudge"
        raise DataError(msg)
    try:
        return from_plain(Description, cast("object", plain))
    except DataError as cause:
        msg = f"{path}: {cause}; import the records again"
        raise DataError(msg) from cause


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


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


SOURCE = Source(description="a folder that `peerjudge import` wrote", read=read_records, votes=True)
