"""`peerjudge verify`: check a bundle against itself."""

from __future__ import annotations

from pathlib import Path

from peerjudge.cli.console import status
from peerjudge.cli.tables import print_result

__all__ = ["verify_command"]


def verify_command(
    bundle: str,
    /,
    *,
    protocol: tuple[Path, ...] = (),
    json: bool = False,
) -> int:
    """Check a bundle: digests, files, readings of replies, conclusions, ids and numbers.

    Needs no key and no network, and executes nothing of the bundle. The exit code is 1 if anything
    differs; what could not be checked is named.

    Parameters
    ----------
    bundle
        A file that `peerjudge bundle` wrote.
    protocol
        Your copy of the file of a protocol that is not built in (repeat for more); it is executed if its code
        is that of the run.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.verifying import verify

    # Shown in a terminal only: thousands of resamplings take seconds.
    with status().status("Recomputing"):
        found = verify(bundle, protocols=protocol)
    print_result(found, json=json)
    return 0 if found.holds else 1
