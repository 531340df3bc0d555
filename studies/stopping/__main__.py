"""`python -m studies.stopping [--json] [--seed N] [--out DIR]`."""

from __future__ import annotations

import sys

from studies.outcome import Study, run_study


def compute_study(seed: int) -> Study:
    """Compute the study; its modules are imported here, after the number of threads is set."""
    from studies.stopping.report import compute_stopping

    return compute_stopping(seed=seed)


if __name__ == "__main__":
    sys.exit(run_study("stopping", compute_study))
