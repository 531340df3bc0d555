"""Verdicts stated in prose: what a sentence chooses, calls better, praises or calls equal.

A statement has a strength. `DECIDED` are conclusions ("I choose 2", "Therefore, Output (a) is
better"), of which the last one holds. `CALLED` are plain judgements ("Answer 1 is better") and
`PRAISED` comparisons of one quality ("Answer 1 is more detailed"), which hold only where all agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from peerjudge.verdicts.contexts import Context
from peerjudge.verdicts.names import code_of
from peerjudge.verdicts.phrases import (
    ANSWER_IS_CODE,
    BRACKETED,
    CHOOSES,
    CHOOSES_CODE,
    CODE_IS_BETTER,
    DECLARES,
    DECLARES_CODE,
    EDGE,
    EQUAL,
    GIVES,
    IS_BETTER,
    IS_LESS,
    IS_MORE,
    JOINED_AFTER,
    JOINED_BEFORE,
    NAMES,
    OPINED,
    OPINES,
    QUALIFIED,
    REACH,
    UNDECIDED,
    has_choice,
    has_cue,
)
from peerjudge.verdicts.readings import CONTRADICTION, TIE_CODE

__all__ = ["CALLED", "DECIDED", "PRAISED", "Statement", "statements", "unanimous"]

PRAISED, CALLED, DECIDED = 1, 2, 3

Statement = tuple[int, int]
"""A strength and a verdict code."""

_Found = tuple[int, int, int, int]
"""Where in the sentence a statement begins and where it names its answer; its strength; its code."""


_JOINS = (" and ", " or ", " nor ", "& ", "/ ")
_COPULAS = (" is", " be", ":", " goes to", " remains", " stays")


def statements(sentence: str, *, final: bool = False) -> list[Statement]:
    """What a sentence states about which answer is better, in the order of its words.

    "The answer is 2" may be about the matter itself and counts only in the `final` sentence.
    """
    if not has_cue(sentence) or sentence.endswith("?"):
        return []
    found = [*_about_names(sentence), *_about_codes(sentence, final=final), *_about_all(sentence)]
    if not found:
        return []
    found.sort()
    context = Context.of(sentence)
    return [
        (min(strength + context.concludes(begin), DECIDED), code)
        for begin, at, strength, code in found
        if not context.disowned(begin, at) and (strength == DECIDED or not context.conceded(at))
    ]


def unanimous(codes: Iterable[int]) -> int | None:
    """The code that all say, `CONTRADICTION` if they differ, `None` if there are none."""
    said = set(codes)
    if len(said) > 1:
        return CONTRADICTION
    return said.pop() if said else None


def _about_names(sentence: str) -> Iterator[_Found]:
    previous = 0
    for name in NAMES.finditer(sentence):
        start, end = name.span()
        ahead = sentence[max(0, start - REACH) : start]
        before = sentence[max(previous, start - REACH) : start]
        if not ahead.endswith("from "):
            previous = end
        code = code_of(name[0])
        if code is None or _not_alone(sentence, ahead, end):
            continue
        strength, words = _spoken_for(sentence, before, end)
        if strength:
            yield start - words, start, strength, code
        elif less := IS_LESS.match(sentence, end):
            other = code_of(less[1])
            if other is not None and other != code:
                yield start, start, PRAISED, other


def _not_alone(sentence: str, ahead: str, end: int) -> bool:
    """Whether the name is one of several in a row, or what is said of it is taken back at once."""
    after = JOINED_AFTER.match(sentence, end) or QUALIFIED.match(sentence, end)
    joined = ahead.endswith(_JOINS) and JOINED_BEFORE.search(ahead[-60:])
    return bool(after or joined)


def _spoken_for(sentence: str, before: str, end: int) -> tuple[int, int]:
    """How strongly the words around a name speak for that answer, and how far ahead they begin."""
    chooses = CHOOSES.search(before) if has_choice(before) else None
    if found := chooses or DECLARES.search(before):
        return DECIDED, len(before) - found.start()
    if found := GIVES.search(before):
        edge = found["to"] or EDGE.match(sentence, end)
        return (DECIDED, len(before) - found.start()) if edge else (0, 0)
    if IS_BETTER.match(sentence, end):
        opines = OPINES.search(before)
        return (DECIDED, len(before) - opines.start()) if opines else (CALLED, 0)
    if OPINED.match(sentence, end) and OPINES.search(before):
        return CALLED, 0
    return (PRAISED if IS_MORE.match(sentence, end) else 0), 0


def _about_codes(sentence: str, *, final: bool) -> Iterator[_Found]:
    patterns = [(CODE_IS_BETTER, CALLED)] if " better" in sentence or " best" in sentence else []
    if has_choice(sentence):
        patterns.append((CHOOSES_CODE, DECIDED))
    if any(word in sentence for word in _COPULAS):
        patterns.append((DECLARES_CODE, DECIDED))
        if final:
            patterns.append((ANSWER_IS_CODE, DECIDED))
    if "[[" in sentence and not UNDECIDED.search(sentence):
        patterns.append((BRACKETED, DECIDED))
    for pattern, strength in patterns:
        for found in pattern.finditer(sentence):
            code = code_of(found[1])
            if code is not None:
                yield found.start(), found.start(1), strength, code


def _about_all(sentence: str) -> Iterator[_Found]:
    for found in EQUAL.finditer(sentence):
        yield found.end(), found.end(), PRAISED if found["partly"] else CALLED, TIE_CODE
