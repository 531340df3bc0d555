"""Rows of a request's files, of which some may be bad: list them, take them, count what is repeated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from peerjudge.datasets.formats import read_table
from peerjudge.datasets.lines import Bad, ColumnsError, Row
from peerjudge.datasets.source import Options, Request
from peerjudge.errors import DataError

LISTED = 10
"""Most rows whose errors are listed, and most judges and ids that a note names."""


def list_rows(
    request: Request, bad: Bad, *, may_be_empty: frozenset[str] = frozenset()
) -> Iterator[Row]:
    """Yield the rows of the request's files; `bad` takes errors of rows, so that the next are read.

    Empty cells are missing values, except in the columns of `may_be_empty`.
    """
    for path in (request.path, *request.options.files):
        yield from read_table(path, request.options, bad=bad, may_be_empty=may_be_empty)


def take_rows(
    rows: Callable[[Bad], Iterable[Row]], take: Callable[[Row], None], options: Options
) -> Mapping[str, int]:
    """Call a function with each row; return how many rows cannot be read, by reason.

    Args:
        rows: returns the rows; it gives errors of rows to the function that it is called with.
        take: raises `DataError` for a row that it cannot read.
        options: with the number of rows that may be bad.

    Raises:
        DataError: the first ten errors, if they are more than `skip_bad`.
    """
    errors = list[DataError]()
    for number, row in enumerate(rows(errors.append)):
        try:
            take(row)
        except DataError as error:
            if number == 0 and isinstance(error, ColumnsError):
                raise  # which is not of this row alone
            errors.append(error)
            if len(errors) > options.skip_bad + LISTED:
                break
    if len(errors) > options.skip_bad:
        raise DataError("\n".join(str(error) for error in errors[:LISTED]))
    return {"rows that cannot be read": len(errors)} if errors else {}


def describe_repeated(repeated: Mapping[str, int]) -> str:
    """Return a note on judgements that repeat an earlier one; empty without any.

    Args:
        repeated: their number by judge.
    """
    counts = Counter({judge: count for judge, count in repeated.items() if count})
    if not counts:
        return ""
    named = ", ".join(f"{judge}: {count}" for judge, count in counts.most_common(LISTED))
    return (
        f"repeated reviews: {counts.total()} ({named}) have the judge, question, answers and order of "
        "another one; each counts"
    )
