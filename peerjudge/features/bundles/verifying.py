"""Verification of evidence bundles: digests, replies read again, and every number computed again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast
from zipfile import ZipFile

from peerjudge.data.arguments import check_arguments
from peerjudge.datasets.sources.records import digest_file
from peerjudge.errors import DataError, PeerJudgeError
from peerjudge.features.bundles.bundling import (
    NUMBERS_FOLDER,
    SUMMARY,
    SUMS,
    compute_numbers,
    list_sums,
    open_member,
    order_members,
    own_version,
)
from peerjudge.features.bundles.retracing import BundledRun, Retraced, retrace
from peerjudge.reporting.formats import counted
from peerjudge.reporting.layout import Table
from peerjudge.results.base import Document, Result, Shown
from peerjudge.runs.manifest import MANIFEST
from peerjudge.runs.transcript_files import (
    DAMAGED,
    MOST_MEMBERS,
    TRANSCRIPTS,
    read_member_manifest,
    require_bounded,
)

_RELATIVE = 1e-9
"""Difference of two numbers that other builds of numpy may cause."""
_SHOWN = 3
"""Differences that are named for each member."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One member of a bundle. `problem` is empty where nothing differs."""

    member: str
    recomputed: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verification(Result):
    """Checks of a bundle. `version` is the one that computed its numbers."""

    path: Path
    version: str
    checks: tuple[Check, ...]
    retraced: Retraced

    @property
    def holds(self) -> bool:
        """True if nothing that was checked differs; `retraced` says what was not."""
        return not any(check.problem for check in self.checks)

    def document(self) -> Document:
        """Return the document of `peerjudge verify --json`."""
        return {
            "path": str(self.path),
            "holds": self.holds,
            "computed_by": self.version,
            "verified_by": own_version(),
            "members": [
                {"member": check.member, "recomputed": check.recomputed, "problem": check.problem}
                for check in self.checks
            ],
            "discussions": self.retraced.discussions,
            "replies_read": self.retraced.replies,
            "conclusions_run": self.retraced.played,
            "ids_computed": self.retraced.identified,
            "unchecked": list(self.retraced.unchecked),
        }

    def parts(self) -> Shown:
        """Return one row for each member, what was checked, and what was not."""

        def describe(one: Check) -> str:
            if one.problem or one.recomputed:
                return one.problem or "recomputed, equal"
            return "lists the digests" if one.member == SUMS else "digest equal"

        rows = tuple((check.member, describe(check)) for check in self.checks)
        wrong = sum(bool(one.problem) for one in self.checks)
        done = self.retraced
        checked = (
            f"Checked: the digests of {counted(len(rows) - 1, 'member')}; "
            f"{sum(one.recomputed for one in self.checks)} recomputed from the transcripts; "
            f"{counted(done.replies, 'reply', 'replies')} read again; the conclusions of {done.played:,} "
            f"and the ids of {done.identified:,} of {counted(done.discussions, 'discussion')}."
        )
        conclusion = (
            "The bundle holds: nothing that was checked differs."
            if self.holds
            else f"The bundle does not hold: {counted(wrong, 'problem')}."
        )
        parts: list[str | Table] = [
            Table(title=str(self.path), headings=("Member", "State"), rows=rows, names=2),
            checked,
            *done.unchecked,
            conclusion,
        ]
        if self.version != own_version():
            parts.append(
                f"Its numbers were computed by PeerJudge {self.version}, this is {own_version()}: "
                "a changed method is a difference as well."
            )
        return parts


