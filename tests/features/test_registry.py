"""Features: what is declared is there, each can be away, and other packages can bring their own."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.cli import build_app
from peerjudge.registry import HOOKS, Feature, find_command, import_place, list_features

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "peerjudge" / "features"
OURS = list_features(foreign=False)


@pytest.mark.parametrize("feature", OURS, ids=lambda feature: feature.name)
def test_what_a_feature_declares_exists(feature: Feature):
    """Every place of a folder can be imported, and each hook is one that the core asks for."""
    assert feature.about.endswith(".")
    assert feature.hooks.keys() <= HOOKS.keys()
    places = [command.place for command in feature.commands.values()]
    places += feature.functions.values()
    places += [place for offers in feature.hooks.values() for place in offers.values()]
    assert places
    for place in places:
        assert import_place(place, feature) is not None


@pytest.mark.parametrize("feature", OURS, ids=lambda feature: feature.name)
def test_the_init_of_a_feature_imports_only_the_registry(feature: Feature):
    """Looking for features costs no import of what they do."""
    source = (ROOT / feature.home.replace(".", "/") / "__init__.py").read_text("utf-8")
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    assert [node.module for node in imports] == ["peerjudge.registry"]


def test_every_hook_is_used_by_a_feature_of_ours():
    """What the core asks for has an offer, so that each hook is tried by the tests of a feature."""
    assert {hook for feature in OURS for hook in feature.hooks} == {*HOOKS}


def test_no_two_features_take_one_name():
    """A command or function of a folder has a name that neither the core nor another folder has."""
    commands = [name for feature in OURS for name in feature.commands]
    functions = [name for feature in OURS for name in feature.functions]
    assert len({*commands}) == len(commands)
    assert len({*functions}) == len(functions)
    assert not {*functions} & pj._HOMES.keys()
    for name in commands:
        assert find_command(name) is not None
        assert build_app()[name] is not None


def test_type_checkers_see_the_names_that_python_finds():
    """The imports for type checkers are the names of the core and of our features, each from its home."""
    tree = ast.parse((ROOT / "peerjudge" / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    written = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {name: f"peerjudge.{module}" for name, module in pj._HOMES.items()}
    for feature in OURS:
        homes |= {
            name: f"{feature.home}.{place.partition(':')[0]}"
            for name, place in feature.functions.items()
        }
    assert written == homes
    assert {"__version__", *homes} == {*dir(pj)}


HIDING = """
import io, os, sys, traceback
from contextlib import redirect_stderr, redirect_stdout
# What takes the time is imported once; PeerJudge itself is imported by each child from a folder of its own.
import cyclopts.completion.install, jinja2.sandbox, msgspec, numpy, rich.live, scipy.stats
import sqlalchemy.ext.asyncio, structlog

def play(words):
    from peerjudge.cli import main
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        try:
            main(words)
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"{words}: {ended.code}: {said.getvalue()}") from None
    return said.getvalue()

def use(place, hidden, commands):
    sys.path.insert(0, place)
    os.mkdir(f"{place}-work")  # a folder that is no project
    os.chdir(f"{place}-work")
    import peerjudge
    assert peerjudge.__file__.startswith(place), peerjudge.__file__
    from peerjudge.cli import build_app
    play(["--help"])
    assert not {*commands} & {*build_app()}
    listed = play(["list", "features"]).splitlines()
    assert hidden not in [line.split()[0] for line in listed if line.strip()]
    play(["run", "quickstart", "--limit", "2", "--out", "study", "--display", "none"])
    play(["score", "study"])
    play(["report", "study"])
    if "shelves" not in sys.argv:
        play(["init", "project"])
        os.chdir("project")
    play(["check"])

for place, hidden, *commands in (line.split() for line in sys.stdin):
    child = os.fork()
    if child == 0:
        try:
            use(place, hidden, commands)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    print(hidden, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def hide(hidden: tuple[Feature, ...], copy: Path) -> None:
    """Write a package that lacks features, made of links to ours."""
    features = copy / "peerjudge" / "features"
    features.mkdir(parents=True)
    for shelf in ("agents", "protocols", "experiments"):
        (copy / shelf).symlink_to(ROOT / shelf)
    away = {"features", "__pycache__", *(feature.name for feature in hidden)}
    for folder, place in ((ROOT / "peerjudge", copy / "peerjudge"), (FOLDER, features)):
        for found in folder.iterdir():
            if found.name not in away:
                (place / found.name).symlink_to(found)


def play_without(cases: dict[str, tuple[Feature, ...]], folder: Path, *checked: str) -> None:
    """Run the core without some features, for each case; check our `shelves`, or a new project."""
    requests: list[str] = []
    for name, hidden in cases.items():
        hide(hidden, folder / name)
        commands = [command for feature in hidden for command in feature.commands]
        requests.append(" ".join([str(folder / name), hidden[0].name, *commands]))
    done = subprocess.run(
        [sys.executable, "-c", HIDING, *checked],
        input="\n".join(requests),
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [f"{hidden[0].name} 0" for hidden in cases.values()]
    assert done.stdout.splitlines() == expected, done.stderr


def test_the_core_runs_without_features(tmp_path: Path):
    """With all folders away, all but their commands is there: help, a run, its score and report, a check."""
    play_without({"none": OURS}, tmp_path)


@pytest.mark.slow
def test_the_core_runs_without_any_one_feature(tmp_path: Path):
    """With one folder away, the others and the core are there; without all, our shelves have no loose end."""
    play_without({feature.name: (feature,) for feature in OURS}, tmp_path)
    play_without({"none": OURS}, tmp_path, "shelves")


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory):
    """Install the sample package into a folder, and return a function that runs Python with it."""
    folder = tmp_path_factory.mktemp("outside")
    source = ROOT / "tests" / "features" / "outside"
    install = ("pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index")
    words = [sys.executable, "-m", *install, "--target", str(folder), str(source)]
    subprocess.run(words, check=True, capture_output=True)

    def run(*words: str):
        return subprocess.run(
            [sys.executable, *words],
            env=os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "150"},
            capture_output=True,
            text=True,
        )

    return run


