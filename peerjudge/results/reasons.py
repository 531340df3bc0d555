"""Reasons of verdicts: their themes, and those on one comparison side by side."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from textwrap import shorten
from typing import ClassVar, cast, overload

import msgspec

from peerjudge.analysis import Sampler
from peerjudge.analysis.reasons import (
    MOST_THEMES,
    Reason,
    ReasonCounter,
    ReasonThemes,
    Themes,
    list_reasons,
    list_recorded_reasons,
)
from peerjudge.data import Comparison, Dataset, Transcript, Verdict, replace, to_plain
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import DataError
from peerjudge.reporting.formats import counted, preface, share
from peerjudge.reporting.fragments import load_templates, mark_page
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.base import Document, FramedResult, Result, Shown
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.blocking import wait_for
from peerjudge.runs.reading import Source, is_frame, locate_source
from peerjudge.runs.results import RunSummary
from peerjudge.runs.sources import is_run, open_run

_LONGEST = 700
"""Characters of a reason in a table; JSON has all."""
_SCHEMA = "Reasons/1"


_RIGHT = (
    "with the theme minus without, in points: gold verdicts among the reasons of one reviewer in one "
    "condition and stage"
)
_ALTERED = (
    "heard minus not, in points: contradicted seats that altered after replies with the theme"
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReasonThemesResult(FramedResult):
    """Themes of the reasons of a source."""

    frame: ClassVar[str] = "reasons"
    themes: ReasonThemes

    def document(self) -> Document:
        """Return the document of `peerjudge reasons --json`."""
        plain = cast("dict[str, object]", to_plain(self.themes))
        return make_plain({"schema": _SCHEMA, **plain})

    def parts(self) -> Shown:
        """Return the table of themes, and what limits it."""
        if not self.themes.reasons:
            return _describe_themes(self.themes)
        return [
            *preface(simulated=self.themes.simulated, questions=self.themes.questions),
            _build_theme_table(self.themes),
            "",
            *_describe_themes(self.themes),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield the share and the differences of each theme."""
        for use in self.themes.themes:
            for measure in ("mentioned", "right", "altered"):
                measured = getattr(use, measure)
                if measured is not None:
                    yield {"theme": use.theme, "measure": measure, **list_cells(measured)}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComparisonReasonsResult(Result):
    """The reasons on one comparison, in the order of the source."""

    comparison: Comparison
    reasons: tuple[Reason, ...]

    def document(self) -> Document:
        """Return the document of `peerjudge reasons --comparison ID --json`."""
        reasons = [cast("dict[str, object]", to_plain(reason)) for reason in self.reasons]
        plain = {"comparison": to_plain(self.comparison), "reasons": reasons}
        return make_plain({"schema": _SCHEMA, **plain})

    def parts(self) -> Shown:
        """Return the question, and a table of the reasons for each verdict."""
        if not self.reasons:
            return [self._asked, "No verdict on it has a reason: every reply is a bare verdict."]
        return [
            self._asked,
            *(
                build_table(
                    _head(verdict, self.comparison, held),
                    _merge(held),
                    Column("Reviewer", "0"),
                    Column("Reason", "1"),
                )
                for verdict, held in _sort_by_verdict(self.comparison, self.reasons).items()
                if held
            ),
        ]

    def _repr_html_(self) -> str:
        """Return the reasons for each verdict side by side."""
        template = load_templates().get_template("reasons.html.j2")
        columns = [
            (_head(verdict, self.comparison, held), _merge(held))
            for verdict, held in _sort_by_verdict(self.comparison, self.reasons).items()
        ]
        return mark_page(template.render(question=self._asked, columns=columns))

    @property
    def _asked(self) -> str:
        return " ".join(self.comparison.question.text.split())


@overload
def reasons(
    source: Source,
    *,
    comparison: None = None,
    themes: str | Path | Themes | None = None,
    seed: int = 0,
) -> ReasonThemesResult: ...


@overload
def reasons(source: Source, *, comparison: str) -> ComparisonReasonsResult: ...


