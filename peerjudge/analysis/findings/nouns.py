"""What a run found, as frozen numbers: everything that tables, figures and the JSON file say."""

from __future__ import annotations

from collections.abc import Mapping

from peerjudge.analysis.accuracy import Accuracy
from peerjudge.analysis.findings.courses import Course
from peerjudge.analysis.stances import Stances
from peerjudge.data import EventKind, Measurement, Noun, Outcome, Ranking, Role
from peerjudge.tracker import NoEventReason

__all__ = [
    "CONTRADICTED",
    "AgainstVote",
    "Agreement",
    "ConditionFindings",
    "Consistency",
    "Effort",
    "Findings",
    "GroupFindings",
    "HeadToHead",
    "PeerFindings",
    "SeatFindings",
    "Spoken",
    "Trajectory",
]

CONTRADICTED = (EventKind.HELD, EventKind.ALTERED, EventKind.SHIFTED)
"""The kinds of event of a seat that had heard a stance other than its own."""


class Effort(Noun, frozen=True, kw_only=True):
    """How much was played. Discussions count as done, failed, or unfinished; the rest is sums.

    `calls` counts attempts that were paid for, `cached` the replies that cost nothing. Tokens are
    those of all turns, cached ones included; `estimated` says that some were not counted by a server.
    """

    done: int
    failed: int
    unfinished: int
    comparisons: int
    turns: int
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    estimated: bool

    @property
    def discussions(self) -> int:
        """Done, failed and unfinished together."""
        return self.done + self.failed + self.unfinished


class Spoken(Noun, frozen=True, kw_only=True):
    """What was said, and what saying it took.

    Replies are `paid` (a model that reported or was counted tokens), `simulated`, `cached` (at hand
    from an earlier call) or none of these: recordings, people and functions. `retries` counts the
    calls that had to be made again. `prompt_tokens` and `completion_tokens` are those of paid
    replies, `other_tokens` all of the rest. `latency` is in seconds, summed over the paid.
    """

    replies: int = 0
    paid: int = 0
    simulated: int = 0
    cached: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    other_tokens: int = 0
    latency: float = 0.0

    def __add__(self, other: Spoken) -> Spoken:
        return Spoken(
            replies=self.replies + other.replies,
            paid=self.paid + other.paid,
            simulated=self.simulated + other.simulated,
            cached=self.cached + other.cached,
            retries=self.retries + other.retries,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            other_tokens=self.other_tokens + other.other_tokens,
            latency=self.latency + other.latency,
        )


class GroupFindings(Noun, frozen=True, kw_only=True):
    """Accuracy within one subset or category, before and after discussing."""

    name: str
    comparisons: int
    before: Accuracy | None
    after: Accuracy | None


class Consistency(Noun, frozen=True, kw_only=True):
    """What became of judgements that were made in both orders of the answers.

    `same` and `inconsistent` add up, with the `unreadable` (a refusal included), to `judged`.
    `rate` is the share of `same` among the readable.
    """

    judged: int
    same: int
    inconsistent: int
    unreadable: int
    rate: Measurement | None


class Agreement(Noun, frozen=True, kw_only=True):
    """The share of discussions in which all readable stances (two or more) are the same."""

    before: Measurement | None
    after: Measurement | None


class SeatFindings(Noun, frozen=True, kw_only=True):
    """One reviewer in one role (`None`: in all of them): where it began, where it ended, and between.

    `first_before` and `first_after` are the shares of its choices that name the first-shown answer.
    `altered` is the share of `ALTERED` among the events in which it was contradicted;
    `towards_gold` and `away_from_gold` count its moves by direction, whatever their kind.
    """

    reviewer: str
    role: Role | None
    discussions: int
    before: Accuracy | None
    after: Accuracy | None
    first_before: Measurement | None
    first_after: Measurement | None
    events: Mapping[EventKind, int]
    no_events: Mapping[NoEventReason, int]
    altered: Measurement | None
    towards_gold: int
    away_from_gold: int

    @property
    def contradicted(self) -> int:
        """How often it gave a verdict after hearing one that disagreed with it."""
        return sum(self.events[kind] for kind in CONTRADICTED)


