"""A reply on which the reader fails: paid, kept, unreadable, and no end of the run."""

from __future__ import annotations

import pytest
import structlog

from peerjudge.data import UNREADABLE, Cue, Expects, StopReason, Transcript, Utterance, replace
from peerjudge.engine import discuss
from peerjudge.engine.reading import read_reply
from peerjudge.errors import DataError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.testing import PLAIN_PACK, ScriptedReviewer, comparison_of, rounds_of, seats_of

SEATS = seats_of(2)


class Rope(str):
    """Text of a reviewer's library that cannot be split from its end."""

    __slots__ = ()

    def rpartition(self, sep):
        """Fail, as a type with half of the methods of a text does."""
        raise NotImplementedError

    def translate(self, table):
        """Fail like the method before."""
        raise NotImplementedError

    def splitlines(self, keepends=False):
        """Fail like the method before."""
        raise NotImplementedError


class RopeReviewer:
    """Reviewer whose replies are ropes."""

    name = "reviewer-2"

    async def speak(self, request):
        """Return a verdict that the reader cannot take apart."""
        return Utterance(text=Rope("I looked at both.\n2"), simulated=True)

    async def close(self):
        """Do nothing."""


async def play(protocol, reviewers, seats=SEATS):
    """Play one discussion of scripted and other reviewers; return it and the log."""
    opened = Transcript(id="d1", comparison=comparison_of(2), protocol="p", seats=seats)
    with structlog.testing.capture_logs() as logged:
        ended = await discuss(
            opened, protocol=protocol, reviewers=reviewers, pack=PLAIN_PACK, roles={}
        )
    return ended, [entry for entry in logged if "reader" in entry["event"]]


async def test_a_reply_on_which_the_reader_fails_is_unreadable_and_the_discussion_goes_on():
    """The rule names the error, the other seat's verdicts count, and the log has one warning."""
    reviewers = {
        "seat-1": ScriptedReviewer("reviewer-1", ["1", "1", "1"]),
        "seat-2": RopeReviewer(),
    }
    ended, logged = await play(rounds_of(4), reviewers)
    assert ended.stop is StopReason.COMPLETE
    unread = [turn.review for turn in ended.turns if turn.cue.seat == "seat-2"]
    assert len(unread) > 1
    assert {review.verdict for review in unread} == {UNREADABLE}
    assert {review.rule for review in unread} == {"reader failed: NotImplementedError"}
    assert all(turn.review.verdict.readable for turn in ended.turns if turn.cue.seat == "seat-1")
    assert [entry["log_level"] for entry in logged] == ["warning"]
    assert logged[0]["kind"] == "NotImplementedError"


def rating(seats, comparison, turns, options):
    """Ask once for a rating."""
    if turns:
        return ()
    sees = comparison.shown[:1]
    return (Cue(seat=seats[0].id, task="review", sees=sees, expects=Expects.RATING),)


async def test_a_rating_on_which_the_reader_fails_has_no_score():
    """A rating that cannot be read has neither score nor verdict, as any other unread rating."""
    protocol = DiscussionProtocol(name="rating", description="One rating.", cues=rating)
    ended, _ = await play(protocol, {"seat-1": RopeReviewer()}, seats=seats_of(1))
    (turn,) = ended.turns
    assert (turn.review.verdict, turn.review.score) == (None, None)
    assert turn.review.rule == "reader failed: NotImplementedError"


async def test_a_second_model_on_whose_reply_the_reader_fails_leaves_it_unreadable():
    """The reply of the first model stays unreadable, and its rule names the error."""
    second = replace(seats_of(2)[1], id="second")
    opened = Transcript(
        id="d1", comparison=comparison_of(2), protocol="p", seats=seats_of(1), reread=second
    )

    def spoken(request):
        return "Both are fine texts."

    class Real(ScriptedReviewer):
        """Reviewer whose replies count as those of a real model, which alone are reread."""

        async def speak(self, request):
            return replace(await super().speak(request), simulated=False)

    ended = await discuss(
        opened,
        protocol=rounds_of(0),
        reviewers={"seat-1": Real("reviewer-1", spoken), "second": RopeReviewer()},
        pack=PLAIN_PACK,
        roles={},
    )
    (turn,) = ended.turns
    assert turn.review.verdict == UNREADABLE
    assert "NotImplementedError" in turn.review.rule


def test_a_cue_with_an_answer_that_is_not_there_is_a_mistake_and_raises():
    """A fault of the protocol is no fault of the reply."""
    cue = Cue(seat="seat-1", task="review", sees=("nowhere", "x"))
    with pytest.raises(DataError):
        read_reply(Utterance(text="1"), cue=cue, comparison=comparison_of(2))
