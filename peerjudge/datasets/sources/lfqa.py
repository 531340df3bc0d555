"""LFQA: 140 long-form questions, two answers each, and 260 preferences of experts.

Xu, Song, Iyyer, Choi, "A Critical Evaluation of Evaluations for Long-form Question Answering", ACL
2023; the data of PRD's discussions (arXiv:2307.02762). In 75 pairs a person's answer is compared
with one of GPT-3 (contestants `human` and `gpt3`); in 65 both are people's, so those are no battles.

Read from the published file (or its folder), or from the tidy tables `pairs.jsonl` and `votes.jsonl`
derived from it. Only the tables have the domain of a question, which becomes its category, and the
numbers of the experts. The answers are `a` and `b` in the order of the file. `<br />` in the texts
becomes a line break. Each vote is also a review, with the justification as its text: by `expert_19` in
the tables, and by `human` in the file, which does not tell the experts apart.

The gold is the sign of the mean vote. On 11 questions two experts disagree; there the vote that
comes first in the file decides (`GoldRule.FIRST_VOTE_ON_EVEN`), because PRD's discussions need a
better answer for each of the 140 questions. Under `GoldRule.SIGN_OF_MEAN` those 11 are ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from peerjudge.data import (
    Answer,
    Comparison,
    Conventions,
    Dataset,
    GoldRule,
    Question,
    RecordedReview,
    Undecided,
    Verdict,
    replace,
)
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.source import Request, Source, settle_gold
from peerjudge.errors import DataError

HUMAN = "human"

_NATIVE_FILE = "experts_pairwise_human_preferences.jsonl"
_AUTHORS = {"human": "human", "machine": "gpt3", "gpt3": "gpt3"}
_PAIR = ("a", "b")


_Votes = dict[str, list[tuple[str, int, str]]]
"""Votes by comparison: who gave it, the vote, and its justification."""

_Parts = tuple[list[Comparison], _Votes]
"""Comparisons without gold, and the votes on them."""


CONVENTIONS = Conventions(
    source="PRD, peer discussion accuracy: right verdicts over all answers",
    undecided=Undecided.AS_TIE,
)


def _read(request: Request) -> Dataset:
    comparisons, votes = _parts(request.path)
    rule = request.gold or GoldRule.FIRST_VOTE_ON_EVEN
    return Dataset(
        name="lfqa",
        description=SOURCE.description,
        comparisons=tuple(
            replace(
                comparison,
                gold=settle_gold([vote for _, vote, _ in votes[comparison.id]], rule, _PAIR),
            )
            for comparison in comparisons
        ),
        reviews=tuple(_reviews(votes)) if request.reviews else (),
        humans=tuple(sorted({who for given in votes.values() for who, _, _ in given})),
        gold_rule=rule,
        conventions=CONVENTIONS,
    )


def _parts(path: Path) -> _Parts:
    if path.is_file():
        return _native(path)
    for candidate in (path / _NATIVE_FILE, path / "pairs.jsonl", path / "original" / _NATIVE_FILE):
        if candidate.is_file():
            return _tidy(path) if candidate.name == "pairs.jsonl" else _native(candidate)
    msg = f"{path} is not an LFQA folder; name the file {_NATIVE_FILE} or the folder it lies in"
    raise DataError(msg)


def _reviews(votes: _Votes) -> Iterator[RecordedReview]:
    for comparison, given in votes.items():
        for who, vote, text in given:
            yield RecordedReview(
                comparison=comparison,
                shown=_PAIR,
                reviewer=who,
                verdict=Verdict.of(_PAIR[vote > 0]),
                text=text,
            )


def _native(path: Path) -> _Parts:
    # A row is one expert's vote; the rows of a question may be apart.
    pairs: dict[tuple[str, str, str], Comparison] = {}
    votes: _Votes = {}
    for row in read_rows(path):
        key = (row.text("question"), row.text("answer_a"), row.text("answer_b"))
        if key not in pairs:
            pairs[key] = _comparison(row, name=f"lfqa-{len(pairs) + 1:03}", source="answer_{}_type")
        given = votes.setdefault(pairs[key].id, [])
        given.append((HUMAN, _vote(row, "overall_preference"), row.text("justification")))
    return list(pairs.values()), votes


def _tidy(path: Path) -> _Parts:
    pairs = {
        row.text("id"): _comparison(row, name=row.text("id"), source="source_{}", category="domain")
        for row in read_rows(path / "pairs.jsonl")
    }
    votes: _Votes = {name: [] for name in pairs}
    for row in read_rows(path / "votes.jsonl"):
        name = row.text("id")
        if name not in votes:
            msg = f"{name!r} is no question of pairs.jsonl; take both files from one place"
            raise row.error(msg)
        expert = f"expert_{row.integer('annotator')}"
        votes[name].append((expert, _vote(row, "score"), row.text("justification")))
    return list(pairs.values()), votes


def _comparison(row: Row, *, name: str, source: str, category: str = "") -> Comparison:
    return Comparison(
        id=name,
        question=Question(
            id=name,
            text=_plain(row.text("question")),
            category=row.text(category) if category else "",
        ),
        answers=tuple(_answer(row, key, source.format(key)) for key in _PAIR),
    )


def _answer(row: Row, key: str, source: str) -> Answer:
    author = row.text(source)
    if author not in _AUTHORS:
        msg = f"{source!r} must be one of {', '.join(_AUTHORS)}, not {author!r}"
        raise row.error(msg)
    return Answer(id=key, text=_plain(row.text(f"answer_{key}")), author=_AUTHORS[author])


def _vote(row: Row, key: str) -> int:
    vote = row.integer(key)
    if vote not in (-1, 1):
        msg = f"{key!r} must be -1 (answer a) or 1 (answer b), not {vote}"
        raise row.error(msg)
    return vote


def _plain(text: str) -> str:
    return text.replace("<br />", "\n")


SOURCE = Source(
    description="140 long-form questions, answers by people and GPT-3, 260 expert votes",
    read=_read,
    upstream="https://raw.githubusercontent.com/bcdnlp/PRD/35fb99e5d5c7a2f3535811f1edbe417da7563957/data/lfqa/",
    votes=True,
)
