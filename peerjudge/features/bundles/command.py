"""Commands `bundle` and `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.commands import DISCUSSIONS, REPEATED, AsJson, Call, FunctionCommand, Option
from peerjudge.cli.console import status
from peerjudge.cli.options import OUT_NAMES
from peerjudge.cli.tables import print_result

if TYPE_CHECKING:
    from peerjudge.features.bundles.bundling import Bundle
    from peerjudge.features.bundles.verifying import Verification

__all__ = ["BUNDLE", "VERIFY"]


def _bundle(call: Call[Bundle], *, json: AsJson = False) -> int:
    """Write a bundle, and print what it holds."""
    with status().status("Copying, and resampling questions"):
        found = call.compute()
    print_result(found, json=json)
    return 0


def _verify(call: Call[Verification], *, json: AsJson = False) -> int:
    """Print the checks of a bundle; the exit code is 1 if anything differs."""
    with status().status("Recomputing"):
        found = call.compute()
    print_result(found, json=json)
    return 0 if found.holds else 1


BUNDLE = FunctionCommand(
    function="features.bundles.bundling:bundle",
    run=_bundle,
    names={"output": OUT_NAMES},
    options={"source": DISCUSSIONS},
)

VERIFY = FunctionCommand(
    function="features.bundles.verifying:verify",
    run=_verify,
    names={"protocols": "--protocol"},
    options={"protocols": Option(type=tuple[Path, ...], words=REPEATED.words)},
)
