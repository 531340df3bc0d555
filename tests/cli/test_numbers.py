"""The commands that rank, measure bias, sum up stances and export, on one small run."""

from __future__ import annotations

import asyncio
import json

import networkx as nx
import pandas as pd
import pytest

import peerjudge as pj
from peerjudge.analysis.frames import FRAMES
from peerjudge.features.exchange.export_command import export_command, write_csv, write_parquet
from peerjudge.features.exchange.exporting import FORMATS, ExportFormat
from peerjudge.runs.frames import read_in_parts


def test_a_ranking_says_how_sure_it_is(played):
    """Unless none are wanted there are bounds of ranks and weights, and shares of outranking."""
    words = ("rank", "study", "--weights", "peer", "--scheme", "damped")
    document = played(*words, "--json").document
    names = set(document["contestants"])
    best = min(document["contestants"].values(), key=lambda standing: standing["rank"])
    assert best["score"] == max(one["score"] for one in document["contestants"].values())
    assert (document["scheme"], document["converged"]) == ("damped", True)
    assert sum(document["weights"].values()) == pytest.approx(1)
    assert {one for row in document["outranks"].values() for one in row} == names
    assert set(document["weight_bounds"]) == set(document["weights"])
    assert all(one["rank_low"] <= one["rank_high"] for one in document["contestants"].values())
    assert "above the next" in played(*words).out
    assert "above the next" not in played(*words, "--bootstrap", "0").out


def test_elo_has_a_trajectory_and_nothing_else_does(played):
    """The last step is the rating; asking it of win rates is a mistake."""
    words = ("rank", "study", "--orders", "20", "--bootstrap", "0", "--trajectory", "30")
    document = played(*words, "--scoring", "elo", "--json").document
    for name, standing in document["contestants"].items():
        line = document["trajectory"]["contestants"][name]
        assert line["mean"][0] == 1000.0
        assert line["mean"][-1] == pytest.approx(standing["score"])
    printed = played(*words, "--scoring", "elo").out
    assert "Elo rating by number of battles" in printed
    refused = played(*words)
    assert (refused.code, refused.err.count("--scoring elo")) == (2, 1)


def test_a_ranking_leaves_out_kin(played):
    """Families on the command line are those of reviewers and contestants alike."""
    whole = played("rank", "study", "--json").document
    kin = ("--exclude-family", "--families", "sim_weak=x,sim_plain=x")
    without = played("rank", "study", "--exclude-self", "--json").document
    fewer = played("rank", "study", *kin, "--json").document
    assert fewer["reviews"] < without["reviews"] < whole["reviews"]
    assert played("rank", "study", "--exclude-family", "--families", "oops").code == 2


def test_graphs_are_written_for_other_tools(played):
    """Graphs of wins and of persuasion are valid GraphML."""
    assert played("rank", "study", "--graph", "beat.graphml").code == 0
    beat = nx.read_graphml(played.folder / "beat.graphml")
    assert all(points > 0 for *_, points in beat.edges(data="points"))
    assert played("events", "study", "--graph", "moved.graphml").code == 0
    moved = nx.read_graphml(played.folder / "moved.graphml")
    assert all(0 <= share <= 1 for *_, share in moved.edges(data="share"))
    refused = played("events", "study", "--graph", "no/such/place.graphml")
    assert (refused.code, "choose another file" in refused.err) == (2, True)


def test_stances_are_summed_up(played):
    """`events --summary` has tables by reviewer; its document is a golden one."""
    printed = played("events", "study", "--summary").out
    assert "Opinion events by reviewer heard" in printed
    assert "simulated" in printed


def test_conditions_are_compared_on_the_same_questions(played):
    """`compare` tests all against one, by default the first, or every two; an unknown one is refused."""
    document = played("compare", "study", "--json").document
    names = list(document["accuracy"])
    assert document["to"] == names[0]
    assert [pair["other"] for pair in document["pairs"]] == [names[0]] * (len(names) - 1)
    some = played("compare", "study", "--to", names[1], "--json").document["pairs"]
    assert [pair["other"] for pair in some] == [names[1]] * (len(names) - 1)
    every = played("compare", "study", "--all-pairs", "--json").document
    assert len(every["pairs"]) == len(names) * (len(names) - 1) // 2
    assert every["to"] is None
    printed = played("compare", "study").out
    assert "p, Holm" in printed
    assert f"All are compared with {names[0]}: --to names another" in printed
    assert played("compare", "study", "--to", names[0], "--all-pairs").code == 2
    refused = played("compare", "study", "--to", "nobody")
    assert (refused.code, names[0] in refused.err) == (2, True)


def test_a_run_without_turns_has_no_events(shell):
    """A discussion of no turns is a vote, and `events` says why it has nothing to print."""
    words = ("leader_follower", "--limit", "1", "-S", "turns=0", "--out", "mute")
    assert shell("run", *words, "--display", "none").code == 0
    printed = shell("events", "mute", "--json")
    assert (printed.code, printed.out) == (0, "")
    assert "after hearing another's" in printed.err


