"""The JSON document of an annotator model, as `peerjudge score --annotators --json` prints it.

    source, simulated, seed, level, questions, told_apart, changed, ties, tie_votes, iterations, samples,
    unsettled, rows [row], annotators {name: ...}, comparisons {id: ...}

A **row** is one judge: `reviewer`, `condition` and `protocol` (null outside runs), `stance`, and
`accuracy {gold, label, expected}` with `change {label, expected}` against gold. Each value is
`{value, low, high, n, method}`. `gold` is the gold of the data (a majority), `label` the most probable
label of the model, and `expected` the mean probability that a verdict is the true label.

An **annotator** has `votes`, `comparisons`, `reliability {value, low, high, n, method}`, and the
probabilities `right`, `opposite`, `undecided` and `tie`, see `Annotator`. A **comparison** has `votes`,
`gold`, `label` and `probabilities {verdict: share}`; a verdict is an answer's id or `tie`.
"""

from __future__ import annotations

from peerjudge.analysis.annotators import AnnotatedGold, ModelAccuracy
from peerjudge.data import Measurement


def build_annotators_document(found: AnnotatedGold) -> dict[str, object]:
    """Return the model as plain values for JSON; all shares are from 0 to 1."""
    return {
        "source": found.source,
        "simulated": found.simulated,
        "seed": found.seed,
        "level": found.level,
        "questions": found.questions,
        "told_apart": found.told_apart,
        "changed": found.changed,
        "ties": None if found.ties is None else _measured(found.ties),
        "tie_votes": found.tie_votes,
        "iterations": found.iterations,
        "samples": found.samples,
        "unsettled": found.unsettled,
        "rows": [_row(one) for one in found.accuracies],
        "annotators": {
            one.name: {
                "votes": one.votes,
                "comparisons": one.comparisons,
                "reliability": _measured(one.reliability),
                "right": one.right,
                "opposite": one.opposite,
                "undecided": one.undecided,
                "tie": one.tie,
            }
            for one in found.annotators
        },
        "comparisons": {
            one.id: {
                "votes": one.votes,
                "gold": one.gold,
                "label": one.label,
                "probabilities": dict(one.probabilities),
            }
            for one in found.comparisons
        },
    }


def _row(one: ModelAccuracy) -> dict[str, object]:
    return {
        "reviewer": one.judge.reviewer,
        "condition": one.judge.condition or None,
        "protocol": one.judge.protocol or None,
        "stance": one.judge.stance,
        "accuracy": {
            "gold": _measured(one.gold),
            "label": _measured(one.label),
            "expected": _measured(one.expected),
        },
        "change": {
            "label": _measured(one.label_change),
            "expected": _measured(one.expected_change),
        },
    }


def _measured(one: Measurement) -> dict[str, object]:
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "method": one.method,
    }
