"""`python -m studies.real_models play|publish|report`: play the study, publish it, recompute its report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from peerjudge.errors import PeerJudgeError

_OUT = Path("runs") / "real_models"
_TARGET = Path("docs") / "studies" / "real_models"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m studies.real_models", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_play(commands.add_parser("play", help="play the study, or go on with it"))
    _add_publish(commands.add_parser("publish", help="write what was played to the documentation"))
    _add_report(
        commands.add_parser("report", help="write the report again from the published files")
    )
    chosen = parser.parse_args(argv)
    command: Callable[[argparse.Namespace], int] = chosen.command
    try:
        return command(chosen)
    except KeyboardInterrupt as interrupt:
        from peerjudge.cli.console import print_status
        from peerjudge.cli.interrupts import INTERRUPTED, exit_code

        print_status(INTERRUPTED)
        return exit_code(interrupt)
    except PeerJudgeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _add_play(parser: argparse.ArgumentParser) -> None:
    from studies.real_models import design

    parser.set_defaults(command=_play)
    for size, model in design.MODELS.items():
        parser.add_argument(
            f"--{size}", metavar="URL", help=f"server of {model.title}, as http://127.0.0.1:8931/v1"
        )
        parser.add_argument(
            f"--{size}-file", type=Path, metavar="GGUF", help="its file, whose digest is recorded"
        )
    parser.add_argument("--out", type=Path, default=_OUT, help="folder (default: %(default)s)")
    parser.add_argument("--comparisons", type=int, default=design.COMPARISONS, metavar="N")
    parser.add_argument(
        "--llmbar", default="", metavar="FOLDER", help="LLMBar; without, not played"
    )
    parser.add_argument("--short-pairs", type=int, default=design.SHORT_PAIRS, metavar="N")
    parser.add_argument("--turns", type=int, default=design.TURNS, metavar="N")
    parser.add_argument("--prompts", default=design.PROMPTS, metavar="PACK")
    parser.add_argument(
        "--only", default="", metavar="A,B", help="conditions to play; default: all"
    )
    parser.add_argument(
        "--published",
        type=Path,
        metavar="FOLDER",
        help="publication whose discussions are not played again; needs the URLs of its play",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the calls, and make none")
    parser.add_argument("--simulated", action="store_true", help="simulated stand-ins, no model")


def _add_publish(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_publish)
    parser.add_argument("folder", type=Path, nargs="?", default=_OUT, help="folder of the play")
    parser.add_argument(
        "--server", default="", metavar="TEXT", help="software and version that served"
    )
    _add_target(parser)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_report)
    _add_target(parser)


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", type=Path, default=_TARGET, help="default: %(default)s")
    parser.add_argument(
        "--readme", type=Path, help="also replace the section of the study in this file"
    )


def _play(chosen: argparse.Namespace) -> int:
    from studies.real_models.design import MODELS
    from studies.real_models.playing import Settings, play

    given = vars(chosen)
    return play(
        chosen.out,
        Settings(
            turns=chosen.turns,
            comparisons=chosen.comparisons,
            short_pairs=chosen.short_pairs,
            prompts=chosen.prompts,
            llmbar=chosen.llmbar,
            simulated=chosen.simulated,
        ),
        servers={size: given[size] for size in MODELS if given[size]},
        files={size: given[f"{size}_file"] for size in MODELS if given[f"{size}_file"]},
        only=[name for name in chosen.only.split(",") if name],
        published=chosen.published,
        estimate=chosen.dry_run,
    )


def _publish(chosen: argparse.Namespace) -> int:
    from studies.real_models.publishing import publish

    publish(chosen.folder, chosen.to, readme=chosen.readme, server=chosen.server)
    return _list_files(chosen.to)


def _report(chosen: argparse.Namespace) -> int:
    from studies.real_models.publishing import rewrite

    rewrite(chosen.to, readme=chosen.readme)
    return _list_files(chosen.to)


def _list_files(folder: Path) -> int:
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size:>10,} {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
