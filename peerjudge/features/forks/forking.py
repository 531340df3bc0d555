"""Forks of a run: played, and the effect of each change beside forks without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from peerjudge.data import to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import ExperimentError, StoreError
from peerjudge.features.forks.changes import NO_CHANGE, parse_changes
from peerjudge.features.forks.effects import ForkContrast, ForkEffects, ForkRow, measure_forks
from peerjudge.features.forks.limits import inherit_limits, say_estimate
from peerjudge.features.forks.preparing import PreparedForks, find_fork_folder, prepare_forks
from peerjudge.logs import get_logger
from peerjudge.reporting.formats import counted, preface
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.base import Document, FramedResult, Shown
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs import RunSummary, open_run, read_manifest, summary_document
from peerjudge.runs.blocking import block
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.manifest import MANIFEST
from peerjudge.runs.progress import Observer
from peerjudge.runs.runner import run_prepared
from peerjudge.shelf import Shelf
from peerjudge.statistics.sampler import Sampler
from peerjudge.store.replies import copy_replies

_DRAWS = 2
"""Number of times that forks with a change are played, where none is given."""
_log = get_logger()

_PLAIN = {"turned": "Turned", "right": "Right", "altered": "Altered"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ForkResult(FramedResult):
    """The forks of a run and the table of their changes.

    `refused` counts the discussions that could not be forked by change and reason. `where` chose the
    discussions. `folder` is a run folder, which every other function and command reads.
    """

    frame: ClassVar[str] = "fork"
    folder: Path
    where: str
    names: Mapping[str, str]
    effects: ForkEffects
    refused: Mapping[tuple[str, str], int]
    summary: RunSummary

    def document(self) -> Document:
        """Return the document of `peerjudge fork --json`."""
        return make_plain(
            {
                "folder": str(self.folder),
                "where": self.where,
                **cast("Document", to_plain(self.effects)),
                "refused": [
                    {"change": change, "reason": reason, "discussions": count}
                    for (change, reason), count in self.refused.items()
                ],
                "summary": summary_document(self.summary),
            }
        )

    def parts(self) -> Shown:
        """Return the table of changes, and how to read it."""
        effects = self.effects
        return [
            *preface(simulated=effects.simulated, questions=effects.questions),
            *self._tables(),
            "",
            *self._describe(),
            *(
                f"Not forked under {change!r}: {counted(count, 'discussion')}: {reason}."
                for (change, reason), count in self.refused.items()
            ),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield the shares of each change, and its differences from the redraws."""
        for row in self.effects.rows:
            own = {"change": row.change or NO_CHANGE}
            for measure in ("turned", "towards", "away", "altered"):
                yield {**own, "measure": measure, **list_cells(getattr(row, measure))}
            for contrast in row.contrasts:
                yield {
                    **own,
                    "measure": f"{contrast.outcome}, difference",
                    **list_cells(contrast.difference.difference),
                    "p": contrast.difference.p_value,
                    "p_holm": contrast.p_holm,
                }

    def _tables(self) -> list[Table]:
        effects = self.effects
        simulated = " (simulated reviewers)" if effects.simulated else ""
        level = f"{effects.level:.0%}"

        def name(row: ForkRow) -> str:
            return self.names.get(row.change, row.change or NO_CHANGE)

        tables = [
            build_table(
                f"Forks at turn {effects.at}, in % [{level} interval]{simulated}",
                effects.rows,
                ("Change", name),
                Column("Discussions", "discussions"),
                Column("Plays", "plays"),
                Column("Unfinished", lambda row: row.unfinished or None),
                Column("Unreadable", lambda row: row.unreadable or None),
                Column(
                    "Turned", "turned", "share", about="the conclusion is not that of the parent"
                ),
                Column("To gold", "towards", "share"),
                Column("From gold", "away", "share"),
                Column(
                    "Altered",
                    "altered",
                    "share",
                    about="a seat altered its opinion in a turn that was played",
                ),
            )
        ]
        contrasts: list[tuple[ForkRow, ForkContrast]] = [
            (row, contrast) for row in effects.rows for contrast in row.contrasts
        ]
        if contrasts:
            tables.append(
                build_table(
                    f"Change minus no change, in points [{level} interval]{simulated}",
                    contrasts,
                    ("Change", lambda pair: name(pair[0])),
                    ("Outcome", lambda pair: _PLAIN[pair[1].outcome]),
                    Column("Discussions", "1.discussions"),
                    Column("Difference", "1.difference.difference", "points"),
                    Column("p", "1.difference.p_value", "p"),
                    Column("p (Holm)", "1.p_holm", "p"),
                    names=2,
                    note="Right: the conclusion is gold.",
                )
            )
        return tables

    def _describe(self) -> list[str]:
        effects = self.effects
        if not effects.redraws:
            return [
                (
                    "Played once, with the random draws of the parents: this shows what a change does to "
                    "a discussion, not whether it has an effect. Play with --draws 2 or more for that."
                )
            ]
        times = counted(effects.redraws, "time")
        both = (
            " under every change and as often without one, with the same new random draws in both."
        )
        sentences = [
            (
                f"Each discussion was played {times} from turn {effects.at} on"
                f"{both if len(effects.rows) > 1 else ', with new random draws.'} The row {NO_CHANGE!r} is "
                "the noise floor: how often a redraw alone turns a conclusion."
            )
        ]
        if any(row.contrasts for row in effects.rows):
            sentences.append(
                "A difference is the mean over discussions of the change minus no change, over the "
                "plays that have both. Interval and p-value have questions as the unit "
                f"({effects.questions:,} of them); p (Holm) is adjusted for the "
                f"{counted(effects.tests, 'test')} of this table. It holds for these discussions, "
                "from this turn on, with these reviewers."
            )
        if self.where:
            sentences.append(
                f"The discussions were chosen by {self.where!r}. Where that depends on how they ended, the "
                "shares of every row move away from the parents even without a change; the differences do "
                "not, as both sides were played anew."
            )
        return sentences


