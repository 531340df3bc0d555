"""Protocol as a script that many studies can follow at a time.

The protocol is played once without reviewers, with seats that never agree: this yields every possible
cue and what is heard there. A protocol that ends early on agreement is followed to its full length,
which concludes the same. A protocol whose cues depend on replies in another way cannot be followed, and
neither can one that ranks three answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Expects, Review, Seat, Turn, Utterance, Verdict
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol

_ANSWERS = 2
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Cue with everything that bears on the verdict: the stances heard (by turn), and explanations.

    `own` is the turn of the seat's stance, `None` without one; `others` has a turn for every other seat
    with a stance, including those that a placebo withholds. `explained` is the number of answers that it
    explained together, 0 if none. A private draw depends on the reviewer and on `content`.
    """

    cue: Cue
    seat: int
    swapped: bool
    own: int | None
    others: tuple[int, ...]
    explained: int
    first_turn: bool
    content: tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Steps of a protocol with these seats; the protocol itself gives the conclusion.

    `comparison` is in the shown order; `shown` has its answers in the order of the data. `turns` go on to
    the longest end. `starts` are the first turns of the sets, before which the protocol may end.
    """

    protocol: DiscussionProtocol
    seats: tuple[Seat, ...]
    comparison: Comparison
    shown: tuple[str, str]
    turns: tuple[Turn, ...]
    steps: tuple[Step, ...]
    starts: frozenset[int]

    @property
    def rates(self) -> bool:
        """True if ratings alone decide."""
        kinds = {step.cue.expects for step in self.steps}
        return Expects.RATING in kinds and Expects.VERDICT not in kinds


def write_script(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    *,
    swapped: bool = False,
) -> Script:
    """Write the script of a protocol for comparisons of two answers like this one.

    `swapped` shows the second answer first.

    Raises:
        ProtocolError: the protocol cannot be followed, or the comparison has other than two answers.
    """
    if len(comparison.answers) != _ANSWERS:
        msg = f"only comparisons of two answers can be simulated fast, not of {len(comparison.answers)}"
        raise ProtocolError(msg)
    first, second = comparison.shown
    shown = comparison.swapped() if swapped else comparison
    turns: tuple[Turn, ...] = ()
    steps: list[Step] = []
    starts: set[int] = set()
    while cues := protocol.next_cues(seats, shown, turns):
        if len(turns) + len(cues) > _LONGEST:
            msg = f"protocol {protocol.name!r} does not end within {_LONGEST} turns"
            raise ProtocolError(msg)
        starts.add(len(turns))
        for cue in cues:
            steps.append(_write_step(cue, seats, first, turns))
            turns += (_disagree(steps[-1], comparison, len(turns)),)
    kinds = {step.cue.expects for step in steps}
    if not kinds & {Expects.VERDICT, Expects.RATING}:
        msg = f"protocol {protocol.name!r} expects no verdict; there is nothing to simulate"
        raise ProtocolError(msg)
    if {Expects.VERDICT, Expects.RATING} <= kinds:
        msg = (
            f"protocol {protocol.name!r} mixes ratings and verdicts, which cannot be simulated fast"
        )
        raise ProtocolError(msg)
    return Script(
        protocol=protocol,
        seats=seats,
        comparison=shown,
        shown=(first, second),
        turns=turns,
        steps=tuple(steps),
        starts=frozenset(starts),
    )


def _write_step(cue: Cue, seats: Sequence[Seat], first: str, turns: tuple[Turn, ...]) -> Step:
    heard = [turns[index] for index in cue.hears]
    told = [turns[index] for index in sorted((*cue.hears, *cue.withheld))]
    stances = {turn.cue.seat: turn.index for turn in told if turn.review.verdict is not None}
    own = stances.pop(cue.seat, None)
    mine = [turn for turn in heard if turn.cue.seat == cue.seat]
    explained = [len(turn.cue.sees) for turn in mine if turn.cue.expects is Expects.TEXT]
    return Step(
        cue=cue,
        seat=[seat.id for seat in seats].index(cue.seat),
        swapped=cue.sees[:1] != (first,),
        own=own,
        others=tuple(stances.values()),
        explained=max(explained, default=0),
        first_turn=all(turn.cue.private for turn in mine),
        content=(
            cue.task,
            cue.sees,
            cue.ties,
            tuple((turn.cue.task, turn.cue.sees) for turn in heard),
        ),
    )


def _disagree(step: Step, comparison: Comparison, index: int) -> Turn:
    """Reply with the answer of the seat's own number, so that no two neighbours agree."""
    match step.cue.expects:
        case Expects.VERDICT:
            read = Review(verdict=Verdict.of(comparison.shown[step.seat % _ANSWERS]))
        case Expects.RATING:
            read = Review(score=float(step.cue.scale[1]))
        case Expects.TEXT:
            read = Review()
    return Turn(index=index, cue=step.cue, utterance=Utterance(text=""), review=read)
