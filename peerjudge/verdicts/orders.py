"""Verdicts as an order of the answers, names by reference, boxed codes, and verdicts taken back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from peerjudge.verdicts.codes import CODE, NAME, NOUN, TIE_CODE, code_of

_WHAT = (
    r"(?:(?i:(?:(?:my|final|the|overall) )*(?:ranking|verdict|order|preference|result|final|overall"
    r"|decision|choice)) ?: ?)?"
)
_ORDER = re.compile(rf"{_WHAT}({NAME}|{CODE}) ?(>{{1,3}}|<{{1,3}}|≻|≫|=) ?({NAME}|{CODE})[.!]?")
_LISTED = re.compile(
    r"(?i:(?:my |final |the |overall )*(?:ranking|order)(?: \([^()]{1,30}\))?) ?: ?"
    rf"({NAME}|{CODE})( >|,(?: then)?| then) ({NAME}|{CODE})[.!]?"
)
_RANKS = re.compile(
    rf"(?:(1st|2nd|3rd|4th|[Rr]ank [1-4]|#[1-4])|([1-4])[.)])(?: place)? ?[:-]? ?({NAME})"
    r"(?:[.!]?|(?: -|:|,| \() ?.{1,150})"
)
_RANKING = re.compile(r"(?i)\brank|\bbest (?:first|to worst)|order of preference")
_BOXED = re.compile(
    r"\$*(?:\\[\[(] ?)?\\boxed\{ ?(?:\\(?:text|textbf|mathrm)\{)?([^{}]{1,40})\}{1,2} ?(?:\\[\])])?\$*"
)
_BOX_CONTENT = re.compile(
    rf" *(?:{NAME}|{CODE}|(?i:tie)|[0-9.]{{1,4}}(?:, ?[0-9.]{{1,4}}){{1,3}}) *"
)
_NAMES = re.compile(NAME)
_ALONE = re.compile(r"(?<![\w'(])[A-E](?![\w/+'])")
_REFERENCE = re.compile(r"\b[Tt]he (former|latter)(?: (?:one|answer|response|output))?\b")
_TAKES_BACK = re.compile(
    r"(?i)(?:(?:sorry|actually|wait|no|hmm|oops)[,.!:]* ?)*(?:(?:please )?(?:scratch|disregard"
    r"|ignore|forget) that"
    r"|i (?:take|took) (?:that|it) back|i (?:mixed|got|have mixed) (?:them|it|this) (?:up|wrong"
    r"|the wrong way (?:a)?round)"
    r"|i (?:was wrong|misread (?:it|them|that)|made a mistake)|(?:on (?:second thoughts?|reflection),? )?"
    r"(?:it (?:should|must) be )?the other(?: one| answer)?(?: instead| is better)?)[.!]*"
)


_WITHDRAWS = re.compile(
    r"(?i)\bI (?:\w+ ){0,9}(?<!not )(?<!never )(?:withdraw|retract|revoke)\b"
    r"|\bI (?:\w+ )?(?:no longer|do not|don't) (?:stand by|trust|hold) (?:it|this|that|my)\b"
    r"|\b(?:ignore|disregard|forget) (?:my|this|the) (?:\w+ )?(?:choice|verdict|answer|vote)\b"
)


_SWAPPED = re.compile(
    r"(?i)\bI had (?:the (?:order|answers|labels|numbers|letters)|them|it|these)(?: of the (?:two )?answers)?"
    r" (?:\w+ )?(?:wrong|swapped|reversed|mixed up|backwards|the wrong way (?:a)?round)"
)
_GIVES_UP = re.compile(
    r"(?i)(?:(?:so|but|and|still|honestly|frankly|to be honest|in the end),? ){0,2}"
    r"(?:I (?:\w+ )?(?:cannot|can't|could not|couldn't"
    r"|am (?:unable|not able) to) (?:(?:really|honestly|yet) )?(?:decide|make up my mind|choose|pick"
    r"|tell(?: which)?|say(?: which)?)(?: (?:between )?(?:them|the two|one|a winner)| is better| yet| now)*"
    r"|I (?:really )?(?:do not|don't) know(?: which(?: one)? is better)?"
    r"|I (?:am|remain) (?:undecided|torn|on the fence))[.!]?"
)
"""Last sentence that leaves the verdict open."""


def is_order(line: str) -> bool:
    """Return `True` for a line that may end an order of the answers."""
    if any(sign in line for sign in "><=≻≫"):
        return _ORDER.fullmatch(line) is not None
    if "anking" in line or "rder" in line:
        return _LISTED.fullmatch(line) is not None
    return line[:1] in "1234Rr#" and _RANKS.fullmatch(line) is not None


def closing_order(lines: Sequence[str]) -> int | None:
    """Return the code of an order that makes up the last line ("Answer 1 > Answer 2") or closes a list.

    A list is an order if its lines are numbered as places ("1st: Answer 2") or follow a line that
    announces a ranking.
    """
    if not lines:
        return None
    last = lines[-1]
    found = _ORDER.fullmatch(last) or _LISTED.fullmatch(last)
    if found is not None:
        first, second = code_of(found[1]), code_of(found[3])
        if first == second:
            return None
        if found[2] == "=":
            return TIE_CODE
        return second if found[2].startswith("<") else first
    return _list_order(lines)


def _list_order(lines: Sequence[str]) -> int | None:
    ranks: list[re.Match[str]] = []
    for line in reversed(lines):
        found = _RANKS.fullmatch(line)
        if found is None:
            break
        ranks.insert(0, found)
    places = [int(next(filter(str.isdigit, found[1] or found[2]))) for found in ranks]
    codes = [code_of(found[3]) for found in ranks]
    if len(ranks) < 2 or places != [*range(1, len(ranks) + 1)] or len({*codes}) < len(codes):
        return None
    before = lines[-len(ranks) - 1] if len(lines) > len(ranks) else ""
    announced = all(found[1] for found in ranks) or (
        len(before) < 80 and _RANKING.search(before) and before.endswith(":")
    )
    return codes[0] if announced else None


def unbox(line: str) -> str:
    r"""Return the line with boxed verdict codes in place of their boxes: `$\\boxed{1}$` becomes `1`."""
    if "\\boxed" not in line:
        return line
    return _BOXED.sub(
        lambda box: box[1].strip() if _BOX_CONTENT.fullmatch(box[1]) else box[0], line
    )


def resolve_references(line: str) -> str:
    """Return the line with names in place of "the former" and "the latter".

    They refer to the two answers named before them in the line; without any name, to the first and
    the second answer. After any other number of names they are left as they are.
    """
    if "former" not in line and "latter" not in line:
        return line

    def name(reference: re.Match[str]) -> str:
        named = list(dict.fromkeys(_NAMES.findall(line[: reference.start()])))
        place = 0 if reference[1] == "former" else 1
        if not named:
            named = [
                f"Answer {letter}"
                for letter in dict.fromkeys(_ALONE.findall(line[: reference.start()]))
            ]
        if not named:
            return ("the first answer", "the second answer")[place]
        return named[place] if len(named) == 2 else reference[0]

    return _REFERENCE.sub(name, line)


_LETTER = re.compile(
    r"\((?<![\w\])]\()(?<!nswer \()(?<!utput \()(?<!sponse \()(?<!istant \()(?<!ummary \()(?<!odel \()[a-e]\)"
)
_NAMED = re.compile(
    rf"(?i:(?:\b{NOUN}|antwort|fassung|réponse|résumé|respuesta|resumen|resposta|回答|答案)(?: number| no\."
    rf"| option)?) ?$"
)


_SMALL_NAMED = re.compile(
    rf"\b((?i:{NOUN})) (?:\[([a-e])\]|((?:[b-e]\b(?![\w'.)/-])|a(?= (?:is|was|wins|has|gets|gives|does)\b))))"
)
"""Small letter after a noun: "answer b is better", "Answer [b]"."""


def name_letters(line: str) -> str:
    """Return the line with "Answer" before letters in brackets that name an answer without a noun."""
    if _SMALL_NAMED.search(line):
        line = _SMALL_NAMED.sub(lambda name: f"{name[1]} ({name[2] or name[3]})", line)
    if "(a)" not in line and "(b)" not in line and "(c)" not in line:
        return line

    def name(letter: re.Match[str]) -> str:
        at = letter.start()
        return letter[0] if _NAMED.search(line, max(0, at - 24), at) else f"Answer {letter[0]}"

    return _LETTER.sub(name, line)


def takes_back(line: str) -> bool:
    """Return `True` for a line that only withdraws what was said before: "Scratch that."."""
    if " had " in line and _SWAPPED.search(line):
        return True
    if "I " in line and _GIVES_UP.fullmatch(line.rpartition(". ")[2]):
        return True
    if len(line) >= 100:
        return False
    if _TAKES_BACK.fullmatch(line):
        return True
    return _WITHDRAWS.search(line) is not None and not _NAMES.search(line)
