"""Evidence bundles: one archive with the transcripts of a run and every number computed from them."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from peerjudge.data import Comparison, replace, to_json
from peerjudge.data.arguments import check_arguments
from peerjudge.data.comparisons import WITHHELD
from peerjudge.datasets.catalogue import find_licence
from peerjudge.errors import DataError, ShelfError, StoreError
from peerjudge.results.agreements import agreement
from peerjudge.results.base import Document, Result, Shown
from peerjudge.results.biases import bias
from peerjudge.results.opinions import events
from peerjudge.results.overwriting import require_free
from peerjudge.results.rankings import rank
from peerjudge.results.reports import report
from peerjudge.results.scores import score
from peerjudge.runs import open_run
from peerjudge.runs.blocking import wait_for
from peerjudge.runs.manifest import MANIFEST
from peerjudge.runs.reading import Stored, locate_source
from peerjudge.runs.transcript_files import TRANSCRIPTS, store_transcripts
from peerjudge.shelf import Kind, Shelf
from peerjudge.shelf.folders import PLACES

SUMS = "SHA256SUMS"
"""Member with the digest of every other member."""
SUMMARY = "bundle.json"
"""Member with the form of the bundle and the version that wrote it."""
PAGE = "report.html"
NUMBERS_FOLDER = "numbers/"
SCHEMA = "peerjudge-bundle/1"

NUMBERS: Mapping[str, Callable[[str], Result]] = MappingProxyType(
    {
        "score": score,
        "events": lambda place: events(place, summary=True),
        "rank": rank,
        "agreement": agreement,
        "bias": bias,
    }
)
"""Results whose documents are in a bundle as `numbers/NAME.json`, beside those of the report."""

_MARK = SUMMARY.encode()
"""Bytes near the beginning of every bundle, whose first member has this name."""
_MEDIA = {
    ".json": "application/json",
    ".gz": "application/gzip",
    ".html": "text/html",
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".py": "text/x-python",
}
_LOOKS_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Bundle(Result):
    """A bundle that was written. `withheld` has one sentence for each file that is not in it.

    `licence` is that of the data, empty where it is not known; `texts` is whether their texts are kept.
    """

    path: Path
    size: int
    discussions: int
    members: tuple[str, ...]
    withheld: tuple[str, ...]
    licence: str
    texts: bool

    def document(self) -> Document:
        """Return the document of `peerjudge bundle --json`."""
        return {
            "path": str(self.path),
            "bytes": self.size,
            "discussions": self.discussions,
            "members": list(self.members),
            "withheld": list(self.withheld),
            "licence": self.licence or None,
        }

    def parts(self) -> Shown:
        """Return the path of the bundle, its contents, and what it does not hold."""
        unknown = (
            "The licence of the data is not known: state it with --licence before you pass their texts "
            "on, or leave the texts out with --no-texts."
        )
        return [
            str(self.path),
            f"{self.discussions:,} discussions, {len(self.members)} files, {self.size:,} bytes",
            *self.withheld,
            *([unknown] if self.texts and not self.licence else []),
        ]


@check_arguments
def bundle(
    source: Stored,
    *,
    output: str | Path,
    texts: bool = True,
    licence: str = "",
    shelf: Shelf | None = None,
    force: bool = False,
) -> Bundle:
    """Write a bundle: transcripts, manifest, cards, packs and protocols, numbers, report, digests.

    `verify` recomputes every number in it, without a key and without a call, and every function and command
    reads it like the run. Equal runs give equal files.

    Args:
        source: Run, transcripts, or another bundle.
        output: File to write, ending in `.zip`.
        texts: Keep questions and answers. Otherwise their SHA-256 takes their place, for data that may not be
            passed on; what reviewers wrote stays, and there are no numbers of `bias`.
        licence: Licence of the data, kept in the description of the bundle; by default that which their
            publisher or their records state.
        shelf: The shelf with the files that the run used; by default that of the working directory.
        force: Replace a file that is not an earlier bundle.

    Raises:
        StoreError: There is no such run, or the file cannot be written.
        DataError: The source has no discussions, or `output` has another ending.
    """
    path = Path(output)
    if path.suffix != ".zip":
        msg = f"a bundle is a zip archive; name it FILE.zip, not {path}"
        raise DataError(msg)
    place = locate_source(source)
    require_free(path, source=place, force=force, own=_MARK)
    with TemporaryDirectory(prefix="peerjudge-") as folder:
        transcripts = Path(folder) / TRANSCRIPTS
        manifest, count = wait_for(_copy_run(place, transcripts, texts=texts))
        manifest |= {"licence": licence} if licence else {}
        experiment = cast("Mapping[str, object]", manifest.get("experiment") or {})
        data = str(experiment.get("data") or "")
        stated = str(manifest.get("licence") or "") or find_licence(data)
        members, withheld = _collect_files(manifest, shelf or Shelf())
        members[MANIFEST] = dump(manifest)
        members |= compute_numbers(transcripts, manifest, texts=texts)
        versions = cast("Mapping[str, object]", manifest.get("versions") or {})
        summary = {"schema": SCHEMA, "texts": texts, "discussions": count, "versions": versions}
        members[SUMMARY] = dump(summary | {"computed_by": own_version()})
        members["REPRODUCE.md"] = _describe_reproduction(
            manifest, withheld, texts=texts, licence=stated
        ).encode()
        members["ro-crate-metadata.json"] = dump(
            _describe_crate(manifest, [*members, TRANSCRIPTS], licence=stated)
        )
        _write(path, members, transcripts)
    return Bundle(
        path=path,
        size=path.stat().st_size,
        discussions=count,
        members=tuple(sorted([*members, TRANSCRIPTS, SUMS])),
        withheld=tuple(withheld),
        licence=stated,
        texts=texts,
    )


def compute_numbers(
    transcripts: Path, manifest: Mapping[str, object], *, texts: bool
) -> dict[str, bytes]:
    """Return every number of a bundle and its report, by the name of their member.

    A result that the discussions do not allow is the sentence that says so.
    """
    members: dict[str, bytes] = {}
    with TemporaryDirectory(prefix="peerjudge-") as folder:
        place = str(Path(folder) / "transcripts.db")
        wait_for(store_transcripts(transcripts, Path(place), manifest))
        for name, compute in NUMBERS.items():
            if not texts and name == "bias":
                continue
            try:
                document = compute(place).document()
            except (DataError, StoreError) as cause:
                document = {"not_computed": str(cause)}
            members[f"{NUMBERS_FOLDER}{name}.json"] = dump(_rename(document, place))
        computed = report(place)
        members[f"{NUMBERS_FOLDER}report.json"] = dump(computed.document())
        page = computed.save(Path(folder) / PAGE)
        members[PAGE] = page.read_bytes()
    return members


def _rename(document: object, place: str) -> object:
    """Return the document with the file in the bundle where it names the temporary store."""
    if isinstance(document, dict):
        items = cast("Mapping[str, object]", document).items()
        return {key: _rename(value, place) for key, value in items}
    if isinstance(document, list):
        return [_rename(value, place) for value in cast("list[object]", document)]
    return TRANSCRIPTS if isinstance(document, str) and place in document else document


def dump(document: object) -> bytes:
    """Return a JSON document as the content of a member."""
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def own_version() -> str:
    """Return the version of this package."""
    return version("peerjudge")


def list_sums(digests: Mapping[str, str]) -> bytes:
    """Return the digests in the form of `sha256sum`."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode()


