"""Reader of verdicts in languages other than English, by the tables in `european` and `east_asian`.

A sentence is a verdict only if the whole of it, or its last clause after words that concede or give a reason,
has one of the forms of a language. So a sentence that is negated, conditional, reported or about one
aspect is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from unicodedata import normalize

from peerjudge.verdicts.codes import TIE_CODE
from peerjudge.verdicts.east_asian import CHINESE, JAPANESE
from peerjudge.verdicts.european import FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH
from peerjudge.verdicts.languages import Language
from peerjudge.verdicts.russian import RUSSIAN

_MARK = r"(?-i:\(?#?[1-9](?![A-Za-z0-9_/%])(?!\.\d)\)?|\([A-Ea-e]\)|[A-E](?![A-Za-z/+]))"
_BARE = r"(?-i:[1-9](?![A-Za-z0-9_/%])(?!\.\d)|\(?[A-E]\)?(?![A-Za-z])|\([a-e1-9]\))"
_WRAP = " \"'*"
_LONGEST = 400
_LABEL = re.compile(r"[1-9]|(?<=\()[A-Ea-e](?=\))|[A-E](?![a-z])")


@dataclass(frozen=True)
class Form:
    """Pattern of a verdict; `decides` and `ties` say what a match means.

    A form with `whole` is no verdict as a clause: "..., but Answer 2 is clearer". A `bare` name is one only
    after words of a conclusion: "Also Antwort 2."
    """

    pattern: re.Pattern[str]
    decides: bool
    ties: bool
    whole: bool
    bare: bool


@dataclass(frozen=True)
class Speech:
    """Patterns of one language, compiled when a reply first holds one of its signs."""

    language: Language

    @cached_property
    def name(self) -> str:
        """Pattern of an answer's name."""
        words = self.language
        return (
            rf"(?:{words.article})?(?:(?:{words.noun}) ?{_MARK}{words.owned}"
            rf"|(?:{'|'.join(words.ordinals)}){words.owned}|(?-i:\([A-Ea-e]\)))"
        )

    @cached_property
    def names(self) -> re.Pattern[str]:
        """Compiled pattern of an answer's name."""
        return re.compile(rf"(?i){self.name}")

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """All forms of verdicts: decisions, judgements and ties."""
        words, verbs = self.language, self.language.verbs
        decides = (*words.decides, *(verbs.decides() if verbs else ()))
        calls = (*words.calls, *(verbs.calls() if verbs else ()))
        praises = (*words.praises, *(verbs.praises() if verbs else ()))
        kinds = (
            (("{N}",), True, False, True),
            (decides, True, False, False),
            (calls, False, False, False),
            (words.ties, False, True, False),
            (praises, False, False, True),
        )
        return tuple(
            Form(self._compile(form, ties=ties), decided, ties, whole, form == "{N}")
            for forms, decided, ties, whole in kinds
            for form in forms
        )

    @cached_property
    def turn(self) -> re.Pattern[str]:
        """Pattern of what stands before a judgement after "but"."""
        but = self.language.but
        return re.compile(rf"(?i)(?:.*[,;、] ?|)(?!aunque|embora)(?:{but})[,、]?\s*(?=\w)")

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """Pattern of a clause before a verdict that gives a reason or concedes something."""
        return re.compile(rf"(?i)(?:{self.language.leads}).{{1,200}}?[,、] ?(?=\w)")

    @cached_property
    def inference(self) -> re.Pattern[str]:
        """Pattern of what stands before a clause that infers: ", so I choose ..."."""
        return re.compile(rf"(?i).*[,、]\s*(?=(?:{self.language.opens})\b)")

    @cached_property
    def others(self) -> re.Pattern[str]:
        """Pattern of words for other people and conditions."""
        return re.compile(rf"(?i){self.language.others}")

    @cached_property
    def but(self) -> re.Pattern[str]:
        """Pattern of words that take a verdict back."""
        return re.compile(rf"(?i)\b(?:{self.language.but})")

    @cached_property
    def refuses(self) -> re.Pattern[str]:
        """Pattern of a sentence that declines the task, with an apology before it or without."""
        return re.compile(rf"(?i)(?:[^.。]{{0,60}}[,;.、] ?(?:\w+ )?)?(?:{self.language.refuses})")

    def code(self, name: str) -> int | None:
        """Return the code of a name or bare code."""
        words = self.language
        for place, ordinal in enumerate(words.ordinals, 1):
            if re.fullmatch(rf"(?i)(?:{words.article})?(?:{ordinal}){words.owned}", name):
                return place
        marks = _LABEL.findall(name)
        if not marks:
            return None
        mark = marks[-1]
        return int(mark) if mark.isdigit() else ord(mark.upper()) - ord("A") + 1

    def _compile(self, form: str, *, ties: bool) -> re.Pattern[str]:
        words = self.language
        form = form.replace("{N}", f"(?P<n>{self.name})").replace("{O}", f"(?:{self.name})")
        form = form.replace("{C}", f"(?P<n>{self.name}|(?:{words.article})?{_BARE})").replace(
            " ", r"\s*"
        )
        rest = f"{words.reason}|[,;、]" if ties else words.reason
        return re.compile(
            rf"(?i)(?P<opens>(?:{words.opens}) ?[,、:]?\s*)?(?:(?:{words.view}),?\s*)?(?:{form})"
            rf"(?P<within> (?:{words.within}) [^,;.]+)?(?P<rest>(?:{rest}).*)?"
        )


