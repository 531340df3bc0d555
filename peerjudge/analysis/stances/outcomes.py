"""What discussing did: when agreement came, to whom the leader's place mattered, what was gained."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from peerjudge.analysis.inference import PairedDifference, paired_bootstrap
from peerjudge.analysis.intervals import SHARE, bootstrap_mean
from peerjudge.analysis.stances.records import CONTRADICTED, Discussion, SeatStances
from peerjudge.data import EventKind, Measurement, Noun, Role, Verdict

__all__ = ["Change", "Ordering", "Settling", "changes", "ordering", "settling"]


class Settling(Noun, frozen=True, kw_only=True):
    """When the seats of a condition came to agree.

    Of `discussions`, `from_start` came with one stance, `after` counts those that had one for the
    first time after so many public turns, and `never` did not within the turns they had (`turns` on
    average, so that a "never" of short discussions is not one of long ones). `reached` is the share
    that came to agree among those that did not at the start, and `lasted` the share of these that
    still agreed at the end.
    """

    condition: str
    discussions: int
    from_start: int
    after: Mapping[int, int]
    never: int
    turns: float
    reached: Measurement
    lasted: Measurement


class Ordering(Noun, frozen=True, kw_only=True):
    """What leading did to a reviewer (`None`: to all), against following on the same comparisons.

    `altered` is the share of contradictions to which it altered, as leader minus as follower;
    `accuracy` the same of its final stances. Both pair discussions of one condition, comparison and
    shown order by the same reviewers at the same temperature, and are `None` without such pairs.
    `leader_prevails` is the share of discussions in which it took part, began in disagreement and
    ended in agreement, that ended with the stance of the leader.
    """

    reviewer: str | None
    altered: PairedDifference | None
    accuracy: PairedDifference | None
    leader_prevails: Measurement


class Change(Noun, frozen=True, kw_only=True):
    """A reviewer's accuracy before and after discussing, where it had a readable stance both times."""

    condition: str
    reviewer: str
    before: Measurement
    after: Measurement
    gain: PairedDifference


def settling(
    discussions: Iterable[Discussion], *, seed: int = 0, samples: int = 2000
) -> tuple[Settling, ...]:
    """One row per condition in which anybody discussed, in order of appearance."""
    rows: list[Settling] = []
    for condition, group in _by(discussions, lambda one: one.condition).items():
        apart = [one for one in group if one.agreed != 0]
        reached = [one for one in apart if one.agreed is not None]
        counts = Counter(one.agreed for one in reached if one.agreed is not None)
        rows.append(
            Settling(
                condition=condition,
                discussions=len(group),
                from_start=len(group) - len(apart),
                after={turn: counts[turn] for turn in sorted(counts)},
                never=len(apart) - len(reached),
                turns=sum(one.spoken for one in group) / len(group),
                reached=_share(apart, lambda one: one.agreed is not None, seed, samples),
                lasted=_share(reached, _agree_at_end, seed, samples),
            )
        )
    return tuple(rows)


def ordering(
    discussions: Iterable[Discussion], *, seed: int = 0, samples: int = 2000
) -> tuple[Ordering, ...]:
    """One row for all reviewers and one for each that led a discussion of two. Bounds by question."""
    led = [one for one in discussions if one.discussed and _leader(one) is not None]
    names = dict.fromkeys(seat.reviewer for one in led for seat in one.seats)
    rows: list[Ordering] = []
    for name in (None, *names) if led else ():
        took_part = [one for one in led if name is None or name in one.reviewers]
        opposed = [one for one in took_part if _opposed(one) and _agree_at_end(one)]
        rows.append(
            Ordering(
                reviewer=name,
                altered=_paired(took_part, name, _altering, seed, samples),
                accuracy=_paired(took_part, name, _right, seed, samples),
                leader_prevails=_share(opposed, _leader_won, seed, samples),
            )
        )
    return tuple(rows)


