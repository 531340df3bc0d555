"""Three or more reviewers review privately, then discuss in rounds; each speaks once a round.

`order` says how: `one_by_one`, each hearing the turns before it; `at_once`, each hearing the earlier rounds;
or in a `relay`, each hearing its own words and the last turn of the seat before it. `hears` says whom.

Source: the discussion of PRD (Li, Patel and Du, "PRD: Peer Rank and Discussion Improve Large
Language Model based Evaluations", section 3.2) with more than two reviewers, in the one-by-one
order of ChatEval (Chan et al., "ChatEval: Towards Better LLM-based Evaluators through Multi-Agent
Debate"). The relay is the chain of "Scaling Large-Language-Model-based Multi-Agent Collaboration"
(Qian et al.). The majority decides unless `outcome` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import (
    LATER,
    Quorum,
    RoundOptions,
    next_discussion_cues,
    next_round_cues,
    settle,
)

SEATS = (3, None)
ANSWERS = (2, 4)


@dataclass(frozen=True, kw_only=True)
class Options(RoundOptions):
    """The options of a discussion in rounds."""

    outcome: Literal["last", "leader", "majority"] = "majority"
    order: Literal["one_by_one", "at_once", "relay"] = field(default="one_by_one", metadata=LATER)
    quorum: Quorum = field(default="one", metadata=LATER)


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return a private review of each seat, then the rounds."""
    if options.order == "at_once":
        return next_round_cues(seats, comparison, turns, options)
    length, relay = options.rounds * len(seats), options.order == "relay"
    return next_discussion_cues(seats, comparison, turns, options, length=length, relay=relay)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the majority verdict at the end, or the verdict by `options.outcome`, of a quorum."""
    return settle(seats, turns, options.outcome, options.quorum)
