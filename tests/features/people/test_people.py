"""Runs in which a person takes a seat: they wait, go on with the answers, and end as any other run."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from pathlib import Path

import pytest

from peerjudge.data import (
    Condition,
    Expects,
    Experiment,
    Leader,
    StopReason,
    Transcript,
    content_hash,
    replace,
    to_plain,
)
from peerjudge.errors import CardError, ExperimentError, StoreError
from peerjudge.features.people.annotate_command import annotate_command
from peerjudge.features.people.desk import DeskAnswer, DeskTask
from peerjudge.features.people.desk_places import open_desk
from peerjudge.features.people.exporting import read_people, write_people
from peerjudge.features.people.playing import check_people
from peerjudge.features.people.stating import state_rating, state_text, state_verdict
from peerjudge.results.summaries import list_next_steps
from peerjudge.runs import open_run, prepare, run
from peerjudge.runs.frames import turns_df
from peerjudge.runs.results import RunSummary
from peerjudge.shelf import Shelf

SEATED = Experiment(
    name="seated",
    data="sample",
    conditions=(
        Condition(
            name="talk",
            protocol="leader_follower",
            seats=("sim_strong", "ann"),
            leader=Leader.BOTH,
            options={"turns": 3},
        ),
        Condition(name="alone", protocol="pairwise", seats=("ann",)),
        Condition(name="rated", protocol="pointwise", seats=("ann",)),
        Condition(name="explained", protocol="prepair", seats=("ann",)),
        Condition(name="models", protocol="pairwise", seats=("sim_weak",)),
    ),
)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A project with one card that is a person."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "ann.toml").write_text('kind = "human"\n', "utf-8")
    return Shelf(tmp_path)


def play(folder: Path, shelf: Shelf, *, limit: int = 1) -> RunSummary:
    """Run the experiment into a folder, as far as the answers on its desk reach."""
    return asyncio.run(run(SEATED, out=folder, shelf=shelf, limit=limit, progress=False))


def answer(task: DeskTask) -> DeskAnswer:
    """Return the answer of a steady person: it depends on the words of the request alone."""
    draw = int(content_hash([message.text for message in task.messages]), 16)
    if task.expects is Expects.TEXT:
        text = state_text(f"Remark {draw % 97}.")
    elif task.expects is Expects.RATING:
        text = state_rating("So so.", str(1 + draw % 5), low=1, high=5)
    else:
        text = state_verdict("I prefer it.", str(1 + draw % 2), answers=2, ties=task.ties)
    return DeskAnswer(task=task.id, text=text, confidence=draw % 101)


def answer_some(folder: Path, most: int) -> int:
    """Answer at most so many open requests and return how many were answered."""
    with open_desk(folder, create=False) as desk:
        for count in range(most):
            if (task := desk.next_task()) is None:
                return count
            desk.submit(answer(task))
    return most


def read(folder: Path) -> dict[str, Transcript]:
    """Return the discussions of a folder by id."""

    async def load() -> dict[str, Transcript]:
        async with open_run(folder) as opened:
            return {one.id: one async for one in opened.transcripts()}

    return asyncio.run(load())


def test_a_run_waits_for_a_person_and_plays_what_does_not(tmp_path: Path, shelf: Shelf):
    """Discussions without people complete; those of a person stay open, are no failures, and say so."""
    summary = play(tmp_path / "run", shelf)
    counts = summary.discussions
    assert (counts.failed, summary.stopped) == (0, "waiting for people")
    assert counts.waiting > counts.done > 0
    assert "annotate" in " ".join(list_next_steps(summary))
    told = read(tmp_path / "run").values()
    assert {one.condition for one in told if one.stop is StopReason.COMPLETE} == {"models"}
    waiting = {one.condition for one in told if one.stop is None}
    assert waiting == {"talk", "alone", "rated", "explained"}, "those without a turn are listed too"
    assert any(not one.turns for one in told)


def test_a_run_ends_equal_however_the_answers_came(tmp_path: Path, shelf: Shelf):
    """Answers a few at a time, with a new run after each time, end as answers given all at once do."""
    ends: list[dict[str, Transcript]] = []
    for folder, most in ((tmp_path / "slow", 6), (tmp_path / "fast", 1000)):
        asked = 0
        while (summary := play(folder, shelf)).stopped:
            asked += answer_some(folder, most)
        assert summary.discussions.waiting == summary.discussions.failed == 0
        with open_desk(folder) as desk:
            assert desk.count_open() == {"ann": 0}
        told = read(folder)
        assert all(one.stop is StopReason.COMPLETE for one in told.values())
        spoken = [
            turn.utterance
            for one in told.values()
            for turn in one.turns
            if one.seat(turn.cue.seat).reviewer == "ann"
        ]
        # The private reviews of both leaders, and of the lone judge in the same words, are one task.
        assert 0 < asked <= len(spoken)
        assert not any(said.simulated or said.usage.completion_tokens for said in spoken)
        ends.append(told)
    slow, fast = ends
    assert slow.keys() == fast.keys()
    for key, one in slow.items():
        assert one.verdict == fast[key].verdict
        assert [turn.review for turn in one.turns] == [turn.review for turn in fast[key].turns]
        assert [turn.utterance.text for turn in one.turns] == [
            turn.utterance.text for turn in fast[key].turns
        ]


async def answer_until(running: asyncio.Task[RunSummary], folder: Path, *, most: int) -> int:
    """Answer requests as they come, until the run ends or so many are answered; return their number."""
    answered = 0
    with open_desk(folder) as desk:
        while not running.done() and answered < most:
            if (task := desk.next_task()) is not None:
                desk.submit(answer(task))
                answered += 1
            await asyncio.wait({running}, timeout=0.01)
    return answered


def test_a_waiting_run_takes_answers_up_as_they_come(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
):
    """With `wait`, a run ends complete and equals one that was started again, also after an interrupt."""
    monkeypatch.setattr("peerjudge.runs.playing._POLL", 0.01)
    talk = replace(SEATED, conditions=SEATED.conditions[:1])
    folder = tmp_path / "run"

    async def play_waiting(most: int) -> tuple[RunSummary | None, int]:
        playing = run(talk, out=folder, shelf=shelf, limit=1, progress=False, wait=True)
        running = asyncio.create_task(playing)
        answered = await answer_until(running, folder, most=most)
        if not running.done():
            running.cancel()
            await asyncio.wait({running})
            return None, answered
        return await running, answered

    interrupted, first = asyncio.run(play_waiting(2))
    assert (interrupted, first) == (None, 2)
    summary, rest = asyncio.run(play_waiting(1000))
    assert summary is not None
    counts = summary.discussions
    assert (summary.stopped, counts.waiting, counts.failed) == (None, 0, 0)
    asked, again = 0, tmp_path / "again"
    while asyncio.run(run(talk, out=again, shelf=shelf, limit=1, progress=False)).stopped:
        asked += answer_some(again, 1000)
    assert asked == first + rest
    others = read(again)
    assert others.keys() == read(folder).keys()
    for key, one in read(folder).items():
        assert one.stop is StopReason.COMPLETE
        assert [turn.utterance.text for turn in one.turns] == [
            turn.utterance.text for turn in others[key].turns
        ]


def test_a_request_is_what_a_model_would_see_and_names_no_author(tmp_path: Path, shelf: Shelf):
    """The desk holds no author, reviewer, or gold: a page made of it cannot show them."""
    play(tmp_path / "run", shelf)
    with open_desk(tmp_path / "run") as desk:
        skip: set[str] = set()
        while (task := desk.next_task(skip=skip)) is not None:
            skip.add(task.id)
            words = json.dumps(to_plain(task))
            assert not any(name in words for name in ("sim_", "gold"))
            assert "Choice: Answer" not in task.sheet.instruction
            assert task.expects.value != "verdict" or len(task.sheet.answers) == 2
    assert skip


def test_an_annotator_answers_in_the_terminal(
    tmp_path: Path,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """A bad choice or confidence is asked for again, a skipped request stays open, answers are saved."""
    folder = tmp_path / "run"
    alone = replace(SEATED, conditions=(SEATED.conditions[1],))
    asyncio.run(run(alone, out=folder, shelf=shelf, limit=2, progress=False))
    monkeypatch.setattr(
        "sys.stdin",
        io.StringIO(
            f"3\n2\n\n{'7' * 5000}\n1\nIt is right.\nAnd short.\n\n70\nskip\n2\n\n\nquit\n"
        ),
    )
    assert annotate_command(str(folder), card="ann") == 0
    told = capsys.readouterr()
    assert "choose one of 1, 2, none, not '3'" in told.err
    assert "a confidence is a whole number from 0 to 100, not '777" in told.err
    assert "2 answered, 2 open" in told.err
    assert "\nQuestion\n--------\n" in told.out
    assert "# Task" in told.out
    assert not any(words in told.out for words in ("\n> ", "nothing else", "Choice: Answer"))
    summary = asyncio.run(run(alone, out=folder, shelf=shelf, limit=2, progress=False))
    assert (summary.discussions.done, summary.discussions.waiting) == (2, 2)
    texts = {turn.utterance.text for one in read(folder).values() for turn in one.turns}
    assert texts == {"It is right.\nAnd short.\nChoice: Answer (a)", "Choice: Answer (b)"}
    frame = turns_df(folder)
    assert sorted(frame["confidence"].dropna()) == [70] * (len(frame) // 2)
    with pytest.raises(StoreError, match=r"no request in .* is to 'bob'"):
        annotate_command(str(folder), card="bob")


def test_scores_by_aspect_reach_the_export(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
):
    """The aspects of the card ask for a score of each answer; the export has a column for each."""
    folder = tmp_path / "run"
    card = 'kind = "human"\naspects = ["Core information", "=Coherence"]\n'
    (tmp_path / "agents" / "ann.toml").write_text(card, "utf-8")
    alone = replace(SEATED, conditions=(SEATED.conditions[1],))
    asyncio.run(run(alone, out=folder, shelf=shelf, limit=1, progress=False))
    words = ["1", "So.", "", "8", "11", "", "", "1", "So.", "", "8", "", "", "0", "60", "quit"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(words) + "\n"))
    assert annotate_command(str(folder), card="ann") == 0
    rows = asyncio.run(read_people(str(folder)))
    assert [list(row["scores"]) for row in rows] == [
        [
            {"answer": 1, "aspect": "Core information", "score": 8},
            {"answer": 2, "aspect": "=Coherence", "score": 0},
        ]
    ]
    written = io.StringIO()
    write_people(str(folder), rows, written, "csv", raw_cells=False)
    (row,) = csv.DictReader(io.StringIO(written.getvalue()))
    names = [name for name in row if name.startswith("score of")]
    assert [(name, row[name]) for name in names] == [
        ("score of 2: =Coherence", "0"),
        ("score of 1: Core information", "8"),
    ]
    for wrong in ('aspects = ["a", "a"]', "aspects = [1]", 'aspects = "a"', 'aspects = [" "]'):
        (tmp_path / "agents" / "bot.toml").write_text(f'kind = "human"\n{wrong}\n', "utf-8")
        with pytest.raises(CardError, match="a list of different texts"):
            shelf.card("bot")
    (tmp_path / "agents" / "bot.toml").write_text('source = "vicuna80"\naspects = ["a"]\n', "utf-8")
    with pytest.raises(CardError, match="only people score answers"):
        shelf.card("bot")


def test_runs_that_cannot_wait_refuse_people(tmp_path: Path, shelf: Shelf):
    """Results that end a run cannot wait for answers."""
    with pytest.raises(ExperimentError, match="leave this option out"):
        check_people(prepare(SEATED, shelf=shelf).plan, ends_early=True)
    (tmp_path / "agents" / "bot.toml").write_text('kind = "bot"\n', "utf-8")
    with pytest.raises(CardError, match="only 'human' is written"):
        shelf.card("bot")
