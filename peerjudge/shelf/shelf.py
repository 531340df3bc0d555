"""The three shelves of a project, and what is found on them by name.

A shelf is a folder of files, one item each, named by the file's stem. The user's project comes
first, then the built-in shelf. Listing names executes nothing; naming an item is consent to
execute its file, and only that file is executed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import cast, get_args

from peerjudge.data import Card, Experiment, PromptPack, ReviewerKind, Scalar, replace
from peerjudge.errors import CardError, ExperimentError, ShelfError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.shelf.folders import PLACES, Entry, Kind, builtin_root, files_on
from peerjudge.shelf.loading import load_module, read_protocol
from peerjudge.shelf.source import code_alone, file_text, first_paragraph

__all__ = ["Shelf"]

_SHOWN = 12
"""How many names an error lists."""
_NO_SETTINGS: Mapping[str, Scalar] = MappingProxyType({})


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
        if kind not in PLACES:
            msg = f"there is no shelf {kind!r}; the shelves are {list(get_args(Kind))}"
            raise ShelfError(msg)
        own = files_on((self.project or Path.cwd()).resolve(), kind)
        builtin = files_on(self.builtin.resolve() if self.builtin else None, kind)
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
        folder, endings = PLACES[kind]
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
            return hashlib.sha256(code_alone(file_text(entry.path)).encode()).hexdigest()
        except SyntaxError as cause:
            msg = f"{entry.path} does not load: {cause}"
            raise ShelfError(msg) from cause

    def card(self, name: str) -> Card:
        """The reviewer card: a `.toml` file, or the `CARD` of a `.py` file.

        A `.py` file that has only a `reviewer` function is a card of kind `python`.
        """
        path = self.find("agents", name).path
        if path.suffix == ".toml":
            from peerjudge.shelf.cards import read_card

            return read_card(name, file_text(path))
        module = load_module(path, "agents")
        card = getattr(module, "CARD", None)
        if card is None and callable(getattr(module, "reviewer", None)):
            return Card(
                name=name, kind=ReviewerKind.PYTHON, description=first_paragraph(module.__doc__)
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
        made: object = getattr(load_module(path, "agents"), "reviewer", None)
        return cast("Callable[[], object]", made) if callable(made) else None

    def protocol(
        self, name: str, options: Mapping[str, Scalar] = _NO_SETTINGS
    ) -> DiscussionProtocol:
        """The protocol with these options; text is read as the option's type (`"6"` as 6).

        Raises `ProtocolError` for a file that breaks the contract of `peerjudge.protocol`, and for
        an option that the protocol does not have or that has an unfit value.
        """
        return read_protocol(name, self.find("protocols", name).path, options)

    def prompts(self, name: str) -> PromptPack:
        """The prompt pack; raises `PromptError` where it is not one."""
        from peerjudge.prompts import read_pack

        return read_pack(name, file_text(self.find("prompts", name).path))

    def experiment(self, name: str | Path) -> Experiment:
        """The experiment of this name, or in the `.py` file at this path.

        Its name and question are those of the file (stem and first paragraph of the docstring)
        where the declaration leaves them empty.
        """
        path = self.experiment_path(name)
        module = load_module(path, "experiments")
        declared = getattr(module, "EXPERIMENT", None)
        if not isinstance(declared, Experiment):
            msg = f"{path} needs a constant EXPERIMENT that is a peerjudge.data.Experiment"
            raise ExperimentError(msg)
        return replace(
            declared,
            name=declared.name or path.stem,
            question=declared.question or first_paragraph(module.__doc__),
        )

    def experiment_path(self, name: str | Path) -> Path:
        """The file of an experiment given by name or by path; executes nothing."""
        if isinstance(name, str) and not name.endswith(".py"):
            return self.find("experiments", name).path
        path = Path(name).resolve()
        if path.suffix != ".py" or not path.is_file():
            msg = f"there is no experiment file {path}; give a .py file or a name that `list` shows"
            raise ShelfError(msg)
        return path
