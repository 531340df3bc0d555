"""Verdicts stated in prose: the sentence chooses, prefers or praises an answer, or calls all equal.

A statement has a strength. `DECIDED` are conclusions ("I choose 2", "Therefore, Output (a) is
better"); the last one holds. `CALLED` are plain judgements ("Answer 1 is better") and `PRAISED`
comparisons of one quality ("Answer 1 is more detailed"); they hold only if all agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from peerjudge.verdicts.clauses import LETTERS, judges, prefers
from peerjudge.verdicts.codes import CONTRADICTION, NAME, NOUN, TIE_CODE, WORK, code_of
from peerjudge.verdicts.contexts import MINE, Context
from peerjudge.verdicts.last_words import find_worse
from peerjudge.verdicts.phrases import (
    ANSWER_IS_CODE,
    ASPECT,
    BRACKETED,
    BRACKETED_TIE,
    CHOOSES,
    CHOOSES_CODE,
    CODE_IS_BETTER,
    CONDITIONAL,
    CORRECTS,
    CORRECTS_CODE,
    DECLARES,
    DECLARES_CODE,
    DOES_MORE,
    EDGE,
    EQUAL,
    EQUALS,
    GIVES,
    IS,
    IS_BETTER,
    IS_LESS,
    IS_MORE,
    JOINED_AFTER,
    JOINED_BEFORE,
    KEEPS,
    KEPT,
    NAMES,
    NO_WINNER,
    NOT_THE_OTHER,
    OPINED,
    OPINES,
    OVERALL,
    QUALIFIED,
    RANKS,
    REACH,
    SERVED,
    TIED,
    UNDECIDED,
    UNTIED,
    contains,
    has_choice,
    has_cue,
)

_HELD = re.compile(
    r"(?i)\b(?:think|thought|believe[d]?|conclude[d]?|say|find|found|feel|felt|judge[d]?|argue"
    r"|agree|convinced(?: me| us)?|decide[d]?"
    r"|determine[d]?|clear|clearly|obvious|evident|opinion|view|conclusion|verdict|judge?ment"
    r"|fact|means?|so|sure|certain"
    r"|seems?|appears?|shows?|suggests?|suggest|indicates?|confident|consider|note|state|doubt"
    r"|true|given|see|hold|is"
    r"|admit|assume|maintain|confirm|implies|demonstrates|assessment|evaluation|analysis|reason"
    r"|apparent|likely) that $"
)
"""Before a name: the words of a reviewer who holds what follows."""
_MEASURED = re.compile(
    rf" [^,;]{{1,60}}? (?:(?:better|more \w+) than|superior to) (?![^.;]{{0,60}}?(?:{NAME}|\b[AB]\b"
    r"|\bthe (?:\w+ )?(?:other|alternative|second|first|latter|former|rest|rival|competitor)\b))"
)
"""After a name: a comparison with something that is not the other answer."""
_PART_OF = re.compile(
    rf"(?:^|[,;:] |\b(?:and|but|while|though|whereas|since|because|that|prefer|favou?r|choose|pick"
    rf"|like) )(?i:the|its) (?:[\w-]+ ){{0,2}}(?!quality"
    rf"|content|performance|substance|whole|overall|rest|work"
    rf"|{NOUN}|{WORK}|continuation|one|depth|by)\w+ (?:of|in) $"
)
_OWN_ASPECT = re.compile(
    r" (?:style|tone|approach|format|formatting|structure|opening|introduction|ending|title"
    r"|examples?|wording|brevity"
    r"|conciseness|clarity|humou?r|length)\b(?! (?:as the|(?:and \w+ )?makes? it)\b)"
)
"""After "Answer 1's": what is chosen or praised is one aspect."""

PRAISED, CALLED, DECIDED = 1, 2, 3

Statement = tuple[int, int]
"""Strength and verdict code."""

_Found = tuple[int, int, int, int]
"""Start of a statement, position of the answer's name, strength, and verdict code."""


