"""Words of a simulated reviewer: reviews, explanations, turns of a discussion, refusals.

A reply argues about the answers under their shown names (Answer (a), Answer (b), ...) and ends in the
expected form. It quotes only the longest word of an answer, so that an answer cannot plant a verdict.
The key of the brief selects among phrases.

Persuasiveness travels in the text: each step of it is one more sentence that presses the point. A
listener weighs the text it reads, so a resumed or forked discussion weighs the same, and a verdict
stated without a sentence has no force.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from peerjudge.data import TIE, Answer, Verdict
from peerjudge.simulation.latent import draw_uniform
from peerjudge.simulation.traits import PERSUASIVE_STEP


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Verdict and how it came about.

    `before` is the stance up to now, `others` the stance heard (`None` without a majority), `heard`
    the number of other seats heard; 0 in private.
    """

    verdict: Verdict
    before: Verdict
    others: Verdict | None
    heard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """Content of a reply: the answers in the shown order, those it favours, and its length.

    `key` selects phrases; `words` is the wanted length of the whole reply; `pressing` holds the
    sentences that press a verdict.
    """

    key: str
    answers: tuple[Answer, ...]
    favoured: frozenset[str]
    words: float
    pressing: str = ""

    def find_name(self, answer_id: str) -> str:
        """Return the name under which the answer is shown."""
        if len(self.answers) == 1:
            return "the answer"
        return self._label(answer_id)

    def state_verdict(self, verdict: Verdict) -> str:
        """Return this verdict alone: the label of the answer, or `Tie`."""
        return "Tie" if verdict.choice is None else self._label(verdict.choice)

    def _label(self, answer_id: str) -> str:
        ids = [answer.id for answer in self.answers]
        return f"Answer ({ascii_lowercase[ids.index(answer_id)]})"


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
_PRESSING = (
    "This point alone should settle the matter.",
    "I do not see how one could weigh it otherwise.",
    "Whoever goes back to the question will come to the same conclusion.",
    "What can be said for the other side does not outweigh it.",
    "The difference is plain once one looks for it.",
    "I would stake my name on this judgement.",
)
_WORDS_PER_SENTENCE = 10
_FRAME = 45
"""Approximate words of opening, description and closing together."""


def press_point(persuasiveness: float, key: str) -> str:
    """Write the sentences that press a point; none without persuasiveness."""
    count = round(persuasiveness / PERSUASIVE_STEP)
    start = int(draw_uniform(key, "pressing") * len(_PRESSING))
    return " ".join(_PRESSING[(start + step) % len(_PRESSING)] for step in range(count))


def measure_force(text: str) -> float:
    """Return the persuasiveness with which a text was written, in logits."""
    return PERSUASIVE_STEP * sum(sentence in text for sentence in _PRESSING)


def write_review(brief: Brief, verdict: Verdict) -> str:
    """Write a comparison of the answers that ends with the label of the chosen one."""
    return _join(
        pick_phrase(_OPENINGS, brief.key, "opening"),
        *_argue(brief),
        *_press(brief),
        _conclude(brief, verdict),
        f"Choice: {brief.state_verdict(verdict)}",
    )


def write_turn(brief: Brief, decision: Decision) -> str:
    """Write a reply to the others that says whether the opinion changed, and ends with the label."""
    verdict, before, others = decision.verdict, decision.before, decision.others
    if others is None:
        heard = "I have read the discussion so far."
        phrases = _UNMOVED
    else:
        who = "Most of the other reviewers" if decision.heard > 1 else "The other reviewer"
        verb = "see" if others == TIE else "prefer"
        heard = f"{who} {verb}{'' if decision.heard > 1 else 's'} {_name_verdict(brief, others)}."
        phrases = _CHANGED if verdict != before else _SAME if verdict == others else _KEPT
    said = pick_phrase(phrases, brief.key, "move")
    return _join(
        heard,
        *_argue(brief, share=0.5),
        *_press(brief),
        said.format(mine=_name_verdict(brief, verdict), old=_name_verdict(brief, before)),
        _conclude(brief, verdict),
        f"Choice: {brief.state_verdict(verdict)}",
    )


def write_explanation(brief: Brief) -> str:
    """Write an assessment of the answers without a verdict; criteria where none is shown."""
    if not brief.answers:
        return " ".join(_CRITERIA)
    return _join(*_argue(brief))


def write_rating(brief: Brief, form: str) -> tuple[str, str]:
    """Return the text before and after a score; there is none after it where no JSON is expected.

    `form` is the reply form of the cue, such as `schema_reasons_score`.
    """
    reasons = _argue(brief)
    if not form:
        return _join(*reasons, ""), ""
    written = json.dumps(" ".join(reasons))
    if form.endswith("reasons_score"):
        return f'{{"reasons": {written}, "score": ', "}"
    return '{"score": ', f', "reasons": {written}}}' if form.endswith("reasons") else "}"


def break_off(brief: Brief) -> str:
    """Write the beginning of a review that ends in mid-sentence, as at a limit of tokens."""
    opening = pick_phrase(_OPENINGS, brief.key, "opening")
    text = _join(opening, *_argue(brief, share=0.5))
    words = text.split(" ")
    return " ".join(words[: max(len(opening.split()) + 4, len(words) - 4)])


def refuse(brief: Brief) -> str:
    """Write a sentence that declines to judge."""
    return pick_phrase(_REFUSALS, brief.key, "refusal")


def pick_phrase(phrases: Sequence[str], *key: str | int) -> str:
    """Return the phrase that the key selects."""
    return phrases[int(draw_uniform(*key) * len(phrases))]


def _join(*parts: str) -> str:
    return "\n\n".join(parts)


def _name_verdict(brief: Brief, verdict: Verdict) -> str:
    return "a tie" if verdict.choice is None else brief.find_name(verdict.choice)


def _press(brief: Brief) -> tuple[str, ...]:
    return (brief.pressing,) if brief.pressing else ()


def _conclude(brief: Brief, verdict: Verdict) -> str:
    phrases = _TIES if verdict.choice is None else _CHOICES
    return pick_phrase(phrases, brief.key, "conclusion").format(
        choice=_name_verdict(brief, verdict)
    )


def _argue(brief: Brief, *, share: float = 1.0) -> list[str]:
    """Write one paragraph per answer, together about as long as the brief wants."""
    sentences = share * (brief.words - _FRAME) / _WORDS_PER_SENTENCE
    each = min(len(_PRAISE), max(0, round(sentences / len(brief.answers))))
    start = int(draw_uniform(brief.key, "aspect") * len(_PRAISE))
    aspects = [(start + step) % len(_PRAISE) for step in range(each)]
    return [_argue_about(brief, answer, aspects) for answer in brief.answers]


def _argue_about(brief: Brief, answer: Answer, aspects: Sequence[int]) -> str:
    it = brief.find_name(answer.id)
    favour = 0.85 if answer.id in brief.favoured else 0.25
    said = [f"{it} takes {len(answer.text.split())} words{_quote_subject(answer)}."]
    for aspect in aspects:
        praised = draw_uniform(brief.key, "praise", answer.id, aspect) < favour
        phrases = (_PRAISE if praised else _CRITICISM)[aspect]
        said.append(pick_phrase(phrases, brief.key, "phrase", answer.id, aspect).format(it=it))
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in said)


def _quote_subject(answer: Answer) -> str:
    words: list[str] = re.findall(r"\b[^\W\d_]{5,20}\b", answer.text)
    return f' and brings in "{max(words, key=len).lower()}"' if words else ""
