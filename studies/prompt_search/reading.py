"""Reading of the published searches: everything is computed from their records and discussions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from peerjudge.data import Measurement, Objective, Transcript, from_plain
from peerjudge.data.texts import TextReply
from peerjudge.features.search.adoption import adopt, choose_finalists
from peerjudge.features.search.nouns import (
    Adoption,
    Candidate,
    History,
    Proposed,
    SearchState,
    Splits,
)
from peerjudge.features.search.objectives import Scored, score_transcripts
from peerjudge.runs.transcript_files import read_transcript_file
from peerjudge.statistics.interval import DIFFERENCE, measure_mean

MANIFEST, TRANSCRIPTS, REPORT = "manifest.json", "transcripts.jsonl.gz", "report.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSearch:
    """One search: its candidates and records; scores come from the discussions."""

    method: str
    temperature: float
    objective: Objective
    state: SearchState
    splits: Splits
    replies: tuple[TextReply, ...]
    adoption: Adoption
    transcripts: Sequence[Transcript]
    result: Mapping[str, Any]

    @property
    def base(self) -> Candidate:
        """The unchanged texts."""
        return self.state.candidates[0]

    def score(self, candidate: str, questions: Iterable[str]) -> Scored:
        """Return the scores of a candidate on these questions, from its discussions."""
        asked = set(questions)
        own = [
            one
            for one in self.transcripts
            if one.condition == candidate and one.comparison.question.id in asked
        ]
        return score_transcripts(own, objective=self.objective, questions=sorted(asked))

    def compare(self, candidate: str, questions: Sequence[str]) -> Measurement:
        """Return the mean paired difference from the base, with questions as the unit."""
        ours, theirs = self.score(candidate, questions), self.score(self.base.id, questions)
        differences = [ours.scores[one] - theirs.scores[one] for one in questions]
        return measure_differences(differences, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """The searches with the facts about the model that they share."""

    manifest: Mapping[str, Any]
    searches: tuple[PublishedSearch, ...]


def measure_differences(differences: Sequence[float], level: float) -> Measurement:
    """Return the mean of paired differences of scores, one per question, with its interval."""
    return measure_mean(differences, np.arange(len(differences)), limits=DIFFERENCE, level=level)


def read_searches(target: Path) -> Publication:
    """Return the published searches.

    Raises:
        OSError: there is no publication.
    """
    manifest = cast("Mapping[str, Any]", json.loads((target / "manifest.json").read_text("utf-8")))
    transcripts = tuple(read_transcript_file(target / TRANSCRIPTS))
    return Publication(
        manifest=manifest,
        searches=tuple(_build(kept, transcripts) for kept in manifest["searches"].values()),
    )


def _build(kept: Mapping[str, Any], transcripts: Sequence[Transcript]) -> PublishedSearch:
    history = from_plain(History, kept["records"])
    state = from_plain(SearchState, kept["state"])
    splits = from_plain(Splits, kept["splits"])
    finalists = choose_finalists(state, questions=splits.search)
    return PublishedSearch(
        method=kept["search"]["method"],
        temperature=kept["temperature"],
        objective=kept["search"]["objective"],
        state=state,
        splits=splits,
        replies=tuple(
            reply for record in history if isinstance(record, Proposed) for reply in record.replies
        ),
        adoption=adopt(
            state.candidates[0],
            finalists,
            {name: scored["scores"] for name, scored in kept["select"].items()},
            measure=measure_differences,
        ),
        transcripts=transcripts,
        result=kept["result"],
    )
