"""Judgments of FastChat's `llm_judge` on MT-Bench: pairs in both orders (`*_pair.jsonl`), or single ratings.

Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", NeurIPS 2023, arXiv:2306.05685.

* Pairs: `question_id`, `model_1`, `model_2`, `g1_winner`, `g2_winner` (`model_1`, `model_2`, `tie`,
  `error`), `judge` (name and prompt), `turn`; the second verdict was given with the answers swapped.
* Ratings: `question_id`, `model`, `score` (-1 is not readable), `judge`, `turn`.

Texts come from `question.jsonl` and `model_answer/MODEL.jsonl` in the folder of the file or the folder
above it; without them reviews can be analysed, and answers not judged. A turn is a subset; the second
turn has both in its answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from peerjudge.data import Dataset
from peerjudge.datasets.chats import find_questions, join_turns, read_questions, read_replies
from peerjudge.datasets.codes import Choice, Codebook, name_places
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import JUDGED_OPTIONS, Request, Source
from peerjudge.features.exchange.judgements import Judgement, Written, build_judged

_WINNERS: dict[str, Choice] = {
    "model_1": 0,
    "model_2": 1,
    "tie": "tie",
    "error": "unreadable",
    "": "unreadable",
}
_UNREADABLE = -1


@dataclass(frozen=True, slots=True)
class _Texts:
    """The messages of the user and the replies of each model, by question."""

    asked: Mapping[str, tuple[str, ...]]
    replies: Mapping[tuple[str, str], tuple[str, ...]]
    categories: Mapping[str, str]

    def write(self, question: str, model: str, turn: int) -> Written:
        """Return the answer of a model up to a turn; without text where it is not known."""
        replies = self.replies.get((question, model), ())[:turn]
        text = join_turns(list(self.asked.get(question, ())[1:]), list(replies))
        return Written(text=text if len(replies) == turn else "", author=model)


def _read(request: Request) -> Dataset:
    texts = _read_texts(request.path)
    return build_judged(request, partial(_read_row, texts), description="FastChat judgments")


def _read_texts(path: Path) -> _Texts:
    file = find_questions(path)
    questions = read_questions(file)
    return _Texts(
        asked={number: row.texts("turns") for number, row in questions.items()},
        replies={} if file is None else read_replies(file.parent),
        categories={number: row.label("category") for number, row in questions.items()},
    )


def _read_row(texts: _Texts, row: Row, codebook: Codebook) -> Iterator[Judgement]:
    question, turn = row.label("question_id"), row.integer("turn") if "turn" in row.fields else 1
    asked = texts.asked.get(question, ())
    models = ("model",) if "score" in row.fields else ("model_1", "model_2")
    answers = tuple(texts.write(question, row.label(model), turn) for model in models)
    given = Judgement(
        row=row,
        # Both turns are of one question, which is the unit of resampling.
        unit=question,
        asked=f"{question}" if turn == 1 else f"{question}-turn-{turn}",
        question=asked[0] if asked else "",
        answers=answers,
        judge=_name_judge(row),
        category=texts.categories.get(question, ""),
        subset=f"turn {turn}",
    )
    if len(answers) == 1:
        yield _rate(row, given)
        return
    for game, shown in (("g1", answers), ("g2", answers[::-1])):
        places = name_places([answer.author for answer in answers])
        choice = codebook.read(row, f"{game}_winner", _WINNERS, names=places)
        # Winners are models, and the second game shows them swapped.
        place = 1 - choice if isinstance(choice, int) and game == "g2" else choice
        said = row.fields.get(f"{game}_judgment")
        yield given.change(
            answers=shown, choice=place, explanation=said if isinstance(said, str) else ""
        )


def _rate(row: Row, given: Judgement) -> Judgement:
    score = row.number("score")
    readable = score is not None and score != _UNREADABLE
    said = row.fields.get("judgment")
    return given.change(
        choice=0 if readable else "unreadable",
        rating=score if readable else None,
        explanation=said if isinstance(said, str) else "",
    )


def _name_judge(row: Row) -> str:
    judge = row.fields.get("judge")
    if isinstance(judge, list) and judge:
        return str(cast("list[object]", judge)[0])
    return row.label("judge") or "judge"


SOURCE = Source(
    description="judgments of FastChat on MT-Bench: g1_winner, g2_winner, or score",
    read=_read,
    options=JUDGED_OPTIONS,
    keys=(
        frozenset(("question_id", "model_1", "model_2", "g1_winner")),
        frozenset(("question_id", "model", "judge", "score")),
    ),
)
