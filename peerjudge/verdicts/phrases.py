"""Phrases that give a verdict in prose, as patterns around an answer's name or code.

Every pattern is anchored at a name or bounded in length, so that reading takes linear time.
"""

from __future__ import annotations

import re

from peerjudge.verdicts.codes import CODE, NAME, NOUN

REACH = 100
"""Maximum number of characters before a name that belong to the statement about it."""

_CUE_WORDS = (
    "choos|choic|chose|pick|select|prefer|favo|recommend|vote|go with|going with|opt for|"
    "side with|better|best|superior|stronger|win|edge|advantage|nod|rating|score|equal|"
    "equivalent|tie|draw|on par|quality|more|less|worse|inferior|not as|not quite as|high|"
    "answer|output|verdict|decision|judg|lean|settle|crown|declare|neither|[[|stick|stand by|"
    "stay with|switch|chang|shift|mov|revis|updat|maintain|uphold|keep|most|few|edges|"
    "it is|win for|beats|outperform|"
    "rank|weaker|poorer|loses|trails|lags|short of|beaten|surpass|outdo|outshin|defeats|takes it|takes"
    " this|hold on|side of|in front"
    "|ahead|on top|the one i|first|above|go for|goes to|give it|give this|gives|what the user|deserve the"
    " same|sorry|scratch|orrection:|i mean"
)


_CHOICE_WORDS = (
    "choos|chose|pick|select|prefer|favo|recommend|vote for|go for|going for|with|"
    "opt for|lean|settle|declare|"
    "crown|stand|hold|maintain|uphold|keep|switch|chang|shift|mov|revis|updat"
)
_CUES = tuple(_CUE_WORDS.split("|"))
_CHOICES = tuple(_CHOICE_WORDS.split("|"))


def has_choice(sentence: str) -> bool:
    """Return `True` if a sentence contains a verb of choosing."""
    return contains(sentence.lower(), _CHOICES)


def has_cue(sentence: str) -> bool:
    """Return `True` if a sentence contains a word of any phrase below."""
    return contains(sentence.lower(), _CUES)


def contains(lower: str, words: tuple[str, ...]) -> bool:
    """Return `True` if a text contains one of the words."""
    for word in words:  # noqa: SIM110 -- a plain loop takes half the time of `any`
        if word in lower:
            return True
    return False


NAMES = re.compile(NAME)
JOINED_AFTER = re.compile(
    r"(?: for (?!its\b|the\b|being\b|their\b|this\b|these\b)[\w' -]{1,30}?)?"
    rf",? (?:and|or|nor|&|/) (?:also )?{NAME}"
)
QUALIFIED = re.compile(
    r"(?: (?:as|the|an?) [\w ]{1,30}?)?,? (?:only )?(?:if|unless|when|were it|had it|provided that"
    r"|assuming|as long as|earlier|before|initially|previously"
    r"|originally|at first|in (?:my|the) (?:first|initial|previous|earlier|private))\b"
)
"""After a name: the choice is conditional or was given up."""
JOINED_BEFORE = re.compile(rf"{NAME},? (?:and|or|nor|&|/) $")

_WILLING = (
    r"(?: (?!(?:not|never|cannot|also|was|were|but|because|which|if|hard|used|no|withdraw|regret"
    r"|retract)\b|tempted|inclined"
    r"|initially|originally|previously|hesitate|refuse|unable|difficult|nearly|almost"
    r"|might|may|could|why|how|wonder|whether|who|those|reviewers?|colleagues?|you|they|he|she|someone"
    r"|others|most|people|many|some|everyone|everybody|anyone|readers?|users?|experts?|graders?"
    r"|\w+n't\b)[\w']+)"
)
_I_WOULD = rf"\b(?:[Ii]|[Ww]e)(?:'d|'ll|'m)?{_WILLING}"
_I = (
    rf"(?:{_I_WOULD}{{0,6}}?|(?:^|[.,;:] |\b(?:[Tt]herefore|[Tt]hus|[Hh]ence|[Ss]o) )(?i:please )?)"
)
_VERB = (
    r"(?i:choose|chose|choosing|picking|pick|selecting|select|prefer|favou?r|recommend|vote for|go with"
    r"|going with|go for|going for|opt for|side with|lean towards?|leaning towards?|settle on|declare|crown"
    r"|stick with|sticking with|stand by|standing by|stay with|staying with|hold on to|remain with"
    r"|end(?:ed)? up with|maintain|uphold"
    r"|keep my (?:choice|verdict|vote|preference)"
    r"|(?:switch|chang|shift|mov|revis|updat)(?:e|ed|ing|es)?(?: [\w'()]+){0,6}? to)"
)
_GAP = (
    r"(?: (?!over\b|than\b|instead|rather\b|if\b|but\b|not\b|and\b|or\b|because\b|either\b|both\b|as\b"
    r"|also\b|between\b|compared|whether\b|when\b|neither\b)[\w'-]+){0,7}?"
)
_STOP = (
    r"(?=$|[.,;:!?)\]\"]| (?:as|because|since|for|over|instead|and|but|rather|due|with|based|given|in"
    r"|which|on(?! the (?:assumption|condition) that)|to|is|here|now|then|again|this time"
    r"|after all|-)(?:[ .,;:!]|$)| \()"
)
_OBJECT = r"(?: (?i:number|choice|verdict|the|with|as|my|of))*"
_NOT_BOTH = rf"(?!(?: for [\w' -]{{1,30}}?)?,? (?:and|or) {CODE})"

