"""`python -m studies.wording write|effects|forms|compare`: studies of the wording, with a model of yours.

`write` makes a project folder of a factorial study whose experiment has one condition per wording;
`peerjudge run` plays it, resumes it and keeps its replies. `effects` prints what every factor changes.
`forms` and `compare` do the same for the forms of a verdict with reasons: line, schema and two steps.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from peerjudge.errors import PeerJudgeError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m studies.wording", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    write = commands.add_parser("write", help="write a project that plays the wordings")
    write.set_defaults(command=_write)
    write.add_argument("folder", type=Path)
    write.add_argument("--data", required=True, help="pairs, as in `peerjudge run --data`")
    write.add_argument("--url", required=True, help="OpenAI-compatible server, ending in /v1")
    write.add_argument("--model", required=True, help="name by which the server knows the model")
    write.add_argument("--folded", action="store_true", help="sixteen cells instead of eight")
    write.add_argument("--packs", default="", metavar="A,B", help="packs to play instead of cells")
    effects = commands.add_parser("effects", help="print measures and effects of a run")
    effects.set_defaults(command=_print_effects)
    effects.add_argument("run", help="run folder or exported transcripts")
    forms = commands.add_parser("forms", help="write a project that plays the forms of a verdict")
    forms.set_defaults(command=_write_forms)
    forms.add_argument("folder", type=Path)
    forms.add_argument("--data", required=True, help="pairs, as in `peerjudge run --data`")
    forms.add_argument("--url", required=True, help="OpenAI-compatible server, ending in /v1")
    forms.add_argument("--model", required=True, help="name by which the server knows the model")
    compare = commands.add_parser("compare", help="print the measures of the forms of a run")
    compare.set_defaults(command=_compare_forms)
    compare.add_argument("run", help="run folder or exported transcripts")
    chosen = parser.parse_args(argv)
    command: Callable[[argparse.Namespace], int] = chosen.command
    try:
        return command(chosen)
    except PeerJudgeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _write(chosen: argparse.Namespace) -> int:
    from studies.wording.project import write_project

    packs = tuple(name for name in chosen.packs.split(",") if name)
    path = write_project(
        chosen.folder,
        data=chosen.data,
        url=chosen.url,
        model=chosen.model,
        folded=chosen.folded,
        packs=packs,
    )
    print(f"Play it with: cd {chosen.folder} && peerjudge run {path.relative_to(chosen.folder)}")
    return 0


def _print_effects(chosen: argparse.Namespace) -> int:
    from peerjudge.runs import read_ballots
    from studies.wording.effects import MEASURES, measure_effects, measure_wordings
    from studies.wording.factors import list_cells

    measured = measure_wordings(read_ballots(chosen.run))
    print("Means over the pairs judged in both orders\n")
    print("| wording | pairs |" + "".join(f" {name} |" for name in MEASURES))
    print("|---|--:|" + "--:|" * len(MEASURES))
    for wording in measured.wordings:
        values = measured.of(wording)
        whole = values[:, ~np.isnan(values).any(axis=0)]
        means = "".join(f" {value:.3f} |" for value in whole.mean(axis=1)) if whole.size else ""
        print(f"| {wording} | {whole.shape[1]} |{means}")
    played = set(measured.wordings)
    for folded in (True, False):
        if {cell.name for cell in list_cells(folded=folded)} <= played:
            effects = measure_effects(measured, folded=folded)
            print(f"\nEffects, new less former level (standard error), {effects[0].pairs} pairs\n")
            print("| factor |" + "".join(f" {name} |" for name in MEASURES))
            print("|---|" + "--:|" * len(MEASURES))
            for start in range(0, len(effects), len(MEASURES)):
                row = effects[start : start + len(MEASURES)]
                cells = "".join(f" {one.estimate:+.3f} ({one.error:.3f}) |" for one in row)
                print(f"| {row[0].factor} |{cells}")
            return 0
    return 0


def _write_forms(chosen: argparse.Namespace) -> int:
    from studies.wording.forms import write_forms

    path = write_forms(chosen.folder, data=chosen.data, url=chosen.url, model=chosen.model)
    print(f"Play it with: cd {chosen.folder} && peerjudge run {path.relative_to(chosen.folder)}")
    return 0


def _compare_forms(chosen: argparse.Namespace) -> int:
    from peerjudge.runs import load
    from studies.wording.forms import MEASURES, average, compare_forms, measure_forms

    measured = measure_forms(asyncio.run(load(chosen.run)))
    print("| form | pairs |" + "".join(f" {name} |" for name in MEASURES))
    print("|---|--:|" + "--:|" * len(MEASURES))
    for form, rows in measured.items():
        cells = "".join(" {:.3f} ({:.3f}) |".format(*average(rows, name)) for name in MEASURES)
        print(f"| {form} | {len(rows)} |{cells}")
    print("\nPaired differences (standard error)\n")
    names = [*measured]
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            cells = "".join(
                f" {each.estimate:+.3f} ({each.error:.3f}) |"
                for each in compare_forms(measured[one], measured[other])
            )
            print(f"| {one} less {other} |{cells}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
