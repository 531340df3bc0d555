"""Resolution of an experiment: seats and settings applied, cards, protocols, prompts and data loaded."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeVar

from peerjudge.data import (
    Card,
    Condition,
    Dataset,
    Experiment,
    Leader,
    Limits,
    ReviewerKind,
    Sampling,
    Scalar,
    Seat,
    Seating,
    content_hash,
    from_plain,
    replace,
    to_plain,
)
from peerjudge.data.choices import suggest_name
from peerjudge.datasets import load as load_dataset
from peerjudge.datasets.contents import describe_contents
from peerjudge.datasets.specs import add_to_spec, split_spec
from peerjudge.errors import DataError, ExperimentError, PromptError, ProtocolError, ShelfError
from peerjudge.prompts import pack_identity
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs.estimate import Costs, read_costs
from peerjudge.runs.manifest import SHARD, build_manifest, identify_experiment
from peerjudge.runs.pitfalls import (
    list_notes,
    list_unread_settings,
    require_references,
    require_texts,
)
from peerjudge.runs.rehearsal import rehearse
from peerjudge.runs.schedule import Cast, Part, Plan, keep_questions, shuffle_questions
from peerjudge.runs.shards import Shard, check_divided, parse_shard
from peerjudge.runs.written_data import DataPlan, plan_data
from peerjudge.shelf import Shelf, validate
from peerjudge.shelf.cards import card_identity
from peerjudge.simulation import Traits

N = TypeVar("N", Condition, Experiment)
T = TypeVar("T", Sampling, Limits)

_CONDITION_KEYS = ("leader", "orders", "prompts")
_EXPERIMENT_KEYS = ("repetitions", "reread", "reask", "primary")
_REREADERS = frozenset({ReviewerKind.MODEL, ReviewerKind.PYTHON})


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An experiment that is ready to run, with its data, prices and manifest.

    `answers` are the texts that its contestants write first, if its data are questions. Of a shard, `plan`
    has its own questions and `whole` those of all shards.
    """

    plan: Plan
    dataset: Dataset
    costs: Costs
    manifest: Mapping[str, object]
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    answers: DataPlan | None = None
    shard: Shard | None = None
    whole: Plan | None = None

    @property
    def run_id(self) -> str:
        """The identity of the run; the number of comparisons does not change it.

        An edited card, prompt pack or protocol gives another identity: earlier discussions stay in
        the store and are not mixed with new ones. A shard is a run of its own.
        """
        parts = [
            [part.code, pack_identity(part.pack), [seat.identity for seat in part.speakers]]
            for part in self.plan.parts
        ]
        part = [] if self.shard is None else [f"shard {self.shard}"]
        return content_hash(identify_experiment(self.plan.experiment), parts, *part)


