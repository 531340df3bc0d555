"""Audit of the pinned packages: known vulnerabilities, as far as a source of advisories can be reached.

`pip-audit` runs as a tool of its own, so that it is no dependency of the project. What it could not look up
is named: that nothing was found says nothing about a package that was not looked up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

PINS = Path(__file__).resolve().parents[1] / "constraints.txt"

_OPTIONS = ("--requirement", str(PINS), "--no-deps", "--disable-pip", "--format", "json")
_SECONDS = 300.0
_SHOWN = 10
"""The most packages without advisories that are named."""


def main() -> int:
    """Audit and print; return 0 if nothing is known, 1 for vulnerabilities, 2 if nothing was looked up."""
    tool = Path(sys.executable).parent / "uv"
    command = [str(tool), "tool", "run", "pip-audit", *_OPTIONS]
    try:
        done = subprocess.run(  # noqa: S603  a tool of the environment
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        found: Any = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as cause:
        print(f"Not audited: {cause}; is there a network, and `uv`?", file=sys.stderr)
        return 2
    code, lines = describe(cast("dict[str, Any]", found))
    print("\n".join(lines))
    return code


def describe(found: dict[str, Any]) -> tuple[int, list[str]]:
    """Return the exit code and the sentences about the JSON document of `pip-audit`."""
    packages: list[dict[str, Any]] = found.get("dependencies", [])
    skipped = [str(one["name"]) for one in packages if "skip_reason" in one]
    known = [
        f"{one['name']} {one['version']}: {issue['id']}, mended in "
        f"{', '.join(issue.get('fix_versions') or ()) or 'no version'}"
        for one in packages
        for issue in one.get("vulns", ())
    ]
    looked_up = len(packages) - len(skipped)
    lines = [
        *known,
        f"{looked_up} of {len(packages)} packages looked up, {len(known)} vulnerabilities.",
    ]
    if skipped:
        more = f" and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
        lines.append(
            f"Not audited, as no advisories were found: {', '.join(skipped[:_SHOWN])}{more}."
        )
    return (1 if known else 0 if looked_up else 2), lines


if __name__ == "__main__":
    sys.exit(main())
