"""The functions of `peerjudge` for Python, beside the commands of the same names."""

import asyncio
import json
from functools import cache
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.data import Scheme, replace
from peerjudge.errors import DataError
from peerjudge.results.columns import COLUMNS

CALLS = {
    "score study": pj.score,
    "compare study": pj.compare,
    "agreement study --panel": lambda at: pj.agreement(at, panel=True),
    "rank study --weights peer": lambda at: pj.rank(at, weights="peer"),
    "rank study --scoring elo --weights peer --scheme damped": lambda at: pj.rank(
        at, scoring="elo", weights="peer", scheme="damped"
    ),
    "bias study": pj.bias,
    "events study --summary": lambda at: pj.events(at, summary=True),
}
IN_MEMORY = (
    "compare study",
    "agreement study --panel",
    "rank study --weights peer",
    "bias study",
    "events study --summary",
)


@pytest.fixture(scope="module")
def study(played):
    """The folder of a small run."""
    return played.folder / "study"


@pytest.fixture(scope="module")
def call(played):
    """Return the result of a call on the small run, which is computed once."""

    @cache
    def compute(command):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(played.folder)
            return CALLS[command]("study")

    return compute


@pytest.mark.parametrize("command", CALLS)
def test_a_function_gives_the_document_of_its_command(command, call, require_golden):
    """A reader of `--json` and a user of Python have the same numbers, by one code."""
    found = call(command)
    require_golden(command, found.document())
    assert json.loads(json.dumps(found.document(), allow_nan=False)) == found.document()
    assert list(found.df.columns) == list(COLUMNS[found.frame])
    assert len(found.df)


@pytest.mark.parametrize("command", CALLS)
def test_results_of_simulated_reviewers_begin_by_saying_so(command, call):
    """No table stands before the sentence that its numbers say nothing about real models."""
    first = str(call(command)).splitlines()[0]
    assert first == "Simulated reviewers: these numbers say nothing about real models."


@pytest.mark.parametrize("read", [pj.load_sync, pj.ballots_df])
@pytest.mark.parametrize("command", IN_MEMORY)
def test_data_in_memory_give_the_numbers_of_their_run(command, read, call, study):
    """Discussions, or a frame of their verdicts, can be filtered in Python before they are analysed."""
    assert CALLS[command](read(study)).document() == call(command).document()


def test_events_are_the_lines_of_the_command(played, study):
    """Each event is one line of `events --json` and one row of the frame."""
    found = pj.events(study)
    lines = played("events", "study", "--json").out.splitlines()
    assert found.document() == [json.loads(line) for line in lines]
    assert len(found.df) == len(lines)
    assert str(found).splitlines()[0] == played("events", "study").out.splitlines()[0]


def test_a_plan_is_the_one_of_the_command(played):
    """`pj.plan` simulates what `peerjudge plan` simulates."""
    words = ("plan", "leader_follower", "--studies", "5", "--comparisons", "4", "--json")
    found = pj.plan("leader_follower", studies=5, sizes=(4,))
    assert found.document() == played(*words).document
    assert list(found.df.columns) == list(COLUMNS["plan"])
    assert found.plot().svg.startswith("<svg")


def test_a_report_is_the_one_of_the_command(played, study, tmp_path):
    """The numbers beside the page are the document, and the page is saved where it is asked for."""
    assert played("report", "study", "-o", str(tmp_path / "own.html")).code == 0
    found = pj.report(study)
    assert found.document() == json.loads((tmp_path / "own.json").read_text("utf-8"))
    page = found.save(tmp_path / "other.html")
    assert page.read_text("utf-8") == (tmp_path / "own.html").read_text("utf-8")
    assert list(found.df.columns) == list(COLUMNS["report"])
    assert "accuracy" in found.figures


async def test_functions_work_while_an_event_loop_runs(study):
    """In a notebook a loop runs already; the same call gives the same result there."""
    inside = pj.rank(study, bootstrap=0)
    outside = await asyncio.to_thread(pj.rank, study, bootstrap=0)
    assert inside.document() == outside.document()


def test_a_result_shows_itself(study, call, tmp_path):
    """Text has no terminal codes, HTML escapes what data say, and a figure is saved by its ending."""
    found = call("score study")
    assert "\x1b" not in str(found)
    assert "<table" in found._repr_html_()
    renamed = [replace(one, condition="<i>") for one in pj.load_sync(study)]
    assert "<i>" not in pj.score(renamed)._repr_html_()
    assert "&lt;i&gt;" in pj.score(renamed)._repr_html_()
    plot = found.plot()
    assert plot.save(tmp_path / "scores.svg").read_text("utf-8") == plot.svg
    with pytest.raises(DataError, match=r"\.svg, \.png or \.pdf"):
        plot.save(tmp_path / "scores.eps")
    with pytest.raises(DataError, match="choose one of accuracy"):
        found.plot("scores")


def test_a_result_without_a_figure_has_no_plot(call):
    """An agreement is numbers: there is nothing to draw."""
    assert not hasattr(call("agreement study --panel"), "plot")


def test_an_unknown_run_is_named(tmp_path: Path):
    """The sentence has the path that does not exist."""
    with pytest.raises(pj.PeerJudgeError, match="elsewhere"):
        pj.score(tmp_path / "elsewhere")


def test_battles_of_your_own_are_ranked():
    """A list of battles is a source, and the winner of most of them is first."""
    battles = [
        pj.Battle(question=f"q{k}", reviewer="judge", first="ann", second="bob", winner=winner)
        for k, winner in enumerate(["bob", "bob", "tie", "ann", "bob", None])
    ]
    found = pj.rank(battles, bootstrap=0)
    assert list(found.df["contestant"]) == ["bob", "ann"]
    assert pj.peer_rank(battles, scheme=Scheme.DAMPED).weights.keys() == {"judge"}
