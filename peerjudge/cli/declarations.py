"""Declarations of functions, read from source, so that help need not import numpy and SQL."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import Parameter
from pathlib import Path

__all__ = [
    "Declaration",
    "find_module",
    "read_declaration",
    "read_members",
    "split_docstring",
    "write_for_shell",
]

_PACKAGE = Path(__file__).parents[1]

_SECTION = re.compile(r"^(?:Args|Options|Raises|Returns|Example):$", re.MULTILINE)
_ARGUMENTS = re.compile(r"^(?:Args|Options):\n((?: .*\n?|\n)*)", re.MULTILINE)
_ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)

_PYTHON_ALSO = re.compile(r";\s+in\s+Python\s+also\s[^.;]*|\s+In\s+Python\s+also\s[^.;]*\.")
"""What a function takes in addition to the words of a shell, as a clause or a sentence."""
_RETURN = re.compile(r"(?:\A|(?<=: ))Return ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A function as its source declares it.

    The annotations of `parameters` are text, and so is a default that is no literal (`Scheme.PRD`).
    `arguments` has the texts of its arguments by name.
    """

    parameters: tuple[Parameter, ...]
    description: str
    arguments: Mapping[str, str]


def read_declaration(place: str) -> Declaration:
    """Read the declaration of a function without importing its module.

    Args:
        place: Module below `peerjudge` and name, such as `results.rankings:rank`; of another package, its
            whole name.

    Raises:
            LookupError: The module has no such function, or a default is the name of no constant.
    """
    module, _, name = place.partition(":")
    tree = _parse(find_module(module))
    found = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    if not found:
        msg = f"{find_module(module)} has no function {name!r}"
        raise LookupError(msg)
    function = found[-1]  # Its overloads are before it.
    description, arguments = split_docstring(ast.get_docstring(function) or "")
    return Declaration(
        parameters=tuple(_list_parameters(function.args, tree)),
        description=description,
        arguments=arguments,
    )


def find_module(module: str) -> str:
    """Return the whole name of a module below `peerjudge`; names of other packages are whole."""
    ours = (_PACKAGE / f"{module.replace('.', '/')}.py").is_file()
    return f"peerjudge.{module}" if ours else module


def read_members(place: str) -> dict[str, str]:
    """Return the values of an enumeration by the names of its members, such as `data.ranking:Scoring`."""
    module, _, name = place.partition(":")
    return {
        ast.unparse(one.targets[0]): ast.literal_eval(one.value)
        for node in _parse(f"peerjudge.{module}").body
        if isinstance(node, ast.ClassDef) and node.name == name
        for one in node.body
        if isinstance(one, ast.Assign)
    }


def write_for_shell(text: str) -> str:
    """Return documentation without what only Python takes, and with printing in place of returning."""
    return _RETURN.sub("Print ", _PYTHON_ALSO.sub("", text))


def split_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return the description of a docstring in Google's form, and the texts of its arguments by name.

    The arguments are in the section `Args:`, those that only a command has in the section `Options:`.
    """
    listed = _ARGUMENTS.search(text)
    found = _ARGUMENT.findall(listed[1]) if listed else []
    return _SECTION.split(text)[0].strip(), {name: " ".join(said.split()) for name, said in found}


def _list_parameters(written: ast.arguments, tree: ast.Module) -> list[Parameter]:
    positional = [*written.posonlyargs, *written.args]
    found = [Parameter(one.arg, Parameter.POSITIONAL_ONLY) for one in positional]
    if written.vararg is not None:
        positional.append(written.vararg)
        found.append(Parameter(written.vararg.arg, Parameter.VAR_POSITIONAL))
    for one, default in zip(written.kwonlyargs, written.kw_defaults, strict=True):
        value = Parameter.empty if default is None else _evaluate(default, tree)
        found.append(Parameter(one.arg, Parameter.KEYWORD_ONLY, default=value))
    written_types = [one.annotation for one in (*positional, *written.kwonlyargs)]
    return [
        one.replace(annotation="" if written_type is None else ast.unparse(written_type))
        for one, written_type in zip(found, written_types, strict=True)
    ]


def _evaluate(value: ast.expr, tree: ast.Module) -> object:
    """Return the value of a literal, or of the name of one; text for other expressions."""
    if isinstance(value, ast.Name):
        return _find_constant(value.id, tree)
    try:
        return ast.literal_eval(value)
    except ValueError:
        return ast.unparse(value)


def _find_constant(name: str, tree: ast.Module) -> object:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names):
            return _find_constant(name, _parse(str(node.module)))
        if isinstance(node, ast.Assign) and any(
            ast.unparse(target) == name for target in node.targets
        ):
            return _evaluate(node.value, tree)
    msg = f"there is no constant {name!r}"
    raise LookupError(msg)


def _parse(module: str) -> ast.Module:
    if module.startswith("peerjudge."):
        return ast.parse((_PACKAGE.parent / f"{module.replace('.', '/')}.py").read_text("utf-8"))
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        msg = f"there is no module {module!r}"
        raise LookupError(msg)
    return ast.parse(Path(spec.origin).read_text("utf-8"))