def open_member(archive: ZipFile, name: str) -> ZipInfo:
    """Return the entry of a member: stored, without a date, so that equal contents are equal bytes."""
    info = ZipInfo(name)
    info.compress_type = ZIP_STORED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return info


async def _copy_run(place: str, file: Path, *, texts: bool) -> tuple[dict[str, object], int]:
    """Write the discussions of a run, and return its manifest and their number."""
    count = 0
    async with open_run(place) as opened:
        with file.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            async for transcript in opened.transcripts():
                kept = transcript
                if not texts:
                    kept = replace(kept, comparison=digest_comparison(kept.comparison))
                packed.write(f"{to_json(kept)}\n".encode())
                count += 1
        if not count:
            msg = f"{place} holds no discussion yet; run it first"
            raise DataError(msg)
        return {"run": opened.id, **opened.manifest}, count


def digest_comparison(comparison: Comparison) -> Comparison:
    """Return the comparison with the SHA-256 of each text in its place."""
    meta = comparison.meta
    if comparison.reference:
        meta = {**meta, "reference": _digest(comparison.reference)}
    return replace(
        comparison,
        meta=meta,
        question=replace(comparison.question, text=_digest(comparison.question.text)),
        answers=tuple(replace(answer, text=_digest(answer.text)) for answer in comparison.answers),
    )


def _digest(text: str) -> str:
    # A text that is a digest already, as in a bundle without texts, stays as it is.
    return (
        text if text.startswith(WITHHELD) else WITHHELD + hashlib.sha256(text.encode()).hexdigest()
    )


def _collect_files(
    manifest: Mapping[str, object], shelf: Shelf
) -> tuple[dict[str, bytes], list[str]]:
    """Return the cards, packs and protocols that the run used, and why others are not included."""
    members: dict[str, bytes] = {}
    withheld: list[str] = []
    files = cast("Mapping[str, str]", manifest.get("files") or {})
    for label, digest in files.items():
        kind, _, name = label.partition("/")
        try:
            path = shelf.find(cast("Kind", kind), name).path
        except ShelfError:
            withheld.append(f"{label}: not here; its SHA-256 is {digest}")
            continue
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            withheld.append(f"{label}: changed since the run; its SHA-256 was {digest}")
        elif variable := _find_secret(content):
            withheld.append(f"{label}: holds the value of {variable}; its SHA-256 is {digest}")
        else:
            members[f"{PLACES[cast('Kind', kind)][0]}/{path.name}"] = content
    return members, withheld


