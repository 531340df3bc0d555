"""Gateway around a model client: cache, retries, limits, booking and redaction of a call.

A cached reply needs no slot, and every attempt waits for one. So the order is: single-flight cache
(`_serve`), retries (`_with_retries`), limits (`_attempt`: the card's bounds, then the provider's
window), client.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any, Self
from uuid import uuid4

from autogen_core import Component, ComponentModel
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel
from tenacity import AsyncRetrying, RetryCallState

from peerjudge.clients.billing import Billing, Call, CallOutcome, current_ledger
from peerjudge.clients.cache import MemoryCache, Reply, SingleFlight, digest_request, request_key
from peerjudge.clients.calls import CallRequest, ClientProxy, PieceSink
from peerjudge.clients.charges import LedgerEntry, UsualReply, find_charge
from peerjudge.clients.cleaning import Redaction, ReplyCleaner
from peerjudge.clients.limits import Limiter, Window
from peerjudge.clients.retry import (
    RetryPolicy,
    SilenceLimit,
    blame_address,
    guard_attempt,
    is_used_up,
    require_words,
)
from peerjudge.clients.tokens import (
    Price,
    PromptCheck,
    count_messages,
    estimate_tokens,
    measure_usage,
)
from peerjudge.data import from_plain, to_plain
from peerjudge.data.discussion import Usage
from peerjudge.data.experiments import Limits
from peerjudge.errors import EmptyReplyError
from peerjudge.logs import get_logger

_log = get_logger()


class GovernedConfig(BaseModel):
    """Component form of a `Governed` client."""

    client: ComponentModel
    reviewer: str = ""
    model: str = ""
    limits: dict[str, Any] = {}


class Governed(ClientProxy, Component[GovernedConfig]):
    """AutoGen model client whose calls are cached, retried, limited and booked.

    Args:
        inner: The client that calls the model; its own retries should be off.
        reviewer: Reviewer of calls made outside `bill_to`.
        model: Name of the model, for the book and for counting tokens.
        identity: Name of this model with its settings, for cache keys; by default, the client
            shares no replies with others.
        limits: Connections, rates, timeout of an attempt and number of attempts.
        window: The provider's window, shared by all its clients; by default, only the limits bound
            the calls in flight.
        price: Price of the model's tokens; `None` if unknown.
        policy: Retry policy; by default, that of the limits.
        flights: Single flight and cache shared with other clients.
        secrets: Keys to redact in replies and failures.
        batched: Whether the inner client collects calls for a batch API. Such a call takes up to a
            day, so the limits on connections, rates and time do not apply; it is recorded when its reply
            is there, as the next run collects what this one leaves in a batch.
    """

    component_type = "model"
    component_config_schema = GovernedConfig
    component_provider_override = "peerjudge.clients.Governed"

    def __init__(
        self,
        inner: ChatCompletionClient,
        *,
        reviewer: str = "",
        model: str = "",
        identity: str = "",
        limits: Limits = Limits(),
        window: Window | None = None,
        price: Price | None = None,
        policy: RetryPolicy | None = None,
        flights: SingleFlight | None = None,
        secrets: Sequence[str] = (),
        batched: bool = False,
    ) -> None:
        super().__init__(inner)
        self._batched = batched
        self.reviewer = reviewer
        self.model = model
        self._identity = identity or uuid4().hex
        self._limits = limits
        self._limiter = Limiter(Limits(), None) if batched else Limiter(limits, window)
        self._price = price
        self._policy = RetryPolicy.from_limits(limits) if policy is None else policy
        if batched:
            self._policy = replace(self._policy, deadline=float("inf"))
        self._flights = SingleFlight(MemoryCache()) if flights is None else flights
        self._redaction = Redaction(secrets)
        self._usual_reply = UsualReply()
        self._cleaner = ReplyCleaner(model)
        self._prompt_check = PromptCheck(model)
        self._silence = SilenceLimit(model)
        self._has_replied = False

    async def reply(self, request: CallRequest) -> CreateResult:
        """Return the reply to a request.

        Raises:
            MalformedReplyError: The server's answer is not a reply.
            EmptyReplyError: The reply has no words.
            ModelStoppedError: Too many replies in a row ended at their limit without a word.
            ClientCancelledError: The client cancelled itself.
            Exception: The last failure as the inner client raised it, when no attempt succeeded.
        """
        if request.token is None:
            return await self._serve(request)
        # As a task, so the token also stops waits between attempts and clients that ignore it.
        serving = asyncio.ensure_future(self._serve(request))
        request.token.link_future(serving)
        return await serving

    async def stream(self, request: CallRequest) -> AsyncGenerator[str | CreateResult, None]:
        """Return the pieces of the reply, then the result; errors as for `reply`.

        A stream is cached and booked like any call and retried until its first piece. A cached
        reply comes in one piece.
        """
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        request = replace(request, pieces=PieceSink(pieces.put_nowait))
        serving = asyncio.ensure_future(self._serve(request))
        serving.add_done_callback(lambda _: pieces.put_nowait(None))
        if request.token is not None:
            request.token.link_future(serving)
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            result = await serving
            if request.is_repeatable and isinstance(result.content, str) and result.content:
                yield result.content
            yield result
        finally:
            serving.cancel()
            await asyncio.wait([serving])

    async def _serve(self, request: CallRequest) -> CreateResult:
        """Return the reply from the cache or from a call.

        A reply that ended at its limit without a word is cached as well, as another call would buy the
        same again; it is raised here.
        """

        async def call() -> Reply:
            self._silence.check(most_tokens=request.most_tokens)
            return await self._with_retries(request)

        key = digest_request(request, model=self._identity)
        request_key.set(key)
        reply, cached = (
            (await call(), False) if key is None else await self._flights.fetch(key, call)
        )
        if cached:
            billing = request.billing
            served = self._describe(billing, CallOutcome.CACHED, usage=reply.usage, attempts=0)
            billing.calls.append(served)
        self._silence.learn(reply.result, most_tokens=request.most_tokens)
        try:
            require_words(reply.result, model=self.model, usage=reply.usage)
        except EmptyReplyError as error:
            failed = self._describe(
                request.billing, CallOutcome.FAILED, attempts=0, error=type(error).__name__
            )
            request.billing.calls.append(failed)
            raise
        # A copy, as callers may change their result and the cached one must stay as it is.
        return reply.result.model_copy(update={"cached": cached})

    async def _with_retries(self, request: CallRequest) -> Reply:
        """Return the reply of the first attempt that succeeds."""
        now = asyncio.get_running_loop().time
        started, attempts, booked = now(), 1, 0
        failed: Exception | None = None
        wait: float | None = None

        async def attempt() -> Reply:
            """Raise the failure of the first attempt, which came before the loop; then repeat it."""
            nonlocal attempts, failed
            if failed is not None:
                error, failed = failed, None
                raise error
            attempts += 1
            return await self._attempt(request, attempts=attempts - booked)

        def repeats(state: RetryCallState) -> bool:
            """Choose the wait after a failed attempt; false to give up."""
            nonlocal booked, wait
            error = state.outcome and state.outcome.exception()
            if not isinstance(error, Exception):
                return False
            booked = attempts if isinstance(error, EmptyReplyError) else booked
            wait = self._choose_wait(request, error, failures=attempts, elapsed=now() - started)
            return wait is not None

        def choose_wait(state: RetryCallState) -> float:
            return wait or 0.0

        try:
            # Most calls succeed at once; the loop would take a quarter of their processor time.
            try:
                return await self._attempt(request, attempts=1)
            except Exception as error:  # noqa: BLE001  the loop judges it
                failed = error
            return await AsyncRetrying(
                retry=repeats, wait=choose_wait, before_sleep=self._log_repetition, reraise=True
            )(attempt)
        except Exception as error:
            self._redaction.redact_error(error)
            call = self._describe(
                request.billing,
                CallOutcome.FAILED,
                # An empty reply is booked as a paid call, with the attempts before it.
                attempts=attempts - booked,
                latency=now() - started,
                error=type(error).__name__,
            )
            request.billing.calls.append(call)
            final = error if self._has_replied else blame_address(error)
            if final is error:
                raise
            raise final from error

    def _log_repetition(self, state: RetryCallState) -> None:
        kind = type(state.outcome.exception()).__name__ if state.outcome else ""
        _log.debug(
            "call is repeated",
            model=self.model,
            kind=kind,
            attempt=state.attempt_number,
            wait=state.upcoming_sleep,
        )

    def _choose_wait(
        self, request: CallRequest, error: Exception, *, failures: int, elapsed: float
    ) -> float | None:
        """Return the seconds until the next attempt; `None` to give up."""
        wait = self._policy.next_wait(error, failures=failures, elapsed=elapsed)
        if wait is None or not request.is_repeatable:
            return None
        ledger, billing = current_ledger(), request.billing
        room = ledger is None or ledger.reserve_again(billing.discussion, billing.turn)
        return wait if room else None

    async def _attempt(self, request: CallRequest, *, attempts: int) -> Reply:
        """Return the reply of one attempt, made as soon as the limits allow it.

        It is booked with this number of attempts.
        """
        now = asyncio.get_running_loop().time
        entry: LedgerEntry | None = None
        try:
            async with self._limiter.admit(request.expected_tokens):
                entry = None if self._batched else await self._begin(request)
                started = now()
                result = await guard_attempt(
                    lambda: request.send(self.inner),
                    seconds=None if self._batched else self._limits.timeout,
                    token=request.token,
                    model=self.model,
                )
                latency = now() - started
        except Exception as error:
            if self._batched and find_charge(error) not in (None, Usage()):
                entry = await self._begin(request)
            if entry is not None:
                await entry.fail(error)
            raise
        result = self._cleaner.clean(result)
        usage = measure_usage(request.messages, result, model=self.model)
        self._usual_reply.learn(usage.completion_tokens)
        self._prompt_check.check(request.messages, usage)
        call = self._describe(
            request.billing, CallOutcome.PAID, usage=usage, attempts=attempts, latency=latency
        )
        request.billing.calls.append(call)
        entry = await self._begin(request) if self._batched else entry
        self._has_replied = True
        try:
            if not is_used_up(result):
                require_words(result, model=self.model, usage=usage)
            reply = Reply(result=self._redaction.redact_reply(result), usage=usage)
            if (key := request_key.get()) is not None:
                # A reply that is booked as paid is kept, also if the process is killed in between.
                await self._flights.keep(key, reply)
        finally:
            if entry is not None:
                await entry.settle(call)
        return reply

    async def _begin(self, request: CallRequest) -> LedgerEntry | None:
        """Record an open call in the ledger of the task, if there is one."""
        ledger = current_ledger()
        if ledger is None:
            return None
        usage = Usage(
            prompt_tokens=request.prompt_tokens,
            completion_tokens=self._usual_reply.estimate(request.most_tokens),
            estimated=True,
        )
        call = self._describe(request.billing, CallOutcome.OPEN, usage=usage)
        return LedgerEntry(ledger, await ledger.begin(call), call, self._price)

    def _describe(
        self,
        billing: Billing,
        outcome: CallOutcome,
        *,
        usage: Usage = Usage(),
        attempts: int = 1,
        latency: float = 0.0,
        error: str = "",
    ) -> Call:
        """Return a call as it is booked, with its cost."""
        cost = 0.0
        if outcome in {CallOutcome.PAID, CallOutcome.OPEN}:
            cost = None if self._price is None else self._price.cost(usage)
        return Call(
            reviewer=billing.reviewer or self.reviewer,
            discussion=billing.discussion,
            turn=billing.turn,
            model=self.model,
            outcome=outcome,
            usage=usage,
            attempts=attempts,
            latency=latency,
            cost=cost,
            error=error,
        )

    def count_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Count the tokens of a prompt without the network."""
        schemas = [tool.schema if isinstance(tool, Tool) else tool for tool in tools]
        extra = estimate_tokens(json.dumps(schemas)) if schemas else 0
        return count_messages(messages, model=self.model) + extra

    def _to_config(self) -> GovernedConfig:
        return GovernedConfig(
            client=self.inner.dump_component(),
            reviewer=self.reviewer,
            model=self.model,
            limits=to_plain(self._limits),  # pyright: ignore[reportArgumentType]
        )

    @classmethod
    def _from_config(cls, config: GovernedConfig) -> Self:
        return cls(
            ChatCompletionClient.load_component(config.client),
            reviewer=config.reviewer,
            model=config.model,
            limits=from_plain(Limits, config.limits),
        )