def prepare(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    shuffled: bool = False,
    shard: str | None = None,
    shelf: Shelf | None = None,
    dataset: Dataset | None = None,
) -> Prepared:
    """Resolve an experiment without calling a model.

    An experiment on `questions:PATH` has placeholders in place of answers until `dataset` has them.

    Args:
        experiment: A name on the shelf, the path of a file, or a declaration.
        data: Dataset `NAME`, `NAME:PATH` or `FILE.py:PATH` that replaces the declared one. `?question=Prompt`
            after it names columns by field; alone, those of the declared data.
        limit: Number of comparisons to run; by default all.
        seed: Seed that replaces the declared one.
        settings: `key: value` settings; see `apply_settings`.
        seats: Card by seat, for other reviewers than those declared; see `apply_seats`.
        shuffled: Take the questions in a random order, drawn with the seed, instead of the first ones
            of the data; `limit` keeps whole questions.
        shard: Part of the questions within the limit, as `K/N`; see `run`.
        shelf: Shelf to look names up on; by default the working directory, then the built-in shelf.
        dataset: What `data` names, loaded before, or a part of it; for `questions:PATH`, the pairs of
            answers that the contestants have written.

    Raises:
        PeerJudgeError: A name is unknown, or parts of the experiment do not fit together.
    """
    shelf = shelf or Shelf()
    declared = (
        validate(experiment, "experiment", ExperimentError)
        if isinstance(experiment, Experiment)
        else shelf.experiment(experiment, seats=seats or {})
    )
    declared = replace(
        declared,
        name=declared.name or "experiment",
        data=_choose_data(data or "", declared.data),
        seed=declared.seed if seed is None else seed,
    )
    declared = apply_seats(declared, seats or {})
    declared = apply_settings(declared, settings or {}, shelf)
    cast = load_cards(declared, shelf)
    parts = load_parts(declared, shelf, cast)
    first = None if shuffled else limit
    answers = plan_data(declared, shelf, limit=first)
    if dataset is None:
        dataset = (
            load_dataset(declared.data, limit=first, reviews=needs_reviews(cast))
            if answers is None
            else answers.rehearse(limit=first)
        )
    if shuffled:
        ordered = shuffle_questions(dataset.comparisons, seed=declared.seed)
        dataset = replace(dataset, comparisons=keep_questions(ordered, limit))
    plan = Plan(experiment=declared, parts=parts, cast=cast, comparisons=dataset.comparisons)
    require_texts(plan, missing=dataset.missing_texts)
    require_references(plan)
    costs = read_costs(cast, project=shelf.project or Path.cwd())
    # Answers that are not written yet have placeholders, which are all equal.
    contents = () if answers is not None else describe_contents(dataset)
    notes, remarks = list_notes(plan), (*contents, *list_unread_settings(plan))
    part = None if shard is None else parse_shard(shard)
    whole = None
    if part is not None:
        check_divided(until=None, batch=False, writes=answers is not None)
        whole = plan
        dataset = replace(dataset, comparisons=part.choose(dataset.comparisons))
        plan = dataclasses.replace(plan, comparisons=dataset.comparisons)
    manifest = build_manifest(plan, shelf, dataset=dataset.name) | {
        **({} if part is None else {SHARD: str(part)}),
        "prices": costs.document(),
        "notes": [*notes, *remarks],
        "remarks": list(remarks),
    }
    return Prepared(
        plan=plan,
        dataset=dataset,
        costs=costs,
        manifest=manifest,
        notes=notes,
        remarks=remarks,
        answers=answers,
        shard=part,
        whole=whole,
    )


def _choose_data(data: str, declared: str) -> str:
    """Return the data of a run; `?FIELD=COLUMN` alone is how the declared data are read."""
    if not data.startswith("?"):
        return data or declared
    _, reading = split_spec(data)
    return add_to_spec(declared, names=reading.names, codes=reading.codes)


def load_cards(experiment: Experiment, shelf: Shelf) -> dict[str, Card]:
    """Load the card of each seated reviewer and apply the experiment's `reviewer_settings`.

    The card that rereads replies is one of them.

    Raises:
        ShelfError: A name is on no shelf.
        ExperimentError: A setting has a wrong value, or a card cannot reread replies.
    """
    names = {card for condition in experiment.conditions for card in condition.cards}
    if second := experiment.reread:
        names.add(second)
        if (kind := shelf.card(second).kind) not in _REREADERS:
            msg = (
                f"reread={second}: a {kind} reviewer cannot read the words of another; name a card with "
                "a [model], or a .py reviewer"
            )
            raise ExperimentError(msg)
    return {
        name: _apply_to_card(shelf.card(name), experiment.reviewer_settings)
        for name in sorted(names)
    }


def load_parts(experiment: Experiment, shelf: Shelf, cast: Cast) -> tuple[Part, ...]:
    """Load the protocol, prompt pack and seats of each condition, and rehearse the protocol.

    Raises:
        ExperimentError: There are no conditions, or two share a name.
        ShelfError: A name is on no shelf.
        ProtocolError: The protocol does not take this number of seats or an option.
        PromptError: The pack lacks a text that the protocol needs.
    """
    names = [condition.name for condition in experiment.conditions]
    if not names:
        msg = f"experiment {experiment.name!r} declares no conditions"
        raise ExperimentError(msg)
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        msg = f"experiment {experiment.name!r} has two conditions called {repeated[0]!r}"
        raise ExperimentError(msg)
    parts: list[Part] = []
    for condition in experiment.conditions:
        try:
            parts.append(_load_part(condition, experiment, shelf, cast))
        except (ShelfError, ProtocolError, PromptError) as cause:
            msg = f"condition {condition.name!r}: {cause}"
            raise type(cause)(msg) from cause
    return tuple(parts)


