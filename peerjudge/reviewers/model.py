"""Reviewers of model cards and of recorded reviews."""

from __future__ import annotations

from collections.abc import Iterable

from autogen_core.models import ChatCompletionClient

from peerjudge.clients import FormBound, Governed
from peerjudge.data import (
    ASK_TASK,
    Card,
    Expects,
    Outcome,
    RecordedReview,
    Request,
    Utterance,
    replace,
)
from peerjudge.reviewers.calling import SamplingCaller
from peerjudge.reviewers.messages import bill_turn, build_utterance, to_llm_messages


class ModelReviewer:
    """Reviewer that makes one model call per cue, with the sampling of its seat, without history.

    A setting that the provider lacks (a seed at Anthropic) or that the model refuses (a temperature
    at a reasoning model) is left out with one warning, and every reply names it in `unset`. A server
    that ignores log-probabilities causes a warning as well.

    Args:
        card: The card; its limits govern a client that is not governed yet.
        client: The model client. A `Governed` client may be shared, so `close` leaves it open.
    """

    def __init__(self, card: Card, client: ChatCompletionClient) -> None:
        self.card = card
        self._owned = not isinstance(client, Governed)
        self.client = client if isinstance(client, Governed) else _govern(card, client)
        self._caller = SamplingCaller(self.client, reviewer=card.name, spec=card.model)

    @property
    def name(self) -> str:
        """Return the name of the card."""
        return self.card.name

    async def speak(self, request: Request) -> Utterance:
        """Return the model's reply; an error is raised after all retries."""
        with bill_turn(request, reviewer=self.name) as bill:
            sampling = request.seat.sampling
            if request.cue.logprobs and not sampling.logprobs:
                sampling = replace(sampling, logprobs=True)
            messages = to_llm_messages(request.messages)
            # A response format of the card is that of a verdict or rating.
            prose = request.cue.expects is Expects.TEXT
            in_prose = None if request.in_prose is None else to_llm_messages(request.in_prose())
            result, unset = await self._caller.call(
                messages, sampling, prose=prose, bound=_find_bound(request), in_prose=in_prose
            )
        return build_utterance(
            result, bill, model=self.client.model, simulated=self._caller.simulated, unset=unset
        )

    async def close(self) -> None:
        """Close the client, unless it is shared."""
        if self._owned:
            await self.client.close()


def _find_bound(request: Request) -> FormBound | None:
    """Return what binds the form of the reply: a schema, or the choices of a question."""
    if request.form == "schema":
        rated = request.cue.expects is Expects.RATING
        return FormBound(choices=request.choices, keys=request.keys, rated=rated)
    if request.form == "two_step" and request.bare:
        return FormBound(choices=request.choices)
    return None


def _govern(card: Card, client: ChatCompletionClient) -> Governed:
    model = card.model.name if card.model is not None else type(client).__name__
    return Governed(client, reviewer=card.name, model=model, limits=card.limits)


class MissingReviewError(LookupError):
    """Request for which there is no recorded review."""


class RecordedReviewer:
    """Reviewer that replays recorded reviews: it can review, but not discuss.

    A review belongs to a comparison in one shown order; the first of several counts. A review
    without text, as people often leave it, is replayed as the number of its verdict.
    """

    def __init__(self, name: str, reviews: Iterable[RecordedReview]) -> None:
        self.name = name
        self._reviews: dict[tuple[str, tuple[str, ...]], RecordedReview] = {}
        for review in reviews:
            self._reviews.setdefault((review.comparison, review.shown), review)

    async def speak(self, request: Request) -> Utterance:
        """Return the recorded review of this comparison in this order.

        Raises:
            MissingReviewError: There is none, or the cue expects more than a private review of
                all answers.
        """
        cue, comparison = request.cue, request.comparison
        if cue.task == ASK_TASK:
            return Utterance(text="", model=self.name, attempts=0, cached=True)
        whole = sorted(cue.sees) == sorted(comparison.shown)
        if request.heard or cue.expects is not Expects.VERDICT or not whole:
            msg = (
                f"{self.name!r} has recorded reviews only, and cannot answer task {cue.task!r}: "
                "use a protocol of private reviews such as 'vote'"
            )
            raise MissingReviewError(msg)
        review = self._reviews.get((comparison.id, cue.sees))
        if review is None:
            msg = (
                f"{self.name!r} has no recorded review of {comparison.id!r} shown as "
                f"{list(cue.sees)}"
            )
            raise MissingReviewError(msg)
        text = review.text or _verdict_number(review)
        return Utterance(text=text, model=review.reviewer, attempts=0, cached=True)

    async def close(self) -> None:
        """Do nothing: no resource is open."""


def _verdict_number(review: RecordedReview) -> str:
    """Return the verdict as in a reply: the place of the chosen answer, one more for a tie."""
    verdict = review.verdict
    if verdict.choice is not None:
        return str(review.shown.index(verdict.choice) + 1)
    return str(len(review.shown) + 1) if verdict.outcome is Outcome.TIE else ""
