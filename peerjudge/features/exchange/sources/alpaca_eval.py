"""Annotations of AlpacaEval: a judge's preference between two models' outputs for one instruction.

Li et al., "AlpacaEval: an automatic evaluator of instruction-following models", 2023. Read from
`annotations.json` (a JSON list) or JSON Lines: `instruction`, `output_1`, `output_2`, `generator_1`,
`generator_2`, `annotator`, `preference` from 1 to 2 (1.5 and 0 are ties, null is not readable).
A file whose preferences are all from 0 to 1 is refused until `--codes` names both ends (`0=a,1=b`).

AlpacaEval shuffles the outputs before it asks, and undoes that in `preference`: the order that the judge
saw is unknown, and `raw_completion` speaks of the hidden one. So position bias leaves these judges out,
and the text is kept as it is, never read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from peerjudge.datasets.codes import Codebook
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import JUDGED_OPTIONS, Source
from peerjudge.features.exchange.judgements import Judgement, Written, build_judged


def _read_row(row: Row, codebook: Codebook) -> Iterator[Judgement]:
    raw = row.fields.get("raw_completion")
    yield Judgement(
        row=row,
        question=row.text("instruction"),
        answers=(
            Written(text=row.text("output_1"), author=row.label("generator_1")),
            Written(text=row.text("output_2"), author=row.label("generator_2")),
        ),
        choice=codebook.read_scale(row, "preference"),
        judge=row.label("annotator") or "annotator",
        subset=row.label("dataset"),
        explanation=raw if isinstance(raw, str) else "",
        ordered=False,
    )


SOURCE = Source(
    description="annotations of AlpacaEval: instruction, output_1, output_2, preference",
    read=partial(build_judged, read=_read_row, description="annotations"),
    options=JUDGED_OPTIONS,
    keys=(frozenset(("instruction", "output_1", "output_2", "preference")),),
)
