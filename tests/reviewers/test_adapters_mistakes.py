"""Errors of Python cards."""

import asyncio

import pytest

from peerjudge.errors import CardError
from peerjudge.reviewers import from_callable, make_reviewer
from peerjudge.shelf import Shelf
from peerjudge.testing import check_project
from tests.reviewers.requests import request


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


async def test_a_function_that_returns_no_text_has_failed():
    """`None` is not a reply."""

    async def judge(request):
        return None

    with pytest.raises(Exception, match="'own' returned None, which is no text"):
        await from_callable(judge, name="own").speak(request())


async def test_a_function_that_hangs_has_failed():
    """A reviewer that never answers times out."""

    async def judge(request):
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await from_callable(judge, name="own", timeout=0.01).speak(request())


class SyncSpeak:
    """Reviewer that would block every other discussion."""

    name = "own"

    def speak(self, request):
        """Return a text at once."""
        return "1"

    async def close(self):
        """Do nothing."""


class Unclosed:
    """Reviewer that cannot be closed."""

    name = "own"

    async def speak(self, request):
        """Return a text."""
        return "1"


async def _no_request():
    return "1"


@pytest.mark.parametrize(
    ("thing", "cause"),
    [
        (SyncSpeak(), "async def speak"),
        (Unclosed(), "async def close"),
        (_no_request, "must take one argument"),
    ],
)
def test_a_reviewer_that_cannot_run_is_refused_before_a_run(thing, cause):
    """The engine awaits speak with a request, and close at the end."""
    with pytest.raises(CardError, match=cause):
        make_reviewer(lambda: thing, name="own")


@pytest.mark.parametrize(
    ("body", "broken"),
    [
        ("reviewer = lambda: lambda request: '1'", True),
        ("class Agent:\n    pass\n\n\nreviewer = Agent", True),
        ("def reviewer():\n    raise KeyError('MY_KEY')", False),
        ("async def judge(request):\n    return '1'\n\n\ndef reviewer():\n    return judge", False),
    ],
)
def test_the_check_of_a_project_refuses_a_card_whose_reviewer_cannot_run(tmp_path, body, broken):
    """It makes the reviewer of each Python file; a key that is missing here is no mistake."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "own.py").write_text(f'"""Judges."""\n\n{body}\n')
    (found,) = [one for one in check_project(Shelf(tmp_path, builtin=None)) if one.name == "own"]
    assert [one.clause for one in found.broken] == ["reviewer"] * broken
