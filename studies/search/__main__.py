"""`python -m studies.search [--json] [--seed N] [--out DIR]`."""

from __future__ import annotations

import sys

from studies.outcome import Study, run_study


def compute_study(seed: int) -> Study:
    """Compute the study; its modules are imported here, after the number of threads is set."""
    from studies.search.report import compute_searches

    return compute_searches(seed=seed)


if __name__ == "__main__":
    sys.exit(run_study("search", compute_study))
