"""Changes of forks: `turn.2=WORDS`, `reviewer_2=CARD`, `leader=other`, and others, applied to a head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from peerjudge.data import Condition, Experiment, Role, Seat, Transcript, replace as replace_noun
from peerjudge.errors import ExperimentError, ForkError
from peerjudge.runs.resolve import apply_settings, list_options
from peerjudge.shelf import Shelf

NO_CHANGE = "no change"
"""Name of the forks without a change: the noise floor of all others."""

_TURN = "turn."
_SEAT = "reviewer_"
_OTHER = "other"
_LONGEST = 48
"""Characters of a change in the name of its condition."""
_NO_SETTINGS = frozenset({"orders", "repetitions", "reask", "reread", "primary"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change, `key=value`; an empty `key` changes nothing.

    Attributes:
        key: Turn, seat, or setting that is changed.
        value: Words, card, or value of the setting.
        name: Short text for tables and conditions.
        edits: Words by the index of an edited turn.
    """

    key: str = ""
    value: str = ""
    name: str = NO_CHANGE
    edits: Mapping[int, str] = field(default_factory=dict[int, str])

    @property
    def text(self) -> str:
        """The whole change, empty for none."""
        return f"{self.key}={self.value}" if self.key else ""

    @property
    def card(self) -> str:
        """The card that takes a seat, empty if the change seats none."""
        return self.value if self.key.startswith(_SEAT) else ""

    @property
    def is_setting(self) -> bool:
        """Whether the change is a prompt pack or an option of the protocol."""
        return bool(self.key) and not (self.edits or self.card or (self.key in {"leader", "order"}))


def parse_changes(pairs: Sequence[str], *, at: int) -> tuple[Change, ...]:
    """Return the changes that `KEY=VALUE` texts name.

    Args:
        pairs: The texts. `@FILE` as value of `turn.N` reads the words from a file.
        at: Number of turns that forks keep; only these can be edited.

    Raises:
        ExperimentError: A text is no `KEY=VALUE`, is given twice, or edits a turn that is not kept.
    """
    changes = tuple(_parse(pair, at) for pair in pairs)
    texts = [change.text for change in changes]
    if repeated := sorted({text for text in texts if texts.count(text) > 1}):
        msg = f"the change {repeated[0]!r:.80} is given twice"
        raise ExperimentError(msg)
    return changes


def change_condition(condition: Condition, change: Change, *, name: str) -> Condition:
    """Return the condition of the forks of a condition under a change, without prompts and options."""
    seats = list(condition.seats)
    if change.card:
        seats[find_seat(change, len(seats))] = change.card
    return replace_noun(condition, name=name, seats=tuple(seats))


def change_settings(experiment: Experiment, change: Change, shelf: Shelf) -> Experiment:
    """Return the experiment with a changed setting; raises `ExperimentError` if no condition takes it."""
    if not change.is_setting:
        return experiment
    options = list_options(experiment, shelf)
    if change.key not in {"prompts", *options}:
        msg = (
            f"a fork cannot change {change.key!r}; choose turn.N, reviewer_N, leader, order, prompts, or an "
            f"option of the protocol ({', '.join(sorted(options))}). For a setting of a reviewer, write "
            "another card and seat it"
        )
        raise ExperimentError(msg)
    return apply_settings(experiment, {change.key: change.value}, shelf)


def change_seats(
    parent: Transcript, change: Change, *, seat: Seat | None
) -> tuple[tuple[Seat, ...], dict[str, str]]:
    """Return the seats of a fork, and the seat in it of each seat of its parent.

    `seat` is the one with the card of the change, if it names one. Raises `ForkError` if the change leaves
    the seats as they are, or there is no such seat.
    """
    seats = list(parent.seats)
    places = {each.id: each.id for each in seats}
    if change.key == "leader":
        if len(seats) < 2:
            msg = "it has one seat, so that no other can lead"
            raise ForkError(msg)
        first, second = seats[:2]
        places |= {first.id: second.id, second.id: first.id}
        seats[:2] = [
            replace_noun(second, id=first.id, role=first.role),
            replace_noun(first, id=second.id, role=second.role),
        ]
    if seat is not None:
        number = find_seat(change, len(seats))
        if number >= len(seats):
            msg = f"it has {len(seats)} seats, and none is {change.key}"
            raise ForkError(msg)
        if seats[number].reviewer == seat.reviewer:
            msg = f"{seat.reviewer} has this seat already"
            raise ForkError(msg)
        role = seats[number].role if len(seats) > 1 else Role.JUDGE
        seats[number] = replace_noun(seat, id=seats[number].id, role=role)
    return tuple(seats), places


def _parse(pair: str, at: int) -> Change:
    key, sign, value = pair.partition("=")
    key = key.strip()
    if not sign or not key or not value:
        msg = (
            f"--set takes KEY=VALUE, not {pair!r:.80}; a KEY is turn.N, reviewer_N, leader, order, prompts, "
            "or an option of the protocol"
        )
        raise ExperimentError(msg)
    if key in {"leader", "order"} and value != _OTHER:
        msg = f"{key} of a fork is {_OTHER}, not {value!r:.80}: discussions differ in it"
        raise ExperimentError(msg)
    if key in _NO_SETTINGS:
        msg = f"{key!r} is not a change of a discussion; run the experiment with -S {key}={value}"
        raise ExperimentError(msg)
    if not key.startswith(_TURN):
        return Change(key=key, value=value, name=_shorten(f"{key}={value}"))
    index = key.removeprefix(_TURN)
    if not index.isdecimal() or int(index) >= at:
        kept = f"turn.0 to turn.{at - 1}" if at else "none"
        msg = f"{key!r} edits no turn that is kept: --at {at} keeps {kept}"
        raise ExperimentError(msg)
    words = _read_words(value)
    return Change(key=key, value=words, name=_shorten(f"{key}={words}"), edits={int(index): words})


def _read_words(value: str) -> str:
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text("utf-8").rstrip("\n")
    except (OSError, UnicodeDecodeError) as cause:
        msg = f"cannot read the words of a turn from {value[1:]}: {cause}"
        raise ExperimentError(msg) from cause


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _LONGEST and line == text:
        return line
    mark = sha256(text.encode(errors="replace")).hexdigest()[:4]
    return f"{line[:_LONGEST]}… #{mark}"


def find_seat(change: Change, seats: int) -> int:
    """Return the place of the seat that a change names; raises `ExperimentError` for another name."""
    number = change.key.removeprefix(_SEAT)
    if not number.isdecimal() or not int(number):
        msg = (
            f"{change.key!r} is no seat; a discussion of {seats} has reviewer_1 to reviewer_{seats}"
        )
        raise ExperimentError(msg)
    return int(number) - 1