class ConditionFindings(Noun, frozen=True, kw_only=True):
    """One condition of the experiment.

    `before` is the accuracy of the private stances, one per seat and discussion; `after` that of
    the concluded verdicts; `gain` the mean difference within discussions where both are readable.
    A lone judge has no before and no gain. `outcomes` counts the concluded verdicts.
    """

    name: str
    protocol: str
    seats: int
    reviewers: tuple[str, ...]
    effort: Effort
    outcomes: Mapping[Outcome, int]
    before: Accuracy | None
    after: Accuracy | None
    gain: Measurement | None
    subsets: tuple[GroupFindings, ...]
    categories: tuple[GroupFindings, ...]
    first_before: Measurement | None
    first_after: Measurement | None
    consistency_before: Consistency
    consistency_after: Consistency
    agreement: Agreement
    by_seat: tuple[SeatFindings, ...]

    @property
    def discusses(self) -> bool:
        """Whether anybody in this condition could hear anybody else."""
        return any(sum(s.events.values()) + sum(s.no_events.values()) for s in self.by_seat)


class AgainstVote(Noun, frozen=True, kw_only=True):
    """A condition against the vote on the comparisons that both judged.

    `difference` is the mean over comparisons of its accuracy minus the vote's. An even panel that
    splits votes a tie, which gold seldom is, so `ties_as_half` counts a tie as half right where gold
    is a choice. `same_reviewers` says whether the two were seated with the same reviewers. Turns are
    means per discussion.
    """

    condition: str
    vote: str
    same_reviewers: bool
    comparisons: int
    difference: Measurement | None
    ties_as_half: Measurement | None
    turns: float
    vote_turns: float


class HeadToHead(Noun, frozen=True, kw_only=True):
    """Who won how often against whom: `shares[row][column]` of the battles of the two, by weight.

    A tie is half a win for both. `None` on the diagonal and where two never met in a battle of any
    weight; `battles` counts their readable battles, whatever these weigh. `left_out` counts the
    contestants further down the ranking.
    """

    contestants: tuple[str, ...]
    shares: tuple[tuple[float | None, ...], ...]
    battles: tuple[tuple[int, ...], ...]
    left_out: int


class Trajectory(Noun, frozen=True, kw_only=True):
    """How a contestant's Elo rating grew: after so many `battles` the mean over many orders.

    `low` and `high` bound the orders. The first point is the start, before any battle.
    """

    contestant: str
    battles: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class PeerFindings(Noun, frozen=True, kw_only=True):
    """Contestants and reviewers weighed by the reviewers' private reviews.

    `equal` counts all reviewers alike; `weighted` uses the damped peer weights, `weights` has these
    with their intervals, and `prd` the weights of PRD Equation 2 (empty where they do not settle).
    A reviewer's weight is its own score as a contestant, so with fewer than two reviewers among the
    contestants there are none (`None`, empty) and `reason` says so. `outsiders` are the reviewers
    that are no contestants; they get the mean weight. `head_to_head` and `trajectories` (of the
    leading contestants) are under the peer weights where there are any.
    """

    equal: Ranking
    weighted: Ranking | None
    weights: Mapping[str, Measurement]
    prd: Mapping[str, float]
    outsiders: tuple[str, ...]
    reason: str
    head_to_head: HeadToHead
    trajectories: tuple[Trajectory, ...]


class Findings(Noun, frozen=True, kw_only=True):
    """Everything a run found. Intervals are of `level` and resample questions, drawn with `seed`.

    `simulated` is true when any turn was spoken by something other than a real model. `by_reviewer`
    and `by_seat` (per role) pool the discussions of all conditions in which somebody heard another;
    so do the counts of `stances`.
    `answers` is how many were shown side by side, `None` where that varied.
    `peers` is `None` where no two contestants met; `peers_missing` then says why. `spoken` is by
    reviewer and counts the turns of all discussions, ended or not.
    """

    seed: int
    level: float
    simulated: bool
    questions: int
    answers: int | None
    effort: Effort
    spoken: Mapping[str, Spoken]
    conditions: tuple[ConditionFindings, ...]
    by_reviewer: tuple[SeatFindings, ...]
    by_seat: tuple[SeatFindings, ...]
    stances: Stances
    courses: tuple[Course, ...]
    against_vote: tuple[AgainstVote, ...]
    peers: PeerFindings | None
    peers_missing: str
