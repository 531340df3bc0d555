"""Arguments of another type than a public function takes."""

from __future__ import annotations

import inspect

import pytest

import peerjudge as pj
from peerjudge.errors import ArgumentError, PeerJudgeError


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        ("run_sync", {"limit": "6"}, "limit of run is a whole number, not '6'"),
        ("run_sync", {"limit": 1.5}, "limit of run is a whole number, not 1.5"),
        ("run_sync", {"limit": True}, "limit of run is a whole number, not True"),
        ("run_sync", {"seed": "3"}, "seed of run is a whole number, not '3'"),
        ("run_sync", {"cost_limit": "3"}, "cost_limit of run is a number, not '3'"),
        (
            "run_sync",
            {"seats": ["a=b"]},
            "seats of run is a mapping such as {'a': 'b'}, not ['a=b']",
        ),
        ("run_sync", {"settings": "turns=2"}, "settings of run is a mapping"),
        ("run_sync", {"until": 3}, "until of run is a text, not 3"),
        ("run_sync", {"batch": "yes"}, "batch of run is True or False, not 'yes'"),
        ("run_sync", {"out": 3}, "out of run is a text or a path, not 3"),
        ("plan", {"studies": "3"}, "studies of plan is a whole number, not '3'"),
        ("plan", {"sizes": "30"}, "sizes of plan is a whole number or a list, not '30'"),
        ("score", {"seed": 1.5}, "seed of score is a whole number, not 1.5"),
        ("score", {"by": 3}, "by of score is a text or a list, not 3"),
        ("rank", {"bootstrap": "20"}, "bootstrap of rank is a whole number, not '20'"),
        ("events", {"kinds": 3}, "kinds of events is a text or a list, not 3"),
        ("preview", {"turn": "1"}, "turn of preview is a whole number, not '1'"),
        ("fork_sync", {"at": "1"}, "at of fork is a whole number, not '1'"),
        (
            "fork_sync",
            {"at": 1, "changes": "leader=other"},
            "changes of fork is a list, not 'leader",
        ),
    ],
)
def test_an_option_of_a_wrong_type_is_a_sentence(function, given, said):
    """The function, the option, what it takes and the value are named, before anything is read."""
    with pytest.raises(ArgumentError) as raised:
        getattr(pj, function)("nowhere", **given)
    assert str(raised.value).startswith(said)
    assert isinstance(raised.value, PeerJudgeError | TypeError)


def test_an_experiment_is_a_name_a_path_or_a_declaration():
    """The first argument is checked like the options."""
    with pytest.raises(
        ArgumentError, match="experiment of run is a text or a path or an Experiment"
    ):
        pj.run_sync(3)


def test_asynchronous_functions_stay_so():
    """A checked function is still known to be asynchronous, and has its own signature."""
    assert inspect.iscoroutinefunction(pj.run)
    assert "cost_limit" in inspect.signature(pj.run).parameters
