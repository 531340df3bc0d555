"""Make pairs: items of a dataset, recipes by rule and by writer, filters, verification, audit, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from peerjudge.data import (
    MAX_ANSWERS,
    Card,
    Comparison,
    Dataset,
    Message,
    Question,
    ReviewerKind,
    add_costs,
    content_hash,
)
from peerjudge.data.arguments import check_arguments
from peerjudge.data.texts import TextReply
from peerjudge.datasets import load
from peerjudge.datasets.catalogue import find_licence
from peerjudge.errors import CardError, DataError, ExperimentError
from peerjudge.features.pairs.filing import write_pairs
from peerjudge.features.pairs.filtering import Seen, find_fault, place_better
from peerjudge.features.pairs.nouns import Item, MadeAnswer, Pair, Paired, RecipeCount
from peerjudge.features.pairs.recipes import EXAMPLE, Recipe, ask_writer, find_recipes
from peerjudge.features.pairs.rules import RULES, is_as_long
from peerjudge.features.pairs.verifying import Checked, audit, verify_pairs
from peerjudge.prompts.written import read_text
from peerjudge.runs import RunSummary
from peerjudge.runs.blocking import block
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.estimate import read_costs
from peerjudge.runs.results import CallCounts
from peerjudge.runs.texts import WritingResult, WritingTask, WrittenText
from peerjudge.runs.writing import write_texts
from peerjudge.shelf import Shelf

_LEAST = 2
_TRIES = 2
"""Times that a writer is asked for a text: a text of another length is asked for once more."""


@check_arguments
async def pairs(
    data: str,
    *,
    recipes: str | Sequence[str] = (),
    writer: str = "",
    verify: str | Sequence[str] = (),
    answers: int = 2,
    hard_for: str = "",
    against: str = "",
    licence: str = "",
    out: str | Path = "pairs",
    limit: int | None = None,
    seed: int = 0,
    cache: str | Path | None = None,
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    fail_on_error: float | None = None,
    deadline: float | None = None,
    on_step: Callable[[str], None] | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
) -> Paired:
    """Make pairs of a better and a worse answer; repeat it to resume.

    The better answer is the accepted one of the data, shown first in exactly half of the pairs. Judges that
    read nothing (length, place, overlap, markup) audit the pairs.

    Args:
        data: Dataset `NAME:PATH` or a path, with gold answers.
        recipes: How the worse answer is made. By rule: `neighbour`, `shuffled`, `altered`, `cut`. By a
            writer: `unclear`, `hallucinated`, `polished`, `verbose_wrong`, `authoritative`,
            `other_instruction`, `sampled`.
        writer: Card that writes answers, for recipes that need one.
        verify: Card that judges every pair in both orders, another than the writer.
        answers: Number of answers, 2 to 4: the better one and graded worse ones.
        hard_for: Card on whose errors the pairs are chosen: those it judges right in both orders are left
            out.
        against: Dataset whose answers are not repeated.
        licence: Licence of the data, where PeerJudge knows none.
        out: Folder of the pairs.
        limit: Number of questions.
        seed: Seed of all random choices.
        cache: As for `run`, like the arguments up to `deadline`.
        max_connections: See `cache`.
        cost_limit: See `cache`.
        token_limit: See `cache`.
        fail_on_error: See `cache`.
        deadline: See `cache`.
        on_step: Called with a line about every step.
        shelf: Shelf of the cards.
        environ: Environment with the API keys.

    Raises:
        PeerJudgeError: Usage or configuration error; nothing is spent.

    Example:
        >>> made = asyncio.run(pj.pairs("sample", recipes=["neighbour"], limit=8, out="made"))
        >>> len(made.pairs), dict(made.counts[0].left_out)
        (6, {'nothing to change': 2})
    """
    place = Place(out=out, cache=cache)
    bounds = Bounds(
        max_connections=max_connections,
        cost_limit=cost_limit,
        token_limit=token_limit,
        fail_on_error=fail_on_error,
        deadline=deadline,
    )
    shelf = shelf or Shelf()
    tell: Callable[[str], None] = on_step or (lambda _: None)
    recipes, verify = ((one,) if isinstance(one, str) else tuple(one) for one in (recipes, verify))
    chosen = find_recipes(recipes)
    _check_cards(chosen, shelf, writer=writer, verify=verify, hard_for=hard_for)
    _check_counts(answers, limit)
    stated = licence or find_licence(data)
    if not stated:
        msg = f"the licence of {data!r} is not known; state it with --licence, as in --licence MIT"
        raise ExperimentError(msg)
    if cost_limit is not None:
        cards = _load_cards(shelf, writer, *verify, hard_for)
        read_costs(cards, project=shelf.project or Path.cwd()).require_known()
    source = load(data, reviews=False)
    items = list_items(source)
    others = load(against, reviews=False).comparisons if against else ()
    work = _Work(
        items=items[:limit],
        pool=items,
        answers=answers,
        seed=seed,
        writer=writer,
        place=place,
        bounds=bounds,
        environ=environ,
        shelf=shelf,
        tell=tell,
        against=[one.text for each in others for one in each.answers],
    )
    for recipe in chosen:
        if not work.stopped:
            await work.make(recipe)
    made = place_better(work.pairs, seed=seed)
    checked = Checked(pairs=tuple(made))
    if not work.stopped and (verify or hard_for):
        checked = await verify_pairs(
            made,
            verify=verify,
            hard_for=hard_for,
            place=place,
            bounds=bounds,
            environ=environ,
            shelf=shelf,
            seed=seed,
            tell=tell,
        )
        made = place_better(checked.pairs, seed=seed)
    return write_pairs(
        work.report(data, stated, made, checked=checked, verifiers=verify, hard_for=hard_for)
    )


def list_items(source: Dataset) -> tuple[Item, ...]:
    """Return the questions with their accepted answers: gold of a comparison, or a lone answer without one.

    Raises `DataError` where there is none.
    """
    found: dict[str, Item] = {}
    for comparison in source.comparisons:
        answer = _find_accepted(comparison)
        if answer is None or not answer.text.strip() or comparison.question.id in found:
            continue
        found[comparison.question.id] = Item(
            question=comparison.question.id,
            text=comparison.question.text,
            answer=answer.text.strip(),
            author=answer.author,
            category=comparison.question.category,
            parent=comparison.id,
        )
    if not found:
        msg = (
            f"{source.name!r} has no accepted answers with texts: no comparison has a gold answer, and "
            "none has one answer alone"
        )
        raise DataError(msg)
    return tuple(found.values())


def _find_accepted(one: Comparison) -> MadeAnswer | None:
    wanted = one.gold.choice if one.gold is not None else None
    if wanted is None and len(one.answers) == 1 and one.gold is None:
        wanted = one.answers[0].id
    for answer in one.answers:
        if answer.id == wanted:
            return MadeAnswer(text=answer.text, author=answer.author)
    return None


@dataclass(slots=True)
class _Work:
    """Pairs up to now."""

    items: Sequence[Item]
    pool: Sequence[Item]
    answers: int
    seed: int
    writer: str
    place: Place
    bounds: Bounds
    environ: Mapping[str, str] | None
    shelf: Shelf
    tell: Callable[[str], None]
    against: Sequence[str]
    pairs: list[Pair] = field(default_factory=list[Pair])
    left_out: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    results: list[WritingResult | RunSummary] = field(
        default_factory=list[WritingResult | RunSummary]
    )

    @property
    def stopped(self) -> str | None:
        """The limit at which the calls ended; `None` where none was reached."""
        return next((one.stopped for one in self.results if one.stopped), None)

    async def make(self, recipe: Recipe) -> None:
        """Make the pairs of one recipe."""
        self.tell(f"{recipe.name}: {len(self.items)} questions")
        counts = self.left_out[recipe.name] = Counter[str]()
        seen = Seen(self.against)
        made = self._apply_rule(recipe) if recipe.rule else await self._ask(recipe)
        for item, (better, worse) in zip(self.items, made, strict=True):
            why = find_fault(recipe, better.text, worse) if worse else "nothing to change"
            if not worse and not recipe.rule:
                why = "no text by the writer"
            if not why and any(seen.has(one.text) for one in worse):
                why = "a duplicate"
            if why:
                counts[why] += 1
                continue
            for one in worse:
                seen.add(one.text)
            self.pairs.append(
                Pair(
                    id=f"{recipe.name}-{content_hash(item.question, item.answer, self.answers)[:12]}",
                    item=item,
                    recipe=recipe.name,
                    better=better,
                    worse=tuple(worse),
                    seed=self.seed,
                    writer="" if recipe.rule else self.writer,
                    status="by rule" if recipe.rule else "unverified",
                )
            )

    def _apply_rule(self, recipe: Recipe) -> list[tuple[MadeAnswer, list[MadeAnswer]]]:
        made: list[tuple[MadeAnswer, list[MadeAnswer]]] = []
        pool = list(self.pool)
        for item in self.items:
            texts = [
                RULES[recipe.name](item, pool, strength, self.seed)
                for strength in range(1, self.answers)
            ]
            # An answer is borrowed once.
            pool = [one for one in pool if one.answer not in texts]
            worse = [MadeAnswer(text=text, author=recipe.name) for text in texts]
            better = MadeAnswer(text=item.answer, author=item.author)
            made.append((better, worse if all(texts) else []))
        return made

    async def _ask(self, recipe: Recipe) -> list[tuple[MadeAnswer, list[MadeAnswer]]]:
        """Ask the writer for the worse texts of a recipe, and for the better one where it has one."""
        questions: Sequence[str] = [""] * len(self.items)
        if recipe.name == "other_instruction":
            asked = await self._write("other_question", recipe, draw=0)
            questions = [text.text if text else "" for text in asked]
        better = (
            await self._write(recipe.better, recipe, draw=90)
            if recipe.better
            else [MadeAnswer(text=item.answer, author=item.author) for item in self.items]
        )
        worse: list[list[MadeAnswer]] = [[] for _ in self.items]
        for strength in range(1, self.answers):
            made = await self._write(
                recipe.name, recipe, draw=strength, questions=questions, like=better
            )
            for row, text in zip(worse, made, strict=True):
                row += [text] if text else []
        return [
            (good or MadeAnswer(text="", author=""), bad if len(bad) == self.answers - 1 else [])
            for good, bad in zip(better, worse, strict=True)
        ]

    async def _write(
        self,
        request: str,
        recipe: Recipe,
        *,
        draw: int,
        questions: Sequence[str] | None = None,
        like: Sequence[MadeAnswer | None] = (),
    ) -> list[MadeAnswer | None]:
        """Return one text of the writer for every item; a text of another length is asked for once more."""
        found: list[MadeAnswer | None] = [None] * len(self.items)
        open_ = list(range(len(self.items)))
        for again in range(_TRIES):
            prompts: dict[int, tuple[Message, ...]] = {}
            for place in open_:
                other = questions[place] if questions else ""
                if request == "other_instruction" and not other:
                    continue
                shows = recipe.shows_answer or request == "other_question"
                prompts[place] = ask_writer(
                    request, self.items[place], shows_answer=shows, question=other
                )
            texts = await self._call(prompts, draw=draw + 10 * again)
            for place, written in texts.items():
                made = _read_written(written)
                found[place] = made or found[place]
            open_ = [
                place
                for place in prompts
                if recipe.same_length and like and not _fits(found[place], like[place])
            ]
            if not open_ or self.stopped:
                break
        return found

    async def _call(
        self, prompts: Mapping[int, tuple[Message, ...]], *, draw: int
    ) -> dict[int, WrittenText]:
        if not prompts or self.stopped:
            return {}
        tasks = [
            WritingTask(
                id=f"{place}",
                card=self.writer,
                task="rewrite",
                messages=messages,
                draw=draw + 1000 * self.seed,
                question=Question(id=self.items[place].question, text=self.items[place].text),
            )
            for place, messages in prompts.items()
        ]
        result = await write_texts(
            tasks,
            place=self.place,
            bounds=self.bounds,
            seed=self.seed,
            shelf=self.shelf,
            environ=self.environ,
        )
        self.results.append(result)
        return {int(text.task.id): text for text in result.texts}

    def report(
        self,
        data: str,
        licence: str,
        made: Sequence[Pair],
        *,
        checked: Checked,
        verifiers: tuple[str, ...],
        hard_for: str,
    ) -> Paired:
        """Return what was made, with its audits."""
        results = [*self.results, *([] if checked.run is None else [checked.run])]
        calls = sum((one.calls for one in results), CallCounts())
        groups = {name: [pair for pair in made if pair.recipe == name] for name in self.left_out}
        counts = [self._count(name, own, checked, hard_for) for name, own in groups.items()]
        audited = groups if len(groups) < _LEAST else {"all": made, **groups}
        cards = _load_cards(self.shelf, self.writer, *verifiers, hard_for).values()
        return Paired(
            out=str(self.place.source),
            source=data,
            licence=licence,
            seed=self.seed,
            pairs=tuple(made),
            counts=tuple(counts),
            audits={name: rows for name, own in audited.items() if (rows := audit(own))},
            verifiers=verifiers,
            hard_for=hard_for,
            files={},
            calls={
                name: getattr(calls, name) for name in ("paid", "cached", "failed", "simulated")
            },
            tokens=sum(one.tokens for one in results),
            cost_usd=add_costs((0.0, *(one.cost_usd for one in results))),
            stopped=next((one.stopped for one in results if one.stopped), None),
            simulated=any(card.kind is ReviewerKind.SIMULATED for card in cards),
        )

    def _count(
        self, recipe: str, own: Sequence[Pair], checked: Checked, hard_for: str
    ) -> RecipeCount:
        left_out = Counter(self.left_out[recipe])
        left_out.update([f"right by {hard_for}" for pair in checked.easy if pair.recipe == recipe])
        return RecipeCount(
            recipe=recipe,
            kept=len(own),
            disputed=sum(pair.status == "disputed" for pair in own),
            left_out=dict(left_out),
        )


def _read_written(written: WrittenText) -> MadeAnswer | None:
    """Return the text between the tags of a reply; `None` without one."""
    if written.utterance is None or written.mark:
        return None
    text = read_text(TextReply(id=written.task.id, text=written.utterance.text)).text
    if not text or text == EXAMPLE:
        return None
    return MadeAnswer(
        text=text,
        author=written.task.card,
        model=written.utterance.model,
        prompt=written.task.prompt[:16],
    )


def _fits(one: MadeAnswer | None, other: MadeAnswer | None) -> bool:
    return one is not None and other is not None and is_as_long(one.text, other.text)


def _check_counts(answers: int, limit: int | None) -> None:
    if not _LEAST <= answers <= MAX_ANSWERS:
        msg = f"--answers is from {_LEAST} to {MAX_ANSWERS}, not {answers}"
        raise ExperimentError(msg)
    if limit is not None and limit < 1:
        msg = f"a limit of {limit} questions leaves nothing; give 1 or more"
        raise ExperimentError(msg)


def _load_cards(shelf: Shelf, *names: str) -> dict[str, Card]:
    return {name: shelf.card(name) for name in names if name}


def _check_cards(
    recipes: Sequence[Recipe], shelf: Shelf, *, writer: str, verify: Sequence[str], hard_for: str
) -> None:
    """Raise where a recipe has no writer, a card cannot do its part, or nobody but the writer verifies."""
    needing = [recipe.name for recipe in recipes if not recipe.rule]
    if needing and not writer:
        msg = f"a model writes the answers of {', '.join(needing)}; name a card with --writer"
        raise ExperimentError(msg)
    for name, card in _load_cards(shelf, writer, *verify, hard_for).items():
        if card.kind is ReviewerKind.RECORDED:
            msg = f"card {name!r} replays recorded reviews, so it cannot write or judge new answers"
            raise CardError(msg)
    if writer and shelf.card(writer).kind is ReviewerKind.SIMULATED:
        msg = (
            f"the writer {writer!r} is simulated, and writes no answers to other people's questions"
        )
        raise CardError(msg)
    if verify and set(verify) == {writer}:
        msg = f"the writer {writer!r} is the only verifier; name another card with --verify"
        raise ExperimentError(msg)
    if any(one.name == "sampled" for one in recipes) and not verify:
        msg = "sampled answers have no gold until others judge them; name a card with --verify"
        raise ExperimentError(msg)


pairs_sync = block(pairs)
"""`pairs`, which returns its result; it also works where an event loop runs."""
