"""Finds and loads what a study varies: reviewer cards, protocols, prompt packs and experiments.

A shelf is a folder of files, one item each, named by the file's stem. The user's project comes
first, then the built-in shelf. Listing names executes nothing; naming an item is consent to
execute its file, and only that file is executed.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Literal, TypeVar, cast, get_args

from peerjudge.data import Card, Experiment, PromptPack, ReviewerKind, Scalar, Study
from peerjudge.errors import CardError, ExperimentError, ProtocolError, ShelfError
from peerjudge.protocol import Conclude, DiscussionProtocol, NextCue, NoOptions, last_verdict

__all__ = ["Entry", "Kind", "Shelf", "builtin_root"]

Kind = Literal["agents", "protocols", "prompts", "experiments"]

_PLACES: Mapping[Kind, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "agents": ("agents", (".toml", ".py")),
        "protocols": ("protocols", (".py",)),
        "prompts": ("protocols/prompts", (".toml",)),
        "experiments": ("experiments", (".py",)),
    }
)
_SHOWN = 12
"""How many names an error lists."""
_NO_SETTINGS: Mapping[str, Scalar] = MappingProxyType({})

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An item on a shelf. `shadows` is the built-in file that a user's file of this name hides."""

    kind: Kind
    name: str
    path: Path
    builtin: bool
    shadows: Path | None = None

    @property
    def description(self) -> str:
        """What the file says it is, read without executing it; empty where it says nothing."""
        try:
            text = self.path.read_text(encoding="utf-8")
            if self.path.suffix == ".py":
                return _first_paragraph(ast.get_docstring(ast.parse(text)))
            return str(tomllib.loads(text).get("description", ""))
        except (OSError, ValueError, SyntaxError):
            # A list must not fail over one bad file; loading it by name says what is wrong.
            return ""


def builtin_root() -> Path | None:
    """Where the built-in shelf is: inside the installed package, else the checkout it runs from."""
    package = Path(__file__).resolve().parent
    if (package / "builtin").is_dir():
        return package / "builtin"
    return package.parent if (package.parent / "protocols").is_dir() else None


