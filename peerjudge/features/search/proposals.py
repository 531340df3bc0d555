"""Requests to the proposer from the meta-prompts, and the texts in its replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Template
from typing import Literal

from peerjudge.data import Message
from peerjudge.features.search.nouns import Exemplar, SearchOptions, Target
from peerjudge.features.search.texts import (
    find_longest,
    hide_expressions,
    list_expressions,
    list_keys,
    split_margins,
)
from peerjudge.prompts.written import read_meta

__all__ = [
    "ask_for_paraphrase",
    "ask_for_text",
]


def ask_for_paraphrase(part: str) -> tuple[Message, ...]:
    """Return the messages that ask for other words for one part of an instruction."""
    meta = read_meta()["paraphrase"]
    return _messages(meta, part=" ".join(part.split()))


def ask_for_text(
    target: Target,
    tried: Sequence[tuple[str, float]],
    exemplars: Sequence[Exemplar],
    *,
    options: SearchOptions,
) -> tuple[Message, ...]:
    """Return the messages that ask for a better text of a target.

    Args:
        target: the target with its base text.
        tried: texts and their scores from 0 to 1; shown in ascending order.
        exemplars: items of the search split, with gold.
        options: of the search; the objective in words and the bound of the length.
    """
    meta = read_meta()["opro"]
    ascending = sorted(tried, key=lambda one: one[1])
    texts = [
        _fill(
            meta["tried"],
            number=number,
            score=f"{100 * score:.0f}",
            text=quote(_show(text, target)),
        )
        for number, (text, score) in enumerate(ascending, 1)
    ]
    shown = "\n\n".join(
        _fill(meta["exemplar"], number=number, text=quote(one.shown), gold=quote(one.gold))
        for number, one in enumerate(exemplars, 1)
    )
    best, number = ascending[-1][0] if ascending else target.text, len(ascending)
    hidden = max(0, len(target.text) - len(_show(target.text, target)))
    return _messages(
        meta,
        objective=options.objective,
        tried="\n\n".join(texts),
        exemplars=f"\n{_fill(meta['exemplars'], shown=shown)}\n" if shown else "",
        best=number,
        longest=find_longest(target.text, options.longest) - hidden,
        kept=_list_rules(meta, target, best=best, number=number, protect=options.protect),
        form=_show_form(meta, target),
    )


def quote(text: str) -> str:
    """Return the text with `> ` before every line, so that no line of it is taken for the prompt's."""
    return "\n".join(f"> {line}" for line in text.strip().splitlines())


def _show(text: str, target: Target) -> str:
    """The text without the margins of the base, which a proposal need not have."""
    head, _, tail = split_margins(target.text, target.form)
    if text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail):
        text = text[len(head) : len(text) - len(tail)]
    return hide_expressions(text, target.form)


def _list_core(target: Target) -> tuple[str, ...]:
    """The expressions that the proposer sees as marks."""
    return list_expressions(split_margins(target.text, target.form)[1], target.form)


def _list_marks(target: Target) -> str:
    return ", ".join(f"{{{number}}}" for number in range(1, len(_list_core(target)) + 1))


def _show_form(meta: Mapping[str, str], target: Target) -> str:
    """The text between the tags in the example of the form."""
    if target.form == "lines":
        return meta["form_of_lines"]
    marks = _list_marks(target)
    return _fill(meta["form_with_marks"], marks=marks) if marks else meta["form"]


def _list_rules(
    meta: Mapping[str, str], target: Target, *, best: str, number: int, protect: bool
) -> str:
    """The rules of what to keep, numbered after the five that every request has.

    `best` is the text with the highest score, which is shown with this `number`.
    """
    expressions = _list_core(target)
    rules: list[str] = []
    if expressions:
        rules.append(_fill(meta["placeholders"], marks=_list_marks(target)))
    if any(expression.startswith("{%") for expression in expressions):
        rules.append(_fill(meta["in_order"], best=number))
    if protect and (keys := list_keys(target.text)):
        rules.append(_fill(meta["keys"], keys=", ".join(f'"{key}"' for key in keys)))
    if target.form == "lines":
        count = sum(bool(line.strip()) for line in best.splitlines())
        rules.append(_fill(meta["lines"], best=number, count=count))
    return "".join(f"{place}. {rule}\n" for place, rule in enumerate(rules, 6))


def _messages(meta: Mapping[str, str], **values: object) -> tuple[Message, ...]:
    roles: tuple[Literal["system", "user"], ...] = ("system", "user")
    return tuple(Message(role=role, text=_fill(meta[role], **values)) for role in roles)


def _fill(template: str, **values: object) -> str:
    """Return the filled template; values are data, a `$` in them stays."""
    return Template(template.strip()).substitute(values)
