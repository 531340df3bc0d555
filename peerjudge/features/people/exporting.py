"""Output of `peerjudge export --people`: every answer of people at a desk, as CSV or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from peerjudge.errors import DataError, StoreError
from peerjudge.spreadsheets import CsvTable

_SCORES = "scores"


def check_people_export(run: str, form: str, *, frame: bool) -> None:
    """Raise an error where the answers of people cannot be written: another format, or no run.

    `frame` says that a frame was asked for.
    """
    if form not in {"csv", "jsonl"}:
        msg = f"--people writes csv or jsonl, not {form}"
        raise DataError(msg)
    if frame:
        msg = "--people writes answers of people; leave --frame out"
        raise DataError(msg)
    if "://" not in run and not Path(run).is_dir() and Path(run).suffix not in {".db", ".sqlite"}:
        msg = f"people answer in run folders and databases; {run} is none"
        raise StoreError(msg)


async def read_people(run: str) -> list[Mapping[str, object]]:
    """Return the answers of a run or study as rows.

    Raises `StoreError` where there is no desk, or one of an earlier version in a database.
    """
    from peerjudge.data import to_plain
    from peerjudge.features.people.desk_places import refuse_earlier_desk
    from peerjudge.features.people.desk_records import list_people_answers
    from peerjudge.features.people.study_desk import StudyDesk, holds_study

    place = run.partition("#")[0]
    folder = Path(run)
    if not holds_study(folder):
        await refuse_earlier_desk(place)
        return [
            cast("Mapping[str, object]", to_plain(answer)) for answer in list_people_answers(place)
        ]
    from peerjudge.features.people.studies import list_study_answers

    with StudyDesk.open(folder, create=False) as desk:
        answers = list_study_answers(desk, folder)
    return [
        {**cast("Mapping[str, object]", to_plain(one)), "passed": one.passed} for one in answers
    ]


def write_people(
    run: str,
    rows: Sequence[Mapping[str, object]],
    file: IO[str],
    form: str,
    *,
    raw_cells: bool,
) -> None:
    """Write the rows as JSON lines, or as CSV with a column for each score of an answer by an aspect."""
    from peerjudge.features.people.desk_records import PersonAnswer
    from peerjudge.features.people.nouns import StudyAnswer
    from peerjudge.features.people.study_desk import holds_study

    if form == "jsonl":
        file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        return
    found = {place for row in rows for place in _read_scores(row)}
    scored = sorted(found, key=lambda place: (place[1], place[0]))
    is_study = holds_study(Path(run))
    own = (*StudyAnswer.__struct_fields__, "passed")
    fields = own if is_study else PersonAnswer.__struct_fields__
    names = [name for name in fields if name != _SCORES]
    table = CsvTable(file, raw=raw_cells)
    table.add([*names, *(f"score of {number}: {aspect}" for number, aspect in scored)])
    for row in rows:
        scores = _read_scores(row)
        cells = [_name_cell(row[name]) for name in names]
        table.add([*cells, *(scores.get(place, "") for place in scored)])


def _name_cell(value: object) -> object:
    """Return a value as a cell: the parts of a list with spaces between them."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _read_scores(row: Mapping[str, object]) -> dict[tuple[int, str], int]:
    """Return the scores of a row by number of the answer as shown and aspect."""
    given = cast("Sequence[Mapping[str, int | str]]", row.get(_SCORES, ()))
    return {(int(one["answer"]), str(one["aspect"])): int(one["score"]) for one in given}
