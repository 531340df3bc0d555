"""Commands in a folder, and one with a small run."""

from tests.cli.conftest import played, shell  # noqa: F401  fixtures
