"""A language model as a reviewer: one call per cue, nothing remembered in between."""

from __future__ import annotations

import structlog
from autogen_core.models import ChatCompletionClient, CreateResult

from peerjudge.clients import Governed, bill_to, create_args, find_dialect, is_simulated
from peerjudge.clients.sampling import Dialect
from peerjudge.data import Card, Request, Utterance, replace
from peerjudge.reviewers.messages import llm_messages, utterance

__all__ = ["ModelReviewer"]

_REFUSED_STATUS = frozenset({400, 404, 422})

_log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class ModelReviewer:
    """Speaks for a card through a model client, with the sampling of the seat it speaks from.

    A setting that the provider does not take (a seed at Anthropic) is left out, with one warning. So
    are log-probabilities that only the cue asks for, where the server refuses them. One that ignores
    them is warned of, too.

    Args:
        card: The card; a client that is not governed yet is governed by its limits.
        client: The model client. A `Governed` one belongs to whoever made it, and is not closed
            here: a pool shares it.
    """

    def __init__(self, card: Card, client: ChatCompletionClient) -> None:
        self.card = card
        self._owned = not isinstance(client, Governed)
        self.client = client if isinstance(client, Governed) else _governed(card, client)
        self._model = self.client.model
        self._dialect: Dialect = find_dialect(self.client)
        self._simulated = is_simulated(self.client)
        self._warned: set[str] = set()
        self._refuses_logprobs = False

    @property
    def name(self) -> str:
        """The name of the card."""
        return self.card.name

    async def speak(self, request: Request) -> Utterance:
        """The model's reply. Whatever was worth a retry has been retried when this raises."""
        with bill_to(
            reviewer=self.name,
            discussion=request.discussion,
            turn=request.turn,
            draw=request.draw,
        ) as bill:
            result = await self._asked(request)
        return utterance(result, bill, model=self._model, simulated=self._simulated)

    async def _asked(self, request: Request) -> CreateResult:
        sampling = request.seat.sampling
        extra = request.cue.logprobs and not sampling.logprobs and not self._refuses_logprobs
        if extra:
            sampling = replace(sampling, logprobs=True)
        args, dropped = create_args(sampling, self._dialect, model=self._model)
        self._warn(dropped)
        try:
            result = await self.client.create(
                llm_messages(request.messages), extra_create_args=args
            )
        except Exception as error:
            if not (extra and _refuses_logprobs(error)):
                raise
        else:
            if "logprobs" in args and result.content and not result.logprobs:
                self._miss_logprobs()
            return result
        self._refuses_logprobs = True
        self._warn(("logprobs",))
        return await self._asked(request)

    def _warn(self, dropped: tuple[str, ...]) -> None:
        for setting in dropped:
            if setting not in self._warned:
                self._warned.add(setting)
                _log.warning(
                    "setting not supported by the provider, left out",
                    reviewer=self.name,
                    setting=setting,
                    provider=self._dialect,
                )

    def _miss_logprobs(self) -> None:
        if not self._simulated and "logprobs" not in self._warned:
            self._warned.add("logprobs")
            _log.warning(
                "replies come without the log-probabilities that were asked for, "
                "so ratings are taken as stated",
                reviewer=self.name,
                model=self._model,
            )

    async def close(self) -> None:
        """Close the client, unless it is shared."""
        if self._owned:
            await self.client.close()


def _refuses_logprobs(error: Exception) -> bool:
    """Whether the server takes the request to be a mistake because of the log-probabilities."""
    status = getattr(error, "status_code", None)
    return status in _REFUSED_STATUS and "logprobs" in str(error)


def _governed(card: Card, client: ChatCompletionClient) -> Governed:
    model = card.model.name if card.model is not None else type(client).__name__
    return Governed(client, reviewer=card.name, model=model, limits=card.limits)
