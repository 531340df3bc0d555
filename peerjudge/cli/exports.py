"""What `peerjudge export` writes in place of discussions, if a feature offers it (the hook `export`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Protocol

__all__ = ["RowExport"]


class _Check(Protocol):
    def __call__(self, run: str, form: str, *, frame: bool) -> None: ...


class _Write(Protocol):
    def __call__(
        self,
        run: str,
        rows: Sequence[Mapping[str, object]],
        file: IO[str],
        form: str,
        *,
        raw_cells: bool,
    ) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RowExport:
    """Rows of another kind, such as the answers of people.

    Attributes:
        check: Raises an error where they cannot be written: in this form, as a frame, of this source.
        read: Returns the rows.
        write: Writes them to a file in a form.
    """

    check: _Check
    read: Callable[[str], Awaitable[Sequence[Mapping[str, object]]]]
    write: _Write
