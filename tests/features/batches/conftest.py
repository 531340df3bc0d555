"""Server of chat completions, and the study of two models, of the tests of faults."""

from tests.faults.conftest import kit, quiet, start

__all__ = ["kit", "quiet", "start"]
