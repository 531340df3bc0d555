"""Verdicts stated in prose: the sentence chooses, prefers or praises an answer, or calls all equal.

A statement has a strength. `DECIDED` are conclusions ("I choose 2", "Therefore, Output (a) is
better"); the last one holds. `CALLED` are plain judgements ("Answer 1 is better") and `PRAISED`
comparisons of one quality ("Answer 1 is more detailed"); they hold only if all agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from peerjudge.verdicts.codes import CONTRADICTION, NAME, NOUN, TIE_CODE, code_of
from peerjudge.verdicts.phrases import (
    ANSWER_IS_CODE,
    ASPECT,
    BRACKETED,
    CHOOSES,
    CHOOSES_CODE,
    CODE_IS_BETTER,
    CONDITIONAL,
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
    REACH,
    SERVED,
    TIED,
    UNDECIDED,
    UNTIED,
    has_choice,
    has_cue,
)

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
    r"|many|some|most|anyone|anybody|people|readers?|users?|experts?|critics|author|everyone|someone|somebody)"
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
    r"|(?:^|(?<=[,;:] ))(?P<aspect>(?:in terms of|as (?:for|to)|on|in|regarding|concerning|when it comes to"
    r"|with (?:regard|respect) to|as far as) (?!(?:my|the (?:end|whole)|balance|reflection|this"
    r"|that|general"
    r"|overall|conclusion|summary|short|accordance|line|light|view|addition|contrast|comparison"
    r"|particular|total|fact|these|those|second|most|all|every|its)\b)[\w' -]{2,40}"
    r"|for an? (?:\w+ ){0,2}(?:readers?|users?|child|person|beginners?|experts?|audience|student|layman)"
    r"|for (?!(?:me|its?|the|this|these|that|those|all|both|a|an|my|example|instance)\b|\w+ing\b)\w+)"
    rf"(?=,? (?:{NAME.lower()}|i\b|we\b|both\b|they\b))"
    r"|(?P<past>initially|originally|previously|earlier|at first|first (?:thought|chose|preferred|picked)"
    rf"|{_FORMER} (?:choice|review|verdict|thought|impression|view|judge?ment|evaluation|preference"
    r"|vote|opinion))"
    r"|(?P<condition>if(?! (?:i|we) (?:had|have|were|must|could (?:only )?(?:keep|choose|pick|send"
    r"|use|take))\b)|unless|assuming|suppos(?:e|ing)"
    r"|as long as|only when|in case"
    r"|depending on|on another day)|(?:^|(?<=[,;:] ))(?P<condition_>had|were)"
    r"|(?P<doubt_>i (?:am|was) told)|(?P<report_>word has it|in the (?:eyes|view|opinion"
    r"|mind) of (?!me\b|mine\b)"
    r"|it (?:has been|is|was) (?:claimed|said|argued|alleged)"
    r"|according to (?:the |my )?(?:other|review|colleague|him|her|them|you|critics|experts|author))"
    rf"|(?P<report>said|says|saying|argue[sd]?|arguing|claim(?:s|ed|ing)?|state[sd]?|insist(?:s"
    rf"|ed)?|maintain(?:s|ed)?"
    rf"|wrote|writes|asserts?|contends?|reads|(?:end|finish|close|begin|open|start)(?:s|ed"
    rf"|ing)? with|contains"
    r"|(?:will|would|may|might|could) (?!not\b|never\b)(?:\w+ )?(?:say|think|prefer|choose|pick|find"
    r"|favou?r|vote|call)"
    rf"|{_SPEAKER}(?: [\w()]+){{0,3}} {_VIEW}))(?!\w)"
)
"""In lower case: what takes a verdict from the reviewer."""
_CALLED_FALSE = re.compile(
    r"(?i)^(?:that|calling|saying|claiming|to (?:say|call|claim|think))\b.*\b(?:untrue|false"
    r"|wrong|unfair|mistake"
    r"|absurd|incorrect|misleading|nonsense|unjustified)\b"
    r"|\b(?:but|and|though|yet) (?:i )?(?:have|am|has|'m) not (?:yet )?(?:decided|sure|certain|made up)\b"
)
_WITH = re.compile(r"With(?:out)?\b[^,]{3,60}, [^.]*\bwould\b")
"""What would hold in another case: "With a working link, Answer 1 would win"."""
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
_AHEAD = 60
"""Characters after the last statement that can decide on a phrase before it."""
_MEASURED = re.compile(
    r" [^,;]{1,60}? (?:better|more \w+|superior) (?:than|to) (?:(?:the|any"
    r"|every) (?:\w+ )?(?:average|usual|typical|norm|reference|baseline"
    r"|alternative|template)\b|nothing|no\b|none|I\b|we\b|you\b"
    r"|one (?:would|might|could)|expected|most\b|many\b|(?:the )?(?:average|usual|typical|norm)\b"
    r"|an?\b|its\b|before|ever\b|usual"
    r"|random|chance)"
)
"""After a name: a comparison with something that is not the other answer."""
_PART_OF = re.compile(
    rf"(?:^|[,;:] |\b(?:and|but|while|though|whereas|since|because|that|prefer|favou?r|choose|pick"
    rf"|like) )(?i:the|its) (?!quality"
    rf"|content|performance|substance|whole|overall|rest|work"
    rf"|{NOUN}|review|essay|code|story)\w+ (?:of|in) $"
)
_OWN_ASPECT = re.compile(
    r" (?:style|tone|approach|format|formatting|structure|opening|introduction|ending|title"
    r"|examples?|wording|brevity"
    r"|conciseness|clarity|humou?r|length)\b(?! (?:as the|(?:and \w+ )?makes? it)\b)"
)
"""After "Answer 1's": what is chosen or praised is one aspect."""
_MINE = re.compile(r"\b(?:I|[Ww]e)\b")
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
        if (sentence[:1] in "CST" or "not " in sentence) and _CALLED_FALSE.search(sentence):
            return cls(sentence, len(sentence) + 1, 0, ((0, "condition"),))
        therefore = _THEREFORE.search(sentence)
        conceded = _CONCEDES.search(sentence)
        return cls(
            sentence,
            therefore.end() if therefore else len(sentence) + 1,
            conceded.end() if conceded and conceded.end() < len(sentence) else 0,
            tuple(
                (cue.end(), (cue.lastgroup or "").rstrip("_"))
                for cue in _NOT_MINE.finditer(sentence.lower(), 0, last + _AHEAD)
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
        return not _MINE.search(between) and not _I_SAY.search(cue)


def reports(line: str) -> bool:
    """Return `True` if a line reports the words of another person or of an answer."""
    if _MINE.search(line):
        return False
    cues = _NOT_MINE.finditer(line.lower())
    return any((cue.lastgroup or "").startswith("report") for cue in cues)


PRAISED, CALLED, DECIDED = 1, 2, 3

Statement = tuple[int, int]
"""Strength and verdict code."""

_Found = tuple[int, int, int, int]
"""Start of a statement, position of the answer's name, strength, and verdict code."""


