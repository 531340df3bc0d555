"""GEPA: a search in which the proposer revises a text after a look at what the reviewer did with it.

The loop is that of the library `gepa` (Agrawal et al. 2025), through its public API; it knows nothing of
models. Every evaluation is played, and every text written, as for the other methods, so limits, cache and
resuming are the same: nothing of GEPA is stored, and a resumed search runs through kept replies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn, TypeVar

from peerjudge.data.texts import TextRequest
from peerjudge.errors import ExperimentError
from peerjudge.features.search.board import Board, draw_number
from peerjudge.features.search.declaring import Declared
from peerjudge.features.search.nouns import (
    Candidate,
    CandidateScores,
    Propose,
    Proposed,
    Reflected,
    SearchState,
    Target,
)
from peerjudge.features.search.opro import read_candidate
from peerjudge.features.search.playing import Player
from peerjudge.features.search.proposals import ask_for_revision
from peerjudge.features.search.targets import find_render_fault
from peerjudge.runs.ledger import Spending

T = TypeVar("T")

MINIBATCH = 3
"""Questions on which GEPA compares a new text with its parent in every step, as in its paper."""

Ask = Callable[[Propose], Awaitable[Proposed]]


def require_gepa() -> Any:  # noqa: ANN401  the library is optional, so that its types are not known here
    """Return the library; raises `ExperimentError` where it is not installed."""
    try:
        return import_module("gepa")
    except ImportError as cause:
        msg = (
            "the method gepa needs the library gepa; install it with "
            "`pip install 'peerjudge[gepa]'`, or choose --method grips or opro"
        )
        raise ExperimentError(msg) from cause


async def search_by_reflection(
    player: Player, declared: Declared, *, ask: Ask, reserve: Spending
) -> SearchState:
    """Search by GEPA on the search split and return the state at its end.

    The search split is both what GEPA reflects on and what it chooses parents by; the select split
    stays unseen, as with the other methods.

    Args:
        player: Plays the candidates.
        declared: The search; its exemplars are what the proposer sees of the questions.
        ask: Sends requests to the proposer.
        reserve: What the search must leave of the limits.

    Raises:
        StoppedError: A limit was reached.
        ExperimentError: The library is not installed.
        asyncio.CancelledError: The task was cancelled, once the step under way has ended.
    """
    gepa = require_gepa()
    bridge = _Bridge(asyncio.get_running_loop())
    work = _Reflection(gepa, bridge, player, declared, ask=ask, reserve=reserve)
    options = declared.options
    thread = asyncio.ensure_future(
        asyncio.to_thread(
            gepa.optimize,
            seed_candidate=dict(work.board.base.texts),
            trainset=list(options.questions),
            valset=list(options.questions),
            adapter=work,
            custom_candidate_proposer=work.propose,
            reflection_minibatch_size=MINIBATCH,
            stop_callbacks=work.has_ended,
            logger=_Silence(),
            track_best_outputs=False,
            seed=declared.seed,
            raise_on_exception=True,
        )
    )
    try:
        await asyncio.shield(thread)
    except _EndedError as ended:
        raise bridge.cause or ended from None
    except asyncio.CancelledError:
        bridge.halt()
        with suppress(_EndedError):
            await thread
        raise
    return work.describe()


class _EndedError(BaseException):
    """Ends the loop of GEPA, which handles ordinary exceptions and goes on."""


class _Silence:
    """A log that keeps nothing: the table of candidates says what happened."""

    def log(self, message: str) -> None:
        """Drop a message."""


class _Bridge:
    """Runs coroutines in the event loop for the thread of GEPA, one at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.cause: BaseException | None = None
        """The error that ended the loop of GEPA."""
        self._loop = loop
        self._halted = False
        self._under_way: Future[Any] | None = None

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result; every error of it ends the loop of GEPA."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._under_way = future
        if self._halted:
            future.cancel()
        try:
            return future.result()
        except BaseException as cause:  # noqa: BLE001  a cancelled future, too
            self.end(cause)

    def end(self, cause: BaseException) -> NoReturn:
        """End the loop of GEPA because of this error."""
        self.cause = cause
        raise _EndedError from cause

    def halt(self) -> None:
        """Cancel the coroutine under way, and each that would follow."""
        self._halted = True
        if self._under_way is not None:
            self._under_way.cancel()


