"""The shelves of a project: cards, protocols, prompt packs and experiments by name.

A shelf is a folder of files named by their stems. The user's project comes first, then the built-in
shelf. Listing executes nothing; loading a file by name executes that file only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar, cast, get_args

from peerjudge.data import (
    Card,
    Experiment,
    PromptPack,
    ReviewerKind,
    Scalar,
    Search,
    content_hash,
    from_plain,
    replace,
    to_plain,
)
from peerjudge.data.choices import suggest_name
from peerjudge.errors import (
    CardError,
    DataError,
    ExperimentError,
    PeerJudgeError,
    PromptError,
    ShelfError,
)
from peerjudge.protocol import DiscussionProtocol
from peerjudge.shelf.folders import (
    PLACES,
    Entry,
    Kind,
    builtin_root,
    first_paragraph,
    is_foreign,
    list_feature_roots,
    list_files,
    read_text,
    strip_words,
)
from peerjudge.shelf.loading import load_module, load_protocol

T = TypeVar("T", Card, Experiment, Search)

_SHOWN = 12
"""The most names that an error lists."""


def validate(noun: T, origin: Path | str, error: type[PeerJudgeError]) -> T:
    """Return a noun that user code constructed, with every field checked against its type.

    Raises the error; its message begins with the origin.
    """
    try:
        return from_plain(type(noun), to_plain(noun))
    except (DataError, TypeError, NotImplementedError) as cause:
        msg = f"{origin}: {cause}"
        raise error(msg) from cause


@dataclass(frozen=True)
class Shelf:
    """The shelves as seen from a project folder (default: the current working directory).

    Methods that take a name raise `ShelfError` for a name on no shelf, for a name that two files of a
    folder share, and for a file that does not load.
    """

    project: Path | None = None
    builtin: Path | None = field(default_factory=builtin_root)

    def entries(self, kind: Kind) -> tuple[Entry, ...]:
        """Return the entries of this shelf by name; executes nothing."""
        if kind not in PLACES:
            msg = f"there is no shelf {kind!r}; the shelves are {list(get_args(Kind))}"
            raise ShelfError(msg)
        own = list_files((self.project or Path.cwd()).resolve(), kind)
        builtin = self._list_builtin(kind)
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

    def _list_builtin(self, kind: Kind) -> dict[str, Path]:
        """Return the files of the built-in shelf, and of features, whose names come after ours."""
        if self.builtin is None:
            return {}
        found = dict(list_files(self.builtin.resolve(), kind))
        for root in list_feature_roots():
            found = {**list_files(root, kind), **found}
        return found

    def find(self, kind: Kind, name: str) -> Entry:
        """Return the entry of this name; executes nothing."""
        entries = {entry.name: entry for entry in self.entries(kind)}
        if name in entries:
            return entries[name]
        hint = suggest_name(name, entries) or "."
        some = ", ".join(sorted(entries)[:_SHOWN])
        more = f", ... (`peerjudge list {kind}` shows all)" if len(entries) > _SHOWN else ""
        folder, suffixes = PLACES[kind]
        msg = (
            f"no {name!r} among the {kind}{hint} Choose one of {some}{more}; "
            f"put your own in {folder}/{name}{suffixes[0]}"
        )
        raise ShelfError(msg)

    def digest(self, kind: Kind, name: str) -> str:
        """Return the SHA-256 of the file, as a run's manifest records it."""
        return hashlib.sha256(self.find(kind, name).path.read_bytes()).hexdigest()

    def code(self, kind: Kind, name: str) -> str:
        """Return the digest of Python code of a user or another package; empty for ours and other files.

        Comments, docstrings and layout do not count, so that editing them changes no identity.
        """
        entry = self.find(kind, name)
        ours = entry.builtin and not is_foreign(entry.path)
        if ours or entry.path.suffix != ".py":
            return ""
        try:
            return hashlib.sha256(strip_words(read_text(entry.path)).encode()).hexdigest()
        except SyntaxError as cause:
            msg = f"{entry.path} does not load: {cause}"
            raise ShelfError(msg) from cause

    def card(self, name: str) -> Card:
        """Return the reviewer card: a `.toml` file, or the constant `CARD` of a `.py` file.

        A `.py` file that has only a function `reviewer` is a card of kind `python`. Raises
        `CardError` for a card with a wrong field.
        """
        path = self.find("agents", name).path
        if path.suffix == ".toml":
            from peerjudge.shelf.cards import read_card

            return read_card(name, read_text(path))
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
        return validate(card, path, CardError)

    def factory(self, name: str) -> Callable[[], object] | None:
        """Return the function `reviewer` of a `.py` card, which makes the reviewer; else `None`."""
        path = self.find("agents", name).path
        if path.suffix == ".toml":
            return None
        made: object = getattr(load_module(path, "agents"), "reviewer", None)
        return cast("Callable[[], object]", made) if callable(made) else None

    def protocol(
        self, name: str, options: Mapping[str, Scalar] = MappingProxyType({})
    ) -> DiscussionProtocol:
        """Return the protocol with these options; text is read as the option's type (`"6"` as 6).

        Raises `ProtocolError` for a file that declares no protocol and for an unknown or unfit option.
        """
        return load_protocol(name, self.find("protocols", name).path, options)

    def prompts(self, name: str) -> PromptPack:
        """Return the prompt pack, with what it takes from the packs that it extends.

        A user's pack may extend the built-in pack of its own name. Raises `PromptError` for a file that
        holds none, and for packs that extend each other.
        """
        from peerjudge.prompts import name_base, read_pack

        chain = [(name, self.find("prompts", name).path)]
        while base := name_base(read_text(chain[-1][1])):
            entry = self.find("prompts", base)
            path = entry.shadows if entry.path == chain[-1][1] and entry.shadows else entry.path
            if (base, path) in chain:
                names = " -> ".join([one for one, _ in chain] + [base])
                msg = f"prompt packs extend each other: {names}; remove one extends"
                raise PromptError(msg)
            chain.append((base, path))
        pack: PromptPack | None = None
        for each, path in reversed(chain):
            pack = read_pack(each, read_text(path), base=pack)
        assert pack is not None  # noqa: S101  the chain begins with the pack itself
        return pack

    def experiment(
        self, name: str | Path, *, seats: Mapping[str, str] = MappingProxyType({})
    ) -> Experiment:
        """Return the experiment of this name, or of the `.py` file at this path.

        If the file has a function `arrange`, it makes the experiment for seats (cards by name) that are
        given; without seats, and in other files, the experiment is the constant `EXPERIMENT`. Empty names
        and questions are filled from the file's stem and docstring. Raises `ExperimentError` for a file
        without an experiment or with a wrong field.
        """
        path = self.experiment_path(name)
        module = load_module(path, "experiments")
        declared = getattr(module, "EXPERIMENT", None)
        arrange: object = getattr(module, "arrange", None)
        if seats and callable(arrange):
            declared = arrange(dict(seats))
        if not isinstance(declared, Experiment):
            msg = f"{path} needs a constant EXPERIMENT that is a peerjudge.data.Experiment"
            raise ExperimentError(msg)
        return replace(
            validate(declared, path, ExperimentError),
            name=declared.name or path.stem,
            question=declared.question or first_paragraph(module.__doc__),
        )

    def search(self, name: str | Path | Experiment) -> Search | None:
        """Return the search that the file of an experiment declares as `SEARCH`; `None` without one.

        Raises `ExperimentError` for a constant of another type.
        """
        if isinstance(name, Experiment):
            return None
        path = self.experiment_path(name)
        declared = getattr(load_module(path, "experiments"), "SEARCH", None)
        if declared is None:
            return None
        if not isinstance(declared, Search):
            msg = f"{path} has a constant SEARCH that is no peerjudge.data.Search"
            raise ExperimentError(msg)
        return validate(declared, path, ExperimentError)

    def experiment_path(self, name: str | Path) -> Path:
        """Return the file of an experiment given by name or by path; executes nothing."""
        if isinstance(name, str) and not name.endswith(".py"):
            return self.find("experiments", name).path
        path = Path(name).resolve()
        if path.suffix != ".py" or not path.is_file():
            msg = f"there is no experiment file {path}; give a .py file or a name that `list` shows"
            raise ShelfError(msg)
        return path


