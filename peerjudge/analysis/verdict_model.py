"""One logistic model of all verdicts: ability, difficulty, position, length, own answers, discussion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from peerjudge.analysis.ballots import Ballots, Bools, Floats, Stage
from peerjudge.analysis.grouping import count_earlier
from peerjudge.analysis.logistic import Fit, Rows, find_independent, fit_mixed
from peerjudge.analysis.selecting import (
    HUMAN,
    build_author_columns,
    number_authors,
    number_judges,
    select_judges,
)
from peerjudge.analysis.styles import find_texts, has_both_orders
from peerjudge.analysis.verbosity import log_length_ratios
from peerjudge.data import Measurement, Noun
from peerjudge.errors import DataError

Term = Literal[
    "ability",
    "position",
    "length",
    "own answer",
    "family",
    "discussion",
    "turn",
    "condition",
    "difficulty",
]
_TERMS: tuple[Term, ...] = get_args(Term)
_SPLIT: tuple[Term, ...] = ("position", "length", "own answer", "family")
"""Terms that each reviewer has for itself."""
_PRIOR = 1.0
"""Observations that the prior of a coefficient counts: odds between 1/650 and 650, with 95 %."""


class Effect(Noun, frozen=True, kw_only=True):
    """An effect on a verdict in log-odds, all else equal; `n` counts the verdicts that it bears on.

    - `ability` of a reviewer: of choosing gold, on a pair of average difficulty.
    - `position`: of choosing the first-shown answer.
    - `length`: of choosing an answer that is twice as long as the other.
    - `own answer`, `family`: of choosing the reviewer's own answer, or one of the rest of its family.
    - `discussion` of a condition: of choosing gold in a reviewer's first turn of it, over its private
      verdict.
    - `turn`: of choosing gold, for every further turn of the reviewer.
    - `condition`: of choosing gold, over the first condition.
    - `difficulty`: the standard deviation over pairs, in log-odds, of how easily gold is chosen; without
      gold, of how clearly one answer is preferred.

    `name` is a reviewer or a condition; empty for the mean over reviewers, or for all together.
    """

    term: Term
    name: str
    value: Measurement


class LeftOut(Noun, frozen=True, kw_only=True):
    """A term that the model does not have, and why."""

    term: Term
    name: str
    reason: str


class VerdictModel(Noun, frozen=True, kw_only=True):
    """The effects on verdicts of one model (`fit_verdict_model`), and what it left out.

    `verdicts` are readable, `ties` of them count as half a choice of either answer; `unreadable` ones
    and those on pairs `without_texts`, where other pairs have texts, are left out. `authors` is true if
    the strengths of the authors are held equal, `both_orders` if a pair was shown in both orders.
    `pooled` terms are common to all reviewers.
    """

    gold: str
    simulated: bool
    effects: tuple[Effect, ...]
    left_out: tuple[LeftOut, ...]
    verdicts: int
    ties: int
    unreadable: int
    without_texts: int
    comparisons: int
    questions: int
    authors: bool
    pooled: bool
    both_orders: bool
    first_condition: str


def fit_verdict_model(
    ballots: Ballots,
    *,
    reviewers: Collection[str] | None = None,
    gold: str = HUMAN,
    families: Mapping[str, str] | None = None,
    pooled: bool = False,
) -> VerdictModel:
    """Return the effects on the verdicts before discussions and at every turn of them.

    Fitted is a logistic mixed model by maximum likelihood (`fit_mixed`, which integrates the random
    effects numerically and finds the maximum with `scipy.optimize`):

    `logit P(first-shown) = position + length * log2(length of first / of second)
    + own * (first is own - second is own) + family * (the same of the family) + s[first] - s[second]
    + g * (ability + condition + discussion + turn * further turns) + d * u`

    where g is 1 if gold is the first-shown answer, -1 if it is the second, and 0 for a tie or without
    gold; s are the strengths of the authors where these are known, apart from what gold says already;
    u is a normal random effect of each pair, d its direction. With gold, a tilt of the verdicts on a
    pair is how easy it is, without gold how clear. A tie counts as half a choice of either answer.

    Every coefficient has a weak prior, a log-F of one observation, so that separated verdicts do not
    make it infinite. Intervals are Student's, with a jackknife over questions. A term without
    variation, or that cannot be told apart from terms before it, is left out with the reason.

    A measure of quality that is only rough (gold, authors) leaves quality in the terms that go with
    it: where better answers are longer, `length` is an upper bound of the preference for length.

    Args:
        ballots: of a dataset or a run.
        reviewers: whose ballots to model; `None` takes all but the humans and `gold`.
        gold: `human` for the gold of the comparisons, else a reviewer whose verdicts serve as gold.
        families: the family of reviewers and authors by name.
        pooled: estimate position, length, own answer and family for all reviewers together. By
            default each has its own, and the mean over reviewers stands beside them: where reviewers
            differ, what they have in common explains the verdicts of none.

    Raises:
        DataError: there are no ballots on pairs by these reviewers, none is readable, or all are on one
            question.
        ConvergenceError: the fit did not converge.
    """
    given = ballots.where(ballots.opening | (ballots.stage == Stage.PUBLIC))
    judged = select_judges(given, reviewers=reviewers, gold=gold)
    readable = judged.where(judged.readable)
    texts = find_texts(readable)
    kept = readable.where(texts) if texts.any() else readable
    questions = kept.count_questions()
    if questions < 2:
        what = f"{len(kept)} readable verdicts on {questions} questions"
        msg = f"a model of verdicts needs at least two questions, and there are only {what}"
        raise DataError(msg)
    design = _Design(kept, families or {}, pooled=pooled)
    columns, left_out = design.select()
    repeated = len(np.unique(kept.comparison)) < len(kept)
    fit = _fit(kept, columns, design.build_strengths(), spread=repeated)
    effects = list(_measure(columns, fit))
    if fit.spread:
        spread = fit.measure([len(fit.values) - 1], n=len(kept))
        effects.append(Effect(term="difficulty", name="", value=spread))
    else:
        why = "no spread was found" if repeated else "no pair has several verdicts"
        left_out.append(LeftOut(term="difficulty", name="", reason=why))
    return VerdictModel(
        gold=gold,
        simulated=ballots.simulated,
        effects=tuple(effects),
        left_out=tuple(left_out),
        verdicts=len(kept),
        ties=int((kept.verdict < 0).sum()),
        unreadable=len(judged) - len(readable),
        without_texts=len(readable) - len(kept),
        comparisons=len(np.unique(kept.comparison)),
        questions=questions,
        authors=bool(design.build_strengths()),
        pooled=pooled,
        both_orders=has_both_orders(kept),
        first_condition=design.first_condition,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Column:
    """A column of the design, of one term."""

    term: Term
    name: str
    values: Floats


class _Design:
    """The columns of the model, and the reasons why some do not exist."""

    def __init__(self, ballots: Ballots, families: Mapping[str, str], *, pooled: bool) -> None:
        self._ballots, self._families, self._pooled = ballots, families, pooled
        sides = (ballots.gold == ballots.first, ballots.gold >= 0)
        self._gold = np.where(sides[0], 1.0, -1.0) * sides[1]
        self._condition = np.full(len(ballots), -1, dtype=np.int32)
        talks = ballots.discussion >= 0
        self._condition[talks] = ballots.discussions.condition[ballots.discussion[talks]]
        self._conditions: list[int] = np.unique(self._condition[talks]).tolist()

    @property
    def first_condition(self) -> str:
        """The condition with which the others are compared; empty with fewer than two."""
        several = len(self._conditions) > 1
        return self._ballots.discussions.conditions[self._conditions[0]] if several else ""

    def select(self) -> tuple[list[_Column], list[LeftOut]]:
        """Return the columns that can be told apart, and the terms left out."""
        columns = list(self._columns())
        left_out = [
            LeftOut(term=column.term, name=column.name, reason=self._explain(column.term))
            for column in columns
            if not np.any(column.values)
        ]
        columns = [one for one in columns if np.any(one.values)]
        # The authors come early: a term that they explain must not share their strength with them.
        early = [one for one in columns if one.term in {"ability", "position"}]
        late = [one for one in columns if one.term not in {"ability", "position"}]
        strengths = self.build_strengths()
        table = [*(one.values for one in early), *strengths, *(one.values for one in late)]
        apart = find_independent(np.column_stack(table)) if table else np.ones(0, dtype=np.bool_)
        keep = np.concatenate([apart[: len(early)], apart[len(early) + len(strengths) :]])
        reason = "cannot be told apart from the other terms"
        left_out += [
            LeftOut(term=one.term, name=one.name, reason=reason)
            for one, kept in zip([*early, *late], keep, strict=True)
            if not kept
        ]
        return [one for one, kept in zip([*early, *late], keep, strict=True) if kept], left_out

    def build_strengths(self) -> list[Floats]:
        """Return the columns of the authors without what gold says, which belongs to ability."""
        columns = build_author_columns(self._ballots, len(self._ballots))
        known = float(self._gold @ self._gold)
        if known:
            columns = [column - self._gold * (self._gold @ column) / known for column in columns]
        return [one for one in columns if np.abs(one).max() > 0.0]

    def _columns(self) -> Iterator[_Column]:
        ballots, gold = self._ballots, self._gold
        judges = number_judges(ballots)
        if gold.any():
            for name, code in judges:
                yield _Column(term="ability", name=name, values=gold * (ballots.reviewer == code))
        else:
            yield _Column(term="ability", name="", values=gold)
        yield from self._split("position", np.ones(len(ballots)))
        yield from self._split("length", log_length_ratios(ballots))
        for term, values in zip(("own answer", "family"), self._kin(), strict=True):
            yield from self._split(cast("Term", term), values)
        yield from self._talk()

    def _split(self, term: Term, values: Floats) -> Iterator[_Column]:
        """Yield the column for all reviewers, or one for each that it bears on."""
        judges = [
            (name, here)
            for name, code in number_judges(self._ballots)
            if np.any(here := values * (self._ballots.reviewer == code))
        ]
        if judges and not self._pooled:
            for name, here in judges:
                yield _Column(term=term, name=name, values=here)
        else:
            yield _Column(term=term, name="", values=values)

    def _kin(self) -> tuple[Floats, Floats]:
        """Return, for own answers and for the rest of the family, the first-shown over the second."""
        ballots, families = self._ballots, self._families
        authors, of_pair = number_authors(ballots)
        names: list[str] = [*authors, ""]
        own = np.zeros((len(ballots.reviewers), len(names)), dtype=np.bool_)
        family = own.copy()
        for code, reviewer in enumerate(ballots.reviewers):
            contestant = ballots.name_contestant(reviewer)
            for place, author in enumerate(names[:-1]):
                own[code, place] = author == contestant
                alike = families.get(reviewer, "") and families.get(author) == families[reviewer]
                family[code, place] = bool(alike) and author != contestant
        turned = np.where(ballots.swapped, -1.0, 1.0)
        one, other = of_pair[ballots.comparison].T

        def over(kin: Bools) -> Floats:
            first, second = kin[ballots.reviewer, one], kin[ballots.reviewer, other]
            return turned * (first.astype(np.float64) - second)

        return over(own), over(family)

    def _talk(self) -> Iterator[_Column]:
        """Yield the columns of discussions and conditions, in which gold gains."""
        ballots, gold = self._ballots, self._gold
        public = ballots.stage == Stage.PUBLIC
        names = ballots.discussions.conditions
        talked = [code for code in self._conditions if np.any(public & (self._condition == code))]
        for code in talked:
            here = gold * (public & (self._condition == code))
            yield _Column(term="discussion", name=names[code], values=here)
        if not talked:
            yield _Column(term="discussion", name="", values=np.zeros(len(ballots)))
        # Turns of the reviewer itself: those of all would compare the seats that speak early and late.
        further = np.zeros(len(ballots))
        further[public] = count_earlier(ballots.discussion[public], ballots.seat[public])
        yield _Column(term="turn", name="", values=gold * further)
        for code in self._conditions[1:]:
            yield _Column(
                term="condition", name=names[code], values=gold * (self._condition == code)
            )

    def _explain(self, term: Term) -> str:
        """Return why a term has no values other than 0."""
        authors, _ = number_authors(self._ballots)
        if term in {"ability", "discussion", "turn", "condition"} and not self._gold.any():
            return "no pair has a gold answer"
        if term == "length" and not find_texts(self._ballots).any():
            return "the data have no answer texts"
        if term in {"own answer", "family"} and not authors:
            return "the authors of the answers are not known"
        if term == "family" and not self._families:
            return "no families are known; name them with --families"
        return {
            "length": "both answers of every pair are equally long",
            "own answer": "no reviewer judged an answer of its own",
            "family": "no reviewer judged an answer of its family",
            "discussion": "no reviewer heard another one",
            "turn": "no reviewer had a second turn in a discussion",
        }.get(term, "there is no variation")


def _fit(
    ballots: Ballots, columns: Sequence[_Column], strengths: Sequence[Floats], *, spread: bool
) -> Fit:
    given = [column.values for column in columns] + list(strengths)
    chosen = np.where(ballots.verdict < 0, 0.5, ballots.verdict == ballots.first)
    rows = Rows(
        given=np.column_stack(given),
        chosen=chosen.astype(np.float64),
        weight=np.ones(len(ballots)),
        sign=np.where(ballots.swapped, -1.0, 1.0),
        group=ballots.comparison,
        cluster=ballots.question,
    )
    return fit_mixed(rows, prior=np.full(len(given), _PRIOR), spread=spread)


def _measure(columns: Sequence[_Column], fit: Fit) -> Iterator[Effect]:
    """Yield the effects term by term; of terms by reviewer first the mean."""
    counts = [int(np.count_nonzero(column.values)) for column in columns]
    for term in _TERMS:
        places = [place for place, one in enumerate(columns) if one.term == term]
        if len(places) > 1 and term in _SPLIT:
            n = sum(counts[place] for place in places)
            yield Effect(term=term, name="", value=fit.measure(places, n=n))
        for place in places:
            value = fit.measure([place], n=counts[place])
            yield Effect(term=term, name=columns[place].name, value=value)
