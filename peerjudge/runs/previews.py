"""Prompts of the calls that discussions would make, before any of them is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from peerjudge.data import (
    ASK_TASK,
    Card,
    Comparison,
    Cue,
    Experiment,
    Message,
    Request,
    ReviewerKind,
    Transcript,
)
from peerjudge.data.choices import suggest_name
from peerjudge.errors import DataError, ExperimentError
from peerjudge.runs.estimate import SimulatedCall, build_token_counter, count_prompt, simulate_calls
from peerjudge.runs.resolve import prepare
from peerjudge.runs.schedule import Part, Plan
from peerjudge.shelf import Shelf

__all__ = ["PromptOfCall", "list_prompts"]

_CALLED = frozenset({ReviewerKind.MODEL, ReviewerKind.PYTHON})
_REREAD = "reread"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOfCall:
    """The messages of one call of a discussion.

    Attributes:
        condition: Condition of the discussion.
        protocol: Its protocol.
        discussions: Number of discussions of the condition on the comparison; the first is shown.
        comparison: Id of the comparison.
        shown: Ids of the answers in the order in which they are shown.
        turn: Index of the turn, from 0.
        task: Task of the cue.
        private: Whether the seat hears no other.
        seat: Seat that is called.
        role: Role of the seat.
        reviewer: Card in the seat.
        kind: Kind of the card; only models and Python reviewers are called.
        form: Form of the verdict or rating.
        when: When the call is made; empty for a call that is always made.
        messages: The messages.
        prompt_tokens: Tokens of the messages; replies in them have the assumed length.
        estimated: Whether the tokens are an estimate: no vocabulary of the model is on this machine, or the
            messages hold replies that are not known yet.
        reply_tokens: Assumed length of the reply. [tokens]
        placeholders: Whether messages hold placeholders for replies.
    """

    condition: str
    protocol: str
    discussions: int
    comparison: str
    shown: tuple[str, ...]
    turn: int
    task: str
    private: bool
    seat: str
    role: str
    reviewer: str
    kind: str
    form: str
    when: str
    messages: tuple[Message, ...]
    prompt_tokens: int
    estimated: bool
    reply_tokens: int
    placeholders: bool


def list_prompts(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    comparison: str | None = None,
    condition: str | None = None,
    turn: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    shelf: Shelf | None = None,
) -> tuple[PromptOfCall, ...]:
    """Return the prompts of the first discussion of each condition; `preview` documents the arguments.

    Raises:
        PeerJudgeError: The experiment cannot be run so, or there is no such comparison, condition or turn.
    """
    shelf = shelf or Shelf()
    plan = prepare(
        experiment, data=data, seed=seed, settings=settings, seats=seats, shelf=shelf
    ).plan
    parts = _choose_parts(plan, condition)
    chosen = _choose_comparisons(plan, comparison)
    found = [call for part in parts for call in _list_calls(replace(plan, parts=(part,)), chosen)]
    if not found:
        msg = f"comparison {comparison!r} is judged by none of the conditions {_name(parts)}"
        raise ExperimentError(msg)
    kept = [call for call in found if turn is None or call.turn == turn]
    if not kept:
        msg = (
            f"no call is made in turn {turn}; the turns are 0 to {max(call.turn for call in found)}"
        )
        raise ExperimentError(msg)
    return tuple(kept)


def _name(parts: Sequence[Part]) -> str:
    return ", ".join(repr(part.condition.name) for part in parts)


def _choose_parts(plan: Plan, condition: str | None) -> Sequence[Part]:
    if condition is None:
        return plan.parts
    kept = [part for part in plan.parts if part.condition.name == condition]
    if not kept:
        near = suggest_name(condition, [part.condition.name for part in plan.parts])
        msg = f"no condition is called {condition!r}{near} (conditions: {_name(plan.parts)})"
        raise ExperimentError(msg)
    return kept


def _choose_comparisons(plan: Plan, wanted: str | None) -> Sequence[Comparison]:
    if wanted is None:
        return plan.comparisons
    kept = [one for one in plan.comparisons if one.id == wanted]
    if not kept:
        ids = [one.id for one in plan.comparisons]
        first = ", ".join(ids[:3])
        msg = f"no comparison is called {wanted!r}{suggest_name(wanted, ids)} (the first ones: {first})"
        raise DataError(msg)
    return kept


def _list_calls(plan: Plan, comparisons: Sequence[Comparison]) -> Iterator[PromptOfCall]:
    """Yield the calls of the first discussion of the condition on the first comparison that it judges."""
    (part,) = plan.parts
    count = build_token_counter(plan.cast)
    judged = tuple(islice(filter(part.judges, comparisons), 1))
    heads = list(replace(plan, comparisons=judged))
    if not heads:
        return
    head = heads[0]
    for (request, _, _), (measured, usage, _) in zip(
        _simulate(plan, part, head, words=True),
        _simulate(plan, part, head, words=False),
        strict=True,
    ):
        card = plan.cast[request.seat.reviewer]
        messages, assumed = _send(request, card), _send(measured, card)
        yield PromptOfCall(
            condition=part.condition.name,
            protocol=part.protocol.name,
            discussions=len(heads),
            comparison=head.comparison.id,
            shown=head.comparison.shown,
            turn=request.turn,
            task=request.cue.task,
            private=request.cue.private,
            seat=request.seat.id,
            role=request.seat.role,
            reviewer=card.name,
            kind=card.kind.value,
            form=request.form,
            when=_describe_when(request),
            messages=messages,
            prompt_tokens=count_prompt(assumed, card.name, count),
            estimated=messages != assumed or not _has_vocabulary(card),
            reply_tokens=usage.completion_tokens,
            placeholders=messages != assumed,
        )


def _simulate(plan: Plan, part: Part, head: Transcript, *, words: bool) -> Iterator[SimulatedCall]:
    """Yield the calls with placeholders as replies, or with replies of the assumed length."""
    names = {seat.id: seat.reviewer for seat in head.seats}

    def reply(index: int, cue: Cue) -> str:
        return f"[reply of {names[cue.seat]} in turn {index}]"

    called = {name for name, card in plan.cast.items() if card.kind in _CALLED}
    return simulate_calls(
        head,
        part.protocol,
        pack=part.pack,
        roles={seat.id: plan.cast[seat.reviewer].role for seat in head.seats},
        count=build_token_counter(plan.cast),
        reread={n for n, card in plan.cast.items() if card.kind is not ReviewerKind.SIMULATED},
        ask=called,
        reply=reply if words else None,
    )


def _send(request: Request, card: Card) -> tuple[Message, ...]:
    """Return the messages without what the card says that its model does not take."""
    messages = request.messages
    unset = () if card.kind is not ReviewerKind.MODEL or card.model is None else card.model.unset
    if request.in_prose is not None and "form" in unset:
        messages = request.in_prose()
    if "system" not in unset:
        return messages
    system = "\n\n".join(one.text for one in messages if one.role == "system")
    first, *rest = (one for one in messages if one.role != "system")
    return (Message(role=first.role, text=f"{system}\n\n{first.text}"), *rest)


def _describe_when(request: Request) -> str:
    if request.cue.task == ASK_TASK and request.form != "two_step":
        return "only if the reply names no choice"
    return "only if no rule reads a verdict in the reply" if request.cue.task == _REREAD else ""


def _has_vocabulary(card: Card) -> bool:
    if card.kind is not ReviewerKind.MODEL or card.model is None:
        return False
    from peerjudge.clients.vocabularies import find_encoding

    return find_encoding(card.model.name) is not None
