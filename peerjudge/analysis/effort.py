"""Cost of the discussions of a run: turns, calls and tokens, by condition and by reviewer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from peerjudge.analysis.ballots import Ballots, Bools
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.pricing import Replies, Reply, list_replies
from peerjudge.data import Noun, Transcript
from peerjudge.verdicts import ASKED


class Effort(Noun, frozen=True, kw_only=True):
    """Amount of work done. Discussions are done, failed or unfinished; the rest is sums.

    `calls` counts the attempts that were paid for, `cached` the replies that cost nothing. Tokens
    are those of all turns, cached ones included; `thinking_tokens` are a part of the completion
    tokens. `estimated` is true where some were not counted by a server. `reread` replies were read by
    a second model, which found `reread_verdicts` in them; its calls and tokens are part of the sums. So are
    those of the questions for a choice: `asked` replies were followed by one, which `asked_verdicts` answer.
    `uncounted` replies have no tokens: those of people, recordings, and own code that reports none.
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
    thinking_tokens: int = 0
    reread: int = 0
    reread_verdicts: int = 0
    asked: int = 0
    asked_verdicts: int = 0
    uncounted: int = 0

    @property
    def discussions(self) -> int:
        """The number of discussions, done, failed and unfinished."""
        return self.done + self.failed + self.unfinished


class Spoken(Noun, frozen=True, kw_only=True):
    """Replies of a reviewer and their cost.

    Replies are `paid` (a model that reported tokens or had them counted), `simulated`, `cached`
    (from an earlier call) or none of these: recordings, people and functions. `retries` counts the
    repeated calls. `prompt_tokens` and `completion_tokens` are those of paid replies, `other_tokens`
    all of the rest. `thinking_tokens` are a part of the completion tokens. `latency` is in seconds,
    summed over the paid replies. `unset` counts the replies of a model that does not take the temperature.
    """

    replies: int = 0
    paid: int = 0
    simulated: int = 0
    cached: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    other_tokens: int = 0
    thinking_tokens: int = 0
    latency: float = 0.0
    unset: int = 0

    @property
    def uncounted(self) -> int:
        """The replies without tokens: of people, recordings, and own code that reports none."""
        return self.replies - self.paid - self.simulated - self.cached

    def __add__(self, other: Spoken) -> Spoken:
        return Spoken(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        )


_COUNTED = (
    *("calls", "cached", "prompt_tokens", "completion_tokens", "thinking_tokens", "uncounted"),
    *("asked", "asked_verdicts", "reread", "reread_verdicts"),
)
"""Fields of `Effort` that are sums over replies."""


class EffortCollector:
    """Sums up calls and tokens of discussions, one discussion at a time."""

    def __init__(self) -> None:
        self._sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._spoken: defaultdict[str, Spoken] = defaultdict(Spoken)

    def add(self, transcript: Transcript, *, replies: Sequence[Replies] | None = None) -> None:
        """Add a discussion, ended or not; `replies` of turns that were read without them."""
        sums, second = self._sums[transcript.condition], transcript.reread
        by_seat: dict[str, list[Reply]] = {seat.id: [] for seat in transcript.seats}
        reread: list[Reply] = []
        given = list_replies(transcript) if replies is None else replies
        unset = Counter(
            turn.cue.seat for turn in transcript.turns if "temperature" in turn.utterance.unset
        )
        for turn, told in zip(transcript.turns, given, strict=False):
            by_seat[turn.cue.seat].append(told.said)
            if told.asked is not None:
                by_seat[turn.cue.seat].append(told.asked)
                sums["asked"] += 1
                sums["asked_verdicts"] += turn.review.rule.startswith(ASKED)
            if told.reread is not None and second is not None:
                reread.append(told.reread)
                verdict = turn.review.verdict
                sums["reread"] += 1
                sums["reread_verdicts"] += verdict is not None and verdict.readable
        for seat in transcript.seats:
            self._spoken[seat.reviewer] += _sum_replies(by_seat[seat.id], unset=unset[seat.id])
        if second is not None:
            self._spoken[second.reviewer] += _sum_replies(reread)
        for reply in chain(reread, *by_seat.values()):
            usage = reply.usage
            sums["calls"] += 0 if reply.cached else reply.attempts
            sums["cached"] += reply.cached
            sums["prompt_tokens"] += usage.prompt_tokens
            sums["completion_tokens"] += usage.completion_tokens
            sums["thinking_tokens"] += usage.thinking_tokens
            sums["estimated"] += usage.estimated
            sums["uncounted"] += not (reply.simulated or reply.cached or _count_tokens(reply))

    @property
    def by_reviewer(self) -> Mapping[str, Spoken]:
        """The replies of every reviewer, in order of appearance."""
        return dict(self._spoken)

    def effort(self, ballots: Ballots, chosen: Bools, conditions: Iterable[str]) -> Effort:
        """Return the effort of these discussions.

        Args:
            ballots: of the same discussions that were added.
            chosen: by discussion whether it counts.
            conditions: the conditions of these, whose calls and tokens count.
        """
        discussions = ballots.discussions
        sums = Counter[str]()
        for name in conditions:
            sums += self._sums[name]
        done = int((discussions.complete & chosen).sum())
        failed = int((discussions.failed & chosen).sum())
        return Effort(
            done=done,
            failed=failed,
            unfinished=int(chosen.sum()) - done - failed,
            comparisons=len(list_distinct(discussions.comparison[chosen])),
            turns=int(discussions.turns[chosen].sum()),
            estimated=sums["estimated"] > 0,
            **{name: sums[name] for name in _COUNTED},
        )


def _sum_replies(replies: Sequence[Reply], *, unset: int = 0) -> Spoken:
    paid = [one for one in replies if not (one.simulated or one.cached) and _count_tokens(one)]
    usages = [one.usage for one in paid]
    return Spoken(
        replies=len(replies),
        paid=len(paid),
        simulated=sum(one.simulated for one in replies),
        cached=sum(one.cached and not one.simulated for one in replies),
        retries=sum(one.attempts - 1 for one in paid),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        other_tokens=sum(map(_count_tokens, replies)) - sum(map(_count_tokens, paid)),
        thinking_tokens=sum(usage.thinking_tokens for usage in usages),
        latency=sum(one.latency for one in paid),
        unset=unset,
    )


def _count_tokens(reply: Reply) -> int:
    return reply.usage.prompt_tokens + reply.usage.completion_tokens
