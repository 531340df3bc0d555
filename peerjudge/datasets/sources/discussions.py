"""Discussions that were held elsewhere: the turns of speakers on answers to a question, as transcripts.

Rows (JSON Lines or one JSON list) have the columns of a table of comparisons (`question`, `answers` or
`answer_a`, `answer_b`, and optionally `id`, `gold`, `category`, `subset`, authors), and:

* `turns` (or `messages`): a list of objects with `speaker` and `text`, and optionally `verdict`, `private`,
  `hears`, `model`.
* `verdict` of a turn is the id, letter or number of the better answer, `tie`, `unreadable`, or `none` where
  the turn gives no verdict. Without it, the reader of replies reads the text. In place of such turns, there
  can be messages of a chat (`role`, `name`, `content`), or of AutoGen (`source`, `content`), or the saved
  state of a team of AutoGen; messages of the system and the user are the task, and left out.
* `hears` lists the numbers of the earlier turns that the speaker knew, from 0. Without it a private turn
  knew none, and any other turn all before it.
* `verdict` of the row is the conclusion. Without it, that is the last readable verdict of one or two
  speakers, and the majority of the last verdicts of more.
* `condition` and `protocol` name what was done (`imported` without them); `leader` names the speaker that
  leads a discussion of two, else the first to speak in public; `simulated` is true where no model spoke.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from peerjudge.data import (
    Comparison,
    Cue,
    Dataset,
    Expects,
    Review,
    Role,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Utterance,
    Verdict,
    content_hash,
    replace,
)
from peerjudge.datasets.chats import list_turns
from peerjudge.datasets.codes import Codebook, check_codes
from peerjudge.datasets.formats import rename
from peerjudge.datasets.lines import ColumnsError, Row
from peerjudge.datasets.names import describe_similar
from peerjudge.datasets.rows import list_rows, take_rows
from peerjudge.datasets.source import FILE_OPTIONS, Request, Source
from peerjudge.datasets.table import read_comparison, read_verdict
from peerjudge.engine.identity import comparison_key
from peerjudge.errors import DataError
from peerjudge.protocol import settle
from peerjudge.verdicts import read_review

IMPORTED = "imported"
"""Name of a condition and of a protocol that the file does not name."""

GIVEN = "given"
"""Rule of a verdict that the file states."""

_TURNS = ("turns", "messages")
_OF_TURNS = frozenset(("speaker", "text", "private", "hears", "model"))
"""Fields that `--map` names in the turns; others are those of the row."""
_OWN = frozenset((*_TURNS, "verdict", "condition", "protocol", "leader", "simulated"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussions:
    """Discussions of a file, the number of rows left out, by reason, and notes on how it was read."""

    transcripts: tuple[Transcript, ...]
    left_out: Mapping[str, int]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Reads rows as transcripts; numbers those with equal comparison and speakers as repetitions."""

    codebook: Codebook
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    found: list[Transcript] = field(default_factory=list[Transcript])
    repeated: Counter[str] = field(default_factory=Counter[str])
    said: Counter[str] = field(default_factory=Counter[str])
    named: dict[str, tuple[str, Row]] = field(default_factory=dict[str, tuple[str, Row]])

    def read(self, row: Row) -> None:
        """Add the discussion of a row; raises `DataError` for a row that is none."""
        _require_question(row)
        comparison = self._read_comparison(row)
        key = next((key for key in _TURNS if key in row.fields), "turns")
        listed = [rename(self.names, one) for one in row.parts(key)] if self.names else None
        source = (
            row
            if listed is None
            else row.enter({**row.fields, key: [dict(each.fields) for each in listed]})
        )
        turns = list_turns(source, key, self.codebook.left_out)
        seats = _seat(row, turns)
        said = list[Turn]()
        for number, turn in enumerate(turns):
            simulated = row.flag("simulated")
            said.append(_read_turn(turn, number, comparison, self.codebook, simulated=simulated))
        condition = row.label("condition") or IMPORTED
        head = [comparison_key(comparison), condition, [[seat.id, seat.role] for seat in seats]]
        repetition = self.repeated[content_hash(*head)]
        self.repeated[content_hash(*head)] += 1
        words = [[turn.cue.seat, turn.utterance.text, str(turn.review.verdict)] for turn in said]
        self.said[content_hash(*head, words)] += 1
        self.found.append(
            Transcript(
                id=content_hash(*head, words, repetition),
                comparison=comparison,
                protocol=row.label("protocol") or IMPORTED,
                seats=seats,
                turns=tuple(said),
                stop=StopReason.COMPLETE,
                verdict=self._conclude(row, comparison, seats, tuple(said)),
                condition=condition,
                repetition=repetition,
            )
        )

    def _read_comparison(self, row: Row) -> Comparison:
        fields = {key: value for key, value in row.fields.items() if key not in _OWN}
        comparison = read_comparison(row.enter(fields), self.codebook)
        content = [comparison.question.text, *sorted(answer.text for answer in comparison.answers)]
        key = content_hash(*content)
        if not row.label("id"):
            comparison = replace(comparison, id=f"c-{key[:12]}")
        known, first = self.named.setdefault(comparison.id, (key, row))
        if known != key:
            msg = (
                f"id {comparison.id!r} has another question or other answers on {first.describe(row)}; "
                "give each comparison an id of its own"
            )
            raise row.error(msg)
        return comparison

    def _conclude(
        self, row: Row, comparison: Comparison, seats: tuple[Seat, ...], turns: tuple[Turn, ...]
    ) -> Verdict:
        stated = _read_stated(row, comparison, self.codebook)
        return stated or settle(seats, turns, "last" if len(seats) < 3 else "majority")


