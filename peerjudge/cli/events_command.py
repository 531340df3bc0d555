"""`peerjudge events`: who altered and who held its opinion, event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json

if TYPE_CHECKING:
    from peerjudge.data import OpinionEvent

__all__ = ["events_command"]


async def events_command(run: str, /, *, json: bool = False) -> int:
    """Print the opinion events of a run, one per line.

    An event is what a seat did with its stance after it heard another seat: held, altered, shifted,
    agreed, or altered after agreement.

    Parameters
    ----------
    run
        A run folder or a store URL.
    json
        Print every event as one line of JSON.
    """
    from peerjudge.data import to_plain
    from peerjudge.experiment import open_run
    from peerjudge.tracker import opinion_events

    async with open_run(run) as opened:
        async for transcript in opened.transcripts():
            for event in opinion_events(transcript):
                if json:
                    print_json(to_plain(event))
                else:
                    print(_line(event))
    return 0


def _line(event: OpinionEvent) -> str:
    simulated = ", simulated" if event.simulated else ""
    return (
        f"{event.condition}  {event.comparison}  turn {event.turn}  "
        f"{event.reviewer} ({event.role}{simulated}) {event.kind.replace('_', ' ')}: "
        f"{event.before} -> {event.after}, heard {event.others}"
    )