def _find_secret(content: bytes) -> str | None:
    """Return the environment variable of a key whose value is in the file."""
    for name, value in os.environ.items():
        looks = any(part in name.upper() for part in _LOOKS_SECRET)
        if looks and len(value) >= _SHORTEST_SECRET and value.encode(errors="replace") in content:
            return name
    return None


def _write(path: Path, members: Mapping[str, bytes], transcripts: Path) -> None:
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    with transcripts.open("rb") as file:
        digests[TRANSCRIPTS] = hashlib.file_digest(file, "sha256").hexdigest()
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with ZipFile(draft, "w", ZIP_STORED) as archive:
            for name in order_members([*digests, SUMS]):
                if name == TRANSCRIPTS:
                    with (
                        transcripts.open("rb") as file,
                        archive.open(open_member(archive, name), "w") as copy,
                    ):
                        copyfileobj(file, copy)
                else:
                    content = list_sums(digests) if name == SUMS else members[name]
                    archive.writestr(open_member(archive, name), content)
        draft.replace(path)
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; name another file with -o"
        raise StoreError(msg) from cause


def order_members(names: Iterable[str]) -> list[str]:
    """Return the names in the order of the archive: the summary first, then by name."""
    return sorted(names, key=lambda name: (name != SUMMARY, name))


def _describe_reproduction(
    manifest: Mapping[str, object], withheld: Sequence[str], *, texts: bool, licence: str
) -> str:
    """Return `REPRODUCE.md`: what the bundle holds, how to check it, and how to run it again."""
    experiment = cast("Mapping[str, object]", manifest.get("experiment") or {})
    versions = cast("Mapping[str, object]", manifest.get("versions") or {})
    name = experiment.get("name", "study")
    known = [f"{package} {version}" for package, version in versions.items() if version]
    python = manifest.get("python")
    lines = [
        f"# {name}",
        "",
        (
            "Written by `peerjudge bundle`. `transcripts.jsonl.gz` holds the discussions, `numbers/` and "
            "`report.html` what was computed from them, and `manifest.json` the experiment as it was run."
        ),
        "",
        "Check it, without a key and without a call:",
        "",
        "    peerjudge verify FILE.zip",
        "",
        "Every command reads the bundle like the run, for example `peerjudge score FILE.zip`.",
        "",
        (
            "To run the experiment again, put the folders `agents`, `protocols` and `experiments` beside "
            f"each other and run `peerjudge run {name}` with the data below."
        ),
        "",
    ]
    if known:
        lines.append(f"- Versions: {', '.join(known)}" + (f", Python {python}" if python else ""))
    for label, key in (
        ("Data", "dataset"),
        ("SHA-256 of the data", "data_hash"),
        ("Written", "written"),
    ):
        if manifest.get(key):
            lines.append(f"- {label}: {manifest[key]}")
    lines.append(f"- Licence of the data: {licence or 'not known'}")
    if experiment.get("seed") is not None:
        lines.append(f"- Seed: {experiment['seed']}")
    if not texts:
        lines.append("- Questions and answers are withheld: their SHA-256 stands in their place.")
    lines += [f"- Not included: {sentence}" for sentence in withheld]
    return "\n".join(lines) + "\n"


def _describe_crate(
    manifest: Mapping[str, object], members: Iterable[str], *, licence: str
) -> dict[str, object]:
    """Return the metadata of the bundle in the form of RO-Crate 1.1, a JSON-LD document.

    The licence is that of the data, which the discussions quote; empty where it is not known.
    """
    experiment = cast("Mapping[str, object]", manifest.get("experiment") or {})
    names = sorted(members)
    files = [
        {
            "@id": name,
            "@type": "File",
            "encodingFormat": _MEDIA.get(name[name.rfind(".") :], "text/plain"),
        }
        for name in names
    ]
    about = str(experiment.get("question") or "Discussions of language-model reviewers.")
    root: dict[str, object] = {
        "@id": "./",
        "@type": "Dataset",
        "name": str(experiment.get("name") or "study"),
        "description": about,
        "hasPart": [{"@id": name} for name in names],
    }
    if manifest.get("written"):
        root["datePublished"] = manifest["written"]
    data: dict[str, object] = {
        "@id": "#data",
        "@type": "Dataset",
        "name": str(manifest.get("dataset") or experiment.get("data") or "data"),
    }
    root["isBasedOn"] = {"@id": "#data"}
    entities: list[dict[str, object]] = [data]
    if licence:
        root["license"] = data["license"] = {"@id": "#licence"}
        about = "Licence of the data, which the discussions quote."
        entities.append(
            {"@id": "#licence", "@type": "CreativeWork", "name": licence, "description": about}
        )
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [descriptor, root, *entities, *files],
    }
