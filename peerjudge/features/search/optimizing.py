"""Run a search from its first candidate to the held-out test, and write what it found."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from peerjudge.data import (
    Dataset,
    Experiment,
    Measurement,
    Objective,
    ReviewerKind,
    Search,
    content_hash,
    replace,
    to_plain,
)
from peerjudge.data.arguments import check_arguments
from peerjudge.datasets import load
from peerjudge.features.search.adoption import (
    MAX_FINALISTS,
    adopt,
    adopt_naively,
    choose_finalists,
    measure_overstatement,
    pareto_front,
)
from peerjudge.features.search.declaring import Declared, declare, merge_search
from peerjudge.features.search.estimating import estimate_search
from peerjudge.features.search.findings import CandidateRow, Optimized, SplitSize, TransferRow
from peerjudge.features.search.nouns import (
    Adoption,
    Candidate,
    CandidateScores,
    Evaluate,
    Evaluated,
    History,
    Propose,
    Proposed,
    SearchOptions,
    SearchState,
    Step,
)
from peerjudge.features.search.objectives import keep_gold, measure_gain
from peerjudge.features.search.playing import Player, StoppedError
from peerjudge.features.search.proposing import propose, require_proposer
from peerjudge.features.search.replay import next_step, read_state
from peerjudge.features.search.targets import choose_targets, leave_out_unchanged
from peerjudge.features.search.testing import Played, find_test, play_both, transfer
from peerjudge.features.search.writing import (
    count_opening,
    write_candidates,
    write_history,
    write_search,
)
from peerjudge.reporting.formats import counted
from peerjudge.runs import Prepared, prepare
from peerjudge.runs.blocking import block
from peerjudge.runs.bounds import Bounds
from peerjudge.runs.ledger import Spending
from peerjudge.shelf import Shelf


@check_arguments
async def optimize(
    experiment: str | Path | Experiment,
    *,
    method: str | None = None,
    targets: Sequence[str] = (),
    objective: str | None = None,
    aspect: str | None = None,
    proposer: str | None = None,
    steps: int | None = None,
    candidates: int | None = None,
    patience: int | None = None,
    split: str | None = None,
    transfer_cards: Sequence[str] = (),
    transfer_data: Sequence[str] = (),
    data: str | None = None,
    out: str | Path | None = None,
    cache: str | Path | None = None,
    limit: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    fail_on_error: float | None = None,
    deadline: float | None = None,
    dry_run: bool = False,
    on_step: Callable[[str], None] | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
) -> Optimized:
    """Search for better prompts; repeat it to resume.

    Questions are split: candidates are searched on one part, the best are compared with the unchanged
    prompts on a second one, and an adopted one is tested once on the third. Candidates are in the folder as
    prompt packs or cards, the adopted one is best.toml. Within the limits of cost and tokens, what the test
    takes is set aside first. Conditions whose prompts have no target are not played. What is left out is
    taken from the constant `SEARCH` of the experiment, if it has one.

    Args:
        experiment: A name from `peerjudge list experiments`, or the path of a .py file; in Python also a
            declaration.
        method: `grips` (random edits of the best text), or `opro` (texts by a proposer that sees
            earlier scores). By default that of SEARCH, or `grips`.
        targets: Text that may change: `role:CARD`, `pack:aspects`, `pack:tasks.NAME`, `pack:reply.NAME` or
            `pack:criteria`. By default the first task that the experiment gives.
        objective: `accuracy`, `consistent` (right in both orders), `margin` (probability of gold, needs
            log-probabilities) or `error` (ratings).
        aspect: Aspect of the gold ratings, for `error`.
        proposer: Card that writes texts; needed for `opro`, and for the paraphrases of `grips`.
        steps: Greatest number of steps.
        candidates: Candidates per step.
        patience: Steps in a row without gain after which the search ends; 0 for never. By default 3, with the
            split of the paper 2 for `grips` and 0 for `opro`.
        split: Numbers of questions to search, select and test, such as `20,20,40`; or `paper` for 10, 0 and
            90 % and adoption by the search score alone, as the paper did.
        transfer_cards: Further reviewers that judge with the old and the new texts.
        transfer_data: Further dataset.
        data: Dataset `NAME`, `NAME:PATH` or `FILE.py:PATH` in place of the declared one.
        out: Folder of the search; by default one under runs/, the same for the same search.
        cache: As for `run`, like `max_connections`, `fail_on_error`, `deadline`, `settings` and `seats`.
        limit: Number of comparisons of the data that are used.
        seed: Seed of all random choices, also of the splits and of the search.
        settings: See `cache`.
        seats: See `cache`.
        max_connections: See `cache`.
        cost_limit: Limit in USD on everything spent in the folder, the test included, whose cost is set
            aside first.
        token_limit: The same in tokens.
        fail_on_error: See `cache`.
        deadline: See `cache`.
        dry_run: Return what the search would change, and the calls, tokens and cost that it takes at most
            (`estimate`), and play nothing.
        on_step: Called with a line about every step.
        shelf: See `cache`.
        environ: Environment with the API keys; by default that of the process.

    Raises:
        PeerJudgeError: Usage or configuration error; nothing is spent.
        asyncio.CancelledError: The task was cancelled; everything paid is kept.

    Example:
        >>> found = asyncio.run(pj.optimize("wording_search", steps=1, candidates=1, out="search"))
        >>> found.splits["test"].questions, found.chosen == found.base
        (160, True)
    """
    bounds = Bounds(
        max_connections=max_connections,
        cost_limit=cost_limit,
        token_limit=token_limit,
        fail_on_error=fail_on_error,
        deadline=deadline,
    )
    shelf = shelf or Shelf()
    given: dict[str, object] = {
        "method": method,
        "targets": tuple(targets),
        "objective": objective,
        "aspect": aspect,
        "proposer": proposer,
        "steps": steps,
        "candidates": candidates,
        "patience": patience,
        "split": split,
    }
    search = merge_search(shelf.search(experiment), given)
    if search.proposer:
        require_proposer(search.proposer, shelf)
    prepared = prepare(
        experiment,
        data=data,
        limit=limit,
        seed=seed,
        settings=_add_logprobs(search.objective, settings),
        seats=seats,
        shelf=shelf,
    )
    for card in transfer_cards:
        shelf.card(card)
    chosen = choose_targets(search.targets, prepared, shelf)
    prepared, unchanged = leave_out_unchanged(chosen, prepared, shelf)
    bounds.require_prices(prepared.costs)
    declared = declare(search, prepared, chosen, shelf=shelf, seed=prepared.plan.experiment.seed)
    others = tuple(
        keep_gold(load(name, reviews=False), search.objective, aspect=declared.search.aspect)
        for name in transfer_data
    )
    folder = Path(out) if out else _default_folder(prepared, declared)
    player = Player(
        base=prepared,
        shelf=shelf,
        dataset=replace(prepared.dataset, comparisons=declared.comparisons),
        objective=search.objective,
        aspect=declared.search.aspect,
        folder=folder,
        cache=cache,
        bounds=bounds,
        environ=environ,
    )
    work = _Work(
        player=player, declared=declared, unchanged=unchanged, tell=on_step or (lambda _: None)
    )
    if dry_run:
        return replace(work.report(), estimate=estimate_search(declared, player))
    with work.until_limit():
        await work.search()
        await work.select()
        await work.test()
        await work.transfer(transfer_cards, others)
    found = work.report()
    write_candidates(folder, found, player)
    write_history(folder, declared, work.history, state=work.read(), selected=work.selected)
    return write_search(folder, found, player)


@dataclass(slots=True)
class _Work:
    """A search under way: what has been found up to now."""

    player: Player
    declared: Declared
    unchanged: tuple[str, ...]
    tell: Callable[[str], None]
    history: History = ()
    state: SearchState | None = None
    adoption: Adoption | None = None
    selected: dict[str, CandidateScores] = field(default_factory=dict[str, CandidateScores])
    played: Played | None = None
    rows: tuple[TransferRow, ...] = ()
    opened: int = 0
    stopped: StoppedError | None = None

    @contextmanager
    def until_limit(self) -> Generator[None]:
        """End the block at a limit, and keep which one it was."""
        try:
            yield
        except StoppedError as stop:
            self.stopped = stop

    async def search(self) -> None:
        """Take the steps of the method, leaving what selecting and testing will take."""
        declared, player = self.declared, self.player
        splits, options = declared.splits, declared.options
        reserve = _add(
            player.estimate(splits.test, times=2),
            player.estimate(splits.select, times=MAX_FINALISTS + 1)
            if splits.select
            else Spending(tokens=0, usd=0.0),
        )
        if declared.search.objective == "margin":
            await player.require_probabilities()
        while (step := next_step(self.history, options, declared.seed)) is not None:
            if isinstance(step, Evaluate):
                self.tell(_describe_step(step, options))
                results = [
                    await player.evaluate(candidate, step.questions, reserve=reserve)
                    for candidate in step.candidates
                ]
                record: Evaluated | Proposed = Evaluated(results=tuple(results))
            else:
                record = await self._ask(step, reserve=reserve)
            self.history = (*self.history, record)
        self.state = read_state(self.history, options, declared.seed)

    async def _ask(self, step: Propose, *, reserve: Spending) -> Proposed:
        """Send the requests of a step to the proposer."""
        declared, player = self.declared, self.player
        self.tell(_describe_step(step, declared.options))
        return await propose(
            step,
            card=declared.search.proposer,
            seed=declared.seed,
            player=player,
            reserve=reserve,
        )

    async def select(self) -> None:
        """Compare the finalists with the base on the select split, and decide."""
        state, splits = self._require_state(), self.declared.splits
        if splits.paper:
            self.adoption = adopt_naively(state)
            return
        base = state.candidates[0]
        finalists = choose_finalists(state, questions=splits.search)
        reserve = self.player.estimate(splits.test, times=2)
        if finalists:
            self.tell(f"{counted(len(finalists), 'finalist')} and the base on the select questions")
        for one in (base, *finalists) if finalists else ():
            self.selected[one.id] = await self.player.evaluate(one, splits.select, reserve=reserve)
        self.adoption = adopt(
            base,
            finalists,
            {name: scores.scores for name, scores in self.selected.items()},
            measure=partial(_measure, self.player.objective),
        )

    async def test(self) -> None:
        """Play base and chosen on the test split, if one was adopted."""
        adoption = self.adoption
        if adoption is None or not adoption.adopted:
            return
        splits = self.declared.splits
        self.tell(f"base and chosen on the {len(splits.test)} test questions")
        identity = content_hash(self.player.base.run_id, _identify(self.declared.search))
        self.opened = count_opening(self.player.folder, splits.test, search=identity)
        self.played = await play_both(self.player, self._find(adoption.chosen), splits.test)

    async def transfer(self, cards: Sequence[str], datasets: Sequence[Dataset]) -> None:
        """Play base and chosen with other reviewers and on other data."""
        adoption = self.adoption
        if adoption is None or not adoption.adopted or not (cards or datasets):
            return
        self.rows = await transfer(
            self.player,
            self._find(adoption.chosen),
            questions=self.declared.splits.test,
            cards=cards,
            datasets=datasets,
        )

    def read(self) -> SearchState:
        """Return the search after its last record."""
        declared = self.declared
        return self.state or read_state(self.history, declared.options, declared.seed)

    def report(self) -> Optimized:
        """Return what has been found."""
        player, declared = self.player, self.declared
        state = self.read()
        scores = state.scores
        test = None if self.played is None else find_test(self.played, self.player.objective)
        return Optimized(
            out=str(player.folder),
            run=player.base.run_id,
            experiment=player.base.plan.experiment.name,
            data=player.base.plan.experiment.data,
            method=declared.search.method,
            objective=declared.search.objective,
            aspect=declared.search.aspect,
            targets={target.name: target.text for target in declared.options.targets},
            splits=_count_splits(declared),
            left_out=declared.left_out,
            unchanged=self.unchanged,
            candidates=tuple(
                _build_row(candidate, scores.get(candidate.id), self.selected.get(candidate.id))
                for candidate in state.candidates
            ),
            front=_find_front(state, declared.splits.search),
            adoption=self.adoption,
            test=test,
            overstatement=self._measure_overstatement(state),
            transfer=self.rows,
            test_opened=self.opened,
            paper=declared.splits.paper,
            stopped=None if self.stopped is None else self.stopped.stopped,
            enough=None if self.stopped is None else self.stopped.enough,
            failure="" if self.stopped is None else self.stopped.why,
            simulated=all(
                card.kind is ReviewerKind.SIMULATED for card in player.base.plan.cast.values()
            ),
            files={},
            spent=copy(player.spent),
        )

    def _measure_overstatement(self, state: SearchState) -> float | None:
        if self.played is None or self.adoption is None:
            return None
        return measure_overstatement(
            state.scores[self.adoption.chosen].scores, self.played.chosen.scores
        )

    def _require_state(self) -> SearchState:
        assert self.state is not None  # noqa: S101  the search has ended
        return self.state

    def _find(self, wanted: str) -> Candidate:
        return next(
            candidate for candidate in self._require_state().candidates if candidate.id == wanted
        )


def _describe_step(step: Step, options: SearchOptions) -> str:
    where = f"step {step.step} of {options.steps}" if step.step else "base"
    if isinstance(step, Propose):
        return f"{where}: {counted(len(step.requests), 'text')} by the proposer"
    asked = counted(len(step.questions), "question")
    return f"{where}: {counted(len(step.candidates), 'candidate')} on {asked}"


def _measure(objective: Objective, differences: Sequence[float], level: float) -> Measurement:
    return measure_gain(differences, objective=objective, level=level)


def _add_logprobs(objective: str, settings: Mapping[str, str] | None) -> Mapping[str, str] | None:
    """Return the settings with log-probabilities for the objective that needs them."""
    return {"logprobs": "true", **(settings or {})} if objective == "margin" else settings


def _default_folder(prepared: Prepared, declared: Declared) -> Path:
    identity = content_hash(prepared.run_id, _identify(declared.search), to_plain(declared.splits))
    return Path("runs") / f"{prepared.plan.experiment.name}-search-{identity[:8]}"


def _identify(search: Search) -> object:
    """Return the identity of a declaration; folders made before there was `patience` keep theirs."""
    plain = cast("dict[str, object]", to_plain(search))
    return {key: value for key, value in plain.items() if key != "patience" or value is not None}


def _add(one: Spending, other: Spending) -> Spending:
    known = one.usd is not None and other.usd is not None
    return Spending(
        tokens=(one.tokens or 0) + (other.tokens or 0),
        usd=(one.usd or 0.0) + (other.usd or 0.0) if known else None,
    )


def _count_splits(declared: Declared) -> dict[str, SplitSize]:
    splits = declared.splits
    return {
        name: SplitSize(
            questions=len(asked),
            comparisons=sum(
                comparison.question.id in set(asked) for comparison in declared.comparisons
            ),
        )
        for name, asked in (
            ("search", splits.search),
            ("select", splits.select),
            ("test", splits.test),
        )
    }


def _build_row(
    one: Candidate, search: CandidateScores | None, select: CandidateScores | None
) -> CandidateRow:
    def mean(scored: CandidateScores | None) -> float | None:
        return (
            sum(scored.scores.values()) / len(scored.scores) if scored and scored.scores else None
        )

    return CandidateRow(
        id=one.id,
        parent=one.parent,
        step=one.step,
        origin=one.origin,
        change=one.change,
        valid=one.valid,
        why=one.why,
        search=mean(search),
        select=mean(select),
        n=len(search.scores) if search else 0,
        consistency=search.consistency if search else None,
        unreadable=search.unreadable if search else 0.0,
        tokens=search.tokens if search else 0,
        cost_usd=search.cost if search else None,
        texts=one.texts,
    )


def _find_front(state: SearchState, questions: Sequence[str]) -> tuple[str, ...]:
    """Return the Pareto front of the candidates that were scored on all questions."""
    points: dict[str, tuple[float, float | None, float | None]] = {}
    for candidate in state.candidates:
        scored = state.scores.get(candidate.id)
        if scored is None or scored.scores.keys() < set(questions):
            continue
        mean = sum(scored.scores.values()) / len(scored.scores)
        points[candidate.id] = (mean, scored.consistency, scored.tokens)
    return pareto_front(points) if points else ()


optimize_sync = block(optimize)
"""`optimize`, which returns its result; it also works where an event loop runs."""