@check_arguments
def verify(bundle: str | Path, *, protocols: Sequence[str | Path] = ()) -> Verification:
    """Check a bundle: digests, files, readings of replies, conclusions, ids of discussions and numbers.

    Needs no key and no network, and executes nothing of the bundle. A bundle that holds agrees with itself:
    that its replies are those of the models cannot be seen from it.

    Args:
        bundle: File that `peerjudge bundle` wrote.
        protocols: Your own copies of the files of protocols that are not built in; each is executed if its
            code is that of the run.

    Raises:
        DataError: The file, or one of `protocols`, is missing, or the file is no bundle.
    """
    file = Path(bundle)
    if file.is_dir():
        msg = f"{file} is a folder, not a bundle; `peerjudge bundle {file} -o FILE.zip` writes one"
        raise DataError(msg)
    named = tuple(map(Path, protocols))
    for one in named:
        if not one.is_file():
            msg = f"there is no file {one}; --protocol names the file of a protocol"
            raise DataError(msg)
    try:
        with ZipFile(file) as archive:
            require_bounded(archive, file)
            names = archive.namelist()
            if SUMS not in names or SUMMARY not in names:
                msg = f"{file} is not a bundle: it has no {SUMS}; `peerjudge bundle` writes one"
                raise DataError(msg)
            contents, broken = _read_members(archive, names)
    except DAMAGED as cause:
        if not _begins_as_archive(file):
            msg = f"{file} is not a bundle: it is no zip archive"
            raise DataError(msg) from cause
        damaged = Check(member=file.name, problem=f"the archive is damaged: {cause}")
        return Verification(path=file, version="unknown", checks=(damaged,), retraced=Retraced())
    except OSError as cause:
        msg = f"cannot read {file}: {cause.strerror or cause}"
        raise DataError(msg) from cause
    return _verify(file, names, contents, broken, protocols=named)


