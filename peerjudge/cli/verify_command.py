"""`peerjudge verify`: recompute every number of a bundle."""

from __future__ import annotations

from peerjudge.cli.console import status
from peerjudge.cli.tables import print_result

__all__ = ["verify_command"]


def verify_command(bundle: str, /, *, json: bool = False) -> int:
    """Check the digests of a bundle and recompute every number in it from its transcripts.

    Needs no key, no network and no other file. The exit code is 1 if anything differs.

    Parameters
    ----------
    bundle
        A file that `peerjudge bundle` wrote.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.verifying import verify

    # Shown in a terminal only: thousands of resamplings take seconds.
    with status().status("Recomputing"):
        found = verify(bundle)
    print_result(found, json=json)
    return 0 if found.holds else 1