_WORSE = (
    *(
        "weaker",
        "worse",
        "worst",
        "weakest",
        "poorer",
        "lesser",
        "inferior",
        "losing",
        "loses",
        "short",
    ),
    *("second", "trails", "lags", " by ", "match", "pales", "behind", "eclipsed"),
)
"""Words without which a sentence has no match of `find_worse`."""
_UNSAID = (0, -1)
_JOINS = (" and ", " or ", " nor ", "& ", "/ ")
_COPULAS = re.compile(r":| (?:be|goes to|remains|stays)")


def find_statements(sentence: str, *, final: bool = False) -> list[Statement]:
    """Return the statements of a sentence in order.

    "The answer is 2" may belong to the task itself and counts only in the `final` sentence.
    """
    if not has_cue(sentence) or sentence.endswith("?"):
        return []
    if "orr" in sentence or "cratch" in sentence or " mean" in sentence:
        corrected = CORRECTS.search(sentence)
        if corrected and NAMES.search(sentence, 0, corrected.start()):
            return [(DECIDED, code)] if (code := code_of(corrected[1])) is not None else []
        if replaced := CORRECTS_CODE.search(sentence):
            return [(DECIDED, code)] if (code := code_of(replaced[1])) is not None else []
    found = [*_about_names(sentence), *_about_codes(sentence, final=final), *_about_all(sentence)]
    if not found:
        return []
    found.sort()
    context = Context.find(sentence, found[-1][0])
    return [
        (min(strength + context.concludes(begin), DECIDED), code)
        for begin, at, strength, code in found
        if not context.disowned(begin, at) and (strength == DECIDED or not context.conceded(at))
    ]


def find_worse_of_two(sentence: str) -> list[Statement]:
    """Return the statements of a sentence that call one of two answers the worse, in order."""
    if not contains(sentence, _WORSE) or sentence.endswith("?"):
        return []
    found = sorted(find_worse(sentence))
    if not found:
        return []
    context = Context.find(sentence, found[-1][0])
    return [
        (min(CALLED + context.concludes(at), DECIDED), code)
        for at, code in found
        if not context.disowned(at, at) and not context.conceded(at)
    ]


def unanimous(codes: Iterable[int]) -> int | None:
    """Return the common code, `CONTRADICTION` if codes differ, `None` if there are none."""
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
        if not strength and _serves(sentence, before, ahead, end):
            strength = CALLED
        if strength:
            yield start - words, start, strength, code
        elif less := IS_LESS.match(sentence, end):
            other = code_of(less[1])
            if other is not None and other != code:
                yield start, start, PRAISED, other
        elif words >= 0 and judges(sentence) and prefers(sentence, start, end):
            yield start, start, CALLED, code
    if not previous:
        yield from _about_letters(sentence)


def _about_letters(sentence: str) -> Iterator[_Found]:
    for letter in LETTERS.finditer(sentence) if judges(sentence) else ():
        code = code_of(letter[0])
        if code is not None and prefers(sentence, *letter.span()):
            yield letter.start(), letter.start(), CALLED, code


def _serves(sentence: str, before: str, ahead: str, end: int) -> bool:
    """Return `True` if the user is better served by the answer, or it is not the other one."""
    served = "better " in before and SERVED.search(before)
    return bool(served or (IS.match(sentence, end) and NOT_THE_OTHER.search(ahead)))


def _not_alone(sentence: str, ahead: str, end: int) -> bool:
    """Return `True` if the name is one of several in a row, its choice is qualified, or it owns an aspect."""
    if sentence.startswith("'s ", end - 2) and _OWN_ASPECT.match(sentence, end):
        return True
    after = JOINED_AFTER.match(sentence, end) or QUALIFIED.match(sentence, end)
    joined = ahead.endswith(_JOINS) and JOINED_BEFORE.search(ahead[-60:])
    return bool(after or joined)


