"""Commands about a project: begin one, add to its shelves, check, list and show them, download data."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from cyclopts import Parameter

from peerjudge.cli.console import print_json, print_status, results
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import ArgumentOptions, CastOptions
from peerjudge.cli.tables import say
from peerjudge.errors import CardError, DataError, ShelfError
from peerjudge.registry import (
    find_offer,
    list_broken,
    list_features,
    list_offers,
    list_problems,
    list_taken,
)
from peerjudge.shelf import Kind
from peerjudge.shown import money

if TYPE_CHECKING:
    from peerjudge.shelf import Entry, Shelf
    from peerjudge.testing import CheckedFile
    from peerjudge.testing.tried import TriedCard

__all__ = [
    "check_command",
    "download_command",
    "init_command",
    "list_command",
    "new_command",
    "show_command",
]

if TYPE_CHECKING:
    Listed = str
else:
    _KINDS = ("agents", "protocols", "prompts", "experiments", "datasets")
    Listed = Literal[(*_KINDS, *list_offers("list"), "features")]

Shown = Literal["agents", "protocols", "prompts", "experiments", "discussion", "prompt"]

_EXCERPT = 200
"""Characters of a reply that a trial prints."""
_TOKENIZERS = "tokenizers"
_SHOWN_WITH = (
    "--resolved and --diff are for items of a shelf, an id for `show discussion RUN ID`, --comparison, "
    "--condition, --turn, --data, -S and --seat for `show prompt EXPERIMENT`, and --json for these two"
)


def init_command(folder: Path, /) -> int:
    """Write a project to begin with: a table of pairs, and an experiment that seats its card on it.

    The card names a model and the variable with its key; a prompt pack is the third file to edit. With a
    simulated reviewer in its place (`--seat judge=sim_solid`) the experiment runs without a key.

    Parameters
    ----------
    folder
        The new folder.
    """
    from peerjudge.shelf.scaffold import write_project

    for path in write_project(folder.expanduser()):
        say(str(path))
    print_status(
        f"next: cd {folder}; peerjudge check; peerjudge run my_study --seat judge=sim_solid (simulated)\n"
        "then: edit agents/my_model.toml and pairs.csv, set the key; peerjudge show prompt my_study; "
        "peerjudge run my_study --dry-run; peerjudge run my_study"
    )
    return 0


def new_command(
    kind: Kind, name: str, /, *, source: Annotated[str, Parameter(name="--from")] = ""
) -> int:
    """Write a new card, protocol, prompt pack or experiment into the working directory.

    A prompt pack extends the one that it is made from; anything else is a copy to edit.

    Parameters
    ----------
    kind
        The shelf.
    name
        Name of the new item.
    source
        Item that it is made from; by default gpt_4o, pairwise, long_form or quickstart.
    """
    from peerjudge.shelf.scaffold import write_item

    path = write_item(kind, name, source=source)
    say(str(path))
    print_status(f"edit it, then: peerjudge check; peerjudge show {kind} {name}")
    return 0


def check_command(
    path: Path | None = None,
    /,
    *,
    trial: Annotated[bool, Parameter(name="--try")] = False,
    card: Sequence[str] = (),
    cost_limit: float | None = None,
    json: bool = False,
) -> int:
    """Check the cards, protocols, prompt packs and experiments of a project against their contracts.

    Packs and protocols are checked with the built-in ones as well. A project without files of its own has
    the built-in ones checked. This loads, and so executes, the Python files in agents/, protocols/ and
    experiments/ of the project. No model is called without --try. Each clause that fails is printed with
    what happened and what to do.

    Parameters
    ----------
    path
        The project folder; the working directory when left out.
    trial
        Let each reviewer of the project that is a Python file review one comparison of the sample, and
        print what it said and the verdict that is read. It may call paid models.
    card
        Try this card, of any kind, and no other. Repeat for more.
    cost_limit
        Limit in USD on the trial of each card; the price of the card must be known.
    json
        Print one JSON document instead of lines.
    """
    from peerjudge.data import to_plain
    from peerjudge.shelf import Shelf
    from peerjudge.testing import check_project

    if path is not None and not path.is_dir():
        msg = f"No such project folder: {path}."
        raise ShelfError(msg)
    if cost_limit is not None and not (trial or card):
        msg = "--cost-limit limits a trial: add --try, or --card NAME"
        raise CardError(msg)
    shelf = Shelf(path)
    checked = list(check_project(shelf))
    failed = [file for file in checked if file.broken]
    if not json:
        _print_checks(checked)
    tried: list[TriedCard] = []
    if trial or card:
        tried = asyncio.run(_try_all(card, shelf, cost_limit=cost_limit, quiet=json))
    if json:
        files = [to_plain(file) for file in checked]
        print_json({"files": files, "tried": to_plain(tried)} if trial or card else files)
    return 2 if failed or any(one.problem for one in tried) else 0


async def _try_all(
    names: Sequence[str], shelf: Shelf, *, cost_limit: float | None, quiet: bool
) -> list[TriedCard]:
    from peerjudge.registry import offers
    from peerjudge.testing.tried import list_python_cards

    trials = offers("trial")
    if not trials:
        msg = "--try and --card need a feature that tries cards, and none is installed"
        raise CardError(msg)
    try_cards = next(iter(trials.values()))
    names = names or list_python_cards(shelf)
    if not names:
        print_status(
            "note: this project has no reviewer that is a Python file; --card NAME tries another one"
        )
    tried: list[TriedCard] = []
    async with cancel_on_signal():
        async for card in try_cards(names, shelf=shelf, cost_limit=cost_limit):
            tried.append(card)
            if not quiet:
                _print_trial(card)
    return tried


def _print_checks(checked: Sequence[CheckedFile]) -> None:
    from peerjudge.reporting.formats import counted

    console = results()
    failed = [file for file in checked if file.broken]
    for file in checked:
        if file.shadows:
            say(f"note: {file.path} shadows the built-in {file.shadows}")
        if not file.builtin:
            for note in file.notes:
                say(f"note: {file.kind}/{file.name} {note}")
    for file in failed:
        for clause in file.broken:
            console.print("wrong", style="red", end=" ")
            console.print(f"{file.kind}/{file.name}: {clause}", soft_wrap=True)
    whose = "built in" if all(file.builtin for file in checked) else "of the project"
    say(f"{counted(len(checked), 'file')} {whose}, {len(failed)} with problems")


def _print_trial(one: TriedCard) -> None:
    console = results()
    if one.problem:
        console.print("wrong", style="red", end=" ")
        console.print(f"agents/{one.card}: {one.problem}", soft_wrap=True)
    else:
        used = f"{one.usage.prompt_tokens:,} + {one.usage.completion_tokens:,} tokens"
        used += " (estimated)" if one.usage.estimated else ""
        used = used if one.metered else "tokens unknown"
        inner = f", {one.inner} inner messages" if one.inner else ""
        say(
            f"tried agents/{one.card}: {one.verdict}, read by: {one.rule}; {used}, "
            f"cost: {money(one.usd)}, {one.latency:.1f} s{inner}"
        )
    if one.text:
        said = " ".join(one.text.split())
        say(f"  it said: {said[:_EXCERPT]}{' ...' if len(said) > _EXCERPT else ''}")


def list_command(kind: Listed, /, *, json: bool = False) -> int:
    """List what is on a shelf, datasets, papers or features. Nothing on a shelf is executed.

    Parameters
    ----------
    kind
        What to list.
    json
        Print one JSON document instead of a table.
    """
    if kind == "datasets":
        rows = _datasets()
    elif kind == "features":
        rows = _features()
    elif (listing := find_offer("list", kind)) is not None:
        rows = cast("list[dict[str, str]]", listing())
    else:
        rows = _entries(cast("Kind", kind))
    if json:
        print_json(rows)
        return 0
    from rich.table import Table

    table = Table("name", "description", "from", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row["name"], row["description"], row["from"])
    results().print(table)
    return 0


def _datasets() -> list[dict[str, str]]:
    from peerjudge.datasets import list_datasets

    return [
        {
            "name": name,
            "description": source.description,
            "from": "built in" if source.place else "NAME:PATH",
        }
        for name, source in list_datasets().items()
    ]


def _features() -> list[dict[str, str]]:
    import peerjudge
    from peerjudge.cli import list_core_commands

    taken = [
        *list_taken("command", list_core_commands()),
        *list_taken("function", peerjudge.list_core_names()),
    ]
    for problem in (*list_problems(), *list_broken(), *taken):
        print_status(f"warning: {problem}")
    return [
        {"name": feature.name, "description": feature.about, "from": feature.origin}
        for feature in list_features()
    ]


def _entries(kind: Kind) -> list[dict[str, str]]:
    from peerjudge.shelf import Shelf

    rows: list[dict[str, str]] = []
    for entry in Shelf().entries(kind):
        origin = "built in" if entry.builtin else str(entry.path)
        if entry.shadows is not None:
            origin += " (shadows the built-in)"
        rows.append({"name": entry.name, "description": entry.description, "from": origin})
    return rows


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOptions(ArgumentOptions):
    """Options of `show prompt`.

    Parameters
    ----------
    comparison
        For `prompt`: id of the comparison; by default the first that a condition judges.
    condition
        For `prompt`: this condition only.
    turn
        For `prompt`: the calls of this turn only, counted from 0 with the private reviews.
    data
        For `prompt`: data in place of the declared one, as for `run`.
    """

    comparison: str | None = None
    condition: str | None = None
    turn: int | None = None
    data: str | None = None


def show_command(
    kind: Shown,
    name: str,
    id: str | None = None,  # noqa: A002  its name in the help
    /,
    *,
    resolved: bool = False,
    diff: bool = False,
    prompt: PromptOptions = PromptOptions(),
    cast: CastOptions = CastOptions(),
    json: bool = False,
) -> int:
    """Print an item of a shelf, discussions of a run, or the prompts of an experiment. No model is called.

    `show discussion RUN ID` prints the question, the answers and every turn of a discussion, or of all
    discussions on one comparison. `show prompt EXPERIMENT` prints the messages of each call that a
    discussion would make, with their tokens, before anything is paid; replies in them are placeholders.

    Parameters
    ----------
    kind
        The shelf, `discussion` or `prompt`.
    name
        Name of the item, as `peerjudge list` shows it. For `discussion` the source: a run folder, a store
        URL, a bundle, a file of transcripts, or a dataset NAME:PATH with recorded reviews. For `prompt` the
        experiment, as for `run`.
    id
        For `discussion`: id of a comparison, or the beginning of the id of a discussion, as `events` and
        `export` print them.
    resolved
        Print a prompt pack with all that it takes from the packs that it extends.
    diff
        Print how it differs from the pack that it extends, or from the built-in file that it shadows.
    json
        Print discussions or prompts as one JSON document.
    """
    from peerjudge.shelf import Shelf
    from peerjudge.shelf.folders import read_text

    asked = {**prompt.list_arguments(), **{k: v for k, v in cast.list_arguments().items() if v}}
    given = {
        "the id": id is not None and kind != "discussion",
        "--json": json and kind not in {"discussion", "prompt"},
        "--resolved": resolved and kind in {"discussion", "prompt"},
        "--diff": diff and kind in {"discussion", "prompt"},
        _write_options(asked): bool(asked) and kind != "prompt",
    }
    for option, refused in given.items():
        if refused:
            msg = f"{option} is not for `show {kind}`; {_SHOWN_WITH}"
            raise ShelfError(msg)
    if kind == "discussion":
        return _show_discussions(name, id, json=json)
    if kind == "prompt":
        return _show_prompts(name, asked, json=json)
    if resolved and diff:
        msg = "--resolved and --diff cannot be combined; give one of them"
        raise ShelfError(msg)
    shelf = Shelf()
    entry = shelf.find(kind, name)
    make = _resolve if resolved else _compare
    text = make(shelf, entry) if resolved or diff else read_text(entry.path)
    say(*text.splitlines())
    return 0


def _write_options(names: Iterable[str]) -> str:
    written = {"settings": "-S", "seats": "--seat"}
    return ", ".join(written.get(name, f"--{name}") for name in names)


def _show_prompts(experiment: str, asked: Mapping[str, Any], *, json: bool) -> int:
    from peerjudge.results.previews import preview

    found = preview(experiment, **asked)
    if json:
        print_json(found.document())
    else:
        say(*map(str, found.parts()))
    return 0


def _show_discussions(source: str, wanted: str | None, *, json: bool) -> int:
    if wanted is None:
        msg = (
            "`show discussion RUN ID` needs the id of a comparison or discussion; "
            "`peerjudge events` and `peerjudge export` print them"
        )
        raise DataError(msg)
    from peerjudge.data import to_plain
    from peerjudge.reporting.lanes import render_texts
    from peerjudge.runs.discussions import find_discussions

    found = asyncio.run(find_discussions(source, wanted))
    if json:
        print_json([to_plain(one) for one in found])
    else:
        say(*render_texts(found).splitlines())
    return 0


def _resolve(shelf: Shelf, entry: Entry) -> str:
    if entry.kind != "prompts":
        msg = f"--resolved is for prompt packs; {entry.kind} take nothing from others"
        raise ShelfError(msg)
    from peerjudge.prompts import write_pack

    return write_pack(shelf.prompts(entry.name))


def _compare(shelf: Shelf, entry: Entry) -> str:
    """Return a unified diff; empty where nothing differs."""
    from peerjudge.prompts import name_base, write_pack
    from peerjudge.shelf import Shelf
    from peerjudge.shelf.folders import read_text

    own = read_text(entry.path)
    base = name_base(own) if entry.kind == "prompts" else ""
    if base:
        above = Shelf(project=shelf.builtin) if base == entry.name else shelf
        texts = (write_pack(above.prompts(base)), write_pack(shelf.prompts(entry.name)))
        names = (base, entry.name)
    elif entry.shadows is not None:
        texts, names = (read_text(entry.shadows), own), (str(entry.shadows), str(entry.path))
    else:
        msg = f"{entry.name!r} extends no pack and shadows no built-in file; there is nothing to compare"
        raise ShelfError(msg)
    lines = difflib.unified_diff(
        texts[0].splitlines(), texts[1].splitlines(), *names, lineterm="", n=1
    )
    return "\n".join(lines)


def download_command(name: str, /, *, into: Path | None = None) -> int:
    """Fetch a published dataset or the vocabularies that count tokens, and verify every file.

    Parameters
    ----------
    name
        The dataset, as `peerjudge list datasets` shows it; or `tokenizers`, for runs whose servers do
        not report tokens.
    into
        The folder to put it in; the user's cache when left out.
    """
    if name == _TOKENIZERS:
        return _download_tokenizers(into)
    from peerjudge.datasets import download

    path = download(name, into=into)
    say(str(path))
    print_status(f"use it as {name}:{path}")
    return 0


def _download_tokenizers(into: Path | None) -> int:
    from peerjudge.clients.vocabularies import UPSTREAM, VOCABULARIES, name_file, vocabulary_folder
    from peerjudge.datasets.fetching import fetch_files

    folder = vocabulary_folder() if into is None else into.expanduser()
    files = {
        name_file(name): (digest, f"{UPSTREAM}/{name}.tiktoken")
        for name, digest in VOCABULARIES.items()
    }
    fetch_files(files, folder, UPSTREAM)
    say(str(folder))
    if into is not None:
        print_status(f"set TIKTOKEN_CACHE_DIR={folder} to use it")
    return 0
