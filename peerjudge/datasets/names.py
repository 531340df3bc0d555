"""Names of contestants, reviewers, people and categories, written so that different names look different."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping

from peerjudge.data import Dataset
from peerjudge.errors import DataError

_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that are shown as nothing, although their category is another one."""
_SELECTORS = ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
"""Ranges of selectors of a letter's variant."""
_LISTED = 5
"""Most groups of similar names in a note."""


def clean_name(name: str) -> str:
    """Return a name in NFC, without invisible characters and with one space between words."""
    if name.isascii() and name.isprintable():
        return " ".join(name.split()) if "  " in name or name != name.strip() else name
    shown = "".join(one for one in " ".join(name.split()) if not _is_invisible(one))
    return unicodedata.normalize("NFC", " ".join(shown.split()))


def _is_invisible(one: str) -> bool:
    if unicodedata.category(one) in ("Cc", "Cf", "Cs") or one in _BLANK_LETTERS:
        return True
    return any(first <= ord(one) <= last for first, last in _SELECTORS)


def check_names(dataset: Dataset) -> tuple[str, ...]:
    """Return a note on the names of a dataset that are nearly equal; none where all differ clearly.

    Raises:
        DataError: a name has blanks at its ends, invisible characters or another form than NFC.
    """
    found = _list_names(dataset)
    for kind, names in found.items():
        for name in names:
            if clean_name(name) != name:
                msg = (
                    f"the {kind} {name!r} has extra blanks, invisible characters or is not NFC, so that it "
                    "can look like another; import the file again, or clean it with "
                    "peerjudge.datasets.clean_name"
                )
                raise DataError(msg)
    notes = (describe_similar(_PLURAL[kind], names) for kind, names in found.items())
    return tuple(filter(None, notes))


def _list_names(dataset: Dataset) -> Mapping[str, set[str]]:
    people = set(dataset.humans)
    return {
        "contestant": {
            answer.author for one in dataset.comparisons for answer in one.answers if answer.author
        },
        "judge": {review.reviewer for review in dataset.reviews} | people,
        "category": {one.question.category for one in dataset.comparisons},
        "subset": {one.subset for one in dataset.comparisons},
    }


_PLURAL = {
    "contestant": "contestants",
    "judge": "judges",
    "category": "categories",
    "subset": "subsets",
}


def describe_similar(kind: str, names: Iterable[str]) -> str:
    """Return a note on names that are equal but for case, blanks or form; empty where none are.

    Args:
        kind: what the names are of, in the plural.
        names: the names.
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        groups[_fold(name)].append(name)
    similar = [group for group in groups.values() if len(group) > 1]
    if not similar:
        return ""
    said = [f"{', '.join(group)} are {len(group)} {kind}" for group in similar[:_LISTED]]
    more = f"; {len(similar) - _LISTED} more groups" if len(similar) > _LISTED else ""
    return f"similar names: {'; '.join(said)}{more}"


def _fold(name: str) -> str:
    """Return what names have in common that differ in case, blanks or form only."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(folded.split())
