"""Documents of all commands that analyse, on a simulated run and on the reviews of Vicuna80.

A change of design must leave these numbers as they are, or say in its commit which changed and why:
`pytest tests/cli/test_golden.py --update-golden` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isclose
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "commands"
RUN = (
    "score study",
    "score study --by leader",
    "score study --between sim_strong,sim_weak",
    "compare study",
    "rank study",
    "rank study --weights peer",
    "rank study --scoring elo --weights peer --scheme damped",
    "agreement study",
    "agreement study --panel",
    "events study --summary",
    "bias study",
    "model study",
)
DATA = (
    "score DATA",
    "compare DATA",
    "rank DATA",
    pytest.param(
        "rank DATA --scoring elo --weights peer --bootstrap 20",
        marks=pytest.mark.slow,  # the ratings are those of test_published_rankings
    ),
    "rank DATA --scoring bradley-terry --weights peer --scheme damped",
    "agreement DATA",
    "agreement DATA --weights peer",
    "agreement DATA --panel",
    "bias DATA",
    "model DATA",
)


def list_differences(found: object, wanted: object, place: str = "") -> Iterator[str]:
    """Yield the places where two documents differ by more than the rounding of processors."""
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        for key, value in found.items():
            yield from list_differences(value, wanted[key], f"{place}.{key}")
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from list_differences(one, other, f"{place}[{number}]")
    elif isinstance(found, float) and isinstance(wanted, float):
        if not isclose(found, wanted, rel_tol=1e-6, abs_tol=1e-9):
            yield f"{place}: {found} is not {wanted}"
    elif found != wanted:
        yield f"{place}: {found!r:.80} is not {wanted!r:.80}"


def compare_with_golden(outcome, command: str, *, update: bool) -> None:
    """Assert that a command printed the golden document; write it first if wanted."""
    assert outcome.code == 0, outcome.err
    file = GOLDEN / f"{command.replace(' --', '+').replace(' ', '_')}.json"
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(outcome.document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert [*list_differences(outcome.document, json.loads(file.read_text("utf-8")))] == []


@pytest.fixture
def update(request):
    """Whether golden files are written anew."""
    return request.config.getoption("--update-golden")


@pytest.mark.parametrize("command", RUN)
def test_documents_of_a_run_stay_as_they_are(played, command, update):
    """Verdicts of 168 discussions become the same accuracies, contrasts, events, weights and biases."""
    compare_with_golden(played(*command.split(), "--json"), command, update=update)


@pytest.mark.parametrize("command", DATA)
def test_documents_of_published_reviews_stay_as_they_are(shell, verdicts, command, update):
    """The reviews of PRD's five models give the same accuracies, ratings, weights, kappas and biases."""
    words = [verdicts("vicuna80") if word == "DATA" else word for word in command.split()]
    compare_with_golden(shell(*words, "--json"), command, update=update)