@check_arguments
async def fork(
    source: str | Path | RunSummary,
    *,
    at: int,
    changes: Sequence[str] = (),
    where: str = "",
    draws: int | None = None,
    name: str = "",
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
    observer: Observer | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
) -> ForkResult:
    """Play discussions of a run again from one turn on, under each change and without one.

    The turns before are kept and not paid again. The run stays as it is: forks are a run of their own in
    RUN/forks/NAME, which everything reads. Repeat it to resume. The table compares each change with
    redraws without one, in the same discussions.

    Args:
        source: Run folder; in Python also the summary of a run.
        at: Number of turns to keep: the index of the first turn that is played, from 0, private reviews
            included.
        changes: `KEY=VALUE`, each played in forks of its own. `turn.2=I am certain. {text}` gives a kept turn
            other words (`{text}` stands for its own, `@FILE` reads them). `reviewer_2=CARD` seats another
            reviewer, `leader=other` lets the other seat lead, `order=other` reverses the shown answers,
            `prompts=NAME` takes another pack, `turns=6` sets an option of the protocol. A discussion whose
            protocol would then not give the kept turns again is refused, with the reason.
        where: Discussions to fork, as in the address of a list of `peerjudge view`:
            'gold=wrong&event=altered', 'condition=NAME', 'q=WORDS', or 'id=...' for one. By default all
            complete ones.
        draws: Number of times that each fork is played, with and without the change; by default 2, needed
            where there is no change. 0 plays each once with the random draws of its parent: a look, without
            a comparison.
        name: Name of the folder in RUN/forks; by default one that follows from `at`, `changes` and `where`.
        max_connections: Most calls in flight.
        cost_limit: Limit in USD on all that was ever spent on these forks. Without one of its own, the limits
            of the run hold for the run and all its forks together.
        token_limit: Limit on tokens, likewise.
        seed: Seed of the tests.
        progress: As for `run`.
        observer: As for `run`.
        shelf: Shelf on which cards, protocols and packs are looked up.
        environ: Environment with the API keys.

    Raises:
        ExperimentError: An argument is wrong, or no discussion can be forked so; the message counts why.
        StoreError: The run cannot be forked, or the folder holds other forks.

    Example:
        >>> found = pj.fork_sync("study", at=2, draws=0, where="condition=strong with weak")
        >>> found.effects.rows[0].turned.value  # draws of the parents: every fork is its parent
        0.0
    """
    prepared, folder = await plan_forks(
        source, at=at, changes=changes, where=where, draws=draws, name=name, shelf=shelf
    )
    return await play_forks(
        prepared,
        folder,
        max_connections=max_connections,
        cost_limit=cost_limit,
        token_limit=token_limit,
        seed=seed,
        progress=progress,
        observer=observer,
        shelf=shelf,
        environ=environ,
        say=_log.info,
    )


