"""The contract of commands that are made of functions: every option is declared and documented once."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import fields
from importlib import import_module

import pytest
from docstring_parser import DocstringStyle, parse

from peerjudge.cli import build_app
from peerjudge.cli.analyses import COMMANDS as ANALYSES
from peerjudge.cli.commands import AsJson, Call, FunctionCommand
from peerjudge.cli.declarations import read_declaration, split_docstring, write_for_shell
from peerjudge.cli.playing import COMMANDS as PLAYING

COMMANDS: dict[str, FunctionCommand] = {**ANALYSES, **PLAYING}
PYTHON_ONLY = {"environ", "observer", "on_step", "on_text", "progress", "shelf"}
"""Parameters for which a shell has other means."""


def list_documented(function) -> dict[str, str]:
    """Return the texts of the arguments of a function by name, read by a parser of another author."""
    found = parse(inspect.getdoc(function) or "", style=DocstringStyle.GOOGLE).params
    return {one.arg_name: " ".join((one.description or "").split()) for one in found}


def import_function(command: FunctionCommand):
    """Return the function of a command."""
    module, _, name = command.function.partition(":")
    return getattr(import_module(f"peerjudge.{module}"), name)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_is_documented_by_its_function_or_by_its_command(name: str):
    """The help of an option begins with the words of one of both, as a shell needs them."""
    command = COMMANDS[name]
    theirs = list_documented(import_function(command))
    _, own = split_docstring(inspect.getdoc(command.run) or "")
    grouped = {one.name for group in command.groups for one in fields(group)}
    shown = [
        one
        for one in build_app()[name].assemble_argument_collection(parse_docstring=True)
        if one.show
    ]
    assert len(shown) > 1
    for one in shown:
        help_text = " ".join((one.parameter.help or "").split())
        place = one.field_info.name
        assert help_text, f"{name} has no help of {one.name}"
        assert not (place in theirs and place in own), f"{place} of {name} is documented twice"
        if place in theirs.keys() - grouped:
            assert help_text.startswith(write_for_shell(theirs[place]))
        elif place in own:
            assert help_text == own[place]
    assert theirs.keys() - PYTHON_ONLY <= {one.field_info.name for one in shown}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_source_of_a_function_is_read_as_python_reads_it(name: str):
    """Names, types and defaults of parameters, and all documentation, are those of the function itself."""
    command = COMMANDS[name]
    function = import_function(command)
    imported = inspect.signature(function).parameters
    read = read_declaration(command.function)
    assert read.arguments == list_documented(function)
    assert (inspect.getdoc(function) or "").startswith(read.description)
    assert {one.name: one.annotation for one in read.parameters} == {
        one.name: str(one.annotation).replace('"', "'") for one in imported.values()
    }
    built = inspect.signature(command.build()).parameters
    for place in built.keys() & imported.keys():
        assert (built[place].default or None) == (imported[place].default or None)


def run_undocumented(call: Call[object], *, depth: int = 0, json: AsJson = False) -> int:
    """Take an option without a word about it."""
    return depth


def test_an_option_without_documentation_is_refused():
    """Neither a function nor a command can have an option that the help does not explain."""
    undocumented = FunctionCommand(function="results.base:list_names")
    with pytest.raises(TypeError, match="names is not documented"):
        undocumented.build()
    with pytest.raises(TypeError, match="depth of run_undocumented is not documented"):
        FunctionCommand(function="results.scores:score", run=run_undocumented).build()


def test_a_parameter_that_a_shell_cannot_give_is_refused():
    """A new type needs a rule, which says how its value is written."""
    with pytest.raises(TypeError, match=r"tournament of .* has no form in a shell"):
        FunctionCommand(function="results.rankings:_trace").build()


HELP = """
import sys
from peerjudge.cli import main
try:
    main([sys.argv[1], "--help"])
except SystemExit:
    pass
loaded = {"numpy", "sqlalchemy", "peerjudge.runs"} & set(sys.modules)
print("loaded:", sorted(loaded))
"""


SAYS = {
    "compare": "Every pair has the mean difference with its interval",
    "rank": "Rank the contestants, best first, and weigh the reviewers",
}


@pytest.mark.parametrize("name", SAYS)
def test_help_explains_a_command_without_importing_what_it_does(name: str):
    """Help begins with all that the function says of itself, and is quick: it needs no numpy and no SQL."""
    words = [sys.executable, "-c", HELP, name]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    told = " ".join(done.stdout.split())
    assert SAYS[name] in told
    assert told.endswith("loaded: []")