LANGUAGES = (GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN, CHINESE, JAPANESE)
_SPEECHES = tuple(map(Speech, LANGUAGES))
_CLAUSES = re.compile(r".*[、,]\s*(?=(?:因此|所以|故|综上|我|私は))|.*(?:ため|ので)、")
_INFERS = ("因此", "所以", "故", "综上")
"""Words of a conclusion, which may belong to the opinion of others before it."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zß-ÿ])|(?<=[\u3002\uff01\uff1f])")
_CLOSES = " .!\u3002*\"'"
_WHICH = re.compile(
    r"(?i)\b(?:laquelle|lequel|quelle|si|cuál|qué|qual|se|welche[rs]?|ob)\b|哪|どちら"
)
"""Words after which a reply cannot tell what is better, and does not decline to judge."""


def find_speeches(text: str) -> list[Speech]:
    """Return the languages other than English in which a text may state a verdict or a refusal."""
    text = text.lower()
    return [each for each in _SPEECHES if any(sign in text for sign in each.language.signs)]


def find_foreign(lines: Sequence[str], spoken: Sequence[Speech]) -> Iterator[tuple[bool, int]]:
    """Yield the verdicts of lines in these languages in order: `True` for a decision, and the code."""
    for sentence in _sentences(lines):
        found = next(filter(None, (_read_turn(sentence, each) for each in spoken)), None)
        if found is not None:
            yield found


def foreign_name(line: str, spoken: Sequence[Speech]) -> int | None:
    """Return the code of a line that only names an answer in one of these languages."""
    name = normalize("NFKC", line).strip(_WRAP + _CLOSES)
    name = name.removesuffix("です")
    codes = [each.code(name) for each in spoken if each.names.fullmatch(name)]
    return codes[0] if codes else None


def refuses_in(lines: Sequence[str], spoken: Sequence[Speech]) -> bool:
    """Return `True` if a sentence of the lines declines the task in one of these languages."""
    return any(
        each.refuses.fullmatch(sentence) and not _WHICH.search(sentence)
        for sentence in _sentences(lines)
        for each in spoken
    )


def _sentences(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        for sentence in _SENTENCES.split(line[-_LONGEST * 4 :]):
            # Full-width punctuation, letters and digits become ASCII.
            clean = normalize("NFKC", sentence).strip(_WRAP).rstrip(_CLOSES)
            if clean and len(clean) <= _LONGEST:
                yield clean


def _read_turn(sentence: str, speech: Speech) -> tuple[bool, int] | None:
    """Read a sentence, or its clause after "but" or a lead; others may be speaking before that clause."""
    if found := _read(sentence, speech):
        return found
    infers = speech.inference.match(sentence)
    turn = (
        speech.turn.match(sentence)
        or _CLAUSES.match(sentence)
        or infers
        or speech.lead.match(sentence)
    )
    found = _read(sentence[turn.end() :], speech, whole=False) if turn else None
    if turn is None or found is None:
        return found
    if found[0] and turn is not infers and not sentence.startswith(_INFERS, turn.end()):
        return found
    return None if speech.others.search(turn[0]) else found


def _read(sentence: str, speech: Speech, *, whole: bool = True) -> tuple[bool, int] | None:
    """Return whether a sentence decides, and its code; `None` if it has no form of the language."""
    for form in speech.forms:
        found = form.pattern.fullmatch(sentence) if whole or not form.whole else None
        if found is None or ((found["within"] or form.bare) and not found["opens"]):
            continue
        rest = found["rest"] or ""
        if rest and (speech.but.search(rest) or (form.ties and speech.names.search(rest))):
            continue
        code = TIE_CODE if form.ties else speech.code(found["n"])
        if code is not None:
            return form.decides or bool(found["opens"]), code
    return None