def apply_seats(experiment: Experiment, seats: Mapping[str, str]) -> Experiment:
    """Return the experiment with other cards in its seats.

    All replacements happen at once, so two cards can change places. Conditions keep their names.

    Args:
        experiment: The experiment; its `seats` names cards.
        seats: Card by seat: a name in `experiment.seats`, or a card that a condition seats.

    Raises:
        ExperimentError: No seat has this name, or two names mean one card.
    """
    seated = {card for condition in experiment.conditions for card in condition.cards}
    changes: dict[str, str] = {}
    for name, card in seats.items():
        old = experiment.seats.get(name, name)
        if old not in seated:
            known = ", ".join([*experiment.seats, *sorted(seated)])
            msg = f"{experiment.name or 'the experiment'} has no seat {name!r}; its seats are: {known}"
            raise ExperimentError(msg)
        if old in changes:
            msg = (
                f"seat {name!r} is the card {old!r}, which is replaced already by {changes[old]!r}"
            )
            raise ExperimentError(msg)
        changes[old] = card
    if not changes:
        return experiment
    return replace(
        experiment,
        conditions=tuple(_seat(condition, changes) for condition in experiment.conditions),
        seats={name: changes.get(card, card) for name, card in experiment.seats.items()},
    )


def apply_settings(experiment: Experiment, settings: Mapping[str, str], shelf: Shelf) -> Experiment:
    """Apply each setting wherever its key is known.

    Keys are looked up in this order: fields of conditions (`leader`, `orders`, `prompts`) and of the
    experiment (`repetitions`, `reread`, `reask`, `primary`), protocol options, then sampling,
    limits and traits of the reviewers.

    Raises `ExperimentError` for an unknown key; the message lists the known ones.
    """
    for key, value in settings.items():
        experiment = _apply(experiment, key, value, shelf)
    return experiment


def _load_part(condition: Condition, experiment: Experiment, shelf: Shelf, cast: Cast) -> Part:
    protocol = shelf.protocol(condition.protocol, options=condition.options)
    pack = shelf.prompts(condition.prompts or experiment.prompts)
    least, most = protocol.answers
    protocol.require(seats=len(condition.seats), answers=most or least)
    rehearse(protocol, pack, seats=len(condition.seats))
    _require_leader(condition, protocol)
    second = experiment.reread
    can_ask = any(cast[name].kind in _REREADERS for name in condition.cards)
    return Part(
        condition=condition,
        protocol=protocol,
        pack=pack,
        seats=tuple(
            _load_seat(f"reviewer_{number}", seating, cast, shelf)
            for number, seating in enumerate(condition.seats, 1)
        ),
        code=shelf.code("protocols", protocol.name),
        reread=_load_seat("reread", second, cast, shelf) if second else None,
        reask=experiment.reask if can_ask else 0,
    )


def _require_leader(condition: Condition, protocol: DiscussionProtocol) -> None:
    """Raise `ProtocolError` if another leader would give the first two seats each other's declared role."""
    if not protocol.roles or len(condition.seats) < 2 or condition.leader is Leader.FIRST:
        return
    first, second = protocol.list_roles(len(condition.seats))[:2]
    if first != second:
        msg = (
            f"leader = {condition.leader.value!r} swaps the first two seats, which are {first} and "
            f"{second} in protocol {protocol.name!r}; leave it out"
        )
        raise ProtocolError(msg)


def _load_seat(seat_id: str, named: str | Seating, cast: Cast, shelf: Shelf) -> Seat:
    seating = Seating(reviewer=named) if isinstance(named, str) else named
    card = cast[seating.reviewer]
    sampling = card.sampling
    if seating.temperature is not None:
        sampling = replace(sampling, temperature=seating.temperature)
    identity, code = card_identity(card), shelf.code("agents", card.name)
    return Seat(
        id=seat_id,
        reviewer=card.name,
        sampling=sampling,
        identity=content_hash(identity, code) if code else identity,
        form=card.form,
    )


def needs_reviews(cast: Cast) -> bool:
    """Return whether a card replays the reviews of the dataset."""
    return any(card.kind is ReviewerKind.RECORDED and not card.source for card in cast.values())


