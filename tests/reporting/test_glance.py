"""The findings in a few sentences."""

from peerjudge.analysis.findings import findings
from peerjudge.data import Transcript, replace
from peerjudge.reporting.glance import sentences
from peerjudge.reporting.words import named, token_words


def test_every_sentence_has_its_interval_and_counts_what_was_lost(
    run: tuple[Transcript, ...],
) -> None:
    """A reader of the first lines knows how sure they are, and what is missing."""
    vote, gain, moved, first, lost = sentences(findings(run))
    assert vote.startswith("Against the vote of the same reviewers: \u201c\u2068ann with bob\u2069")
    assert "may be chance" in vote
    assert "points, to" in gain
    for said in (vote, gain, moved):
        assert said.count("[") == said.count("]") > 0
    assert first.startswith("Ranked first of 2: ")
    assert lost == "Of 11 discussions, 1 failed and 1 have not ended."


def test_the_best_of_several_is_said_to_be_picked(run: tuple[Transcript, ...]) -> None:
    """Among several conditions the best looks better than it is; a lone one was not picked."""
    again = tuple(replace(told, condition="again") for told in run if told.condition != "vote")
    assert "; the best of 2 conditions, which flatters it." in sentences(findings(run + again))[0]
    assert "flatters" not in sentences(findings(run))[0]


def test_nothing_is_said_of_a_run_that_has_not_begun() -> None:
    """No sentence is made of missing numbers."""
    assert sentences(findings(())) == []


def test_a_name_is_closed_off() -> None:
    """What turns the direction of writing is taken out of a name that stands in a sentence."""
    assert named("ann\u202e\u2067\u2069bob") == "\u2068annbob\u2069"


def test_many_tokens_are_said_in_millions() -> None:
    """Nobody reads eight digits of an estimate."""
    assert [token_words(number) for number in (1, 999_999, 29_430_201)] == [
        "1 token",
        "999,999 tokens",
        "29.4 million tokens",
    ]