def reasons(
    source: Source,
    *,
    comparison: str | None = None,
    themes: str | Path | Themes | None = None,
    seed: int = 0,
) -> ReasonThemesResult | ComparisonReasonsResult:
    """Return what the reasons of verdicts mention, by theme, or those on one comparison side by side.

    For each theme: the share of reasons that mention it, how much oftener such verdicts are right, and how
    much oftener a contradicted seat alters its opinion after hearing it. These are associations.

    Args:
        source: Run, dataset `NAME:PATH` with the texts of reviews, or transcripts.
        comparison: Id of the comparison whose reasons are wanted instead, a column for each verdict.
        themes: Words by theme, or a TOML file with a table `[themes]` of them, in place of the thirteen
            themes in English.
        seed: Seed of the resampling of questions behind the intervals.

    Raises:
        StoreError: There is no such run.
        DataError: The source has no texts, there is no such comparison, or the themes cannot be read.

    Example:
        >>> found = pj.reasons("study", comparison="sample-01")
        >>> sorted({one.reviewer for one in found.reasons})
        ['sim_plain', 'sim_solid', 'sim_strong', 'sim_weak']
    """
    if is_frame(source):
        msg = "a frame of ballots has no reasons; give the run, or transcripts"
        raise DataError(msg)
    if comparison is not None:
        if themes is not None:
            msg = "themes and a comparison exclude each other; leave one out"
            raise DataError(msg)
        return _read_comparison(source, comparison)
    counter = ReasonCounter(_read_themes(themes))
    dataset = _find_dataset(source)
    if dataset is not None:
        counter.add_dataset(dataset)
    else:
        _for_each(source, counter.add)
    return ReasonThemesResult(themes=counter.measure(sampler=Sampler(seed=seed)))


def _build_theme_table(themes: ReasonThemes) -> Table:
    """Return the themes with their shares, and what goes with them."""
    simulated = " (simulated reviewers)" if themes.simulated else ""
    return build_table(
        f"What reasons mention, in % [{themes.level:.0%} interval]{simulated}",
        themes.themes,
        Column("Theme", "theme"),
        Column("Reasons", "reasons"),
        Column("Mentioned", "mentioned", "share", about="share of all reasons, in praise or blame"),
        Column("Right", "right", "points", about=_RIGHT),
        Column("Altered", "altered", "points", about=_ALTERED),
        note="The unit of resampling is the question.",
    )


def _describe_themes(themes: ReasonThemes) -> list[str]:
    """Return what was counted, and what limits it."""
    if not themes.reasons:
        return ["No verdict has a reason: every reply is a bare verdict."]
    sentences = [
        (
            f"{counted(themes.reasons, 'reason')} on {counted(themes.questions, 'question')}; "
            f"{counted(themes.bare, 'bare verdict')} left out; "
            f"{share(themes.without / themes.reasons)} % of the reasons mention no theme."
        ),
    ]
    if any(theme.right or theme.altered for theme in themes.themes):
        sentences.append(
            "Differences are associations, not effects: a theme goes with the comparisons on which it is "
            "named. Of 20 intervals without a difference, about one leaves out 0."
        )
    if themes.other_words:
        sentences.append(
            "Words of the reasons on most questions that are in no theme and not in the material: "
            f"{', '.join(themes.other_words)}."
        )
    return sentences


def _sort_by_verdict(
    comparison: Comparison, reasons: Iterable[Reason]
) -> dict[Verdict, list[Reason]]:
    by_verdict: dict[Verdict, list[Reason]] = {
        Verdict.of(answer.id): [] for answer in comparison.answers
    }
    for one in reasons:
        by_verdict.setdefault(one.verdict, []).append(one)
    return by_verdict


