"""Cost of the discussions of a run: turns, calls and tokens, by condition and by reviewer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from peerjudge.analysis.ballots import Ballots, Bools
from peerjudge.analysis.grouping import list_distinct
from peerjudge.data import Noun, Seat, Transcript, Utterance
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
    summed over the paid replies.
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

    @property
    def uncounted(self) -> int:
        """The replies without tokens: of people, recordings, and own code that reports none."""
        return self.replies - self.paid - self.simulated - self.cached

    def __add__(self, other: Spoken) -> Spoken:
        return Spoken(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        )


_SUMS = 11


class EffortCollector:
    """Sums up calls and tokens of discussions, one discussion at a time."""

    def __init__(self) -> None:
        self._sums: defaultdict[str, list[int]] = defaultdict(lambda: [0] * _SUMS)
        self._spoken: defaultdict[str, Spoken] = defaultdict(Spoken)

    def add(self, transcript: Transcript) -> None:
        """Add a discussion, ended or not."""
        sums = self._sums[transcript.condition]
        by_seat: dict[str, list[Utterance]] = {seat.id: [] for seat in transcript.seats}
        for turn in transcript.turns:
            by_seat[turn.cue.seat].append(turn.utterance)
            _add_reply(sums, turn.utterance)
            if turn.asked is not None:
                by_seat[turn.cue.seat].append(turn.asked)
                _add_reply(sums, turn.asked)
                sums[8] += 1
                sums[9] += turn.review.rule.startswith(ASKED)
        for seat in transcript.seats:
            self._spoken[seat.reviewer] += _sum_replies(by_seat[seat.id])
        if transcript.reread is not None:
            self._add_rereadings(transcript, transcript.reread)

    def _add_rereadings(self, transcript: Transcript, second: Seat) -> None:
        """Add the calls of the second model, and the verdicts that it found."""
        sums = self._sums[transcript.condition]
        said = [(turn.reread, turn.review.verdict) for turn in transcript.turns if turn.reread]
        for reply, verdict in said:
            _add_reply(sums, reply)
            sums[6] += 1
            sums[7] += verdict is not None and verdict.readable
        self._spoken[second.reviewer] += _sum_replies([reply for reply, _ in said])

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
        sums: Sequence[int] = [
            sum(column) for column in zip(*(self._sums[name] for name in conditions), strict=True)
        ] or [0] * _SUMS
        done, failed = (
            int((flag & chosen).sum()) for flag in (discussions.complete, discussions.failed)
        )
        return Effort(
            done=done,
            failed=failed,
            unfinished=int(chosen.sum()) - done - failed,
            comparisons=len(list_distinct(discussions.comparison[chosen])),
            turns=int(discussions.turns[chosen].sum()),
            calls=sums[0],
            cached=sums[1],
            prompt_tokens=sums[2],
            completion_tokens=sums[3],
            estimated=bool(sums[4]),
            thinking_tokens=sums[5],
            reread=sums[6],
            reread_verdicts=sums[7],
            asked=sums[8],
            asked_verdicts=sums[9],
            uncounted=sums[10],
        )


def _add_reply(sums: list[int], said: Utterance) -> None:
    added = (
        0 if said.cached else said.attempts,
        said.cached,
        said.usage.prompt_tokens,
        said.usage.completion_tokens,
        said.usage.estimated,
        said.usage.thinking_tokens,
    )
    for place, value in enumerate(added):
        sums[place] += value
    sums[10] += not (said.simulated or said.cached or _tokens(said))


def _sum_replies(utterances: Sequence[Utterance]) -> Spoken:
    others = [said for said in utterances if said.simulated or said.cached or not _tokens(said)]
    paid = [said for said in utterances if not (said.simulated or said.cached) and _tokens(said)]
    return Spoken(
        replies=len(utterances),
        paid=len(paid),
        simulated=sum(said.simulated for said in others),
        cached=sum(said.cached and not said.simulated for said in others),
        retries=sum(said.attempts - 1 for said in paid),
        prompt_tokens=sum(said.usage.prompt_tokens for said in paid),
        completion_tokens=sum(said.usage.completion_tokens for said in paid),
        other_tokens=sum(map(_tokens, others)),
        thinking_tokens=sum(said.usage.thinking_tokens for said in paid),
        latency=sum(said.latency for said in paid),
    )


def _tokens(said: Utterance) -> int:
    return said.usage.prompt_tokens + said.usage.completion_tokens
