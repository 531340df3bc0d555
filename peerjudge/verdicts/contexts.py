"""Context of a statement: a conclusion, a concession, or words that take it from the reviewer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from peerjudge.verdicts.codes import NAME
from peerjudge.verdicts.phrases import NAMES, contains

_THEREFORE = re.compile(
    r"(?i)(?:^|[,;:] |\band )(?:therefore|thus|hence|overall|ultimately|in (?:conclusion|summary|the end)"
    r"|to (?:conclude|summarize|sum up)|finally|as a result|for (?:this|these) reasons?"
    r"|given (?:this|these|that|the above)|based on|considering|consequently|accordingly|as such|so"
    r"|all things considered|all in all)\b"
)
_VIEW = (
    r"(?:prefer|cho[oi]se|chose|pick|favou?r|think|thought|believe|conclude|suggest|vote"
    r"|find|found|consider|feel|rate|rank|see|say|claim|hold|insist|wonder"
    r"|convinced(?! (?:me|us)\b)|argue)\w*"
)
_SPEAKER = (
    r"(?:reviewers?|(?:other|first|second) review|judges?|leader|follower|colleagues?|panelist"
    r"|peers?|you|they|he|she|others?|assistant"
    r"|many|some|most|anyone|anybody|people|readers?|users?|experts?|critics|author|everyone|someone"
    r"|somebody)"
)
_FORMER = r"(?:my|your|his|her|their|the) (?:first|initial|previous|earlier|private|original)"
_NOT_MINE = re.compile(
    r"\b(?:(?P<doubt>whether|disagree\w*|(?:not|never|cannot|\w+n't)(?: \w+){0,2} "
    r"(?:think|believe|agree|say|find|consider|see|convinced|clear|true|mean|call|sure|certain|claim"
    r"|concluded?|said|inferred|argued?|proven|established|imply|implies)"
    r"|(?<!no )(?<!without )(?<!without a )(?<!little )doubt\w*|far from|not the case|hesitate to"
    r"|neither do|(?:no|little) (?:reason"
    r"|evidence|proof)"
    r"|(?:mistake|wrong|incorrect|unfair|false|inaccurate|hasty|hard|difficult|absurd) to"
    r"|(?:false|untrue|wrong|incorrect|unlikely|doubtful|implausible) that|nobody|nothing|no one"
    r"|refuse|reject\w*"
    r"|by no means|(?:in )?no way|perhaps|maybe|wonder|contrary|deny|denies)"
    r"|(?:^|(?<=[,;:] ))(?P<aspect>(?:in terms of(?! overall| general)|as (?:for|to)|on|in|regarding"
    r"|concerning|when it comes to"
    r"|with (?:regard|respect) to|as far as) (?!(?:my|the (?:end|whole)|balance|reflection|this"
    r"|that|general"
    r"|overall|terms of (?:overall|general)|conclusion|summary|short|accordance|line|light|view|addition"
    r"|contrast|comparison"
    r"|particular|total|fact|these|those|second|most|all|every|its|other|a nutshell|i)\b)[\w' -]{2,40}?"
    r"|for an? (?:\w+ ){0,2}(?:readers?|users?|child|person|beginners?|experts?|audience|student|layman)"
    r"|for (?!(?:me|its?|the|this|these|that|those|all|both|a|an|my|example|instance)\b|\w+ing\b)\w+)"
    rf"(?=,? (?:{NAME.lower()}|i\b|we\b|both\b|they\b))"
    r"|(?P<past>initially|originally|previously|earlier|at first|used to|first (?:thought|chose|preferred"
    r"|picked)"
    rf"|{_FORMER} (?:choice|review|verdict|thought|impression|view|judge?ment|evaluation|preference"
    r"|vote|opinion))"
    r"|(?P<condition>if(?! (?:i|we) (?:had|have|were|must|could (?:only )?(?:keep|choose|pick|send"
    r"|use|take))\b)|unless|assuming|suppos(?:e|ing)"
    r"|as long as|only when|in case"
    r"|depending on|on another day)|(?:^|(?<=[,;:] ))(?P<condition_>had|were|provided (?:that|the))"
    r"|(?P<doubt_>i (?:am|was) told)|(?P<report_>word has it|in the (?:eyes|view|opinion"
    r"|mind) of (?!me\b|mine\b)"
    r"|it (?:has been|is|was) (?:claimed|said|argued|alleged)"
    r"|according to (?:the |my )?(?:other|review\w*|colleagues?|him|her|them|you|critics|experts|author))"
    rf"|(?P<report>said|says|saying|argue[sd]?|arguing|claim(?:s|ed|ing)?|state[sd]?|insist(?:s"
    rf"|ed)?|maintain(?:s|ed)?"
    rf"|wrote|writes|asserts?|contends?|reads|(?:end|finish|close|begin|open|start)(?:s|ed"
    rf"|ing)? with|contains"
    r"|(?:will|would|may|might|could) (?!not\b|never\b)(?:\w+ )?(?:say|think|prefer|choose|pick|find"
    r"|favou?r|vote|call)"
    rf"|{_SPEAKER}(?: [\w()]+){{0,3}} {_VIEW}))(?!\w)"
)
"""In lower case: what takes a verdict from the reviewer."""
_RARELY = re.compile(
    r"(?:^|(?<=[,;:] ))(?:(?P<aspect>(?:from an? (?!user|reader|practical|general|overall)[\w ]{2,30}"
    r" (?:point of view|perspective|standpoint)|(?:sty|lingu)istically|grammatically|visually|technically"
    r"|structurally|aesthetically"
    r"|as an? (?!result|whole|consequence|final|judge|reviewer|matter|rule|last|user|reader)[\w-]+)"
    rf"(?=,? (?:{NAME.lower()}|i\b|we\b|both\b|they\b)))"
    r"|(?P<condition>(?:when|where|once|whenever) [\w' ]{1,30}(?:matters?|counts?)"
    r"|for an? (?!reason|number|variety|question|task|request|prompt|start)[\w ]{2,20}?"
    r"(?=,? (?:i|we)(?:'d| would)\b))"
    r"|(?P<report>as [\w ]{3,30} puts it|(?:reviewers?|leader|follower|colleague)(?: \w+)?(?= ?:)))(?!\w)"
)
"""Rarer ones, at the beginning of a clause."""
_RARE = (
    "atter",
    "count",
    "view",
    "perspective",
    "standpoint",
    "ically",
    "ually",
    "As a",
    "For a",
    "for a",
    " as a",
    "puts it",
    "eviewer",
    "eader",
)
_CALLED_FALSE = re.compile(
    r"(?i)^(?:that|calling|saying|claiming|to (?:say|call|claim|think))\b.*\b(?:untrue|false"
    r"|wrong|unfair|mistake"
    r"|absurd|incorrect|misleading|nonsense|unjustified)\b"
    r"|\b(?:but|and|though|yet) i?(?: ?(?:have|am|has|can|ca|could|'m))?(?: not|not|n't| no"
    r" longer)(?: \w+){0,2}"
    r" (?:decided|sure|certain|made up)\b"
    r"|\b(?:said|wrote|words were|writes|says|reads) ?: i\b"
)
_GATES = ("not ", " sure", " certain", ": I ")
_WITH = re.compile(r"With(?:out)?\b[^,]{3,60}, [^.]*\bwould\b")
"""What would hold in another case: "With a working link, Answer 1 would win"."""
_AHEAD = 60
"""Characters after the last statement that can decide on a phrase before it."""
MINE = re.compile(r"\b(?:I|[Ww]e)\b")
"""The reviewer speaks."""
_SINCE = re.compile(
    r"\b(?i:but|however|now|still|yet|final|nevertheless|again|changed?|switch|revised?)\b"
)
_WHOLE = re.compile(
    r"(?i)[;:.]|\b(?:overall|all things considered|but|therefore|so|thus|altogether)\b"
)
_I_SAY = re.compile(r"\b(?:I|[Ww]e)(?:'d|'ll)?(?: \w+){0,2} \w+$")
_CONCEDES = re.compile(
    r"(?:^|[;:] |^However, )(?i:while|although|though|even though|even if|despite)\b[^,]*"
)


@dataclass(frozen=True, slots=True)
class Context:
    """Context of the statements in a sentence: conclusion, concession and disowning phrases."""

    sentence: str
    conclusion: int
    concession: int
    cues: tuple[tuple[int, str], ...]

    @classmethod
    def find(cls, sentence: str, last: int) -> Context:
        """Find the context of the statements in a sentence, of which the last begins at `last`."""
        if sentence.startswith("With") and _WITH.match(sentence):
            return cls(sentence, len(sentence) + 1, 0, ((0, "condition"),))
        if (sentence[:1] in "CST" or contains(sentence, _GATES)) and _CALLED_FALSE.search(sentence):
            return cls(sentence, len(sentence) + 1, 0, ((0, "condition"),))
        therefore = _THEREFORE.search(sentence)
        conceded = _CONCEDES.search(sentence)
        return cls(
            sentence,
            therefore.end() if therefore else len(sentence) + 1,
            conceded.end() if conceded and conceded.end() < len(sentence) else 0,
            tuple(
                (cue.end(), (cue.lastgroup or "").rstrip("_"))
                for pattern in ((_NOT_MINE, _RARELY) if contains(sentence, _RARE) else (_NOT_MINE,))
                for cue in pattern.finditer(sentence.lower(), 0, last + _AHEAD)
            ),
        )

    def concludes(self, at: int) -> bool:
        """Return `True` if a statement at this place follows "therefore", "overall" or similar."""
        return self.conclusion <= at

    def conceded(self, at: int) -> bool:
        """Return `True` if a statement at this place is a concession ("While Answer 1 is ...")."""
        return at < self.concession

    def disowned(self, begin: int, at: int) -> bool:
        """Return `True` if a statement is conditional, doubted, in the past or another person's view.

        The statement begins at `begin` and names its answer at `at`.
        """
        return any(self._holds(kind, end, begin, at) for end, kind in self.cues if end <= begin)

    def _holds(self, kind: str, end: int, begin: int, at: int) -> bool:
        if kind == "condition":
            return True
        if kind == "aspect":
            return not _WHOLE.search(self.sentence[end:begin])
        if kind == "doubt":
            return not any(stop in self.sentence[end:begin] for stop in ",;:")
        if end <= self.concession <= begin:
            return False
        between, cue = self.sentence[end:at], self.sentence[max(0, end - 40) : end]
        if kind == "past":
            return not _SINCE.search(between)
        if self._of_an_answer(end) and "," in between:
            return False
        return not MINE.search(between) and not _I_SAY.search(cue)

    def _of_an_answer(self, end: int) -> bool:
        """Return `True` if the report that ends here is the words of an answer: "Answer 2 claims that"."""
        *_, named = [None, *NAMES.finditer(self.sentence, 0, end)]
        return named is not None and self.sentence.count(" ", named.end(), end) < 4


def reports(line: str) -> bool:
    """Return `True` if a line reports the words of another person or of an answer."""
    if MINE.search(line):
        return False
    cues = _NOT_MINE.finditer(line.lower())
    return any((cue.lastgroup or "").startswith("report") for cue in cues)
