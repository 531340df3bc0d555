"""LLMBar: 419 instructions with a right and a wrong output, and recorded calls of LLM evaluators.

Zeng et al., "Evaluating Large Language Models at Evaluating Instruction Following", ICLR 2024,
arXiv:2310.07641. Five subsets: Natural 100, Neighbor 134, GPTInst 92, GPTOut 47, Manual 46; all but
the first are the category Adversarial. The answers are `output_1` and `output_2`, without authors.

Each model with each of its strategies is a reviewer, `GPT-4/CoT`, and gives two reviews of every
instance, one per shown order. Only the last stage of the Swap strategies counts (`final`), so the
58,748 recorded calls are 54,470 reviews. The verdict is the one that the benchmark's authors recorded,
`UNREADABLE` where they recorded none. The Rating strategies rate each output alone: the ratings are the
review's scores, its text lists them, and equal ratings are recorded as a verdict for the output shown
second.

Read from the tidy tables (`instances.jsonl`, `recorded.jsonl.gz`) or from the benchmark's own folder
(`LLMBar/Natural/dataset.json`, ..., `LLMBar/*/evaluators/MODEL/STRATEGY/result.json`), with all
subsets and runs found there. Other subsets in the layout of the folder, such as those that `peerjudge pairs`
writes, have no category.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from peerjudge.data import (
    UNREADABLE,
    Answer,
    Comparison,
    Conventions,
    Dataset,
    Question,
    RecordedReview,
    Undecided,
    Verdict,
)
from peerjudge.datasets.lines import Row, read_items, read_rows
from peerjudge.datasets.source import Request, Source
from peerjudge.errors import DataError

_ANSWERS = ("output_1", "output_2")
_SUBSETS = {
    "Natural": "Natural",
    "Neighbor": "Adversarial/Neighbor",
    "GPTInst": "Adversarial/GPTInst",
    "GPTOut": "Adversarial/GPTOut",
    "Manual": "Adversarial/Manual",
}
_ORDERS = {"original": _ANSWERS, "swapped": _ANSWERS[::-1]}
_ReadComparisons = Callable[[Path], Iterator[Comparison]]
_ReadReviews = Callable[[Path, Mapping[str, Comparison]], Iterator[RecordedReview]]
_SWAPS = {"swap = False": "original", "swap = True": "swapped"}


CONVENTIONS = Conventions(
    source="Zeng et al. 2024, tables of accuracies",
    undecided=Undecided.AS_TIE,
    by="subset",
    mean_of_groups=True,
)


def _read(request: Request) -> Dataset:
    read_comparisons, read_reviews, place = _layout(request.path)
    comparisons = tuple(read_comparisons(place))
    reviews: tuple[RecordedReview, ...] = ()
    if request.reviews:
        position = {comparison.id: index for index, comparison in enumerate(comparisons)}
        reviews = tuple(
            sorted(
                read_reviews(place, {comparison.id: comparison for comparison in comparisons}),
                key=lambda review: (
                    position[review.comparison],
                    review.reviewer,
                    review.shown != _ANSWERS,
                ),
            )
        )
    return Dataset(
        name="llmbar",
        description=SOURCE.description,
        comparisons=comparisons,
        reviews=reviews,
        conventions=CONVENTIONS,
    )


def _layout(path: Path) -> tuple[_ReadComparisons, _ReadReviews, Path]:
    if (path / "instances.jsonl").is_file():
        return _tidy_comparisons, _tidy_reviews, path
    for folder in (path, path / "LLMBar", path / "original" / "LLMBar"):
        if _list_places(folder):
            return _native_comparisons, _native_reviews, folder
    msg = (
        f"{path} is not an LLMBar folder; name the one that holds `instances.jsonl`,"
        " or the benchmark's own `LLMBar` folder"
    )
    raise DataError(msg)


def _list_places(folder: Path) -> dict[str, str]:
    """Return the folders of subsets: the benchmark's own, and then others in its layout."""
    own = {
        file.parent.name: str(file.parent.relative_to(folder))
        for pattern in ("*/dataset.json", "Adversarial/*/dataset.json")
        for file in sorted(folder.glob(pattern))
    }
    known = {name: place for name, place in _SUBSETS.items() if own.get(name) == place}
    return known | {name: place for name, place in own.items() if name not in known}


def _comparison(row: Row, name: str, subset: str) -> Comparison:
    known = "Natural" if subset == "Natural" else "Adversarial"
    category = known if subset in _SUBSETS else ""
    question = Question(id=name, text=row.text("input"), category=category)
    return read_instance(row, name, question, subset=subset)


