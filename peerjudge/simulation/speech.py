"""The words of a simulated reviewer: reviews, explanations, turns of a discussion, refusals.

A reply argues about the answers under the names they are shown by (Answer 1, Answer 2, ...) and ends
in the asked form. Nothing is quoted from an answer but its longest word, so that an answer cannot
put a verdict into a reviewer's mouth. Which of several phrases is used depends on the brief's key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from peerjudge.data import TIE, Answer, Verdict
from peerjudge.simulation.judgement import Decision
from peerjudge.simulation.latent import uniform

__all__ = [
    "Brief",
    "bare_verdict",
    "broken_off",
    "discussion_turn",
    "explanation",
    "private_review",
    "rating",
    "refusal",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a reply is about: the answers in the shown order, which of them find favour, how long.

    `key` decides between phrases; `words` is the wished length of the whole reply; `pressing` is what
    is said to persuade others of a verdict.
    """

    key: str
    answers: tuple[Answer, ...]
    favoured: frozenset[str]
    words: float
    pressing: str = ""

    def name(self, answer_id: str) -> str:
        """The name under which the answer is shown."""
        if len(self.answers) == 1:
            return "the answer"
        ids = [answer.id for answer in self.answers]
        return f"Answer {ids.index(answer_id) + 1}"

    def number(self, verdict: Verdict) -> str:
        """The last line that states this verdict: the answer's number, or one more for a tie."""
        for number, answer in enumerate(self.answers, start=1):
            if verdict == Verdict.of(answer.id):
                return str(number)
        return str(len(self.answers) + 1)


_PRAISE = (
    (
        "{it} deals with what was actually asked.",
        "{it} goes straight to the heart of the question.",
        "What the question needs is all there in {it}.",
    ),
    (
        "The claims in {it} are plausible and come with reasons.",
        "I find nothing in {it} that would need support and has none.",
        "{it} keeps to what can be backed up.",
    ),
    (
        "{it} is easy to follow from start to end.",
        "One point leads to the next in {it}.",
        "{it} is well ordered and reads smoothly.",
    ),
    (
        "{it} keeps to the instruction, its format included.",
        "{it} does what it was told to do, no more and no less.",
        "The constraints of the question are respected in {it}.",
    ),
    (
        "The level of detail in {it} is about right.",
        "{it} is specific where it matters.",
        "{it} gives details that help the reader.",
    ),
)
_CRITICISM = (
    (
        "{it} drifts away from what was asked.",
        "{it} leaves part of the question open.",
        "The core of the question is touched only lightly in {it}.",
    ),
    (
        "Some claims in {it} have no visible support.",
        "I would want evidence for several statements in {it}.",
        "{it} asserts more than it can show.",
    ),
    (
        "{it} jumps between points and is harder to follow.",
        "The order of points in {it} is loose.",
        "{it} reads a little disjointed.",
    ),
    (
        "{it} takes liberties with the instruction.",
        "{it} does something other than it was told to do.",
        "A constraint of the question is passed over in {it}.",
    ),
    (
        "{it} stays general where details were needed.",
        "{it} could be more specific.",
        "{it} has details, but not the ones that matter.",
    ),
)
_OPENINGS = (
    "I compared the answers on what they cover, how well they are supported and how they read.",
    "Here is how I weigh the answers.",
    "Reading the answers against the question, I note the following.",
    "I look first at whether the question is answered, then at support and order.",
)
_CHOICES = (
    "On balance {choice} is the better answer.",
    "All in all I prefer {choice}.",
    "Weighing these points, I choose {choice}.",
)
_TIES = (
    "All in all neither is clearly ahead, so I call it a tie.",
    "On balance they are equally good.",
)
_KEPT = (
    "I see the point, but it does not outweigh what I noted, and I keep my preference for {mine}.",
    "That argument does not convince me, so I do not change my mind and still prefer {mine}.",
    "I have considered this and hold on to {mine}.",
)
_CHANGED = (
    "That argument persuades me, so I change my preference from {old} to {mine}.",
    "I had given this too little weight; I change my mind and now prefer {mine}.",
    "On reflection I agree and move from {old} to {mine}.",
)
_SAME = (
    "We agree, and I see no reason to change my preference for {mine}.",
    "Our reasons differ a little but the conclusion is the same: {mine}.",
)
_UNMOVED = (
    "I have heard no clear preference from the other side and stay with {mine}.",
    "Nothing that was said settles the matter, so I remain with {mine}.",
)
_CRITERIA = (
    "A good answer to this question does three things.",
    "It addresses everything that was asked and keeps to the instruction.",
    "It makes no claim that it cannot support; this weighs most.",
    "It is ordered so that a reader can follow it without effort.",
    "Length is no merit in itself.",
)
_REFUSALS = (
    "I'm sorry, but I can't help with evaluating this content.",
    "I am unable to evaluate these responses.",
)
_WORDS_PER_SENTENCE = 10
_FRAME = 45
"""Words of opening, description and closing together, roughly."""


