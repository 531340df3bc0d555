"""Reviewers of model cards and of recorded reviews."""

from __future__ import annotations

from collections.abc import Iterable

import structlog
from autogen_core.models import ChatCompletionClient, CreateResult

from peerjudge.clients import Governed, create_args, find_dialect, is_simulated
from peerjudge.clients.sampling import Dialect
from peerjudge.data import Card, Expects, Outcome, RecordedReview, Request, Utterance, replace
from peerjudge.reviewers.messages import bill_turn, build_utterance, to_llm_messages

_REFUSED_STATUS = frozenset({400, 404, 422})

_log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class ModelReviewer:
    """Reviewer that makes one model call per cue, with the sampling of its seat, without history.

    A setting that the provider lacks (a seed at Anthropic) is left out with one warning. So are
    log-probabilities that only the cue requests, where the server refuses them. A server that
    ignores them causes a warning as well.

    Args:
        card: The card; its limits govern a client that is not governed yet.
        client: The model client. A `Governed` client may be shared, so `close` leaves it open.
    """

    def __init__(self, card: Card, client: ChatCompletionClient) -> None:
        self.card = card
        self._owned = not isinstance(client, Governed)
        self.client = client if isinstance(client, Governed) else _govern(card, client)
        self._dialect: Dialect = find_dialect(self.client)
        self._simulated = is_simulated(self.client)
        self._warned: set[str] = set()
        self._refuses_logprobs = False

    @property
    def name(self) -> str:
        """Return the name of the card."""
        return self.card.name

    async def speak(self, request: Request) -> Utterance:
        """Return the model's reply; an error is raised after all retries."""
        with bill_turn(request, reviewer=self.name) as bill:
            result = await self._call(request)
        return build_utterance(result, bill, model=self.client.model, simulated=self._simulated)

    async def _call(self, request: Request) -> CreateResult:
        sampling = request.seat.sampling
        extra = request.cue.logprobs and not sampling.logprobs and not self._refuses_logprobs
        if extra:
            sampling = replace(sampling, logprobs=True)
        args, dropped = create_args(sampling, self._dialect, model=self.client.model)
        self._warn_dropped(dropped)
        try:
            result = await self.client.create(
                to_llm_messages(request.messages), extra_create_args=args
            )
        except Exception as error:
            if not (extra and _refuses_logprobs(error)):
                raise
        else:
            if "logprobs" in args and result.content and not result.logprobs:
                self._warn_missing_logprobs()
            return result
        self._refuses_logprobs = True
        self._warn_dropped(("logprobs",))
        return await self._call(request)

    def _warn_dropped(self, dropped: tuple[str, ...]) -> None:
        for setting in dropped:
            if setting not in self._warned:
                self._warned.add(setting)
                _log.warning(
                    "setting not supported by the provider, left out",
                    reviewer=self.name,
                    setting=setting,
                    provider=self._dialect,
                )

    def _warn_missing_logprobs(self) -> None:
        if not self._simulated and "logprobs" not in self._warned:
            self._warned.add("logprobs")
            _log.warning(
                "replies lack the requested log-probabilities, so ratings are taken as stated",
                reviewer=self.name,
                model=self.client.model,
            )

    async def close(self) -> None:
        """Close the client, unless it is shared."""
        if self._owned:
            await self.client.close()


def _refuses_logprobs(error: Exception) -> bool:
    """Return whether the server refused the request because of the log-probabilities."""
    status = getattr(error, "status_code", None)
    return status in _REFUSED_STATUS and "logprobs" in str(error)


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
