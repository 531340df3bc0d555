"""Notes on what a dataset holds: empty, equal and repeated texts, and systems that meet themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from peerjudge.data import Comparison, Dataset

_LISTED = 5
"""Most comparisons that a note names."""


def describe_contents(dataset: Dataset) -> tuple[str, ...]:
    """Return notes on comparisons that say little: none where there are none.

    Comparisons without any text of an answer are left out, as the dataset itself speaks of them.
    """
    written = [one for one in dataset.comparisons if any(answer.text for answer in one.answers)]
    empty = [one for one in written if not all(answer.text.strip() for answer in one.answers)]
    equal = [one for one in written if _has_equal_answers(one)]
    marked = [one for one in written if _has_nul(one)]
    found = (
        _count("comparison with an empty answer", "comparisons with an empty answer", empty),
        _count("pair of equal answers", "pairs of equal answers", equal),
        _count("comparison with a NUL in a text", "comparisons with a NUL in a text", marked),
        _count_repeated(written),
    )
    said = ", ".join(filter(None, found))
    notes = [said] if said else []
    own = [one for one in dataset.comparisons if _is_of_one_system(one)]
    if own:
        reviews = _count_reviews(dataset, own)
        what = _count("comparison is", "comparisons are", own)
        notes.append(
            f"{what} of one system with itself ({reviews} reviews); rankings leave them out"
        )
    return tuple(notes)


def _count_repeated(comparisons: Sequence[Comparison]) -> str:
    """Return how many comparisons repeat the question and answers of an earlier one, or its question.

    Comparisons of one question are common where several contestants answer it, so its repetition is
    only said where it is the exception.
    """
    seen, asked = set[object](), Counter(one.question.text for one in comparisons)
    repeated = list[Comparison]()
    for one in comparisons:
        content = (one.question.text, *sorted(answer.text for answer in one.answers))
        authors = tuple(sorted(answer.author for answer in one.answers))
        repeated += [one] if (content, authors) in seen else []
        seen.add((content, authors))
    same = _count(
        "comparison with the texts of an earlier one",
        "comparisons with the texts of earlier ones",
        repeated,
    )
    again = [text for text, count in asked.items() if count > 1]
    if same or not again or 2 * len(again) > len(asked):
        return same
    firsts = {one.question.text: one for one in reversed(comparisons)}
    return _count(
        "question with several comparisons",
        "questions with several comparisons",
        [firsts[text] for text in again],
    )


def _has_equal_answers(one: Comparison) -> bool:
    texts = [answer.text for answer in one.answers]
    return len(set(texts)) < len(texts)


def _has_nul(one: Comparison) -> bool:
    return "\x00" in one.question.text or any("\x00" in answer.text for answer in one.answers)


def _is_of_one_system(one: Comparison) -> bool:
    authors = [answer.author for answer in one.answers]
    return len(authors) > 1 and bool(authors[0]) and len(set(authors)) == 1


def _count_reviews(dataset: Dataset, comparisons: Iterable[Comparison]) -> int:
    ids = {one.id for one in comparisons}
    return sum(review.comparison in ids for review in dataset.reviews)


def _count(one: str, several: str, found: Sequence[Comparison]) -> str:
    if not found:
        return ""
    named = ", ".join(each.id for each in found[:_LISTED])
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return f"{len(found)} {one if len(found) == 1 else several} ({named}{more})"
