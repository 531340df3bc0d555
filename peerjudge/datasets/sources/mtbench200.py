"""MT-Bench as LLMBar's authors sampled it: 200 first-turn pairs with texts and a majority label.

Zeng et al., "Evaluating Large Language Models at Evaluating Instruction Following", ICLR 2024,
arXiv:2310.07641. No pair is a tie. The answers are `output_1` and `output_2`; their models,
the number of the question and the voters are not recorded. Instances with the same instruction are one
question. Read from `llmbar_sample_200.jsonl` or its folder.
"""

from __future__ import annotations

from peerjudge.data import Answer, Comparison, Conventions, Dataset, Question, Undecided, Verdict
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError

_FILE = "llmbar_sample_200.jsonl"
_ANSWERS = ("output_1", "output_2")


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
    label = row.integer("label")
    if label not in (1, 2):
        msg = f"'label' must be 1 or 2, not {label}"
        raise row.error(msg)
    text = row.text("input")
    return Comparison(
        id=row.text("id"),
        question=Question(id=names.setdefault(text, f"question-{len(names) + 1:02}"), text=text),
        answers=tuple(Answer(id=key, text=row.text(key)) for key in _ANSWERS),
        gold=Verdict.of(_ANSWERS[label - 1]),
    )


SOURCE = Source(
    description="200 first-turn pairs of MT-Bench with texts and a majority label, no ties",
    read=_read,
    licence="CC-BY-4.0",
)
