"""Forms of a verdict with reasons: a project that plays line, schema and two steps, and their measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from peerjudge.analysis.probabilities import find_probabilities
from peerjudge.data import REPLY_FORMS, Expects, Transcript, Turn
from peerjudge.verdicts import ASKED

CARD = "reader"
BASE = "instruction_following"

_CARD = """\
description = "The model behind {url}."

[model]
provider = "vllm"
name = "{name}"
base_url = "{url}"

[sampling]
temperature = 0.0
max_tokens = 300
logprobs = true

[limits]
max_connections = 1
timeout = 600
"""

_EXPERIMENT = '''\
"""Which form of a verdict with reasons suits this model?"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data={data!r},
    conditions=tuple(
        Condition(name=form, protocol="pairwise_cot", seats=({card!r},), prompts=form)
        for form in {forms!r}
    ),
)
'''

MEASURES = ("accuracy", "same", "first", "margin", "at_once", "readable", "tokens", "seconds")
"""Measures of a pair that was judged in both orders.

* `accuracy`: share of the orders with the gold answer; an unreadable verdict counts one half.
* `same`: 1 where both orders choose the same answer.
* `first`: share of the readable verdicts that choose the answer shown first.
* `margin`: probability of the gold answer, from log-odds averaged over the orders.
* `at_once`, `readable`: share of verdicts named by the reply, and by it or the answer to the question.
* `tokens`, `seconds`: written and waited for in both calls, per verdict.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Mean paired difference of a measure between two forms, its standard error, and the pairs."""

    measure: str
    estimate: float
    error: float
    pairs: int


def write_forms(folder: Path, *, data: str, url: str, model: str) -> Path:
    """Write the project with one pack per form and return the path of its experiment."""
    files = {
        f"agents/{CARD}.toml": _CARD.format(url=url, name=model),
        "experiments/forms.py": _EXPERIMENT.format(data=data, card=CARD, forms=REPLY_FORMS),
    }
    files |= {
        f"protocols/prompts/{form}.toml": f'extends = "{BASE}"\nform = "{form}"\n'
        for form in REPLY_FORMS
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "experiments" / "forms.py"


def measure_forms(transcripts: Iterable[Transcript]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the measures by condition and comparison, of comparisons judged in both orders."""
    turns: dict[tuple[str, str], list[tuple[Transcript, Turn]]] = {}
    for one in transcripts:
        for turn in one.turns:
            if turn.cue.expects is Expects.VERDICT:
                turns.setdefault((one.condition, one.comparison.id), []).append((one, turn))
    found: dict[str, dict[str, dict[str, float]]] = {}
    for (condition, comparison), both in turns.items():
        if len(both) == 2:
            found.setdefault(condition, {})[comparison] = _measure(both)
    return found


def compare_forms(
    one: dict[str, dict[str, float]], other: dict[str, dict[str, float]]
) -> tuple[Difference, ...]:
    """Return the mean of each measure of one form less that of the other, over the pairs of both."""
    rows: list[Difference] = []
    for measure in MEASURES:
        values = [one[pair][measure] - other[pair][measure] for pair in one if pair in other]
        values = [value for value in values if value == value]
        error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
        mean = fmean(values) if values else float("nan")
        rows.append(Difference(measure=measure, estimate=mean, error=error, pairs=len(values)))
    return tuple(rows)


def average(rows: dict[str, dict[str, float]], measure: str) -> tuple[float, float]:
    """Return the mean of a measure over the pairs, and its standard error."""
    values = np.array([row[measure] for row in rows.values()])
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return float(values.mean()) if len(values) else float("nan"), float("nan")
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def _measure(both: Sequence[tuple[Transcript, Turn]]) -> dict[str, float]:
    gold = both[0][0].comparison.gold
    right = None if gold is None else gold.choice
    chosen = [turn.review.verdict.choice if turn.review.verdict else None for _, turn in both]
    read = [choice is not None for choice in chosen]
    firsts = [
        choice == turn.cue.sees[0] for choice, (_, turn) in zip(chosen, both, strict=True) if choice
    ]
    odds = [_log_odds(turn, right) for _, turn in both]
    said = [each for _, turn in both for each in (turn.utterance, turn.asked) if each is not None]
    return {
        "accuracy": fmean(0.5 if one is None else float(one == right) for one in chosen),
        "same": float(chosen[0] is not None and chosen[0] == chosen[1]),
        "first": fmean(firsts) if firsts else float("nan"),
        "margin": float(1 / (1 + np.exp(-fmean(odds)))),
        "at_once": fmean(
            named and not turn.review.rule.startswith(ASKED)
            for named, (_, turn) in zip(read, both, strict=True)
        ),
        "readable": fmean(read),
        "tokens": sum(each.usage.completion_tokens for each in said) / 2,
        "seconds": sum(each.latency for each in said) / 2,
    }


def _log_odds(turn: Turn, right: str | None) -> float:
    shares = find_probabilities(turn)
    if shares is None or right is None or right not in shares or len(shares) != 2:
        return float("nan")
    other = next(share for answer, share in shares.items() if answer != right)
    return float(np.log(shares[right] / other))
