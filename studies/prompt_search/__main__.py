"""`python -m studies.prompt_search publish|report`: publish what `peerjudge optimize` found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from peerjudge.errors import PeerJudgeError

_TARGET = Path("docs") / "studies" / "search"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m studies.prompt_search", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    publish = commands.add_parser("publish", help="write finished searches to the documentation")
    publish.set_defaults(command=_publish)
    publish.add_argument("experiment", help="as given to `peerjudge optimize`")
    publish.add_argument("folders", nargs="+", type=Path, help="folders of the searches")
    publish.add_argument("--project", type=Path, default=Path(), help="folder with the shelves")
    publish.add_argument("--data", help="as given to `peerjudge optimize`")
    publish.add_argument("--limit", type=int, help="as given to `peerjudge optimize`")
    publish.add_argument("--weights", type=Path, help="file of the model, whose digest is recorded")
    publish.add_argument("--model", default="", help="title of the model")
    publish.add_argument("--server", default="", help="software and version that served")
    report = commands.add_parser("report", help="write the report from the published files again")
    report.set_defaults(command=_report)
    for one in (publish, report):
        one.add_argument("--to", type=Path, default=_TARGET, help="default: %(default)s")
    chosen = parser.parse_args(argv)
    command: Callable[[argparse.Namespace], int] = chosen.command
    try:
        return command(chosen)
    except PeerJudgeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _publish(chosen: argparse.Namespace) -> int:
    from studies.prompt_search.publishing import publish

    publish(
        chosen.folders,
        chosen.to,
        experiment=chosen.experiment,
        project=chosen.project,
        data=chosen.data,
        limit=chosen.limit,
        weights=chosen.weights,
        model=chosen.model,
        server=chosen.server,
    )
    return _report(chosen)


def _report(chosen: argparse.Namespace) -> int:
    from studies.prompt_search.reading import REPORT, read_searches
    from studies.prompt_search.report import write_report

    (chosen.to / REPORT).write_text(write_report(read_searches(chosen.to)), "utf-8")
    for file in sorted(chosen.to.iterdir()):
        print(f"{file.stat().st_size:>10,} {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
