"""Requests to people and their answers."""

from __future__ import annotations

from typing import Any

from peerjudge.data import Expects, Message, TaskSheet
from peerjudge.features.people.desk import DeskAnswer, DeskTask, Draft


def task(name: str, card: str = "ann", **fields: Any) -> DeskTask:
    """Return a request for a verdict, with characters that forms and databases treat apart."""
    given = {
        "messages": (
            Message(role="user", text="\x1b[31m Which? \N{SNOWMAN} $1 \u202e</textarea>"),
        ),
        "expects": Expects.VERDICT,
        "answers": 2,
        "ties": True,
        "scale": (1, 5),
        "sheet": TaskSheet(question="Why?\x00"),
    }
    return DeskTask(id=name, card=card, **given | fields)


def answer(choice: str, seconds: float = 0.0, *, name: str = "t") -> DeskAnswer:
    """Return an answer that was made in a form."""
    return DeskAnswer(
        task=name, text=f"Verdict: {choice}", seconds=seconds, draft=Draft(choice=choice)
    )