@dataclass(frozen=True)
class OverlaidShelf(Shelf):
    """A shelf whose cards and packs of these names are those given; everything else is as below.

    `origins` names the item on the shelf below from which a card or pack with a new name was made.
    """

    cards: Mapping[str, Card] = field(default_factory=dict[str, Card])
    packs: Mapping[str, PromptPack] = field(default_factory=dict[str, PromptPack])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])

    def find(self, kind: Kind, name: str) -> Entry:
        """Return the entry of this name, or of the item that it was made from; executes nothing."""
        return super().find(kind, self.origins.get(name, name))

    def digest(self, kind: Kind, name: str) -> str:
        """Return the SHA-256 of the file, or the digest of what is laid over it."""
        over: Card | PromptPack | None = None
        if kind == "agents":
            over = self.cards.get(name)
        elif kind == "prompts":
            over = self.packs.get(name)
        return super().digest(kind, name) if over is None else content_hash(to_plain(over))

    def card(self, name: str) -> Card:
        """Return the card of this name."""
        return self.cards[name] if name in self.cards else super().card(name)

    def prompts(self, name: str) -> PromptPack:
        """Return the prompt pack of this name."""
        return self.packs[name] if name in self.packs else super().prompts(name)

    def factory(self, name: str) -> Callable[[], object] | None:
        """Return the function that makes a reviewer of the user's own; else `None`."""
        return super().factory(self.origins.get(name, name))
