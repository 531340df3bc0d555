"""Texts that cards write on request: kept, counted, limited and resumed like the turns of a run."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from peerjudge.data import Condition, Experiment, Message, Question, Sampling
from peerjudge.errors import CardError, ExperimentError, ShelfError
from peerjudge.runs import run
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.texts import WritingTask
from peerjudge.runs.writing import estimate_writing, write_texts
from peerjudge.shelf import Shelf
from peerjudge.store import Archive, examine_store

from .model_server import ChatServer

TOKENS = 30
"""Tokens of one reply with its prompt, as the server bills them: 10 and 20."""
USD = 30e-6


class Writer(ChatServer):
    """Server of a model that writes the last word of its prompt; words in `special` get another reply."""

    def __init__(self, server: HTTPServer, folder: Path) -> None:
        super().__init__(server, prompt=10, completion=20)
        self.special: dict[str, Any] = {}
        self.calls: Counter[str] = Counter()
        self.gate, self.reached = threading.Event(), threading.Event()
        self.gate.set()
        (folder / "agents").mkdir()
        (folder / "agents/scribe.toml").write_text(
            'role = "You judge."\n[model]\nprovider = "openai"\nname = "scribe-1"\n'
            f'base_url = "{self.url}"\n'
            "[sampling]\ntemperature = 0.5\nmax_tokens = 50\n[limits]\nattempts = 2\n"
        )
        (folder / "agents/own.py").write_text(
            '"""Writes the number of its calls."""\n\nfrom pathlib import Path\n\n\n'
            "async def reviewer(request):\n"
            f'    log = Path(r"{folder}") / "own.log"\n'
            '    words = log.read_text() if log.exists() else ""\n'
            '    log.write_text(words + "x")\n'
            '    return f"{request.cue.task}: {request.messages[-1].text} {len(words)}"\n'
        )
        (folder / "prices.toml").write_text('["scribe-1"]\ninput = 1.0\noutput = 1.0\n')

    def reply(self, body: dict[str, Any]) -> object:
        """Return the text about a word, once the gate is open."""
        word = body["messages"][-1]["content"].split()[-1]
        self.calls[word] += 1
        self.reached.set()
        self.gate.wait(30)
        return self.special.get(word, f"A text about {word}.")


@pytest.fixture
def writer(httpserver: HTTPServer, tmp_path: Path) -> Writer:
    """A project with a model card and a card in Python."""
    return Writer(httpserver, tmp_path)


def task(word: str, *, card: str = "scribe", kind: str = "answer", **fields: Any) -> WritingTask:
    """Return a task whose prompt ends in the word."""
    return WritingTask(
        id=fields.pop("id", f"{card}/{word}/{fields.get('draw', 0)}"),
        card=card,
        task=kind,
        messages=(Message(role="user", text=f"Write about {word}"),),
        **fields,
    )


async def write(
    tmp_path: Path,
    *tasks: WritingTask,
    out: str = "place",
    cache: str | None = None,
    seed: int = 0,
    on_text: Any = None,
    **bounds: Any,
):
    """Write the texts into a folder of the project."""
    return await write_texts(
        tasks,
        place=Place(out=tmp_path / out, cache=cache),
        bounds=Bounds(**bounds),
        seed=seed,
        shelf=Shelf(tmp_path),
        environ={"OPENAI_API_KEY": "k"},
        on_text=on_text,
    )


async def test_a_text_is_paid_for_once(tmp_path: Path, writer: Writer):
    """The same request in another call costs nothing, also without the reply cache and without a key."""
    first = await write(tmp_path, task("rain"), task("snow"), cache="none")
    assert [one.text for one in first.texts] == ["A text about rain.", "A text about snow."]
    assert (first.calls.paid, first.tokens, first.cost_usd) == (
        2,
        2 * TOKENS,
        pytest.approx(2 * USD),
    )
    assert first.complete
    again = await write_texts(
        [task("snow", id="other"), task("rain")],
        place=Place(out=tmp_path / "place", cache="none"),
        shelf=Shelf(tmp_path),
        environ={},
    )
    assert [one.text for one in again.texts] == ["A text about snow.", "A text about rain."]
    assert (again.calls.paid, again.kept, again.tokens, again.cost_usd) == (0, 2, 0, 0.0)
    assert again.spent_before.tokens == 2 * TOKENS
    assert writer.calls == {"rain": 1, "snow": 1}


async def test_a_text_depends_on_card_kind_messages_draw_sampling_and_seed(
    tmp_path: Path, writer: Writer
):
    """Each of these makes another text; the name of the task and the limits of the card do not."""
    variants = [
        task("rain"),
        task("rain", kind="rewrite", id="b"),
        task("rain", draw=1),
        task("rain", sampling=Sampling(temperature=0.9), id="c"),
        task("rain", id="d"),
    ]
    found = await write(tmp_path, *variants)
    keys = [one.key for one in found.texts]
    assert len(set(keys)) == 4
    assert keys[4] == keys[0]
    assert writer.calls["rain"] == 4
    assert [body["temperature"] for body in writer.bodies].count(0.9) == 1
    other = await write(tmp_path, task("rain"), seed=1)
    assert other.texts[0].key not in keys
    card = tmp_path / "agents/scribe.toml"
    card.write_text(card.read_text().replace("attempts = 2", "attempts = 3"))
    assert (await write(tmp_path, task("rain"))).kept == 1


async def test_the_role_of_a_judge_is_not_sent_to_a_writer(tmp_path: Path, writer: Writer):
    """The messages of the task are the whole prompt."""
    await write(tmp_path, task("rain"))
    assert [message["content"] for message in writer.bodies[0]["messages"]] == ["Write about rain"]


async def test_failures_are_repeated_and_odd_texts_are_kept(tmp_path: Path, writer: Writer):
    """A failed call is no text; an empty, refused or cut-off one is, with its mark."""
    writer.special = {
        "down": 401,
        "void": "",
        "harm": "I'm sorry, but I can't help with that.",
        "long": ("And then", "length"),
    }
    tasks = [task(word) for word in ("down", "void", "harm", "long", "rain")]
    first = await write(tmp_path, *tasks)
    assert [one.mark for one in first.texts] == ["", "empty", "refusal", "cut off", ""]
    assert [one.text for one in first.texts][:2] == [None, ""]
    assert [one.failure.kind for one in first.failures if one.failure] == ["AuthenticationError"]
    assert first.calls.failed == 1
    assert not first.complete
    writer.special["down"] = "Up again."
    before = writer.calls.copy()
    again = await write(tmp_path, *tasks)
    assert again.texts[0].text == "Up again."
    assert [one.mark for one in again.texts] == ["", "empty", "refusal", "cut off", ""]
    assert writer.calls - before == Counter({"down": 1})


async def test_an_empty_text_counts_the_attempts_that_were_made(tmp_path: Path, writer: Writer):
    """A reply that used up its limit is not asked for again; other silence is, up to the card's attempts."""
    writer.special = {"spent": ("", "length"), "void": ""}
    found = await write(tmp_path, task("spent"), task("void"))
    attempts = [one.utterance.attempts for one in found.texts if one.utterance]
    assert attempts == [writer.calls["spent"], writer.calls["void"]] == [1, 2]


