"""Texts that a search may change: parts of prompt packs and roles of cards, and how they are replaced."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from peerjudge.data import Card, Experiment, PromptPack, replace
from peerjudge.data.choices import suggest_name
from peerjudge.data.experiments import read_primary
from peerjudge.errors import ExperimentError, PromptError
from peerjudge.features.search.nouns import Form, Target
from peerjudge.runs import Prepared, prepare
from peerjudge.runs.estimate import simulate_calls
from peerjudge.shelf import OverlaidShelf, Shelf

_PARTS = ("system", "criteria", "seat", "heard", "remind")
"""Parts of a pack that are one text; `scene` and `label` show the material and stay."""
_TABLES = ("tasks", "reply")
_ASPECTS = "aspects"
_SHOWN = 12
"""The most names that an error lists."""
_MARK = "Zq7 marks this text."


def list_packs(experiment: Experiment) -> tuple[str, ...]:
    """Return the names of the packs that the conditions use, in order."""
    named = [condition.prompts or experiment.prompts for condition in experiment.conditions]
    return tuple(dict.fromkeys(named))


def list_cards(experiment: Experiment) -> tuple[str, ...]:
    """Return the names of the cards that the conditions seat, in order."""
    cards = (card for condition in experiment.conditions for card in condition.cards)
    return tuple(dict.fromkeys(cards))


def list_targets(experiment: Experiment, shelf: Shelf) -> dict[str, Target]:
    """Return every text that a search of this experiment could change, by name."""
    targets: dict[str, Target] = {}
    packs = list_packs(experiment)
    for pack in packs:
        prefix = "pack" if len(packs) == 1 else f"pack@{pack}"
        for part, text, form in _list_texts(shelf.prompts(pack)):
            name = f"{prefix}:{part}"
            targets[name] = Target(name=name, text=text, form=form)
    for card in list_cards(experiment):
        if shelf.find("agents", card).path.suffix != ".toml":
            continue  # The role of a card in Python is in its code.
        name = f"role:{card}"
        targets[name] = Target(name=name, text=shelf.card(card).role, form="plain")
    return targets


def choose_targets(names: Sequence[str], prepared: Prepared, shelf: Shelf) -> tuple[Target, ...]:
    """Return the targets of these names; without names the first task that the experiment gives.

    Raises:
        ExperimentError: a name is unknown, its text is empty, or no prompt of the experiment has it.
    """
    known = list_targets(prepared.plan.experiment, shelf)
    if not names:
        return (_choose_task(prepared, known, shelf),)
    chosen: list[Target] = []
    for name in dict.fromkeys(names):
        target = known.get(name)
        if target is None:
            some = ", ".join(list(known)[:_SHOWN])
            more = f", ... ({len(known)} in all)" if len(known) > _SHOWN else ""
            msg = f"there is no target {name!r}{suggest_name(name, known)} (known: {some}{more})"
            raise ExperimentError(msg)
        if not target.text.strip():
            msg = f"the target {name!r} is empty; write a first text, or choose another target"
            raise ExperimentError(msg)
        if not is_used(target, prepared, shelf):
            used = [each.name for each in known.values() if is_used(each, prepared, shelf)]
            advice = f"choose one of {', '.join(used)}" if used else "nor has it another target"
            msg = (
                f"no prompt of {prepared.plan.experiment.name!r} contains {name!r}, so changing it changes "
                f"nothing; {advice}"
            )
            raise ExperimentError(msg)
        chosen.append(target)
    return tuple(chosen)


def is_used(target: Target, prepared: Prepared, shelf: Shelf) -> bool:
    """Return whether a prompt of the experiment changes with the text of the target."""
    return next(_find_uses(target, prepared, shelf), None) is not None


def leave_out_unchanged(
    targets: Sequence[Target], prepared: Prepared, shelf: Shelf
) -> tuple[Prepared, tuple[str, ...]]:
    """Return the experiment without the conditions that no target changes, and the names of those."""
    plan = prepared.plan
    changed = {name for target in targets for name in _find_uses(target, prepared, shelf)}
    experiment = plan.experiment
    kept = tuple(one for one in experiment.conditions if one.name in changed)
    if len(kept) == len(experiment.conditions):
        return prepared, ()
    seated = {card for condition in kept for card in condition.cards}
    primary = read_primary(experiment.primary, (one.name for one in experiment.conditions))
    narrowed = replace(
        experiment,
        conditions=kept,
        primary=experiment.primary if primary and primary.condition in changed else "",
        seats={name: card for name, card in experiment.seats.items() if card in seated},
    )
    dataset = replace(prepared.dataset, comparisons=tuple(plan.comparisons))
    left_out = tuple(one.name for one in experiment.conditions if one.name not in changed)
    return prepare(narrowed, shelf=shelf, dataset=dataset), left_out


def _find_uses(target: Target, prepared: Prepared, shelf: Shelf) -> Iterator[str]:
    """Yield the condition of every prompt that has the text of the target."""
    if target.text.strip():
        changed = lay_over(shelf, {target.name: f"{target.text.rstrip()}\n{_MARK}"}, prepared)
        yield from (name for name, text in render_prompts(prepared, changed) if _MARK in text)


def find_render_fault(texts: Mapping[str, str], prepared: Prepared, shelf: Shelf) -> str:
    """Return why prompts with these texts cannot be rendered; empty if they can."""
    try:
        for _ in render_prompts(prepared, lay_over(shelf, texts, prepared)):
            pass
    except PromptError as error:
        return str(error)
    return ""


def render_prompts(prepared: Prepared, shelf: Shelf) -> Iterator[tuple[str, str]]:
    """Yield condition and text of each message of some discussions, with this shelf's words.

    Every condition judges one comparison of each form: with so many answers, with a reference or without.
    """
    plan = prepared.plan
    parts = {part.condition.name: part for part in plan.parts}
    cards = {name: shelf.card(name) for name in plan.cast}
    packs = {
        part.condition.name: shelf.prompts(part.condition.prompts or plan.experiment.prompts)
        for part in plan.parts
    }
    forms = {
        (part.condition.name, len(one.answers), bool(one.reference)): one
        for one in reversed(plan.comparisons)
        for part in plan.parts
        if part.judges(one)
    }
    shown = {one.id: one for one in forms.values()}
    for head in dataclasses.replace(plan, comparisons=tuple(shown.values())):
        part = parts[head.condition]
        roles = {seat.id: cards[seat.reviewer].role for seat in head.seats}
        calls = simulate_calls(
            head, part.protocol, pack=packs[head.condition], roles=roles, count=lambda _, __: 0
        )
        for request, *_ in calls:
            yield from ((head.condition, message.text) for message in request.messages)


def lay_over(shelf: Shelf, texts: Mapping[str, str], prepared: Prepared) -> OverlaidShelf:
    """Return the shelf with these texts of targets in its packs and cards."""
    return OverlaidShelf(
        project=shelf.project,
        builtin=shelf.builtin,
        cards=change_cards(texts, prepared, shelf),
        packs=change_packs(texts, prepared, shelf),
    )


def change_packs(
    texts: Mapping[str, str], prepared: Prepared, shelf: Shelf
) -> dict[str, PromptPack]:
    """Return the packs that these texts change, by name."""
    packs = list_packs(prepared.plan.experiment)
    changed: dict[str, PromptPack] = {}
    for name, text in texts.items():
        kind, _, part = name.partition(":")
        if not kind.startswith("pack"):
            continue
        pack = kind.partition("@")[2] or packs[0]
        changed[pack] = _change_pack(changed.get(pack) or shelf.prompts(pack), part, text)
    return changed


def change_cards(texts: Mapping[str, str], prepared: Prepared, shelf: Shelf) -> dict[str, Card]:
    """Return the cards whose roles these texts change, by name."""
    named = ((*name.partition(":")[::2], text) for name, text in texts.items())
    return {
        name: replace(shelf.card(name), role=text)
        for kind, name, text in named
        if kind == "role" and name in prepared.plan.cast
    }


def _list_texts(pack: PromptPack) -> Iterable[tuple[str, str, Form]]:
    for part in _PARTS:
        yield part, cast("str", getattr(pack, part)), "template"
    yield _ASPECTS, "\n".join(pack.aspects), "lines"
    for table in _TABLES:
        texts = cast("Mapping[str, str]", getattr(pack, table))
        for key, text in texts.items():
            yield f"{table}.{key}", text, "template"


def _change_pack(pack: PromptPack, part: str, text: str) -> PromptPack:
    table, _, key = part.partition(".")
    if table in _TABLES:
        texts = cast("Mapping[str, str]", getattr(pack, table))
        return replace(pack, **{table: {**texts, key: text}})
    if part == _ASPECTS:
        lines = tuple(line.strip() for line in text.splitlines() if line.strip())
        return replace(pack, aspects=lines)
    return replace(pack, **{part: text})


def _choose_task(prepared: Prepared, known: Mapping[str, Target], shelf: Shelf) -> Target:
    """Return the first task that a prompt of the experiment has."""
    for name, target in known.items():
        if ":tasks." in name and is_used(target, prepared, shelf):
            return target
    msg = "no task text is in a prompt of the experiment; name what may change with --target"
    raise ExperimentError(msg)
