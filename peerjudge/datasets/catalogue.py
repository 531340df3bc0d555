"""Datasets by name or file: list them, find them and load them."""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import cast

from peerjudge.data import Dataset, GoldRule, replace
from peerjudge.datasets.contents import describe_contents
from peerjudge.datasets.formats import read_unmapped
from peerjudge.datasets.names import check_names
from peerjudge.datasets.source import Options, Request, Source
from peerjudge.datasets.sources.records import RECORDS, read_description
from peerjudge.datasets.specs import split_spec
from peerjudge.errors import DataError, PeerJudgeError, ShelfError
from peerjudge.places import find_cache
from peerjudge.registry import find_offer, list_offers, offers

_SOURCES = "peerjudge.datasets.sources"
_FLAGS = {
    "names": "--map",
    "humans": "--human",
    "encoding": "--encoding",
    "delimiter": "--delimiter",
    "codes": "--codes",
    "skip_bad": "--skip-bad",
    "pairs": "--pairs",
}
"""The options of `peerjudge import` by the field of `Options`."""
_OWN_TABLES = {
    f"{ending}{packed}": reader
    for ending, reader in (
        (".csv", "csv"),
        (".tsv", "csv"),
        (".jsonl", "jsonl"),
        (".json", "jsonl"),
    )
    for packed in ("", ".gz")
} | {".parquet": "jsonl"}


def list_datasets() -> dict[str, Source]:
    """Return the declarations of all datasets and formats by name: built in, and of features."""
    found = cast("dict[str, Source]", offers("dataset")) | {
        name: find_source(name) for name in _modules()
    }
    return dict(sorted(found.items()))


def find_formats(fields: Iterable[str]) -> list[str]:
    """Return the formats whose rows have all of one set of fields that is among these."""
    present = set(fields)
    return [
        name
        for name, source in list_datasets().items()
        if any(keys <= present for keys in source.keys)
    ]


def _recognize_other(place: Path, name: str) -> str:
    """Return the other format to which the first row of a file belongs; empty for none or several."""
    if not place.is_file():
        return ""
    try:
        fields = next(read_unmapped(place, Options())).fields
    except (DataError, StopIteration):
        return ""
    found = find_formats(fields)
    answered = any(key.startswith("answer") for key in fields)
    if name in _OWN_TABLES.values() and "question" in fields and answered:
        return ""
    return found[0] if len(found) == 1 and name not in found else ""


def find_source(name: str) -> Source:
    """Return the declaration of a dataset by name, or of the one in a user's file `NAME.py`.

    Raises:
        DataError: the name is unknown, or the file does not load or declares no dataset.
    """
    if name.endswith(".py"):
        return _read_file(Path(name).expanduser())
    modules = _modules()
    if name in modules:
        return cast("Source", import_module(f"{_SOURCES}.{modules[name]}").SOURCE)
    offered = cast("object", find_offer("dataset", name))
    if offered is None:
        raise DataError(_explain_unknown(name, _list_names()))
    if not isinstance(offered, Source):
        msg = f"the dataset {name!r} of a feature is {offered!r:.80}; declare a peerjudge.datasets.Source"
        raise DataError(msg)
    return offered


def _explain_unknown(name: str, known: Iterable[str]) -> str:
    """Return what a name of no dataset is instead, and what to give."""
    path = Path(name).expanduser()
    if name.endswith(tuple(_OWN_TABLES)) and not path.exists():
        return f"there is no file {name}; check the path"
    if path.is_file():
        return (
            f"the ending of {name} names no format; save a table of pairs as .csv, .tsv, .json, .jsonl "
            f"or .parquet, or name the format of another tool: FORMAT:{name}, such as arena:{name}"
        )
    if (path / "manifest.json").is_file():
        return f"{name} is a run, which has no columns to name; leave out --map and --codes"
    if path.is_dir():
        return f"the folder {name} holds no imported records; give FORMAT:{name}, such as llmbar:{name}"
    return (
        f"there is no dataset {name!r}; choose one of {', '.join(known)}; or give FILE.py:PATH for a "
        "reader of your own. There is no file or folder of this name: for a run, give its folder"
    )


