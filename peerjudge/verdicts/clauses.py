"""Verdicts of plain words: a clause about one answer that holds nothing but words of judging.

"On balance, the edge goes to Answer 2." What denies, doubts, narrows or reports a verdict has words outside
of the vocabulary. Such a clause is not read, so its grammar need not be known.
"""

from __future__ import annotations

import re

from peerjudge.verdicts.codes import NAME, NOUN, WORK, code_of
from peerjudge.verdicts.phrases import FLAWS, contains


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONCLUDING = _words(
    "so therefore thus hence overall ultimately finally then it is it's be but a for me my still agree "
    "that settles please ergo narrowly slightly clearly definitely easily conclusion consequently "
    "accordingly"
)
"""Words around the name in a sentence without a verb: "So Answer 2, narrowly."."""
_BEST = _words(
    "better best stronger strongest superior preferable preferred favored favoured winner winning win "
    "wins victory edge edges nod ahead prevails triumphs chosen selected recommended advantage"
)
_CHOOSING = _words(
    "prefer favor favour choose choosing pick select recommend vote choice preference selection favorite "
    "favourite recommendation lean leans leaning decides tip tips preferring"
)
"""Words that decide before a name; after it they may be about what an answer says."""
_NEUTRAL = _words(
    "the an this that these one its are being been to as with i i'd i'll i'm i've we we'd we'll us our "
    "would will have has do does slight marginally narrow decisively simply again altogether certainly "
    "exactly undoubtedly somewhat much far significantly considerably comfortably small clear strong mild "
    "modest decisive decidedly likely here now however indeed actually really just very little bit single "
    "final get gets come comes out stay settle remains seems feels proves stands should considered "
    "declared user user's users request question prompt needs takes make makes serve serves suits helps "
    "deserves earns receives job task solves fares off round miles answer response output option "
    "comparison contest two both due"
)
_AROUND = _words(
    "go going give gives giving take making find consider judge rate rank score deem say think believe "
    "feel falls stick sticking award lies trust served of must reader task which use off answers verdict "
    "decision side judgement judgment evaluation scale balance inclined person two's him her them own "
    "toward towards unchanged confirm concede uphold keep point prize trophy settles matter see enough "
    "everything all why"
)
_RIGHT = _CONCLUDING | _BEST | _NEUTRAL
_LEFT = _RIGHT | _CHOOSING | _AROUND
_ASIDE = re.compile(
    r"\b(?:in (?:the end|short|sum|general|conclusion|summary|brief|comparison|my (?:\w+ )?(?:view|opinion"
    r"|eyes"
    r"|judge?ment|estimation|book)|th(?:is|e present) (?:case|comparison|pair|instance))"
    r"|on (?:balance|reflection|the whole)|from me|for (?:this|that|(?:all )?(?:these"
    r"|those)) reasons?(?: alone)?|(?:it(?: i|')s |a )?(?:very )?close(?: call| one)?(?=$| but)"
    r"|by (?:far|(?:a|some|quite a) (?:\w+ ){0,2}(?:margin|hair|bit|distance|lot|mile|whisker))|hands down"
    r"|all (?:things considered|in all|told)|no doubt|without (?:a |any )?(?:doubt|question|hesitation)"
    r"|of (?:the|these) two(?: \w+s\b)?|between (?:the two|them|these)(?: \w+s\b)?|even so|to sum up|long"
    r" story short|in a nutshell|(?:the )?bottom line|no (?:contest|question)|any day|on this one|i have"
    r" no hesitation in"
    r"|at the end of the day|we (?:both )?(?:seem to )?agree)(?!\w)"
)
_I_WOULD = r"(?:that )?(?:i|we)(?:'d| would|'ll| will|'m)? (?:\w+ly )?"
_IDIOM = re.compile(
    r"\b(?:in (?:its |the )?(?:favou?r(?: of)?|first place|lead)|takes first place|takes (?=this (?:one"
    r"|round)\b|it\b)|carries the day|gets the point|the one$|(?:has )?won me over|my money is on|speaks"
    r" (?:in favou?r of|for)|on top"
    r"|i'm (?:with|for)$|(?:come|comes) down on the side of|(?:decide|settle|falls) (?:for|on)|give me|it"
    r" (?:has to|can only) be"
    r"|point to|tips? the (?:scales?|balance) (?:towards?|to|in favou?r of)|in front|upper hand|should"
    r" (?=be \w+(?:ed|en|"
    r"the)\b|win\b|get\b|receive\b)|(?:comes|ranks|ranked|placed?) first|goes (?:\w+ly )?to"
    r"|(?:learn|benefit|gain|get|profit) more (?:from|out of|with)|change my (?:\w+ )?(?:verdict|choice"
    r"|vote|mind) to|(?:give|giving) (?:it|this(?: one| round)?) to"
    r"|(?:higher|highest|top) (?:score|rating|mark|grade)|of (?:higher|better|superior) (?:overall )?quality"
    r"|(?:serves?|helps?|suits?) (?:the |a )?(?:users?|readers?)(?:'s needs)? (?:much |far )?more"
    r"|more (?:helpful|useful|valuable) (?:to|for) (?:the|a) (?:user|reader)s?"
    r"|what the (?:user|prompt|question|task) (?:actually |really )?(?:wanted|asked for|needed|needs|wants"
    r"|asks for|requested|requires|required|called for|calls for|is looking for|was looking for)\b"
    r"|\bi(?:'d|'ll| would| will)? (?:rather )?(?:take|have|want|use|say|hand in)$"
    rf"|(?:the (?:one|choice|option|{NOUN})|what) {_I_WOULD}(?:choose|pick|prefer|recommend|select"
    r"|vote for|go with"
    rf"|favou?r"
    r"|trust(?: more)?|send|use|hand(?: in)?|submit|keep|take|give|publish|want to (?:receive|read|get))\b"
    r"|(?:my|our) (?!second|third|least|first|initial|former|earlier|previous|only|one)(?:\w+ )?(?:choice"
    r"|pick|vote"
    r"|preference|recommendation|selection|favou?rite|winner)\b(?: of)?"
    r"|the (?:right|clear|obvious|logical|natural|sensible) (?:choice|pick|selection|option|favou?rite)\b"
    r"|the one to (?:choose|pick|go with|recommend|prefer)\b|gets? a (?:\w+ )?preference\b"
    r"|the (?:(?:clear|rich|saf|sound|smart|wis|deep|full|sharp|fin|fair|kind|warm|funni|liveli|nic|tru"
    r"|clos|tight"
    rf"|strong|neat|crisp|great|sur|clean|fresh|solid)e(?:r|st)|mo(?:re|st) (?!{FLAWS})[a-z]+) (?:one\b"
    rf"|choice\b|option\b|pick\b|of the two|(?:{NOUN})s?\b))"
)
_WHOLE = re.compile(rf"\bthe (?:{WORK}|continuation|content|wording|version) (?:in|by|from|of)$")
"""Before a name: the whole of an answer."""
_LETTER = (
    r"(?<![\w'(\[])(?:\([A-Ea-e]\)|[B-E](?![\w/+]|[-.']\w|\. \w)|(?i:the (?:first|second))(?=[.!]?$)"
    r"|A(?= (?:is|wins|gets|has|takes|remains|still|clearly|would|it)\b|[,!:;]|\.?$))"
)
"""Letter of an answer without a noun; an "A" before other words may be an article."""
LETTERS = re.compile(_LETTER)
NAMES_AND_LETTERS = re.compile(rf"{NAME}|(?P<letter>{_LETTER})")
_COMPARED = re.compile(
    rf",? (?:than|over|above|compared (?:to|with)|rather than|instead of|ahead of|(?<=superior )to"
    rf"|(?<=preferable )to)"
    rf" (?:{NAME}|{_LETTER}|(?:the other|the alternative)(?: one| (?:{NOUN}))?)"
)
_BREAK = re.compile(r"[,;:.!?\"] ?|(?:^| )- | \((?![A-Ea-e1-9]\))|(?<!\([A-Ea-e1-9])\) ")
_JOIN = r",? (?:and|or|nor|&|/) (?:also )?"
_JOINED = re.compile(rf"(?:{NAME}|{_LETTER}){_JOIN}$")
_JOINS = re.compile(rf"{_JOIN}(?:{NAME}|{_LETTER})")
_BEGINS = frozenset(("and", "but", "so", "yet", "because", "makes", "making", "gives", "giving"))
"""Words after which a clause may begin that is read without what stands before it."""
_STOPS = re.compile(
    r"(?:because|since|due to|thanks to|given|based on|while|although|though|even (?:if|though)|despite"
    r"|whereas"
    r"|owing to|and|by \w+ing|with (?:its|a|an)|for (?:its|being|these|this|several|\w+ing)"
    r"|as (?:it|its|this|that))\b"
)
_GOES_ON = re.compile(
    r"[,;:] (?:but|yet|if|unless|when|provided|assuming|at least|except|or|only|on|in (?!my|the end))"
    r"|\?| - (?:but|if)"
)
_LABEL = re.compile(r"(?:^|[.;] )([^.:;]{1,40}): $")
_OPPOSES = re.compile(
    r"\b(?:than|over|above)$|\b(?:superior|prefer|preferable|preferred) (?:\w+ )?to$"
    r"|(?<!\bi )(?<!\bwe )\bwould (?:\w+ )?(?:make|give)|\bwas going\b"
    r"|(?<!choice )(?<!that )(?<!selection )\bof$"
)
_NEEDS = re.compile(
    r"\b(?:have|has) to\b|\bone (?:\w+ )?(?:edge|adv)|\bfor it$|\bthe (?:better|best) for\b"
)
_SUBJECTS = _words("it this that these the a an i we")
"""Words that begin another clause after a name with nothing before it: "(b) it is better"."""
_DENIES = re.compile(
    r"\b(?:not|never|nothing|no|hardly|cannot|neither|nor|would|could|might|may|fails?|enough|almost|nearly"
    r"|if|whether|reviewers?|colleagues?|judges?|they|he|she|you|others?|some|many|people)\b|n't\b"
)
_CONTINUES = re.compile(
    r"( (?P<said>[^.;:()?]{3,200}?),? (?:and|so|making it|which makes it)"
    r"(?P<infers>(?: it)?(?: is)? (?:so|therefore|thus|hence))?)(?= (?:it |clearly |overall )?"
    r"(?:is|has|gets|deserves|wins|takes|should|would|remains|comes|makes|serves|preferable|better|the|as)\b)"
)
"""After a name: a predicate, before a further one about the same answer."""
_RELATIVE = re.compile(r"\b(?:that|which|who|how|why|what)\b")
"""Words after which "and is" may have another subject."""
_LINKS = _words(
    "in on by from over than and but so yet because makes making gives giving since due thanks given "
    "based while although though even despite whereas owing hands all no without between at of compared "
    "rather instead above what carries prefer reason reasons alone case pair end balance opinion view"
)
"""Further words next to a name in a clause that may be read."""
_REACH = 120
_PARTS = (
    "etter|best|stro|superior|prefer|avo|win|victory|edge|nod|ahead|prevail|triumph|cho|"
    "select|recommend|advantage|pick|ote|lean|decide|goes|first|rize|high|hand| top|"
    "what the|the more|the most|er |more|'d|would|give|won |day|ettle|oint|takes|'ll|"
    "contest|bottom|the one| with |for |only be|speak|money"
)
_JUDGES = tuple(_PARTS.split("|"))
"""Parts of words without one of which no clause is read: a quick test."""


