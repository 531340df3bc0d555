"""The page that leads from the papers to the commands names only what exists."""

import re
from pathlib import Path

import pytest

from peerjudge.cli import build_app
from peerjudge.shelf import Shelf

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "features" / "papers.md").read_text("utf-8")
COMMANDS = set(build_app())


@pytest.mark.parametrize(
    ("noun", "kind"),
    [("protocol", "protocols"), ("pack", "prompts"), ("experiment", "experiments")],
)
def test_names_of_the_shelf_exist(noun, kind):
    """Each protocol, pack and experiment that the page names is on the built-in shelf."""
    named = {
        name
        for after in re.findall(rf"{noun}s? ((?:`\w+`(?:, | and )?)+)", PAGE)
        for name in re.findall(r"`(\w+)`", after)
        if not name.startswith("_")
    }
    assert named
    shelf = Shelf(project=ROOT)
    for name in named:
        assert shelf.find(kind, name).name == name


def test_commands_and_their_options_exist(commands, tmp_path):
    """Each command in backticks is one of the command line, with the options beside it."""
    options: dict[str, set[str]] = {}
    for command, option in re.findall(r"`(\w+) (--[\w-]+)[^`]*`", PAGE):
        options.setdefault(command, set()).add(option)
    assert options.keys() <= COMMANDS
    for command, named in options.items():
        shown = commands.run(tmp_path, command, "--help").out
        assert [option for option in named if option not in shown] == [], command
