"""`peerjudge import`: judgements of other tools as records, and discussions held elsewhere as a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_json, print_status
from peerjudge.cli.options import OUT, DataOptions, parse_codes, parse_names
from peerjudge.cli.tables import say
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from peerjudge.data import Dataset
    from peerjudge.features.exchange.importing import Imported
    from peerjudge.runs.imported import ImportedRun

__all__ = ["import_command"]

_DISCUSSIONS = "discussions"
_COLUMNS = DataOptions()
_NAMED = 12
"""Most judges that are named."""


async def import_command(
    *paths: Annotated[str, Parameter(required=True)],
    out: Annotated[Path, OUT],
    columns: DataOptions = _COLUMNS,
    human: tuple[str, ...] = (),
    encoding: str = "utf-8",
    delimiter: str = "",
    skip_bad: int = 0,
    pairs: str = "",
    licence: str = "",
    json: bool = False,
) -> int:
    """Read judgements, outputs or discussions of another tool and write them for every command.

    `peerjudge import battles.json --out records` finds out the format by the fields of the first row.
    `peerjudge import FORMAT PATH --out records` names it; `peerjudge list datasets` lists the formats.
    Discussions become a run folder, everything else a folder of records.

    Parameters
    ----------
    paths
        The files, after the format where it is named. A FILE.py with SOURCE is a format too.
    out
        Folder of the records, or the run folder of discussions; a new one.
    human
        Judge that is a person; repeat for more. Votes of people are gold. In `votes`, everyone is a person
        without it.
    encoding
        Encoding of a text file.
    delimiter
        Character between the cells of a table; found out by default.
    skip_bad
        Number of rows that may be left out because they cannot be read.
    pairs
        Pairs of single outputs: all (default), baseline=NAME, or single to rate each answer.
    licence
        Licence, kept in dataset.json or in the manifest of the run.
    json
        Print the result as one JSON document.
    """
    from peerjudge.datasets.source import Options
    from peerjudge.features.exchange.importing import choose_format, import_records, split_format

    name, files = split_format(paths)
    options = Options(
        names=parse_names(columns.map),
        humans=human,
        encoding=_check_encoding(encoding),
        delimiter="\t" if delimiter in ("\\t", "tab") else delimiter,
        codes=parse_codes(columns.codes),
        skip_bad=skip_bad,
        files=files[1:],
        pairs=pairs,
    )
    name = choose_format(files[0], name, options)
    if name == _DISCUSSIONS:
        from peerjudge.runs.imported import import_discussions

        held = await import_discussions(files[0], out=out, options=options, licence=licence)
        _report_discussions(held, json=json)
        return 0
    _report_records(
        import_records(files[0], out=out, format=name, options=options, licence=licence),
        json=json,
    )
    return 0


def _report_discussions(imported: ImportedRun, *, json: bool) -> None:
    held = imported.discussions.transcripts
    speakers = {seat.reviewer for one in held for seat in one.seats}
    verdicts = [turn.review.verdict for one in held for turn in one.turns]
    counts = {
        "discussions": len(held),
        "comparisons": len({one.comparison.id for one in held}),
        "speakers": len(speakers),
        "turns": sum(len(one.turns) for one in held),
        "unreadable": sum(one is not None and not one.readable for one in verdicts),
    }
    left_out = imported.discussions.left_out
    if json:
        document = {"out": str(imported.folder), "format": _DISCUSSIONS, **counts}
        notes = list(imported.discussions.notes)
        print_json({**document, "left_out": dict(left_out), "notes": notes})
        return
    say(
        f"{_DISCUSSIONS}: {counts['discussions']} on {counts['comparisons']} comparisons by "
        f"{counts['speakers']} speakers, {counts['turns']} turns, "
        f"{counts['unreadable']} verdicts that cannot be read"
    )
    _print_left_out(left_out)
    _print_notes(imported.discussions.notes)
    print_status(f"written to {imported.folder}; next: peerjudge report {imported.folder}")


def _print_left_out(counts: Mapping[str, int]) -> None:
    for reason, count in counts.items():
        print_status(f"left out, {reason}: {count:,}")


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        print_status(f"note: {note}")


def _report_records(imported: Imported, *, json: bool) -> None:
    from peerjudge.reporting.formats import counted

    data = imported.dataset
    reviewers = {review.reviewer for review in data.reviews}
    people = reviewers & set(data.humans)
    if json:
        print_json(
            {
                "out": str(imported.folder),
                "format": imported.format,
                "comparisons": len(data.comparisons),
                "gold": sum(comparison.gold is not None for comparison in data.comparisons),
                "reviews": len(data.reviews),
                "reviewers": len(reviewers - people),
                "people": len(people),
                "left_out": dict(data.left_out),
                "notes": list(data.notes),
            }
        )
        return
    gold = sum(one.gold is not None for one in data.comparisons)
    say(
        f"{imported.format}: {counted(len(data.comparisons), 'comparison')} ({gold} with gold), "
        f"{counted(len(data.reviews), 'review')} by {counted(len(reviewers - people), 'reviewer')} and "
        f"{counted(len(people), 'person', 'people')}"
    )
    models = sorted(reviewers - people)
    for kind, names in (("reviewers", models), ("people", sorted(people))):
        if names:
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            print_status(f"{kind}: {', '.join(names[:_NAMED])}{more}")
    _print_left_out(data.left_out)
    _print_notes(data.notes)
    if data.missing_texts:
        print_status(f"note: {data.missing_texts}.")
    print_status(f"written to {imported.folder}; next: peerjudge {_suggest(data, imported.folder)}")


def _suggest(data: Dataset, folder: Path) -> str:
    """Return the command that is of use for these records."""
    reviewers = {review.reviewer for review in data.reviews}
    if not reviewers:
        return f"run EXPERIMENT --data {folder}"
    if reviewers <= set(data.humans):
        return f"rank {folder} --reviewers human"
    scored = any(
        comparison.gold is not None or len(comparison.answers) == 1
        for comparison in data.comparisons
    )
    return f"{'score' if scored else 'rank'} {folder}"


def _check_encoding(name: str) -> str:
    try:
        "".encode(name)
    except LookupError as cause:
        msg = f"there is no encoding {name!r}; common ones are utf-8, utf-16, cp1252 and latin-1"
        raise DataError(msg) from cause
    return name