async def test_texts_and_runs_share_the_budget_of_a_place(tmp_path: Path, writer: Writer):
    """A text counts for a later run into the place, and a limit stops both before it is passed."""
    tasks = [task(f"w{number}") for number in range(30)]
    first = await write(tmp_path, *tasks, token_limit=10 * TOKENS, max_connections=4)
    assert first.stopped == "token limit"
    assert 5 <= first.calls.paid <= 10
    assert first.tokens <= 10 * TOKENS
    assert first.enough is not None
    assert first.enough > first.tokens
    left_out = [one for one in first.texts if one.text is None]
    assert len(left_out) == 30 - first.calls.paid
    assert not any(one.failure for one in left_out)
    judge = Experiment(
        name="judge",
        data="sample",
        conditions=(Condition(name="alone", protocol="pairwise", seats=("sim_plain",)),),
    )
    after = await run(judge, out=tmp_path / "place", limit=2, shelf=Shelf(tmp_path))
    assert after.spent_before.tokens == first.tokens
    rest = await write(tmp_path, *tasks, cost_limit=40 * USD)
    assert rest.complete
    assert (rest.stopped, rest.calls.paid) == (None, 30 - first.calls.paid)
    assert rest.spent_before.tokens == first.tokens + after.tokens
    assert set(writer.calls.values()) == {1}


async def test_a_cancelled_call_keeps_its_texts(tmp_path: Path, writer: Writer):
    """What has arrived is kept; the same call writes the rest."""
    arrived: list[str] = []

    def on_text(_: object) -> None:
        arrived.append("text")
        if len(arrived) == 2:
            writer.gate.clear()

    tasks = [task(f"w{number}") for number in range(8)]
    writing = asyncio.create_task(write(tmp_path, *tasks, max_connections=1, on_text=on_text))
    while len(writer.calls) < 3 and not writing.done():  # noqa: ASYNC110  the third call waits at the gate
        await asyncio.sleep(0.01)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    writer.gate.set()
    async with Archive.open(tmp_path / "place") as store:
        calls = {one.outcome: one.calls for one in await store.booked()}
        assert calls == {"paid": 2, "open": 1}
    again = await write(tmp_path, *tasks)
    assert again.complete
    assert again.kept == 2
    assert [writer.calls[f"w{number}"] for number in range(8)] == [1, 1, 2, 1, 1, 1, 1, 1]


