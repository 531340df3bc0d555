"""Reasons of verdicts: the themes that they mention, and how such verdicts and replies fare.

A theme is a list of words; a reason mentions it with any of them, in praise or in blame. That is content
analysis by dictionary: it is the same for every reader, and blind to everything that its words do not say.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from peerjudge.analysis.ballots import Bools, Floats
from peerjudge.analysis.inference import Sampler
from peerjudge.analysis.intervals import measure_statistic, sum_by_cluster
from peerjudge.data import (
    Comparison,
    Dataset,
    EventKind,
    Measurement,
    Noun,
    Transcript,
    Turn,
    Verdict,
)
from peerjudge.tracker import opinion_events

Themes = Mapping[str, Sequence[str]]
"""Words and phrases by theme; `*` stands for any letters."""

_FEWEST_WORDS = 5
"""A reply with fewer words is a bare verdict, without a reason."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_PLAIN = re.compile(r"[A-Za-z*']+")
"""An entry of a theme that is one word."""
_QUOTED = re.compile(r"^\s*>.*$", re.MULTILINE)
_FEWEST_QUESTIONS = 8
"""Questions with the theme, and questions without it, below which nothing is compared."""
_SHORTEST = 4
"""Letters of a word that is proposed for a theme, at least."""
_NOT_OF_MATERIAL, _QUESTIONS = 0.8, 0.5
"""A word that judges is absent from question and answers in this share of the reasons that use it, and
is used on this share of the questions."""
_PROPOSED = 12
_KEPT = 2000
"""Comparisons whose words are kept, at most."""
MOST_THEMES = 60
"""Themes of a file, at most: each is a bit of a number."""


class Reason(Noun, frozen=True, kw_only=True):
    """The words with which a reviewer gave a verdict. `condition` is empty for reviews on record.

    `private` is true before the reviewer has heard another one. `right` is whether the verdict is gold,
    `None` where there is no gold or no readable verdict.
    """

    comparison: str
    question: str
    condition: str
    reviewer: str
    private: bool
    verdict: Verdict
    right: bool | None
    text: str


class ThemeUse(Noun, frozen=True, kw_only=True):
    """How often a theme is mentioned, and what goes with it.

    `mentioned` is the share of all reasons. `right` is the share of gold verdicts among reasons with the
    theme, minus that among reasons without, of the same reviewer in the same condition and stage
    (differences weighted as Mantel and Haenszel do). `altered` is the same for replies that contradicted
    a seat: the share after which it altered its opinion, with the theme in them minus without, of the
    same listener after as many replies of the same speakers. Both are associations: a theme may go with
    easy comparisons. `None` where nothing can be compared.
    """

    theme: str
    reasons: int
    mentioned: Measurement
    right: Measurement | None
    altered: Measurement | None


class ReasonThemes(Noun, frozen=True, kw_only=True):
    """Themes of the reasons of a source, most frequent first.

    `bare` counts verdicts without a reason, `without` reasons that mention no theme. `other_words` are
    words that judge and belong to no theme, most frequent first.
    """

    themes: tuple[ThemeUse, ...]
    reasons: int
    bare: int
    without: int
    contradictions: int
    questions: int
    other_words: tuple[str, ...]
    simulated: bool
    level: float


class ThemeFinder:
    """Finder of the themes that a text mentions, as a number with one bit for each theme.

    Args:
        themes: Words and phrases by theme; `*` stands for any letters, a space for white space.
    """

    def __init__(self, themes: Themes) -> None:
        self._words = [
            [word for word in words if _PLAIN.fullmatch(word)] for words in themes.values()
        ]
        self._patterns = [_compile(words) for words in self._words]
        self._phrases = [
            _compile([one for one in words if not _PLAIN.fullmatch(one)])
            for words in themes.values()
        ]
        # A word is looked at once, however many texts have it.
        self._known: dict[str, int] = {}

    def find(self, text: str, words: Iterable[str]) -> int:
        """Return the themes of a text in lower case; `words` are its distinct words."""
        themes = 0
        for word in words:
            known = self._known.get(word)
            if known is None:
                known = self._known[word] = self.find_word(word)
            themes |= known
        for place, phrases in enumerate(self._phrases):
            if phrases is not None and not themes >> place & 1 and phrases.search(text):
                themes |= 1 << place
        return themes

    def find_word(self, word: str) -> int:
        """Return the themes of one word."""
        return sum(
            1 << place
            for place, pattern in enumerate(self._patterns)
            if pattern is not None and pattern.fullmatch(word)
        )


def _compile(words: Sequence[str]) -> re.Pattern[str] | None:
    def spell(word: str) -> str:
        spelt = re.escape(word.strip().lower()).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")
        # Scripts without spaces between words have no word boundaries.
        return rf"\b{spelt}\b" if word.isascii() else spelt

    return re.compile("|".join(map(spell, words))) if words else None


_Case: TypeAlias = tuple[int, int, int, bool]
"""A case of a contrast: its question, stratum, themes (one bit each) and outcome."""


class ReasonCounter:
    """Counter of themes in the reasons of discussions and of reviews on record, read one by one.

    Args:
        themes: Words by theme.
    """

    def __init__(self, themes: Themes) -> None:
        self._names = tuple(themes)
        self._finder = ThemeFinder(themes)
        self._questions: dict[str, int] = {}
        self._strata: dict[object, int] = {}
        self._asked: list[int] = []
        self._themes: list[int] = []
        self._right: list[_Case] = []
        self._altered: list[_Case] = []
        self._bare = 0
        self._simulated = False
        self._material: dict[str, frozenset[str]] = {}
        self._uses: Counter[str] = Counter()
        self._foreign: Counter[str] = Counter()
        self._used_on: defaultdict[str, set[int]] = defaultdict(set)

    def add(self, transcript: Transcript) -> None:
        """Count the reasons of a discussion, and the replies that contradicted a seat."""
        self._simulated |= transcript.simulated
        themes = {
            turn.index: self._count(reason, transcript.comparison)
            for turn, reason in _list_turn_reasons(transcript)
        }
        verdicts = [turn for turn in transcript.turns if turn.review.verdict is not None]
        self._bare += len(verdicts) - len(themes)
        for event in opinion_events(transcript):
            if event.kind not in {EventKind.HELD, EventKind.ALTERED}:
                continue
            heard = [
                transcript.turns[index]
                for index in transcript.turns[event.turn].cue.hears
                if index in themes and transcript.turns[index].cue.seat != event.seat
            ]
            if heard:
                together = 0
                for turn in heard:
                    together |= themes[turn.index]
                speakers = tuple(transcript.speaker(turn) for turn in heard)
                question = self._number_question(transcript.comparison)
                stratum = self._number_stratum((event.condition, event.reviewer, speakers))
                altered = event.kind is EventKind.ALTERED
                self._altered.append((question, stratum, together, altered))

    def add_dataset(self, dataset: Dataset) -> None:
        """Count the reasons of the reviews of a dataset."""
        comparisons = {comparison.id: comparison for comparison in dataset.comparisons}
        reasons = list_recorded_reasons(dataset)
        for reason in reasons:
            self._count(reason, comparisons[reason.comparison])
        self._bare += sum(bool(review.text) for review in dataset.reviews) - len(reasons)

    def measure(self, *, sampler: Sampler) -> ReasonThemes:
        """Return the themes of all reasons so far."""
        asked = np.array(self._asked, dtype=np.int32)
        uses: list[ThemeUse] = []
        for place, name in enumerate(self._names):
            mentioned = _find_theme(self._themes, place)
            uses.append(
                ThemeUse(
                    theme=name,
                    reasons=int(mentioned.sum()),
                    mentioned=sampler.mean(mentioned, asked),
                    right=_measure_contrast(self._right, place, sampler=sampler),
                    altered=_measure_contrast(self._altered, place, sampler=sampler),
                )
            )
        return ReasonThemes(
            themes=tuple(sorted(uses, key=lambda use: (-use.reasons, use.theme))),
            reasons=len(self._themes),
            bare=self._bare,
            without=self._themes.count(0),
            contradictions=len(self._altered),
            questions=len(self._questions),
            other_words=self._propose_words(),
            simulated=self._simulated,
            level=sampler.level,
        )

    def _count(self, reason: Reason, comparison: Comparison) -> int:
        text = _QUOTED.sub("", reason.text).lower()
        words = set(_WORD.findall(text))
        themes = self._finder.find(text, words)
        question = self._number_question(comparison)
        self._asked.append(question)
        self._themes.append(themes)
        if reason.right is not None:
            stratum = self._number_stratum((reason.condition, reason.reviewer, reason.private))
            self._right.append((question, stratum, themes, reason.right))
        self._count_words(words, comparison, question)
        return themes

    def _count_words(self, words: set[str], comparison: Comparison, question: int) -> None:
        material = self._material.get(comparison.id)
        if material is None:
            if len(self._material) >= _KEPT:
                self._material.clear()
            shown = (comparison.question.text, *(answer.text for answer in comparison.answers))
            material = self._material[comparison.id] = frozenset(
                _WORD.findall(" ".join(shown).lower())
            )
        for word in words:
            self._uses[word] += 1
            self._foreign[word] += word not in material
            self._used_on[word].add(question)

    def _number_question(self, comparison: Comparison) -> int:
        return self._questions.setdefault(comparison.question.id, len(self._questions))

    def _number_stratum(self, key: object) -> int:
        return self._strata.setdefault(key, len(self._strata))

    def _propose_words(self) -> tuple[str, ...]:
        least = _QUESTIONS * len(self._questions)
        proposed = [
            word
            for word, uses in sorted(self._uses.items(), key=lambda one: (-one[1], one[0]))
            if len(word) >= _SHORTEST
            and self._foreign[word] >= _NOT_OF_MATERIAL * uses
            and len(self._used_on[word]) >= least
            and not self._finder.find_word(word)
        ]
        return tuple(proposed[:_PROPOSED])


def _find_theme(themes: Sequence[int], place: int) -> Bools:
    return (np.array(themes, dtype=np.int64) >> place & 1).astype(np.bool_)


def _measure_contrast(
    cases: Sequence[_Case], place: int, *, sampler: Sampler
) -> Measurement | None:
    """Return the share of an outcome with a theme minus without it, within strata.

    The differences of the strata are weighted as in the risk difference of Mantel and Haenszel, by
    n1 n0 / (n1 + n0). Bounds resample questions. `None` where fewer than 8 questions have cases with the
    theme, or fewer than 8 have cases without it, in strata that have both.
    """
    if not cases:
        return None
    questions, stratum, themes, outcomes = zip(*cases, strict=True)
    mentioned = _find_theme(themes, place)
    outcome = np.array(outcomes, dtype=np.float64)
    _, strata = np.unique(np.array(stratum), return_inverse=True)
    number = int(strata.max()) + 1
    columns = np.zeros((len(outcome), 4 * number))
    every = np.arange(len(outcome))
    first = 4 * strata + 2 * ~mentioned
    columns[every, first] = outcome
    columns[every, first + 1] = 1.0
    sums = sum_by_cluster(columns, np.array(questions, dtype=np.int32))
    cells = sums.reshape(len(sums), number, 4)
    compared = (cells.sum(axis=0)[:, [1, 3]] > 0.0).all(axis=1)
    if (cells[:, compared][:, :, [1, 3]].sum(axis=1) > 0.0).sum(axis=0).min() < _FEWEST_QUESTIONS:
        return None
    statistic = measure_statistic(
        sums,
        _difference_within_strata,
        n=len(outcome),
        limits=(-1.0, 1.0),
        seed=sampler.seed,
        samples=sampler.samples,
        level=sampler.level,
    )
    return statistic if statistic.n else None


def _difference_within_strata(sums: Floats) -> Floats:
    cells = sums.reshape(len(sums), -1, 4)
    hits, n = cells[:, :, 0], cells[:, :, 1]
    other_hits, other_n = cells[:, :, 2], cells[:, :, 3]
    both = n + other_n
    with np.errstate(divide="ignore", invalid="ignore"):
        # n1 n0 / N (h1 / n1 - h0 / n0), without a division by an empty side.
        above = np.where(both > 0, (hits * other_n - other_hits * n) / both, 0.0)
        below = np.where(both > 0, n * other_n / both, 0.0)
        return above.sum(axis=1) / below.sum(axis=1)


def list_reasons(transcript: Transcript) -> list[Reason]:
    """Return the reasons of a discussion in the order of its turns, without bare verdicts."""
    return [reason for _, reason in _list_turn_reasons(transcript)]


def list_recorded_reasons(dataset: Dataset) -> list[Reason]:
    """Return the reasons of the reviews of a dataset, without bare verdicts."""
    comparisons = {comparison.id: comparison for comparison in dataset.comparisons}
    return [
        Reason(
            comparison=review.comparison,
            question=comparisons[review.comparison].question.id,
            condition="",
            reviewer=review.reviewer,
            private=True,
            verdict=review.verdict,
            right=_is_right(review.verdict, comparisons[review.comparison]),
            text=review.text,
        )
        for review in dataset.reviews
        if _has_reason(review.text) and review.comparison in comparisons
    ]


def _list_turn_reasons(transcript: Transcript) -> Iterable[tuple[Turn, Reason]]:
    comparison = transcript.comparison
    for turn in transcript.turns:
        verdict, text = turn.review.verdict, turn.utterance.text
        # The words of an edited turn are no reviewer's.
        if verdict is not None and turn.origin != "edited" and _has_reason(text):
            yield (
                turn,
                Reason(
                    comparison=comparison.id,
                    question=comparison.question.id,
                    condition=transcript.condition,
                    reviewer=transcript.speaker(turn),
                    private=turn.cue.private,
                    verdict=verdict,
                    right=_is_right(verdict, comparison),
                    text=text,
                ),
            )


def _has_reason(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS


def _is_right(verdict: Verdict, comparison: Comparison) -> bool | None:
    if comparison.gold is None or not verdict.readable:
        return None
    return verdict == comparison.gold
