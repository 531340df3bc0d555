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
    json
        Print one JSON document instead of lines.
    """
    from peerjudge.data import to_plain
    from peerjudge.results.summaries import describe_uncertain
    from peerjudge.runs import hide_password
    from peerjudge.store import examine_store
    from peerjudge.store.database import RECOVER

    place = source.partition("#")[0]
    found = await examine_store(place, repair=repair, settle_lost=settle_lost)
    code = 1 if found.damage and not found.repaired else 0
    if json:
        print_json({"store": hide_password(place), **dict(to_plain(found))})  # pyright: ignore
        return code
    console = results()
    for each in found.damage:
        remedy = each.repair or f"restore the store from a copy, or {RECOVER}"
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
