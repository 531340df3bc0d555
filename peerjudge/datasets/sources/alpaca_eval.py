"""Annotations of AlpacaEval: a judge's preference between two models' outputs for one instruction.

Li et al., "AlpacaEval: an automatic evaluator of instruction-following models", 2023. Read from
`annotations.json` (a JSON list) or JSON Lines: `instruction`, `output_1`, `output_2`, `generator_1`,
`generator_2`, `annotator`, `preference` from 1 to 2 (1.5 and 0 are ties, null is not readable).

AlpacaEval shuffles the outputs before it asks, and undoes that in `preference`: the order that the judge
saw is unknown, and `raw_completion` speaks of the hidden one. So position bias leaves these judges out,
and the text is kept as it is, never read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from peerjudge.datasets.judgements import Choice, Judgement, Written, build_judged
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import Source

_TIES = (0.0, 1.5)


def _read_row(row: Row) -> Iterator[Judgement]:
    raw = row.fields.get("raw_completion")
    yield Judgement(
        row=row,
        question=row.text("instruction"),
        answers=(
            Written(text=row.text("output_1"), author=row.label("generator_1")),
            Written(text=row.text("output_2"), author=row.label("generator_2")),
        ),
        choice=_read_preference(row),
        judge=row.label("annotator") or "annotator",
        subset=row.label("dataset"),
        explanation=raw if isinstance(raw, str) else "",
        ordered=False,
    )


def _read_preference(row: Row) -> Choice:
    value = row.number("preference")
    if value is None:
        return "unreadable"
    if value in _TIES:
        return "tie"
    if not 1 <= value <= 2:
        msg = f"'preference' is from 1 to 2, 0 for a tie, or null, not {value:g}"
        raise row.error(msg)
    return int(value > 1.5)


SOURCE = Source(
    description="annotations of AlpacaEval: instruction, output_1, output_2, preference",
    read=partial(build_judged, read=_read_row, description="annotations"),
    several=True,
    keys=(frozenset(("instruction", "output_1", "output_2", "preference")),),
)
