"""RewardBench: one chosen and one or three rejected answers to each prompt.

Lambert et al., "RewardBench: Evaluating Reward Models for Language Modeling", 2024, arXiv:2403.13787, and
Malik et al., "RewardBench 2", 2025, arXiv:2506.01937. Read from JSON Lines, one JSON list, or CSV:

* Version 1: `prompt`, `chosen`, `rejected`, `chosen_model`, `rejected_model`, `subset`, `id`.
* Version 2: `chosen` and `rejected` are lists; a question with one chosen and three rejected answers is a
  choice of four. Its subset Ties has many correct answers and no single gold, and is refused.

Gold is the chosen answer. The files list it first, which is no order shown to anyone: run both orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from peerjudge.data import MAX_ANSWERS
from peerjudge.datasets.codes import Codebook
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import FILE_OPTIONS, Source
from peerjudge.features.exchange.judgements import Judgement, Written, build_judged


def _read_row(row: Row, _codebook: Codebook) -> Iterator[Judgement]:
    chosen = _read_answers(row, "chosen")
    rejected = _read_answers(row, "rejected")
    if len(chosen) != 1 or len(chosen) + len(rejected) > MAX_ANSWERS:
        msg = (
            f"{len(chosen)} chosen and {len(rejected)} rejected answers; a comparison has one chosen of "
            f"at most {MAX_ANSWERS} (leave out the subset Ties)"
        )
        raise row.error(msg)
    number = row.label("id")
    yield Judgement(
        row=row,
        asked=f"{row.label('subset') or 'item'}-{number}" if number else "",
        question=row.text("prompt"),
        answers=(*chosen, *rejected),
        label=0,
        subset=row.label("subset"),
    )


def _read_answers(row: Row, key: str) -> list[Written]:
    value = row.fields.get(key)
    texts = row.texts(key) if isinstance(value, list) else (row.text(key),)
    models = row.fields.get(f"{key}_model")
    names = row.texts(f"{key}_model") if isinstance(models, list) else (row.label(f"{key}_model"),)
    if len(names) != len(texts):
        names = (*names, *[""] * len(texts))[: len(texts)] if len(names) == 1 else [""] * len(texts)
    return [Written(text=text, author=name) for text, name in zip(texts, names, strict=True)]


SOURCE = Source(
    description="RewardBench 1 and 2: prompt, chosen, rejected, subset",
    read=partial(build_judged, read=_read_row, description="RewardBench"),
    options=FILE_OPTIONS,
    keys=(frozenset(("prompt", "chosen", "rejected")),),
)
