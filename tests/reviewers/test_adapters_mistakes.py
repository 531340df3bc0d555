"""Errors of Python cards."""

import asyncio

import pytest

from peerjudge.data import Cue, Request, Seat
from peerjudge.errors import CardError
from peerjudge.reviewers import from_callable, make_reviewer
from peerjudge.testing import comparison_of


@pytest.fixture
def request_():
    """Return a request as the engine makes it."""
    comparison = comparison_of()
    return Request(
        discussion="d",
        turn=0,
        seat=Seat(id="s", reviewer="own"),
        cue=Cue(seat="s", task="review", sees=comparison.shown),
        comparison=comparison,
        heard=(),
        messages=(),
        drawn=lambda: "x",
    )


def test_a_factory_that_fails_is_a_card_error():
    """The message contains the cause."""

    def reviewer():
        return {}["MY_KEY"]

    with pytest.raises(CardError, match="makes the reviewer of 'own' failed: KeyError"):
        make_reviewer(reviewer, name="own")


def test_a_function_of_the_request_must_be_async():
    """A function of the request that is not async would block every other discussion."""

    def judge(request):
        return "1"

    with pytest.raises(CardError, match=r"takes \['request'\] but is not async"):
        make_reviewer(lambda: judge, name="own")


async def test_a_function_that_returns_no_text_has_failed(request_):
    """`None` is not a reply."""

    async def judge(request):
        return None

    with pytest.raises(Exception, match="'own' returned None, which is no text"):
        await from_callable(judge, name="own").speak(request_)


async def test_a_function_that_hangs_has_failed(request_):
    """A reviewer that never answers times out."""

    async def judge(request):
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await from_callable(judge, name="own", timeout=0.01).speak(request_)
