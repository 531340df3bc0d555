"""Contracts of the other shelf files (cards, prompt packs, experiments), and the check of a project."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

from peerjudge.data import (
    WITHOUT_REASONS,
    Card,
    Comparison,
    Cue,
    Expects,
    Experiment,
    Limits,
    PromptPack,
    ReviewerKind,
    Seat,
    Turn,
    from_plain,
    replace,
    to_plain,
)
from peerjudge.datasets.catalogue import list_datasets, load, name_format
from peerjudge.datasets.contents import describe_contents
from peerjudge.errors import CardError, PeerJudgeError, PromptError
from peerjudge.prompts import render
from peerjudge.prompts.rendering import list_labels, quote
from peerjudge.protocol import DiscussionProtocol
from peerjudge.shelf import Entry, Kind, Shelf
from peerjudge.shelf.cards import check_name
from peerjudge.testing.contracts import BrokenClause, check_protocol
from peerjudge.testing.scenarios import ContractError, generate_scenarios


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """One shelf file with the clauses that it breaks.

    `problem` holds them as text, empty where there are none. `shadows` is the built-in file that this
    file hides. `notes` say what is worth knowing and no mistake.
    """

    kind: Kind
    name: str
    path: str
    problem: str = ""
    shadows: str = ""
    builtin: bool = False
    broken: tuple[BrokenClause, ...] = ()
    notes: tuple[str, ...] = ()


class _Occasion(NamedTuple):
    """A cue as it comes up in a discussion; `default` marks a protocol with its default options."""

    seats: tuple[Seat, ...]
    comparison: Comparison
    turns: tuple[Turn, ...]
    cue: Cue
    default: bool


def check_project(shelf: Shelf) -> Iterator[CheckedFile]:
    """Check every file of the project, or the built-in ones if it has none; calls no model.

    The project's packs and protocols are also checked with the built-in ones. Python files on the shelves
    are loaded and so executed.
    """
    entries = [entry for kind in get_args(Kind) for entry in shelf.entries(kind)]
    own = [entry for entry in entries if not entry.builtin] or entries
    has_packs = any(entry.kind == "prompts" for entry in own)
    packs: list[PromptPack] = []
    for entry in shelf.entries("prompts"):
        try:
            packs.append(shelf.prompts(entry.name))
        except PeerJudgeError:
            continue  # Reported when the pack itself is checked.
    occasions: dict[str, tuple[_Occasion, ...]] = {}
    for entry in entries:
        if entry not in own:
            if has_packs and entry.kind == "protocols":
                occasions[entry.name] = _collect_occasions(shelf.protocol(entry.name))
            continue
        try:
            broken = _check_file(shelf, entry, packs, occasions)
        except PeerJudgeError as error:
            broken = (BrokenClause(clause="loads", problem=str(error)),)
        notes = [*_find_gaps(entry, packs, occasions)]
        if entry.kind == "experiments" and not broken:
            notes += _describe_data(shelf.experiment(entry.name))
        yield _describe_file(entry, broken, notes)


def _check_file(
    shelf: Shelf,
    entry: Entry,
    packs: Sequence[PromptPack],
    occasions: dict[str, tuple[_Occasion, ...]],
) -> tuple[BrokenClause, ...]:
    """Check one file; the occasions of a protocol without a broken clause are added to `occasions`."""
    match entry.kind:
        case "agents":
            card = shelf.card(entry.name)
            # A reviewer of a broken card would fail for the same reason.
            return check_card(card) or tuple(_broken_by("reviewer", lambda: _make(card, shelf)))
        case "protocols":
            protocol = shelf.protocol(entry.name)
            found = _collect_occasions(protocol)
            broken = (*check_protocol(protocol), *_check_words(found, packs))
            if not broken:
                occasions[entry.name] = found
            return broken
        case "prompts":
            return _check_pack(shelf.prompts(entry.name), [*occasions.values()])
        case "experiments":
            return check_experiment(shelf.experiment(entry.name), shelf)


def _make(card: Card, shelf: Shelf) -> None:
    """Make the reviewer of a Python file; raise `CardError` if it cannot run.

    A function that fails on this machine, as for want of a key, is left to a trial.
    """
    factory = shelf.factory(card.name) if card.kind is ReviewerKind.PYTHON else None
    if factory is None:
        return
    from peerjudge.reviewers import make_reviewer

    try:
        make_reviewer(factory, name=card.name)
    except CardError as error:
        if error.__cause__ is None:
            raise


def check_card(card: Card) -> tuple[BrokenClause, ...]:
    """Return the clauses that a reviewer card breaks: its name, limits, sampling, traits and model."""

    def check_limits() -> None:
        from_plain(Limits, to_plain(card.limits))
        from_plain(Card, to_plain(card))

    def check_traits() -> None:
        if card.kind is ReviewerKind.SIMULATED:
            from peerjudge.simulation import SimulatedReviewer

            SimulatedReviewer(card, seed=0)

    broken = [
        *_broken_by("name", lambda: check_name(card.name)),
        *_broken_by("fields", check_limits),
        *_broken_by("traits", check_traits),
    ]
    if card.kind is ReviewerKind.MODEL and card.model is None:
        broken.append(
            BrokenClause(
                clause="model",
                problem=f"card {card.name!r} names no model",
                remedy="Set model=ModelSpec(...), or kind=ReviewerKind.PYTHON with a function reviewer().",
            )
        )
    if card.kind is ReviewerKind.RECORDED and not card.source.strip():
        broken.append(
            BrokenClause(
                clause="source",
                problem=f"card {card.name!r} replays recorded reviews and names no dataset",
                remedy="Set source='NAME:PATH'.",
            )
        )
    return tuple(broken)


def check_pack(
    pack: PromptPack, protocols: Iterable[DiscussionProtocol]
) -> tuple[BrokenClause, ...]:
    """Return the clauses that a prompt pack breaks in the discussions of these protocols.

    Each kind of cue that the protocols make is rendered. A task or reply form that the pack lacks is
    no broken clause as long as the pack has the words for one protocol at least.
    """
    return _check_pack(pack, [_collect_occasions(protocol) for protocol in protocols])


def _check_pack(
    pack: PromptPack, occasions: Sequence[tuple[_Occasion, ...]]
) -> tuple[BrokenClause, ...]:
    broken: dict[str, BrokenClause] = {}
    for occasion in itertools.chain.from_iterable(occasions):
        if _has_words(pack, occasion.cue) and (found := _check_prompt(pack, occasion)):
            broken.setdefault(found.clause, found)
    if not any(each and not _list_gaps(pack, each) for each in occasions):
        broken["tasks"] = BrokenClause(
            clause="tasks",
            problem=f"prompt pack {pack.name!r} lacks a task or a reply form for every protocol",
            remedy=f"It has the tasks {sorted(pack.tasks)}; add those of a protocol, such as 'review'.",
        )
    return tuple(broken.values())


def check_experiment(experiment: Experiment, shelf: Shelf) -> tuple[BrokenClause, ...]:
    """Return the clauses that an experiment breaks: its conditions, each by itself, and its dataset."""
    from peerjudge.runs.resolve import load_cards, load_parts

    def resolve(part: Experiment) -> None:
        load_parts(part, shelf, load_cards(part, shelf))

    broken = [*_broken_by("fields", lambda: from_plain(Experiment, to_plain(experiment)))]
    if broken:
        return tuple(broken)
    for condition in experiment.conditions:
        part = replace(experiment, conditions=(condition,), primary="", seats={})
        for each in _broken_by("conditions", lambda part=part: resolve(part)):
            problem = f"condition {condition.name!r}: {each.problem}"
            broken.append(dataclasses.replace(each, problem=problem))
    if not broken:
        broken += _broken_by("conditions", lambda: resolve(experiment))
    if experiment.repetitions < 1:
        broken.append(
            BrokenClause(
                clause="repetitions",
                problem=f"experiment {experiment.name!r} has {experiment.repetitions} repetitions",
                remedy="Set repetitions to 1 or more.",
            )
        )
    return (*broken, *_check_dataset(experiment))


def _check_dataset(experiment: Experiment) -> Iterator[BrokenClause]:
    name = name_format(experiment.data).partition(":")[0].partition("+")[0]
    known = list(list_datasets())
    if name not in known and not name.endswith(".py"):
        yield BrokenClause(
            clause="dataset",
            problem=f"experiment {experiment.name!r} names the unknown dataset {name!r}",
            remedy=f"Choose one of {', '.join(known)}, or FILE.py:PATH for your own.",
        )
    elif _is_table(experiment.data):
        yield from _broken_by("dataset", lambda: load(experiment.data))


def _is_table(data: str) -> bool:
    """Return whether data are a table of one's own that is on this machine."""
    return name_format(data) != data