@dataclass(frozen=True)
class Shelf:
    """The three shelves as seen from a project folder (default: the current working directory).

    Every method that takes a name raises `ShelfError`, naming what is there, for a name that is on
    no shelf, for one that two files of a folder share, and for a file that does not load.
    """

    project: Path | None = None
    builtin: Path | None = field(default_factory=builtin_root)

    def entries(self, kind: Kind) -> tuple[Entry, ...]:
        """What is on this shelf, by name; executes nothing."""
        if kind not in _PLACES:
            msg = f"there is no shelf {kind!r}; the shelves are {list(get_args(Kind))}"
            raise ShelfError(msg)
        own = _files((self.project or Path.cwd()).resolve(), kind)
        builtin = _files(self.builtin.resolve() if self.builtin else None, kind)
        found = [
            Entry(kind=kind, name=name, path=path, builtin=True)
            for name, path in builtin.items()
            if own.get(name, path) == path
        ]
        found += [
            Entry(kind=kind, name=name, path=path, builtin=False, shadows=builtin.get(name))
            for name, path in own.items()
            if builtin.get(name) != path
        ]
        return tuple(sorted(found, key=lambda entry: entry.name))

    def find(self, kind: Kind, name: str) -> Entry:
        """The item of this name; executes nothing."""
        entries = {entry.name: entry for entry in self.entries(kind)}
        if name in entries:
            return entries[name]
        near = get_close_matches(name, entries, n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        some = ", ".join(sorted(entries)[:_SHOWN])
        more = f", ... (`peerjudge list {kind}` shows all)" if len(entries) > _SHOWN else ""
        folder, endings = _PLACES[kind]
        msg = (
            f"no {name!r} among the {kind}: {guess}known are {some}{more}; "
            f"put your own in {folder}/{name}{endings[0]}"
        )
        raise ShelfError(msg)

    def digest(self, kind: Kind, name: str) -> str:
        """The SHA-256 of the item's file, as it goes into a run's manifest."""
        return hashlib.sha256(self.find(kind, name).path.read_bytes()).hexdigest()

    def code(self, kind: Kind, name: str) -> str:
        """The digest of what a user's Python file does; empty for built-in and other files.

        Comments, docstrings and layout do not count, so mending them makes nothing new.
        """
        entry = self.find(kind, name)
        if entry.builtin or entry.path.suffix != ".py":
            return ""
        try:
            return hashlib.sha256(_without_words(_text(entry.path)).encode()).hexdigest()
        except SyntaxError as cause:
            msg = f"{entry.path} does not load: {cause}"
            raise ShelfError(msg) from cause

    def card(self, name: str) -> Card:
        """The reviewer card: a `.toml` file, or the `CARD` of a `.py` file.

        A `.py` file that has only a `reviewer` function is a card of kind `python`.
        """
        path = self.find("agents", name).path
        if path.suffix == ".toml":
            from peerjudge.cards import read_card

            return read_card(name, _text(path))
        module = _load(path, "agents")
        card = getattr(module, "CARD", None)
        if card is None and callable(getattr(module, "reviewer", None)):
            return Card(
                name=name, kind=ReviewerKind.PYTHON, description=_first_paragraph(module.__doc__)
            )
        if not isinstance(card, Card):
            msg = f"{path} needs a constant CARD that is a peerjudge.data.Card, or a function reviewer()"
            raise CardError(msg)
        if card.name != name:
            msg = f"{path} holds a card named {card.name!r}; name it after its file, {name!r}"
            raise CardError(msg)
        return card

    def factory(self, name: str) -> Callable[[], object] | None:
        """The `reviewer` function of a `.py` card, which makes what speaks for it; else `None`."""
        path = self.find("agents", name).path
        if path.suffix == ".toml":
            return None
        made: object = getattr(_load(path, "agents"), "reviewer", None)
        return cast("Callable[[], object]", made) if callable(made) else None

    def protocol(
        self, name: str, options: Mapping[str, Scalar] = _NO_SETTINGS
    ) -> DiscussionProtocol:
        """The protocol with these options; text is read as the option's type (`"6"` as 6).

        Raises `ProtocolError` for a file that breaks the contract of `peerjudge.protocol`, and for
        an option that the protocol does not have or that has an unfit value.
        """
        path = self.find("protocols", name).path
        module = _load(path, "protocols")
        if not callable(getattr(module, "next_cue", None)) or not hasattr(module, "SEATS"):
            msg = f"{path} is not a protocol: it needs SEATS and a function next_cue"
            raise ProtocolError(msg)
        return DiscussionProtocol(
            name=name,
            description=_first_paragraph(module.__doc__),
            cue=cast("NextCue", module.next_cue),
            conclusion=cast("Conclude", getattr(module, "conclude", last_verdict)),
            options=_chosen(name, getattr(module, "Options", NoOptions), options),
            seats=_bounds(path, "SEATS", module.SEATS),
            answers=_bounds(path, "ANSWERS", getattr(module, "ANSWERS", (2, 2))),
            swap_symmetric=bool(getattr(module, "SWAP_SYMMETRIC", True)),
        )

    def prompts(self, name: str) -> PromptPack:
        """The prompt pack; raises `PromptError` where it is not one."""
        from peerjudge.prompts import read_pack

        return read_pack(name, _text(self.find("prompts", name).path))

    def experiment(self, name: str | Path) -> Experiment:
        """The experiment of this name, or in the `.py` file at this path.

        Its name and question are those of the file (stem and first paragraph of the docstring)
        where the declaration leaves them empty.
        """
        path = self.experiment_path(name)
        module = _load(path, "experiments")
        declared = getattr(module, "EXPERIMENT", None)
        if not isinstance(declared, Experiment):
            msg = f"{path} needs a constant EXPERIMENT that is a peerjudge.data.Experiment"
            raise ExperimentError(msg)
        return replace(
            declared,
            name=declared.name or path.stem,
            question=declared.question or _first_paragraph(module.__doc__),
        )

    def study(self, name: str | Path) -> Callable[..., Study] | None:
        """The `study` function of an experiment that computes instead of playing; else `None`.

        It takes the keyword `seed` and returns a `Study`.
        """
        made: object = getattr(_load(self.experiment_path(name), "experiments"), "study", None)
        return cast("Callable[..., Study]", made) if callable(made) else None

    def experiment_path(self, name: str | Path) -> Path:
        """The file of an experiment given by name or by path; executes nothing."""
        if isinstance(name, str) and not name.endswith(".py"):
            return self.find("experiments", name).path
        path = Path(name).resolve()
        if path.suffix != ".py" or not path.is_file():
            msg = f"there is no experiment file {path}; give a .py file or a name that `list` shows"
            raise ShelfError(msg)
        return path


def _files(root: Path | None, kind: Kind) -> Mapping[str, Path]:
    """The files of one shelf folder by stem; those that start with `_` or `.` are not on it."""
    place, endings = _PLACES[kind]
    found: dict[str, Path] = {}
    if root is None or not (root / place).is_dir():
        return found
    for path in sorted((root / place).iterdir()):
        if path.suffix not in endings or path.name.startswith(("_", ".")) or not path.is_file():
            continue
        if path.stem in found:
            msg = f"{found[path.stem]} and {path} share the name {path.stem!r}; rename one of them"
            raise ShelfError(msg)
        found[path.stem] = path
    return found


def _load(path: Path, kind: Kind) -> ModuleType:
    """The module in this file, executed once per process.

    It is registered before it is executed, because a dataclass with postponed annotations looks
    its own module up. The name is mangled, so that a shelf file never stands in for a package.
    """
    path = path.resolve()
    place = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = f"_peerjudge_{kind}_{path.stem}_{place}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        msg = f"{path} cannot be loaded as Python"
        raise ShelfError(msg)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as cause:
        del sys.modules[name]
        if not isinstance(cause, Exception):
            raise
        msg = f"{path} does not load: {type(cause).__name__}: {cause}"
        raise ShelfError(msg) from cause
    return module


def _chosen(protocol: str, kind: type[T], options: Mapping[str, Scalar]) -> T:
    from pydantic import TypeAdapter, ValidationError

    known = [entry.name for entry in fields(kind)]  # pyright: ignore[reportArgumentType]
    for option in options:
        if option not in known:
            near = get_close_matches(option, known, n=1)
            guess = f"did you mean {near[0]!r}? " if near else ""
            msg = f"protocol {protocol!r} has no option {option!r}: {guess}it has {sorted(known)}"
            raise ProtocolError(msg)
    try:
        return TypeAdapter(kind).validate_python(dict(options))
    except ValidationError as cause:
        first = cause.errors()[0]
        msg = (
            f"option {'.'.join(map(str, first['loc']))!r} of protocol {protocol!r}: "
            f"{first['msg']} (found {first['input']!r})"
        )
        raise ProtocolError(msg) from cause


def _bounds(path: Path, constant: str, value: object) -> tuple[int, int | None]:
    match value:
        case (int() as least, int() | None as most) if least > 0 and (
            most is None or most >= least
        ):
            return least, most
        case _:
            msg = f"{path}: {constant} must be (least, most), most None for no limit, not {value!r}"
            raise ProtocolError(msg)


def _first_paragraph(docstring: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(inspect.cleandoc(docstring or "").split("\n\n")[0].split())


def _without_words(source: str) -> str:
    """The Python source without comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if ast.get_docstring(node, clean=False) is not None:
                    del node.body[0]
            case _:
                pass
    return ast.unparse(tree)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        msg = f"{path} cannot be read as UTF-8 text: {cause}"
        raise ShelfError(msg) from cause
