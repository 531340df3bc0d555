"""Discussions and summaries of runs as text, and as HTML for a notebook."""

from html.parser import HTMLParser

import pytest

from peerjudge.data import Failure, StopReason, replace
from peerjudge.reporting.transcripts import TEXT_LIMIT
from peerjudge.runs.ledger import Spending
from peerjudge.runs.results import CallCounts, DiscussionCounts, FailureCount, RunSummary
from peerjudge.testing import transcript_of

HOSTILE = (
    "</div><script>alert(1)</script>\x1b[31m\u202eevil\ud800 <img src=x onerror=alert(2)> {{ 7*7 }}"
)
TAGS = {
    *("div", "style", "p", "span", "b", "bdi", "small"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def summary_of(**changes: object) -> RunSummary:
    """Return the summary of a complete run of 8 paid calls, with changes."""
    given = {
        "run": "r",
        "store": "sqlite:///study.db",
        "folder": "study",
        "discussions": DiscussionCounts(done=4),
        "calls": CallCounts(paid=8),
        "tokens": 9120,
        "cost_usd": 0.25,
        "cost_known": True,
        "spent_before": Spending(tokens=0, usd=0.0),
        "spent_now": Spending(tokens=9120, usd=0.25),
        "limit": Spending(tokens=None, usd=None),
    }
    return RunSummary(**(given | changes))


def test_a_discussion_shows_who_said_what():
    """Each turn has its reviewer, role, verdict and event; answers are in shown order, gold is marked."""
    talk = transcript_of("2|1 1 1", gold=1)
    lines = str(talk).splitlines()
    assert "Answer 1 (gold): Because of reason 1." in lines
    heads = [line for line in lines if line.startswith("[reviewer-")]
    assert len(heads) == len(talk.turns)
    assert any("altered" in line or "held" in line for line in heads)
    assert "private" in heads[0]
    page = talk._repr_html_()
    assert page.count("grid-column: 1") + page.count("grid-column: 2") == len(talk.turns)
    assert page.count("Answer 1 (gold)") == str(talk).count("Answer 1 (gold)")


def test_texts_of_a_discussion_stay_texts():
    """Names, questions, answers, replies and errors open no tag, and control characters are marked."""
    talk = transcript_of("2|1 1 1")
    comparison = talk.comparison
    hostile = replace(
        talk,
        condition=HOSTILE,
        comparison=replace(
            comparison,
            question=replace(comparison.question, text=HOSTILE),
            answers=tuple(replace(one, text=HOSTILE, author=HOSTILE) for one in comparison.answers),
        ),
        seats=tuple(replace(seat, reviewer=HOSTILE) for seat in talk.seats),
        turns=tuple(
            replace(turn, utterance=replace(turn.utterance, text=HOSTILE)) for turn in talk.turns
        ),
        stop=StopReason.FAILED,
        failure=Failure(kind="Error", message=HOSTILE, seat=talk.seats[0].id, turn=1),
    )
    page = hostile._repr_html_()
    found = Tags(page)
    assert found.tags <= TAGS
    assert found.attributes <= {"class", "style"}
    assert "{{ 7*7 }}" in page
    for form in (page, str(hostile)):
        assert not {"\x1b", "\u202e", "\ud800"} & set(form)
        assert form.encode("utf-8")


def test_a_long_reply_is_cut_with_its_length():
    """A reply of a million characters cannot fill the notebook."""
    talk = transcript_of("1")
    turn = talk.turns[0]
    long = replace(
        talk,
        turns=(replace(turn, utterance=replace(turn.utterance, text="x" * (TEXT_LIMIT + 1000))),),
    )
    for form in (str(long), long._repr_html_()):
        assert "[... 1,000 more characters]" in form
        assert len(form) < TEXT_LIMIT + 5000


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Next: pj.score(summary) and pj.report(summary)."),
        ({"stopped": "cost limit", "enough": 0.301}, "run it again with cost_limit=0.31 or higher"),
        (
            {"discussions": DiscussionCounts(done=3, failed=1)},
            "Run it again to retry the failed discussions only.",
        ),
    ],
)
def test_a_summary_says_what_to_do_next(changes, sentence):
    """Text and page have the cost, the counts and the next step in terms of Python."""
    summary = summary_of(**changes)
    for form in (str(summary), summary._repr_html_()):
        assert sentence in " ".join(form.split())
        assert "9,120" in form
        assert "$0.25" in form
        assert "--" not in form.replace("<!--", "")


def test_a_summary_shows_messages_of_servers_as_text():
    """An error message with tags and control characters is shown and not executed."""
    failure = FailureCount(reviewer="ann", kind="AuthError", count=2, message=HOSTILE)
    summary = summary_of(
        discussions=DiscussionCounts(failed=2), failures=(failure,), folder=HOSTILE
    )
    page = summary._repr_html_()
    assert Tags(page).tags <= TAGS
    assert "2 failed: ann, AuthError" in page
    for form in (page, str(summary)):
        assert not {"\x1b", "\u202e", "\ud800"} & set(form)
