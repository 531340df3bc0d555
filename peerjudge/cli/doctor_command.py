"""`peerjudge doctor`: rows of a store that cannot be read, and calls whose bill is unknown."""

from __future__ import annotations

from peerjudge.cli.console import print_json, results
from peerjudge.cli.tables import say


async def doctor_command(
    source: str,
    /,
    *,
    repair: bool = False,
    settle_lost: bool = False,
    rescue: str | None = None,
    json: bool = False,
) -> int:
    """Read every row of a run's store; name those that cannot be read, and repair them if told to.

    It also counts the calls whose bill is unknown, as no whole reply arrived. All other commands skip
    what cannot be read and say so. Exit codes: 0 if every row can be read, or was repaired; 1 if there is
    damage.

    Parameters
    ----------
    source
        Run folder, .db file, or database URL.
    repair
        Replace values that cannot be read, and remove the turns beyond that, which the next run
        repeats. The rows are copied to the table `damaged` before.
    settle_lost
        Set the calls whose bill is unknown to unbilled, so that limits no longer count their estimate. Do
        so if the bill of the provider does not have them, while no run is under way. The book keeps them.
    rescue
        Where the file itself is damaged: copy every row that can still be read into a new store in this
        folder, repaired. The damaged store stays as it is. `run` with `--out` FOLDER goes on from there.
    json
        Print one JSON document instead of lines.
    """
    from peerjudge.data import to_plain
    from peerjudge.results.summaries import describe_uncertain
    from peerjudge.runs import hide_password
    from peerjudge.store import examine_store

    place = source.partition("#")[0]
    if rescue is not None:
        return await _rescue(place, rescue, json=json)
    found = await examine_store(place, repair=repair, settle_lost=settle_lost)
    code = 1 if found.damage and not found.repaired else 0
    if json:
        print_json({"store": hide_password(place), **dict(to_plain(found))})  # pyright: ignore
        return code
    console = results()
    for each in found.damage:
        remedy = (
            each.repair or "restore the store from a copy, or copy its rows with --rescue FOLDER"
        )
        console.print(
            f"{each.row} {each.id}: {each.cause}\n    {'done' if found.repaired else 'repair'}: {remedy}",
            soft_wrap=True,
            markup=False,
        )
    if found.lost.calls:
        said = (
            "settled as unbilled" if found.lost.settled else "--settle-lost sets them to unbilled"
        )
        say(f"{describe_uncertain(found.lost)}: {said}")
    console.print(f"{found.rows:,} rows, {len(found.damage):,} of them damaged")
    if code and all(each.repair for each in found.damage):
        console.print("Run the same command with --repair to repair them.")
    return code


async def _rescue(place: str, folder: str, *, json: bool) -> int:
    from peerjudge.data import to_plain
    from peerjudge.reporting.formats import counted
    from peerjudge.store import examine_store
    from peerjudge.store.rescue import rescue_store

    found = await rescue_store(place, folder)
    mended = await examine_store(folder, repair=True)
    if json:
        plain = {"repaired": len(mended.damage), **dict(to_plain(found))}  # pyright: ignore
        print_json(plain)
    else:
        for table, rows in found.rows.items():
            if rows or table in found.damaged:
                lost = ", others cannot be read" if table in found.damaged else ""
                say(f"{table}: {counted(rows, 'row')} copied{lost}")
        say(f"{counted(len(mended.damage), 'row')} repaired or removed in {found.store}")
        say(f"Run the command of the run again with --out {folder}: it plays only what is missing.")
    return 1 if found.damaged else 0
