"""Commands in a folder, and one with a small run."""

from tests.cli.conftest import played, require_golden, shell  # noqa: F401  fixtures
