"""`peerjudge check`: load every shelf file and check it against its contract; `--try` plays reviewers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_json, results
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.shelf import Shelf
    from peerjudge.testing import CheckedFile, TriedCard

_EXCERPT = 200


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
        Try this card instead, whatever its kind. Repeat for more.
    cost_limit
        Limit in USD on the trial of each card; the price of the card must be known.
    json
        Print one JSON document instead of lines.
    """
    from peerjudge.data import to_plain
    from peerjudge.errors import CardError, ShelfError
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
    from peerjudge.cli.interrupts import cancel_on_signal
    from peerjudge.testing import list_python_cards, try_cards

    names = names or list_python_cards(shelf)
    if not names:
        say(
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
        spent = "cost unknown" if one.usd is None else f"${one.usd:.4f}"
        used = f"{one.usage.prompt_tokens:,} + {one.usage.completion_tokens:,} tokens"
        used += " (estimated)" if one.usage.estimated else ""
        used = used if one.metered else "tokens unknown"
        inner = f", {one.inner} inner messages" if one.inner else ""
        say(
            f"tried agents/{one.card}: {one.verdict}, read by: {one.rule}; {used}, "
            f"{spent}, {one.latency:.1f} s{inner}"
        )
    if one.text:
        said = " ".join(one.text.split())
        say(f"  it said: {said[:_EXCERPT]}{' ...' if len(said) > _EXCERPT else ''}")
