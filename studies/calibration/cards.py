"""`python -m studies.calibration.cards [--write] [FOLDER]`: cards and subsets from the fit.

Without `--write` it lists the files that differ from the fit, and exits with 1 if any does.

A card holds the traits of one task. Position bias and the errors that copies share belong to reviewer
and task together (GPT-3.5 leans to the first answer on LFQA and to neither on Vicuna80), so a model
that was fitted to several tasks has a card for each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import peerjudge.simulation
from peerjudge.simulation.traits import Traits
from studies.calibration.calibrate import Calibration, calibrate
from studies.calibration.llmbar import NATURAL

__all__ = ["card_texts", "subsets_text", "write"]

_SUBSETS = Path(peerjudge.simulation.__file__).with_name("subsets.toml")
_WRITTEN_BY = "# Written by `python -m studies.calibration.cards --write`, not by hand.\n"

_LFQA = (
    "Simulated: traits fitted to the figures PRD published for {model} on LFQA (Tables 4, 6, 7 and 9, "
    "section 5). Not the model itself; holds for long-form answers only; truth_pull assumes that "
    "discussing helps."
)
_LLMBAR = (
    "Simulated: ability, surface and dampening fitted to the LLMBar accuracies PRePair published for "
    "{model} (Table 4, temperature 0). Not the model itself; holds for LLMBar only; how it discusses "
    "was not fitted."
)
_VICUNA80 = (
    "Simulated: traits fitted to 1600 recorded reviews of Vicuna80 by {model}. Not the model itself; "
    "holds for open chat with ties only; how it discusses was not fitted. self_enhancement is all that "
    "people's votes do not explain."
)

_ROLES = {
    "lfqa": "You are a careful reviewer of long answers.",
    "llmbar": "You are a careful judge of how well outputs follow instructions.",
    "vicuna80": "You are a helpful and precise reviewer of answers to open questions.",
}

_NAMES = {
    "gpt4": "GPT-4",
    "gpt35": "GPT-3.5",
    "claude": "Claude-1",
    "bard": "Bard (PaLM 2)",
    "vicuna": "Vicuna-13b",
}
_LLMBAR_NAMES = {
    "gpt4": "GPT-4",
    "gpt35": "GPT-3.5-Turbo",
    "claude": "Claude-3-Haiku",
    "gpt4o_mini": "GPT-4o-mini",
    "gpt4o": "GPT-4o",
    "llama": "Llama-3.1-8B-Instruct",
}
_FAMILIES = {"gpt": "gpt", "claude": "claude", "llama": "llama"}
_LENGTHS = {"gpt4": 140, "claude": 130, "gpt35": 110}
_LLMBAR_LENGTH = 110

_DIGITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A card to be written."""

    name: str
    description: str
    family: str
    role: str
    traits: Mapping[str, float] = field(hash=False)
    sampling: str = "temperature = 1.0"

    @property
    def text(self) -> str:
        traits = "".join(f"{name} = {value!r}\n" for name, value in self.traits.items())
        return (
            f"{_WRITTEN_BY}"
            f'description = "{self.description}"\n'
            f'family = "{self.family}"\n'
            f'role = "{self.role}"\n'
            f"\n[sampling]\n{self.sampling}\n\n[traits]\n{traits}"
        )


def card_texts(calibration: Calibration) -> Mapping[str, str]:
    """The cards as TOML, by name."""
    entries = (*_lfqa(calibration), *_llmbar(calibration), *_vicuna80(calibration))
    return {entry.name: entry.text for entry in entries}


def subsets_text(calibration: Calibration) -> str:
    """The subsets of LLMBar as TOML, and any that is merely marked as adversarial."""
    found = {"adversarial": (1.0, 1.0)} | {
        name.lower(): (subset.clarity, subset.lure)
        for name, subset in calibration.llmbar.subsets.items()
        if name != NATURAL
    }
    tables = [
        f"\n[{name}]\nclarity = {_rounded(clarity)!r}\nlure = {_rounded(lure)!r}\n"
        for name, (clarity, lure) in found.items()
    ]
    return f"{_WRITTEN_BY}# Fitted to PRePair's Table 4; see Subset for what they mean.\n{''.join(tables)}"


def write(calibration: Calibration, *, agents: Path, subsets: Path) -> list[Path]:
    """Write the cards into the folder `agents` and the subsets into that file; returns the paths."""
    agents.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, text in card_texts(calibration).items():
        written.append(agents / f"{name}.toml")
        written[-1].write_text(text, encoding="utf-8")
    subsets.write_text(subsets_text(calibration), encoding="utf-8")
    return [*written, subsets]


def _lfqa(calibration: Calibration) -> Iterator[_Entry]:
    kept = (
        "ability",
        "position_bias",
        "machine_taste",
        "susceptibility",
        "firmness",
        "truth_pull",
        "shared_error",
        "copy_error",
    )
    for name, traits in calibration.prd.items():
        yield _Entry(
            name=f"sim_{name}",
            description=_LFQA.format(model=_NAMES[name]),
            family=_family(name),
            role=_ROLES["lfqa"],
            traits=_picked(traits, kept) | {"length": _LENGTHS[name]},
        )


def _llmbar(calibration: Calibration) -> Iterator[_Entry]:
    kept = ("ability", "surface", "alone_dampening", "together_dampening")
    # One verdict per item says nothing of what errors have in common: LFQA's shares are the best known.
    (errors, *_) = (
        _picked(traits, ("shared_error", "copy_error")) for traits in calibration.prd.values()
    )
    for name, traits in calibration.llmbar.cast.items():
        yield _Entry(
            name=f"sim_llmbar_{name}",
            description=_LLMBAR.format(model=_LLMBAR_NAMES[name]),
            family=_family(name),
            role=_ROLES["llmbar"],
            traits=_picked(traits, kept) | errors | {"length": _LLMBAR_LENGTH},
            sampling="temperature = 1.0\nlogprobs = true",
        )


def _vicuna80(calibration: Calibration) -> Iterator[_Entry]:
    kept = (
        "ability",
        "position_bias",
        "tie_width",
        "self_enhancement",
        "shared_error",
        "copy_error",
        "place_error",
    )
    lfqa = set(calibration.prd)
    for name, traits in calibration.vicuna80.cast.items():
        words = calibration.published.vicuna80.reviewers[name].words
        yield _Entry(
            # Without a task in its name where this is the only one.
            name=f"sim_vicuna80_{name}" if name in lfqa else f"sim_{name}",
            description=_VICUNA80.format(model=_NAMES[name]),
            # A reviewer's own answers are its own, not those of its maker's other models.
            family=name,
            role=_ROLES["vicuna80"],
            traits=_picked(traits, kept) | {"length": words},
        )


def _family(name: str) -> str:
    return next((family for start, family in _FAMILIES.items() if name.startswith(start)), name)


def _picked(traits: Traits, names: tuple[str, ...]) -> dict[str, float]:
    return {name: _rounded(getattr(traits, name)) for name in names}


def _rounded(value: float) -> float:
    return round(value, _DIGITS)


def main() -> int:
    """Fit, then write the files or compare them; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m studies.calibration.cards")
    parser.add_argument("folder", nargs="?", default="agents", type=Path, help="folder of cards")
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
