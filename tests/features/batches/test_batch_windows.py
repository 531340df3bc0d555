"""Windows of a run in batch mode, as its estimate prints them."""

from __future__ import annotations

from peerjudge.analysis.stopping import list_looks
from tests.features.batches.batch_kit import WAVES, prepare
from tests.features.batches.test_batches import BatchServer

RUN = ("run", "study", "--batch", "--dry-run", "-S", "primary=talk over better seat")


def test_an_early_stop_waits_for_windows_after_each_look(kit, tmp_path, start, shell):
    """A look waits for the batches of its block, so that each block has windows of its own."""
    prepare(kit, tmp_path, start(BatchServer()))
    assert shell(*RUN, "--json").document["windows"] == WAVES
    found = shell(*RUN, "--until", "decided", "--json")
    assert found.document["windows"] == WAVES * len(list_looks(36))
    assert "and anew after each look" in shell(*RUN, "--until", "decided").out
