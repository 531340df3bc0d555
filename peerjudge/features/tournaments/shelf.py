"""Place of the experiment `tournament`, which is on the shelf `experiments` of this folder."""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
