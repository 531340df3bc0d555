"""Answers by contestants: the texts of all cards to all questions, and the tables of a tournament.

`answers.jsonl` has one answer per row, for rating; `pairs.jsonl` has every pair of answers by two
contestants to one question. Each answer names its author, card, model, prompt and seed. The dataset reader
`jsonl` reads both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import ClassVar

from peerjudge.data import Card, Dataset, Question, ReviewerKind, Scalar, content_hash, replace
from peerjudge.data.arguments import check_arguments
from peerjudge.datasets import Request, Row, build_dataset
from peerjudge.errors import StoreError
from peerjudge.features.tournaments.plans import MAX_TOKENS, AnswerPlan, plan_answers
from peerjudge.marks import mark_controls
from peerjudge.runs.blocking import block
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.results import AnswerCounts, CallCounts
from peerjudge.runs.texts import WritingEstimate, WritingResult, WrittenText
from peerjudge.runs.writing import estimate_writing, write_texts
from peerjudge.shelf import Shelf
from peerjudge.shown import Framed
from peerjudge.simulation import find_answer_quality
from peerjudge.simulation.latent import QUALITY

ANSWERS_FILE, PAIRS_FILE = "answers.jsonl", "pairs.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestantAnswers:
    """Answers of one contestant; `mean_words` is `None` without any. `failed` ones can be repeated."""

    contestant: str
    card: str
    answers: int
    empty: int
    refused: int
    cut_off: int
    failed: int
    missing: int
    mean_words: float | None
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answers(Framed):
    """Answers of contestants to questions, with what they cost.

    A notebook and `print` show the counts and what to do next. `rows` has one answer each, and `pairs`
    two; these are the lines of `files`, by kind. `equal` pairs are left out, as both answers have the same
    words. `writing` says what was called and spent.
    """

    renderer: ClassVar[str] = "peerjudge.features.tournaments.describing"

    questions: int
    contestants: tuple[ContestantAnswers, ...]
    rows: tuple[Mapping[str, object], ...]
    pairs: tuple[Mapping[str, object], ...]
    equal: int
    seed: int
    writing: WritingResult
    files: Mapping[str, str]

    def describe_briefly(self) -> str:
        """Return one line, as `repr` is."""
        names = ", ".join(contestant.contestant for contestant in self.contestants)
        counts = f"{len(self.rows):,} answers, {len(self.pairs):,} pairs"
        return mark_controls(f"<Answers to {self.questions:,} questions by {names}: {counts}>")

    @property
    def dataset(self) -> Dataset:
        """The pairs as a dataset, as `jsonl:` reads them from the file."""
        path = Path(self.files.get("pairs", PAIRS_FILE))
        lines = (Row(path, number, fields) for number, fields in enumerate(self.pairs, 1))
        return build_dataset(
            lines, Request(path=path), name=path.name, description=f"comparisons from {path.name}"
        )

    def list_pairs(self, limit: int | None) -> Dataset:
        """Return the first pairs as a dataset; all of them without a limit."""
        return replace(self.dataset, comparisons=self.dataset.comparisons[:limit])

    @property
    def counts(self) -> AnswerCounts:
        """The numbers of answers and pairs, as a run keeps them."""
        texts = self.writing.texts
        return AnswerCounts(
            written=sum(text.text is not None and not text.kept for text in texts),
            kept=self.writing.kept,
            failed=len(self.writing.failures),
            missing=sum(text.text is None and text.failure is None for text in texts),
            pairs=len(self.pairs),
        )

    @property
    def complete(self) -> bool:
        """Whether every contestant has answered every question."""
        return self.writing.complete

    @property
    def calls(self) -> CallCounts:
        """Calls of this command."""
        return self.writing.calls

    @property
    def cost_usd(self) -> float | None:
        """Cost of this command in USD; `None` if a price is unknown."""
        return self.writing.cost_usd

    @property
    def stopped(self) -> str | None:
        """The limit that stopped it, if any."""
        return self.writing.stopped


@check_arguments
async def answers(
    questions: str | Sequence[str | Question],
    *,
    by: Sequence[str],
    out: str | Path | None = None,
    store: str | None = None,
    count: int = 1,
    limit: int | None = None,
    max_tokens: int = MAX_TOKENS,
    seed: int = 0,
    cache: str | Path | None = None,
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    fail_on_error: float | None = None,
    deadline: float | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
    on_text: Callable[[WrittenText], None] | None = None,
) -> Answers:
    """Let contestants answer questions; repeat it to resume.

    Writes pairs.jsonl (every pair of answers by two contestants, data for a run) and answers.jsonl (one
    answer per row, for ratings). All contestants get the same prompt, without the role of their cards.
    Answers of simulated cards are invented text with an invented quality.

    Args:
        questions: A file: .txt with one question per line, .csv or .jsonl with the columns question (or
            text), id and category. Or a dataset `NAME` or `NAME:PATH`, whose questions are asked. In Python
            also the questions themselves.
        by: Cards of the contestants, two or more.
        out: Folder of the answers; by default one under runs/, the same for the same questions and cards.
        store: Database URL in which the answers are kept, instead of the folder; the tables are then in the
            default folder.
        count: Number of answers by each contestant to each question.
        limit: Number of questions, the first ones.
        max_tokens: Most tokens of an answer, the same for all contestants; thinking tokens of a card come on
            top.
        seed: Seed of simulated contestants, and namespace of cached replies.
        cache: As for `run`, like the arguments after it.
        max_connections: See `cache`.
        cost_limit: See `cache`.
        token_limit: See `cache`.
        fail_on_error: Stop when 5 answers and this share of them have failed.
        deadline: Time after which an answer fails. [s]
        shelf: See `cache`.
        environ: See `cache`.
        on_text: Called with every new answer and every failure.

    Raises:
        PeerJudgeError: Usage or configuration error; answers that are there stay.
        asyncio.CancelledError: The task was cancelled; answers that are there stay.

    Example:
        >>> asked = ["Why is the sky blue?", "What is rain?"]
        >>> found = asyncio.run(pj.answers(asked, by=["sim_strong", "sim_weak"], out="asked"))
        >>> found.complete, len(found.pairs)
        (True, 2)
    """
    shelf = shelf or Shelf()
    plan = plan_answers(
        questions, by=by, count=count, limit=limit, max_tokens=max_tokens, seed=seed, shelf=shelf
    )
    folder = Path(out) if out else plan.folder
    written = await write_texts(
        plan.tasks,
        place=Place(out=None if store else folder, store=store, cache=cache),
        bounds=Bounds(
            max_connections=max_connections,
            cost_limit=cost_limit,
            token_limit=token_limit,
            fail_on_error=fail_on_error,
            deadline=deadline,
        ),
        seed=seed,
        shelf=shelf,
        environ=environ,
        on_text=on_text,
    )
    return collect_answers(plan, written, folder=folder)


async def estimate_answers(
    plan: AnswerPlan,
    *,
    out: str | Path | None = None,
    store: str | None = None,
    shelf: Shelf | None = None,
) -> WritingEstimate:
    """Estimate the most that the missing answers of a plan take; no model is called."""
    place = Place(out=None if store else out or plan.folder, store=store)
    return await estimate_writing(plan.tasks, place=place, seed=plan.seed, shelf=shelf)


def collect_answers(plan: AnswerPlan, written: WritingResult, *, folder: Path | None) -> Answers:
    """Return the answers that there are, and write their tables into the folder, if there is one."""
    by_card = {card.name: contestant for contestant, card in plan.cards.items()}
    entries = {
        text.task.id: _describe_answer(text, by_card[text.task.card], plan)
        for text in written.texts
        if text.text is not None
    }
    rows = tuple(
        _build_row(task.question, [entry], name=f"{task.question.id} {entry['id']}")
        for task in plan.tasks
        if (entry := entries.get(task.id)) is not None and task.question is not None
    )
    pairs, equal = _pair_rows(plan, entries)
    files: dict[str, Path] = {}
    if folder is not None:
        files = {"answers": folder / ANSWERS_FILE, "pairs": folder / PAIRS_FILE}
        for file, lines in zip(files.values(), (rows, pairs), strict=True):
            _write_lines(file, lines)
    return Answers(
        questions=len(plan.questions),
        contestants=tuple(
            _count(
                contestant, card, [text for text in written.texts if text.task.card == card.name]
            )
            for contestant, card in plan.cards.items()
        ),
        rows=rows,
        pairs=pairs,
        equal=equal,
        seed=plan.seed,
        writing=written,
        files={kind: str(file) for kind, file in files.items()},
    )


_Entry = Mapping[str, Scalar]


def _describe_answer(text: WrittenText, contestant: str, plan: AnswerPlan) -> _Entry:
    """Return the entry of an answer in a row, with its provenance."""
    task = text.task
    card = plan.cards[contestant]
    number = f"#{task.draw + 1}" if plan.count > 1 else ""
    entry: dict[str, Scalar] = {
        "id": f"{contestant}{number}",
        "text": text.text,
        "author": contestant,
        "card": task.card,
        "model": "" if text.utterance is None else text.utterance.model,
        "prompt": task.prompt,
        "seed": plan.seed,
        "draw": task.draw,
        "mark": text.mark,
    }
    if card.kind is ReviewerKind.SIMULATED:
        quality = find_answer_quality(card, seed=plan.seed, draw=task.drawn)
        entry |= {"simulated": True, "quality": round(quality, 6)}
    return entry


def _pair_rows(
    plan: AnswerPlan, entries: Mapping[str, _Entry]
) -> tuple[tuple[Mapping[str, object], ...], int]:
    """Return the rows of all pairs of two contestants, and the number of pairs with equal words."""
    rows: list[Mapping[str, object]] = []
    equal = 0
    for question in plan.questions:
        for cards in combinations(plan.cards.values(), 2):
            for draw in range(plan.count):
                names = [f"{question.id} by {card.name}, {draw + 1}" for card in cards]
                pair = [entries[name] for name in names if name in entries]
                if len(pair) < len(names):
                    continue
                if str(pair[0]["text"]).strip() == str(pair[1]["text"]).strip():
                    equal += 1
                    continue
                name = f"{question.id} {pair[0]['id']} {pair[1]['id']}"
                # A protocol that shows one order only must not favour the first card.
                if int(content_hash(plan.seed, name), 16) % 2:
                    pair.reverse()
                rows.append(_build_row(question, pair, name=name))
    return tuple(rows), equal


def _build_row(question: Question, pair: Sequence[_Entry], *, name: str) -> dict[str, object]:
    row: dict[str, object] = {
        "id": name,
        "question": question.text,
        "category": question.category,
        "question_id": question.id,
        "answers": [dict(entry) for entry in pair],
    }
    row |= {f"{QUALITY}{entry['id']}": entry["quality"] for entry in pair if "quality" in entry}
    return row


def _write_lines(file: Path, rows: Iterable[Mapping[str, object]]) -> None:
    draft = file.with_name(f"{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        draft.write_text("".join(lines), "utf-8")
        draft.replace(file)
    except OSError as cause:
        msg = f"cannot write {file}: {cause.strerror}; choose another folder with --out"
        raise StoreError(msg) from cause


def _count(contestant: str, card: Card, texts: Sequence[WrittenText]) -> ContestantAnswers:
    marks = [text.mark for text in texts]
    words = [len(text.text.split()) for text in texts if text.text]
    return ContestantAnswers(
        contestant=contestant,
        card=card.name,
        answers=sum(text.text is not None for text in texts),
        empty=marks.count("empty"),
        refused=marks.count("refusal"),
        cut_off=marks.count("cut off"),
        failed=sum(text.failure is not None for text in texts),
        missing=sum(text.text is None and text.failure is None for text in texts),
        mean_words=sum(words) / len(words) if words else None,
        simulated=card.kind is ReviewerKind.SIMULATED,
    )


answers_sync = block(answers)
"""`answers`, which returns its result; it also works where an event loop runs."""
