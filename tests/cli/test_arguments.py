"""Arguments of the Python functions: wrong names are refused with the nearest one, lists are taken."""

import pytest

import peerjudge as pj
from peerjudge.errors import DataError
from peerjudge.features.judge.specs import build_judge

from .talks import discuss


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: pj.rank(discuss(), stance="finl"),
            "private, final, not 'finl'; did you mean 'final'",
        ),
        (lambda: pj.agreement(discuss(), stance="finl"), "did you mean 'final'"),
        (lambda: pj.rank(discuss(), scoring="eloo"), "did you mean 'elo'"),
        (lambda: pj.rank(discuss(), weights="peers"), "did you mean 'peer'"),
        (lambda: pj.rank_styles(discuss(), scheme="dampd"), "did you mean 'damped'"),
        (lambda: pj.peer_rank(discuss(), scheme="dampd"), "did you mean 'damped'"),
        (
            lambda: pj.score(discuss(), by=["category", "levl"]),
            "'levl'; it has category, level; did",
        ),
        (
            lambda: pj.score(["study"]),
            "cannot hold 'study'; give each source as an argument of its own",
        ),
        (lambda: pj.score(3), "a source is a run folder, .* not 3"),
        (lambda: build_judge("sim_plan", pj.Shelf()), "did you mean 'sim_plain'"),
    ],
)
def test_a_wrong_value_is_refused_with_the_nearest_one(call, sentence):
    """A misspelt stance gave the numbers of another one before it was refused."""
    with pytest.raises(pj.PeerJudgeError, match=sentence):
        call()


def test_a_misspelt_function_is_named():
    """IPython shows only the message, so the nearest name is in it."""
    with pytest.raises(AttributeError, match="no attribute 'scor'; did you mean 'score'"):
        pj.scor  # noqa: B018


def test_scores_by_several_names_are_of_their_combinations():
    """Each group is equal in all names; a list of one name is that name."""
    given = discuss(at_once=1)
    found = pj.score(given, by=["category", "level"])
    assert found.scores.groups == ("a, l0", "b, l0", "a, l1", "b, l1")
    assert found.document() == pj.score(given, by="category,level").document()
    assert pj.score(given, by=["level"]).document() == pj.score(given, by="level").document()
    concluded = [one for one in found.scores.scores if one.judge.stance == "concluded"]
    groups = {name: one for each in concluded for name, one in each.groups.items() if one.n}
    assert {name: one.n for name, one in groups.items()} == dict.fromkeys(found.scores.groups, 2)
    assert {groups["a, l0"].right, groups["b, l0"].right} == {0, 2}
    with pytest.raises(DataError, match="leader"):
        pj.score(given, by=["category", "leader"])
