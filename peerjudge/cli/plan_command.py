"""`peerjudge plan`: power, needed size and cost of a study, by simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from peerjudge.cli.console import print_status, report_interruption, save_document
from peerjudge.cli.options import CastOptions
from peerjudge.cli.tables import Layout, print_result, say
from peerjudge.errors import CardError
from peerjudge.results.overwriting import require_free

_DOCUMENT = "plan.json"
_OWN = b'"comparisons_in_data": '


def plan_command(
    experiment: str,
    /,
    *,
    data: str | None = None,
    seed: int | None = None,
    cast: CastOptions = CastOptions(),
    effect: tuple[str, ...] = (),
    gain: float = 0.1,
    comparisons: tuple[int, ...] = (50, 100, 200, 400, 800),
    power: float = 0.8,
    studies: int = 1000,
    stand_in: tuple[str, ...] = (),
    seconds_per_call: float = 5.0,
    max_connections: int = 10,
    out: str | None = None,
    force: bool = False,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Simulate an experiment before paying for it; no model is called.

    For each effect that the experiment can show: the power of studies of several sizes, the number of
    comparisons it needs, and the cost of such studies, at most and as expected where discussions may
    end early. Effects of discussion are shown twice: with the card's traits, and without `truth_pull`,
    an assumption that makes every discussion help.

    Parameters
    ----------
    experiment
        A name from `peerjudge list experiments`, or the path of a .py file.
    data
        Dataset NAME, NAME:PATH or FILE.py:PATH instead of the declared one. Larger sizes repeat its
        comparisons, each time with new difficulty and new errors.
    seed
        Seed of all random choices, instead of the one in the experiment.
    effect
        private, best-seat, vote, leader or pairwise; repeat for more; by default all. A discussion is
        compared with its private reviews, its better seat and a vote, its leader with its follower,
        another method with pairwise judgement.
    gain
        True gain over the better seat, 0.1 for 10 points, whose power is added; 0 for none.
    comparisons
        Size to simulate; repeat for more.
    power
        Wanted share of studies whose 95 % interval lies above 0.
    studies
        Number of simulated studies per size.
    stand_in
        CARD=SIMULATED: the simulated reviewer that replaces a model; repeat for more.
    seconds_per_call
        Assumed time per call, for the hours.
    max_connections
        Assumed calls in flight, for the hours.
    out
        Folder for plan.json and the power curves; by default nothing is written.
    force
        Replace files in that folder that are no earlier plan.
    json
        Print one JSON document.
    """
    from peerjudge.power import plan
    from peerjudge.runs import parse_seats, parse_settings

    if out is not None:
        path = Path(out) / _DOCUMENT
        require_free(path, source=experiment, force=force, own=_OWN, option="--out")
    print_status(f"{experiment}: simulating; no model is called")
    try:
        found = plan(
            experiment,
            data=data,
            seed=seed,
            settings=parse_settings(cast.setting),
            seats=parse_seats(cast.seat),
            effects=effect,
            gain=gain,
            sizes=comparisons,
            power=power,
            studies=studies,
            stand_ins=_parse_stand_ins(stand_in),
            seconds_per_call=seconds_per_call,
            max_connections=max_connections,
        )
    except KeyboardInterrupt:
        return report_interruption()
    saved = ""
    if out is not None:
        saved = save_document(
            found.document(), found.figures, Path(out), name=_DOCUMENT, force=force, own=_OWN
        )
    print_result(found, json=json, layout=layout)
    if saved and not json:
        say("", saved)
    return 0


def _parse_stand_ins(pairs: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        card, _, stand_in = pair.partition("=")
        if not (card and stand_in):
            msg = f"a stand-in is written CARD=SIMULATED, as in gpt_4o=sim_gpt4, not {pair!r}"
            raise CardError(msg)
        found[card.strip()] = stand_in.strip()
    return found
