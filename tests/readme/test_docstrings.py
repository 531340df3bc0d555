"""Examples in the docstrings of the public functions."""

import asyncio
import doctest
import inspect
from pathlib import Path

import pytest

import peerjudge as pj

PUBLISHED = {"corrected", "reproduce"}
"""Functions that need a published dataset, with the votes of people or the figures of a paper."""
FUNCTIONS = [
    name for name in pj.__all__ if inspect.isfunction(getattr(pj, name)) and name not in PUBLISHED
]


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """The folder that holds the run of the examples."""
    folder = tmp_path_factory.mktemp("examples")
    pj.run_sync("quickstart", limit=4, out=folder / "study")
    return folder


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_example_gives_what_it_shows(name, study: Path, monkeypatch):
    """A reader of `help(pj.score)` can type its example and gets the same."""
    monkeypatch.chdir(study)
    function = inspect.unwrap(getattr(pj, name))
    names = {"pj": pj, "asyncio": asyncio}
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs=names)
    assert example.examples, f"the docstring of {name} has no example"
    said: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert outcome.failed == 0, "".join(said)


def test_every_public_name_says_what_it_is():
    """`help` of a public name begins with a sentence."""
    for name in pj.__all__:
        if not name.startswith("_") and name not in {"TIE", "UNREADABLE"}:
            assert (inspect.getdoc(getattr(pj, name)) or "").split(".")[0], name