def test_another_package_adds_commands_and_functions(outside):
    """An installed package offers its commands and functions beside ours, with help from their docstrings."""
    listed = outside("-m", "peerjudge", "list", "features")
    assert "greetings" in listed.stdout
    assert "peerjudge-greetings 0.3" in listed.stdout
    done = outside("-m", "peerjudge", "greet", "ann", "--times", "2")
    assert (done.stdout, done.returncode) == ("hello ann ann\n", 0)
    assert "How often to greet" in outside("-m", "peerjudge", "greet", "--help").stdout
    assert outside("-m", "peerjudge", "wave").stdout == "waves\n"
    program = "import peerjudge as pj; print(pj.greet('bob'), 'greet' in dir(pj))"
    assert outside("-c", program).stdout == "hello bob True\n"


def test_another_package_adds_an_option_to_run(outside, tmp_path):
    """An option of an installed package is in the help and does its part; one that we have stays ours."""
    words = ("-m", "peerjudge", "run", "quickstart", "--dry-run", "--limit", "1")
    done = outside(*words, "--greeting", "hello", "--out", str(tmp_path / "study"))
    assert done.stdout.startswith("hello quickstart dry_run\n"), done.stderr
    assert "28 discussions on 1 comparisons" in done.stdout
    shown = outside("-m", "peerjudge", "run", "--help").stdout
    assert "Greeting that is printed first." in shown
    assert shown.count("--limit") == 1
    assert outside(*words).stdout in done.stdout


def test_another_package_brings_datasets(outside, tmp_path):
    """A dataset of an installed package is listed and read like ours, and none of ours is replaced."""
    (tmp_path / "names.txt").write_text("ann bob")
    program = (
        "import sys; from peerjudge.datasets import list_datasets, load\n"
        "print(len(load(sys.argv[1]).comparisons), list_datasets()['sample'].place is None)"
    )
    assert outside("-c", program, f"greetings:{tmp_path / 'names.txt'}").stdout == "2 False\n"
    assert "one name a line" in outside("-m", "peerjudge", "list", "datasets").stdout


def test_another_package_brings_reviewers(outside):
    """Cards of an installed package are on the shelf after ours; their code is in a run's identity."""
    program = (
        "from peerjudge.shelf import Shelf; own = Shelf()\n"
        "print(own.card('greeter').kind, len(own.code('agents', 'greeter')), own.card('sim_solid').kind)\n"
        "print(len(own.code('experiments', 'tournament')))"
    )
    assert outside("-c", program).stdout == "python 64 simulated\n0\n"


def test_another_package_cannot_break_ours(outside):
    """Our names stay ours, and a feature that does not load is one sentence."""
    shown = outside("-m", "peerjudge", "--help")
    assert shown.returncode == 0
    assert "Greet a reviewer." in shown.stdout
    assert "Not the score." not in shown.stdout
    assert "Not the plan." not in shown.stdout
    said = outside("-m", "peerjudge", "list", "features").stderr.splitlines()
    hooks = f"the hooks are {', '.join(HOOKS)}"
    package = "peerjudge-greetings 0.3"
    broken = "does not load: RuntimeError: written for; update or uninstall that package"
    assert sorted(said) == [
        f"warning: broken:list_greetings of the feature 'greetings' of {package} {broken}",
        "warning: the command 'plan' of 'greetings' is not used: 'planning' has one",
        "warning: the command 'score' of 'greetings' is not used: PeerJudge has one",
        f"warning: the feature 'greetings' of {package} uses a hook 'dance' that does not exist; {hooks}",
        f"warning: the feature 'loud' of {package} does not load: RuntimeError: written for",
        "warning: the function 'fork' of 'greetings' is not used: 'forks' has one",
        "warning: the function 'run' of 'greetings' is not used: PeerJudge has one",
    ]
    listed = outside("-m", "peerjudge", "list", "greetings")
    assert (listed.returncode, listed.stderr.count("\n")) == (2, 1)
    assert listed.stderr.startswith("error: broken:list_greetings of the feature 'greetings'")
    assert outside("-m", "peerjudge", "list", "papers").returncode == 0
    program = (
        "import peerjudge as pj; print(pj.run.__module__, pj.fork.__module__, hasattr(pj, 'no'))"
    )
    done = outside("-c", program)
    assert done.stdout.split() == [
        *("peerjudge.runs.runner", "peerjudge.features.forks.forking", "False"),
    ]