def read_instance(row: Row, name: str, question: Question, *, subset: str = "") -> Comparison:
    """Return the comparison of an instance: `output_1`, `output_2` and the number of the right one."""
    label = row.integer("label")
    if label not in (1, 2):
        msg = f"'label' must be 1 or 2, not {label}"
        raise row.error(msg)
    return Comparison(
        id=name,
        question=question,
        answers=tuple(Answer(id=key, text=row.text(key)) for key in _ANSWERS),
        gold=Verdict.of(_ANSWERS[label - 1]),
        subset=subset,
    )


def _verdict(row: Row) -> Verdict:
    # Numbered as in the instance, not by the shown order.
    winner = row.fields.get("winner")
    if winner is None:
        return UNREADABLE
    if winner not in ("1", "2"):
        msg = f'\'winner\' must be "1", "2" or null, not {winner!r}'
        raise row.error(msg)
    return Verdict.of(f"output_{winner}")


def _review(
    name: str, order: str, reviewer: str, verdict: Verdict, said: str | tuple[str, str]
) -> RecordedReview:
    """Return the review of an instance by what was said: a text, or a rating of either output."""
    rated = {} if isinstance(said, str) else dict(zip(_ANSWERS, said, strict=True))
    return RecordedReview(
        comparison=name,
        shown=_ORDERS[order],
        reviewer=reviewer,
        verdict=verdict,
        text=said
        if isinstance(said, str)
        else "\n".join(f"{answer}: {rating}" for answer, rating in rated.items()),
        scores=tuple(_rating(rated[answer]) for answer in _ORDERS[order] if rated),
    )


def _rating(written: str) -> float | None:
    # In ten of the 5,866 reviews one was left empty.
    return float(written) if written.strip().isdecimal() else None


# The tidy tables.


def _tidy_comparisons(folder: Path) -> Iterator[Comparison]:
    for row in read_rows(folder / "instances.jsonl"):
        yield _comparison(row, row.text("id"), row.text("subset"))


def _tidy_reviews(folder: Path, known: Mapping[str, Comparison]) -> Iterator[RecordedReview]:
    for row in read_rows(folder / "recorded.jsonl.gz"):
        if row.fields.get("final") is not True:
            continue
        name, order = row.text("id"), row.text("order")
        if name not in known or order not in _ORDERS:
            msg = f"no instance {name!r} in the order {order!r}; take all files from one place"
            raise row.error(msg)
        ratings = "score_1" in row.fields
        said = (row.text("score_1"), row.text("score_2")) if ratings else row.text("text")
        reviewer = f"{row.text('model')}/{row.text('strategy')}"
        yield _review(name, order, reviewer, _verdict(row), said)


# The benchmark's own folder.


def _native_comparisons(folder: Path) -> Iterator[Comparison]:
    for subset, place in _list_places(folder).items():
        for index, row in enumerate(read_items(folder / place / "dataset.json")):
            yield _comparison(row, f"{subset}-{index:03}", subset)


def _native_reviews(folder: Path, known: Mapping[str, Comparison]) -> Iterator[RecordedReview]:
    for subset, place in _list_places(folder).items():
        for file in sorted(folder.glob(f"{place}/evaluators/*/*/result.json")):
            reviewer = f"{file.parts[-3]}/{file.parts[-2]}"
            for index, row in enumerate(read_items(file)):
                comparison = known.get(f"{subset}-{index:03}")
                if comparison is None or comparison.question.text != row.text("input"):
                    msg = f"not the instance {subset}-{index:03} of dataset.json; fetch both again"
                    raise row.error(msg)
                yield from _native_pair(row, comparison.id, reviewer)


def _native_pair(row: Row, name: str, reviewer: str) -> Iterator[RecordedReview]:
    # Earlier results are texts from before the comparison, or the first stage of Swap.
    last = row.parts("results")[-1]
    for swap, order in _SWAPS.items():
        part = last.part(swap)
        said = (
            part.first_text("completion")
            if "completion" in part.fields
            else (last.first_text("score_1"), last.first_text("score_2"))
        )
        yield _review(name, order, reviewer, _verdict(part), said)


SOURCE = Source(
    description="419 instructions with a right and a wrong output, 54470 reviews by LLM evaluators",
    read=_read,
    licence="MIT",
    upstream="https://raw.githubusercontent.com/princeton-nlp/LLMBar/900616bff90b6c6c8e1681f7d079250637c55992/Dataset/",
)