def private_review(brief: Brief, verdict: Verdict) -> str:
    """A comparison of the answers that ends with the verdict's number."""
    return _paragraphs(
        _pick(_OPENINGS, brief.key, "opening"),
        *_arguments(brief),
        *_pressed(brief),
        _conclusion(brief, verdict),
        brief.number(verdict),
    )


def bare_verdict(brief: Brief, verdict: Verdict) -> str:
    """Nothing but the verdict's number, where no explanation is wanted."""
    return brief.number(verdict)


def discussion_turn(brief: Brief, decision: Decision) -> str:
    """A reply to the others that says whether the mind was changed, and ends with the number."""
    verdict, before, others = decision.verdict, decision.before, decision.others
    if others is None:
        heard = "I have read the discussion so far."
        phrases = _UNMOVED
    else:
        who = "Most of the other reviewers" if decision.heard > 1 else "The other reviewer"
        verb = "see" if others == TIE else "prefer"
        heard = f"{who} {verb}{'' if decision.heard > 1 else 's'} {_called(brief, others)}."
        phrases = _CHANGED if verdict != before else _SAME if verdict == others else _KEPT
    said = _pick(phrases, brief.key, "move")
    return _paragraphs(
        heard,
        *_arguments(brief, share=0.5),
        *_pressed(brief),
        said.format(mine=_called(brief, verdict), old=_called(brief, before)),
        _conclusion(brief, verdict),
        brief.number(verdict),
    )


def explanation(brief: Brief) -> str:
    """An assessment of the answers without a verdict; of what matters where none is shown."""
    if not brief.answers:
        return " ".join(_CRITERIA)
    return _paragraphs(*_arguments(brief))


def rating(brief: Brief, form: str) -> tuple[str, str]:
    """What is said before and after a score: nothing after it where no JSON is asked for.

    `form` is the reply form of the cue, such as `schema_reasons_score`.
    """
    reasons = _arguments(brief)
    if not form:
        return _paragraphs(*reasons, ""), ""
    written = json.dumps(" ".join(reasons))
    if form.endswith("reasons_score"):
        return f'{{"reasons": {written}, "score": ', "}"
    return '{"score": ', f', "reasons": {written}}}' if form.endswith("reasons") else "}"


def broken_off(brief: Brief) -> str:
    """The beginning of a review that ends in mid-sentence, as at a limit of tokens."""
    opening = _pick(_OPENINGS, brief.key, "opening")
    text = _paragraphs(opening, *_arguments(brief, share=0.5))
    words = text.split(" ")
    return " ".join(words[: max(len(opening.split()) + 4, len(words) - 4)])


def refusal(brief: Brief) -> str:
    """A sentence that declines to judge."""
    return _pick(_REFUSALS, brief.key, "refusal")


def _pick(phrases: Sequence[str], *key: str | int) -> str:
    return phrases[int(uniform(*key) * len(phrases))]


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(parts)


def _called(brief: Brief, verdict: Verdict) -> str:
    return "a tie" if verdict.choice is None else brief.name(verdict.choice)


def _pressed(brief: Brief) -> tuple[str, ...]:
    return (brief.pressing,) if brief.pressing else ()


def _conclusion(brief: Brief, verdict: Verdict) -> str:
    phrases = _TIES if verdict.choice is None else _CHOICES
    return _pick(phrases, brief.key, "conclusion").format(choice=_called(brief, verdict))


def _arguments(brief: Brief, *, share: float = 1.0) -> list[str]:
    """One paragraph per answer, about as long together as the brief wishes."""
    sentences = share * (brief.words - _FRAME) / _WORDS_PER_SENTENCE
    each = min(len(_PRAISE), max(0, round(sentences / len(brief.answers))))
    start = int(uniform(brief.key, "aspect") * len(_PRAISE))
    aspects = [(start + step) % len(_PRAISE) for step in range(each)]
    return [_paragraph(brief, answer, aspects) for answer in brief.answers]


def _paragraph(brief: Brief, answer: Answer, aspects: Sequence[int]) -> str:
    it = brief.name(answer.id)
    favour = 0.85 if answer.id in brief.favoured else 0.25
    said = [f"{it} takes {len(answer.text.split())} words{_subject(answer)}."]
    for aspect in aspects:
        praised = uniform(brief.key, "praise", answer.id, aspect) < favour
        phrases = (_PRAISE if praised else _CRITICISM)[aspect]
        said.append(_pick(phrases, brief.key, "phrase", answer.id, aspect).format(it=it))
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in said)


def _subject(answer: Answer) -> str:
    words: list[str] = re.findall(r"\b[^\W\d_]{5,20}\b", answer.text)
    return f' and brings in "{max(words, key=len).lower()}"' if words else ""
