"""Roles that a protocol file declares: on seats, in the contract, in events and tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from peerjudge.data import Condition, Experiment, Leader, Role
from peerjudge.errors import ProtocolError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs import load_sync, prepare, run_sync
from peerjudge.shelf import Shelf
from peerjudge.testing import check_protocol
from peerjudge.tracker import NoEventReason, track

HEARING = '''
"""Debaters review privately; then a judge, who has said nothing, hears them and decides."""

from peerjudge.data import Cue
from peerjudge.protocol import OpeningOptions, build_opening_cues

SEATS = (3, None)
ROLES = ("debater", ..., "judge")
Options = OpeningOptions


def next_cues(seats, comparison, turns, options):
    if not turns:
        return build_opening_cues(seats[:-1], comparison, options)
    if turns[-1].cue.seat == seats[-1].id:
        return ()
    hears = tuple(range(len(turns)))
    return (Cue(seat=seats[-1].id, task="discuss", sees=comparison.shown, hears=hears),)
'''
SEATS = ("sim_strong", "sim_plain", "sim_weak")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A project with a protocol of debaters and a judge, and one without roles that is like it."""
    folder = tmp_path / "protocols"
    folder.mkdir()
    (folder / "hearing.py").write_text(HEARING)
    (folder / "plain.py").write_text(HEARING.replace('ROLES = ("debater", ..., "judge")\n', ""))
    return Shelf(tmp_path)


def listed(*roles, count):
    """The roles of so many seats of a protocol with these roles."""
    protocol = DiscussionProtocol(name="p", description="", cues=lambda *_: (), roles=roles)
    return list(protocol.list_roles(count))


def test_an_ellipsis_repeats_the_role_before_it():
    """Declared roles fit any number of seats with `...`, and their own number without it."""
    assert listed("debater", ..., "judge", count=4) == ["debater", "debater", "debater", "judge"]
    assert listed("debater", ..., "judge", count=2) == ["debater", "judge"]
    assert listed("host", "guest", ..., count=4) == ["host", "guest", "guest", "guest"]
    assert listed("advocate", "judge", count=2) == ["advocate", "judge"]
    assert listed(count=2) == [Role.LEADER, Role.FOLLOWER]
    for count in (1, 3):
        with pytest.raises(ProtocolError, match=f"do not fit {count} seats"):
            listed("advocate", "judge", count=count)


@pytest.mark.parametrize("roles", ['"judge"', '(..., "judge")', '("a", ..., "b", ...)', '("a b",)'])
def test_roles_that_cannot_be_read_are_refused(shelf: Shelf, roles: str):
    """`ROLES` is a tuple of words with at most one `...`, which is not the first."""
    file = Path(str(shelf.project)) / "protocols" / "odd.py"
    file.write_text(HEARING.replace('("debater", ..., "judge")', roles))
    with pytest.raises(ProtocolError, match="ROLES must be words"):
        shelf.protocol("odd", options={})


def test_the_contract_holds_for_seats_of_one_role(shelf: Shelf):
    """A judge's seat has other private cues than a debater's; without roles that is a broken clause."""
    assert check_protocol(shelf.protocol("hearing", options={})) == ()
    broken = check_protocol(shelf.protocol("plain", options={}))
    assert [each.clause for each in broken] == ["same_private_cues"]


def test_a_judge_that_hears_a_debate_changes_no_opinion(shelf: Shelf, tmp_path: Path):
    """A judge who reviews nothing alone forms its verdict after hearing; it changes no opinion."""
    condition = Condition(name="court", protocol="hearing", seats=SEATS)
    study = Experiment(data="sample", conditions=(condition,))
    assert run_sync(study, out=tmp_path / "out", limit=4, shelf=shelf).discussions.failed == 0
    found = load_sync(tmp_path / "out")
    for one in found:
        assert [seat.role for seat in one.seats] == ["debater", "debater", "judge"]
        reasons = Counter(each.reason for each in track(one).no_events)
        assert reasons == {NoEventReason.FORMED_AFTER_HEARING: 1}
        assert track(one).events == ()


@pytest.mark.parametrize("leader", [Leader.BOTH, Leader.SECOND, Leader.RANDOM])
def test_seats_of_different_roles_do_not_change_places(shelf: Shelf, leader: Leader):
    """Another leader swaps the first two seats, which is refused where their roles differ."""
    file = Path(str(shelf.project)) / "protocols" / "pair.py"
    text = HEARING.replace("(3, None)", "(2, 2)").replace('"debater", ..., ', '"debater", ')
    file.write_text(text)
    for protocol, seats in (("pair", SEATS[:2]), ("hearing", SEATS)):
        condition = Condition(name="court", protocol=protocol, seats=seats, leader=leader)
        study = Experiment(data="sample", conditions=(condition,))
        if protocol == "pair":
            with pytest.raises(ProtocolError, match="which are debater and judge"):
                prepare(study, limit=1, shelf=shelf)
        else:
            assert len(prepare(study, limit=1, shelf=shelf).plan) >= 2
