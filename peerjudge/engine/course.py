"""Course of a discussion: the sets of cues that its protocol gives, and which cues can be spoken now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from peerjudge.data import (
    UNREADABLE,
    Comparison,
    Cue,
    Review,
    Seat,
    Transcript,
    Turn,
    replace,
    split_turns,
)
from peerjudge.engine.cues import next_cues
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol


def walk_sets(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
) -> Iterator[tuple[int, tuple[Cue, ...]]]:
    """Yield the first turn and the cues of each set in these turns, and of the one after them.

    The last set is not complete, or has no cues. Nothing is compared with the cues of the turns.
    """
    start = 0
    while start <= len(turns):
        cues = next_cues(protocol, seats, comparison, turns[:start])
        yield start, cues
        if not cues:
            return
        start += len(cues)


def find_waves(cues: Sequence[Cue], *, start: int, first: int) -> list[int]:
    """Return the wave of each cue of a set whose first cue is turn `start`; `first` is that of the set.

    A cue that hears nothing of its set is in the first wave, and any other one in the wave after the last
    one that it hears.
    """
    if len(cues) == 1:  # As most sets of a discussion.
        return [first]
    waves: list[int] = []
    for cue in cues:
        heard = [waves[index - start] for index in cue.hears if index >= start]
        waves.append(max(heard) + 1 if heard else first)
    return waves


def unread(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return turns as they were heard before a second model read some of them."""
    return tuple(
        turn if turn.reread is None else replace(turn, review=Review(verdict=UNREADABLE))
        for turn in turns
    )


def find_other(cues: tuple[Cue, ...], stored: Mapping[int, Turn], start: int) -> int | None:
    """Return the first stored turn of a set that has no cue there, or another one; `None` without any."""
    if not cues:
        return min((index for index in stored if index >= start), default=None)
    return next(
        (
            index
            for index, cue in enumerate(cues, start)
            if index in stored and stored[index].cue != cue
        ),
        None,
    )


class Course:
    """Cues and turns of a discussion so far; stored turns are taken up as their sets are cued.

    The protocol sees whole sets only.

    Args:
        protocol: The protocol.
        transcript: The discussion, with the turns that are stored.
    """

    def __init__(self, protocol: DiscussionProtocol, transcript: Transcript) -> None:
        self.cues: list[Cue] = []
        """Cues by turn, to the end of the set that is played."""
        self.waves: list[int] = []
        """Waves of the cues: cues of one wave are spoken at the same time."""
        self.said: dict[int, Turn] = {}
        """Turns by their numbers, also those after a missing one."""
        self._whole: tuple[Turn, ...] = ()
        self._next_wave = 0
        self._protocol = protocol
        self._transcript = transcript
        self._stored = {turn.index: turn for turn in (*transcript.turns, *transcript.ahead)}

    def list_speakable(self) -> list[int]:
        """Return the turns that can be spoken now, in order; none when the discussion is over.

        Raises:
            ProtocolError: The protocol breaks its contract, or gives another cue for a stored turn.
        """
        cues, said = self.cues, self.said
        while len(said) == len(cues):
            if not self._open_set():
                return []
        start = len(self._whole)
        if len(cues) == start + 1:  # As most sets of a discussion.
            return [start]
        return [
            index
            for index in range(start, len(cues))
            if index not in said and all(heard in said for heard in cues[index].hears)
        ]

    def split(self) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
        """Return the turns before the first missing one, and the rest, as a transcript has them."""
        return split_turns([self.said[index] for index in sorted(self.said)])

    def _open_set(self) -> bool:
        """Ask for the next set and take up its stored turns; return whether there was one."""
        start, said = len(self.cues), self.said
        self._whole += tuple([said[index] for index in range(len(self._whole), start)])
        opened = self._transcript
        cues = next_cues(self._protocol, opened.seats, opened.comparison, self._whole)
        if self._stored:
            cues = self._take_up(cues, start)
        if cues:
            waves = find_waves(cues, start=start, first=self._next_wave)
            self._next_wave = max(waves) + 1
            self.waves += waves
            self.cues += cues
        return bool(cues)

    def _take_up(self, cues: tuple[Cue, ...], start: int) -> tuple[Cue, ...]:
        """Take up the stored turns of a set, and return its cues."""
        stored = self._stored
        last = max(stored)
        other = find_other(cues, stored, start)
        if other is not None:
            opened = self._transcript
            again = next_cues(self._protocol, opened.seats, opened.comparison, unread(self._whole))
            if find_other(again, stored, start) is None:
                cues = again
            elif not any(turn.reread or turn.asked for turn in self.said.values()) or (
                opened.ahead
            ):
                msg = (
                    f"protocol {self._protocol.name!r} gives another cue for turn {other} than the "
                    f"stored one of discussion {opened.id!r}"
                )
                raise ProtocolError(msg)
            else:
                # Words were read after later turns were played, which stay as they are.
                cues = tuple(stored[index].cue for index in range(start, last + 1))
        for index in range(start, start + len(cues)):
            turn = stored.pop(index, None)
            if turn is not None:
                self.said[index] = turn
        return cues
