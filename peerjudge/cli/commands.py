"""Commands made of functions: the function declares and documents its options, and a rule reads them.

The rule is chosen by the type of a parameter. Its words say how a value is written in a shell, and
follow those of the function in the help. Options that only the command has are those of a second
function, which calls the first one and prints its result. Groups of options supply further arguments.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Container, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    get_origin,
    get_type_hints as read_types,
)

from cyclopts import Parameter
from cyclopts.validators import Number

from peerjudge.cli.declarations import (
    find_module,
    read_declaration,
    read_members,
    split_docstring,
    write_for_shell,
)
from peerjudge.cli.options import OUT_NAMES, ArgumentOptions, DataOptions, parse_pairs, split_names
from peerjudge.cli.tables import Layout, print_result
from peerjudge.registry import offers

if TYPE_CHECKING:
    from peerjudge.results.base import Result

__all__ = [
    "DISCUSSIONS",
    "REPEATED",
    "SEVERAL",
    "AddedOption",
    "AsJson",
    "Call",
    "FunctionCommand",
    "Option",
    "build_command",
    "pairs_option",
    "print_call",
]

R = TypeVar("R")
Names: TypeAlias = str | tuple[str, ...]
"""Names of an option, with their hyphens."""

AsJson: TypeAlias = Annotated[bool, Parameter(help="Print the result as one JSON document.")]
"""The option `--json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """Form of an argument in a shell.

    Attributes:
        type: Type that cyclopts reads; as text, the module below `peerjudge` and the name of an enumeration,
            whose values are read.
        words: Sentence that says how a value is written.
        names: Names of the option, where they are others than that of the parameter.
        convert: Function that makes the argument of the function of what was read.
    """

    type: Any
    words: str = ""
    names: Names = ()
    convert: Callable[[Any], object] | None = None

    def read(self, value: Any) -> object:  # noqa: ANN401  of the type of the form
        """Return the argument of the function."""
        return value if self.convert is None else self.convert(value)


def pairs_option(name: str, form: str, example: str) -> Option:
    """Return the form of a mapping, whose items are given one by one as `KEY=VALUE`.

    Args:
        name: Name of the option.
        form: Names of key and value, such as `REVIEWER=MODEL`.
        example: An item.
    """
    read = partial(parse_pairs, option=name, form=form, example=example)
    words = f"Written {form}; repeat for more."
    return Option(type=tuple[str, ...], words=words, names=name, convert=read)


def _parse_families(text: str) -> dict[str, str]:
    form = "name=family, separated by commas"
    return parse_pairs(
        split_names(text), option="--families", form=form, example="gpt_4o=gpt,gpt_4=gpt"
    )


REPEATED = Option(type=tuple[str, ...], words="Repeat for more.")
"""The form of texts that are given one by one."""


def _split_all(texts: Sequence[str]) -> list[str]:
    return [name for text in texts for name in split_names(text)]


SEVERAL = Option(
    type=tuple[str, ...],
    words="Repeat, or separate by commas; a name with a comma in double quotes.",
    convert=_split_all,
)
"""The form of names that choose, of which there may be several."""
DISCUSSIONS = Option(
    type=str,
    words="A run is a folder, a store URL or a bundle (.zip), transcripts are a file (.jsonl, .jsonl.gz).",
)
"""The form of a source of discussions."""
_NAMES = Option(
    type=str,
    words="Separated by commas; a name with a comma in double quotes.",
    convert=split_names,
)
_SOURCE = replace(
    DISCUSSIONS, words=f"{DISCUSSIONS.words} FILE.py:PATH names data that your own code reads."
)
_WEIGHTS = Option(type=Literal["equal", "peer"])
_OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        "bool": Option(type=bool),
        "int": Option(type=int),
        # numpy draws from no negative seed
        "seed: int": Option(type=Annotated[int, Parameter(validator=Number(gte=0))]),
        "float": Option(type=float),
        "Path": Option(type=Path),
        "str": Option(type=str),
        "str | Dataset": Option(type=str),
        "str | Path": Option(type=Path),
        "str | Path | None": Option(type=str),
        "str | Path | Experiment": Option(type=str),
        "str | Path | RunSummary": Option(type=str),
        "str | Sequence[str]": _NAMES,
        "str | Sequence[str | Question]": Option(type=str),
        "Sequence[str]": REPEATED,
        "Source": _SOURCE,
        "Source | Battles": _SOURCE,
        "Stored": _SOURCE,
        "Stance": Option(type=Literal["private", "final"]),
        "Scheme | str": Option(type="data.ranking:Scheme"),
        "Scoring | str": Option(type="data.ranking:Scoring"),
        "Literal['equal', 'peer']": _WEIGHTS,
        "Literal['equal', 'peer'] | Mapping[str, float]": _WEIGHTS,
        "families: Mapping[str, str] | None": Option(
            type=str, words="Written name=family, separated by commas.", convert=_parse_families
        ),
        "contestant_of: Mapping[str, str] | None": pairs_option(
            "--as", "REVIEWER=CONTESTANT", "my_vicuna=vicuna-13b"
        ),
    }
)
"""Forms by annotation, which may lack ` | None`, and by name and annotation."""
_NAMED: Mapping[str, Names] = MappingProxyType({"out": OUT_NAMES})
"""Names of options by parameter, in all commands."""
_PYTHON_ONLY = frozenset(
    {
        "Shelf | None",
        "Observer | None",
        "Callable[[str], None] | None",
        "Callable[[WrittenText], None] | None",
        "environ: Mapping[str, str] | None",
        "progress: bool | None",
    }
)
"""The same of parameters that have no form in a shell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[R]):
    """The arguments of a command that are those of its function.

    `sources` are those by position, `given` those of the options that were given.
    """

    function: str
    sources: tuple[str, ...]
    given: Mapping[str, Any]

    def compute(self, supplied: Mapping[str, object] = MappingProxyType({})) -> R:
        """Import the function, and return its result with the arguments that the command supplies."""
        module, _, name = self.function.partition(":")
        function: Callable[..., R] = getattr(import_module(find_module(module)), name)
        return function(*self.sources, **self.given, **supplied)

    def select(self, other: Callable[..., object]) -> dict[str, Any]:
        """Return the options that were given and that another function has as well."""
        known = inspect.signature(other).parameters
        return {name: value for name, value in self.given.items() if name in known}


def print_call(call: Call[Result], *, layout: Layout = "text", json: AsJson = False) -> int:
    """Print the result of the function."""
    print_result(call.compute(), json=json, layout=layout)
    return 0


Code: TypeAlias = int | Coroutine[Any, Any, int]
"""Exit code of a command, or what is awaited for it."""


class RunOption(Protocol):
    """What an added option does in place of its command."""

    def __call__(
        self,
        call: Call[Any],
        value: Any,  # noqa: ANN401  of the type that the option declares
        go_on: Callable[[Call[Any]], Code],
        own: Mapping[str, Any],
    ) -> Code:
        """Run the command with a value of the option, and return the exit code.

        Args:
            call: The call without the option.
            value: The value that was given.
            go_on: The command without the option; it takes the call, changed or not.
            own: The options that were given and that only the command or other features have, such as `json`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedOption:
    """An option that a feature adds to a command.

    Attributes:
        type: Type that cyclopts reads.
        about: Help in one sentence.
        run: What it does where it is given.
    """

    type: Any
    about: str
    run: RunOption

    def describe(self, name: str) -> inspect.Parameter:
        """Return the parameter of the command."""
        annotation = Annotated[self.type | None, Parameter(help=self.about)]
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(name, kind, default=None, annotation=annotation)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCommand:
    """A command that is made of a function.

    Attributes:
        function: Module below `peerjudge` and name, such as `results.rankings:rank`.
        run: Function that is given the call, and the options that only the command has; it returns the
            exit code. The section `Options:` of its docstring documents them.
        names: Names of options that differ from those of their parameters.
        options: Forms that differ from those of the types of their parameters.
        groups: Classes of options that supply arguments of the function.
        hook: Hook by which features add options (`AddedOption`), if there is one.
    """

    function: str
    run: Callable[..., Code] = print_call
    names: Mapping[str, Names] = field(default_factory=dict[str, Names])
    options: Mapping[str, Option] = field(default_factory=dict[str, Option])
    groups: tuple[type[ArgumentOptions], ...] = ()
    hook: str = ""

    def build(self) -> Callable[..., int]:
        """Return the command as cyclopts registers it, without importing the module of the function.

        Raises:
            TypeError: An option is not documented, or its type has no form in a shell.
        """
        declared = read_declaration(self.function)
        supplied = {one.name for group in self.groups for one in fields(group)}
        forms = self._choose_forms(declared.parameters, supplied)
        parameters = [
            _annotate(one, forms[one.name], write_for_shell(declared.arguments.get(one.name, "")))
            for one in declared.parameters
            if one.name in forms
        ]
        own = _annotate_own(self.run)
        of_data = [one for one in declared.parameters if _takes_data(one, forms.get(one.name))]
        by_position = any(one.kind is not inspect.Parameter.KEYWORD_ONLY for one in of_data)
        chosen_groups = (*self.groups, *((DataOptions,) if of_data else ()))
        groups = {group.__name__: _describe_group(group) for group in chosen_groups}
        parameters += groups.values()
        added = self._list_added({*supplied, *own, *forms, *groups})

        def command(*sources: str, **given: Any) -> int:  # noqa: ANN401
            ours, further, chosen = (_take(given, names) for names in (own, added, groups))
            given = {name: forms[name].read(value) for name, value in given.items()}
            for group in chosen.values():
                sources = _supply(group, sources, given, by_position=by_position)
            run: Callable[[Call[Any]], Code] = partial(self.run, **ours)
            for name, value in further.items():
                others = {other: given for other, given in further.items() if other != name}
                run = partial(added[name].run, value=value, go_on=run, own=ours | others)
            code = run(Call(function=self.function, sources=sources, given=given))
            return code if isinstance(code, int) else asyncio.run(code)

        command.__signature__ = inspect.Signature(
            [*parameters, *own.values(), *(one.describe(name) for name, one in added.items())]
        )  # pyright: ignore[reportFunctionMemberAccess]
        command.__annotations__ = {}
        command.__doc__ = write_for_shell(declared.description)
        return command

    def _list_added(self, taken: Container[str]) -> dict[str, AddedOption]:
        """Return the options that features add, but for those whose name the command has itself."""
        offered: dict[str, AddedOption] = offers(self.hook) if self.hook else {}
        return {name: one for name, one in offered.items() if name not in taken}

    def _choose_forms(
        self, parameters: Iterable[inspect.Parameter], supplied: Container[str]
    ) -> dict[str, Option]:
        chosen = {
            one.name: self._choose_form(one) for one in parameters if one.name not in supplied
        }
        return {name: form for name, form in chosen.items() if form is not None}

    def _choose_form(self, one: inspect.Parameter) -> Option | None:
        """Return the form of a parameter; `None` for one that only Python has."""
        written = str(one.annotation)
        keys = (f"{one.name}: {written}", written, written.removesuffix(" | None"))
        form = self.options.get(one.name)
        if form is None and not _PYTHON_ONLY.isdisjoint(keys):
            return None
        form = form or next((_OPTIONS[key] for key in keys if key in _OPTIONS), None)
        if form is None:
            msg = f"{one.name} of {self.function} has no form in a shell: add {written} to _OPTIONS"
            raise TypeError(msg)
        named = _NAMED.get(one.name, form.names)
        return replace(form, names=self.names.get(one.name, named))


def build_command(commands: Mapping[str, FunctionCommand], attribute: str) -> Callable[..., int]:
    """Build the command NAME of a module that offers it as the attribute `NAME_command`.

    Raises:
        AttributeError: There is no such command.
    """
    name = attribute.removesuffix("_command")
    if name == attribute or name not in commands:
        msg = f"the module has no attribute {attribute!r}"
        raise AttributeError(msg)
    return commands[name].build()


def _annotate(one: inspect.Parameter, form: Option, text: str) -> inspect.Parameter:
    """Return the parameter with a type that cyclopts reads, and with its help."""
    if not text:
        msg = f"the parameter {one.name} is not documented in the section Args of its function"
        raise TypeError(msg)
    more: dict[str, Any] = {"name": form.names} if form.names else {}
    if one.kind is inspect.Parameter.VAR_POSITIONAL:
        more["required"] = True
    default = one.default
    if default is True:
        more["negative"] = f"--no-{one.name.replace('_', '-')}"
    read: Any = form.type
    if isinstance(read, str):
        members = read_members(read)
        default, read = members[str(default).rpartition(".")[2]], Literal[*members.values()]
    if default in {None, ()}:
        default, read = ((), read) if get_origin(read) is tuple else (None, read | None)
    annotation = Annotated[read, Parameter(help=f"{text} {form.words}".strip(), **more)]
    return one.replace(annotation=annotation, default=default)


def _take(given: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: given.pop(name) for name in names if name in given}


def _supply(
    group: ArgumentOptions, sources: tuple[str, ...], given: dict[str, Any], *, by_position: bool
) -> tuple[str, ...]:
    """Add the arguments of a group to those given, and return the sources as it changes them."""
    if not isinstance(group, DataOptions):
        given |= group.list_arguments()
    elif by_position:
        return tuple(group.apply(source) for source in sources)
    elif group.map or group.codes:
        given["data"] = group.apply(given.get("data") or "")
    return sources


def _describe_group(group: type[ArgumentOptions]) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(group.__name__, kind, default=group(), annotation=group)


def _takes_data(one: inspect.Parameter, form: Option | None) -> bool:
    """Return whether a parameter names data whose columns and codes can be named."""
    return form is not None and (one.name == "data" or form == _SOURCE)


def _annotate_own(run: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """Return the parameters that only the command has, with their types and the help of the docstring."""
    _, *own = inspect.signature(run).parameters.values()
    _, texts = split_docstring(inspect.getdoc(run) or "")
    # The type of the call is left out: its names are imported for type checkers only.
    written = type("Own", (), {"__annotations__": {one.name: one.annotation for one in own}})
    scope = vars(import_module(run.__module__))
    types = read_types(written, globalns=scope, include_extras=True)
    found: dict[str, inspect.Parameter] = {}
    for one in own:
        annotation = types[one.name]
        if text := texts.get(one.name):
            annotation = Annotated[annotation, Parameter(name=_NAMED.get(one.name), help=text)]
        elif not is_dataclass(annotation) and not _has_help(annotation):
            msg = f"the parameter {one.name} of {run.__name__} is not documented"
            raise TypeError(msg)
        found[one.name] = one.replace(annotation=annotation)
    return found


def _has_help(annotation: object) -> bool:
    extras = getattr(annotation, "__metadata__", ())
    return any(isinstance(extra, Parameter) and extra.help for extra in extras)
