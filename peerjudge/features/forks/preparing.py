"""Forks of a run: chosen discussions from one turn on, under each change and without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import (
    UNREADABLE,
    Card,
    Comparison,
    Condition,
    Dataset,
    Experiment,
    Fork,
    Transcript,
    content_hash,
    from_plain,
    replace,
)
from peerjudge.datasets import load as load_dataset
from peerjudge.engine import Course, identify, identify_fork, keep_turns
from peerjudge.errors import ExperimentError, ForkError, PeerJudgeError, StoreError
from peerjudge.features.forks.changes import (
    Change,
    change_condition,
    change_seats,
    change_settings,
    find_seat,
)
from peerjudge.features.forks.choosing import choose_discussions
from peerjudge.prompts import pack_identity
from peerjudge.reporting.formats import counted
from peerjudge.runs.estimate import read_costs
from peerjudge.runs.manifest import FORKED, IMPORTED, MERGED, build_manifest
from peerjudge.runs.resolve import Prepared, load_cards, load_parts, needs_reviews
from peerjudge.runs.schedule import Part, Plan
from peerjudge.runs.sources import OpenRun
from peerjudge.runs.transcript_files import is_bundle, is_transcript_file
from peerjudge.shelf import Shelf

FORKS = "forks"
"""Folder in a run folder with the folders of its forks."""
_SHOWN = 5
"""Reasons that an error lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """The forks of one condition under one change; `condition` is their name in the fork's run."""

    condition: str
    parent: str
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPlan(Plan):
    """Forks in place of whole discussions: iteration yields them with the turns that they keep."""

    forks: Mapping[str, Sequence[Transcript]]
    """By comparison."""

    def __iter__(self) -> Iterator[Transcript]:
        named = {part.condition.name for part in self.parts}
        for comparison in self.comparisons:
            for head in self.forks[comparison.id]:
                if head.condition in named:
                    yield head

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedForks(Prepared):
    """Forks that are ready to be played.

    They keep `at` turns of the discussions that `where` chooses, and are played `draws` times.
    `parents` are the discussions that are forked. `refused` counts those that are not, by the change and
    the reason.
    """

    identity: str
    at: int
    where: str
    draws: int
    arms: tuple[Arm, ...]
    parents: tuple[Transcript, ...]
    refused: Mapping[tuple[str, str], int]

    @property
    def run_id(self) -> str:
        """The identity of the run of forks; the number of draws does not change it."""
        return self.identity


async def prepare_forks(
    opened: OpenRun,
    *,
    at: int,
    changes: Sequence[Change] = (),
    where: str = "",
    draws: int = 2,
    name: str = "",
    shelf: Shelf | None = None,
) -> PreparedForks:
    """Resolve forks of a run without calling a model.

    Args:
        opened: The run.
        at: Number of turns that a fork keeps: the index of the first turn that is played.
        changes: The changes, each in forks of its own; forks without a change are always played.
        where: Which discussions to fork, as `parse_where` takes it; empty for all.
        draws: Number of times that each fork is played, with new random draws. 0 plays it once with the
            draws of the parent.
        name: Name of the forks, by default one that follows from the other arguments.
        shelf: Shelf to look names up on.

    Raises:
        ExperimentError: No discussion can be forked so, or an argument is wrong.
        StoreError: The run cannot be forked.
    """
    if at < 0 or draws < 0:
        msg = f"--at and --draws are 0 or more, not {min(at, draws)}"
        raise ExperimentError(msg)
    shelf = shelf or Shelf()
    experiment = _read_experiment(opened)
    wanted = set(await choose_discussions(opened, where))
    parents = [parent async for parent in opened.transcripts() if parent.id in wanted]
    identity = content_hash("forks", opened.id, at, [change.text for change in changes], where)
    name = name or f"at-{at}-{identity[:8]}"
    experiment = replace(
        experiment,
        name=name,
        question=f"Forks of {opened.title} at turn {at}",
        conditions=_list_used(experiment, parents),
        primary="",
        seats={},
    )
    arms, settled = _declare_arms(experiment, (Change(), *changes), shelf)
    cast = load_cards(settled, shelf)
    parts = {part.condition.name: part for part in load_parts(settled, shelf, cast)}
    forks, refused = _list_forks(parents, arms, parts, at=at, draws=draws, experiment=experiment)
    if not forks:
        raise ExperimentError(_describe_refusals(refused, len(parents)))
    forked = {fork.fork.parent for fork in forks if fork.fork is not None}
    parents = [parent for parent in parents if parent.id in forked]
    plan = _build_plan(settled, arms, parts, cast, forks, parents)
    costs = read_costs(cast, project=shelf.project or Path.cwd())
    dataset = Dataset(name=settled.data, description="", comparisons=tuple(plan.comparisons))
    if needs_reviews(plan.cast):
        dataset = load_dataset(settled.data, reviews=True)
    forking = {"run": opened.id, "at": at, "where": where, "draws": draws}
    manifest: dict[str, object] = build_manifest(plan, shelf, dataset=dataset.name) | {
        "prices": costs.document(),
        "notes": (),
        "remarks": (),
        FORKED: {**forking, "arms": _describe_arms(arms, plan)},
    }
    return PreparedForks(
        plan=plan,
        dataset=dataset,
        costs=costs,
        manifest=manifest,
        identity=identity,
        at=at,
        where=where,
        draws=draws,
        arms=arms,
        parents=tuple(parents),
        refused=refused,
    )


