"""Verdicts stated in prose: what a sentence chooses, calls better, praises or calls equal.

A statement has a strength. `DECIDED` are conclusions ("I choose 2", "Therefore, Output (a) is
better"), of which the last one holds. `CALLED` are plain judgements ("Answer 1 is better") and
`PRAISED` comparisons of one quality ("Answer 1 is more detailed"), which hold only where all agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from peerjudge.verdicts.contexts import Context
from peerjudge.verdicts.names import CODE, NAME, NOUN, code_of
from peerjudge.verdicts.readings import CONTRADICTION, TIE_CODE

__all__ = ["CALLED", "DECIDED", "PRAISED", "Statement", "statements", "unanimous"]

PRAISED, CALLED, DECIDED = 1, 2, 3

Statement = tuple[int, int]
"""A strength and a verdict code."""

_CUE = re.compile(
    r"(?i)cho[osi]|pick|select|prefer|favou?r|recommend|vote|go(?:ing)? with|opt for|side with|better|best"
    r"|superior|stronger|win|edge|advantage|nod\b|rating|score|equal|equivalent|\btie|draw|on par|same quality"
    r"|more|less|worse|inferior|not as|high|answer|output|verdict|decision|judge?ment|lean|crown|declare|neither|\[\["
)
_REACH = 100
"""How many characters before a name can belong to the statement about it."""

_NAMES = re.compile(NAME)
_JOINED_AFTER = re.compile(rf",? (?:and|or|nor|&|/) (?:also )?{NAME}")
_JOINED_BEFORE = re.compile(rf"{NAME},? (?:and|or|nor|&|/) $")

_WORD = (
    r"(?: (?!not\b|never\b|cannot\b|also\b|hesitate|refuse|unable|difficult|hard\b|\w+n't\b)[\w']+)"
)
_I = rf"(?:\b(?:[Ii]|[Ww]e)(?:'d|'ll|'m)?{_WORD}{{0,4}}?|(?:^|[.,;:] |\b(?:[Tt]herefore|[Tt]hus|[Hh]ence|[Ss]o) )(?i:please )?)"
_VERB = (
    r"(?i:choose|chose|choosing|picking|pick|selecting|select|prefer|favou?r|recommend|vote for|go with"
    r"|going with|opt for|side with|lean towards?|leaning towards?|settle on|declare|crown)"
)
_GAP = (
    r"(?: (?!over\b|than\b|instead|rather\b|if\b|but\b|not\b|and\b|or\b|because\b|either\b|both\b|as\b|also\b"
    r"|between\b|compared|whether\b|when\b|neither\b)[\w'-]+){0,7}?"
)
_STOP = (
    r"(?=$|[.,;:!?)\]\"]| (?:as|because|since|for|over|instead|and|but|rather|due|with|based|given|in"
    r"|which|on|to|is|when|here|-)(?: |$))"
)
_HAS_VERB = re.compile(_VERB)
_CHOOSES = re.compile(rf"{_I} ?{_VERB}{_GAP}:? \(?$")
_CHOOSES_CODE = re.compile(
    rf"{_I} ?{_VERB}(?: (?i:answer|option|number|choice|output|response|the|with|as|my))*:? [\"']?({CODE}){_STOP}"
)
_SETTLED = "choice|winner|verdict|decision|preference|selection|pick|judge?ment|vote|recommendation"
_ARTICLE = r"(?:my|the|final|better|best|overall|preferred|correct|chosen|superior|winning|two|of)"
_COPULA = r"(?: is| would be| should be| goes to| has to be| must be|:)+"
_OF_TWO = r"(?: (?:of the two|overall|here|for me|in my opinion))?"
_DECLARES_NAME = re.compile(
    rf"(?i:\b{_ARTICLE} (?:{NOUN}|one|{_SETTLED}){_OF_TWO}{_COPULA}(?: (?:that of|the one by|the one from))?) $"
)
_DECLARES_CODE = re.compile(
    rf"(?i:\b{_ARTICLE} (?:{_SETTLED}){_OF_TWO}{_COPULA}):? [\"']?({CODE}){_STOP}"
)
_ANSWER_IS_CODE = re.compile(
    rf"(?i:\b{_ARTICLE} (?:answer|output|response){_OF_TWO}{_COPULA}):? [\"']?({CODE}){_STOP}"
)
_BRACKETED = re.compile(r"\[\[([A-E1-9])\]\]")

_EDGE = r"(?:(?:a|an|the|very|slight|slightly|small|clear|higher|overall) )*(?:edge|advantage|nod|win|rating|score)"
_EDGE_AFTER = re.compile(rf" {_EDGE}\b(?! of)")
_GIVES = re.compile(rf"\b(?:[Ii]|[Ww]e)(?:'d|'ll)?{_WORD}{{0,3}} give (?P<to>{_EDGE} to )?$")

_ADVERBS = (
    r"(?: (?!not\b|no\b|less\b|more\b|only\b|hardly\b|never\b)(?:\w+ly|also|still|far|much|a|bit|little|somewhat"
    r"|overall|by|indeed|therefore|thus|in my opinion|the)){0,4}"
)
_BE = (
    r" (?:is|was|are|were|would be|will be|as|being|to be|seems|appears|provides|provided|has|gives|gave|offers"
    r"|offered|did|does|remains|stands out as)"
)
_ENDS = (
    r"(?=$|[.,;:!)]| (?:than|because|as|since|overall|due|and|for (?:the|this|these|its|several|being)"
    r"|in (?:this|my|that|general|comparison)|of the|between|here|based|given|while|with|but|by|among"
    rf"|(?i:AI|{NOUN}|one|{_SETTLED}))\b)"
)
_IS_BETTER = re.compile(
    rf"{_BE}{_ADVERBS} (?:better|best|superior|preferable|preferred|winner|winning|stronger)"
    rf"(?! (?:for (?:users|people|someone|those)|but (?:not|only))\b){_ENDS}|,? wins(?! in\b| on\b){_ENDS}"
)
_OPINES = re.compile(
    rf"\b(?:[Ii]|[Ww]e)(?:'d|'ll)?{_WORD}{{0,2}} (?:rate|rank|score|consider|find|found|deem|judge|say|think"
    r"|believe|conclude)(?: that)? $"
)
_OPINED = re.compile(
    r"(?: (?:is|was|provided|provides|gave|did|has))?(?: slightly| much| a bit| a)* (?:higher|better|more"
    r"|(?:as|to be)(?: being| slightly| the| a bit| much)* (?:better|best|superior|more))\b"
)
_MORE = re.compile(
    rf"(?:,? (?:which|who|that))?{_BE}{_ADVERBS}(?: (?:slightly|being))* (?:more|better)\b"
)
_LIST = r"[\w-]+(?:,? (?:and )?[\w-]+){0,3}"
_LESS = re.compile(
    rf"{_BE}{_ADVERBS} (?:worse|inferior|less {_LIST}|not (?:as|quite as) {_LIST}) (?:than|as|to) ({NAME})"
)

_ALL = rf"(?:two|both|they|answers|responses|assistants|outputs|submissions|solutions|them|these|all|(?:and|or) {NAME})"
_EQUAL = re.compile(
    rf"\b(?i:{_ALL})(?: (?:{NOUN}s|of them|AI|are|were|as|is|to be|being|equally|both|all|therefore|roughly"
    r"|essentially|overall|generally|'))*(?:'s?)?"
    r" (?:equivalent|equal|tied|equally (?:good|well)|of (?:equal|the same) quality|on par)\b"
    r"(?! (?:to|in (?:length|number))\b)(?P<partly> in (?:terms|their))?"
    r"|\b(?i:it is|it's|this is|is|call it|declare|as) a (?:tie|draw)\b"
    r"|\brate (?:both|the two) (?:\w+ )?equally\b"
    rf"|\b[Nn]either (?:of (?:the two|them)|{NAME} nor {NAME}|{NOUN}) is (?:\w+ )?better\b"
)


def statements(sentence: str, *, final: bool = False) -> list[Statement]:
    """What a sentence states about which answer is better, in the order of its words.

    "The answer is 2" may be about the matter itself and counts only in the `final` sentence.
    """
    if not _CUE.search(sentence) or sentence.endswith("?"):
        return []
    found = [*_about_names(sentence), *_about_codes(sentence, final=final), *_about_all(sentence)]
    if not found:
        return []
    found.sort(key=lambda item: item[0])
    context = Context.of(sentence)
    return [
        (min(strength + context.concludes(at), DECIDED), code)
        for at, strength, code in found
        if not context.disowned(at) and (strength == DECIDED or not context.conceded(at))
    ]


def unanimous(codes: Iterable[int]) -> int | None:
    """The code that all say, `CONTRADICTION` if they differ, `None` if there are none."""
    said = set(codes)
    if len(said) > 1:
        return CONTRADICTION
    return said.pop() if said else None


def _about_names(sentence: str) -> Iterator[tuple[int, int, int]]:
    for name in _NAMES.finditer(sentence):
        start, end = name.span()
        before = sentence[max(0, start - _REACH) : start]
        code = code_of(name[0])
        if (
            code is None
            or _JOINED_AFTER.match(sentence, end)
            or _JOINED_BEFORE.search(before[-60:])
        ):
            continue
        strength, ahead = _spoken_for(sentence, before, end)
        if strength:
            yield start - ahead, strength, code
        elif less := _LESS.match(sentence, end):
            other = code_of(less[1])
            if other is not None and other != code:
                yield start, PRAISED, other


def _spoken_for(sentence: str, before: str, end: int) -> tuple[int, int]:
    """How strongly the words around a name speak for that answer, and how far ahead they begin."""
    chooses = _CHOOSES.search(before) if _HAS_VERB.search(before) else None
    if found := chooses or _DECLARES_NAME.search(before):
        return DECIDED, len(before) - found.start()
    if (found := _GIVES.search(before)) and (found["to"] or _EDGE_AFTER.match(sentence, end)):
        return DECIDED, len(before) - found.start()
    if _IS_BETTER.match(sentence, end) or (_OPINES.search(before) and _OPINED.match(sentence, end)):
        return CALLED, 0
    return (PRAISED if _MORE.match(sentence, end) else 0), 0


def _about_codes(sentence: str, *, final: bool) -> Iterator[tuple[int, int, int]]:
    for pattern in (
        _CHOOSES_CODE,
        _DECLARES_CODE,
        _BRACKETED,
        *((_ANSWER_IS_CODE,) if final else ()),
    ):
        for found in pattern.finditer(sentence):
            code = code_of(found[1])
            if code is not None:
                yield found.start(), DECIDED, code


def _about_all(sentence: str) -> Iterator[tuple[int, int, int]]:
    for found in _EQUAL.finditer(sentence):
        yield found.end(), PRAISED if found["partly"] else CALLED, TIE_CODE