def load(
    spec: str,
    *,
    limit: int | None = None,
    gold: GoldRule | None = None,
    reviews: bool = True,
    options: Options | None = None,
) -> Dataset:
    """Load a dataset.

    Args:
        spec: `NAME`, `NAME:PATH` or `FILE.py:PATH`; the path of a records folder, or of a table
            (`.csv`, `.tsv`, `.json`, `.jsonl`, also `.gz`, or `.parquet`), needs no name. `NAME+RULE` and
            `NAME+RULE:PATH` choose a gold rule, as in `vicuna80+strict_majority:data/vicuna80`.
            `PATH?question=Prompt&codes=0=a,1=b` names columns by field, and codes of verdicts.
            A published dataset without a path is read from the folder of `download`. `FILE.py` is
            executed: its constant `SOURCE` declares the dataset, as in the modules of
            `peerjudge.datasets.sources`.
        limit: keep only this many comparisons, the first ones, and their reviews.
        gold: the rule for votes that disagree; `None` is the rule in `spec`, else the dataset's.
        reviews: `False` skips the recorded reviews, which is faster where there are many.
        options: for files of other tools; they go before those in `spec`.

    Raises:
        DataError: for an unknown name, a missing path, or an invalid file.
    """
    if limit is not None and limit < 1:
        msg = f"a limit of {limit} comparisons leaves nothing; give 1 or more"
        raise DataError(msg)
    spec, said = split_spec(spec)
    options = _merge(said, options or Options())
    name, rule, path = _parse(name_format(spec))
    source = find_source(name)
    chosen = gold or rule
    if chosen and not source.votes:
        msg = f"dataset {name!r} has one gold verdict per comparison, so no gold rule applies to it"
        raise DataError(msg)
    _check_options(name, source, options)
    place = Path(path).expanduser() if path else _default_place(name, source)
    request = Request(path=place, reviews=reviews, gold=chosen, options=options)
    try:
        dataset = _read_own(name, source, request) if name.endswith(".py") else source.read(request)
    except DataError as error:
        kind = _recognize_other(place, name)
        if not kind:
            raise
        msg = f"{place} looks like {kind}, not like {name}: peerjudge import {kind} {place}"
        raise DataError(msg) from error
    dataset = dataset if limit is None else _limit(dataset, limit)
    notes = (*dataset.notes, *check_names(dataset), *describe_contents(dataset))
    dataset = replace(dataset, notes=tuple(dict.fromkeys(notes)))
    return replace(dataset, gold_rule=chosen) if chosen else dataset


def _merge(said: Options, given: Options) -> Options:
    names, codes = {**said.names, **given.names}, {**said.codes, **given.codes}
    return dataclasses.replace(given, names=names, codes=codes)


def _check_options(name: str, source: Source, options: Options) -> None:
    if options.files and "files" not in source.options:
        msg = f"{name} is read from one file or folder; import {options.files[0]} on its own"
        raise DataError(msg)
    default = Options()
    given = [name for name in _FLAGS if getattr(options, name) != getattr(default, name)]
    unused = [_FLAGS[one] for one in given if one not in source.options]
    if unused:
        known = ", ".join(_FLAGS[one] for one in _FLAGS if one in source.options) or "none"
        msg = (
            f"the reader of {name} does not use {', '.join(unused)}; leave it out (it uses {known})"
        )
        raise DataError(msg)


def find_licence(data: str) -> str:
    """Return the licence of a dataset: that which its publisher or its records state; empty if unknown.

    Raises `DataError` for a records folder whose description cannot be read.
    """
    name, _, place = name_format(split_spec(data)[0]).partition(":")
    folder = Path(place).expanduser()
    if name == "records" and (folder / RECORDS).is_file():
        return read_description(folder).licence
    name = name.partition("+")[0]
    return find_source(name).licence if name in _list_names() else ""


