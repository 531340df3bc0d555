"""Keys of reviewers that are Python files stay out of everything that a run keeps."""

import asyncio
import json
import os

import pytest

import peerjudge as pj
from peerjudge.data import Condition, Experiment, Failure, Utterance, replace
from peerjudge.engine import speak
from peerjudge.reviewers.redacted import find_environment_secrets, make_redacted
from peerjudge.shelf import Shelf
from tests.reviewers.requests import request

KEY, OTHER = "sk-0123456789abcdef-secret", "pass/word+of=mine"
AGENT = '''
"""Repeats its keys, as some servers do."""
import os
import sys

from autogen_core.models import ChatCompletionClient
from peerjudge.clients.fake import FakeChatClient

OWN = "MY_SERVICE_LOGIN"


async def leak(request):
    text = f"{os.environ['OPENAI_API_KEY']} and {os.environ[OWN]} say:\\n\\nChoice: Answer (a)"
    if request.seat.id == "reviewer_2":
        raise ValueError("refused " + text)
    return text


def reviewer():
    if "BROKEN" in os.environ:
        raise RuntimeError("cannot connect with " + os.environ["OPENAI_API_KEY"])
    return KIND
'''
EXPERIMENT = '''
"""Does it leak?"""
from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(
        Condition(name="alone", protocol="pairwise_cot", seats=("leaking",)),
        Condition(name="fails", protocol="vote", seats=("sim_plain", "leaking")),
    ),
)
'''


PEEKING = '''
"""Looks for the accepted verdict."""


async def peek(request):
    known = [request.comparison.gold, *request.comparison.meta]
    return f"{known}\\n\\nChoice: Answer (a)"


def reviewer():
    return peek
'''


def test_a_reviewer_receives_no_gold(tmp_path):
    """A reviewer in a Python file cannot judge by the accepted verdict or by ratings of the data."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "peeking.py").write_text(PEEKING)
    row = {"question": "Q?", "answer_a": "One.", "answer_b": "Two.", "gold": "b"}
    data = tmp_path / "pairs.jsonl"
    data.write_text(json.dumps(row | {"gold_coherence": 4, "reference": "Two."}))
    one = Condition(name="one", protocol="pairwise", seats=("peeking",), orders="given")
    experiment = Experiment(name="peek", data=f"jsonl:{data}", conditions=(one,))
    found = pj.run_sync(experiment, out=tmp_path / "run", shelf=Shelf(project=tmp_path))
    (one,) = asyncio.run(pj.load(tmp_path / "run"))
    said = one.turns[0].utterance.text
    assert said.startswith("[None")
    assert "coherence" not in said
    assert pj.score(found).df["value"].notna().all()


@pytest.mark.parametrize("simulated", [False, True])
@pytest.mark.parametrize("said", ["1", None, Utterance(text=None)])  # type: ignore[arg-type]
async def test_a_reply_that_is_no_utterance_fails_with_what_to_return(said, simulated):
    """The failure of a reviewer of users' code names what it returned."""
    if isinstance(said, Utterance):
        said = replace(said, simulated=simulated)
    for reviewer in (Says(said), make_redacted(lambda: Says(said), secrets=())):
        failed = await speak(reviewer, request())
        assert isinstance(failed, Failure)
        assert (failed.kind, "returns an Utterance with a text" in failed.message) == (
            "DataError",
            True,
        )


async def test_a_reply_of_a_python_card_is_cleaned_before_keys_are_searched():
    """What a user's code leaves out of an utterance does not lose its words."""
    odd = Utterance(text=f"1 by {KEY}", thinking=None, inner=("loose",))  # type: ignore[arg-type]
    said = await speak(make_redacted(lambda: Says(odd), secrets=(KEY,)), request())
    assert isinstance(said, Utterance)
    assert (said.text, said.thinking, said.inner) == ("1 by [key]", "", ())


class Says:
    """Reviewer of a user's code that returns anything."""

    name = "says"

    def __init__(self, said):
        self.said = said

    async def speak(self, request):
        """Return it."""
        return self.said

    async def close(self):
        """Do nothing."""


def run_leaking(commands, folder, kind, **more):
    """Run a reviewer that repeats its keys; return the outcome and all that it left."""
    (folder / "agents").mkdir()
    (folder / "experiments").mkdir()
    (folder / "agents" / "leaking.py").write_text(AGENT.replace("KIND", kind))
    (folder / "experiments" / "leaks.py").write_text(EXPERIMENT)
    env = os.environ | {"OPENAI_API_KEY": KEY, "MY_SERVICE_LOGIN": OTHER} | more
    words = ("run", "leaks", "--limit", "2", "--out", "study", "--display", "plain")
    done = commands.run(folder, *words, env=env)
    left = b"".join(p.read_bytes() for p in folder.rglob("study/*") if p.is_file())
    return done, (done.out + done.err).encode() + left


@pytest.mark.parametrize(
    "kind",
    ["leak", "FakeChatClient(default=os.environ['OPENAI_API_KEY'] + os.environ[OWN] + ' (a)')"],
    ids=["function", "client"],
)
def test_a_key_that_a_reviewer_repeats_is_kept_nowhere(tmp_path, commands, kind):
    """Store, cache, report, stdout, stderr and failures hold `[key]` in place of keys."""
    done, kept = run_leaking(commands, tmp_path, kind)
    assert done.code in (0, 1), done.err
    assert KEY.encode() not in kept
    assert OTHER.encode() not in kept
    assert b"[key]" in kept


def test_a_reviewer_that_cannot_be_made_shows_no_key(tmp_path, commands):
    """The error of a factory is printed without the key that it holds."""
    done, kept = run_leaking(commands, tmp_path, "leak", BROKEN="1")
    assert done.code == 2
    assert "cannot connect with [key]" in done.err
    assert KEY.encode() not in kept


def test_the_variables_that_a_file_names_are_secrets():
    """Names that end like a key are secrets, and those in the source, but places and models are not."""
    environ = {
        "X_API_KEY": "aaaaaaaa",
        "LOGIN": "bbbbbbbb",
        "OTHER": "cccccccc",
        "BASE_URL": "https://x",
    }
    source = "import os\nos.environ['LOGIN'], os.getenv('BASE_URL')"
    assert find_environment_secrets(source, environ=environ) == ("aaaaaaaa", "bbbbbbbb")
