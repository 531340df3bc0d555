"""Choices in an experiment that cost money for nothing, found before the first call."""

import json

import pytest
from structlog.testing import capture_logs

from peerjudge.data import Condition, Experiment, Leader, Seating
from peerjudge.errors import DataError
from peerjudge.reporting.lanes import render_html, render_text
from peerjudge.runs import load, prepare, read_manifest, run


def declare(protocol="self_discussion", temperatures=(0.2, 1.0), **fields):
    """Declare one condition of one simulated reviewer at these temperatures."""
    seats = tuple(Seating(reviewer="sim_plain", temperature=each) for each in temperatures)
    condition = Condition(name="talk", protocol=protocol, seats=seats, **fields)
    return Experiment(name="one", data="sample", conditions=condition)


@pytest.mark.parametrize(
    ("experiment", "says"),
    [
        (declare(), []),
        (declare(temperatures=(0.7, 0.7)), ["same temperature (0.7)"]),
        (declare(temperatures=(0, 0)), ["same temperature (0.0)", "usually say the same"]),
        (declare(temperatures=(0, 1.0)), ["temperature 0"]),
        (declare(options={"turns": 0}), ["turns=0"]),
        (declare("panel", (None,) * 3, options={"rounds": 0}), ["rounds=0"]),
        (declare("pairwise", (None,), prompts="open_chat"), ["prompts=open_chat"]),
        (declare("pairwise", (None,), options={"aspects": False}), ["aspects=False"]),
        (declare("pairwise", (None,), options={"aspects": True}), []),
        (declare("pairwise", (None,), contestants=("ann", "bob")), ["answers by ann and bob only"]),
    ],
)
def test_a_choice_that_is_probably_not_meant_is_noted(experiment, says):
    """Equal temperatures, no turns, and settings that simulation does not read have one note each."""
    prepared = prepare(experiment, limit=1)
    notes = (*prepared.notes, *prepared.remarks)
    assert len(notes) == len(says)
    assert all(part in note for part, note in zip(says, notes, strict=True))


@pytest.mark.parametrize(
    ("seats", "fields", "noted"),
    [
        (("sim_weak", "sim_strong"), {}, True),
        (("sim_weak", "sim_strong"), {"leader": Leader.BOTH}, False),
        (("sim_weak", "sim_strong"), {"leader": Leader.RANDOM}, False),
        (("sim_weak", "sim_strong"), {"options": {"split": "tie"}}, False),
        (("sim_weak", "sim_weak"), {}, False),
        (("sim_weak", "sim_strong", "sim_plain"), {}, False),
    ],
)
def test_an_even_vote_that_one_seat_decides_is_noted(seats, fields, noted):
    """If two reviewers always disagree, a vote that the first seat splits is that reviewer alone."""
    vote = Condition(name="ballot", protocol="vote", seats=seats, **fields)
    notes = prepare(Experiment(name="one", data="sample", conditions=vote), limit=1).notes
    assert [("'ballot' is an even vote" in note, "Leader.BOTH" in note) for note in notes] == (
        [(True, True)] if noted else []
    )


@pytest.mark.parametrize(
    ("gold", "ties", "noted"), [("tie", False, 1), ("tie", True, 0), ("a", False, 0)]
)
def test_a_tie_as_gold_that_no_reviewer_may_name_is_noted(tmp_path, gold, ties, noted):
    """Where reviewers must choose, each comparison with a tie as gold is wrong for all of them."""
    row = {"question": "What is 2 + 2?", "answer_a": "4", "answer_b": "four", "gold": gold}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(row))
    study = declare("pairwise", (None,), options={"ties": ties})
    notes = prepare(study, data=str(tmp_path / "pairs.jsonl")).notes
    assert len([note for note in notes if "gold is a tie in 1 of 1 comparisons" in note]) == noted
    assert len(notes) == noted


async def test_a_run_logs_its_notes_and_keeps_them(tmp_path):
    """The notes are warnings of the run, and in its manifest for the report."""
    with capture_logs() as logs:
        await run(declare(options={"turns": 0}), limit=1, out=tmp_path / "study")
    (note,) = read_manifest(tmp_path / "study")["notes"]
    assert "turns=0" in note
    assert note in [entry["event"] for entry in logs]


async def test_settings_that_simulation_does_not_read_are_no_warning(tmp_path):
    """The manifest, and so the report, names them; the log has them below the level of warnings."""
    with capture_logs() as logs:
        await run(declare(prompts="open_chat"), limit=1, out=tmp_path / "study")
    (note,) = read_manifest(tmp_path / "study")["notes"]
    assert "prompts=open_chat" in note
    assert [entry["log_level"] for entry in logs if entry["event"] == note] == ["info"]


async def test_references_are_shown_by_packs_with_that_part(tmp_path):
    """A column `reference` reaches the prompts of such a pack; without the column the run is refused."""
    row = {"question": "What is 2 + 2?", "answer_a": "4", "answer_b": "5", "gold": "a"}
    (tmp_path / "plain.jsonl").write_text(json.dumps(row))
    (tmp_path / "checked.jsonl").write_text(json.dumps(row | {"reference": "It is four."}))
    study = declare("pairwise", (None,), prompts="open_chat_reference")
    with pytest.raises(DataError, match=r"none of the 1 comparisons has one.*column `reference`"):
        prepare(study, data=str(tmp_path / "plain.jsonl"))
    await run(study, data=str(tmp_path / "checked.jsonl"), out=tmp_path / "study")
    (transcript, _) = await load(tmp_path / "study")
    assert transcript.comparison.reference == "It is four."
    for shown in (render_text(transcript), render_html(transcript)):
        assert "Reference answer" in shown
        assert "It is four." in shown


def test_comparisons_without_texts_are_refused(verdicts):
    """Labels without answers are no data to judge: a paid model would judge two empty texts."""
    with pytest.raises(DataError, match="no texts to judge"):
        prepare(declare(), data=verdicts("mtbench"))