CHOOSES = re.compile(rf"{_I} ?{_VERB}{_GAP}(?<! it to)(?<! that to)(?<! this to):? \(?$")
"""Before a name: "I would recommend choosing "."""
CHOOSES_CODE = re.compile(rf"{_I} ?{_VERB}{_OBJECT}:? [\"']?({CODE}){_NOT_BOTH}{_STOP}")

KEEPS = re.compile(rf"{_I} ?keep (?:(?:to|with) )?$")
"""Before a name: "I will keep ", a verdict only if the sentence then ends or gives a reason."""
KEPT = re.compile(rf"(?! in mind){_STOP}")

OVERALL = re.compile(r"^(?i:overall|final|in total) ?[:=] $")
"""Before a name that ends the sentence: the verdict after those on aspects."""

_SETTLED = "choice|winner|verdict|decision|preference|selection|pick|judge?ment|vote|recommendation"
_ARTICLE = r"(?:my|the|final|better|best|overall|preferred|correct|chosen|superior|winning|two|of)"
_WHERE = r"(?: (?:of the two|overall|here|for me|in my opinion|for (?:this|the)(?: [\w']+){1,3}))?"
_IS = r"(?: is| remains| stays| would be| should be| goes to| has to be| must be|:)+"

DECLARES = re.compile(
    rf"(?i:^(?:(?:a|the) )?(?:clear|narrow|easy)? ?(?:win|victory) for )$"
    rf"|(?i:\b{_ARTICLE} (?:{NOUN}|one|{_SETTLED}){_WHERE}{_IS}(?: (?:that of|the one (?:by|from)))?) $"
    rf"|(?i:\b(?:{NOUN}|one) (?:that|which) (?:\w+ly )?(?:better|best|mo(?:re"
    rf"|st) \w+ly) [^,.;:]{{2,80}}? (?:is|remains)) $"
    r"|(?i:\b(?:choose|pick|prefer|decide|select)\b[^.;]{0,40}, (?:(?:it|that|this)"
    r" (?:would|will|must)(?: have to)? be(?: with)?|it's|it is) )$"
)
"""Before a name: "the better answer is "."""
DECLARES_CODE = re.compile(
    rf"(?i:\b{_ARTICLE} (?:{_SETTLED}){_WHERE}{_IS}):? (?:number )?[\"']?({CODE}){_STOP}"
)
ANSWER_IS_CODE = re.compile(
    rf"(?i:\b{_ARTICLE} (?:answer|output|response){_WHERE}{_IS}):? (?:number )?[\"']?({CODE}){_STOP}"
)
_ENDS = (
    r"(?=$|[.,;:!)]| (?:than|because|as|since|overall|due|and|for (?:the|this|these|its|several|being)"
    r"|in (?:this|my|that|general|comparison)|of the|between|here|based|given|while|with|but|by|among"
    rf"|(?i:AI|{NOUN}|one|{_SETTLED}))\b)"
)
UNDECIDED = re.compile(
    r"\]\] (?:if|when|in case|for (?:a )?(?:tie|draw))\b|\]\]\W{0,5}(?:(?:or|and|nor|vs|versus)\W{1,5})?\[\["
)
"""Bracketed alternatives without a choice: "[[A]] or [[B]]"."""

BRACKETED_TIE = re.compile(r"\[\[(?i:tie|draw)\]\]")
BRACKETED = re.compile(r"\[\[([A-E1-9])(?:(>{1,3}|<{1,3}|=)([A-E1-9]))?\]\]")
CODE_IS_BETTER = re.compile(
    rf"(?:^|, |\bthat )({CODE}) (?:is|was)(?: clearly| slightly| much)?(?: the)? (?:better|best)\b{_ENDS}"
)

