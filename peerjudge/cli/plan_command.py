"""`peerjudge plan`: what a study would show, how large it has to be, and what that takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_json, results, status
from peerjudge.errors import CardError

__all__ = ["plan_command"]


def plan_command(
    experiment: str,
    /,
    *,
    data: str | None = None,
    seed: int | None = None,
    setting: Annotated[tuple[str, ...], Parameter(name=["--setting", "-S"], negative=())] = (),
    effect: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    comparisons: Annotated[tuple[int, ...], Parameter(negative=())] = (50, 100, 200, 400, 800),
    power: float = 0.8,
    studies: int = 1000,
    stand_in: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    seconds_per_call: float = 5.0,
    max_connections: int = 10,
    out: str | None = None,
    json: bool = False,
) -> int:
    """Simulate an experiment before paying for it; nobody is called.

    Shows for every effect that the experiment could find how often studies of several sizes would show
    it, how many comparisons it needs, and what studies of these sizes take at most, and on average where
    discussions may end early. Whatever is said about discussing is said twice: as the reviewers' cards
    have it, and with their `truth_pull` at 0, because that pull makes every discussion help and is an
    assumption.

    Parameters
    ----------
    experiment
        A name that `peerjudge list experiments` shows, or the path of a .py file.
    data
        A dataset, NAME or NAME:PATH, instead of the one the experiment declares. Larger sizes take
        its comparisons several times, each time with new difficulty and new errors.
    seed
        The seed of every random choice, instead of the declared one.
    setting
        key=value, as for `run`.
    effect
        private, vote, leader or pairwise: what is looked at, if not everything; give it again for
        more. A discussion is held against its private reviews and against a vote, its leader
        against its follower, another method against pairwise judgement.
    comparisons
        A size to be simulated; give it again for more.
    power
        The wanted share of studies whose 95 % interval lies above 0.
    studies
        How many studies are simulated at each size.
    stand_in
        CARD=SIMULATED: who stands in for a reviewer that is not simulated; give it for each.
    seconds_per_call
        How long a call is taken to last, for the hours.
    max_connections
        How many calls are taken to be under way at a time, for the hours.
    out
        A folder for plan.json and the power curves; without it nothing is written.
    json
        Print one JSON document.
    """
    from peerjudge.cli.documents import report_interruption, save_document
    from peerjudge.cli.plan_views import plan_document, plan_figures, print_plan
    from peerjudge.power import outlook
    from peerjudge.runs import parse_settings

    status().print(f"{experiment}: simulating; nobody is called")
    try:
        found = outlook(
            experiment,
            data=data,
            seed=seed,
            settings=parse_settings(setting),
            effects=effect,
            sizes=comparisons,
            power=power,
            studies=studies,
            stand_ins=_stand_ins(stand_in),
            seconds_per_call=seconds_per_call,
            max_connections=max_connections,
        )
    except KeyboardInterrupt:
        return report_interruption()
    document = plan_document(found)
    kept = ""
    if out is not None:
        kept = save_document(document, plan_figures(found), Path(out), name="plan.json")
    if json:
        print_json(document)
        return 0
    print_plan(found)
    if kept:
        results().print(f"\n{kept}", soft_wrap=True)
    return 0


def _stand_ins(given: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for one in given:
        card, _, played = one.partition("=")
        if not (card and played):
            msg = f"a stand-in is written CARD=SIMULATED, for example gpt_4o=sim_gpt4, not {one!r}"
            raise CardError(msg)
        found[card.strip()] = played.strip()
    return found
