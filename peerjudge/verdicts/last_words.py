"""Verdicts of few words: a closing code with an idiom, the worse of two answers, signs, and shares.

They are read where no other rule has found a verdict, so a form here may be as short as "Hence 1.".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from peerjudge.verdicts.codes import (
    CODE,
    CONTRADICTION,
    NAME,
    NOUN,
    TIE_CODE,
    TIE_WORDS,
    Form,
    code_of,
)
from peerjudge.verdicts.marks import counts, highest_named

_ONE = rf"({NAME}|{CODE}|(?i:the (?:first|second))(?: one)?)"
_THUS = (
    r"(?:(?:so|still|hence|thus|therefore|ergo|overall|ultimately|then|finally|consequently|accordingly|in"
    r" (?:the end|short|sum|total|conclusion|my (?:view|opinion|book))|on balance|all in all|all told"
    r"|bottom line|for (?:that|this|these) reasons?(?: alone)?|my money is on|no contest|and|but|please|ok"
    r"|okay|right)\b,? ?)"
)
_SURELY = (
    r"(?:hands down|by far|easily|clearly|narrowly|barely|slightly|imho|imo|for me|for sure|any day|of"
    r" course|definitely|decisively|no contest|no question|it is|then|overall|without (?:a )?(?:doubt"
    r"|question|hesitation)|by (?:a|some) (?:\w+ )?(?:mile|hair|nose|whisker|margin|distance)|all the way"
    r"|after all|every time|in my (?:view|opinion|book)|on balance|please)"
)
_TAKES = (
    r"(?i:gets|has|receives|earns|takes|wins) (?i:my vote|the vote|my pick|my preference|the nod|the win"
    r"|the point)(?i: (?:here|then|this time|today))?"
)
_TIPS = (
    r"(?i:(?:and |so |but |which |that |this |it )*(?:tips|swings) (?:it|things|me|the (?:balance|scales?))"
    r" (?:towards?|to|for|in favou?r of))"
)
_EDGE = r"(?i:(?:the|a|an) (?:slight |narrow |clear |small )?(?:edge|nod|advantage|win|upper hand))"
_LEAVES = r"(?i:(?:so |and |which |that |this )+leaves (?:me |us )?(?:with )?(?:only )?)"
_I_TAKE = (
    r"(?i:(?:so |hence |thus |then )?i(?:'ll| will|'d| would|'m)? (?:rather )?(?:take|pick|choose|go with"
    r"|go for|have|prefer|side with|trust)\b(?!.*\b(?:if|unless|not|over|than|before)\b)[^:?.]{3,90})"
)
_SURE = rf"(?i:,? {_SURELY})"
_CLOSING = tuple(
    map(
        re.compile,
        (
            rf"(?i:{_THUS}+)(?:(?i:with|after|despite|for)\b[^:;.?]{{2,40}})?: ?{_ONE}{_SURE}?[.!]*",
            rf"(?i:{_THUS}+){_ONE}{_SURE}?[.!]*",
            rf"(?i:{_THUS}+(?:it|this|that)(?: has to be|'s| is| must be| goes to)) {_ONE}[.!]*",
            rf"{_ONE}{_SURE}{_SURE}?(?:[.!]*|[,:;] .*| (?i:for|because|since|as|thanks to|due to)\b.*)",
            rf"(?:.*[,;:] )?(?i:{_THUS}*){_ONE} {_TAKES}[.!]*",
            rf"(?:.*[,;:.] |){_TIPS} {_ONE}[.!]*",
            rf"(?:.*[,;:.] )?(?:[\w' ]{{1,60}} )?(?i:gives|hands|give) {_ONE} {_EDGE}[.!]*",
            rf"{_LEAVES}{_ONE}(?i: as (?:the|my) (?:winner|choice|better \w+))?[.!]*",
            rf"(?:.*[,;.] )?{_I_TAKE}: {_ONE}[.!]*",
        ),
    )
)
"""Closing sentences of which a code is the verdict."""
_TIED = re.compile(
    rf"(?:.*[,;.] )?(?i:{_THUS}+|equal\w* \w+, so ?|same \w+, so ?): ?(?i:{TIE_WORDS})[.!]*"
)
_HEDGED = re.compile(
    r"(?i)\b(?:if|unless|whether|would have|could have|might|may|not|never|nobody|isn't|wasn't|don't"
    r"|doesn't|others?|they|he|she|you|reviewers?|judges?|colleagues?|many|people"
    r"|some (?:people|say|may|would|will|might|readers?|users?|think|prefer)|says?|said"
    r"|claims?|thinks?)\b"
)
"""Words before a closing code that may take it from the reviewer."""

_HOW = r"(?: (?:clearly|narrowly|easily|slightly|just|far|much|only|overall|simply|badly|well))*"
_BOTH = r"(?: (?:of|among|from) (?:the|these) (?:two|pair)(?: \w+)?| here| overall)?"
_LOSES_TO = re.compile(
    rf"({NAME}|\b[AB]\b)(?:{_HOW} (?:falls short of|loses(?: out)? to|trails(?: behind)?|lags behind|comes"
    r" second to|is no match for|cannot match|can't match|does not match|doesn't match|pales (?:beside"
    r"|next to|in comparison (?:to|with))|is (?:behind|eclipsed by))"
    rf"| (?:is|was|gets){_HOW} (?:outperformed|outclassed|outdone|outshone|beaten|surpassed|edged out"
    rf"|bettered|eclipsed|defeated|overshadowed|topped) by) ({NAME}|\b[AB]\b)"
)
"""One answer that is worse than the other."""
_THE_WORSE = (
    rf"(?:the )?(?:clearly |much |slightly )?(?:weaker|worse|poorer|lesser|inferior|losing|worst|weakest)"
    rf"(?: (?:one|option|choice|{NOUN}|of the two|of them))*"
)
_IS_WORSE = re.compile(
    rf"(?i:(?:^|[,;:] |\b(?:so|hence|thus|therefore),? )(?:{_THE_WORSE}){_BOTH} is) ({NAME}|[AB]\b|\([ab]\))"
    rf"|({NAME}|\b[AB]\b)(?i:'s)? (?i:is{_HOW} (?:{_THE_WORSE})(?=[.,;!]|$| (?:because|since|as|overall"
    r"|here)\b)"
    rf"|(?:comes|finishes|ends up|places|ranks)(?: in)?(?: an?)?(?: (?:close|distant|clear|narrow))*"
    r" second(?: place| best)?(?=[.,;!]|$)"
    r"|(?:loses|falls short|comes up short|falls behind|loses out)(?=[.!]|$| overall| here))"
)
_ONE_ASPECT = re.compile(
    r"(?i)(?:(?:,? but|,? though)? (?:only )?(?:in (?!accuracy as well|every|all|both|most|practically"
    r"|virtually|nearly|almost|general|my|this|that|the end|quality|terms of (?:overall|quality))\w+"
    r"|on (?!every|all|balance|the whole|both|most|practically|virtually|nearly|almost)\w+"
    r"|when it comes|if|unless|for))\b"
)
"""After a comparison: it is about one aspect or condition."""


_MEASURED = re.compile(
    r"(?i)\b(?:compared (?:with|to)|next to|against|measured by|relative to) (?:the|a|an|my|its)"
    r" (?!other|first|second|rival|competitor|alternative)"
)
"""A comparison with something that is not the other answer."""


def closing_code(sentence: str) -> int | None:
    """Return the code of a closing sentence of few words: "So 1 gets my vote.", "B, hands down."."""
    for form in _CLOSING:
        found = form.fullmatch(sentence)
        if found is not None:
            if found.end(1) == len(sentence):
                return (
                    None  # Without its full stop, the name may begin a sentence that was cut off.
                )
            before = sentence[: found.start(1)]
            names = {*map(code_of, re.findall(NAME, before))} - {code_of(found[1])}
            hedged = _HEDGED.search(before.rpartition(". ")[2])
            return None if hedged or (names and ":" in before) else code_of(found[1])
    return TIE_CODE if _TIED.fullmatch(sentence) else None


def find_worse(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield where a sentence calls one of two answers the worse, and the code of the other one."""
    if _MEASURED.search(sentence):
        return
    for found in _LOSES_TO.finditer(sentence):
        loser, other = code_of(found[1]), code_of(found[2])
        if {loser, other} == {1, 2} and other and not _ONE_ASPECT.match(sentence, found.end()):
            yield found.start(), other
    for found in _IS_WORSE.finditer(sentence):
        loser = code_of(found[1] or found[2])
        if loser in (1, 2) and not _ONE_ASPECT.match(sentence, found.end()):
            yield found.start(), 3 - loser


