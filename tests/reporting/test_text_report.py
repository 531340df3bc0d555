"""The findings in a terminal."""

import io

import pytest
from rich.console import Console

from peerjudge.analysis.findings import Findings, build_findings
from peerjudge.data import INCONSISTENT, replace
from peerjudge.reporting.layout import print_parts
from peerjudge.results.page import list_findings
from tests.reporting.conftest import with_utterances


def printed(findings: Findings, width: int = 80) -> str:
    """Return the output in a terminal of this width, without colour."""
    console = Console(file=io.StringIO(), width=width, highlight=False, no_color=True)
    print_parts(list_findings(findings), console, wrap=True)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def text(findings):
    """Return the output in a terminal of 80 columns."""
    return printed(findings)


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_cut_off(findings, width):
    """The tables fit, with every heading and every name whole."""
    shown = printed(findings, width)
    assert max(map(len, shown.splitlines())) <= width
    words = "ann with bob,Right,Calls,Over seats,Over vote,follower,Altered,Reviewer weights"
    assert [word for word in words.split(",") if word not in shown] == []
    assert "\u2026" not in shown


def test_a_title_stands_in_one_line(text):
    """A table with a few short columns is as wide as its title."""
    lines = [line.strip() for line in text.splitlines()]
    for title in (
        "Opinion events by reviewer and role, altered in %",
        "Ranking by the private reviews, win rate in %",
    ):
        assert title in lines


def test_simulation_is_said_first_and_of_simulated_reviewers_only(run, text):
    """The first line of a simulated run says that it is simulated; no line of another run does."""
    first = text.splitlines()[0]
    assert first == "Simulated reviewers: these numbers say nothing about real models."
    real = build_findings(with_utterances(told, simulated=False) for told in run)
    assert "imulated" not in printed(real)


def test_where_no_reviewer_is_a_contestant_all_weigh_the_same(run):
    """Without such reviewers the reason is given in place of weights."""
    strangers = tuple(
        replace(told, seats=tuple(replace(s, reviewer=f"x-{s.reviewer}") for s in told.seats))
        for told in run
    )
    shown = " ".join(printed(build_findings(strangers)).split())
    assert "Reviewer weights" not in shown
    assert "All reviewers weigh the same" in shown


def test_markup_in_a_name_is_a_name(run):
    """A condition named `[bold]` is shown with this name."""
    named = (replace(told, condition="[bold]x[/]") for told in run[:1])
    assert "[bold]x[/]" in printed(build_findings(named))


def test_an_empty_run_prints():
    """A run without discussions prints its counts."""
    assert "0 discussions" in printed(build_findings(()))


def test_what_is_left_out_of_the_accuracy_is_named(run):
    """An inconsistent verdict cannot be right: the table has the share that is readable."""
    found = build_findings((replace(run[0], verdict=INCONSISTENT), *run[1:]))
    (way,) = [one for one in found.ways.rows if one.name == run[0].condition]
    assert way.readable == 1 - 1 / way.verdicts
    shown = printed(found)
    assert "Readable" in shown
    assert "unreadable and refused verdicts are left out" in " ".join(shown.split())
    assert "Readable" not in printed(build_findings(run[:1]))
