"""A protocol as a script that many studies can follow at a time.

The protocol is played through once on paper, with seats that never agree: that gives every cue it can
give, with what is heard there. A protocol that ends early where seats agree is followed to its full
length, which concludes the same; one whose cues depend otherwise on what is said cannot be followed, and
neither can one that ranks three answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Expects, Review, Seat, Turn, Utterance, Verdict
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol

__all__ = ["Script", "Step", "script_of"]

_ANSWERS = 2
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A cue, with what bears on the verdict: whose verdicts are heard (by turn), what was explained.

    `own` is the turn of the seat's stance, `None` where it has none; `others` has a turn for every
    other seat with a stance, those among them that a placebo withholds. `explained` is how many answers
    it looked at when it explained them, 0 if it did not. `content` is what a private draw depends on
    besides the reviewer.
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
    """The steps of a protocol with these seats, and the protocol to ask for its conclusion.

    `comparison` is in the order in which it is shown to all; `shown` has its answers as the data do.
    """

    protocol: DiscussionProtocol
    seats: tuple[Seat, ...]
    comparison: Comparison
    shown: tuple[str, str]
    steps: tuple[Step, ...]

    @property
    def rates(self) -> bool:
        """Whether answers are rated one by one and nothing else decides."""
        kinds = {step.cue.expects for step in self.steps}
        return Expects.RATING in kinds and Expects.VERDICT not in kinds


def script_of(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    *,
    swapped: bool = False,
) -> Script:
    """The script of this protocol, as it goes for comparisons of two answers like this one.

    `swapped` shows the second answer first. Raises `ProtocolError` where it cannot be followed.
    """
    if len(comparison.answers) != _ANSWERS:
        msg = f"only comparisons of two answers can be simulated fast, not of {len(comparison.answers)}"
        raise ProtocolError(msg)
    first, second = comparison.shown
    shown = comparison.swapped() if swapped else comparison
    turns: tuple[Turn, ...] = ()
    steps: list[Step] = []
    while (cue := protocol.next_cue(seats, shown, turns)) is not None:
        if len(turns) >= _LONGEST:
            msg = f"protocol {protocol.name!r} has no end after {_LONGEST} turns"
            raise ProtocolError(msg)
        steps.append(_step(cue, seats, first, turns))
        turns += (_reply(steps[-1], comparison, len(turns)),)
    kinds = {step.cue.expects for step in steps}
    if not kinds & {Expects.VERDICT, Expects.RATING}:
        msg = f"protocol {protocol.name!r} asks for no verdict; there is nothing to simulate"
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
        steps=tuple(steps),
    )


def _step(cue: Cue, seats: Sequence[Seat], first: str, turns: tuple[Turn, ...]) -> Step:
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


def _reply(step: Step, comparison: Comparison, index: int) -> Turn:
    """A seat always chooses the answer of its own number, so that no two neighbours agree."""
    match step.cue.expects:
        case Expects.VERDICT:
            read = Review(verdict=Verdict.of(comparison.shown[step.seat % _ANSWERS]))
        case Expects.RATING:
            read = Review(score=float(step.cue.scale[1]))
        case Expects.TEXT:
            read = Review()
    return Turn(index=index, cue=step.cue, utterance=Utterance(text=""), review=read)
