"""Scores of samples for Inspect's scorer `precomputed_scores`, from the discussions of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TypeAlias

from peerjudge.data import Comparison, Outcome, Transcript, settle_orders
from peerjudge.errors import DataError

SampleKey: TypeAlias = tuple[str, int | None]
"""Id and epoch of a sample; without an epoch, the score applies to every epoch."""

SAMPLE_ID, EPOCH = "sample_id", "epoch"
"""Entries of a comparison's `meta` that name its sample; by default the question's id, every epoch."""

_WORTH = {Outcome.TIE: 0.5, Outcome.CHOICE: 0.0}
_QUOTED = 1000
"""Most characters of the last words of a discussion."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """One comparison of a sample: what it is worth to the contestant, NaN if not readable."""

    worth: float
    sentence: str
    discussions: tuple[str, ...]


class SampleScores:
    """Scores of one contestant's answers, sample by sample.

    A score is the share of comparisons that the answer won, a tie counting half. Comparisons whose verdict
    is inconsistent, unreadable or refused count neither way; a sample without any other one has the value
    NaN, which Inspect keeps as unscored.

    Args:
        contestant: Author of the answers that are scored.
    """

    def __init__(self, contestant: str) -> None:
        self._contestant = contestant
        self._judged: dict[SampleKey, list[_Judged]] = {}
        self._authors: set[str] = set()
        self._conditions: set[str] = set()

    def add(self, together: Sequence[Transcript]) -> None:
        """Add all discussions of one comparison under one condition.

        Raises:
            DataError: They are of a second condition, or the sample's epoch is no whole number.
        """
        if not together:
            return
        comparison, condition = together[0].comparison, together[0].condition
        self._authors |= {answer.author for answer in comparison.answers}
        mine = [one for one in comparison.answers if one.author == self._contestant]
        if len(mine) != 1 or len(comparison.answers) == 1:
            return
        self._conditions.add(condition)
        if len(self._conditions) > 1:
            names = ", ".join(map(repr, sorted(self._conditions)))
            msg = f"a sample has one score, and the run several conditions: name one by --condition: {names}"
            raise DataError(msg)
        verdict = settle_orders(together)
        worth = 1.0 if verdict.choice == mine[0].id else _WORTH.get(verdict.outcome, nan)
        others = " and ".join(
            one.author or one.id for one in comparison.answers if one.id != mine[0].id
        )
        self._judged.setdefault(_find_sample(comparison), []).append(
            _Judged(
                worth,
                f"{_name_worth(worth, verdict.outcome)} against {others}. {_quote(together)}".strip(),
                tuple(one.id for one in together),
            )
        )

    def rows(self) -> list[Mapping[str, object]]:
        """Return one record per sample: `id`, `epoch` where known, `value`, `explanation`, `metadata`.

        Raises:
            DataError: No comparison has an answer by the contestant.
        """
        if not self._judged:
            known = ", ".join(sorted(filter(None, self._authors))) or "none"
            msg = (
                f"no comparison has exactly one answer by {self._contestant!r}; choose --contestant from "
                f"the authors of the run: {known}"
            )
            raise DataError(msg)
        return [_build_row(key, judged) for key, judged in self._judged.items()]

    @property
    def unscored(self) -> int:
        """The number of samples without a readable verdict."""
        return sum(all(one.worth != one.worth for one in each) for each in self._judged.values())


def _build_row(key: SampleKey, judged: Sequence[_Judged]) -> Mapping[str, object]:
    sample, epoch = key
    read = [one.worth for one in judged if one.worth == one.worth]
    return {
        "id": sample,
        **({} if epoch is None else {"epoch": epoch}),
        "value": sum(read) / len(read) if read else nan,
        "explanation": "\n\n".join(one.sentence for one in judged),
        "metadata": {
            "comparisons": len(judged),
            "readable": len(read),
            "discussions": [discussion for one in judged for discussion in one.discussions],
        },
    }


def _find_sample(comparison: Comparison) -> SampleKey:
    sample = comparison.meta.get(SAMPLE_ID)
    epoch = comparison.meta.get(EPOCH)
    if isinstance(epoch, str) and epoch.isdecimal():
        epoch = int(epoch)
    if epoch is not None and (not isinstance(epoch, int) or isinstance(epoch, bool)):
        msg = f"comparison {comparison.id!r} has the epoch {epoch!r}; an epoch is a whole number"
        raise DataError(msg)
    return (comparison.question.id if sample is None else str(sample), epoch)


def _name_worth(worth: float, outcome: Outcome) -> str:
    return {1.0: "won", 0.5: "tied", 0.0: "lost"}.get(worth, f"unscored ({outcome})")


def _quote(together: Sequence[Transcript]) -> str:
    """Return the last words of the first discussion."""
    turns = together[0].turns
    if not turns:
        return ""
    text = turns[-1].utterance.text
    reviewer = together[0].seat(turns[-1].cue.seat).reviewer
    return f"{reviewer}: {text[:_QUOTED]}{' [...]' if len(text) > _QUOTED else ''}"