class _Reflection:
    """An adapter of GEPA: evaluates texts by playing them, and asks the proposer for new ones."""

    propose_new_texts = None

    def __init__(
        self,
        gepa: Any,  # noqa: ANN401  as above
        bridge: _Bridge,
        player: Player,
        declared: Declared,
        *,
        ask: Ask,
        reserve: Spending,
    ) -> None:
        self.board = Board(declared.options)
        self._batch = gepa.EvaluationBatch
        self._bridge = bridge
        self._player = player
        self._options, self._draw = declared.options, declared.seed
        self._targets: Mapping[str, Target] = {
            target.name: target for target in self._options.targets
        }
        self._items = {exemplar.question: exemplar for exemplar in self._options.exemplars}
        self._ask, self._reserve = ask, reserve
        self._candidates = {_key(self.board.base.texts): self.board.base}
        self._scores: dict[str, dict[str, float]] = {}
        self._step = 0

    def has_ended(self, state: Any) -> bool:  # noqa: ANN401  as above
        """Return whether GEPA has taken all steps; it counts them from 0, and begins at -1."""
        done = int(state.i) + 1
        self._step = done + 1
        return done >= self._options.steps

    def evaluate(
        self,
        batch: list[str],
        candidate: dict[str, str],
        capture_traces: bool = False,  # noqa: FBT001, FBT002  GEPA's own signature
    ) -> Any:  # noqa: ANN401  as above
        """Return the scores of texts on questions; a question that has one is not played again."""
        one = self._candidates[_key(candidate)]
        known = self._scores.setdefault(one.id, {})
        if missing := [question for question in dict.fromkeys(batch) if question not in known]:
            scored = self._bridge.wait_for(
                self._player.evaluate(one, missing, reserve=self._reserve)
            )
            if scored.refused:
                self._bridge.end(ExperimentError(f"the base cannot be played: {scored.refused}"))
            self.board.book((scored,))
            known.update(scored.scores)
        scores = [known[question] for question in batch]
        seen = self._bridge.wait_for(self._examine(one, batch)) if capture_traces else None
        return self._batch(outputs=scores, scores=scores, trajectories=seen)

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: Any,  # noqa: ANN401  as above
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return what the proposer is shown for each target: the items, worst first, as GEPA copies them."""
        items = sorted(eval_batch.trajectories, key=lambda item: item.score)
        return {name: [{"item": one} for one in items] for name in components_to_update}

    def propose(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return the new texts by target; empty if the proposal is not valid, so that it is not played."""
        name = components_to_update[0]
        try:
            made = self._revise(candidate, name, [one["item"] for one in reflective_dataset[name]])
        except Exception as cause:  # noqa: BLE001  GEPA would go on without a word
            self._bridge.end(cause)
        return {name: made.texts[name]} if made else {}

    def _revise(
        self, candidate: Mapping[str, str], name: str, items: Sequence[Reflected]
    ) -> Candidate | None:
        """Ask for a better text of a target; `None` if the reply is not valid."""
        parent = self._candidates[_key(candidate)]
        target = self._targets[name]
        request = TextRequest(
            id=f"gepa-{self._step}",
            kind="gepa",
            messages=ask_for_revision(target, parent.texts[name], items, options=self._options),
            target=name,
            parent=parent.id,
            draw=draw_number(self._draw, "gepa", self._step),
        )
        replies = self._bridge.wait_for(self._send(request))
        made = read_candidate(
            replies.replies[0],
            target,
            self._options,
            self.board,
            step=self._step,
            parent=parent,
            origin="gepa",
        )
        if not made.valid:
            return None
        if fault := find_render_fault(made.texts, self._player.base, self._player.shelf):
            self.board.book((CandidateScores(candidate=made.id, refused=fault),))
            return None
        self._candidates[_key(made.texts)] = made
        return made

    def describe(self) -> SearchState:
        """Return the state at the end of the search."""
        for candidate in self._candidates.values():
            self.board.promote([candidate])
        self.board.steps = self._options.steps
        return self.board.describe(finished=True)

    async def _send(self, request: TextRequest) -> Proposed:
        return await self._ask(Propose(step=self._step, requests=(request,)))

    async def _examine(self, candidate: Candidate, questions: Sequence[str]) -> list[Reflected]:
        """Return what the reviewer did with each question, from the discussions played before."""
        prepared, shelf = self._player.prepare(candidate.texts, questions)
        played = await self._player.play(prepared, shelf, reserve=self._reserve)
        said = {
            one.comparison.question.id: one.turns[-1].utterance.text
            for one in reversed(played)
            if one.turns
        }
        known = self._scores[candidate.id]
        return [
            Reflected(
                shown=self._items[question].shown,
                said=said.get(question, ""),
                gold=self._items[question].gold,
                score=known[question],
            )
            for question in questions
        ]


def _key(texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(texts.items()))
