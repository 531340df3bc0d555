"""Properties repeat their examples, small matrix products use one thread, golden files can be rewritten."""

import os

# As the command line does; read when numpy is imported, which hypothesis does not do.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path

import pytest
from hypothesis import settings

# Equal examples in every run: a failure then belongs to the change at hand. `make explore` draws new ones.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("repeatable")


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