def _merge(reasons: Iterable[Reason]) -> list[tuple[str, str]]:
    """Return who gave each reason and its words; equal ones of one reviewer are one, with their number."""
    conditions: dict[tuple[str, str, str], list[str]] = {}
    for reason in reasons:
        stage = (
            ("before discussion" if reason.private else "in discussion") if reason.condition else ""
        )
        key = (reason.reviewer, stage, " ".join(reason.text.split()))
        conditions.setdefault(key, []).append(reason.condition)
    merged: list[tuple[str, str]] = []
    for (reviewer, stage, text), held in conditions.items():
        where = held[0] if len(set(held)) == 1 else f"{len(set(held))} conditions"
        times = f"{len(held)} times" if len(held) > 1 else ""
        who = ", ".join(part for part in (reviewer, stage, where, times) if part)
        merged.append((who, shorten(text, _LONGEST, placeholder=" ...")))
    return merged


def _head(verdict: Verdict, comparison: Comparison, held: Sequence[Reason]) -> str:
    number = counted(len(held), "reason")
    if verdict.choice is None:
        return f"{verdict.outcome.value.capitalize()}: {number}"
    author = comparison.answer(verdict.choice).author
    by = f" by {author}" if author not in {"", verdict.choice} else ""
    gold = ", gold" if verdict == comparison.gold else ""
    return f"For {verdict.choice}{by}{gold}: {number}"


def _read_comparison(source: Source, name: str) -> ComparisonReasonsResult:
    dataset = _find_dataset(source)
    if dataset is not None:
        shown = {comparison.id: comparison for comparison in dataset.comparisons}
        some = replace(
            dataset,
            reviews=tuple(review for review in dataset.reviews if review.comparison == name),
        )
        held = list_recorded_reasons(some) if name in shown else []
    else:
        shown: dict[str, Comparison] = {}
        held: list[Reason] = []

        def take(transcript: Transcript) -> None:
            if transcript.comparison.id == name:
                shown.setdefault(name, transcript.comparison)
                held.extend(list_reasons(transcript))

        _for_each(source, take, comparison=name)
    if name not in shown:
        msg = f"there is no comparison {name!r}; `peerjudge export` lists the discussions of a run"
        raise DataError(msg)
    return ComparisonReasonsResult(comparison=shown[name], reasons=tuple(held))


def _find_dataset(source: Source) -> Dataset | None:
    """Return the dataset that a source is or names; `None` for discussions."""
    if isinstance(source, Dataset):
        return source
    if isinstance(source, str | Path) and not is_run(str(source)):
        return load_dataset(str(source))
    return None


def _for_each(
    source: Source, take: Callable[[Transcript], None], *, comparison: str | None = None
) -> None:
    """Call `take` with each discussion of a source, read one by one."""

    async def read(place: str) -> None:
        async with open_run(place) as opened:
            async for one in opened.store.transcripts(run=opened.id, comparison=comparison):
                take(one)

    if isinstance(source, str | Path | RunSummary):
        wait_for(read(locate_source(source)))
    else:
        for one in cast("Iterable[Transcript]", source):
            take(one)


def _read_themes(themes: str | Path | Themes | None) -> Themes:
    if isinstance(themes, Mapping):
        return _check_themes(themes, where="themes")
    if themes is None:
        text, where = files("peerjudge.analysis").joinpath("themes.toml").read_text("utf-8"), ""
    else:
        where = str(themes)
        try:
            text = Path(themes).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as cause:
            msg = f"cannot read the themes {where}: {cause}"
            raise DataError(msg) from cause
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as cause:
        msg = f"{where} is not TOML: {cause}"
        raise DataError(msg) from cause
    return _check_themes(plain.get("themes"), where=where)


def _check_themes(found: object, *, where: str) -> Themes:
    try:
        themes = msgspec.convert(found, dict[str, list[str]])
    except msgspec.ValidationError as cause:
        msg = (
            f"{where} has no table of themes, such as `[themes]` with "
            f'`accuracy = ["accura*", "correct*"]`: {cause}'
        )
        raise DataError(msg) from cause
    if not 0 < len(themes) <= MOST_THEMES:
        msg = f"{where} has {len(themes)} themes; give 1 to {MOST_THEMES}"
        raise DataError(msg)
    for name, words in themes.items():
        if not words or not all(any(map(str.isalnum, word)) for word in words):
            msg = f"theme {name!r} of {where} has no words, or one without a letter: {words!r:.80}"
            raise DataError(msg)
    return themes
