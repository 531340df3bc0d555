"""The findings in a terminal."""

import io

import pytest
from rich.console import Console

from peerjudge.analysis.findings import build_findings
from peerjudge.data import INCONSISTENT, Transcript, replace
from peerjudge.reporting.layout import print_parts
from peerjudge.results.page import list_findings


def printed(transcripts: tuple[Transcript, ...], width: int) -> str:
    """Return the output in a terminal of this width, without colour."""
    console = Console(file=io.StringIO(), width=width, highlight=False, no_color=True)
    print_parts(list_findings(build_findings(transcripts)), console, wrap=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_cut_off(run: tuple[Transcript, ...], width: int) -> None:
    """The tables fit, with every heading and every name whole."""
    text = printed(run, width)
    assert max(map(len, text.splitlines())) <= width
    for word in (
        "ann with bob",
        "Before",
        "After",
        "Over best seat",
        "Over vote",
        "follower",
        "Altered",
    ):
        assert word in text
    assert "\u2026" not in text


def test_a_title_stands_in_one_line(run: tuple[Transcript, ...]) -> None:
    """A table with a few short columns is as wide as its title."""
    lines = [line.strip() for line in printed(run, 80).splitlines()]
    for title in (
        "Accuracy against gold in % [95% interval]",
        "Opinion events by reviewer and role, altered in %",
        "Ranking by the private reviews, win rate in %",
    ):
        assert title in lines


def test_simulation_is_said_first(run: tuple[Transcript, ...]) -> None:
    """The first line of a simulated run says that it is simulated."""
    first = printed(run, 80).splitlines()[0]
    assert first == "Simulated reviewers: these numbers say nothing about real models."


def test_real_reviewers_are_not_called_simulated(run: tuple[Transcript, ...]) -> None:
    """The notice appears for simulated runs only."""
    real = tuple(
        replace(
            told,
            turns=tuple(
                replace(turn, utterance=replace(turn.utterance, simulated=False))
                for turn in told.turns
            ),
        )
        for told in run
    )
    assert "imulated" not in printed(real, 80)


def test_weights_are_shown_where_reviewers_are_contestants(run: tuple[Transcript, ...]) -> None:
    """Reviewers that are contestants have weights."""
    assert "Reviewer weights" in printed(run, 80)


def test_where_no_reviewer_is_a_contestant_all_weigh_the_same(run: tuple[Transcript, ...]) -> None:
    """Without such reviewers the reason is given in place of weights."""
    strangers = tuple(
        replace(told, seats=tuple(replace(s, reviewer=f"x-{s.reviewer}") for s in told.seats))
        for told in run
    )
    text = " ".join(printed(strangers, 80).split())
    assert "Reviewer weights" not in text
    assert "All reviewers weigh the same" in text


def test_markup_in_a_name_is_a_name(run: tuple[Transcript, ...]) -> None:
    """A condition named `[bold]` is shown with this name."""
    named = tuple(replace(told, condition="[bold]x[/]") for told in run)
    assert "[bold]x[/]" in printed(named, 80)


def test_an_empty_run_prints(run: tuple[Transcript, ...]) -> None:
    """A run without discussions prints its counts."""
    assert "0 discussions" in printed((), 80)


def test_what_is_left_out_of_the_accuracy_is_named(run: tuple[Transcript, ...]) -> None:
    """An inconsistent verdict cannot be right, and the bounds of the accuracy show it."""
    lost = (replace(run[0], verdict=INCONSISTENT), *run[1:])
    assert f"{run[0].condition}: 1 inconsistent; if these were all wrong" in printed(lost, 80)