def _describe_data(experiment: Experiment) -> Iterator[str]:
    if _is_table(experiment.data):
        found = describe_contents(load(experiment.data, reviews=False))
        yield from (f"{experiment.data}: {each}" for each in found)


def _broken_by(clause: str, check: Callable[[], object]) -> Iterator[BrokenClause]:
    """The clause with the message of the error that the check raises, if it raises one."""
    try:
        check()
    except PeerJudgeError as error:
        yield BrokenClause(clause=clause, problem=str(error))


def _check_words(
    occasions: Sequence[_Occasion], packs: Sequence[PromptPack]
) -> Iterator[BrokenClause]:
    fewest = min((_list_gaps(pack, occasions) for pack in packs), key=len, default=())
    if fewest:
        yield BrokenClause(
            clause="words",
            problem=f"no prompt pack on the shelves has all words; the nearest lacks {', '.join(fewest)}",
            remedy="Name a task that a pack has, or add it to a pack of yours in protocols/prompts/.",
        )


def _find_gaps(
    entry: Entry, packs: Sequence[PromptPack], occasions: Mapping[str, tuple[_Occasion, ...]]
) -> Iterator[str]:
    """A note for each task and reply form that a prompt pack lacks for a protocol."""
    pack = next((pack for pack in packs if pack.name == entry.name), None)
    if entry.kind != "prompts" or pack is None:
        return
    lacking: dict[str, list[str]] = {}
    for name, found in occasions.items():
        for gap in _list_gaps(pack, found):
            lacking.setdefault(gap, []).append(name)
    for gap, names in lacking.items():
        yield f"has no {gap}, so it cannot be used with {', '.join(names)}"


