"""Pitfalls of an experiment that can be found before its first call: what is refused, what is noted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from peerjudge.data import TIE, Experiment, Leader, ReviewerKind
from peerjudge.errors import DataError
from peerjudge.runs.schedule import Part, Plan
from peerjudge.simulation.latent import QUALITY

_SELF_DISCUSSION = "self_discussion"
_VOTE = "vote"
_DEFAULT_PACK: str = Experiment(data="", conditions=()).prompts
_WORDING = frozenset({"aspects", "form", "remind", "rules"})
"""Protocol options that change the wording of prompts only."""
_WORDING_OF_FORMS = _WORDING | {"order"}
"""The same of a protocol with forms of a reply; elsewhere the order is that of the seats."""


def require_texts(plan: Plan, *, missing: str = "") -> None:
    """Raise `DataError` if a comparison to judge shows no answer with a text.

    Recorded reviews need no texts; all other reviewers would judge nothing, and be paid for it. `missing`
    says which files have the texts.
    """
    seated = {seat.reviewer for part in plan.parts for seat in part.seats}
    if all(plan.cast[name].kind is ReviewerKind.RECORDED for name in seated):
        return
    empty = [
        comparison.id
        for comparison in plan.comparisons
        if not any(answer.text.strip() for answer in comparison.answers)
    ]
    if empty:
        msg = (
            f"{len(empty):,} of {len(plan.comparisons):,} comparisons have no texts to judge, such as "
            f"{empty[0]!r}: {missing or 'choose data with texts'}; `rank`, `score` and `agreement` read "
            "recorded labels"
        )
        raise DataError(msg)


def require_references(plan: Plan) -> None:
    """Raise `DataError` if a condition shows reference answers and no comparison has one."""
    shown = [part.pack.name for part in plan.parts if part.pack.reference]
    if (
        shown
        and plan.comparisons
        and not any(comparison.reference for comparison in plan.comparisons)
    ):
        msg = (
            f"prompts={shown[0]} shows reference answers, and none of the {len(plan.comparisons):,} "
            "comparisons has one; give the data a column `reference`, or choose another pack"
        )
        raise DataError(msg)


def list_notes(plan: Plan) -> tuple[str, ...]:
    """Return one sentence for each choice that is allowed and probably not meant."""
    notes = [note for part in plan.parts for note in _list_part_notes(part)]
    for find in (
        _list_repeated,
        _list_untaken,
        _list_unreachable_gold,
        _list_unjudged,
        _list_invented,
    ):
        notes += find(plan)
    if second := plan.experiment.reread:
        notes.append(
            f"replies in which no rule finds a verdict are reread by {second!r}; such verdicts make no "
            "opinion events"
        )
    return tuple(notes)


def _list_repeated(plan: Plan) -> Iterator[str]:
    repetitions = plan.experiment.repetitions
    same = {
        seat.reviewer: None
        for part in plan.parts
        for seat in part.seats
        if seat.sampling.temperature == 0 or seat.sampling.seed is not None
    }
    if repetitions > 1 and same:
        yield (
            f"the experiment has {repetitions} repetitions, and {', '.join(same)} reviews "
            "at temperature 0 or with a fixed seed, which usually gives the same review each time"
        )


def _list_untaken(plan: Plan) -> Iterator[str]:
    own = {
        seat.reviewer: None
        for part in plan.parts
        for seat in part.seats
        if plan.cast[seat.reviewer].kind is ReviewerKind.PYTHON
        and seat.sampling.temperature is not None
    }
    if own:
        yield (
            f"a temperature is declared for {', '.join(own)}, a Python file: an AutoGen agent or team does "
            "not take it, and it is recorded as not set; a function finds it in request.seat.sampling"
        )


def _list_unjudged(plan: Plan) -> Iterator[str]:
    for part in plan.parts:
        contestants = part.condition.contestants
        if contestants and not any(map(part.judges, plan.comparisons)):
            yield (
                f"condition {part.condition.name!r} judges none of the comparisons, because "
                f"none is of answers by {' and '.join(contestants)} only"
            )


def _list_invented(plan: Plan) -> Iterator[str]:
    invented = {
        answer.author: None
        for comparison in plan.comparisons
        for answer in comparison.answers
        if f"{QUALITY}{answer.id}" in comparison.meta
    }
    if invented and any(card.kind is not ReviewerKind.SIMULATED for card in plan.cast.values()):
        yield f"the answers of {', '.join(invented)} are simulated: their words say nothing"


def list_unread_settings(plan: Plan) -> tuple[str, ...]:
    """Return a sentence with the changed settings of prompts that simulated reviewers do not read.

    Cards with `[[responds]]` react to the words of prompts, so they are left out.
    A default needs no sentence. These settings are no mistake: they serve the models that are seated later.
    """
    unread: dict[str, None] = {}
    for part in plan.parts:
        cards = [plan.cast[seat.reviewer] for seat in part.seats]
        if not any(card.kind is ReviewerKind.SIMULATED and not card.responds for card in cards):
            continue
        if part.pack.name != _DEFAULT_PACK:
            unread[f"prompts={part.pack.name}"] = None
        chosen = part.protocol.settings()
        wording = _WORDING_OF_FORMS if "form" in part.protocol.option_names else _WORDING
        for option in fields(part.protocol.options):  # pyright: ignore[reportArgumentType]  a dataclass
            value = chosen.get(option.name, option.default)
            if option.name in wording and value != option.default:
                unread[f"{option.name}={value}"] = None
    if not unread:
        return ()
    named = ", ".join(unread)
    sentence = (
        f"simulated reviewers do not read prompts, so these settings do not reach them: {named} "
        "(nor do the roles of their cards); conditions that differ in nothing else differ by chance only"
    )
    return (sentence,)


def _list_unreachable_gold(plan: Plan) -> Iterator[str]:
    """Yield a sentence if gold has ties and some condition offers none to its reviewers."""
    ties = sum(comparison.gold == TIE for comparison in plan.comparisons)
    names = [
        repr(part.condition.name)
        for part in plan.parts
        if part.protocol.settings().get("ties") is False
    ]
    if ties and names:
        yield (
            f"gold is a tie in {ties:,} of {len(plan.comparisons):,} comparisons, and reviewers are offered "
            f"no tie in {', '.join(names)}, so their verdicts on these cannot be right; offer it with "
            "-S ties=true"
        )


def _list_part_notes(part: Part) -> Iterator[str]:
    where = f"condition {part.condition.name!r}"
    for length in ("turns", "rounds"):
        if part.protocol.settings().get(length) == 0:
            yield f"{where} has {length}=0, so its seats review privately and do not discuss"
    if part.protocol.name == _VOTE and _lets_one_seat_decide(part):
        yield (
            f"{where} is an even vote with leader={part.condition.leader.value}, so one seat decides all "
            "even splits, and the vote is no fair baseline; use leader=Leader.BOTH"
        )
    if part.protocol.name != _SELF_DISCUSSION:
        return
    temperatures = [seat.sampling.temperature for seat in part.seats]
    if len(set(temperatures)) == 1:
        shown = "the default" if temperatures[0] is None else temperatures[0]
        yield (
            f"{where} seats both reviewers at the same temperature ({shown}), so they differ by chance "
            "only; use Seating(reviewer=..., temperature=...)"
        )
    elif 0 in temperatures:
        yield f"{where} has a seat at temperature 0, which gives the same review in every repetition"
    if set(temperatures) == {0}:
        yield f"{where} is at temperature 0, so both seats usually say the same"


def _lets_one_seat_decide(part: Part) -> bool:
    """Return whether an even vote of different reviewers is always settled by the same one."""
    return (
        len(part.seats) % 2 == 0
        and len({seat.reviewer for seat in part.seats}) > 1
        and part.condition.leader in {Leader.FIRST, Leader.SECOND}
        and part.protocol.settings().get("split") == "first"
    )
