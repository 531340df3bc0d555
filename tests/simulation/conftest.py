"""Requests for simulated reviewers, and a reader of their replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from peerjudge.data import (
    Card,
    Comparison,
    Cue,
    Expects,
    Request,
    Review,
    ReviewerKind,
    Role,
    Sampling,
    Seat,
    Turn,
    Utterance,
    Verdict,
    content_hash,
    replace,
)
from peerjudge.simulation import SimulatedReviewer
from peerjudge.testing import comparison_of


@pytest.fixture(scope="session")
def many() -> Callable[..., list[Comparison]]:
    """Build comparisons with gold, the better answer shown first in every second one."""

    def build(count: int, *, subset: str = "") -> list[Comparison]:
        return [
            replace(comparison_of(gold=n % 2 + 1, name=f"item-{n}"), subset=subset)
            for n in range(count)
        ]

    return build


@pytest.fixture(scope="session")
def reviewer() -> Callable[..., SimulatedReviewer]:
    """Build a simulated reviewer with these traits."""

    def build(
        name: str = "sim_test", *, seed: int = 1, family: str = "", **traits
    ) -> SimulatedReviewer:
        card = Card(name=name, kind=ReviewerKind.SIMULATED, family=family, traits=traits)
        return SimulatedReviewer(card, seed=seed)

    return build


@pytest.fixture(scope="session")
def asked() -> Callable[..., Request]:
    """Build a request: by default for a private verdict on all answers."""

    def build(
        comparison: Comparison,
        *,
        heard: Sequence[Turn] = (),
        seat: str = "seat-1",
        role: Role = Role.JUDGE,
        temperature: float | None = None,
        repetition: int = 0,
        **cue,
    ) -> Request:
        fields = {"task": "review_explained", "sees": comparison.shown, "private": not heard}
        made = Cue(seat=seat, hears=tuple(turn.index for turn in heard), **(fields | cue))
        words = [turn.utterance.text for turn in heard]
        draw = content_hash(comparison.id, made.sees, seat, made.task, words, repetition)
        return Request(
            discussion="d",
            turn=len(heard),
            seat=Seat(
                id=seat,
                reviewer=f"reviewer of {seat}",
                role=role,
                sampling=Sampling(temperature=temperature),
            ),
            cue=made,
            comparison=comparison,
            heard=tuple(heard),
            messages=(),
            drawn=lambda: draw,
        )

    return build


@pytest.fixture(scope="session")
def said() -> Callable[..., Turn]:
    """Build the turn in which a seat stated a verdict, or explained something (`None`)."""

    def build(
        index: int, seat: str, verdict: Verdict | None, *, private: bool = True, **cue
    ) -> Turn:
        expects = Expects.TEXT if verdict is None else Expects.VERDICT
        return Turn(
            index=index,
            cue=Cue(
                seat=seat,
                private=private,
                expects=expects,
                **({"task": "review_explained", "sees": ("answer-1", "answer-2")} | cue),
            ),
            utterance=Utterance(text=f"{seat} said {verdict}"),
            review=Review(verdict=verdict),
        )

    return build


def read_verdict(utterance: Utterance, request: Request) -> Verdict:
    """Read the label in the last line of a reply as the verdict."""
    assert utterance.text.splitlines()[-1][:-2].endswith("Answer (")
    return Verdict.of(request.cue.sees["abcd".index(utterance.text[-2])])