async def play_forks(
    prepared: PreparedForks,
    folder: Path,
    *,
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
    observer: Observer | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
    say: Callable[[str], None],
) -> ForkResult:
    """Play forks that `plan_forks` prepared; `say` is told what they take before the first call."""
    bounds = Bounds(max_connections=max_connections, cost_limit=cost_limit, token_limit=token_limit)
    bounds = await inherit_limits(bounds, folder, prepared.costs)
    bounds.require_prices(prepared.costs)
    say(say_estimate(prepared, bounds))
    if not prepared.draws:
        # Calls that a change does not reach are those of the parents, which were paid.
        copy_replies(folder.parent.parent, folder)
    summary = await run_prepared(
        prepared,
        place=Place(out=folder),
        bounds=bounds,
        progress=progress,
        observer=observer,
        shelf=shelf or Shelf(),
        environ=environ,
    )
    async with open_run(folder) as played:
        effects = measure_forks(
            [one async for one in played.transcripts()],
            {parent.id: parent for parent in prepared.parents},
            {arm.condition: arm.change.text for arm in prepared.arms},
            at=prepared.at,
            sampler=Sampler(seed=seed),
        )
    return ForkResult(
        folder=folder,
        where=prepared.where,
        names={arm.change.text: arm.change.name for arm in prepared.arms},
        effects=effects,
        refused=prepared.refused,
        summary=summary,
    )


async def plan_forks(
    source: str | Path | RunSummary,
    *,
    at: int,
    changes: Sequence[str] = (),
    where: str = "",
    draws: int | None = None,
    name: str = "",
    shelf: Shelf | None = None,
) -> tuple[PreparedForks, Path]:
    """Return what `fork` would play, and its folder; the arguments are those of `fork`."""
    if draws is None and not changes:
        msg = (
            "forks need a change: give one (--set leader=other; in Python changes), or --draws N to play "
            "the discussions N times more without one, for the noise floor"
        )
        raise ExperimentError(msg)
    draws = _DRAWS if draws is None else draws
    place = str((source.folder or source.store) if isinstance(source, RunSummary) else source)
    parsed = parse_changes(changes, at=at)
    async with open_run(place) as opened:
        find_fork_folder(opened, place, name or "forks")
        prepared = await prepare_forks(
            opened, at=at, changes=parsed, where=where, draws=draws, name=name, shelf=shelf
        )
        folder = find_fork_folder(opened, place, prepared.plan.experiment.name)
    # Forks with another turn, change or filter are another run.
    if (folder / MANIFEST).exists() and read_manifest(folder).get("run") != prepared.run_id:
        msg = f"{folder} holds other forks; choose another --name"
        raise StoreError(msg)
    return prepared, folder


fork_sync = block(fork)
"""`fork`, which returns its result; it also works where an event loop runs, as in a notebook."""