def _list_gaps(pack: PromptPack, occasions: Iterable[_Occasion]) -> tuple[str, ...]:
    """The tasks and reply forms that the pack lacks for the default options."""
    cues = [occasion.cue for occasion in occasions if occasion.default]
    tasks = [f"task {cue.task!r}" for cue in cues if cue.task not in pack.tasks]
    forms = [f"reply form {_form(cue)!r}" for cue in cues if _form(cue) not in {"", *pack.reply}]
    return tuple(dict.fromkeys([*tasks, *forms]))


def _has_words(pack: PromptPack, cue: Cue) -> bool:
    return cue.task in pack.tasks and _form(cue) in {"", *pack.reply}


def _form(cue: Cue) -> str:
    """The reply form of a cue; empty for an explanation."""
    usual = "rating" if cue.expects is Expects.RATING else "verdict"
    return "" if cue.expects is Expects.TEXT else cue.reply or usual


def _collect_occasions(protocol: DiscussionProtocol) -> tuple[_Occasion, ...]:
    """One occasion for each kind of cue that the protocol makes, default options first."""
    found: dict[object, _Occasion] = {}
    for scenario in generate_scenarios(protocol):
        try:
            turns = scenario.turns
        except ContractError:
            continue  # Reported when the protocol itself is checked.
        for turn in turns:
            # Neither the speaker nor the exact turns heard decide on the words that a cue needs.
            kind = replace(
                turn.cue, seat="", sees=("",) * len(turn.cue.sees), hears=(), withheld=()
            )
            past = turns[: turn.index]
            default = not scenario.may_refuse
            occasion = _Occasion(scenario.seats, scenario.comparison, past, turn.cue, default)
            found.setdefault((kind, len(turn.cue.hears), len(scenario.seats)), occasion)
    return tuple(found.values())