_EDGE = (
    r"(?:(?:a|an|the|very|slight|slightly|small|clear|higher|overall) )*"
    r"(?:edge|advantage|nod|win|rating|score)"
)
GIVES = re.compile(rf"{_I_WOULD}{{0,3}} give (?P<to>{_EDGE} to )?$")
"""Before a name: "I would give ", or all of "I would give a slight edge to "."""
EDGE = re.compile(rf" {_EDGE}\b(?! of)")

SERVED = re.compile(
    r"(?i:\b(?:is|are|would be|will be) (?:(?:clearly|much|far) )?better (?:served|off|helped) (?:by"
    r"|with|choosing) )$"
)
"""Before a name: the user is better served by this answer."""

_ADVERBS = (
    r"(?: (?!(?:not|no|less|more|only|hardly|never|rarely|barely|scarcely|supposedly|allegedly|possibly"
    r"|potentially)\b)"
    r"(?:\w+ly|also|still|far|much|a|bit|little|somewhat|overall|by|indeed|therefore|thus"
    r"|in my opinion|the)){0,4}"
)
_BE = (
    r" (?:is|was|are|were|would be|will be|as|being|to be|seems|appears|provides|provided|has|gives"
    r"|gave|offers|offered|did|does|remains|stands out as)"
)
_FOR_SOME = r"(?! (?:for (?:users|people|someone|those)|but (?:not|only))\b)"

DOES_BETTER = (
    r" (?:does )?(?:helps?|serves?|answers?|address(?:es)?|follows?|fulfil?ls?|meets?"
    r"|carr(?:ies|y) out) (?:the|this) (?:user|question|request|instruction)s? "
    r"(?:much |clearly |slightly )?(?:better|best|more|most)"
)
"""After a name: the words in which a prompt asks for the verdict, "helps the user more"."""

