"""`python -m peerjudge.simulation.calibration [--write [FOLDER]]`: fit, and write the cards.

Without `--write` it says which cards differ from what would be written, and exits with 1 if any does.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from peerjudge.simulation.calibration.calibrate import calibrate
from peerjudge.simulation.calibration.cards import card_texts, subsets_text, write

_SUBSETS = Path(__file__).resolve().parents[1] / "subsets.toml"


def main() -> int:
    """Fit, then write or compare."""
    parser = argparse.ArgumentParser(prog="python -m peerjudge.simulation.calibration")
    parser.add_argument(
        "folder", nargs="?", default="agents", type=Path, help="where the cards are"
    )
    parser.add_argument("--write", action="store_true", help="write the cards and subsets.toml")
    chosen = parser.parse_args()
    found = calibrate()
    if chosen.write:
        paths = write(found, agents=chosen.folder, subsets=_SUBSETS)
    else:
        texts = {chosen.folder / f"{name}.toml": text for name, text in card_texts(found).items()}
        texts[_SUBSETS] = subsets_text(found)
        paths = [
            path
            for path, text in texts.items()
            if not path.is_file() or path.read_text(encoding="utf-8") != text
        ]
    word = "written" if chosen.write else "differs from the fit"
    sys.stdout.writelines(f"{path}: {word}\n" for path in paths)
    return 0 if chosen.write else min(len(paths), 1)


if __name__ == "__main__":
    sys.exit(main())
