"""SummEval: 1,200 machine summaries of 100 news articles, rated by experts and by crowd workers.

Fabbri et al., "SummEval: Re-evaluating Summarization Evaluation", TACL 2021. The summaries are those
of the 12 abstractive systems; the articles and the four extractive systems are not in the table.
A comparison is one summary to be rated: its only answer is `summary`, its author the system.

Three experts and five crowd workers rated the aspects coherence, consistency, fluency and relevance
from 1 to 5. The gold of an aspect is the experts' mean, in `meta` as `gold_coherence` and so on. The
mean of the crowd is a recorded review by `crowd` of each aspect; the crowd is judged against the
experts, so it is not one of the dataset's `humans`. Read from `ratings.jsonl` or its folder.
"""

from __future__ import annotations

from collections.abc import Iterator
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
_ASPECTS = ("coherence", "consistency", "fluency", "relevance")
_ANSWER = "summary"


CONVENTIONS = Conventions(
    source="Fabbri et al. 2021, Table 2",
    ratings="Kendall's tau between the mean ratings of the systems",
)


def _read(request: Request) -> Dataset:
    path = request.path if request.path.is_file() else request.path / _FILE
    if not path.is_file():
        msg = f"{request.path} is no folder with SummEval's {_FILE}; name that file or its folder"
        raise DataError(msg)
    comparisons: list[Comparison] = []
    reviews: list[RecordedReview] = []
    for row in read_rows(path):
        comparisons.append(_comparison(row))
        reviews.extend(_crowd(row) if request.reviews else ())
    return Dataset(
        name="summeval",
        description=SOURCE.description,
        comparisons=tuple(comparisons),
        reviews=tuple(reviews),
        conventions=CONVENTIONS,
    )


def _comparison(row: Row) -> Comparison:
    document, system = row.text("doc_id"), row.text("model_id")
    experts = row.part("expert")
    return Comparison(
        id=_name(row),
        question=Question(id=document, text="Summarise the news article."),
        answers=(Answer(id=_ANSWER, text=row.text("summary"), author=system),),
        meta={
            "source_path": row.text("source_path"),
            **{f"gold_{aspect}": _mean(experts, aspect) for aspect in _ASPECTS},
        },
    )


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
    description="1200 summaries of news articles, rated by experts and crowd on four aspects",
    read=_read,
)