_OTHER = (
    rf"(?:{NAME}|(?i:the (?:other|latter|former|first|second)|(?:its"
    r"|the) (?:rival|competitor|opponent|counterpart|competition|alternative)))"
)
_ONE_RESPECT = (
    r"(?!,? (?:provided|assuming|as long as|so long as|supposing|with (?:regard|respect)|regarding|at\b"
    r"|when it comes|as (?:far as|regards|to)\b|(?:in|on) (?:style|tone|form|format|length|detail"
    r"|clarity|grammar)\b"
    r"|(?!(?:suit|align|equip|tailor|adapt|ground|need|inde)\w*)\w+ed\b|written\b|known\b))"
)
IS_BETTER = re.compile(
    rf"(?:{_BE}{_ADVERBS} (?:to be )?(?:better|best|superior(?: to)?|preferable|preferred|(?:(?:clear|obvious"
    rf"|overall|narrow) )?winner"
    rf"|winning|stronger|ahead)"
    rf"|{DOES_BETTER}){_FOR_SOME}{_ONE_RESPECT}{_ENDS}|,? wins(?! in\b| on\b){_ENDS}"
    rf"|(?: (?:narrowly|clearly|slightly|easily|just))? (?:edges out|beats|outperforms|surpasses"
    rf"|outdoes|outshines"
    rf"|defeats) {_OTHER}| it is(?=[.!]|$)| (?:takes it|comes out (?:ahead|on top)){_ENDS}"
    r"| (?:is|was) the (?:lesser (?:evil|of (?:the )?two evils)|less(?:er)? bad|least bad)\b"
    r"|(?: [^.;:]{3,90})?,? (?:and |so )?(?:that|this|which)(?: is|'s) (?:exactly |precisely )?why (?:it|I)"
    r" (?:wins|(?:prefer|chose|choose|pick|picked|favou?r) it|is (?:the )?(?:better|best|stronger)|comes out"
    r" ahead|gets my vote)\b"
    r"| (?:is|was|remains) (?:(?:clearly|overall|thus|therefore) )?the (?:better|best|stronger"
    r"|superior) (?!known|seller|part|half|thing)[a-z]+"
    r"(?=[.,;!]|$| (?:overall|of the two|here|because|since)\b)"
    r"| (?:is|was) (?:(?:clearly|overall|generally|also) )?of (?:(?:a|much|clearly|significantly|slightly) )*"
    r"(?:higher|better|superior) quality"
    rf"| (?:better|best) (?:satisf\w+|meets?|address\w*|answers?|follows?|fulfil\w*|serves?"
    rf"|aligns? with|suits?"
    r"|fits?|match\w*|responds? to|adheres? to|complies with|handles?) (?:(?!(?:first|second|third"
    r"|other|one)\b)[\w'-]+ ){0,3}"
    r"(?:users?|requests?|questions?|prompts?|instructions?|tasks?|needs?|criteri\w+|requirements?"
    r"|query|rubric|brief|assignment)\b(?! (?:of|about|on|for)\b)"
    r"|(?: [^.,;:()0-9]{1,60})?,? (?:and |so |which |because )?(?:that|this|which)? ?makes? it (?:the )?"
    r"(?:better|best|stronger|superior|winner|preferable)\b(?! (?:for|in)\b)"
)
ASPECT = re.compile(
    rf"(?:(?: over| than| to)? {_OTHER})?,? (?:but |though |and )?(?:only |just )?(?:in|on"
    rf"|at) (?!(?:this|that|these|those|my|our"
    r"|general|every|all|both|most|nearly|many|several|conclusion|fact|total|particular|comparison"
    r"|terms of (?:overall"
    r"|quality)|its (?:own|entirety)|the (?:end|present|given|comparison|whole)|balance|average)\b)"
)
"""After praise: the judgement is about one aspect only."""
CONDITIONAL = re.compile(
    rf"(?: (?i:AI|{NOUN}|one|choice))?(?: (?:than|to) {_OTHER})?(?: (?:of the two|here|overall))?,? (?:but )?"
    r"(?:only )?(?:if(?! (?:only|just|barely|narrowly|slightly|marginally|by)\b)|unless|once|when"
    r"|provided|assuming|as long as|had it|were it|or so|(?<=would be better )with(?:out)?|except (?:that"
    r"|if|when))\b"
)
"""After praise: the judgement holds under a condition only."""
OPINES = re.compile(
    rf"{_I_WOULD}{{0,2}} (?:rate|rank|score|consider|find|found|trust|like|value|deem|judge|say|think"
    rf"|believe|conclude"
    r"|feel|argue|hold|agree(?: with [\w ()]{1,30}?)?|am convinced)(?: that)? $"
)
"""Before a name: "I would rate "."""
RANKS = re.compile(rf"{_I_WOULD}{{0,2}} (?:rate|rank|place|put) $")
"""Before a name and "first"."""
OPINED = re.compile(
    r"(?: above\b| ahead of\b|(?: (?:is|was|provided|provides|gave|did|has))?(?: slightly"
    r"| much| a bit| a)* (?:higher|better|more"
    r"|(?:(?:clearly|much|slightly) )?(?:preferable|superior|stronger|the (?:better|stronger|best))"
    r"|(?:as|to be)(?: being| slightly| the| a bit| much)* (?:better|best|superior|more))\b)"
)
FLAWS = (
    r"(?:error|mistake|issue|problem|bug|flaw|verbose|wordy|confusing|repetitive|complicated|vague|generic"
    r"|limited|irrelevant|incorrect|inaccurate|difficult|harmful|biased|superficial|unnecessary|redundant)"
)
_NO_FLAW = rf"(?! (?:[\w-]+ ){{0,2}}{FLAWS})"
_SURFACE = (
    r"(?! (?:job (?:with|on|in)|grammar|spelling|punctuation|style|tone|format|formatting|layout|comments"
    r"|titles?|headings?)\b)"
)
_WHOLE = (
    rf"(?:(?<!the better)|(?= (?:(?:and|of|overall|quality|explanation|job|work|fit|option|one"
    rf"|{NOUN})\b|[a-z]+ly\b))"
    r"|(?=[.,;:!]|$))"
)
"""After "the better": what is about the whole answer, and not its title or its end."""
IS_MORE = re.compile(
    rf"(?:,? (?:which|who|that))? (?!(?:and|or|but|the|needs?|lacks?|requires?|could|should|would|with)\b)\w+"
    rf"{_ADVERBS}(?: (?:slightly|being))* (?:more(?! (?:than|to)\b)"
    rf"|better{_WHOLE}{_SURFACE}{_ONE_RESPECT})\b{_NO_FLAW}"
    rf"| (?:has|contains) (?:the )?few(?:er|est) {FLAWS}"
)
DOES_MORE = re.compile(
    r" (?!(?:is|was|are|were|has|seems|appears|would|could|might|may)\b)"
    r"(?:(?!(?:not|never|no|less|fewer|hardly|rarely|barely|scarcely|seldom|supposedly|allegedly|and|but"
    r"|or|if|only|than"
    r"|in|on|for)\b)[\w'-]+ ){2,7}"
    rf"(?:more \w+ly|better) than {_OTHER}(?![^.]*\b(?:but|yet|however|although|though)\b)"
)
"""After a name: "follows the instruction more closely than the other answer"."""
_QUALITIES = rf"(?!{FLAWS})[\w-]+(?:,? (?:and )?[\w-]+){{0,3}}"
IS_LESS = re.compile(
    rf"{_BE}{_ADVERBS} (?:worse|inferior|weaker|poorer|less {_QUALITIES}|not (?:as|quite as) {_QUALITIES})"
    rf" (?:than|as|to) ({NAME})"
)

