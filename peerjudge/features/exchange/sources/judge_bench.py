"""JudgeBench: pairs of one model's right and wrong answer to a hard question, with verdicts of judges.

Tan et al., "JudgeBench: A Benchmark for Evaluating LLM-Based Judges", 2024, arXiv:2410.12784. Read from
JSON Lines: `pair_id`, `question`, `response_A`, `response_B`, `label` (`A>B`, `B>A`), `source`,
`response_model`. Files of outputs also have `judge_name` and `judgments`: the first in the order of the
file, the second with the answers swapped, each with `decision` (`A>B`, `B>A`, `A=B` or null, in the order
of that judgment) and `judgment`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

from peerjudge.datasets.codes import Choice, Codebook
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import JUDGED_OPTIONS, Source
from peerjudge.features.exchange.judgements import Judgement, Written, build_judged

_LABELS: dict[str, Choice] = {"a>b": 0, "b>a": 1}
_DECISIONS: dict[str, Choice] = {**_LABELS, "a=b": "tie", "b=a": "tie", "": "unreadable"}


def _read_row(row: Row, codebook: Codebook) -> Iterator[Judgement]:
    model = row.label("response_model")
    answers = tuple(Written(text=row.text(f"response_{x}"), author=model) for x in "AB")
    given = Judgement(
        row=row,
        asked=row.label("pair_id"),
        question=row.text("question"),
        answers=answers,
        label=codebook.read(row, "label", _LABELS),
        subset=row.label("source"),
    )
    yield given
    yield from _read_judgments(row, given, codebook)


def _read_judgments(row: Row, given: Judgement, codebook: Codebook) -> Iterator[Judgement]:
    """Yield the two verdicts of a judge; one that gave none has an entry of `null`."""
    listed = row.fields.get("judgments")
    if not isinstance(listed, list):
        return
    for place, one in enumerate(cast("list[object]", listed)):
        shown = given.answers if place == 0 else given.answers[::-1]
        made = row.enter(cast("dict[str, object]", one or {}))
        said = made.fields.get("judgment")
        told = cast("dict[str, object]", said) if isinstance(said, dict) else {}
        names = (row.label("judge_name"), str(told.get("judge_model") or ""))
        yield given.change(
            answers=shown,
            choice=codebook.read(made, "decision", _DECISIONS),
            judge=" ".join(name for name in names if name) or row.path.stem,
            explanation=str(told.get("response") or ""),
        )


SOURCE = Source(
    description="JudgeBench: question, response_A, response_B, label, judgments",
    read=partial(build_judged, read=_read_row, description="JudgeBench"),
    options=JUDGED_OPTIONS,
    keys=(frozenset(("question", "response_A", "response_B", "label")),),
)
