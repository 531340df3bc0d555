"""Command `plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.commands import REPEATED, AsJson, Call, FunctionCommand, Option, pairs_option
from peerjudge.cli.console import print_status, report_interruption, save_document
from peerjudge.cli.options import CastOptions
from peerjudge.cli.tables import Layout, print_result, say
from peerjudge.results.overwriting import require_free

if TYPE_CHECKING:
    from peerjudge.features.planning.planning import PlanResult

__all__ = ["PLAN"]

_PLAN = "plan.json"

_OWN_PLAN = b'"comparisons_in_data": '


def _plan(
    call: Call[PlanResult],
    *,
    out: Path | None = None,
    force: bool = False,
    layout: Layout = "text",
    json: AsJson = False,
) -> int:
    """Print a plan, and save it.

    Options:
        out: Folder for plan.json and the power curves; by default nothing is written.
        force: Replace files in that folder that are no earlier plan.
    """
    (experiment,) = call.sources
    if out is not None:
        path = out / _PLAN
        require_free(path, source=experiment, force=force, own=_OWN_PLAN, option="--out")
    print_status(f"{experiment}: simulating; no model is called")
    try:
        found = call.compute()
    except KeyboardInterrupt:
        return report_interruption()
    saved = ""
    if out is not None:
        document, figures = found.document(), found.figures
        saved = save_document(document, figures, out, name=_PLAN, force=force, own=_OWN_PLAN)
    print_result(found, json=json, layout=layout)
    if saved and not json:
        say("", saved)
    return 0


PLAN = FunctionCommand(
    function="features.planning.planning:plan",
    run=_plan,
    groups=(CastOptions,),
    names={"effects": "--effect", "sizes": "--comparisons"},
    options={
        "sizes": Option(type=tuple[int, ...], words=REPEATED.words),
        "stand_ins": pairs_option("--stand-in", "CARD=SIMULATED", "gpt_4o=sim_gpt4"),
    },
)