_ALL = (
    r"(?:two|both|they|answers|responses|assistants|outputs|submissions|solutions|them|these|all"
    rf"|(?:and|or) {NAME})"
)
EQUAL = re.compile(
    rf"\b(?i:{_ALL})(?: (?:{NOUN}s|of them|AI|are|were|as|is|to be|being|equally|both|all|therefore"
    r"|roughly|essentially|overall|generally))*'?"
    r" (?:equivalent|equal|tied|equally (?:good|well|(?P<merit>strong|effective|helpful|useful|valid"
    r"|satisfactory|convincing))|of (?:equal|the same) (?:quality|merit|value)|on (?:a )?par)\b"
    r"(?! (?:to|in (?:length|number))\b|,? (?:but|yet|except)\b)(?P<partly> in (?:terms|their))?"
    rf"|\b(?:rate|score|rank|judge) (?:both|the two|them)(?: of them|(?: {NOUN}s))? (?:\w+ )?(?:equally"
    rf"|the same)(?=[.,;!]|$)"
    rf"|\b(?i:{_ALL}) (?:{NOUN}s? )?deserve the same (?:score|mark|rating)"
    rf"|\b[Nn]either (?:(?:of (?:the two|them)|{NAME} nor {NAME}|{NOUN}) )?(?:is (?:\w+ )?better|(?:has"
    rf"|holds) (?:a|an|the) (?:\w+ )?(?:edge|advantage))\b(?! in\b)"
)
EQUALS = ("equivalent", "equal", "tied", "same", " par", "either")
"""Words without which a sentence has no match of `EQUAL`."""

TIED = re.compile(
    r"\b(?i:it is|it's|this is|is|as) a (?:tie|draw)\b"
    r"|\b(?:consider|call|declare|rate|judge|deem|see|score|rule|treat|count|mark)s?(?: (?:it|this"
    r"|that|them|both"
    r"|the (?:result|comparison|contest|outcome)))?(?: as| to be)? (?:a |an )(?:tie|draw)\b"
)
NO_WINNER = re.compile(
    r"(?:\bno|(?:\bnot|n't) (?:see|find) an?) (?:clear|obvious|meaningful) (?:winner"
    r"|favou?rite)\b(?=[^.]*\bare (?:both )?equally)"
)
UNTIED = re.compile(
    r"(?i)\b(?:not|\w+n't|never|cannot|declin\w+|refus\w+|hesitat\w+|reluctant|short of|far from"
    r"|nearly|almost"
    r"|about to|tempted to|was going to|inclined to|close to|rather than)\b[^,;:.]*$"
)
"""Before words that call the answers equal: the clause denies it."""

CORRECTS = re.compile(
    rf"\b(?i:sorry|scratch that|correction|i meant?)[,:]? (?:(?i:it is|i choose|i meant?|make (?:it"
    rf"|that)) )?({NAME})(?=[.!]|$)"
)
"""A name in place of the one before it: "I choose Answer 1, sorry, Answer 2."."""
CORRECTS_CODE = re.compile(
    rf"(?:^|\W)(?:{NAME}|{CODE})\W+(?:.{{0,60}}?\W)?(?i:sorry|scratch that|no,? wait|correction|i mean)[,:]?"
    rf" (?:(?i:i mean|make that|that is) )?({NAME}|{CODE})(?!\w)"
)
"""A code in place of the one before it: "I prefer A - sorry, I mean B - since"."""
IS = re.compile(r" is(?=[.!]?$)")
NOT_THE_OTHER = re.compile(
    rf"{NAME} (?:is|was) not (?:the )?(?:better|best|stronger|superior"
    rf"|winner)\b[^.;:]{{0,30}}[;,:] (?:but |rather )?$"
)
"""Around a name: "Answer 1 is not the better one; Answer 2 is"."""
