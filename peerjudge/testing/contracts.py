"""The contract of discussion protocols, clause by clause, and its check without a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import NamedTuple, cast

from peerjudge.data import REFUSED, UNREADABLE, Cue, Expects, Role, Seat, Turn, replace
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.testing.scenarios import ContractError, Scenario, generate_scenarios


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenClause:
    """A clause of a contract that does not hold: its name, what happened, and what to do."""

    clause: str
    problem: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.clause}: {self.problem}{f'. {self.remedy}' if self.remedy else ''}"


class Clause(NamedTuple):
    """A clause: what holds, what to do where it does not, and the check of one scenario.

    `find_problem` returns what happened, or `None` where the clause holds.
    """

    holds: str
    remedy: str
    find_problem: Callable[[Scenario], str | None]


def check_protocol(protocol: DiscussionProtocol) -> tuple[BrokenClause, ...]:
    """Return the clauses of the contract that the protocol breaks, each with its first scenario.

    The protocol is played with its default options and with every other value of each option, with
    few and many seats and answers, and with replies that agree, differ, refuse or cannot be read.
    No model is called. An option value that the protocol refuses with a `ProtocolError` is skipped.
    """
    broken: dict[str, BrokenClause] = {}
    if not protocol.description.strip():
        broken["described"] = BrokenClause(
            clause="described",
            problem="the file has no docstring",
            remedy="Open it with a sentence that says what happens and where the method comes from.",
        )
    for scenario in generate_scenarios(protocol):
        for found in check_scenario(scenario, skip=broken):
            broken[found.clause] = found
        if "ends" in broken:
            break
    return tuple(broken.values())


def check_scenario(scenario: Scenario, *, skip: Container[str] = ()) -> tuple[BrokenClause, ...]:
    """Return the clauses that the protocol breaks in one scenario, without those to skip."""
    problems: dict[str, str] = {}
    for clause in [name for name in CLAUSES if name not in skip]:
        name = clause
        try:
            problem = CLAUSES[clause].find_problem(scenario)
        except ContractError as error:
            name, problem = error.clause, str(error)
            if scenario.may_refuse and isinstance(error.__cause__, ProtocolError):
                problem = None
        if problem is not None:
            problems.setdefault(name, problem)
    return tuple(
        BrokenClause(
            clause=name,
            problem=f"{problems[name]} ({scenario.describe()})",
            remedy=CLAUSES[name].remedy,
        )
        for name in CLAUSES
        if name in problems and name not in skip
    )


def _find_exception(scenario: Scenario) -> str | None:
    scenario.conclude(scenario.turns)
    return None


def _find_endlessness(scenario: Scenario) -> str | None:
    turns = scenario.turns
    if cues := scenario.next_cues(turns):
        return f"next_cues returned () after {len(turns)} turns and then {cues!r:.80}"
    return None


def _find_illegal_cue(scenario: Scenario) -> str | None:
    for turn in scenario.turns:
        cue = turn.cue
        if cue.expects is Expects.RATING and len(cue.sees) != 1:
            return f"turn {turn.index} asks for a rating and shows {len(cue.sees)} answers, not one"
        if both := sorted(set(cue.hears) & set(cue.withheld)):
            return f"turn {turn.index} both hears and withholds turns {both}"
    return None


def _find_impurity(scenario: Scenario) -> str | None:
    turns = scenario.turns
    start = 0
    while start < len(turns):
        again = scenario.next_cues(turns[:start])
        given = tuple(turn.cue for turn in turns[start : start + len(again)])
        if not again or again != given:
            given = tuple(turn.cue for turn in turns[start:])
            return f"next_cues returned {given!r:.120} after {start} turns, then {again!r:.120}"
        start += len(again)
    if scenario.play() != turns:
        return "the same replies led to another discussion"
    if scenario.conclude(turns) != scenario.conclude(turns):
        return "conclude returned two verdicts for the same turns"
    return None


def _find_foreign_conclusion(scenario: Scenario) -> str | None:
    shown = scenario.comparison.shown
    for end in range(len(scenario.turns) + 1):
        verdict = scenario.conclude(scenario.turns[:end])
        if verdict.choice is not None and verdict.choice not in shown:
            return (
                f"conclude chose {verdict.choice!r} after {end} turns; the answers are {[*shown]}"
            )
    return None


def _find_stance_from_nothing(scenario: Scenario) -> str | None:
    for reply in (UNREADABLE, REFUSED):
        silent = dataclasses.replace(
            scenario,
            verdicts={seat.id: (reply,) for seat in scenario.seats},
            ratings=dict.fromkeys(scenario.comparison.shown, reply),
        )
        asked = any(turn.cue.expects is not Expects.TEXT for turn in silent.turns)
        expected = reply if asked else UNREADABLE
        verdict = silent.conclude(silent.turns)
        if verdict != expected:
            return f"every reply was {reply}, and conclude returned {verdict} instead of {expected}"
    return None


def _find_order_dependence(scenario: Scenario) -> str | None:
    if not scenario.protocol.swap_symmetric:
        return None
    swapped = dataclasses.replace(scenario, comparison=scenario.comparison.swapped())
    cues, mirrored = _by_position(scenario), _by_position(swapped)
    if cues != mirrored:
        return (
            f"with the answers in reverse order, the cues are {mirrored!r:.150}, not {cues!r:.150}"
        )
    verdict, other = scenario.conclude(scenario.turns), swapped.conclude(swapped.turns)
    if verdict != other:
        return (
            f"the same choices led to {verdict}, and to {other} with the answers in reverse order"
        )
    return None


def _by_position(scenario: Scenario) -> list[Cue]:
    """The cues with the positions of answers in place of their ids."""
    shown = scenario.comparison.shown
    return [
        replace(turn.cue, sees=tuple(str(shown.index(answer_id)) for answer_id in turn.cue.sees))
        for turn in scenario.turns
    ]


def _find_broken_privacy(scenario: Scenario) -> str | None:
    spoken: set[str] = set()
    for turn in scenario.turns:
        seat, hears = turn.cue.seat, set(turn.cue.hears)
        if turn.cue.private:
            others = {scenario.turns[index].cue.seat for index in hears} - {seat}
            if others:
                return f"private turn {turn.index} of {seat} hears {sorted(others)}"
            if seat in spoken:
                return f"turn {turn.index} of {seat} is private, after a turn that was not"
            continue
        spoken.add(seat)
        own = {each.index for each in scenario.turns[: turn.index] if each.cue.seat == seat}
        if missed := sorted(own - hears):
            return f"turn {turn.index} of {seat} does not hear its own turns {missed}"
    return None


def _find_leader_dependence(scenario: Scenario) -> str | None:
    if scenario.protocol.settings().get("control") == "swapped":
        return None  # The control shows the answers in an order that depends on the place.
    other = dataclasses.replace(scenario, seats=_reverse_within_roles(scenario.seats))
    for seat in scenario.seats:
        first, last = _private_cues(scenario, seat.id), _private_cues(other, seat.id)
        if first != last:
            return f"{seat.id} gets other private cues when the seats are in reverse order"
    return None


def _reverse_within_roles(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return the seats with those of each declared role in reverse order.

    Leader and follower, which a protocol does not declare, are two places of one role.
    """
    undeclared = {Role.LEADER: Role.PANELIST, Role.FOLLOWER: Role.PANELIST}
    roles = [undeclared.get(cast("Role", seat.role), seat.role) for seat in seats]
    left = {
        role: [one for one, its in zip(seats, roles, strict=True) if its == role] for role in roles
    }
    return tuple(
        replace(left[role].pop(), role=seat.role) for role, seat in zip(roles, seats, strict=True)
    )


