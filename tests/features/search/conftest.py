"""A project whose reviewer reacts to the words of its prompt, and which counts its calls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

JUDGE = '''
"""Judges worse where the prompt has the words that mislead it; each call is a line in calls.log.

At the call whose number is in the file of a signal, it sends this signal to its own process.
"""

import os
import signal
from hashlib import sha256
from pathlib import Path

HOME = Path(__file__).parent.parent
CALLS = HOME / "calls.log"


def stop():
    """Send the signal whose turn it is."""
    for name in ("SIGKILL", "SIGINT"):
        file = HOME / name
        if file.exists() and len(CALLS.read_text().splitlines()) >= int(file.read_text()):
            file.unlink()
            os.kill(os.getpid(), getattr(signal, name))


def draw(*parts):
    return int(sha256(repr(parts).encode()).hexdigest()[:8], 16) / 2**32


async def reviewer(request):
    with CALLS.open("a") as log:
        log.write("judge\\n")
    stop()
    words = "\\n".join(message.text for message in request.messages)
    one = request.comparison
    harmed = "looks longer" in words
    helped = "Read every answer to its end" in words
    # Most of the error belongs to the question, a part is new with each wording.
    error = 0.7 * draw(one.question.id) + 0.3 * draw(words)
    right = error < 0.62 - 0.3 * harmed + 0.25 * helped
    place = one.shown.index("a")  # the right one in all pairs of the test
    return f"Answer ({'ab'[place if right else 1 - place]})"
'''

PROPOSER = '''
"""Proposes texts by a script; each call is a line in calls.log."""

from pathlib import Path

from peerjudge.features.search.stand_ins import ScriptedProposer

CALLS = Path(__file__).parent.parent / "calls.log"


class Proposer(ScriptedProposer):
    async def speak(self, request):
        with CALLS.open("a") as log:
            log.write("proposer\\n")
        return await super().speak(request)


def reviewer():
    return Proposer("proposer", script=("good",) * 5 + ("empty",))
'''

PACK = """
description = "Rules with one that misleads."
extends = "instruction_following"
aspects = [
    "The answer does what the instruction asks, in the form that it asks for.",
    "An answer that looks longer is better, of two answers the one with more words.",
    "Facts in the answer are right.",
]
"""

EXPERIMENT = '''
"""Which rules make the reviewer judge better?"""

from peerjudge.data import Condition, Experiment, Search

EXPERIMENT = Experiment(
    name="rules",
    data="jsonl:pairs.jsonl",
    prompts="house",
    seed=7,
    conditions=(Condition(name="alone", protocol="pairwise", seats=("judge",)),),
)
SEARCH = Search(method="grips", targets=("pack:aspects",), steps=1, candidates=4, split="20,20,20")
'''


@dataclass(frozen=True)
class Project:
    """Folder of the project, and what its reviewers were asked."""

    folder: Path

    @property
    def calls(self) -> int:
        """Calls of reviewers so far, in any process."""
        log = self.folder / "calls.log"
        return len(log.read_text().splitlines()) if log.exists() else 0


def write_project(folder: Path, *, questions: int = 60) -> Project:
    """Write the project into a folder."""
    for path, text in {
        "agents/judge.py": JUDGE,
        "agents/proposer.py": PROPOSER,
        "protocols/prompts/house.toml": PACK,
        "experiments/rules.py": EXPERIMENT,
    }.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.lstrip())
    rows = [
        {
            "question": f"What is {number} plus {number + 7}?",
            "answer_a": str(2 * number + 7),
            "answer_b": str(2 * number + 8),
            "gold": "a",
            "category": "odd" if number % 2 else "even",
        }
        for number in range(questions)
    ]
    (folder / "pairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    unlabelled = [row | {"gold": ""} for row in rows]
    (folder / "unlabelled.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in unlabelled))
    return Project(folder)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with 60 questions."""
    return write_project(tmp_path)


@pytest.fixture(scope="session")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project in which nothing is ever played."""
    return write_project(tmp_path_factory.mktemp("refused"))