def judges(sentence: str) -> bool:
    """Return `True` if a sentence has a word of those without which no clause is read."""
    return contains(sentence, _JUDGES)


def prefers(sentence: str, start: int, end: int) -> bool:
    """Return `True` if the clause around a name at this place calls its answer the better one."""
    before, after = sentence[max(0, start - _REACH) : start], sentence[end : end + _REACH]
    last, first = before.rpartition(" ")[0].rpartition(" ")[2], after[1:].partition(" ")[0]
    if last.isalpha() and last.lower() not in _LEFT and last not in _LINKS:
        return False
    starts = not first.isalpha() or first in _RIGHT or first in _LINKS
    if not starts and " and " not in after and " so " not in after and " mak" not in after:
        return False
    if before.endswith((" and ", " or ", " nor ")) and _JOINED.search(before):
        return False
    if _JOINS.match(after) or sentence.startswith("'s", end - 2):
        return False
    left = _left(before)
    if left is None:
        return False
    right = _right(_COMPARED.sub("", after))
    if right and not left and right[0] in _SUBJECTS and right[:2] != ["it", "is"]:
        return False
    if right is not None and not (_BEST.isdisjoint([*left, *right]) and _CHOOSING.isdisjoint(left)):
        return True
    going_on = _CONTINUES.match(sentence, end)
    if going_on is None or NAMES_AND_LETTERS.search(going_on[1]):
        return False
    if not going_on["infers"] and _RELATIVE.search(going_on["said"]):
        return False
    return not _BEST.isdisjoint(_right(sentence[going_on.end(1) :][:_REACH]) or ())


