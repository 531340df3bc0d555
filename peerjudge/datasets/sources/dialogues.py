"""25 sets of dialogues to rate, without gold.

Written for PeerJudge, after the kind of material that Chu, Chen and Nakayama rate: short dialogues in the
order of time, between people of one place (category `people`) or between a user and an assistant
(`assistant`). Problems were put into most sets. `meta` counts them by the criteria of the prompt pack
`dialogue_sets`: contradictions of facts (`facts`), repetitions (`repetition`) and remarks that do not follow
(`coherence`); `difficulty` says how hard these are to notice. `rule` names the special rule of the pack
that a set touches:

- `breaks_off`: a dialogue ends in the middle of a sentence, which is no problem;
- `no_average`: the kinds of problems differ in number, and are not to be averaged;
- `one_kind`: all is well but for one kind of problem;
- `many_small`: several problems that do no harm;
- `worst_decides`: one problem, or one kind of problems, outweighs the others.

The counts are those of the authors of the sets, no judgement by readers. Reviewers do not see `meta`.
"""

from __future__ import annotations

from pathlib import Path

from peerjudge.data import Dataset
from peerjudge.datasets.lines import read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.datasets.table import build_dataset


def _read(request: Request) -> Dataset:
    rows = read_rows(request.path)
    return build_dataset(rows, request, name="dialogues", description=SOURCE.description)


SOURCE = Source(
    description="25 sets of short dialogues with planted problems, to rate without gold (built in)",
    read=_read,
    licence="MIT",
    place=Path(__file__).parent.parent / "dialogues.jsonl",
)