def test_bias_has_a_row_for_every_reviewer(played):
    """`bias` measures a run before and after the discussions, and states that it is simulated."""
    document = played("bias", "study", "--json").document
    reviewers = {row["reviewer"] for row in document["position"]}
    assert reviewers == {row["reviewer"] for row in document["verbosity"]}
    after = document["discussed"]["position_after"]
    assert {row["reviewer"] for row in after} == reviewers
    assert document["simulated"] is True
    printed = played("bias", "study").out
    assert "Position before and after discussion" in printed
    assert "Longer, gold" in printed
    assert "human" not in printed, "no people are named whose votes are gold"


def test_answers_of_equal_length_show_nothing_of_length(shell):
    """A sentence stands in place of a table without numbers."""
    rows = [
        {"question": f"q{number}", "answer_a": "no", "answer_b": "so", "gold": "a"}
        for number in range(3)
    ]
    (shell.folder / "pairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert shell("run", "leader_follower", "--data", "jsonl:pairs.jsonl", "--out", "run").code == 0
    told = shell("bias", "run").out
    assert "Length: not measured, as the answers of every pair are equally long" in told
    assert "Odds" not in told


def test_a_panel_is_measured_two_by_two(played):
    """`agreement --panel` adds the panel, and what features measure of it, to the agreed keys."""
    plain = played("agreement", "study", "--json").document
    document = played("agreement", "study", "--panel", "--json").document
    panel, added = document.pop("panel"), document.pop("added")
    assert document == plain
    assert list(added) == ["panels"]
    assert len(panel["pairs"]) == 6
    assert 1.0 <= panel["effective"]["value"] <= 4.0
    printed = played("agreement", "study", "--panel").out
    assert "independent reviewers of 4" in printed
    assert "against gold" in printed


@pytest.mark.parametrize("frame", ["discussions", "weights"])
def test_frames_are_exported(played, frame):
    """Parquet and CSV hold the documented columns."""
    target = f"{frame}.parquet"
    words = ("export", "study", "--frame", frame, "--format")
    assert played(*words, "parquet", "-o", target).code == 0
    table = pd.read_parquet(played.folder / target)
    assert list(table.columns) == list(FRAMES[frame])
    header, *rows = played(*words, "csv").out.splitlines()
    assert header.split(",") == list(table.columns)
    assert len(rows) >= len(table) > 0


@pytest.mark.parametrize("name", ["discussions", "turns", "calls", "events"])
def test_a_frame_is_written_in_parts(played, name):
    """A file written five discussions at a time has the rows and column types of the whole frame."""
    run = played.folder / "study"
    whole: pd.DataFrame = getattr(pj, f"{name}_df")(run)
    sizes: list[int] = []
    with (
        write_parquet(played.folder / "parts.parquet") as as_parquet,
        write_csv(played.folder / "parts.csv", raw_cells=False) as as_csv,
    ):

        def take(part: pd.DataFrame) -> None:
            sizes.append(part["discussion"].nunique())
            as_parquet(part)
            as_csv(part)

        read_in_parts(run, name, take, discussions=5)
    assert (len(sizes) > 1, max(sizes) <= 5) == (True, True)
    kept = pd.read_parquet(played.folder / "parts.parquet")
    pd.testing.assert_frame_equal(kept, whole, check_categorical=False)
    assert [str(kind) for kind in kept.dtypes] == [str(kind) for kind in whole.dtypes]
    assert (played.folder / "parts.csv").read_text("utf-8") == whole.to_csv(index=False)


def test_parquet_needs_a_file_and_a_frame_a_table(played):
    """The error for a missing file or a wrong format says how to fix it."""
    assert "-o FILE.parquet" in played("export", "study", "--format", "parquet").err
    refused = played("export", "study", "--format", "arena", "--frame", "turns")
    assert (refused.code, "csv or parquet" in refused.err) == (2, True)


def test_stances_are_exported_as_battles(played):
    """Arena battles have the fields of the arena; other tools' formats are refused with those there are."""
    arena = [
        json.loads(row) for row in played("export", "study", "--format", "arena").out.splitlines()
    ]
    assert {row["winner"] for row in arena} <= {"model_a", "model_b", "tie"}
    assert arena[0]["conversation_a"][1]["role"] == "assistant"
    for name in ("alpaca-eval", "mt-bench", "inspect-scores"):
        refused = played("export", "study", "--format", name)
        sentence = f"unknown format '{name}'; choose one of jsonl, csv, arena, parquet"
        assert (refused.code, sentence in refused.err) == (2, True)


def test_a_new_format_needs_one_entry(played, monkeypatch):
    """A format in the register can be exported without another change."""

    def list_speakers(transcripts, stance):
        return [{"id": one.id, "seats": len(one.seats)} for one in transcripts]

    monkeypatch.setitem(FORMATS, "speakers", ExportFormat(list_speakers, "csv", ("id", "seats")))
    output = played.folder / "speakers.csv"
    asyncio.run(export_command(str(played.folder / "study"), format="speakers", out=output))
    head, *rows = output.read_text("utf-8").splitlines()
    exported = played("export", "study", "--format", "jsonl").out.splitlines()
    assert (head, len(rows)) == ("id,seats", len(exported))
