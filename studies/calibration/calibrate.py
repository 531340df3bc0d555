"""Fits everything: the casts of the three tasks, and how surely each trait is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from peerjudge.simulation.traits import Traits
from studies.calibration.fitting import Fit
from studies.calibration.llmbar import World, fit_llmbar, world_of
from studies.calibration.prd import cast_of, fit_prd
from studies.calibration.targets import Targets, targets
from studies.calibration.vicuna80_fit import Described, describe

__all__ = ["Calibration", "calibrate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The reviewers of PRD on LFQA, those of PRePair on LLMBar, those of Vicuna80, and their fits."""

    published: Targets
    prd: Mapping[str, Traits] = field(hash=False)
    prd_fit: Fit
    llmbar: World
    llmbar_fit: Fit
    vicuna80: Described


def calibrate() -> Calibration:
    """Fit all of them to the published figures; takes some seconds."""
    published = targets()
    prd = fit_prd(published.prd)
    llmbar = fit_llmbar(published.llmbar)
    return Calibration(
        published=published,
        prd=cast_of(prd.values, published.prd.reviewers),
        prd_fit=prd,
        llmbar=world_of(llmbar.values, published.llmbar),
        llmbar_fit=llmbar,
        vicuna80=describe(published.vicuna80),
    )
