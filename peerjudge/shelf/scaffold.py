"""New shelf files and projects, from items that are there."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import cast

from peerjudge.errors import ShelfError
from peerjudge.shelf.cards import PROVIDERS, check_name
from peerjudge.shelf.folders import PLACES, Kind, read_text
from peerjudge.shelf.shelf import Shelf

MODELS: Mapping[Kind, str] = MappingProxyType(
    {
        "agents": "gpt_4o",
        "protocols": "pairwise",
        "prompts": "long_form",
        "experiments": "quickstart",
    }
)
"""The item of each shelf that a new one is made from by default."""

_SCHEMA = 'form = "schema"    # or "line", or "two_step": how the model is asked for its verdict\n'
_FIRST_TABLE = re.compile(r"(?m)^\[")
_EXTENSION = """\
description = {description}
extends = {base}

# What is not here is taken from the pack above: `peerjudge show prompts {name} --resolved` prints all of it.
# A part of your own replaces it, for example:
#
# aspects = [
#     "The answer must be correct.",
# ]
#
# [tasks]
# review = \"\"\"
# {{{{ criteria }}}}
#
# # Task
# Decide which answer is better.
# \"\"\"
"""

_PROJECT: tuple[tuple[Kind, str, str], ...] = (
    ("agents", "my_model", "gpt_4o"),
    ("prompts", "my_prompts", "long_form"),
)
"""Items of a new project that are made from others."""

_STUDY = '''\
"""Does my model judge better after a discussion, and better than by a vote of as many calls?"""

from peerjudge.data import Condition, Experiment, Seating

EXPERIMENT = Experiment(
    data="pairs.csv",
    prompts="my_prompts",
    # `--seat judge=NAME` seats another card, `--seat judge=sim_solid` a simulated one, which is free.
    seats={"judge": "my_model"},
    conditions=(
        Condition(name="alone", protocol="pairwise_cot", seats=("my_model",)),
        Condition(
            name="with itself",
            protocol="leader_follower",
            seats=("my_model", Seating(reviewer="my_model", temperature=1.0)),
        ),
        Condition(name="vote of six", protocol="vote", seats=("my_model",) * 6),
    ),
)
'''
"""Experiment of a new project: its card, with its prompts, on its table."""

_PAIRS = """\
question,answer_a,answer_b,gold,author_a,author_b
Why is the sky blue?,Air scatters blue light more than red light.,It mirrors the sea.,a,model_1,model_2
How many legs has a spider?,Six.,Eight.,b,model_1,model_2
"""


def write_item(kind: Kind, name: str, *, source: str = "", project: Path | None = None) -> Path:
    """Write a new shelf file and return its path.

    A prompt pack extends its source; anything else is a copy of it. A card of a service in
    `peerjudge.shelf.cards.PROVIDERS` has `form = "schema"`, unless its source names a form.

    Args:
        kind: the shelf.
        name: of the new item, an identifier of Python.
        source: the item that it is made from; by default that of `MODELS`.
        project: the project folder; by default the working directory.

    Raises:
        ShelfError: the name is no identifier or is taken in the project, or there is no such source.
        CardError: AutoGen takes no reviewer of this name.
    """
    if not name.isidentifier():
        msg = (
            f"{name!r} is no name for a shelf file; use letters, digits and _, as in my_{kind[:-1]}"
        )
        raise ShelfError(msg)
    if kind == "agents":
        check_name(name)
    root = (project or Path.cwd()).resolve()
    shelf = Shelf(root)
    entry = shelf.find(kind, source or MODELS[kind])
    folder = root / PLACES[kind][0]
    for suffix in PLACES[kind][1]:
        if (folder / f"{name}{suffix}").exists():
            msg = f"{folder / f'{name}{suffix}'} exists; choose another name, or edit it"
            raise ShelfError(msg)
    path = folder / f"{name}{entry.path.suffix}"
    if kind == "prompts":
        text = _EXTENSION.format(
            description=json.dumps(
                f"{entry.description.rstrip('.')}, changed.", ensure_ascii=False
            ),
            base=json.dumps(entry.name),
            name=name,
        )
    else:
        text = read_text(entry.path)
    _write(path, _binding(text) if kind == "agents" and path.suffix == ".toml" else text)
    return path


def _binding(card: str) -> str:
    """Return a card that asks a known service for verdicts bound by a schema, unless it names a form."""
    raw = tomllib.loads(card)
    model = cast("dict[str, object]", raw.get("model", {}))
    if "form" in raw or model.get("provider") not in PROVIDERS:
        return card
    return _FIRST_TABLE.sub(lambda table: f"{_SCHEMA}\n{table[0]}", card, count=1)


def write_project(folder: Path) -> tuple[Path, ...]:
    """Write a project with a card, a prompt pack, an experiment and data; return the files.

    Raises `ShelfError` for a folder that holds anything.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"{folder} holds files already; name a new folder"
        raise ShelfError(msg)
    folder = folder.resolve()
    made = [
        write_item(kind, name, source=source, project=folder) for kind, name, source in _PROJECT
    ]
    for name, text in (
        ("experiments/my_study.py", _STUDY),
        ("pairs.csv", _PAIRS),
        (".gitignore", "runs/\n*.db\n"),
    ):
        _write(folder / name, text)
        made.append(folder / name)
    return tuple(made)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as cause:
        msg = f"{path} cannot be written: {cause.strerror or cause}"
        raise ShelfError(msg) from cause
