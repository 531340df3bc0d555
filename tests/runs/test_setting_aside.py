"""A reviewer with a wrong key, address or model name is set aside with its discussions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from peerjudge.data import Condition, Experiment, StopReason
from peerjudge.runs import load_sync, run_sync

from .model_server import Model


@pytest.mark.parametrize("status", [401, 403, 404])
def test_others_are_not_paid_for_discussions_with_a_reviewer_that_cannot_work(
    model: Model, status: int
):
    """After its first failure, neither it nor its partners are called; the next run plays the rest."""
    model.card("bob")
    card = Path("agents/bob.toml")
    card.write_text(card.read_text().replace('"talker"', '"nobody"'))
    model.words = lambda body: status if body["model"] == "nobody" else "So.\n\nChoice: Answer (a)"
    talk = Condition(name="talk", protocol="leader_follower", seats=("ann", "bob"))
    alone = Condition(name="alone", protocol="pairwise", seats=("ann",))
    study = Experiment(data="sample", conditions=(talk, alone))
    summary = run_sync(study, out="out", limit=6, max_connections=2)
    called = Counter(body["model"] for body in model.bodies)
    found = load_sync("out")
    stops = Counter((one.condition, one.stop) for one in found)
    assert stops == {("talk", StopReason.FAILED): 12, ("alone", StopReason.COMPLETE): 12}
    assert called["nobody"] <= 2
    assert called["talker"] <= 12 + 2
    (cause,) = summary.failures
    assert (cause.count, {one.failure.kind for one in found if one.failure}) == (12, {cause.kind})
    assert summary.discussions.failed == 12
    model.words = lambda body: "So.\n\nChoice: Answer (a)"
    again = run_sync(study, out="out", limit=6)
    assert (again.discussions.done, again.discussions.skipped) == (12, 12)
