"""The built-in sample: 36 questions in six categories, two answers each, with gold.

Written for PeerJudge. In the subset `adversarial` (14 of 36; also `meta["adversarial"]`) the fluent,
longer answer ignores or breaks the instruction, and the plain one follows it; in `natural` one answer
is right and to the point. The authors are the four simulated reviewers of the quickstart, so that
reviewers are contestants too, as in PRD: sim_strong (gold in 14 of 18), sim_solid (11), sim_plain (7),
sim_weak (4). Each pair of them meets six times, once per category. Each is shown first in half of its
battles, and so is the better answer.
"""

from __future__ import annotations

from pathlib import Path

from peerjudge.data import Dataset
from peerjudge.datasets.lines import read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.datasets.table import build_dataset


def _read(request: Request) -> Dataset:
    rows = read_rows(request.path)
    return build_dataset(rows, request, name="sample", description=SOURCE.description)


SOURCE = Source(
    description="36 questions with two answers and gold, 14 of them adversarial (built in)",
    read=_read,
    licence="MIT",
    place=Path(__file__).parent.parent / "sample.jsonl",
)
