"""Conclusion in English prose: the last sentences that call exactly one named answer better.

Names of answers are replaced by `@` and their code first, so that the patterns are short. A sentence with
a negation, a condition, a doubt or the words of another person is not read: a reply without a clear
conclusion is unreadable, and its reviewer can be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from peerjudge.verdicts.codes import CODE, CONTRADICTION, NAME, NOUN, TIE_CODE, Form, code_of
from peerjudge.verdicts.forms import CHANGES, label
from peerjudge.verdicts.plain import plain, unannounced, unquoted

_SPLIT = re.compile(r"(?<=[.!?])[)\"']? (?=[A-Z\"'(\[])")
_LONGEST = 600
_MOST = 40
"""Sentences that are read, from the end of a reply."""

_NAMES = re.compile(
    rf"{NAME}|(?<![\w\])])\([a-eA-E]\)|\b(?i:{NOUN}) (?:\[[a-e]\]|[b-e]\b(?![\w'.)/-]))"
)
_SMALL = re.compile(r"[ \[]([a-e])\]?")
_SETTLED = (
    "choice|winner|verdict|decision|preference|selection|pick|judge?ment|vote|recommendation|favou?rite"
)  # fmt: skip
_N = r"@([0-9])"
_CODE_END = r"(?=$|[.,;:!)\"'\]]| (?:as|because|over|since|for|instead|and|but|to|is|-)\b)"
_CHOSEN = (
    rf"(?:@([0-9])|({CODE}){_CODE_END})"
    rf"(?!(?: for [\w ']{{1,30}})?,? ?(?:(?:and|or|nor)\b|&|/) ?(?:@|{CODE}))"
)
_ADVERBS = (
    r"(?: (?:\w+ly|also|still|far|by far|much|a bit|a little|somewhat|overall|indeed|therefore|thus"
    r"|in my opinion|the|a|as|to be|being)){0,4}"
)
_GAP = (
    r"(?: (?!over|than\b|instead|rather|if\b|but\b|not\b|and\b|or\b|because|either|both\b|also\b"
    r"|between|compared|whether|when\b|neither|in\b|on\b|it\b)[\w'-]+){0,6}?"
)
_VERB = (
    r"(?:choose|chose|choosing|picking|pick|selecting|select|prefer|favou?r|recommend|vote for|go with"
    r"|going with|opt for|side with|lean towards?|leaning towards?|stick with|stand by|stay with"
    r"|hold on to|remain with|keep(?= @[0-9](?:$|[.,]| because| as))"
    r"|keep my (?:\w+ )?(?:choice|verdict|vote|preference)"
    r"|(?:switch|chang|shift|mov|revis|updat)(?:e|ed|ing)?(?: [\w'()@]+){0,6}? to)"
)
_DECIDED = re.compile(
    rf"(?i:(?:(?:\b(?:I|we)\b(?:'\w+)?(?: (?!you|they|he|she|could|might|may|if\b|see\b|know|was\b|were\b"
    rf"|used|also)\w+){{0,6}}?|^|[.,;:] |\b(?:therefore|thus|hence|so|and),?) {_VERB}{_GAP}:? \(?)){_CHOSEN}"
    rf"|(?i:\b(?:my|the|final|better|best|overall|preferred|superior|winning) (?:{NOUN}|one|{_SETTLED})"
    r"(?: (?:of the two|overall|here|for me|in my opinion|(?:for|to) (?:this|the)(?: [\w']+){1,3}))?"
    rf"(?: is| remains| stays| would be| goes to|:)+(?: therefore| thus| clearly| that of| number)? [\"']?)"
    rf"{_CHOSEN}"
    rf"|(?i:\b(?:therefore|thus|hence|so),? the (?:correct|right) (?:answer|choice) is ){_N}"
    rf"|(?i:\bgive ){_N}(?i: (?:(?:a|an|the|very|slight|slightly|small|clear|overall) )*"
    r"(?:edge|advantage|nod|win|(?:higher|better) (?:rating|score))\b)"
    rf"|(?i:\b(?:edge|advantage|nod|win) (?:(?:goes )?to|for) ){_N}"
    rf"|{_N},? (?i:(?:is|remains|gets|would be) my (?:\w+ )?(?:{_SETTLED})\b)"
    r"|^\[\[([A-E1-9])\]\]\.?$"
)
_CHOOSES = re.compile(rf"(?i)\b(?:I|we|best|better|edge|advantage|{_SETTLED}|{_VERB})\b|\[\[")
_MORE = (
    r"more (?:helpful|accurate|useful|relevant|appropriate|comprehensive|detailed|informative|complete"
    r"|thorough|precise|correct|effective|suitable|engaging|compelling|nuanced|insightful)"
)
_WHOLE = (
    r"(?=$|[.,;:!)]| (?:(?:than|to) (?:@|the other)|because|as|since|overall|due|and"
    r"|for (?:the|this|these|its|several)|of the|between|here|based|given|while|but|by|among"
    rf"|{NOUN}s?|one|fit|job(?! (?:with|on|in))|{_SETTLED}|{_MORE})\b)"
    r"(?! (?:\w+ )?(?:if|unless|when|provided|assuming|only|once)\b)"
)
_CALLED = re.compile(
    rf"{_N}(?:,? (?:is|was|seems|appears|remains|provides|provided|gives|gave|offers|offered|has"
    rf"|did|does|would be(?= (?:the|my))))?{_ADVERBS} (?:better|best|superior|preferable|preferred|stronger"
    rf"|winner|wins|(?:higher|better) quality){_WHOLE}"
    rf"|{_N}(?: does)? (?:better )?(?:helps?|serves?|answers?|address(?:es)?|follows?|fulfil?ls?|meets?"
    r"|carr(?:ies|y) out|executes?|satisf\w+) (?:the|this) (?:\w+ )?(?:user|question|request|instruction)s?"
    r"(?:'s? \w+)? (?:much |clearly |slightly )?(?:better|best|more \w+ly than|more)\b"
    rf"|(?i:\bmak(?:es|ing) ){_N}(?i: the (?:better|best) (?:{NOUN}|one))\b"
    r"|(?i:\b(?:I|we)\b(?:'\w+)?(?: \w+){0,3}? (?:rate|rank|score|consider|find|deem|judge) )"
    rf"{_N}(?: as)?(?: being| slightly| the| a bit| much| a)* (?:higher|better|best|superior|above|ahead of"
    rf"|{_MORE})\b"
    rf"|(?i:\b(?:I|we)\b(?:'\w+)?(?: \w+){{0,3}}? (?:say|think|believe|find|feel|conclude)(?: that)? ){_N}"
    rf" (?:is|was|provides|provided|gives|gave|offers|offered|has|does|did){_ADVERBS} {_MORE}\b"
)
_PRAISED = re.compile(
    rf"{_N}(?:,? which)? (?:is|was|provides|provided|gives|gave|offers|offered|has){_ADVERBS} {_MORE}\b"
)
_EQUAL = re.compile(
    rf"(?i)\b(?:both|(?:the )?two|they|and @\d)(?: (?:(?:{NOUN})s|of them|AI|are|were|as|to be|equally"
    r"|overall|roughly|essentially))*'? (?:equivalent|equal|tied|equally (?:good|well|strong|effective"
    r"|helpful|useful|valid)|of (?:equal|the same) (?:quality|merit)|on (?:a )?par)\b"
    r"(?! (?:to|in)\b|,? (?:but|yet|except)\b)"
    r"|\b(?:rate|score|rank|judge) (?:both|the two|them)(?: \w+s)? equally\b"
    r"|\b(?:it is|it's|this is|is|as|(?:call|declare|judge|rate|consider)(?: it| this)?) an? (?:tie|draw)\b"
)
_CONCEDED = re.compile(
    r"(?:(?<=^)|(?<=[;:] )|(?<=However, ))(?i:while|although|though|even though|even if|despite)\b[^,]*,"
)
_FORCED = re.compile(
    r"(?i)\bif (?:I|we) (?:had|have|were forced) to (?:choose|pick|decide)(?: one)?, "
)
_ADVISED = re.compile(
    r"(?i)\brecommend (?:that )?(?:(?:you|users?|the user|choosing|selecting|using) )"
    r"(?:(?:choose|use|pick|select|go with) )?"
)
_THEREFORE = re.compile(
    r"(?i)(?:^|[,;:] |\band )(?:therefore|thus|hence|overall|ultimately|finally|consequently|so"
    r"|in (?:conclusion|summary|the end|general)|to (?:conclude|summarize|sum up)|as a result"
    r"|for (?:this|these) reasons?|based on|considering|given|all in all|all things considered"
    r"|on balance)\b"
)
_DENIED = re.compile(
    r"(?i)\b(?:not|never|no|nor|neither|either|cannot|nothing|nobody|hard(?:ly)?|rarely|barely|scarcely"
    r"|doubt\w*|disagree\w*|deny|denies|refuse|reject\w*|declin\w+|about to|was going|far from|false|wrong"
    r"|untrue|unlikely|hesitate|nearly|almost|less|little|perhaps|maybe|possibly|supposedly|allegedly"
    r"|tempted|instead of|rather than|loser|worse|mistake|part|title|style|tone|opening|ending|length"
    r"|examples?|beginning|introduction|reasoning|wording|prose|(?:sentence|paragraph|line) of)\b|n't\b"
)
"""Words of the clause before a statement, or within it, that take it from the whole answer or deny it."""
_DISOWNED = re.compile(
    r"(?i)\b(?:if|unless|whether|assuming|suppos\w+|depending|had|were (?:it|the)|in case|as long as"
    r"|would have|could|might|may|wonder|told|according to|contrary|initially|originally|previously"
    r"|earlier|at first|used to|first (?:thought|chose|preferred|leaned)|word has it|in the eyes of|quote"
    r"|(?:my|your|his|her|their) (?:first|initial|previous|earlier|private|original)"
    r"|(?:you|they|he|she) say|says|said|saying|claim\w*|argu\w+|states?|stated|stating|insist\w*|maintain\w*"
    r"|wrote|writes|asserts?"
    r"|contends?|reads|(?:closes|ends?) with|contains the|known|critics|reviewer\w*'s|evidence that|untrue"
    r"|(?:reviewers?|review|judges?|leader|follower|colleagues?|peers?|you|they|he|she|others?|many|some"
    r"|most|anyone|people|readers?|users?|experts?|everyone|someone|somebody|who)"
    r"(?: (?!I\b|we\b)[\w()]+){0,3}? (?:prefer|choose|chose|pick|favou?r|think|thought|believe|conclude"
    r"|suggest|vote"
    r"|find|found|consider|feel|rate|rank|see|hold|like|call|would|take|convinced)\w*)\b"
    r"|(?:^|[,;:] )(?:as for|on (?!balance|the whole|reflection)|regarding|concerning|when it comes to"
    r"|with (?:respect|regard) to|in terms of|as far as|for (?:an? (?!number|variety)|\w+ (?=@))"
    r"|with(?:out)? (?!the|this|these|that|all|regard))"
)
"""Words of the sentence before a statement that make it a condition, an aspect or another view."""
_REASON = re.compile(
    r",? \b(?:because|since|as|for (?!beginners|experts|children|users|those|an?\b)|due|by \w+ing)\b|[.;]"
)
_CONDITION = re.compile(
    r"(?i)\b(?:if|unless|when(?:ever)?|provided|assuming|as long as|except|or so|on the (?:assumption"
    r"|condition)|is (?:simply )?(?:false|wrong|untrue)|would be (?:unfair|wrong|a mistake)|in mind"
    r"|but (?:I|have|not|only)|for (?:beginners|experts|children|users who|those who|an? \w+))\b"
)
_ASPECT = re.compile(
    r"(?i)\b(?:in (?:terms of|style|length|tone|brevity|clarity|humou?r|its)|(?:on|at) (?!all|balance)\w+"
    r"|with regard|only|of that)\b"
)
"""Words after a statement that restrict it to a condition or to an aspect, before any reason."""
_OWN_AGAIN = re.compile(
    r"(?i)\b(?:but|yet|however|now|still),? |,? I (?:\w+ )?(?:find|think|believe|conclude) "
)
_REVISED = re.compile(
    r"(?i)\b(?:no, (?:wait|hold on)|wait,|hold on|sorry, |edit:|correction|erratum|scratch that"
    r"|second thoughts?|thinking again|I mean\b|had (?:the|them)\b.*\bwrong|cannot (?:yet )?decide"
    r"|can't decide|make up my mind|don't know|have not (?:looked|assessed)|differently)"
)
"""Words that take back what the sentence, or the one before it, states."""
_QUESTION = ("?", "?)")

DECIDED, CONCLUDED, CALLED = 3, 2, 1
_SHORT = 40

Statement = tuple[int, int]
"""Strength and verdict code."""


def conclude(lines: Sequence[str], form: Form) -> int | None:
    """Return the code of the conclusion of a reply's own lines, `None` if it has none.

    The last decision ("I choose 2", "Therefore, Answer 1 is better") holds unless a later sentence
    calls another answer better; without any, all judgements must agree.
    """
    called: set[int] = set()
    revised = False
    for sentence, labelled in _from_the_end(lines):
        revised = revised or _REVISED.search(sentence) is not None
        said = [*find_statements(sentence)] if labelled is None else [(DECIDED, labelled)]
        for strength, code in reversed(said):
            if not form.allows(code):
                continue
            if strength >= CONCLUDED:
                return CONTRADICTION if revised or called - {code} else code
            called.add(code)
    if not called:
        return None
    return called.pop() if len(called) == 1 and not revised else CONTRADICTION


def decided(lines: Sequence[str], form: Form) -> int | None:
    """Return the answer that lines choose last ("I choose 2"), `None` if words of revision follow."""
    for sentence, labelled in _from_the_end(lines):
        if CHANGES.search(sentence):
            return None
        said = [(DECIDED, labelled or 0)]
        if labelled is None:
            said = [*find_statements(sentence)] if _CHOOSES.search(sentence) else []
        codes = [
            code for strength, code in said if strength == DECIDED and 0 < code <= form.answers
        ]
        if codes:
            return codes[-1]
    return None


def _from_the_end(lines: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    """Yield the last sentences of a reply, and its labelled lines with their codes.

    A code alone is joined to the line that announces it.
    """
    left = _MOST
    for at in range(len(lines) - 1, -1, -1):
        line = plain(lines[at])
        before = plain(lines[at - 1]) if at else ""
        if len(line) < _SHORT and before.endswith(":"):
            line = f"{before} {line}"
        if (code := label(line, last=False)) is not None:
            yield line, code
            continue
        for sentence in reversed(_SPLIT.split(unannounced(unquoted(line)))):
            yield sentence[-_LONGEST:], None
            left -= 1
            if not left:
                return


def find_statements(sentence: str) -> Iterator[Statement]:
    """Yield the statements of a sentence in order."""
    if sentence.endswith(_QUESTION):
        return
    named = _NAMES.sub(lambda name: f"@{_number(name[0])}", sentence)
    named = _FORCED.sub("", _ADVISED.sub("recommend ", named))
    named = _CONCEDED.sub(lambda conceded: " " * len(conceded[0]), named)
    therefore = _THEREFORE.search(named)
    for strength, pattern in ((DECIDED, _DECIDED), (CALLED, _CALLED)):
        found = [each for each in pattern.finditer(named) if _is_own(named, each, strength)]
        for each in found:
            code = code_of(next(filter(None, each.groups())))
            if code is not None:
                concludes = therefore is not None and therefore.end() <= each.start() + 1
                yield max(strength, CONCLUDED) if concludes else strength, code
        if found:
            return
    equal = _EQUAL.search(named)
    if equal and _is_own(named, equal, DECIDED) and not _PRAISED.search(named):
        yield CALLED, TIE_CODE


def _number(name: str) -> int | None:
    small = _SMALL.fullmatch(name[-2:] if name[-1] != "]" else name[-3:])
    return code_of(f"({small[1]})" if small else name)


def _is_own(sentence: str, match: re.Match[str], strength: int) -> bool:
    """Return `True` unless the words around a statement deny, disown or restrict it."""
    before, within, after = sentence[: match.start()], match[0], sentence[match.end() :]
    clause = re.split(r"[,;:] ", before)[-1]
    if _DENIED.search(clause) or _DENIED.search(within):
        return False
    disowned = [*_DISOWNED.finditer(before)]
    if disowned and not _OWN_AGAIN.search(f"{before[disowned[-1].end() :]} {within}"):
        return False
    if _DISOWNED.search(within):
        return False
    restricted = _REASON.split(after, maxsplit=1)[0]
    if _CONDITION.search(restricted):
        return False
    return strength == DECIDED or not _ASPECT.search(restricted)