def _spoken_for(sentence: str, before: str, end: int) -> tuple[int, int]:
    """Return the strength of the words around a name, and how many characters before it they begin.

    It is `_UNSAID` if the words are about a part of the answer, a condition or another comparison.
    """
    if _elsewhere(before) or (" than " in sentence and _MEASURED.match(sentence, end)):
        return _UNSAID
    chooses = CHOOSES.search(before) if has_choice(before) else None
    if found := chooses or DECLARES.search(before):
        return DECIDED, len(before) - found.start()
    if (found := KEEPS.search(before) or OVERALL.search(before)) and KEPT.match(sentence, end):
        return DECIDED, len(before) - found.start()
    if found := GIVES.search(before):
        edge = found["to"] or EDGE.match(sentence, end)
        return (DECIDED, len(before) - found.start()) if edge else (0, 0)
    if (found := IS_BETTER.match(sentence, end)) and not ASPECT.match(sentence, found.end()):
        if " " in sentence[found.end() :] and CONDITIONAL.match(sentence, found.end()):
            return _UNSAID
        opines = OPINES.search(before)
        return (DECIDED, len(before) - opines.start()) if opines else (CALLED, 0)
    first = sentence.startswith(" first", end) and RANKS.search(before)
    if first or (OPINED.match(sentence, end) and OPINES.search(before)):
        return CALLED, 0
    more = IS_MORE.match(sentence, end) or (" than " in sentence and DOES_MORE.match(sentence, end))
    return (PRAISED if more else 0), 0


def _elsewhere(before: str) -> bool:
    """Return `True` if the words before a name are of another person, or about a part of its answer."""
    if before.endswith(" that "):
        return not (_HELD.search(before) or MINE.search(before))
    return before.endswith((" of ", " in ")) and _PART_OF.search(before) is not None


def _about_codes(sentence: str, *, final: bool) -> Iterator[_Found]:
    patterns = [(CODE_IS_BETTER, CALLED)] if " better" in sentence or " best" in sentence else []
    if has_choice(sentence):
        patterns.append((CHOOSES_CODE, DECIDED))
    if " is" in sentence or _COPULAS.search(sentence):
        patterns.append((DECLARES_CODE, DECIDED))
        if final:
            patterns.append((ANSWER_IS_CODE, DECIDED))
    for pattern, strength in patterns:
        for found in pattern.finditer(sentence):
            code = code_of(found[1])
            if code is not None:
                yield found.start(), found.start(1), strength, code
    if "[[" in sentence and not UNDECIDED.search(sentence):
        yield from _about_brackets(sentence)


def _about_brackets(sentence: str) -> Iterator[_Found]:
    for found in BRACKETED_TIE.finditer(sentence):
        yield found.start(), found.start(), DECIDED, TIE_CODE
    for found in BRACKETED.finditer(sentence):
        less = (found[2] or "").startswith("<")
        code = TIE_CODE if found[2] == "=" else code_of(found[3] if less else found[1])
        if code is not None:
            yield found.start(), found.start(1), DECIDED, code


def _about_all(sentence: str) -> Iterator[_Found]:
    if any(word in sentence for word in EQUALS):
        for found in EQUAL.finditer(sentence):
            open_ = QUALIFIED.match(sentence, found.end())
            if not open_ and not UNTIED.search(sentence, 0, found.start()):
                yield (
                    found.end(),
                    found.end(),
                    PRAISED if found["partly"] or found["merit"] else CALLED,
                    TIE_CODE,
                )
    if "equal" in sentence and (found := NO_WINNER.search(sentence)):
        yield found.start(), found.start(), CALLED, TIE_CODE
    if " a tie" in sentence or " a draw" in sentence:
        for found in TIED.finditer(sentence):
            if not UNTIED.search(sentence, 0, found.start()):
                yield found.end(), found.end(), CALLED, TIE_CODE