def changes(
    discussions: Iterable[Discussion], *, seed: int = 0, samples: int = 2000
) -> tuple[Change, ...]:
    """One row per condition and reviewer that discussed where gold is known."""
    held: defaultdict[tuple[str, str], list[tuple[str, float, float]]] = defaultdict(list)
    for one in discussions:
        for seat in one.seats if one.discussed and one.gold is not None else ():
            if _readable(seat.private) and _readable(seat.final):
                right = (float(seat.private == one.gold), float(seat.final == one.gold))
                held[one.condition, seat.reviewer].append((one.question, *right))
    rows: list[Change] = []
    for (condition, reviewer), given in held.items():
        questions, before, after = (list(column) for column in zip(*given, strict=True))
        gains = [now - was for was, now in zip(before, after, strict=True)]
        rows.append(
            Change(
                condition=condition,
                reviewer=reviewer,
                before=bootstrap_mean(before, questions, limits=SHARE, seed=seed, samples=samples),
                after=bootstrap_mean(after, questions, limits=SHARE, seed=seed, samples=samples),
                gain=paired_bootstrap(gains, questions, seed=seed, samples=samples),
            )
        )
    return tuple(rows)


Value = Callable[[Discussion, SeatStances, int], float | None]


def _paired(
    discussions: Iterable[Discussion], name: str | None, of: Value, seed: int, samples: int
) -> PairedDifference | None:
    """The mean of a value as leader minus as follower, reviewer by reviewer and pair by pair."""
    as_role: defaultdict[tuple[object, ...], dict[Role, list[float]]] = defaultdict(dict)
    for one in discussions:
        for number, seat in enumerate(one.seats):
            value = of(one, seat, number)
            if value is not None and name in (None, seat.reviewer):
                # The question comes first: it is what the pairs are resampled by.
                key = (one.question, one.condition, one.comparison, one.shown, one.repetition)
                key = (*key, one.reviewers, seat.reviewer, seat.temperature)
                as_role[key].setdefault(seat.role, []).append(value)
    pairs = [
        (str(key[0]), _mean(roles[Role.LEADER]) - _mean(roles[Role.FOLLOWER]))
        for key, roles in as_role.items()
        if Role.LEADER in roles and Role.FOLLOWER in roles
    ]
    if not pairs:
        return None
    questions, differences = [q for q, _ in pairs], [d for _, d in pairs]
    return paired_bootstrap(differences, questions, seed=seed, samples=samples)


def _altering(one: Discussion, _seat: SeatStances, number: int) -> float | None:
    """The share of contradictions to which a seat altered; `None` without any."""
    role = one.seats[number].role
    kinds = [
        move.event.kind
        for move in one.moves
        if move.event.role is role and move.event.kind in CONTRADICTED
    ]
    return sum(kind is EventKind.ALTERED for kind in kinds) / len(kinds) if kinds else None


def _right(one: Discussion, seat: SeatStances, _number: int) -> float | None:
    if one.gold is None or not _readable(seat.final):
        return None
    return float(seat.final == one.gold)


def _leader(one: Discussion) -> SeatStances | None:
    """The leader of a discussion of two, in which there is also a follower."""
    roles = {seat.role: seat for seat in one.seats}
    return roles.get(Role.LEADER) if len(one.seats) == 2 and Role.FOLLOWER in roles else None


def _opposed(one: Discussion) -> bool:
    stances = [seat.private for seat in one.seats]
    return all(map(_readable, stances)) and stances[0] != stances[1]


def _agree_at_end(one: Discussion) -> bool:
    stances = [seat.final for seat in one.seats]
    return all(map(_readable, stances)) and len(set(stances)) == 1


def _leader_won(one: Discussion) -> bool:
    leader = _leader(one)
    return leader is not None and leader.final == leader.private


def _share(
    group: Sequence[Discussion], holds: Callable[[Discussion], bool], seed: int, samples: int
) -> Measurement:
    values = [float(holds(one)) for one in group]
    questions = [one.question for one in group]
    return bootstrap_mean(values, questions, limits=SHARE, seed=seed, samples=samples)


def _by(
    discussions: Iterable[Discussion], key: Callable[[Discussion], str]
) -> Mapping[str, list[Discussion]]:
    groups: defaultdict[str, list[Discussion]] = defaultdict(list)
    for one in discussions:
        if one.discussed:
            groups[key(one)].append(one)
    return groups


def _readable(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.readable


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