def _begins_as_archive(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(2) == b"PK"


def _verify(
    file: Path,
    names: Sequence[str],
    contents: Mapping[str, bytes],
    broken: Mapping[str, str],
    *,
    protocols: Sequence[Path],
) -> Verification:
    problems = {**broken, **_check_sums(contents, broken)}
    try:
        read: object = json.loads(contents.get(SUMMARY, b"{}"))
    except (ValueError, RecursionError):
        read = None
    summary: Mapping[str, object] = {}
    if isinstance(read, dict):
        summary = cast("Mapping[str, object]", read)
    recomputed: set[str] = set()
    retraced = Retraced()
    if TRANSCRIPTS in contents and MANIFEST in contents:
        try:
            retraced, differing, recomputed = _recompute(contents, summary, protocols)
        except (PeerJudgeError, OSError, EOFError) as cause:
            differing = {TRANSCRIPTS: f"cannot be analysed: {cause}"}
        problems = {**differing, **retraced.problems, **problems}
    checks = [
        Check(member=name, recomputed=name in recomputed, problem=problems.get(name, ""))
        for name in sorted({*names, *problems})
    ]
    if not problems and not _is_as_written(file, contents):
        problem = "the archive itself differs from the one that `bundle` writes of these members"
        checks.append(Check(member=file.name, problem=problem))
    return Verification(
        path=file,
        version=str(summary.get("computed_by", "unknown")),
        checks=tuple(checks),
        retraced=retraced,
    )


def _read_members(archive: ZipFile, names: list[str]) -> tuple[dict[str, bytes], dict[str, str]]:
    contents: dict[str, bytes] = {}
    problems: dict[str, str] = {}
    for name in names:
        if name in contents:
            problems[name] = "is in the archive twice"
            continue
        try:
            contents[name] = archive.read(name)
        except (OSError, *DAMAGED) as cause:
            problems[name] = f"cannot be read: {cause}"
    return contents, problems


def _check_sums(contents: Mapping[str, bytes], broken: Mapping[str, str]) -> dict[str, str]:
    problems: dict[str, str] = {}
    wanted: dict[str, str] = {}
    lines = contents.get(SUMS, b"").decode(errors="replace").splitlines()
    if len(lines) > MOST_MEMBERS:
        return {SUMS: f"lists {len(lines):,} members, and no bundle has more than {MOST_MEMBERS:,}"}
    for line in lines:
        digest, _, name = line.partition("  ")
        wanted[name] = digest
    for name, digest in wanted.items():
        if name in broken:
            continue
        if name not in contents:
            problems[name] = "is missing"
        elif (own := hashlib.sha256(contents[name]).hexdigest()) != digest:
            problems[name] = f"has the SHA-256 {own[:12]}..., not {digest[:12]}..."
    for name in contents.keys() - wanted.keys() - {SUMS}:
        problems[name] = f"is not in {SUMS}"
    return problems


def _recompute(
    contents: Mapping[str, bytes], summary: Mapping[str, object], protocols: Sequence[Path]
) -> tuple[Retraced, dict[str, str], set[str]]:
    """Return the discussions retraced, the numbers that differ, and the members that were recomputed."""
    texts = bool(summary.get("texts", True))
    manifest = read_member_manifest(contents[MANIFEST])
    with TemporaryDirectory(prefix="peerjudge-") as folder:
        run = BundledRun(contents=contents, manifest=manifest, folder=Path(folder), named=protocols)
        versions = cast("Mapping[str, object]", manifest.get("versions") or {})
        played = versions.get("peerjudge")
        other = played not in {None, own_version()}
        retraced = retrace(run, unidentified=f"computed by PeerJudge {played}" if other else "")
        fresh = compute_numbers(Path(folder) / TRANSCRIPTS, manifest, texts=texts)
    problems: dict[str, str] = {}
    for name, content in fresh.items():
        if name not in contents:
            problems[name] = "is missing"
        elif problem := _compare(contents[name], content, name):
            problems[name] = problem
    foreign = {name for name in contents if name.startswith(NUMBERS_FOLDER)} - fresh.keys()
    problems |= dict.fromkeys(foreign, "is not computed from these transcripts")
    return retraced, problems, set(fresh)


def _compare(stored: bytes, fresh: bytes, name: str) -> str:
    if stored == fresh:
        return ""
    if not name.endswith(".json"):
        return "differs from the one made of the transcripts"
    try:
        held: object = json.loads(stored)
    except (ValueError, RecursionError) as cause:
        return f"is not JSON: {cause}"
    differences = list(_differences(held, json.loads(fresh), ""))
    more = f", and {len(differences) - _SHOWN} more" if len(differences) > _SHOWN else ""
    return "; ".join(differences[:_SHOWN]) + more


def _differences(held: object, fresh: object, path: str) -> Iterator[str]:
    """Yield one sentence for each value that differs by more than rounding."""
    if isinstance(held, dict) and isinstance(fresh, dict):
        ours, theirs = cast("dict[str, object]", fresh), cast("dict[str, object]", held)
        for key in [*ours, *(key for key in theirs if key not in ours)]:
            below = f"{path}.{key}" if path else key
            if key not in theirs or key not in ours:
                yield f"{below} is only {'recomputed' if key in ours else 'in the bundle'}"
            else:
                yield from _differences(theirs[key], ours[key], below)
    elif isinstance(held, list) and isinstance(fresh, list):
        theirs, ours = cast("list[object]", held), cast("list[object]", fresh)
        if len(theirs) != len(ours):
            yield f"{path} has {len(theirs)} items in the bundle, {len(ours)} recomputed"
            return
        for index, (their, our) in enumerate(zip(theirs, ours, strict=True)):
            yield from _differences(their, our, f"{path}[{index}]")
    elif not _is_same(cast("object", held), fresh):
        yield f"{path} is {held!r:.200} in the bundle, {fresh!r:.200} recomputed"


def _is_same(held: object, fresh: object) -> bool:
    if isinstance(held, bool) or isinstance(fresh, bool):
        return held is fresh
    if isinstance(held, int | float) and isinstance(fresh, int | float):
        with suppress(OverflowError):  # A whole number beyond the range of floats.
            return isclose(held, fresh, rel_tol=_RELATIVE, abs_tol=_RELATIVE)
    return held == fresh


def _is_as_written(file: Path, contents: Mapping[str, bytes]) -> bool:
    """Return whether the archive is, byte by byte, the one that `bundle` writes of these members."""
    digests = {
        name: hashlib.sha256(content).hexdigest()
        for name, content in contents.items()
        if name != SUMS
    }
    if contents[SUMS] != list_sums(digests):
        return False
    with TemporaryDirectory(prefix="peerjudge-") as folder:
        again = Path(folder) / "again.zip"
        with ZipFile(again, "w") as archive:
            for name in order_members(contents):
                archive.writestr(open_member(archive, name), contents[name])
        return digest_file(again) == digest_file(file)
