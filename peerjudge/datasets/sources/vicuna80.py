"""Vicuna80: 80 open questions, five models' answers, 8000 model reviews and 1760 human votes.

Li, Patel, Du, "PRD: Peer Rank and Discussion Improve Large Language Model based Evaluations",
arXiv:2307.02762. Every model reviewed every pair of models in both orders. The verdict of a model's
review is the label that the authors settled on, partly by hand; the text is not read again.

Read from the authors' own folder (`generations/`, `prompts/`, `ratings-*/`) or from the tidy tables
derived from it (`questions.jsonl`, `answers.jsonl`, `reviews.jsonl.gz`, `human_votes.jsonl`); both
give the same dataset, with the models named as in the authors' file names.

The gold of a comparison is the sign of its mean human vote (three votes per question, one
where claude takes part), or with `GoldRule.STRICT_MAJORITY` the vote of more than half of the people.
Each human vote is also a review by `human`, in the order in which the answers were shown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path

from peerjudge.data import (
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Conventions,
    Dataset,
    GoldRule,
    Question,
    RecordedReview,
    Verdict,
)
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.source import Request, Source, score_vote, settle_gold
from peerjudge.errors import DataError

MODELS = ("gpt4", "gpt35", "bard", "claude", "vicuna-13b")
"""The contestants, which are also the reviewers, in the order of their names in pairs."""

HUMAN = "human"

_TIDY_NAMES = dict(zip(("gpt-4", "gpt-3.5", "bard", "claude", "vicuna"), MODELS, strict=True))

# The regular files begin with `answer_`; `answer-gpt35-vs-...` repeats a pair that has a regular file
# too, and would count 160 reviews twice.
_RATINGS = re.compile(
    r"answer_(?P<first>.+)-vs-answer_(?P<second>.+?)-(?P<reviewer>gpt4|gpt35|bard|claude|vicuna-13b|human)"
    r"-reviewer(?:[_-]threeclass)?\.jsonl"
)


_Rating = tuple[int, RecordedReview]
"""Number of the question, and the review."""

_Parts = tuple[
    Mapping[int, Question], Mapping[tuple[int, str], Answer], Iterator[_Rating], Iterator[_Rating]
]
"""Questions by number, answers by question and model, ratings by models, votes by people."""


CONVENTIONS = Conventions(source="PRD, Table 3")


def _read(request: Request) -> Dataset:
    questions, answers, ratings, votes = _parts(request.path)
    votes = sorted(votes, key=_place)
    rule = request.gold or GoldRule.SIGN_OF_MEAN
    by_reviewer = sorted(ratings, key=_place_and_reviewer) if request.reviews else []
    return Dataset(
        name="vicuna80",
        description=SOURCE.description,
        comparisons=_comparisons(questions, answers, votes, rule),
        reviews=tuple(review for _, review in (*by_reviewer, *votes)) if request.reviews else (),
        humans=(HUMAN,),
        gold_rule=rule,
        conventions=CONVENTIONS,
    )


def _parts(path: Path) -> _Parts:
    if (path / "generations").is_dir():
        return _native(path)
    if (path / "reviews.jsonl.gz").is_file():
        return _tidy(path)
    if (path / "original" / "generations").is_dir():
        return _native(path / "original")
    msg = (
        f"{path} is not a vicuna80 folder; name the one that holds `generations` and `ratings-gpt4`,"
        " or the tidy tables"
    )
    raise DataError(msg)


def _comparisons(
    questions: Mapping[int, Question],
    answers: Mapping[tuple[int, str], Answer],
    votes: list[_Rating],
    rule: GoldRule,
) -> tuple[Comparison, ...]:
    scores: dict[tuple[int, tuple[str, str]], list[int]] = defaultdict(list)
    for number, vote in votes:
        if vote.verdict.readable:
            pair = _pair(vote.shown)
            scores[number, pair].append(score_vote(vote.verdict, pair))
    return tuple(
        Comparison(
            id=_comparison_id(number, pair),
            question=question,
            answers=(answers[number, pair[0]], answers[number, pair[1]]),
            gold=settle_gold(scores[number, pair], rule, pair),
        )
        for number, question in sorted(questions.items())
        for pair in combinations(MODELS, 2)
    )


def _pair(shown: Sequence[str]) -> tuple[str, str]:
    one, other = sorted(shown, key=MODELS.index)
    return one, other


def _comparison_id(number: int, pair: tuple[str, str]) -> str:
    return f"q{number:02}-{pair[0]}-vs-{pair[1]}"


def _place(rating: _Rating) -> tuple[int, ...]:
    number, review = rating
    return number, *map(MODELS.index, review.shown)


def _place_and_reviewer(rating: _Rating) -> tuple[int, ...]:
    return *_place(rating), MODELS.index(rating[1].reviewer)


def _rating(
    row: Row, key: str, names: tuple[str, str, str], questions: Container[int], *, text: str = ""
) -> _Rating:
    first, second, reviewer = names
    question = row.integer("question_id")
    if question not in questions:
        msg = f"there is no question {question}; take all files from one place"
        raise row.error(msg)
    label = row.integer(key)
    verdicts = {1: Verdict.of(first), 2: Verdict.of(second), 3: TIE, -1: UNREADABLE}
    if label not in verdicts:
        msg = f"{key!r} must be 1 (first), 2 (second), 3 (tie) or -1, not {label}"
        raise row.error(msg)
    return question, RecordedReview(
        comparison=_comparison_id(question, _pair((first, second))),
        shown=(first, second),
        reviewer=reviewer,
        verdict=verdicts[label],
        text=text,
    )


def _question(row: Row) -> tuple[int, Question]:
    number = row.integer("question_id")
    return number, Question(
        id=f"q{number:02}", text=row.text("text"), category=row.text("category")
    )


# The authors' own layout.


def _native(path: Path) -> _Parts:
    questions = dict(map(_question, read_rows(path / "prompts" / "vicuna_questions.jsonl")))
    answers = {
        (row.integer("question_id"), model): Answer(id=model, author=model, text=row.text("text"))
        for model in MODELS
        for row in read_rows(path / "generations" / f"answer_{model}.jsonl")
    }
    _require_answers(path / "generations", questions, answers)
    return questions, answers, _native_ratings(path, questions), _native_votes(path, questions)


def _native_ratings(path: Path, questions: Mapping[int, Question]) -> Iterator[_Rating]:
    for reviewer in MODELS:
        folder = path / f"ratings-{reviewer}"
        files = _ratings_files(folder, reviewer)
        for first, second in permutations(MODELS, 2):
            if (first, second) not in files:
                msg = f"{folder} has no review file of {first} against {second}; fetch it again"
                raise DataError(msg)
            file = files[first, second]
            seen: set[int] = set()
            for row in read_rows(file):
                rating = _rating(
                    row, "score", (first, second, reviewer), questions, text=row.text("text")
                )
                if rating[0] in seen:
                    msg = f"question {rating[0]} is there twice; fetch the file again"
                    raise row.error(msg)
                seen.add(rating[0])
                yield rating
            _require_all(file, questions, seen)


def _native_votes(path: Path, questions: Container[int]) -> Iterator[_Rating]:
    # People saw a question in one order only, with claude always first, so one of the two files of a
    # pair is enough.
    folder = path / "ratings-human"
    files = _ratings_files(folder, HUMAN)
    for pair in combinations(MODELS, 2):
        found = [order for order in (pair, pair[::-1]) if order in files]
        if not found:
            msg = f"{folder} has no votes on {pair[0]} and {pair[1]}; fetch it again"
            raise DataError(msg)
        for first, second in found:
            for row in read_rows(files[first, second]):
                yield _rating(row, "score", (first, second, HUMAN), questions)


def _ratings_files(folder: Path, reviewer: str) -> dict[tuple[str, str], Path]:
    files: dict[tuple[str, str], Path] = {}
    for file in sorted(folder.glob("answer_*.jsonl")):
        match = _RATINGS.fullmatch(file.name)
        if match is None or match["reviewer"] != reviewer:
            continue
        if (
            match["first"] in MODELS and match["second"] in MODELS
        ):  # guanaco, from QLoRA, is no contestant
            files[match["first"], match["second"]] = file
    return files


# The tidy tables.


def _tidy(path: Path) -> _Parts:
    questions = dict(map(_question, read_rows(path / "questions.jsonl")))
    answers = {
        (row.integer("question_id"), _model(row, "model")): Answer(
            id=_model(row, "model"), author=_model(row, "model"), text=row.text("text")
        )
        for row in read_rows(path / "answers.jsonl")
    }
    _require_answers(path / "answers.jsonl", questions, answers)
    return questions, answers, _tidy_ratings(path, questions), _tidy_votes(path, questions)


def _tidy_ratings(path: Path, questions: Container[int]) -> Iterator[_Rating]:
    seen: set[tuple[int, str, str, str]] = set()
    for row in read_rows(path / "reviews.jsonl.gz"):
        names = (_model(row, "model_a"), _model(row, "model_b"), _model(row, "reviewer"))
        rating = _rating(row, "label", names, questions, text=row.text("text"))
        key = (rating[0], *names)
        if key in seen:
            msg = (
                f"the review of question {key[0]}, {names[0]} against {names[1]}, by {names[2]} is there "
                "twice; fetch the file again"
            )
            raise row.error(msg)
        seen.add(key)
        yield rating


def _tidy_votes(path: Path, questions: Container[int]) -> Iterator[_Rating]:
    for row in read_rows(path / "human_votes.jsonl"):
        names = (_model(row, "model_a"), _model(row, "model_b"), HUMAN)
        yield _rating(row, "label", names, questions)


def _model(row: Row, key: str) -> str:
    name = row.text(key)
    if name not in _TIDY_NAMES:
        msg = f"{key!r} must be one of {sorted(_TIDY_NAMES)}, not {name!r}"
        raise row.error(msg)
    return _TIDY_NAMES[name]


def _require_answers(
    where: Path, questions: Mapping[int, Question], answers: Mapping[tuple[int, str], Answer]
) -> None:
    for model in MODELS:
        _require_all(where, questions, {number for number, name in answers if name == model})


def _require_all(where: Path, questions: Mapping[int, Question], found: set[int]) -> None:
    missing = sorted(questions.keys() - found)
    if missing:
        msg = (
            f"{where} lacks {len(missing)} of {len(questions)} questions (first: {missing[0]});"
            " fetch it again"
        )
        raise DataError(msg)


SOURCE = Source(
    description="80 open questions, answers and mutual reviews of five models, human votes (PRD)",
    read=_read,
    licence="MIT",
    upstream="https://raw.githubusercontent.com/bcdnlp/PRD/35fb99e5d5c7a2f3535811f1edbe417da7563957/data/vicuna80/",
    votes=True,
)
