"""MT-Bench: 3,355 votes of people on pairs of answers to 80 questions, and GPT-4's verdicts.

Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", NeurIPS 2023,
arXiv:2306.05685. Six models answer 80 questions of eight categories in two turns; each turn is a
subset, `turn 1` and `turn 2`. A comparison is an unordered pair of models in one turn, so there are
2,400; people voted on 1,814 of them.

Read from a folder with `human.jsonl`, `gpt4_pair.jsonl` and `question.jsonl` (or `questions.jsonl`). The
texts are in the rows of the two tables, as in `lmsys/mt_bench_human_judgments` of Hugging Face
(`conversation_a`, `conversation_b`: messages with `role` and `content`), or in FastChat's `model_answer/`. A
comparison of the second turn shows both turns of either conversation. Without texts the answers
are empty, with their authors, and only recorded reviews can be analysed; the same holds for a pair
with one conversation missing. With texts, the published reference answer to the turn, if there is one, is
`reference` in `meta`; reviewers do not see it.

Every vote is a review by its labeler, `expert_17` or `author_2`. `gpt4_pair` is GPT-4 in both orders;
where it contradicted itself its verdict is `INCONSISTENT`. Two models occur in either order in the
table: `shown` keeps the order of the row.

The gold is the sign of the mean vote, so votes that cancel out are a tie (`GoldRule.SIGN_OF_MEAN`);
a comparison without votes has no gold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    Scalar,
    Undecided,
    Verdict,
)
from peerjudge.datasets.chats import read_replies
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.source import Request, Source, score_vote, settle_gold
from peerjudge.errors import DataError

_VOTES = ("human.jsonl", "gpt4_pair.jsonl")
_QUESTIONS = ("question.jsonl", "questions.jsonl")
_TIES = {"tie": TIE, "tie (inconsistent)": INCONSISTENT}

_Key = tuple[int, int, str, str]
"""Question, turn, and the two models in alphabetical order."""

_Conversations = Mapping[tuple[int, str], tuple[str, ...]]
"""The messages by question and model: the user's first message, the reply to it, the second one, ..."""

_ROLES = ("user", "assistant")
_SIDES = ("a", "b")


