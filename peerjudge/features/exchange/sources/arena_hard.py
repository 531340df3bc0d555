"""Judgments of Arena-Hard: a judge on a model and a baseline, in two games with swapped answers.

Li et al., "From Crowdsourced Data to High-Quality Benchmarks: Arena-Hard and BenchBuilder Pipeline", 2024,
arXiv:2406.11939. Read from `model_judgment/JUDGE/MODEL.jsonl`: `uid` (or `question_id`), `model`, `judge`,
optionally `baseline` and `category`, and `games`, of which the first shows the baseline as A, and the second
the model. Each has a `score`: `A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`, or null where none was found. Both games
are reviews. A strong preference (`>>`) is a choice like a weak one (`>`): the import says how many there are,
and the judge's text keeps them.

The baseline is called `baseline` unless the rows or `--pairs baseline=NAME` name it. Texts come from
`question.jsonl` and `model_answer/MODEL.jsonl` in a folder above the file; without them reviews can be
analysed, and answers not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from peerjudge.data import Dataset
from peerjudge.datasets.codes import Choice, Codebook
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.names import clean_name
from peerjudge.datasets.source import JUDGED_OPTIONS, Request, Source
from peerjudge.errors import DataError
from peerjudge.features.exchange.judgements import Judgement, Written, build_judged

_SCORES: dict[str, Choice] = {
    **dict.fromkeys(("a>b", "a>>b", "b<a", "b<<a"), 0),
    **dict.fromkeys(("b>a", "b>>a", "a<b", "a<<b"), 1),
    **dict.fromkeys(("a=b", "b=a"), "tie"),
    "": "unreadable",
}
_BASELINE = "baseline="
_LEVELS = 4
"""Folders above a file in which the questions are looked for."""


def _read(request: Request) -> Dataset:
    named = request.options.pairs
    if named and (not named.startswith(_BASELINE) or named == _BASELINE):
        msg = f"Arena-Hard compares with one baseline: give --pairs baseline=NAME, not {named!r}"
        raise DataError(msg)
    baseline = clean_name(named.removeprefix(_BASELINE))
    texts = _read_texts(request.path)
    return build_judged(
        request, partial(_read_row, texts, baseline), description="Arena-Hard judgments"
    )


def _read_row(
    texts: Mapping[tuple[str, str], str], named: str, row: Row, codebook: Codebook
) -> Iterator[Judgement]:
    asked = row.label("uid") or row.label("question_id")
    baseline = named or row.label("baseline") or "baseline"
    pair = tuple(
        Written(text=texts.get((asked, author), ""), author=author)
        for author in (baseline, row.label("model"))
    )
    given = Judgement(
        row=row,
        asked=asked,
        question=texts.get((asked, ""), ""),
        answers=pair,
        judge=row.label("judge") or "judge",
        category=row.label("category"),
    )
    games = row.fields.get("games")
    if not isinstance(games, list) or not games:
        msg = "'games' must be a list of judgments with 'score'"
        raise row.error(msg)
    for place, one in enumerate(cast("list[object]", games)):
        fields = cast("dict[str, object]", one) if isinstance(one, dict) else {}
        game = row.enter(fields, f"games[{place}]")
        yield given.change(
            answers=pair[:: -1 if place % 2 else 1],
            choice=codebook.read(game, "score", _SCORES),
            explanation=_read_judgment(game),
        )


def _read_judgment(game: Row) -> str:
    said = game.fields.get("judgment")
    if isinstance(said, dict):
        said = cast("dict[str, object]", said).get("answer")
    return said if isinstance(said, str) else ""


def _read_texts(path: Path) -> dict[tuple[str, str], str]:
    """Return the texts of questions and answers by id and model; a question has the model ``""``."""
    folders = list(path.resolve().parents)[:_LEVELS]
    folder = next((each for each in folders if (each / "question.jsonl").is_file()), None)
    if folder is None:
        return {}
    texts: dict[tuple[str, str], str] = {}
    for row in read_rows(folder / "question.jsonl"):
        texts[_name(row), ""] = row.cell("prompt") or _join(row, "turns")
    for file in sorted((folder / "model_answer").glob("*.jsonl")):
        for row in read_rows(file):
            texts[_name(row), row.label("model") or row.label("model_id")] = _read_answer(row)
    return texts


def _name(row: Row) -> str:
    return row.label("uid") or row.label("question_id")


def _read_answer(row: Row) -> str:
    if "messages" in row.fields:
        replies = [one for one in row.parts("messages") if one.label("role") == "assistant"]
        return "\n\n".join(_read_content(one.fields.get("content")) for one in replies)
    return _join(row.parts("choices")[0], "turns")


def _join(row: Row, key: str) -> str:
    turns = row.fields.get(key)
    listed = cast("list[object]", turns) if isinstance(turns, list) else []
    return "\n\n".join(
        _read_content(
            cast("dict[str, object]", one).get("content") if isinstance(one, dict) else one
        )
        for one in listed
    )


def _read_content(content: object) -> str:
    """Return the text of a message; answers of models with reasoning stand in `answer`."""
    if isinstance(content, dict):
        content = cast("dict[str, object]", content).get("answer")
    return content if isinstance(content, str) else ""


SOURCE = Source(
    description="judgments of Arena-Hard: uid, model, judge, games with a score such as A>>B",
    read=_read,
    options=JUDGED_OPTIONS | {"pairs"},
    keys=(
        frozenset(("uid", "model", "judge", "games")),
        frozenset(("question_id", "model", "judge", "games")),
    ),
)