def _private_cues(scenario: Scenario, seat: str) -> list[tuple[object, ...]]:
    """The private cues of a seat, with the turns heard in place of their indices."""

    def identify_turn(turn: Turn) -> tuple[object, ...]:
        return turn.cue.task, turn.cue.sees, turn.utterance.text

    return [
        (replace(turn.cue, hears=()), *(identify_turn(scenario.turns[at]) for at in turn.cue.hears))
        for turn in scenario.turns
        if turn.cue.private and turn.cue.seat == seat
    ]


CLAUSES: dict[str, Clause] = {
    "no_exceptions": Clause(
        "next_cues and conclude raise nothing",
        "Handle every number of seats and answers that SEATS and ANSWERS allow, and every reply.",
        _find_exception,
    ),
    "ends": Clause(
        "the discussion ends with any replies",
        "Return () from next_cues after a bounded number of turns, and for all longer discussions.",
        _find_endlessness,
    ),
    "legal_cues": Clause(
        "a cue names a seat, different answers and earlier turns that exist; a rating shows one answer",
        "Build cues from the seats, comparison and turns given.",
        _find_illegal_cue,
    ),
    "pure": Clause(
        "the same turns lead to the same cues and conclusion, so that a discussion resumes at any turn",
        "Compute the cues from the arguments alone: no randomness, no clock, no global state.",
        _find_impurity,
    ),
    "conclusion": Clause(
        "the conclusion is a verdict on these answers, wherever the discussion stops",
        "Return a Verdict that names one of comparison.shown, or TIE, UNREADABLE or REFUSED.",
        _find_foreign_conclusion,
    ),
    "unanimous_refusal": Clause(
        "where no reply can be read, or all are refused, so is the conclusion",
        "Conclude UNREADABLE or REFUSED where no turn has a readable verdict or rating, never a "
        "choice and never a tie; `settle`, `choose_best_rated` and `last_verdict` do.",
        _find_stance_from_nothing,
    ),
    "swap_symmetric": Clause(
        "with the answers in reverse order, the same choices lead to mirrored cues and the same verdict",
        "Decide by answer ids, not by positions, or declare SWAP_SYMMETRIC = False.",
        _find_order_dependence,
    ),
    "private_reviews": Clause(
        "a private turn comes before the open turns of its seat and hears that seat only; an open turn "
        "hears all that its own seat said",
        "Set hears to the seat's own turns in private cues, and include them in all others.",
        _find_broken_privacy,
    ),
    "same_private_cues": Clause(
        "the private cues of a seat depend on its role and not on its place, so that replies can be shared",
        "Leave the other seats and their turns out of private cues, or declare ROLES.",
        _find_leader_dependence,
    ),
}
"""The clauses of the contract by name, in the order in which they are checked."""