def read_discussions(request: Request) -> Discussions:
    """Return the discussions of the request's files, in their order.

    Raises:
        DataError: with file, line and path of keys, for rows that are no discussions; or there are none.
    """
    named = request.options.names
    reader = _Reader(
        codebook=Codebook(check_codes(request.options.codes)),
        names={field: column for field, column in named.items() if field in _OF_TURNS},
    )
    rest = {field: column for field, column in named.items() if field not in _OF_TURNS}
    mapped = dataclasses.replace(request, options=dataclasses.replace(request.options, names=rest))
    left_out = take_rows(partial(list_rows, mapped), reader.read, request.options)
    left_out = {**left_out, **reader.codebook.left_out}
    if not reader.found:
        msg = f"{request.path} holds no discussion"
        raise DataError(msg)
    reader.codebook.check()
    speakers = {seat.reviewer for each in reader.found for seat in each.seats}
    again = reader.said.total() - len(reader.said)
    repeated = (
        f"{again} of {len(reader.found)} discussions have the turns of an earlier one; each counts"
    )
    notes = (
        *reader.codebook.describe(),
        repeated if again else "",
        describe_similar("speakers", speakers),
    )
    return Discussions(
        transcripts=tuple(reader.found), left_out=left_out, notes=tuple(filter(None, notes))
    )


def _require_question(row: Row) -> None:
    """Raise `DataError` for a chat or a saved team alone, which do not say what was judged."""
    if "question" not in row.fields and ("agent_states" in row.fields or "messages" in row.fields):
        what = "saved team of AutoGen" if "agent_states" in row.fields else "chat"
        msg = (
            f"this {what} does not say which answers were judged; give one object for each discussion, with "
            "'question', 'answer_a', 'answer_b' and this as 'turns'"
        )
        raise ColumnsError(str(row.error(msg)))


def _seat(row: Row, turns: list[Row]) -> tuple[Seat, ...]:
    """Return the seats: of two speakers the leader first, else in the order in which they speak."""
    names = list(dict.fromkeys(_read_speaker(turn) for turn in turns))
    public = [_read_speaker(turn) for turn in turns if not turn.flag("private")]
    leader = row.label("leader") or (public or names)[0]
    if leader not in names:
        msg = f"'leader' is {leader!r}, who says nothing; speakers are {', '.join(names)}"
        raise row.error(msg)
    if len(names) == 2:
        names.sort(key=lambda name: name != leader)
    return tuple(
        Seat(id=name, reviewer=name, role=role)
        for name, role in zip(names, Role.of_seats(len(names)), strict=True)
    )


def _read_speaker(turn: Row) -> str:
    name = turn.label("speaker")
    if not name:
        msg = f"no 'speaker'; name who says it (found {sorted(turn.fields)})"
        raise turn.error(msg)
    return name


def _read_turn(
    row: Row, number: int, comparison: Comparison, codebook: Codebook, *, simulated: bool
) -> Turn:
    private = row.flag("private")
    silent = row.label("verdict").lower() == "none"
    stated = None if silent else _read_stated(row, comparison, codebook)
    expects = Expects.TEXT if silent else Expects.VERDICT
    cue = Cue(
        seat=_read_speaker(row),
        task=IMPORTED,
        sees=comparison.shown,
        hears=_read_hears(row, number, private=private),
        expects=expects,
        private=private,
        ties=True,
    )
    said = Utterance(text=row.text("text"), model=row.label("model"), simulated=simulated)
    if expects is Expects.TEXT:
        review = Review()
    elif stated:
        review = Review(verdict=stated, rule=GIVEN)
    else:
        review = read_review(said.text, cue=cue, comparison=comparison)
    return Turn(index=number, cue=cue, utterance=said, review=review)


def _read_hears(row: Row, number: int, *, private: bool) -> tuple[int, ...]:
    heard = row.fields.get("hears")
    if heard is None:
        return () if private else tuple(range(number))
    listed = cast("list[object]", heard) if isinstance(heard, list) else [heard]
    if not all(type(one) is int and 0 <= one < number for one in listed):
        msg = f"'hears' lists numbers of earlier turns, from 0 to {number - 1}, not {heard!r:.60}"
        raise row.error(msg)
    return tuple(sorted({int(cast("int", one)) for one in listed}))


def _read_stated(row: Row, comparison: Comparison, codebook: Codebook) -> Verdict | None:
    answers = [comparison.answer(key) for key in comparison.shown]
    return read_verdict(row, "verdict", answers, codebook, "unreadable")


def list_comparisons(discussions: Discussions) -> Iterator[Comparison]:
    """Yield the comparisons that were discussed, each once."""
    seen: set[str] = set()
    for transcript in discussions.transcripts:
        if transcript.comparison.id not in seen:
            seen.add(transcript.comparison.id)
            yield transcript.comparison


def _read(request: Request) -> Dataset:
    discussions = read_discussions(request)
    return Dataset(
        name=request.path.name,
        description=f"comparisons discussed in {request.path.name}",
        comparisons=tuple(list_comparisons(discussions)),
        left_out=discussions.left_out,
        notes=discussions.notes,
    )


SOURCE = Source(
    description="discussions held elsewhere: question, answers, turns (speaker, text, verdict)",
    read=_read,
    options=FILE_OPTIONS | {"codes"},
    keys=(
        frozenset(("question", "answers", "turns")),
        frozenset(("question", "answer_a", "answer_b", "turns")),
        frozenset(("question", "answers", "messages")),
        frozenset(("question", "answer_a", "answer_b", "messages")),
        frozenset(("type", "agent_states")),
        frozenset(("messages",)),
    ),
)
