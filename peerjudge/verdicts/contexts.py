"""What the rest of a sentence makes of a statement in it: a conclusion, a concession, or no view."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Context", "reports"]

_THEREFORE = re.compile(
    r"(?i)(?:^|[,;:] |\band )(?:therefore|thus|hence|overall|ultimately|in (?:conclusion|summary|the end)"
    r"|to (?:conclude|summarize|sum up)|finally|as a result|for (?:this|these) reasons?"
    r"|given (?:this|these|that|the above)|based on|considering|consequently|accordingly|as such|so"
    r"|all things considered|all in all)\b"
)
_VIEW = (
    r"(?:prefer|cho[oi]se|chose|pick|favou?r|think|thought|believe|conclude|suggest|vote"
    r"|find|found|consider|feel|rate|rank|see)\w*"
)
_SPEAKER = (
    r"(?:reviewer|judge|leader|follower|colleague|panelist|peer|you|they|he|she|others?|assistant)"
)
_FORMER = r"(?:my|your|his|her|their|the) (?:first|initial|previous|earlier|private|original)"
_NOT_MINE = re.compile(
    r"(?i)\b(?:(?P<doubt>whether|disagree\w*|(?:not|never|cannot|\w+n't)(?: \w+){0,2} "
    r"(?:think|believe|agree|say|find|consider|see|convinced|clear|true|mean))"
    r"|(?P<past>initially|originally|previously|earlier|at first|first (?:thought|chose|preferred|picked)"
    rf"|{_FORMER} (?:choice|review|verdict|thought|impression|view|judge?ment|evaluation|preference"
    r"|vote|opinion))"
    r"|(?P<condition>if(?! (?:I|we) (?:had|have|were|must)\b)|unless)"
    rf"|(?P<report>said|says|saying|argue[sd]?|arguing|claim(?:s|ed|ing)?|state[sd]?|insist(?:s|ed)?|maintain(?:s|ed)?"
    rf"|wrote|writes|asserts?|contends?|reads|ends with|contains|{_SPEAKER}(?: [\w()]+){{0,3}} {_VIEW}))\b"
)
_MINE = re.compile(r"\b(?:I|[Ww]e)\b")
_SINCE = re.compile(
    r"\b(?i:but|however|now|still|yet|nevertheless|again|changed?|switch|revised?)\b"
)
_I_SAY = re.compile(r"\b(?:I|[Ww]e)(?:'d|'ll)?(?: \w+){0,2} \w+$")
_CONCEDES = re.compile(
    r"(?:^|[;:] |^However, )(?i:while|although|though|even though|even if|despite)\b[^,]*"
)


@dataclass(frozen=True, slots=True)
class Context:
    """Where in a sentence conclusions begin, concessions end, and views are not the writer's own."""

    sentence: str
    conclusion: int
    concession: int
    cues: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, sentence: str) -> Context:
        """The context that a sentence gives to the statements in it."""
        therefore = _THEREFORE.search(sentence)
        conceded = _CONCEDES.search(sentence)
        return cls(
            sentence,
            therefore.end() if therefore else len(sentence) + 1,
            conceded.end() if conceded and conceded.end() < len(sentence) else 0,
            tuple((cue.end(), cue.lastgroup or "") for cue in _NOT_MINE.finditer(sentence)),
        )

    def concludes(self, at: int) -> bool:
        """Whether what is stated here follows "therefore", "overall" or the like."""
        return self.conclusion <= at

    def conceded(self, at: int) -> bool:
        """Whether what is stated here is granted only to be outweighed ("While Answer 1 is ...")."""
        return at < self.concession

    def disowned(self, begin: int, at: int) -> bool:
        """Whether what is stated here is conditional, doubted, past or somebody else's view.

        The statement begins at `begin` and names its answer at `at`.
        """
        return any(self._holds(kind, end, begin, at) for end, kind in self.cues if end <= begin)

    def _holds(self, kind: str, end: int, begin: int, at: int) -> bool:
        if kind == "condition":
            return True
        if kind == "doubt":
            return not any(stop in self.sentence[end:begin] for stop in ",;:")
        between, cue = self.sentence[end:at], self.sentence[max(0, end - 40) : end]
        if kind == "past":
            return not _SINCE.search(between)
        return not _MINE.search(between) and not _I_SAY.search(cue)


def reports(line: str) -> bool:
    """Whether a line tells what somebody else, or an answer, says."""
    reported = any(cue.lastgroup == "report" for cue in _NOT_MINE.finditer(line))
    return reported and not _MINE.search(line)