_SIGN = r"(>{1,3}|<{1,3}|≻|≫|≪|≈|=|~)"
_BARE = rf"({NAME}|\([a-e]\)|[A-E]|[1-9])"
_SIGNS = re.compile(
    rf"(?P<lead>[\w ,()]{{1,40}}?[:,]? )?{_BARE} ?{_SIGN} ?{_BARE}(?=[.!]?$|[.;,!] "
    r"|,? (?:because|since|as)\b)"
)
_OVERALL = re.compile(
    r"(?i)(?:so|hence|thus|therefore|overall|total|final|verdict|result|in (?:total|sum|the end|short)"
    r"|all in all|on balance|ultimately|my|ranking|order|preference|judge?ment|i (?:would )?say|[ ,:])+"
)


def order_of(lines: Sequence[str]) -> int | None:
    """Return the code of an order by signs over all criteria: "A >> B. ...", "Overall: A < B"."""
    found: dict[str, list[int]] = {"overall": [], "plain": [], "aspect": []}
    for line in lines:
        signs = _SIGNS.match(line)
        if signs is None or code_of(signs[2]) == code_of(signs[4]):
            continue
        if signs[2].isdigit() and signs["lead"] is None:
            continue
        first, second = code_of(signs[2]), code_of(signs[4])
        code = (
            TIE_CODE if signs[3] in "=≈~" else second if signs[3].startswith(("<", "≪")) else first
        )
        if code is None:
            continue
        lead = signs["lead"]
        kind = "plain" if lead is None else "overall" if _OVERALL.fullmatch(lead) else "aspect"
        found[kind].append(code)
    for kind in ("overall", "plain"):
        if found[kind]:
            return found[kind][0] if len({*found[kind]}) == 1 else CONTRADICTION
    return None