CONVENTIONS = Conventions(
    source="Zheng et al. 2023, Table 5, setup S1",
    undecided=Undecided.AS_TIE,
    votes=("expert",),
    by="subset",
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: its category, the messages of the user, and a reference answer to each, if published."""

    category: str
    turns: tuple[str, ...]
    references: tuple[str, ...]


def _read(request: Request) -> Dataset:
    tables, questions = _find_files(request.path)
    asked = _read_questions(questions)
    human, gpt4 = (list(read_rows(table)) for table in tables)
    said = _read_conversations(
        (*human, *gpt4), request.path, {number: one.turns for number, one in asked.items()}
    )
    votes, verdicts = list(map(_review, human)), list(map(_review, gpt4))
    golds: defaultdict[_Key, list[int]] = defaultdict(list)
    for key, vote in votes:
        golds[key].append(score_vote(vote.verdict, key[2:]))
    rule = request.gold or GoldRule.SIGN_OF_MEAN
    keys = sorted({key for key, _ in (*votes, *verdicts)})
    position = {_name(key): place for place, key in enumerate(keys)}
    reviews = [review for _, review in (*votes, *verdicts)] if request.reviews else []
    return Dataset(
        name="mtbench",
        description=SOURCE.description,
        comparisons=tuple(_comparison(key, asked, said, golds[key], rule) for key in keys),
        reviews=tuple(sorted(reviews, key=lambda review: position[review.comparison])),
        humans=tuple(sorted({vote.reviewer for _, vote in votes})),
        gold_rule=rule,
        conventions=CONVENTIONS,
        missing_texts=_describe_missing(keys, said),
    )


def _find_files(folder: Path) -> tuple[list[Path], Path]:
    """Return the two tables of votes, and the table of questions."""
    questions = [folder / name for name in _QUESTIONS if (folder / name).is_file()]
    missing = [name for name in _VOTES if not (folder / name).is_file()]
    missing += [] if questions else [_QUESTIONS[0]]
    if missing:
        msg = f"{folder} is not an MT-Bench folder: it has no {', '.join(missing)}"
        raise DataError(msg)
    return [folder / name for name in _VOTES], questions[0]


def _read_questions(path: Path) -> Mapping[int, _Asked]:
    return {
        row.integer("question_id"): _Asked(
            category=row.text("category"),
            turns=row.texts("turns"),
            references=row.texts("reference") if row.fields.get("reference") else (),
        )
        for row in read_rows(path)
    }


def _read_conversations(
    rows: Iterable[Row], folder: Path, asked: Mapping[int, tuple[str, ...]]
) -> _Conversations:
    """Return the conversations in the rows of votes, else those of the folder `model_answer`.

    Empty where neither has any.

    Args:
        rows: votes on pairs of models.
        folder: the folder of the dataset.
        asked: the user's messages by question.

    Raises:
        DataError: a row has another form, or two rows show different replies of one model to one question.
    """
    found: dict[tuple[int, str], tuple[str, ...]] = {}
    places: dict[tuple[int, str], Row] = {}
    for row in rows:
        for key, said in _read_vote(row):
            known = found.get(key, ())
            if any(one != other for one, other in zip(known, said, strict=False)):
                first = places[key]
                msg = (
                    f"the conversation of {key[1]!r} about question {key[0]} differs from that in "
                    f"{first.path.name}, {first.unit} {first.line}; take all files from one place"
                )
                raise row.error(msg)
            if len(said) > len(known):
                found[key], places[key] = said, row
    numbers = {str(number): number for number in asked}
    return found or {
        (numbers[label], model): tuple(
            text for turn in zip(asked[numbers[label]], replies, strict=False) for text in turn
        )
        for (label, model), replies in read_replies(folder).items()
        if label in numbers
    }


def _read_vote(row: Row) -> Iterator[tuple[tuple[int, str], tuple[str, ...]]]:
    """Yield the conversations of a row, none or both."""
    if not any(f"conversation_{side}" in row.fields for side in _SIDES):
        return
    one, other = (_read_messages(row, f"conversation_{side}") for side in _SIDES)
    turns = row.integer("turn")
    if one[::2] != other[::2] or len(one) < 2 * turns:
        msg = (
            f"'conversation_a' and 'conversation_b' must hold {turns} messages of the user, the same in "
            "both, each with a reply"
        )
        raise row.error(msg)
    for side, said in zip(_SIDES, (one, other), strict=True):
        yield (row.integer("question_id"), row.text(f"model_{side}")), said


def _read_messages(row: Row, key: str) -> tuple[str, ...]:
    messages = row.parts(key)
    roles = [message.text("role") for message in messages]
    if len(roles) % 2 or roles != [*_ROLES] * (len(roles) // 2):
        msg = f"{key!r} must alternate between user and assistant, not {roles}"
        raise row.error(msg)
    return tuple(message.text("content") for message in messages)


def _describe_missing(keys: Sequence[_Key], said: _Conversations) -> str:
    """Return which files give the missing conversations, empty where none is missing."""
    models = {
        model
        for number, turn, *pair in keys
        for model in pair
        if len(said.get((number, model), ())) < 2 * turn
    }
    if not models:
        return ""
    of = f"of {', '.join(sorted(models))} " if said else ""
    return (
        f"MT-Bench's conversations {of}are missing: put them into human.jsonl and gpt4_pair.jsonl "
        "(conversation_a, conversation_b, as in lmsys/mt_bench_human_judgments) or into "
        "model_answer/MODEL.jsonl"
    )


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


def _comparison(
    key: _Key,
    asked: Mapping[int, _Asked],
    said: _Conversations,
    votes: list[int],
    rule: GoldRule,
) -> Comparison:
    number, turn, *pair = key
    question = asked.get(number)
    if question is None or not 1 <= turn <= len(question.turns):
        msg = f"turn {turn} of question {number} is not in question.jsonl; take all files from one place"
        raise DataError(msg)
    both = [said.get((number, model), ())[: 2 * turn] for model in pair]
    whole = all(len(messages) == 2 * turn for messages in both)
    messages = both[0][::2] if whole else question.turns[:turn]
    meta: dict[str, Scalar] = {"votes": len(votes)}
    if whole and len(question.references) >= turn:
        meta["reference"] = question.references[turn - 1]
    return Comparison(
        id=_name(key),
        # Both turns share the id, because questions are the unit of resampling.
        question=Question(id=str(number), text=_show_asked(messages), category=question.category),
        answers=tuple(
            Answer(id=model, text=_show_replies(one[1::2]) if whole else "", author=model)
            for model, one in zip(pair, both, strict=True)
        ),
        gold=settle_gold(votes, rule, (pair[0], pair[1])),
        subset=f"turn {turn}",
        meta=meta,
    )


def _show_asked(messages: Sequence[str]) -> str:
    if len(messages) == 1:
        return messages[0]
    opening = f"The user wrote {len(messages)} messages. The reply to the last one is judged."
    return "\n\n".join([opening, *_number("Message", messages)])


def _show_replies(replies: Sequence[str]) -> str:
    return replies[0] if len(replies) == 1 else "\n\n".join(_number("Reply to message", replies))


def _number(what: str, texts: Sequence[str]) -> list[str]:
    return [f"{what} {number}:\n{text}" for number, text in enumerate(texts, start=1)]


SOURCE = Source(
    description="2400 pairs of MT-Bench answers, 3355 human votes, GPT-4's verdicts",
    read=_read,
    licence="CC-BY-4.0",
    votes=True,
)
