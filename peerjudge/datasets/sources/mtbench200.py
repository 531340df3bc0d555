"""MT-Bench as LLMBar's authors sampled it: 200 first-turn pairs with texts and a majority label.

Zeng et al., "Evaluating Large Language Models at Evaluating Instruction Following", ICLR 2024,
arXiv:2310.07641. No pair is a tie. The answers are `output_1` and `output_2`; their models,
the number of the question and the voters are not recorded. Instances with the same instruction are one
question. Read from `llmbar_sample_200.jsonl` or its folder.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Conventions, Dataset, Question, Undecided
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.datasets.sources.llmbar import read_instance
from peerjudge.errors import DataError

_FILE = "llmbar_sample_200.jsonl"


CONVENTIONS = Conventions(
    source="Zeng et al. 2024, tables of accuracies", undecided=Undecided.AS_TIE
)


def _read(request: Request) -> Dataset:
    path = request.path if request.path.is_file() else request.path / _FILE
    if not path.is_file():
        msg = f"{request.path} is no folder with {_FILE}; name that file or its folder"
        raise DataError(msg)
    names: dict[str, str] = {}
    return Dataset(
        name="mtbench200",
        description=SOURCE.description,
        comparisons=tuple(_comparison(row, names) for row in read_rows(path)),
        conventions=CONVENTIONS,
    )


def _comparison(row: Row, names: dict[str, str]) -> Comparison:
    text = row.text("input")
    question = Question(id=names.setdefault(text, f"question-{len(names) + 1:02}"), text=text)
    return read_instance(row, row.text("id"), question)


SOURCE = Source(
    description="200 first-turn pairs of MT-Bench with texts and a majority label, no ties",
    read=_read,
    licence="CC-BY-4.0",
)
