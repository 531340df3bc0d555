"""SummEval: 1,600 machine summaries of 100 news articles, rated by experts and by crowd workers.

Fabbri et al., "SummEval: Re-evaluating Summarization Evaluation", TACL 2021. Sixteen systems, four of
them extractive. A comparison is one summary to be rated: its only answer is `summary`, its author the
system. Read from a folder with `ratings.jsonl`, or from that file, in one of two layouts:

* `expert` and `crowd` with the ratings of three experts and five crowd workers for each aspect. The mean of
  the crowd is a recorded review by `crowd` of each aspect; the crowd is judged against the experts, so it
  is not one of the dataset's `humans`.
* the experts' means alone, in columns with the names of the aspects.

The aspects are coherence, consistency, fluency and relevance, rated from 1 to 5. The gold of an aspect
is the experts' mean, in `meta` as `gold_coherence` and so on. Where `documents.jsonl` (`doc_id`, `article`)
lies beside the ratings, the question holds the article, so that a summary can be judged against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from peerjudge.data import (
    Answer,
    Comparison,
    Conventions,
    Dataset,
    Question,
    RecordedReview,
    Verdict,
)
from peerjudge.datasets.lines import Row, read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError

CROWD = "crowd"

_FILE = "ratings.jsonl"
_ARTICLES = "documents.jsonl"
_ASPECTS = ("coherence", "consistency", "fluency", "relevance")
_ANSWER = "summary"
_TASK = "Summarise the news article."


CONVENTIONS = Conventions(
    source="Fabbri et al. 2021, Table 2",
    ratings="Kendall's tau between the mean ratings of the systems",
)


def _read(request: Request) -> Dataset:
    path = request.path if request.path.is_file() else request.path / _FILE
    if not path.is_file():
        msg = f"{request.path} is no folder with SummEval's {_FILE}; name that file or its folder"
        raise DataError(msg)
    tasks = _read_tasks(path.with_name(_ARTICLES))
    comparisons: list[Comparison] = []
    reviews: list[RecordedReview] = []
    for row in read_rows(path):
        comparisons.append(_comparison(row, tasks))
        reviews.extend(_crowd(row) if request.reviews and CROWD in row.fields else ())
    return Dataset(
        name="summeval",
        description=SOURCE.description,
        comparisons=tuple(comparisons),
        reviews=tuple(reviews),
        conventions=CONVENTIONS,
    )


def _read_tasks(path: Path) -> Mapping[str, str]:
    """Return the task with its article by document; empty without the file of articles."""
    if not path.is_file():
        return {}
    return {row.text("doc_id"): f"{_TASK}\n\n{row.text('article')}" for row in read_rows(path)}


def _comparison(row: Row, tasks: Mapping[str, str]) -> Comparison:
    document, system = row.text("doc_id"), row.text("model_id")
    if tasks and document not in tasks:
        msg = f"{document!r} is not in {_ARTICLES}; take both files from one place"
        raise row.error(msg)
    place = {"source_path": row.text("source_path")} if "source_path" in row.fields else {}
    return Comparison(
        id=_name(row),
        question=Question(id=document, text=tasks.get(document, _TASK)),
        answers=(Answer(id=_ANSWER, text=row.text("summary"), author=system),),
        meta={**place, **{f"gold_{aspect}": _rate(row, aspect) for aspect in _ASPECTS}},
    )


def _rate(row: Row, aspect: str) -> float:
    """Return the mean of the experts, from their ratings or as it stands in the row."""
    if "expert" in row.fields:
        return _mean(row.part("expert"), aspect)
    mean = row.fields.get(aspect)
    if isinstance(mean, bool) or not isinstance(mean, int | float) or not 1 <= mean <= 5:
        msg = f"{aspect!r} must be the mean of the experts' ratings, from 1 to 5, not {mean!r:.60}"
        raise row.error(msg)
    return float(mean)


def _crowd(row: Row) -> Iterator[RecordedReview]:
    workers = row.part(CROWD)
    for aspect in _ASPECTS:
        yield RecordedReview(
            comparison=_name(row),
            shown=(_ANSWER,),
            reviewer=CROWD,
            verdict=Verdict.of(_ANSWER),
            scores=(_mean(workers, aspect),),
            aspect=aspect,
        )


def _name(row: Row) -> str:
    return f"{row.text('doc_id')}/{row.text('model_id')}"


def _mean(raters: Row, aspect: str) -> float:
    listed = raters.fields.get(aspect)
    ratings = cast("list[object]", listed) if isinstance(listed, list) else []
    numbers = [rating for rating in ratings if isinstance(rating, int) and 1 <= rating <= 5]
    if not numbers or len(numbers) != len(ratings):
        msg = f"{aspect!r} must be a list of ratings from 1 to 5, not {listed!r:.60}"
        raise raters.error(msg)
    return sum(numbers) / len(numbers)


SOURCE = Source(
    description="1200 or 1600 summaries of news articles, rated on four aspects",
    read=_read,
    licence="MIT",
)
