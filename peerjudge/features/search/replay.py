"""The next step of a search, and its state: pure functions of the records so far.

A method is a generator that yields steps and is sent their records. Every call here runs it through
the whole history, so nothing but the history is kept, and a search that was killed continues where its
kept replies end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from peerjudge.data.experiments import SearchMethod
from peerjudge.errors import DataError
from peerjudge.features.search.board import Board, Steps, expect, identify, race
from peerjudge.features.search.grips import search_by_edits
from peerjudge.features.search.nouns import (
    Candidate,
    Evaluate,
    Evaluated,
    History,
    Propose,
    Proposed,
    Record,
    SearchOptions,
    SearchState,
    Step,
    Target,
)
from peerjudge.features.search.opro import search_by_proposals
from peerjudge.features.search.texts import find_text_fault

__all__ = ["next_step", "read_state"]

_METHODS: Mapping[SearchMethod, Callable[[SearchOptions, int, Board], Steps]] = MappingProxyType(
    {"grips": search_by_edits, "opro": search_by_proposals}
)


def next_step(history: History, options: SearchOptions, draw: int) -> Step | None:
    """Return the next step of a search; `None` at its end.

    Args:
        history: the records of all steps so far, in order.
        options: the declaration of the search.
        draw: seed of all random choices.

    Raises:
        DataError: a record does not answer its step.
    """
    return _replay(history, options, draw)[0]


def read_state(history: History, options: SearchOptions, draw: int) -> SearchState:
    """Return the state of a search after its history; see `next_step` for the arguments."""
    step, board = _replay(history, options, draw)
    return board.describe(finished=step is None)


def _replay(history: History, options: SearchOptions, draw: int) -> tuple[Step | None, Board]:
    board = Board(options)
    method = _search(options, draw, board)
    step: Step | None = next(method)
    for number, record in enumerate(history, 1):
        if step is None:
            msg = f"the search ended after {number - 1} records, and there are {len(history)}"
            raise DataError(msg)
        _check_record(record, step, number)
        try:
            step = method.send(record)
        except StopIteration:
            step = None
    return step, board


def _search(options: SearchOptions, draw: int, board: Board) -> Steps:
    """Evaluate the base, then the given texts, then search by the method."""
    step = Evaluate(step=0, candidates=(board.base,), questions=options.questions)
    record = expect((yield step), Evaluated)
    if record.results[0].refused:
        msg = f"the base cannot be played: {record.results[0].refused}"
        raise DataError(msg)
    board.book(record.results)
    given = [_build_given(target, options, board) for target in options.given]
    valid = [one for one in given if one and one.valid]
    yield from race(board, valid, options=options, step=0)
    board.promote(valid)
    yield from _METHODS[options.method](options, draw, board)


def _build_given(given: Target, options: SearchOptions, board: Board) -> Candidate | None:
    """Build and keep the candidate of a given text; `None` where an equal one is there."""
    target = next((one for one in options.targets if one.name == given.name), None)
    if target is None:
        known = ", ".join(one.name for one in options.targets)
        msg = f"a given text is for {given.name!r}, which is no target; the targets are {known}"
        raise DataError(msg)
    texts = {**board.base.texts, given.name: given.text}
    if board.knows(texts):
        return None
    why = find_text_fault(given.text, target=target, options=options)
    candidate = Candidate(
        id=identify(texts, "given" if why else ""),
        texts=texts,
        parent=board.base.id,
        origin="given",
        target=given.name,
        change="given",
        valid=not why,
        why=why,
    )
    board.add(candidate)
    return candidate


def _check_record(record: Record, step: Step, number: int) -> None:
    """Raise `DataError` unless the record answers the step."""
    match step, record:
        case Propose(), Proposed():
            wanted, found = (
                [request.id for request in step.requests],
                [reply.id for reply in record.replies],
            )
        case Evaluate(), Evaluated():
            wanted = [candidate.id for candidate in step.candidates]
            found = [one.candidate for one in record.results]
        case _:
            wanted, found = [type(step).__name__], [type(record).__name__]
    if wanted != found:
        msg = (
            f"record {number} of the search answers {found}, and step {step.step} asks for {wanted}"
        )
        raise DataError(msg)
    if isinstance(step, Evaluate) and isinstance(record, Evaluated):
        for result in record.results:
            _check_scores(result.scores, step, refused=bool(result.refused), number=number)


def _check_scores(
    scores: Mapping[str, float], step: Evaluate, *, refused: bool, number: int
) -> None:
    asked = frozenset(() if refused else step.questions)
    if frozenset(scores) != asked:
        missing, extra = sorted(asked - scores.keys()), sorted(scores.keys() - asked)
        msg = (
            f"record {number} of the search lacks the scores of {missing[:3]} and has those of "
            f"{extra[:3]}; it needs one for each of {len(asked)} questions"
        )
        raise DataError(msg)
    for question, score in scores.items():
        if not 0.0 <= score <= 1.0:
            msg = (
                f"record {number} of the search scores {question!r} {score}; scores are from 0 to 1"
            )
            raise DataError(msg)
