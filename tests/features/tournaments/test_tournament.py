"""Tournaments from questions and cards alone: answers, reviews, discussions, weights and ranking."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

import peerjudge as pj
from peerjudge.cli import main
from peerjudge.errors import CardError, ExperimentError, PeerJudgeError
from peerjudge.features.tournaments.plans import SYSTEM
from peerjudge.runs import RunSummary, prepare, run
from peerjudge.shelf import Shelf
from tests.runs.model_server import ChatServer

FOUR = {name: f"sim_{name}" for name in ("strong", "solid", "plain", "weak")}
MODELS = ("ann", "bob", "cat")


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with ten questions, in the working directory of a project."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("".join(f"What is the use of thing {n}?\n" for n in range(10)))
    return "q.txt"


class Server(ChatServer):
    """Server of models that answer questions, and judge `ann` above `bob` above `cat`.

    Questions with the words in `fails` get no answer from `cat`.
    """

    def __init__(self, server: HTTPServer, folder: Path) -> None:
        super().__init__(server, completion=20)
        self.calls: Counter[str] = Counter()
        self.fails = ""
        (folder / "agents").mkdir()
        for name in MODELS:
            (folder / f"agents/{name}.toml").write_text(
                f'role = "You are {name}."\n[model]\nprovider = "vllm"\nname = "{name}-1"\n'
                f'base_url = "{self.url}"\n[sampling]\nmax_tokens = 60\n'
                "[limits]\nattempts = 1\n"
            )
        prices = "".join(f'["{name}-1"]\ninput = 1.0\noutput = 1.0\n' for name in MODELS)
        (folder / "prices.toml").write_text(prices)

    def reply(self, body: dict[str, Any]) -> object:
        """Return an answer, or the number of the better one of the answers shown."""
        messages = [message["content"] for message in body["messages"]]
        self.usage["prompt_tokens"] = sum(map(len, messages)) // 5
        if messages[0] == SYSTEM:
            self.calls["answers"] += 1
            assert body["max_tokens"] == 1024
            fails = self.fails and self.fails in messages[-1] and body["model"] == "cat-1"
            return 400 if fails else f"{body['model']} on {messages[-1]}"
        self.calls["reviews"] += 1
        shown = re.findall(r"(\w+)-1 on", " ".join(messages))
        return f"I compared both.\n{1 + (shown[0] > shown[1])}"


async def test_a_tournament_of_four_ends_in_a_ranking_and_a_report(asked: str):
    """From 5 questions and 4 simulated contestants, by one command, with one next to the other."""
    options = {"questions": asked, "limit": 30, "seats": FOUR, "out": "T"}
    summary = await run("tournament", **options)
    assert summary.answers is not None
    assert (summary.answers.written, summary.answers.pairs) == (20, 30)
    # Four reviewers in two orders, four discussions in one.
    assert (summary.discussions.done, summary.discussions.failed) == (30 * (4 * 2 + 4), 0)
    assert summary.calls.simulated == 20 + 30 * (4 * 2 + 4 * 6)
    ranked = pj.rank("T", weights="peer").document()
    weights, standings = ranked["weights"], ranked["contestants"]
    assert set(weights) == set(standings) == set(FOUR.values())
    # The answers of five questions are few: the winner wrote the best of them.
    wins = Counter(
        max(row["answers"], key=lambda each: each["quality"])["author"]
        for row in map(json.loads, Path("T/pairs.jsonl").read_text().splitlines())  # noqa: ASYNC240
    )
    best = wins.most_common(1)[0][0]
    assert standings[best]["rank"] == 1
    assert standings[best]["low"] < standings[best]["score"]
    assert max(weights, key=lambda name: weights[name]) == best
    page = pj.report("T").save()
    assert "Ranking" in page.read_text("utf-8")
    again = await run("tournament", **options)
    assert (again.calls.simulated, again.discussions.skipped, again.tokens) == (0, 360, 0)
    assert again.answers is not None
    assert again.answers.kept == 20


async def test_a_tournament_is_the_same_after_any_stop(asked: str):
    """Limits stop it among the answers and among the discussions; the next command goes on."""
    options = {"questions": asked, "seats": FOUR, "limit": 6}
    await run("tournament", **options, out="whole")
    whole = json.dumps(pj.rank("whole", weights="peer").document())
    first = await run("tournament", **options, out="parts", token_limit=800)
    assert first.stopped == "token limit"
    assert first.tokens <= 800
    assert first.answers is not None
    assert first.answers.missing > 0
    assert first.discussions.done == 0
    second = await run("tournament", **options, out="parts", token_limit=60_000)
    assert second.stopped == "token limit"
    assert 0 < second.discussions.done < 72
    assert second.spent_before.tokens == first.tokens
    assert first.tokens + second.tokens <= 60_000
    last = await run("tournament", **options, out="parts")
    assert last.stopped is None
    assert json.dumps(pj.rank("parts", weights="peer").document()) == whole
    assert Path("parts/pairs.jsonl").read_text() == Path("whole/pairs.jsonl").read_text()  # noqa: ASYNC240
    # Six pairs are those of the first question, so only it was answered.
    assert last.answers is not None
    assert last.answers.kept == 4


async def test_models_answer_and_judge_within_one_budget(
    asked: str, tmp_path: Path, httpserver: HTTPServer
):
    """Answers and reviews of real models are paid for once, and one limit covers both."""
    server, seats = Server(httpserver, tmp_path), {name: name for name in MODELS}
    shelf = Shelf(tmp_path)

    async def play(**options) -> RunSummary:
        return await run(
            "tournament", questions=asked, seats=seats, limit=6, out="T", shelf=shelf, **options
        )

    server.fails = "thing 1"
    first = await play(cost_limit=1.0)
    assert first.answers is not None
    assert (first.answers.written, first.answers.failed, first.answers.pairs) == (5, 1, 4)
    assert server.calls["answers"] == 6
    assert first.cost_usd == pytest.approx(first.tokens * 1e-6)
    assert first.discussions.done == 4 * (3 * 2 + 3)
    assert first.calls.failed == 1
    server.fails = ""
    paid, before = server.calls.total(), server.calls["answers"]
    second = await play(cost_limit=1.0)
    assert server.calls["answers"] == before + 1
    assert second.discussions.done == 2 * (3 * 2 + 3)
    assert second.discussions.skipped == first.discussions.done
    assert second.spent_before.tokens == first.tokens
    assert first.calls.paid + second.calls.paid == server.calls.total() - 1
    assert server.calls.total() > paid
    done = server.calls.total()
    third = await play()
    assert (third.calls.paid, third.tokens, server.calls.total()) == (0, 0, done)
    ranked = pj.rank("T", weights="peer")
    assert list(ranked.document()["contestants"]) == list(MODELS)
    assert max(ranked.document()["weights"].items(), key=lambda item: item[1])[0] == "ann"
    row = json.loads(Path("T/pairs.jsonl").read_text().splitlines()[0])  # noqa: ASYNC240
    assert {each["model"] for each in row["answers"]} <= {f"{name}-1" for name in MODELS}
    assert "quality" not in row["answers"][0]


def test_the_seats_of_a_tournament_are_its_contestants(asked: str):
    """Conditions follow from the seats: each alone, and neighbours in a ring; of two, one pair."""
    three = {"a": "sim_strong", "b": "sim_weak", "c": "sim_plain"}
    plan = prepare("tournament", data=f"questions:{asked}", seats=three).plan
    names = [part.condition.name for part in plan.parts]
    assert names == ["a", "b", "c", "a with b", "b with c", "c with a"]
    two = prepare(
        "tournament", data=f"questions:{asked}", seats={"a": "sim_strong", "b": "sim_weak"}
    )
    assert [part.condition.name for part in two.plan.parts] == ["a", "b", "a with b"]
    assert len(two.plan.comparisons) == 10
    default = prepare("tournament")
    assert {seat.reviewer for part in default.plan.parts for seat in part.seats} == set(
        FOUR.values()
    )


async def test_tournaments_that_cannot_be_played_spend_nothing(
    asked: str, tmp_path: Path, httpserver: HTTPServer
):
    """Each is refused with the sentence that helps."""
    server = Server(httpserver, tmp_path)
    (tmp_path / "agents/old.toml").write_text('source = "sample"\n')
    pair = {"a": "sim_weak", "b": "sim_plain"}
    for seats, options, kind, sentence in (
        ({"a": "sim_weak"}, {}, ExperimentError, "different cards; the seats are: a=sim_weak"),
        ({"a": "sim_weak", "b": "sim_weak"}, {}, ExperimentError, "2 or more different cards"),
        ({"a": "ann", "b": "bop"}, {}, PeerJudgeError, "did you mean 'bob'"),
        ({"a": "ann", "b": "old"}, {}, CardError, "replays recorded reviews, so it cannot write"),
        (pair, {"data": "sample"}, ExperimentError, "--data or --questions, not both"),
        (pair, {"questions": "none.txt"}, PeerJudgeError, "there is no file none.txt"),
    ):
        with pytest.raises(kind, match=sentence):
            await run(
                "tournament",
                **{"questions": asked, "seats": seats, "out": "T", "shelf": Shelf(tmp_path)}
                | options,
            )
    (tmp_path / "prices.toml").unlink()
    seats = {"a": "ann", "b": "sim_weak"}
    with pytest.raises(ExperimentError, match="unknown price of ann"):
        await run(
            "tournament",
            questions=asked,
            seats=seats,
            out="T",
            shelf=Shelf(tmp_path),
            cost_limit=1.0,
        )
    assert not server.calls
    assert not (tmp_path / "T").exists()


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    shown = capsys.readouterr()
    return int(ended.value.code or 0), shown.out, shown.err


def test_the_command_line_prints_the_ranking_of_a_tournament(asked: str, capsys):
    """`run` prints ranking and weights; a dry run counts the answers too; limits exit with 3."""
    seats = ("--seat", "a=sim_strong", "--seat", "b=sim_weak")
    words = ("run", "tournament", "--questions", asked, *seats, "--out", "T")
    code, out, _ = call(capsys, *words, "--dry-run", "--json")
    planned = json.loads(out)
    assert (code, planned["answers"]["calls"], planned["answers"]["cost_usd"]) == (0, 20, 0.0)
    assert planned["calls"] == 20 + 10 * 2 * 2 + 10 * 6
    code, out, err = call(capsys, *words, "--token-limit", "900", "--json")
    assert (code, json.loads(out)["answers"]["missing"] > 0) == (3, True)
    assert "Stopped at the token limit" in err
    code, out, _ = call(capsys, *words, "--display", "plain")
    assert code == 0
    assert "Ranking by the private reviews" in out
    assert "Reviewer weights" in out
    assert "answers: " in out
    assert "Accuracy against gold" not in out
    code, out, _ = call(capsys, *words, "--json")
    document = json.loads(out)
    assert (code, document["calls"]["simulated"], document["answers"]["kept"]) == (0, 0, 20)


def test_the_command_line_writes_answers(
    asked: str, tmp_path: Path, httpserver: HTTPServer, capsys
):
    """`answers` prints counts, files and the next command; a failed answer exits with 1."""
    server = Server(httpserver, tmp_path)
    server.fails = "thing 2"
    words = ("answers", asked, "--by", "ann", "cat", "--limit", "3", "--out", "A")
    code, out, err = call(capsys, *words)
    assert code == 1
    assert "5 paid calls" in out
    assert "2 pairs of answers" in out
    assert "1 answers failed; run the same command to retry" in err
    server.fails = ""
    code, out, _ = call(capsys, *words)
    assert code == 0
    assert "1 paid calls, 5 kept from before" in out
    assert (
        "next    peerjudge run tournament --data A/pairs.jsonl --seat ann=ann --seat cat=cat" in out
    )
    code, out, _ = call(capsys, *words, "--json")
    document = json.loads(out)
    assert (code, document["pairs"], document["complete"]) == (0, 3, True)
    code, out, _ = call(capsys, *words[:-1], "B", "--dry-run")
    assert (code, "at most 6 paid calls" in out) == (0, True)
    for wrong, sentence in (
        (("answers", asked, "--by", "ann"), "2 or more contestants"),
        (("answers", "none.txt", "--by", "ann", "cat"), "there is no file"),
        (("answers", asked, "--by", "ann", "cut"), "did you mean 'cat'"),
    ):
        code, _, err = call(capsys, *wrong)
        assert (code, sentence in err) == (2, True)
