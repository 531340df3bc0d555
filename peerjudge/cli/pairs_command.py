"""`peerjudge pairs`: pairs of a better and a worse answer, by rule or by a writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.cli.console import (
    Display,
    configure_logging,
    print_json,
    print_status,
    results,
)
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.pairing import Paired

__all__ = ["pairs_command"]


async def pairs_command(
    data: str,
    /,
    *,
    recipe: tuple[str, ...] = (),
    writer: str = "",
    verify: tuple[str, ...] = (),
    answers: int = 2,
    hard_for: str = "",
    against: str = "",
    licence: str = "",
    out: str = "pairs",
    limit: int | None = None,
    seed: int = 0,
    calls: CallOptions = CallOptions(),
    display: Display = "rich",
    json: bool = False,
) -> int:
    """Make pairs of a better and a worse answer; run the same command again to resume it.

    The better answer is the accepted one of the data, shown first in exactly half of the pairs. Judges that
    read nothing (length, place, overlap, markup) audit the pairs.

    Parameters
    ----------
    data
        Dataset NAME:PATH or a path, with gold answers.
    recipe
        How the worse answer is made; repeat for more. By rule: neighbour, shuffled, altered, cut. By a
        writer: unclear, hallucinated, polished, verbose_wrong, authoritative, other_instruction, sampled.
    writer
        Card that writes answers.
    verify
        Card that judges every pair in both orders; repeat for more. Others than the writer.
    answers
        Number of answers, 2 to 4: the better one and graded worse ones.
    hard_for
        Card on whose errors the pairs are chosen.
    against
        Dataset whose answers are not repeated.
    licence
        Licence of the data, where PeerJudge knows none.
    out
        Folder of the pairs.
    limit
        Number of questions.
    seed
        Seed of all random choices.
    display
        Form of the progress on stderr.
    json
        Print the result as one JSON document.
    """
    from peerjudge.pairing import pairs

    configure_logging(level="error", form="text")
    async with cancel_on_signal():
        found = await pairs(
            data,
            recipes=recipe,
            writer=writer,
            verify=verify,
            answers=answers,
            hard_for=hard_for,
            against=against,
            licence=licence,
            out=out,
            limit=limit,
            seed=seed,
            cache=calls.cache,
            max_connections=calls.connections,
            cost_limit=calls.cost_limit,
            token_limit=calls.token_limit,
            fail_on_error=calls.fail_on_error,
            deadline=calls.deadline,
            on_step=None if display == "none" else print_status,
        )
    _print(found, json=json)
    return 3 if found.stopped is not None else 0


def _print(found: Paired, *, json: bool) -> None:
    from peerjudge.pairing.describing import build_document, build_parts, describe_files
    from peerjudge.reporting.layout import print_parts

    if json:
        print_json(build_document(found))
    else:
        print_parts(build_parts(found), results(), wrap=True)
        say(*describe_files(found))
    if found.stopped is not None:
        print_status(f"stopped at the {found.stopped}: run the same command with a higher one")