def find_fork_folder(opened: OpenRun, source: str, name: str) -> Path:
    """Return the folder of forks with this name, in the folder of their run.

    Raises:
        StoreError: The run is not in a folder.
        ExperimentError: The name is no name of a folder.
    """
    if opened.folder is None or is_transcript_file(source) or is_bundle(source):
        msg = f"{source} is no run folder; forks are kept in the folder of their run"
        raise StoreError(msg)
    if not name or name.startswith(".") or {*name} & {"/", "\\"}:
        msg = f"--name is the name of a folder, without slashes, not {name!r}"
        raise ExperimentError(msg)
    return opened.folder / FORKS / name


def _read_experiment(opened: OpenRun) -> Experiment:
    for entry, kind in (
        (FORKED, "a run of forks"),
        (IMPORTED, "an import"),
        (MERGED, "a merge of runs"),
    ):
        if opened.manifest.get(entry):
            msg = f"run {opened.id[:8]} is {kind}, which cannot be forked; fork the run that was played"
            raise StoreError(msg)
    plain = opened.manifest.get("experiment")
    if not plain:
        msg = f"the manifest of run {opened.id[:8]} declares no experiment, so it cannot be forked"
        raise StoreError(msg)
    return from_plain(Experiment, plain)


def _list_used(experiment: Experiment, parents: Iterable[Transcript]) -> tuple[Condition, ...]:
    used = {parent.condition for parent in parents}
    return tuple(one for one in experiment.conditions if one.name in used)


def _describe_arms(arms: Sequence[Arm], plan: Plan) -> list[dict[str, str]]:
    """Return the arms that are played, as the manifest holds them."""
    played = {part.condition.name for part in plan.parts}
    return [
        {"condition": arm.condition, "parent": arm.parent, "change": arm.change.text}
        for arm in arms
        if arm.condition in played
    ]


def _declare_arms(
    experiment: Experiment, changes: Sequence[Change], shelf: Shelf
) -> tuple[tuple[Arm, ...], Experiment]:
    """Return the arms, and the experiment with one condition for each."""
    arms: list[Arm] = []
    conditions: list[Condition] = []
    for change in changes:
        changed = change_settings(experiment, change, shelf)
        for condition in changed.conditions:
            if change.is_setting and condition in experiment.conditions:
                continue
            if change.card and len(condition.seats) <= find_seat(change, len(condition.seats)):
                continue
            name = f"{condition.name} / {change.name}"
            arms.append(Arm(condition=name, parent=condition.name, change=change))
            conditions.append(change_condition(condition, change, name=name))
    return tuple(arms), replace(experiment, conditions=tuple(conditions))


def _list_forks(
    parents: Sequence[Transcript],
    arms: Sequence[Arm],
    parts: Mapping[str, Part],
    *,
    at: int,
    draws: int,
    experiment: Experiment,
) -> tuple[list[Transcript], dict[tuple[str, str], int]]:
    """Return the heads of all forks with the turns that they keep, and what is refused."""
    by_parent: dict[str, list[Arm]] = {}
    for arm in arms:
        by_parent.setdefault(arm.parent, []).append(arm)
    refused: Counter[tuple[str, str]] = Counter()
    forks: list[Transcript] = []
    numbers = range(1, draws + 1) if draws else range(1)
    asked = {arm.change.text for arm in arms if arm.change.key}
    for parent in parents:
        played: list[Transcript] = []
        changed = False
        for arm in by_parent.get(parent.condition, ()):
            part = parts[arm.condition]
            try:
                if not arm.change.key:
                    _require_same(parent, part, experiment)
                heads = [_fork(parent, arm, part, at, draw, experiment) for draw in numbers]
                # Where a change plays on, it is held against the conclusion as it was.
                if arm.change.key or not asked:
                    _require_cue(heads[0], part)
            except ForkError as cause:
                refused[arm.change.name, str(cause)] += 1
                if not arm.change.key:
                    break
            else:
                played += heads
                changed = changed or bool(arm.change.key)
        # Forks without a change serve those with one; alone they are played if no change was asked for.
        if changed or not asked:
            forks += played
    return forks, dict(refused)