_PERCENT = r"([0-9]{1,3}(?:\.[0-9])?) ?%"
_SHARE_FIRST = re.compile(
    rf"{_PERCENT} (?:(?:for|to|on|in favou?r of|that|likely|chance) )*(?:it is )?({NAME}|\([a-e]\)"
    r"|[A-E]\b|[12]\b)"
)
_SHARE_LAST = re.compile(
    rf"({NAME}|\([a-e]\)|\b[A-E]\b)(?: (?:is|being|wins?|better|best|preferred|the|stronger)){{0,4}}"
    rf" ?[:=(-]? ?\(?{_PERCENT}"
)
_WHOLE = 100.0


def shares(text: str, form: Form) -> int | None:
    """Return the code of the highest percentage if every answer has one and they sum to 100.

    Shares of anything of which less is better are none.
    """
    if "%" not in text or counts(text):
        return None
    given: dict[int, set[float]] = {}
    firsts = _SHARE_FIRST.findall(text)
    pairs = (
        [(name, share) for share, name in firsts]
        if len(firsts) >= form.answers
        else _SHARE_LAST.findall(text)
    )
    for name, share in pairs:
        if (code := code_of(name)) is not None:
            given.setdefault(code, set()).add(float(share))
    if any(len(each) > 1 for each in given.values()):
        return None
    found = {code: next(iter(each)) for code, each in given.items()}
    return highest_named(found, form) if sum(found.values()) == _WHOLE else None