_JOINS = (" and ", " or ", " nor ", "& ", "/ ")
_COPULAS = re.compile(r":| (?:be|goes to|remains|stays)")


def find_statements(sentence: str, *, final: bool = False) -> list[Statement]:
    """Return the statements of a sentence in order.

    "The answer is 2" may belong to the task itself and counts only in the `final` sentence.
    """
    if not has_cue(sentence) or sentence.endswith("?"):
        return []
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
        if not strength and (
            ("better " in before and SERVED.search(before))
            or (IS.match(sentence, end) and NOT_THE_OTHER.search(ahead))
        ):
            strength = CALLED
        if strength:
            yield start - words, start, strength, code
        elif less := IS_LESS.match(sentence, end):
            other = code_of(less[1])
            if other is not None and other != code:
                yield start, start, PRAISED, other


def _not_alone(sentence: str, ahead: str, end: int) -> bool:
    """Return `True` if the name is one of several in a row, its choice is qualified, or it owns an aspect."""
    if sentence.startswith("'s ", end - 2) and _OWN_ASPECT.match(sentence, end):
        return True
    after = JOINED_AFTER.match(sentence, end) or QUALIFIED.match(sentence, end)
    joined = ahead.endswith(_JOINS) and JOINED_BEFORE.search(ahead[-60:])
    return bool(after or joined)


def _spoken_for(sentence: str, before: str, end: int) -> tuple[int, int]:
    """Return the strength of the words around a name, and how many characters before it they begin."""
    if before.endswith(" that ") and not (_HELD.search(before) or _MINE.search(before)):
        return 0, 0
    if before.endswith((" of ", " in ")) and _PART_OF.search(before):
        return 0, 0
    if " than " in sentence and _MEASURED.match(sentence, end):
        return 0, 0
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
            return 0, 0
        opines = OPINES.search(before)
        return (DECIDED, len(before) - opines.start()) if opines else (CALLED, 0)
    if OPINED.match(sentence, end) and OPINES.search(before):
        return CALLED, 0
    more = IS_MORE.match(sentence, end) or (" than " in sentence and DOES_MORE.match(sentence, end))
    return (PRAISED if more else 0), 0


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
                yield found.end(), found.end(), PRAISED if found["partly"] else CALLED, TIE_CODE
    if "equal" in sentence and (found := NO_WINNER.search(sentence)):
        yield found.start(), found.start(), CALLED, TIE_CODE
    if " a tie" in sentence or " a draw" in sentence:
        for found in TIED.finditer(sentence):
            if not UNTIED.search(sentence, 0, found.start()):
                yield found.end(), found.end(), CALLED, TIE_CODE
