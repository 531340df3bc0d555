"""`peerjudge bundle`: write a run with every number computed from it into one archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import status
from peerjudge.cli.tables import print_result

__all__ = ["bundle_command"]


def bundle_command(
    source: str,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    texts: Annotated[bool, Parameter(negative="--no-texts")] = True,
    licence: str = "",
    force: bool = False,
    json: bool = False,
) -> int:
    """Write a bundle: transcripts, manifest, cards, packs and protocols, numbers, report, digests.

    `peerjudge verify` recomputes every number in it, without a key and without a call, and every
    command reads it like the run. Equal runs give equal files.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl or .jsonl.gz), or another bundle.
    output
        The file to write, ending in .zip.
    texts
        Keep questions and answers. With --no-texts their SHA-256 takes their place, for data that may
        not be passed on; what reviewers wrote stays, and there are no numbers of `bias`.
    licence
        Licence of the data, kept in the description of the bundle; by default that which their publisher or
        their records state.
    force
        Replace a file that is not an earlier bundle.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.bundling import bundle

    # Shown in a terminal only: thousands of resamplings take seconds.
    with status().status("Copying, and resampling questions"):
        found = bundle(source, output=output, texts=texts, licence=licence, force=force)
    print_result(found, json=json)
    return 0
