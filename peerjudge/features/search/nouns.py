"""Prompt searches: targets, candidates, steps, and the records from which a search is replayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import field

from peerjudge.data.experiments import SearchMethod
from peerjudge.data.nouns import Noun
from peerjudge.data.ranking import Measurement
from peerjudge.data.texts import TextReply, TextRequest
from peerjudge.errors import DataError

Origin: TypeAlias = Literal["base", "delete", "swap", "add", "paraphrase", "opro", "given"]
"""How a candidate came about: the unchanged texts, an edit of GRIPS, a proposal, or a given text."""

Form: TypeAlias = Literal["template", "plain", "lines"]
"""The form of a target's text: a Jinja template, plain text, or plain text with one item per line."""

Level: TypeAlias = Literal["words", "phrases", "sentences", "mixed"]
"""The units that GRIPS edits; of mixed ones an edit draws phrases or sentences."""


class Target(Noun, frozen=True, kw_only=True):
    """A text that a search may change: its name (`role:CARD`, `pack:tasks.discuss`), and the base text."""

    name: str
    text: str
    form: Form = "template"


class Candidate(Noun, frozen=True, kw_only=True):
    """One text for each target; or a proposal that is not valid.

    Attributes:
        id: 12 hex digits, the digest of the texts: equal texts have an equal id. The digest
            of a proposal that is not valid includes its request, as a repeated text is not valid.
        texts: the text of every target, by name; of a proposal that is not valid, as it was proposed.
        parent: the id of the candidate that was changed; empty for the base.
        step: the step that made it, from 1; 0 for the base.
        origin: how it came about.
        target: the name of the target that was changed; empty for the base.
        change: the change in words, such as `delete "the"`.
        deleted: by target, what was deleted on the way to this candidate and was not added again;
            only this may be added.
        valid: whether it may be evaluated.
        why: the reason why it is not valid.
    """

    id: str
    texts: Mapping[str, str]
    parent: str = ""
    step: int = 0
    origin: Origin = "base"
    target: str = ""
    change: str = ""
    deleted: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    valid: bool = True
    why: str = ""


class Exemplar(Noun, frozen=True, kw_only=True):
    """One item of the search split as OPRO shows it to the proposer: what is judged, and its gold.

    `shown` is the question or document and then what was judged, each already cut to its length. `shown` and
    `gold` are data (they are quoted), `question` the id of its question.
    """

    question: str
    shown: str
    gold: str


class SearchOptions(Noun, frozen=True, kw_only=True):
    """Declaration of a search: what may change, how, and the questions it may ask for.

    Attributes:
        method: `grips` or `opro`.
        targets: the texts that may change, with the base texts.
        questions: ids of the questions of the search split, in the order of `Splits.search`.
        objective: what a score means, in words for the proposer ("share of right verdicts").
        steps: the greatest number of steps.
        candidates: candidates per step (GRIPS: m; OPRO: texts asked for).
        patience: a search ends after this many steps in a row without a better incumbent; 0 for never.
        level: the units that GRIPS edits.
        protect: GRIPS leaves template expressions, JSON keys and fence marks alone.
        every_occurrence: GRIPS edits every occurrence of the same string, as the paper's code did;
            otherwise one position.
        paraphrase: GRIPS asks the proposer for paraphrases; `False` without a proposer.
        entropy: weight of the entropy of the predictions (in nats) in the score that GRIPS compares;
            0.1 in the GRIPS paper, on a scale of scores from 0 to 1.
        halving: shares of the search split at which the worse half of a step's candidates is dropped,
            ascending, the last one 1; `(1.0,)` evaluates all candidates on all questions.
        longest: a text may be this many times as long as the base text. [characters]
        best_shown: scored texts shown in the meta-prompt of OPRO.
        exemplars: the items that OPRO can show.
        exemplars_shown: items shown in the meta-prompt, drawn anew for every step.
        given: further texts that are evaluated first, by target; each makes one candidate.
    """

    method: SearchMethod
    targets: tuple[Target, ...]
    questions: tuple[str, ...]
    objective: str = "share of right verdicts"
    steps: int = 10
    candidates: int = 8
    patience: int = 3
    level: Level = "mixed"
    protect: bool = True
    every_occurrence: bool = False
    paraphrase: bool = True
    entropy: float = 0.0
    halving: tuple[float, ...] = (0.25, 0.5, 1.0)
    longest: float = 2.0
    best_shown: int = 8
    exemplars: tuple[Exemplar, ...] = ()
    exemplars_shown: int = 3
    given: tuple[Target, ...] = ()

    def __post_init__(self) -> None:
        names = [target.name for target in self.targets]
        if len(set(names)) < len(names):
            msg = f"a search changes each target once, not {names}"
            raise DataError(msg)
        if not self.targets:
            msg = "a search needs targets; give at least one"
            raise DataError(msg)
        if not self.questions or len(set(self.questions)) < len(self.questions):
            msg = "a search needs questions to score candidates on, each once"
            raise DataError(msg)
        rungs = self.halving
        if not rungs or rungs[-1] != 1.0 or list(rungs) != sorted(set(rungs)) or rungs[0] <= 0.0:
            msg = f"halving takes ascending shares that end at 1, such as (0.25, 0.5, 1.0), not {rungs}"
            raise DataError(msg)
        for name, value, least in (
            ("steps", self.steps, 1),
            ("candidates", self.candidates, 1),
            ("patience", self.patience, 0),
            ("best_shown", self.best_shown, 1),
            ("exemplars_shown", self.exemplars_shown, 0),
        ):
            if value < least:
                msg = f"{name} of a search is at least {least}, not {value}"
                raise DataError(msg)
        if self.longest < 1.0 or self.entropy < 0.0:
            msg = f"a search needs longest >= 1 and entropy >= 0, not {self.longest} and {self.entropy}"
            raise DataError(msg)


