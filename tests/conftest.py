"""No property is timed, small matrix products use one thread, and golden files can be rewritten."""

import os

# As the command line does; read when numpy is imported, which hypothesis does not do.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites the golden files of prompts."""
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite golden files instead of comparing"
    )


@pytest.fixture(scope="session")
def verdicts():
    """Specs of published datasets without texts, which every clone has; see `tests/published`."""
    folder = Path(__file__).parent / "published"
    return lambda name: f"{folder / 'verdicts.py'}:{folder / name}.jsonl.gz"
