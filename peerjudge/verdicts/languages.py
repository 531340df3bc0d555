"""Kinds of words and forms that state a verdict in a language other than English.

The tables are in `european` and `east_asian`; to add a language, add a table there and to `foreign`.

In a form, `{N}` is the chosen answer, `{O}` any other one, and `{C}` a chosen answer or its bare code.
Forms are regular expressions without regard to case; a space matches any white space.
"""

from __future__ import annotations

from dataclasses import dataclass

Forms = tuple[str, ...]


@dataclass(frozen=True)
class Verbs:
    """Words that fill the forms which European languages share; each one is an alternation.

    Attributes:
        kinds: Nouns before the colon of a labelled verdict, with what may stand around them.
        choose: Verbs of choosing in the first person, with what stands between them and the answer.
        best: "The better answer", "the winner", before "is".
        be: "Is".
        adverbs: Adverbs that leave a judgement as it is.
        better: What a better answer is.
        worse: What a worse answer is, with "than".
        than: "Than" or "to", after `better`.
        richer: "More precise and more complete", without qualities that are faults.
        serves: "Answers the question better".
        wins: Verbs without an object.
        beats: Verbs before the other answer.
        overall: "On the whole", after a judgement.
    """

    kinds: str
    choose: str
    best: str
    be: str
    adverbs: str
    better: str
    worse: str
    than: str
    richer: str
    serves: str
    wins: str
    beats: str
    overall: str

    def decides(self) -> Forms:
        """Return the forms of a decision."""
        return (
            f"(?:{self.kinds}) ?: ?{{C}}",
            f"(?:{self.choose}) (?:(?:{self.adverbs}) )*{{C}}",
            f"(?:{self.best}) (?:{self.be}) (?:(?:{self.adverbs}) )*{{N}}",
        )

    def calls(self) -> Forms:
        """Return the forms of a judgement."""
        some, end = f"(?:(?:{self.adverbs}) )*", f"(?: (?:{self.overall}))?"
        return (
            f"{{N}} (?:{self.be}) {some}(?:{self.better})(?: (?:{self.than}) {{O}})?{end}",
            f"{{N}} (?:{self.serves})(?: (?:{self.than}) {{O}})?{end}",
            f"{{N}} {some}(?:{self.wins})(?: (?:{self.than}) {{O}})?{end}",
            f"{{N}} {some}(?:{self.beats}) {{O}}{end}",
            f"{{O}} (?:{self.be}) {some}(?:{self.worse}) {{N}}",
        )

    def praises(self) -> Forms:
        """Return the forms of a comparison of merits."""
        some = f"(?:(?:{self.adverbs}) )*"
        return (f"{{N}} (?:{self.be}) {some}(?:{self.richer})(?: (?:{self.than}) {{O}})?",)


@dataclass(frozen=True)
class Language:
    """Words and forms of verdicts in one language.

    Attributes:
        signs: Lower-case parts of words without which a text holds no verdict of this language, and
            which texts in English hold rarely.
        noun: Words for an answer, before its number or letter.
        ordinals: Names of the first, second and third answer, as whole phrases.
        ties: Forms that call the answers equal.
        opens: Words before a verdict, which make it a decision.
        reason: Start of what may follow a verdict.
        but: Words that take a verdict back in what follows it.
        view: Words by which reviewers mark a judgement as their own.
        others: Words for other people and conditions, before a "but" after which a judgement may be theirs.
        refuses: Sentences that decline the task.
        verbs: Words of the shared forms, if the language has these.
        decides: Further forms of a decision; the last one holds.
        calls: Further forms of a judgement; all of a reply must agree.
        praises: Further forms of a comparison of merits; read where the whole sentence has the form.
        leads: First words of a clause before a verdict, which gives a reason or concedes something.
        within: Words before an aspect; after `opens`, a verdict may name the aspects that count.
        article: What may stand before a name.
        owned: What may stand after a name: "Assistant B's answer".
    """

    signs: Forms
    noun: str
    ordinals: Forms
    ties: Forms
    opens: str
    reason: str
    but: str
    view: str
    others: str
    refuses: str
    verbs: Verbs | None = None
    decides: Forms = ()
    calls: Forms = ()
    praises: Forms = ()
    leads: str = "(?!)"
    within: str = "(?!)"
    article: str = ""
    owned: str = ""
