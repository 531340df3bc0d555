"""Forms of a verdict: what replaces the reply form of a pack, and the question for a choice."""

from __future__ import annotations

import json
from collections.abc import Sequence

from peerjudge.data import ARGUMENT, CHOICE, NO_CHOICE, Cue, Message, PromptPack, ReplyForm
from peerjudge.prompts.rendering import list_labels

BARE_TASKS = frozenset({"review", "decide"})
"""Tasks whose reply is a verdict without reasons, in every built-in pack."""


def list_choices(pack: PromptPack, cue: Cue) -> tuple[str, ...]:
    """Return the labels of the answers that a cue shows, and of a tie where one is allowed."""
    return (*list_labels(pack, len(cue.sees)), *(("Tie",) if cue.ties else ()))


def describe_form(form: ReplyForm, choices: Sequence[str], *, bare: bool) -> str:
    """Return the request for a verdict as JSON (`schema`) or for reasons alone (`two_step`)."""
    if form == "two_step":
        if bare:
            return f"Reply with {_either(choices)} and nothing else."
        return (
            "Write your reasons in at most 60 words. You will be asked for your choice afterwards."
        )
    named = _either([json.dumps(choice, ensure_ascii=False) for choice in choices])
    value = f'{named}, or "{NO_CHOICE}" if you cannot choose'
    if bare:
        return f'Reply with a JSON object and nothing else. Its only key is "{CHOICE}": {value}.'
    return (
        f'Reply with a JSON object and nothing else. Its first key is "{ARGUMENT}": your reasons in at '
        f'most 60 words. Its second key is "{CHOICE}": {value}.'
    )


def ask_choice(
    messages: Sequence[Message], words: str, choices: Sequence[str], *, named: bool
) -> tuple[Message, ...]:
    """Return a prompt followed by its reply and the question for the choice.

    `named` is false where the words name no choice, which the question then says.
    """
    opening = "Now name your choice" if named else "Your reply names no choice. Name it"
    question = f"{opening}: write {_either(choices)} and nothing else."
    return (
        *messages,
        Message(role="assistant", text=words),
        Message(role="user", text=question),
    )


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
