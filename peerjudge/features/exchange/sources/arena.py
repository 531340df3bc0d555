"""Battles of an arena: two anonymous models answer a user, who votes for one of them.

Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", NeurIPS 2023, arXiv:2306.05685, and
later releases. Read from JSON Lines, one JSON list, or CSV, in any of these layouts:

* `model_a`, `model_b`, `winner` (`model_a`, `model_b`, `tie`, `tie (bothbad)`, `both_bad`), `conversation_a`,
  `conversation_b` (messages with `role` and `content`), `judge`, `question_id`; `peerjudge export --format
  arena` writes it. `evaluation_session_id` names the judge, and `id` the question, where these are absent.
* `prompt`, `response_a`, `response_b` (JSON lists of turns), and `winner_model_a`, `winner_model_b`,
  `winner_tie` (0 or 1, false or true).
* The first without conversations: such battles can be ranked, and not judged.

A judge that is absent, or whose name begins with `arena_user`, is a person; others are so where
`import --human` names them. "Both bad" is a tie. Two users are not told apart where no judge is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import cast

from peerjudge.data import Scalar
from peerjudge.datasets.chats import join_turns, read_chat
from peerjudge.datasets.codes import Choice, Codebook, name_places
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import JUDGED_OPTIONS, Source
from peerjudge.features.exchange.judgements import NAMELESS, Judgement, Written, build_judged

_WINNERS: dict[str, Choice] = {
    "model_a": 0,
    "model_b": 1,
    "tie": "tie",
    "tie (bothbad)": "tie",
    "both_bad": "tie",
    "bothbad": "tie",
}
_FLAGS: tuple[tuple[str, Choice], ...] = (
    ("winner_model_a", 0),
    ("winner_model_b", 1),
    ("winner_tie", "tie"),
)


def _read_row(row: Row, codebook: Codebook) -> Iterator[Judgement]:
    asked = row.label("question_id") or row.label("id")
    question, replies = _read_texts(row, codebook)
    judge = row.label("judge") or row.label("evaluation_session_id") or NAMELESS
    models = (row.text("model_a"), row.text("model_b"))
    yield Judgement(
        row=row,
        asked=asked or ("" if question else f"{row.unit}-{row.line}"),
        question=question,
        answers=(
            Written(text=replies[0], author=models[0]),
            Written(text=replies[1], author=models[1]),
        ),
        choice=_read_winner(row, codebook, models),
        judge=judge,
        person=judge.startswith(NAMELESS) or not row.label("judge"),
        subset=row.label("language"),
        meta=_read_meta(row),
    )


def _read_texts(row: Row, codebook: Codebook) -> tuple[str, tuple[str, str]]:
    if "conversation_a" in row.fields:
        (question, one), (also, other) = (
            read_chat(row, f"conversation_{x}", codebook.left_out) for x in "ab"
        )
        if question != also:
            msg = "conversation_a and conversation_b begin with different questions"
            raise row.error(msg)
        return question, (one, other)
    if "response_a" in row.fields:
        asked = _read_turns(row, "prompt")
        one, other = (_read_turns(row, f"response_{x}") for x in "ab")
        return asked[0], (join_turns(asked[1:], one), join_turns(asked[1:], other))
    return "", ("", "")


def _read_turns(row: Row, key: str) -> list[str]:
    """Return the texts of a JSON list, which a CSV holds as text; a reply of `null` is empty."""
    value = row.fields.get(key)
    if isinstance(value, str):
        try:
            value = cast("object", json.loads(value))
        except ValueError:
            value = [row.text(key)]
    turns = cast("list[object]", value) if isinstance(value, list) else []
    if not turns or not all(turn is None or isinstance(turn, str) for turn in turns):
        msg = f"{key!r} must be a text or a list of texts, not {row.fields.get(key)!r:.60}"
        raise row.error(msg)
    return [str(turn or "") for turn in turns]


def _read_winner(row: Row, codebook: Codebook, models: tuple[str, str]) -> Choice:
    if "winner" in row.fields:
        return codebook.read(row, "winner", _WINNERS, names=name_places(models))
    marked: list[Choice] = [choice for key, choice in _FLAGS if row.flag(key)]
    if len(marked) != 1:
        msg = "no 'winner', and not exactly one of winner_model_a, winner_model_b, winner_tie is 1"
        raise row.error(msg)
    return marked[0]


def _read_meta(row: Row) -> dict[str, Scalar]:
    names = ("turn", "anony", "tstamp", "timestamp", "is_code")
    kept = {name: row.fields[name] for name in names if name in row.fields}
    return {key: each for key, each in kept.items() if isinstance(each, str | int | float | bool)}


SOURCE = Source(
    description="battles of an arena: model_a, model_b, winner, conversations",
    read=partial(build_judged, read=_read_row, description="battles"),
    options=JUDGED_OPTIONS,
    votes=True,
    keys=(frozenset(("model_a", "model_b", "winner")), frozenset(("response_a", "winner_model_a"))),
)