def _list_shown(pack: PromptPack, comparison: Comparison, cue: Cue) -> dict[str, str]:
    """Return the texts that a scene shows, by what they are."""
    reference = {"reference answer": comparison.reference} if pack.reference else {}
    answers = {f"text of {at}": comparison.answer(at).text for at in cue.sees}
    return {"question": comparison.question.text, **reference, **answers}


def _check_prompt(pack: PromptPack, occasion: _Occasion) -> BrokenClause | None:
    seats, comparison, turns, cue, _ = occasion
    if pack.reference:
        comparison = replace(comparison, meta={"reference": "The reference answer.\nIn two lines."})
    try:
        messages = render(pack, seats=seats, comparison=comparison, turns=turns, cue=cue)
    except PromptError as error:
        return BrokenClause(clause="templates", problem=str(error))
    text = "\n".join(["", *(message.text for message in messages), ""])
    wanted = {} if cue.blind else _list_shown(pack, comparison, cue)
    if cue.control not in WITHOUT_REASONS:
        wanted |= {f"reply of turn {at}": turns[at].utterance.text for at in cue.hears}
    own = "\n".join(message.text for message in messages if message.role == "assistant")
    for what, words in wanted.items():
        if _delimited(pack, words) not in text and words not in own:
            return BrokenClause(
                clause="shows_all",
                problem=f"the prompt for task {cue.task!r} does not show the {what}",
                remedy="Print question and all answers in scene, the reference answer in reference, and "
                "words in heard, unchanged and each on lines of its own.",
            )
    if not cue.blind and (unnamed := _find_unlabelled(pack, occasion, text)):
        return BrokenClause(
            clause="labels",
            problem=f"the prompt for task {cue.task!r} shows {unnamed} without its label",
            remedy="Print labels[loop.index0] before each of the answers in scene.",
        )
    if pack.fence == "lines" and cue.control not in WITHOUT_REASONS:
        for words in sorted(wanted.values(), key=len, reverse=True):
            text = text.replace(_delimited(pack, words), "\n")
        if "\n>" in text:
            return BrokenClause(
                clause="quotation",
                problem=f"the prompt for task {cue.task!r} has lines of its own that begin with >",
                remedy="Begin no line of a template with >: such lines are material to be judged.",
            )
    return None


def _delimited(pack: PromptPack, words: str) -> str:
    """The text as a prompt shows it, on lines of its own if lines are quoted."""
    return words if pack.fence == "marks" else f"\n{quote(words)}\n"


def _find_unlabelled(pack: PromptPack, occasion: _Occasion, text: str) -> str:
    """The answer that is not preceded by its label, empty if there is none."""
    sees = occasion.cue.sees
    if len(sees) < 2:
        return ""
    at = 0
    for answer_id, label in zip(sees, list_labels(pack, len(sees)), strict=True):
        shown = _delimited(pack, occasion.comparison.answer(answer_id).text)
        end = text.find(shown, at)
        if label not in text[at:end]:
            return answer_id
        at = end + len(shown) - 1
    return ""


def _describe_file(
    entry: Entry, broken: tuple[BrokenClause, ...], notes: Iterable[str]
) -> CheckedFile:
    return CheckedFile(
        kind=entry.kind,
        name=entry.name,
        path=str(entry.path),
        problem="; ".join(str(each) for each in broken),
        shadows=str(entry.shadows or ""),
        builtin=entry.builtin,
        broken=broken,
        notes=tuple(notes),
    )