class Propose(Noun, frozen=True, kw_only=True, tag="propose"):
    """The next step of a search: send these requests to the proposer; `Proposed` answers it."""

    step: int
    requests: tuple[TextRequest, ...]


class Evaluate(Noun, frozen=True, kw_only=True, tag="evaluate"):
    """The next step of a search: play these candidates on these questions; `Evaluated` answers it.

    `rung` is the share of the search split that the candidates have seen after this.
    """

    step: int
    candidates: tuple[Candidate, ...]
    questions: tuple[str, ...]
    rung: float = 1.0


Step: TypeAlias = Propose | Evaluate


class Proposed(Noun, frozen=True, kw_only=True, tag="proposed"):
    """The replies to a `Propose`, in its order."""

    replies: tuple[TextReply, ...]


class CandidateScores(Noun, frozen=True, kw_only=True):
    """Scores of a candidate on the questions asked for; the means of rates are over these questions.

    Attributes:
        candidate: its id.
        scores: score of every question, from 0 (worst) to 1; unreadable and refused count 0.
        consistency: share of comparisons with the same verdict in both orders, `None` where unknown.
        unreadable: share of replies that are unreadable or refused.
        predictions: how often each readable prediction was made (for the entropy of GRIPS).
        tokens: tokens of the replies and prompts, cached ones included.
        cost: cost in USD of the same calls as if none were cached, `None` where unknown.
        refused: why the candidate could not be played, such as a template that does not render;
            it then has no scores.
    """

    candidate: str
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    consistency: float | None = None
    unreadable: float = 0.0
    predictions: Mapping[str, int] = field(default_factory=dict[str, int])
    tokens: int = 0
    cost: float | None = None
    refused: str = ""


class Evaluated(Noun, frozen=True, kw_only=True, tag="evaluated"):
    """The scores for an `Evaluate`, one per candidate, in its order."""

    results: tuple[CandidateScores, ...]


Record: TypeAlias = Proposed | Evaluated
History: TypeAlias = tuple[Record, ...]
"""The records of a search in order; all state of a search is computed from them."""


class SearchState(Noun, frozen=True, kw_only=True):
    """A search after its history.

    Attributes:
        candidates: all candidates in the order in which they came about, the base first; those that
            are not valid are included.
        scores: by candidate, its scores on all questions it was evaluated on.
        incumbent: id of the best candidate so far.
        path: the incumbents in order, the base first.
        steps: number of finished steps.
        finished: whether the search has no next step.
    """

    candidates: tuple[Candidate, ...]
    scores: Mapping[str, CandidateScores]
    incumbent: str
    path: tuple[str, ...]
    steps: int
    finished: bool


class Splits(Noun, frozen=True, kw_only=True):
    """Question ids by split. Any beginning of `search` is balanced over the strata.

    `paper` marks the split of the sequencing paper, which has no `select`.
    """

    search: tuple[str, ...]
    select: tuple[str, ...]
    test: tuple[str, ...]
    paper: bool = False


class Finalist(Noun, frozen=True, kw_only=True):
    """A finalist on the select split: its mean, and its paired difference from the base.

    `bound` is the one-sided lower bound of the difference, corrected for the number of finalists.
    """

    candidate: str
    mean: float
    difference: Measurement
    bound: float


class Adoption(Noun, frozen=True, kw_only=True):
    """The decision about the finalists: `chosen` is the base where no finalist is adopted.

    `naive` marks a choice by the search score alone, as the papers make it: no bound protects it.
    """

    base: str
    chosen: str
    adopted: bool
    finalists: tuple[Finalist, ...] = ()
    naive: bool = False
    why: str = ""