def read_registry(dataset: str) -> Mapping[str, tuple[str, str]]:
    """Return the published files of a dataset, from `registry/NAME.txt`.

    By file name: the SHA-256, and the address where it is not below the dataset's `upstream`.
    """
    registry = Path(__file__).parent / "registry" / f"{dataset}.txt"
    lines = (line.split() for line in registry.read_text(encoding="utf-8").splitlines())
    return MappingProxyType({name: (sha, "".join(url)) for name, sha, *url in lines})


def _list_names() -> list[str]:
    """Return the names of the built-in datasets and of those that features offer."""
    return sorted({*_modules(), *list_offers("dataset")})


def _modules() -> dict[str, str]:
    # `csv_` is the dataset `csv`: a module must not take the name of one of Python's own.
    found = sorted(module.name for module in pkgutil.iter_modules(import_module(_SOURCES).__path__))
    return {name.removesuffix("_"): name for name in found}


def _read_file(file: Path) -> Source:
    from peerjudge.shelf.loading import load_module

    if not file.is_file():
        msg = f"there is no file {file}; check the path, or give the name of a built-in dataset"
        raise DataError(msg)
    try:
        source = cast("object", getattr(load_module(file, "datasets"), "SOURCE", None))
    except ShelfError as cause:
        raise DataError(str(cause)) from cause
    if not isinstance(source, Source):
        msg = f"{file} declares no dataset; give it SOURCE = Source(description=..., read=...)"
        raise DataError(msg)
    return source


def _read_own(file: str, source: Source, request: Request) -> Dataset:
    """Read with a user's reader; its errors become a `DataError` that names the file."""
    try:
        dataset = cast("object", source.read(request))
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"the reader {file} failed on {request.path}: {type(cause).__name__}: {cause}"
        raise DataError(msg) from cause
    if not isinstance(dataset, Dataset):
        msg = f"the reader {file} returned {dataset!r:.80}; return a peerjudge.data.Dataset"
        raise DataError(msg)
    return dataset


def name_format(spec: str) -> str:
    """Return the dataset of a path without a name: a records folder, or a table by its ending.

    Any other text is returned unchanged.
    """
    place, _ = split_spec(spec)
    path = Path(place).expanduser()
    if (path / RECORDS).is_file():
        return f"records:{spec}"
    own = next((name for ending, name in _OWN_TABLES.items() if place.endswith(ending)), "")
    return f"{own}:{spec}" if own and ":" not in place and path.is_file() else spec


def _parse(spec: str) -> tuple[str, GoldRule | None, str]:
    head, _, path = spec.partition(":")
    file, suffix, rest = head.rpartition(".py")
    name, plus, rule = (file + suffix, *rest.partition("+")[1:]) if suffix else head.partition("+")
    place, late_plus, late_rule = path.rpartition("+")
    if late_plus and late_rule in tuple(GoldRule):
        msg = f"the gold rule follows the name: give {name}+{late_rule}:{place}"
        raise DataError(msg)
    if not plus:
        return name, None, path
    try:
        return name, GoldRule(rule), path
    except ValueError as cause:
        msg = f"{spec!r} names the unknown gold rule {rule!r}; choose one of {', '.join(GoldRule)}"
        raise DataError(msg) from cause


def _default_place(name: str, source: Source) -> Path:
    if source.place is not None:
        return source.place
    if not source.upstream or name.endswith(".py"):
        msg = f"dataset {name!r} needs a path; give {name}:PATH"
        raise DataError(msg)
    folder = find_cache("datasets", name)
    missing = [file for file in read_registry(name) if not (folder / file).is_file()]
    if missing:
        msg = (
            f"{name} is not in {folder} ({len(missing)} files are missing);"
            f" run `peerjudge download {name}`, or give {name}:PATH"
        )
        raise DataError(msg)
    return folder


def _limit(dataset: Dataset, limit: int) -> Dataset:
    kept = dataset.comparisons[:limit]
    ids = {comparison.id for comparison in kept}
    reviews = tuple(review for review in dataset.reviews if review.comparison in ids)
    return replace(dataset, comparisons=kept, reviews=reviews)
