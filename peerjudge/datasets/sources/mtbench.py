"""MT-Bench: 3,355 votes of people on pairs of answers to 80 questions, and GPT-4's verdicts. No texts.

Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", NeurIPS 2023,
arXiv:2306.05685. Six models answer 80 questions of eight categories in two turns; each turn is a
subset, `turn 1` and `turn 2`. A comparison is an unordered pair of models in one turn, so there are
2,400; people voted on 1,814 of them. The published table lacks the conversations: the answers
are empty, with their authors, and only recorded and simulated reviewers can judge them.

Every vote is a review by its labeler, `expert_17` or `author_2`. `gpt4_pair` is GPT-4 in both orders;
where it contradicted itself its verdict is `INCONSISTENT`. Two models occur in either order in the
table: `shown` keeps the order of the row.

The gold is the sign of the mean vote, so votes that cancel out are a tie (`GoldRule.SIGN_OF_MEAN`);
a comparison without votes has no gold. Read from a folder with `human.jsonl`, `gpt4_pair.jsonl` and
`questions.jsonl`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from peerjudge.data import (
    INCONSISTENT,
    TIE,
    Answer,
    Comparison,
    Conventions,
    Dataset,
    GoldRule,
    Question,
    RecordedReview,
    Undecided,
    Verdict,
)
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.source import Request, Source, settle_gold
from peerjudge.errors import DataError

_FILES = ("human.jsonl", "gpt4_pair.jsonl", "questions.jsonl")
_TIES = {"tie": TIE, "tie (inconsistent)": INCONSISTENT}

_Key = tuple[int, int, str, str]
"""Question, turn, and the two models in alphabetical order."""


CONVENTIONS = Conventions(
    source="Zheng et al. 2023, Table 5, setup S1",
    undecided=Undecided.AS_TIE,
    votes=("expert",),
    by="subset",
)


def _read(request: Request) -> Dataset:
    missing = [name for name in _FILES if not (request.path / name).is_file()]
    if missing:
        msg = f"{request.path} is not an MT-Bench folder: it has no {', '.join(missing)}"
        raise DataError(msg)
    votes, verdicts = (list(map(_review, read_rows(request.path / name))) for name in _FILES[:2])
    questions = _questions(request.path / _FILES[2])
    golds: defaultdict[_Key, list[int]] = defaultdict(list)
    for key, vote in votes:
        golds[key].append(_score(key, vote))
    rule = request.gold or GoldRule.SIGN_OF_MEAN
    keys = sorted({key for key, _ in (*votes, *verdicts)})
    position = {_name(key): place for place, key in enumerate(keys)}
    reviews = [review for _, review in (*votes, *verdicts)] if request.reviews else []
    return Dataset(
        name="mtbench",
        description=SOURCE.description,
        comparisons=tuple(_comparison(key, questions, golds[key], rule) for key in keys),
        reviews=tuple(sorted(reviews, key=lambda review: position[review.comparison])),
        humans=tuple(sorted({vote.reviewer for _, vote in votes})),
        gold_rule=rule,
        conventions=CONVENTIONS,
    )


def _questions(path: Path) -> Mapping[tuple[int, int], Question]:
    """Return the questions by number and turn; both turns share an id, as questions are resampled."""
    found: dict[tuple[int, int], Question] = {}
    for row in read_rows(path):
        number, category = row.integer("question_id"), row.text("category")
        said = row.fields.get("turns")
        if not isinstance(said, list) or not all(isinstance(turn, str) for turn in said):  # pyright: ignore[reportUnknownVariableType]
            msg = f"'turns' must be a list of texts, not {said!r:.60}"
            raise row.error(msg)
        turns = cast("list[str]", said)
        for turn in range(1, len(turns) + 1):
            found[number, turn] = Question(
                id=str(number), text="\n\n".join(turns[:turn]), category=category
            )
    return found


def _review(row: Row) -> tuple[_Key, RecordedReview]:
    pair = (row.text("model_a"), row.text("model_b"))
    if pair[0] == pair[1]:
        msg = f"{pair[0]!r} is compared with itself"
        raise row.error(msg)
    one, other = sorted(pair)
    key = (row.integer("question_id"), row.integer("turn"), one, other)
    review = RecordedReview(
        comparison=_name(key),
        shown=pair,
        reviewer=row.text("judge"),
        verdict=_verdict(row, pair),
    )
    return key, review


def _verdict(row: Row, pair: tuple[str, str]) -> Verdict:
    winner = row.text("winner")
    if winner in _TIES:
        return _TIES[winner]
    if winner not in ("model_a", "model_b"):
        msg = f"'winner' must be model_a, model_b, {' or '.join(_TIES)}, not {winner!r}"
        raise row.error(msg)
    return Verdict.of(pair[winner == "model_b"])


def _name(key: _Key) -> str:
    question, turn, one, other = key
    return f"{question}-{turn}-{one}-{other}"


def _score(key: _Key, vote: RecordedReview) -> int:
    if vote.verdict.choice is None:
        return 0
    return -1 if vote.verdict.choice == key[2] else 1


def _comparison(
    key: _Key, questions: Mapping[tuple[int, int], Question], votes: list[int], rule: GoldRule
) -> Comparison:
    number, turn, *pair = key
    question = questions.get((number, turn))
    if question is None:
        msg = f"turn {turn} of question {number} is not in questions.jsonl; take all files from one place"
        raise DataError(msg)
    return Comparison(
        id=_name(key),
        question=question,
        answers=tuple(Answer(id=model, text="", author=model) for model in pair),
        gold=settle_gold(votes, rule, (pair[0], pair[1])),
        subset=f"turn {turn}",
        meta={"votes": len(votes)},
    )


SOURCE = Source(
    description="2400 pairs of MT-Bench answers without texts, 3355 human votes, GPT-4's verdicts",
    read=_read,
    votes=True,
)
