"""Commands in a folder."""

from tests.cli.conftest import shell  # noqa: F401  a fixture
