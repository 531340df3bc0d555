"""GRIPS: a search by random edits of the best prompt so far.

Every step makes some candidates, each by one random edit of the incumbent; the best replaces the
incumbent if it is strictly better. The search ends after a number of steps, or after some steps in a
row without a better one. Source: Prasad, Hase, Zhou and Bansal 2023, algorithm 1, and their code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Mapping
from dataclasses import dataclass

import numpy as np

from peerjudge.data import replace
from peerjudge.data.texts import TextReply, TextRequest
from peerjudge.features.search.board import (
    Board,
    Steps,
    draw_number,
    draw_random,
    expect,
    identify,
    race,
)
from peerjudge.features.search.edits import Edit, apply_edit, describe_edit, draw_edit
from peerjudge.features.search.nouns import (
    Candidate,
    Propose,
    Proposed,
    Record,
    SearchOptions,
    Target,
)
from peerjudge.features.search.proposals import ask_for_paraphrase
from peerjudge.features.search.texts import find_edit_fault
from peerjudge.prompts.written import read_text

__all__ = ["search_by_edits"]

_TRIES = 50
"""Draws of an edit that is new and valid, before a place in a step stays empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """An edit of a target; a paraphrase gets its text from the proposer."""

    target: Target
    edit: Edit


def search_by_edits(options: SearchOptions, draw: int, board: Board) -> Steps:
    """Search by GRIPS; the base has its scores already."""
    failures = 0
    for step in range(1, options.steps + 1):
        candidates = yield from _make_candidates(options, draw, board, step)
        yield from race(board, candidates, options=options, step=step)
        failures = 0 if board.promote(candidates) else failures + 1
        board.steps = step
        if options.patience and failures >= options.patience:
            return


def _make_candidates(
    options: SearchOptions, draw: int, board: Board, step: int
) -> Generator[Propose, Record, list[Candidate]]:
    """Make the candidates of a step; a proposal that is not valid gives its place to a rule's edit."""
    made: list[Candidate] = []
    plans: dict[int, _Plan] = {}
    for slot in range(options.candidates):
        random = draw_random(draw, "edit", step, slot)
        drawn = _draw(options, board, random, step=step, paraphrase=options.paraphrase)
        if isinstance(drawn, _Plan):
            plans[slot] = drawn
        elif drawn:
            made.append(drawn)
    if not plans:
        return made
    requests = {slot: _request(plan, draw, board, step, slot) for slot, plan in plans.items()}
    record = expect((yield Propose(step=step, requests=tuple(requests.values()))), Proposed)
    for (slot, plan), reply in zip(plans.items(), record.replies, strict=True):
        one = _read_reply(plan, reply, options, board, step)
        if not one.valid:
            random = draw_random(draw, "instead", step, slot)
            instead = _draw(options, board, random, step=step, paraphrase=False)
            made += [instead] if isinstance(instead, Candidate) else []
        else:
            made.append(one)
    return made


def _draw(
    options: SearchOptions,
    board: Board,
    random: np.random.Generator,
    *,
    step: int,
    paraphrase: bool,
) -> Candidate | _Plan | None:
    """Draw a new and valid candidate, which the board keeps, or the plan of a paraphrase."""
    incumbent = board.incumbent
    for _ in range(_TRIES):
        target = options.targets[int(random.integers(len(options.targets)))]
        edit = draw_edit(
            incumbent.texts[target.name],
            target=target,
            options=options,
            deleted=incumbent.deleted.get(target.name, ()),
            random=random,
            paraphrase=paraphrase,
        )
        if edit is None:
            continue
        plan = _Plan(target=target, edit=edit)
        if edit.operation == "paraphrase":
            return plan
        candidate = _build(plan, options, board, step)
        if candidate.valid and not board.knows(candidate.texts):
            board.add(candidate)
            return candidate
    return None


def _build(plan: _Plan, options: SearchOptions, board: Board, step: int) -> Candidate:
    """Build the candidate of an edit; it is not valid where the edited text is not."""
    parent, target, edit = board.incumbent, plan.target, plan.edit
    text = apply_edit(parent.texts[target.name], edit, target=target, options=options)
    why = find_edit_fault(text, target=target, options=options)
    texts = {**parent.texts, target.name: text}
    return Candidate(
        id=identify(texts),
        texts=texts,
        parent=parent.id,
        step=step,
        origin=edit.operation,
        target=target.name,
        change=describe_edit(edit),
        deleted=_track_deleted(parent.deleted, target.name, edit),
        valid=not why,
        why=why,
    )


def _track_deleted(
    before: Mapping[str, tuple[str, ...]], target: str, edit: Edit
) -> Mapping[str, tuple[str, ...]]:
    """Return the deleted texts after an edit: with what it deletes, without what it adds."""
    texts = list(before.get(target, ()))
    if edit.operation == "delete":
        texts.append(edit.texts[0])
    elif edit.operation == "add":
        texts.remove(edit.new)
    return {**before, target: tuple(texts)} if texts or target in before else before


def _request(plan: _Plan, draw: int, board: Board, step: int, slot: int) -> TextRequest:
    return TextRequest(
        id=f"paraphrase-{step}-{slot}",
        kind="paraphrase",
        messages=ask_for_paraphrase(plan.edit.texts[0]),
        target=plan.target.name,
        parent=board.incumbent.id,
        draw=draw_number(draw, "paraphrase", step, slot),
    )


def _read_reply(
    plan: _Plan, reply: TextReply, options: SearchOptions, board: Board, step: int
) -> Candidate:
    """Build the candidate of a paraphrase and keep it; it may not be valid."""
    parsed = read_text(reply)
    new = " ".join(parsed.text.split())
    # The paper takes the final full stop of a paraphrase away, unless the phrase has one.
    new = new if plan.edit.texts[0].endswith(".") else new.rstrip(".")
    edit = dataclasses.replace(plan.edit, new=new)
    one = _build(_Plan(target=plan.target, edit=edit), options, board, step)
    why = parsed.why or one.why
    if not why and not new:
        why = "the proposed text is empty"
    if not why and board.knows(one.texts):
        why = "the text was tried before"
    if why:
        one = reject(one, why=why, request=reply.id)
    board.add(one)
    return one


def reject(candidate: Candidate, *, why: str, request: str) -> Candidate:
    """Return the candidate as a proposal that is not valid, with an id of its own."""
    salted = identify(candidate.texts, request)
    return replace(candidate, id=salted, valid=False, why=why)
