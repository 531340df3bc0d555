"""Output of `peerjudge events` for a discussion and its controls."""

from __future__ import annotations

import json
from typing import get_args

from peerjudge.data import Control


def test_events_of_controls_are_told_apart_and_compared(shell):
    """Each event names its control, and the summary sets every control beside the discussion."""
    run = shell("run", "controls", "--limit", "6", "--out", "study", "--display", "none")
    assert run.code == 0, run.err
    lines = shell("events", "study").out.splitlines()
    assert {line.partition("  ")[0] for line in lines if "(placebo)" in line} == {"placebo"}
    assert all("not told" in line for line in lines if "(placebo)" in line)
    assert not any("(none)" in line for line in lines)
    events = [json.loads(line) for line in shell("events", "study", "--json").out.splitlines()]
    assert {event["control"] for event in events} == set(get_args(Control))
    assert all(not event["heard"] for event in events if event["control"] == "placebo")
    summary = shell("events", "study", "--summary", "--json").document
    rows = [row for row in summary["controls"] if row["reviewer"] is None]
    assert {row["condition"]: row["beside"] for row in rows} == {
        "discussion": None,
        "irrelevant": "discussion",
        "placebo": "discussion",
        "stance": "discussion",
        "swapped": "discussion",
        "unnamed": "discussion",
    }
    assert "Altered at the first contradiction" in run.out
    assert "Altered at the first contradiction" in shell("events", "study", "--summary").out
