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
_NOT_MINE = re.compile(
    r"(?i)\b(?:(?P<doubt>whether|disagree\w*|(?:not|never|cannot|\w+n't)(?: \w+){0,2} "
    r"(?:think|believe|agree|say|find|consider|see|convinced|clear|true|mean))"
    r"|(?P<condition>if(?! (?:I|we) (?:had|have|were|must)\b)|unless)"
    rf"|(?P<report>said|says|saying|argue[sd]?|arguing|claim(?:s|ed|ing)?|state[sd]?|insist(?:s|ed)?|maintain(?:s|ed)?"
    rf"|wrote|writes|asserts?|contends?|reads|ends with|contains|{_SPEAKER}(?: [\w()]+){{0,3}} {_VIEW}))\b"
)
_MINE = re.compile(r"\b(?:I|[Ww]e)\b")
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

    def disowned(self, at: int) -> bool:
        """Whether what is stated here is a condition, a doubt, a denial or somebody else's view."""
        return any(self._holds(kind, end, at) for end, kind in self.cues if end <= at)

    def _holds(self, kind: str, end: int, at: int) -> bool:
        if kind == "condition":
            return True
        between = self.sentence[end:at]
        if kind == "doubt":
            return not any(stop in between for stop in ",;:")
        return not _MINE.search(between) and not _I_SAY.search(
            self.sentence[max(0, end - 40) : end]
        )


def reports(line: str) -> bool:
    """Whether a line tells what somebody else, or an answer, says."""
    return any(cue.lastgroup == "report" for cue in _NOT_MINE.finditer(line)) and not _MINE.search(
        line
    )