def _left(before: str) -> list[str] | None:
    """Return the words of the clause before a name, `None` if one is outside of the vocabulary."""
    broken = [*_BREAK.finditer(before)]
    words = _tokens(before[broken[-1].end() :] if broken else before)
    if broken and broken[-1][0].startswith(":"):
        label = _LABEL.search(before[: broken[-1].end()])
        words = [*_tokens(label[1]), *words] if label else words
    known = 0
    while known < len(words) and words[-known - 1] in _LEFT:
        known += 1
    if known < len(words):
        known = next((n for n in range(known + 1, 0, -1) if words[-n] in _BEGINS), 0)
        if not known or _DENIES.search(before):
            return None
    words = words[len(words) - known :]
    return None if _OPPOSES.search(" ".join(words)) else words


def _right(after: str) -> list[str] | None:
    """Return the words of the clause after a name, `None` if one is outside of the vocabulary."""
    broken = _BREAK.search(after)
    if broken and _GOES_ON.match(after, broken.start()):
        return None
    words = _tokens(after[: broken.start()] if broken else after)
    if _NEEDS.search(" ".join(words)):
        return None
    for at, word in enumerate(words):
        if _STOPS.match(" ".join(words[at : at + 2])):
            return words[:at]
        if word not in _RIGHT:
            return None
    return words


def _tokens(text: str) -> list[str]:
    said = " ".join(NAMES_AND_LETTERS.sub("@", text).lower().replace(",", " ").split())
    return _ASIDE.sub("", _IDIOM.sub("ahead ", _WHOLE.sub("the ", said))).split()


def elliptical(sentence: str) -> int | None:
    """Return the code of a sentence that only names an answer: "So Answer 2, narrowly."."""
    names = [*NAMES_AND_LETTERS.finditer(sentence)]
    if len(names) != 1:
        return None
    before, after = sentence[: names[0].start()], sentence[names[0].end() :]
    words = re.sub(r"[,:;.!]", " ", f"{before} {after}").strip()
    if not words or words.startswith("Then") or after[-1:] not in (".", "!"):
        return None
    return code_of(names[0][0]) if _CONCLUDING.issuperset(_tokens(words)) else None
