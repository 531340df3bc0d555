"""`peerjudge pairs`: pairs of a better and a worse answer, by rule or by a writer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import (
    Display,
    configure_logging,
    print_json,
    print_status,
    results,
)
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.pairing import Paired

__all__ = ["pairs_command"]


async def pairs_command(
    data: str,
    /,
    *,
    recipe: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    writer: str = "",
    verify: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    answers: int = 2,
    hard_for: str = "",
    against: str = "",
    licence: str = "",
    out: str = "pairs",
    limit: int | None = None,
    seed: int = 0,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    max_connections: int = 10,
    cache: str | None = None,
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
    cost_limit
        As for `run`.
    token_limit
        As for `run`.
    max_connections
        As for `run`.
    cache
        As for `run`.
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
            cache=cache,
            max_connections=max_connections,
            cost_limit=cost_limit,
            token_limit=token_limit,
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