async def test_a_card_in_python_is_called_once_for_a_text(tmp_path: Path, writer: Writer):
    """Its texts are kept as those of models are, though no reply cache serves them."""
    for _ in range(2):
        found = await write(tmp_path, task("rain", card="own", kind="propose"))
        assert found.texts[0].text == "propose: Write about rain 0"
    assert (tmp_path / "own.log").read_text() == "x"


async def test_simulated_texts_are_kept_and_count_as_tokens(tmp_path: Path, writer: Writer):
    """A simulated card writes an answer that says so; its tokens count towards a token limit."""
    question = Question(id="q", text="Why is the sky blue?")
    ask = task("sky", card="sim_strong", question=question)
    first = await write(tmp_path, ask)
    assert first.texts[0].utterance is not None
    assert first.texts[0].utterance.simulated
    assert "simulated" in str(first.texts[0].text)
    assert (first.calls.simulated, first.calls.paid, first.cost_usd) == (1, 0, 0.0)
    again = await write(tmp_path, ask, token_limit=first.tokens)
    assert (again.kept, again.texts[0].text) == (1, first.texts[0].text)
    assert again.spent_before.tokens == first.tokens > 0
    other = await write(tmp_path, task("sky", card="sim_strong", question=question, draw=1))
    assert other.texts[0].text != first.texts[0].text


async def test_wrong_tasks_spend_nothing(tmp_path: Path, writer: Writer):
    """Each is refused with the sentence that helps before anything is called."""
    (tmp_path / "agents/old.toml").write_text('source = "vicuna80"\n')
    wrong = [
        ([task("a"), task("a")], {}, ExperimentError, "two texts have the id"),
        ([task("a", card="scrib")], {}, ShelfError, "did you mean 'scribe'"),
        ([task("a", card="old")], {}, CardError, "replays recorded reviews"),
        ([task("a", card="sim_weak", kind="propose")], {}, ExperimentError, "writes answer only"),
        ([task("a")], {"cost_limit": -1.0}, ExperimentError, "more than 0"),
        ([task("a")], {"max_connections": 0}, ExperimentError, "1 connection or more"),
    ]
    for tasks, options, kind, sentence in wrong:
        with pytest.raises(kind, match=sentence):
            await write(tmp_path, *tasks, **options)
    (tmp_path / "prices.toml").unlink()
    with pytest.raises(ExperimentError, match="unknown price of scribe"):
        await write(tmp_path, task("a"), cost_limit=1.0)
    with pytest.raises(ExperimentError, match="give a folder"):
        await write_texts([task("a")], place=Place(), shelf=Shelf(tmp_path))
    assert not writer.calls
    assert not (tmp_path / "place").exists()


async def test_the_estimate_leaves_out_what_is_kept(tmp_path: Path, writer: Writer):
    """It bounds the reply by `max_tokens`, uses the price, and calls no model."""
    shelf, place = Shelf(tmp_path), tmp_path / "place"
    tasks = [task(word) for word in ("rain", "snow", "wind")]
    whole = await estimate_writing(tasks, shelf=shelf, place=Place(out=place))
    assert (whole.calls, whole.kept, whole.completion_tokens) == (3, 0, 150)
    assert whole.cost_usd == pytest.approx(whole.tokens * 1e-6)
    assert not place.exists()
    await write(tmp_path, tasks[0])
    rest = await estimate_writing(tasks, shelf=shelf, place=Place(out=place))
    assert (rest.calls, rest.kept, rest.simulated) == (2, 1, False)
    assert writer.calls.total() == 1


@pytest.mark.parametrize(
    ("damage", "repair", "paid_again"),
    [
        ('replace(body, \'"prompt_tokens":\', \'"prompt_tokens":"x","was":\')', "replaced", 0),
        ("substr(body, 1, 40)", "removed", 1),
    ],
)
async def test_a_text_that_cannot_be_read_is_repaired(
    tmp_path: Path, writer: Writer, damage: str, repair: str, paid_again: int
):
    """A repair keeps the words where they can be read; a text beyond that is written again."""
    await write(tmp_path, task("rain"), task("snow"), cache="none")
    with closing(sqlite3.connect(tmp_path / "place/store.db")) as store, store:
        first = store.execute("SELECT min(key) FROM writings").fetchone()
        store.execute(f"UPDATE writings SET body = {damage} WHERE key = ?", first)
    found = await examine_store(tmp_path / "place")
    assert [(one.row, one.id) for one in found.damage] == [("text of scribe", first[0])]
    assert repair in found.damage[0].repair
    assert (await examine_store(tmp_path / "place", repair=True)).repaired
    assert (await examine_store(tmp_path / "place")).damage == ()
    again = await write(tmp_path, task("rain"), task("snow"), cache="none")
    assert [one.text for one in again.texts] == ["A text about rain.", "A text about snow."]
    assert again.calls.paid == paid_again
