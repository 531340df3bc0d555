"""The wheel carries the whole of PeerJudge: package, types and every shelf file."""

import ast
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.parser import Parser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

REPOSITORY = Path(__file__).resolve().parents[2]
SHELVES = ("agents", "protocols", "experiments")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*build, str(REPOSITORY)], check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment that has the wheel, and the dependencies of this one but not its checkout."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # A path added by a .pth file is searched, but its own .pth files (our editable install) are not.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def _in_environment(environment, *arguments, cwd):
    return subprocess.run(
        [str(environment / "bin" / "python"), *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": "", "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_wheel_holds_every_shelf_file(wheel):
    """Every reviewer, protocol, prompt pack and experiment of the repository is in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        shipped = set(archive.namelist())
    for shelf in SHELVES:
        for path in (REPOSITORY / shelf).rglob("*"):
            if path.suffix in {".py", ".toml"}:
                assert f"peerjudge/builtin/{path.relative_to(REPOSITORY)}" in shipped
    assert "peerjudge/py.typed" in shipped


def test_wheel_claims_no_common_import_name(wheel):
    """Installing PeerJudge adds one import name, so it cannot overwrite anybody's `agents`."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"peerjudge"}


def test_wheel_declares_what_it_imports(wheel):
    """Every package that the shipped code imports is among the wheel's requirements."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        required = Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist")
        imported = {
            top
            for name in archive.namelist()
            if name.endswith(".py")
            for top in _imported(ast.parse(archive.read(name)))
        }
    declared = {re.split(r"[^\w.-]", one)[0].lower().replace("_", "-") for one in required}
    homes = packages_distributions()
    foreign = imported - sys.stdlib_module_names - {"peerjudge"}
    assert {"numpy", "autogen_core"} <= foreign
    for top in foreign - {"pydantic_core"}:  # a part of pydantic, which pins it
        names = {home.lower().replace("_", "-") for home in homes.get(top, [top])}
        assert names & declared, top


def _imported(tree):
    """What the code imports when it runs: not what only its types name."""
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in typed:
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and id(node) not in typed:
            yield node.module.split(".")[0]


def test_installed_wheel_plays_an_experiment(installed, tmp_path):
    """The quickstart runs from the wheel alone, in a folder that has no shelves."""
    where = _in_environment(
        installed, "-c", "import peerjudge; print(peerjudge.__file__)", cwd=tmp_path
    )
    assert str(installed) in where.stdout, where.stderr
    play = _in_environment(
        installed, "-m", "peerjudge", "run", "quickstart", "--limit", "2", cwd=tmp_path
    )
    assert play.returncode == 0, play.stderr


@pytest.mark.parametrize("place", ["checkout", "wheel"])
def test_peerjudge_lives_beside_openai_agents(place, installed, tmp_path):
    """`import agents` still means OpenAI's package, even in a folder that holds our agents/ shelf."""
    (tmp_path / "agents").mkdir()
    python = Path(sys.executable) if place == "checkout" else installed / "bin" / "python"
    code = (
        "import agents, peerjudge.shelf as s;"
        "assert agents.Runner; print([e.name for e in s.Shelf().entries('agents')])"
    )
    cwd = REPOSITORY if place == "checkout" else tmp_path
    outcome = subprocess.run(
        [str(python), "-c", code], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 0, outcome.stderr
    assert "sim_strong" in outcome.stdout