def list_options(experiment: Experiment, shelf: Shelf) -> set[str]:
    """Return the names of the options of the protocols of an experiment."""
    protocols = {condition.protocol for condition in experiment.conditions}
    return {name for each in protocols for name in shelf.protocol(each, options={}).option_names}


def _apply(experiment: Experiment, key: str, value: str, shelf: Shelf) -> Experiment:
    if key == "reread":
        changed = replace(experiment, reread=value)
        load_cards(changed, shelf)
        return changed
    if key == "primary":
        return _set_field(experiment, key, value)
    if key == "reask":
        if value not in {"0", "1"}:
            msg = f"reask={value}: choose 1 to ask a model once whose reply names no choice, or 0"
            raise ExperimentError(msg)
        return replace(experiment, reask=int(value))
    if key == "repetitions":
        if not value.isdecimal() or int(value) < 1:
            msg = f"{key} is a whole number from 1, not {value!r}"
            raise ExperimentError(msg)
        return replace(experiment, repetitions=int(value))
    if key in _CONDITION_KEYS:
        conditions = tuple(_set_field(condition, key, value) for condition in experiment.conditions)
        return replace(experiment, conditions=conditions)
    takes = {
        condition.name
        for condition in experiment.conditions
        if key in shelf.protocol(condition.protocol, options={}).option_names
    }
    if takes:
        conditions = tuple(
            replace(condition, options={**condition.options, key: value})
            if condition.name in takes
            else condition
            for condition in experiment.conditions
        )
        return replace(experiment, conditions=conditions)
    cards = load_cards(experiment, shelf).values()
    if any(key in _card_keys(card) for card in cards):
        changed = {**experiment.reviewer_settings, key: value}
        return replace(experiment, reviewer_settings=changed)
    raise ExperimentError(_describe_unknown(experiment, key, shelf))


def _set_field(noun: N, key: str, value: str) -> N:
    try:
        return replace(noun, **{key: value})
    except DataError as cause:
        raise ExperimentError(str(cause)) from cause


def _card_keys(card: Card) -> tuple[str, ...]:
    if card.kind is ReviewerKind.SIMULATED:
        return (*Sampling.__struct_fields__, *(trait.name for trait in fields(Traits)))
    return (*Sampling.__struct_fields__, *Limits.__struct_fields__)


def _apply_to_card(card: Card, settings: Mapping[str, Scalar]) -> Card:
    known = {key: value for key, value in settings.items() if key in _card_keys(card)}
    if not known:
        return card
    drawn = Sampling.__struct_fields__
    sampling = {key: value for key, value in known.items() if key in drawn}
    others = {key: value for key, value in known.items() if key not in drawn}
    try:
        card = replace(card, sampling=_update(card.sampling, sampling))
        if card.kind is ReviewerKind.SIMULATED:
            traits = {key: _parse_trait(key, value) for key, value in others.items()}
            return replace(card, traits={**card.traits, **traits})
        return replace(card, limits=_update(card.limits, others))
    except DataError as cause:
        raise ExperimentError(str(cause)) from cause


def _update(noun: T, changes: Mapping[str, Scalar]) -> T:
    plain = to_plain(noun)
    assert isinstance(plain, dict)  # noqa: S101  a noun's plain form is always an object
    return from_plain(type(noun), {**plain, **changes})  # pyright: ignore[reportUnknownArgumentType]


def _parse_trait(key: str, value: Scalar) -> float:
    try:
        return float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError) as cause:
        msg = f"trait {key!r} is a number, not {value!r}"
        raise ExperimentError(msg) from cause


def _describe_unknown(experiment: Experiment, key: str, shelf: Shelf) -> str:
    options = list_options(experiment, shelf)
    traits = {key for card in load_cards(experiment, shelf).values() for key in _card_keys(card)}
    known = sorted({*_EXPERIMENT_KEYS, *_CONDITION_KEYS, *options, *traits})
    where = f"unknown setting {key!r} in experiment {experiment.name!r}"
    return f"{where}{suggest_name(key, known)} (known: {', '.join(known)})"


def _seat(condition: Condition, changes: Mapping[str, str]) -> Condition:
    seats = tuple(
        replace(seat, reviewer=changes.get(seat.reviewer, seat.reviewer))
        if isinstance(seat, Seating)
        else changes.get(seat, seat)
        for seat in condition.seats
    )
    return replace(condition, seats=seats)
