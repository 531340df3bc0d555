"""Features: what the folders of `peerjudge.features` and other people's packages add to the core.

A feature is a package whose `__init__` declares `FEATURE` and imports nothing but this module. Another
package registers its own under the entry points `peerjudge.features`. The core asks for commands,
functions and hooks by name, and imports what it finds only when it is used. Names of the core come first,
then those of our features, then those of other packages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from peerjudge.errors import FeatureError

__all__ = [
    "HOOKS",
    "Command",
    "Feature",
    "find_command",
    "find_function",
    "find_offer",
    "import_place",
    "list_broken",
    "list_features",
    "list_function_names",
    "list_offers",
    "list_problems",
    "list_taken",
    "offers",
]

HOOKS: Mapping[str, str] = {
    "dataset": "A dataset, or a format of files, by its name: a `peerjudge.datasets.Source`.",
    "data of a run": "Data that a run writes before it plays, by the name of the dataset: a "
    "`peerjudge.runs.written_data.PlanData`.",
    "delivery": "How the calls of a run go out in place of one by one, by the option of `run` (`batch`): a "
    "`peerjudge.runs.deliveries.Delivery`.",
    "discussion page": "Sections of the page of a discussion: (library, run, transcript) -> mapping.",
    "export": "What `peerjudge export` writes in place of discussions, by the name of its option: a "
    "`peerjudge.cli.exports.RowExport`.",
    "list": "What `peerjudge list` lists, by its name: () -> rows with name, description and from.",
    "open requests": "Requests to people for which a run waits: (location of its store) -> numbers by card.",
    "option of run": "An option of `peerjudge run`, by its name without hyphens, and what it does in place "
    "of the command: a `peerjudge.cli.commands.AddedOption`.",
    "own measure": "What `report --measure NAME` has below all else: (ballots, name) -> "
    "`peerjudge.results.added.AddedResult`.",
    "panel of reviewers": "What `agreement --panel` has below its pairs: (ballots on pairs, seed of the "
    "resampling) -> `peerjudge.results.base.FramedResult` with the columns of `agreement`, or None.",
    "published tables": "Figures beside those of `score --beside`: () -> "
    "`peerjudge.analysis.published.PublishedTable`s by name.",
    "report of a run": "What the report of a run has below its ways to judge: (ballots) -> "
    "`peerjudge.results.added.AddedResult`, or None.",
    "report of reviews": "Sections of the report of recorded reviews: (dataset) -> "
    "`peerjudge.results.added.AddedSection` by name.",
    "reviewer": "Where reviewers answer later than they are asked, by the kind of their cards (`human`): a "
    "`peerjudge.runs.awaited.Desk`.",
    "shelf": "A folder with the shelves `agents`, `protocols`, `protocols/prompts`, `experiments`, or "
    "some of them: a path.",
    "trial": "What `check --try` does with the cards of a project.",
    "turn page": "Sections of the page of a turn: (run, transcript, at) -> text.",
    "viewer": "What the viewer shows besides runs, by its address: a `peerjudge.web.library.ShownKind`.",
}
"""Hooks by name, with what the core expects of each offer."""

_OURS = "peerjudge"
"""Origin of the features of the folder."""
_GROUP = "peerjudge.features"
_FOLDER = Path(__file__).parent / "features"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the command line.

    Attributes:
        heading: Heading under which the help lists it.
        about: One sentence.
        place: Module below the package of the feature, and name: a `FunctionCommand`, or a function whose
            keyword-only parameters are the options.
    """

    heading: str
    about: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What a package adds. Places are modules below the package and names, such as `forking:fork`.

    Attributes:
        about: One sentence.
        commands: Commands by name.
        functions: Places of functions and classes of `import peerjudge as pj` by name.
        hooks: Places of offers, by the name of a hook (`HOOKS`) and of the offer.
        name: Name of the folder or of the entry point, set when the feature is found.
        home: Its package, set when the feature is found.
        origin: Distribution and version that it comes with, set when the feature is found.
    """

    about: str
    commands: Mapping[str, Command] = field(default_factory=dict[str, Command])
    functions: Mapping[str, str] = field(default_factory=dict[str, str])
    hooks: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    name: str = ""
    home: str = ""
    origin: str = ""


@cache
def _find_own() -> tuple[Feature, ...]:
    """Return the features of the folder, by name."""
    names = sorted(found.parent.name for found in _FOLDER.glob("*/__init__.py"))
    return tuple(_read(name, f"{_GROUP}.{name}", origin=_OURS) for name in names)


@cache
def _find_foreign() -> tuple[tuple[Feature, ...], tuple[str, ...]]:
    """Return the features of other packages that load, and a sentence for each that does not."""
    group = f"[{_GROUP}]".encode()
    # Reading the files takes a fifth of the time of `importlib.metadata`, which is asked only if needed.
    files = (
        found for place in sys.path for found in Path(place).glob("*.dist-info/entry_points.txt")
    )
    if not any(group in found.read_bytes() for found in files):
        return (), ()
    from importlib.metadata import entry_points

    features: list[Feature] = []
    problems: list[str] = []
    for entry in entry_points(group=_GROUP):
        origin = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module
        try:
            feature = _read(entry.name, entry.module, origin=origin)
        except Exception as error:  # noqa: BLE001  another author's code: it may raise anything
            problems.append(
                f"the feature {entry.name!r} of {origin} does not load: {_name_reason(error)}"
            )
            continue
        problems += [
            f"the feature {entry.name!r} of {origin} uses a hook {hook!r} that does not exist; the hooks are "
            f"{', '.join(HOOKS)}"
            for hook in feature.hooks
            if hook not in HOOKS
        ]
        features.append(feature)
    return tuple(features), tuple(problems)


def _name_reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".split("\n", 1)[0][:200]


def _read(name: str, home: str, *, origin: str) -> Feature:
    feature = getattr(import_module(home), "FEATURE", None)
    if not isinstance(feature, Feature):
        msg = f"{home} has no FEATURE of the type peerjudge.registry.Feature"
        raise TypeError(msg)
    return replace(feature, name=name, home=home, origin=origin)


def _each() -> Iterator[Feature]:
    """Yield all features, those of the folder first: other packages are looked for only after them."""
    yield from _find_own()
    yield from _find_foreign()[0]


def list_features(*, foreign: bool = True) -> tuple[Feature, ...]:
    """Return all features, those of other packages last or not at all."""
    return tuple(_each()) if foreign else _find_own()


def list_problems() -> tuple[str, ...]:
    """Return a sentence for each feature of another package that does not load, and for each unknown hook."""
    return _find_foreign()[1]


def list_taken(kind: str, core: Iterable[str]) -> list[str]:
    """Return a sentence for each command or function that is not used because its name is taken.

    Args:
        kind: `command` or `function`.
        core: Names of the core.
    """
    owners = dict.fromkeys(core, "PeerJudge")
    problems: list[str] = []
    for feature in _each():
        names = feature.commands if kind == "command" else feature.functions
        for name in sorted(names):
            if name in owners:
                owner = owners[name] if owners[name] == "PeerJudge" else repr(owners[name])
                problems.append(
                    f"the {kind} {name!r} of {feature.name!r} is not used: {owner} has one"
                )
            owners.setdefault(name, feature.name)
    return problems


def import_place(place: str, feature: Feature) -> Any:  # noqa: ANN401  what a feature declares
    """Import what a place of a feature names.

    Raises:
        FeatureError: The feature is of another package, and the import fails.
    """
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(f"{feature.home}.{module}"), name)
    except Exception as error:
        if feature.origin == _OURS:
            raise
        msg = (
            f"{place} of the feature {feature.name!r} of {feature.origin} does not load: "
            f"{_name_reason(error)}; update or uninstall that package"
        )
        raise FeatureError(msg) from error


def find_function(name: str) -> Any:  # noqa: ANN401  a function or class
    """Import the function or class of this name of `import peerjudge as pj`; `None` if no feature has it."""
    for feature in _each():
        if name in feature.functions:
            return import_place(feature.functions[name], feature)
    return None


def list_function_names() -> list[str]:
    """Return the names of all functions and classes of features."""
    return [name for feature in _each() for name in feature.functions]


def find_command(name: str) -> tuple[Command, Feature] | None:
    """Return a command and its feature; `None` if no feature has it."""
    for feature in _each():
        if name in feature.commands:
            return feature.commands[name], feature
    return None


def list_offers(hook: str) -> list[str]:
    """Return the names of what features offer to a hook, without importing it."""
    return [*dict.fromkeys(name for feature in _each() for name in feature.hooks.get(hook, {}))]


def find_offer(hook: str, name: str) -> Any:  # noqa: ANN401  what a feature declares
    """Import the offer of this name to a hook, that of the first feature with one; `None` without any."""
    for feature in _each():
        if name in feature.hooks.get(hook, {}):
            return import_place(feature.hooks[hook][name], feature)
    return None


def offers(hook: str) -> dict[str, Any]:
    """Import all that features offer to a hook, by the names of the offers.

    What another package offers and cannot be imported is left out; `list_broken` names it.
    """
    found: dict[str, Any] = {}
    for name in list_offers(hook):
        with suppress(FeatureError):
            found[name] = find_offer(hook, name)
    return found


def list_broken() -> list[str]:
    """Return a sentence for each place of a feature of another package that cannot be imported."""
    problems: list[str] = []
    for feature in _find_foreign()[0]:
        places = [command.place for command in feature.commands.values()]
        places += feature.functions.values()
        places += [place for offered in feature.hooks.values() for place in offered.values()]
        for place in dict.fromkeys(places):
            try:
                import_place(place, feature)
            except FeatureError as error:
                problems.append(str(error))
    return problems