def _require_cue(head: Transcript, part: Part) -> None:
    """Raise `ForkError` if nothing is left to play after the turns that a fork keeps."""
    try:
        left = Course(part.protocol, head).list_speakable()
    except PeerJudgeError as cause:
        raise ForkError(str(cause)) from cause
    if not left:
        msg = f"nothing is left to play after {counted(len(head.turns), 'turn')}"
        raise ForkError(msg)


def _fork(
    parent: Transcript, arm: Arm, part: Part, at: int, draw: int, experiment: Experiment
) -> Transcript:
    """Return a fork before its first own turn."""
    change = arm.change
    new = None
    if change.card:
        new = next(
            seat
            for seat, card in zip(part.seats, part.condition.cards, strict=True)
            if card == change.card and seat.id == change.key
        )
    seats, places = change_seats(parent, change, seat=new)
    head = replace(
        parent,
        id="-",
        condition=arm.condition,
        comparison=parent.comparison.swapped() if change.key == "order" else parent.comparison,
        seats=seats,
        turns=(),
        stop=None,
        verdict=UNREADABLE,
        options=part.protocol.settings(),
        prompts=part.pack.name,
        # Draws depend on the repetition: these numbers are beyond those of the run.
        repetition=parent.repetition + draw * experiment.repetitions,
        fork=Fork(parent=parent.id, at=at, change=change.text, draw=draw),
    )
    kept = keep_turns(
        parent, head, protocol=part.protocol, at=at, edits=change.edits, places=places
    )
    changed = identify(head, prompts=pack_identity(part.pack), seed=experiment.seed, code=part.code)
    id_ = identify_fork(changed, kept, parent=parent.id, at=at, draw=draw)
    return replace(head, id=id_, turns=kept)


def _require_same(parent: Transcript, part: Part, experiment: Experiment) -> None:
    """Raise `ForkError` if the files of the run are no longer as they were when it was played."""
    today = {seat.reviewer: seat.identity for seat in part.speakers}
    for seat in (*parent.seats, *([] if parent.reread is None else [parent.reread])):
        if today.get(seat.reviewer) != seat.identity:
            msg = f"the card {seat.reviewer!r} has changed since it was played"
            raise ForkError(msg)
    prompts = pack_identity(part.pack)
    if identify(parent, prompts=prompts, seed=experiment.seed, code=part.code) != parent.id:
        msg = (
            f"the prompt pack {parent.prompts!r}, or the protocol {parent.protocol!r}, has changed since "
            "it was played"
        )
        raise ForkError(msg)


def _describe_refusals(refused: Mapping[tuple[str, str], int], count: int) -> str:
    worst = sorted(refused.items(), key=lambda item: -item[1])[:_SHOWN]
    reasons = "; ".join(
        f"{change}: {number} of {count}: {reason}" for (change, reason), number in worst
    )
    more = f"; and {len(refused) - _SHOWN} other reasons" if len(refused) > _SHOWN else ""
    return f"no discussion can be forked so ({reasons}{more})"


def _build_plan(
    experiment: Experiment,
    arms: Sequence[Arm],
    parts: Mapping[str, Part],
    cast: Mapping[str, Card],
    forks: Sequence[Transcript],
    parents: Sequence[Transcript],
) -> ForkPlan:
    """Return the plan of the forks, without conditions and cards that have none."""
    played = {fork.condition for fork in forks}
    by_comparison: dict[str, list[Transcript]] = {}
    for fork in forks:
        by_comparison.setdefault(fork.comparison.id, []).append(fork)
    shown: dict[str, Comparison] = {}
    for parent in parents:
        shown.setdefault(parent.comparison.id, parent.comparison)
    forked = tuple(parts[arm.condition] for arm in arms if arm.condition in played)
    seated = {seat.reviewer for part in forked for seat in part.speakers}
    conditions = tuple(condition for condition in experiment.conditions if condition.name in played)
    return ForkPlan(
        experiment=replace(experiment, conditions=conditions),
        parts=forked,
        cast={name: card for name, card in cast.items() if name in seated},
        comparisons=tuple(shown[id_] for id_ in by_comparison),
        forks=by_comparison,
    )
