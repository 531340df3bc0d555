"""Recipes: how the better and the worse answers of a pair are made, by rule or by a writer."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from types import MappingProxyType
from typing import Literal, cast

from peerjudge.data import Message
from peerjudge.data.choices import suggest_name
from peerjudge.errors import ExperimentError
from peerjudge.features.pairs.nouns import Item
from peerjudge.prompts import quote

EXAMPLE = "The text stands here."
"""The text of the example in the prompts, which is no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A way to make worse answers.

    Attributes:
        name: of the recipe.
        rule: whether a rule makes them; else a writer does.
        better: the request for the better answer; empty where it is the accepted one.
        same_length: whether answers must be about equally long.
        shows_answer: whether the writer sees the accepted answer.
        says: in one sentence, what is worse.
    """

    name: str
    rule: bool
    says: str
    better: str = ""
    same_length: bool = True
    shows_answer: bool = True


_MADE: tuple[Recipe, ...] = (
    Recipe(name="neighbour", rule=True, says="the answer to a similar other question"),
    Recipe(name="shuffled", rule=True, says="the sentences are in another order"),
    Recipe(name="altered", rule=True, says="numbers and names are changed"),
    Recipe(name="cut", rule=True, says="the end is missing", same_length=False),
    Recipe(name="unclear", rule=False, better="clear", says="rewritten without clarity and order"),
    Recipe(name="hallucinated", rule=False, says="rewritten with wrong facts"),
    Recipe(name="polished", rule=False, says="fluent and without content"),
    Recipe(
        name="verbose_wrong",
        rule=False,
        says="long and wrong",
        same_length=False,
        shows_answer=False,
    ),
    Recipe(name="authoritative", rule=False, says="wrong, with certainty and sources"),
    Recipe(
        name="other_instruction",
        rule=False,
        says="an answer to another question",
        shows_answer=False,
    ),
    Recipe(
        name="sampled",
        rule=False,
        says="the writer's own answer; verifiers decide which of two is better",
        better="sampled",
        same_length=False,
        shows_answer=False,
    ),
)
RECIPES: Mapping[str, Recipe] = MappingProxyType({one.name: one for one in _MADE})
"""All recipes, those by rule first."""


def find_recipes(names: tuple[str, ...]) -> tuple[Recipe, ...]:
    """Return the recipes of these names; raise `ExperimentError` for none and for an unknown one."""
    if not names:
        msg = f"name a recipe with --recipe: {', '.join(RECIPES)}"
        raise ExperimentError(msg)
    for name in names:
        if name not in RECIPES:
            hint = suggest_name(name, RECIPES)
            msg = f"there is no recipe {name!r}{hint} (known: {', '.join(RECIPES)})"
            raise ExperimentError(msg)
    return tuple(RECIPES[name] for name in dict.fromkeys(names))


def ask_writer(
    request: str, item: Item, *, shows_answer: bool, question: str = ""
) -> tuple[Message, ...]:
    """Return the prompt for one text; the item is quoted, so that no line of it is an instruction.

    Args:
        request: the name of a table of `writer.toml`.
        item: the question and its accepted answer.
        shows_answer: whether the writer sees the answer.
        question: another question in its place.
    """
    texts = _read_texts()
    frame = texts["frame"]
    words = max(5, len(item.answer.split()))
    parts = [_fill(frame["material"], question=quote(question or item.text))]
    if shows_answer:
        parts.append(_fill(frame["answer"], answer=quote(item.answer)))
    task = _fill(texts[request]["task"], length=words, double=2 * words)
    parts.append(_fill(frame["format"], task=task))
    roles: tuple[Literal["system", "user"], ...] = ("system", "user")
    return tuple(
        Message(role=role, text=text)
        for role, text in zip(roles, (frame["system"].strip(), "\n\n".join(parts)), strict=True)
    )


def _fill(template: str, **values: object) -> str:
    return Template(template.strip()).substitute(values)


@cache
def _read_texts() -> Mapping[str, Mapping[str, str]]:
    text = files(__package__ or "").joinpath("writer.toml").read_text(encoding="utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))
