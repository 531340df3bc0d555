"""Spans of a run: one for each discussion, and in it one for each turn; clients add their calls."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Self

from peerjudge.data import Request, StopReason, Transcript, Utterance
from peerjudge.engine import Reviewer
from peerjudge.telemetry import tracer

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

__all__ = ["Spans", "Traced"]

_AUTOGEN_VARIABLE = "AUTOGEN_DISABLE_RUNTIME_TRACING"


class Spans:
    """The open discussions of a run as spans.

    Args:
        tracer: Who makes spans.
        run: The id of the run.
    """

    def __init__(self, tracer: Tracer, run: str) -> None:
        self._tracer = tracer
        self._run = run
        self._open: dict[str, Span] = {}

    @classmethod
    @asynccontextmanager
    async def of(cls, run: str) -> AsyncGenerator[Self | None]:
        """The spans of a run, all ended at the end; `None` where nobody has set up a tracer."""
        found = tracer()
        if found is None:
            yield None
            return
        # AutoGen would tell of every message between the agents of a team.
        os.environ.setdefault(_AUTOGEN_VARIABLE, "true")
        spans = cls(found, run)
        try:
            yield spans
        finally:
            for span in spans._open.values():
                span.end()

    @contextmanager
    def turn(self, request: Request) -> Generator[Span]:
        """The span of one turn, in that of its discussion; a failure is told in it."""
        from opentelemetry.trace import set_span_in_context

        reviewer = request.seat.reviewer
        with self._tracer.start_as_current_span(
            f"invoke_agent {reviewer}",
            context=set_span_in_context(self._discussion(request)),
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": reviewer,
                "gen_ai.conversation.id": request.discussion,
                "peerjudge.turn": request.turn,
                "peerjudge.task": request.cue.task,
                "peerjudge.seat": request.seat.id,
                "peerjudge.role": str(request.seat.role),
                "peerjudge.private": request.cue.private,
            },
        ) as span:
            yield span

    def end(self, transcript: Transcript) -> None:
        """A discussion has ended: say how."""
        span = self._open.pop(transcript.id, None)
        if span is None:
            return
        from opentelemetry.trace import StatusCode

        span.set_attributes(
            {
                "peerjudge.condition": transcript.condition,
                "peerjudge.protocol": transcript.protocol,
                "peerjudge.turns": len(transcript.turns),
                "peerjudge.verdict": str(transcript.verdict),
            }
        )
        if transcript.stop is StopReason.FAILED and transcript.failure is not None:
            span.set_attribute("error.type", transcript.failure.kind)
            span.set_status(StatusCode.ERROR, transcript.failure.message)
        span.end()

    def _discussion(self, request: Request) -> Span:
        span = self._open.get(request.discussion)
        if span is None:
            span = self._open[request.discussion] = self._tracer.start_span(
                "discussion",
                attributes={
                    "gen_ai.conversation.id": request.discussion,
                    "peerjudge.run": self._run,
                    "peerjudge.comparison": request.comparison.id,
                },
            )
        return span


class Traced:
    """Speaks as another reviewer does, each time in a span.

    Args:
        reviewer: Who speaks.
        spans: The spans of the run.
    """

    def __init__(self, reviewer: Reviewer, spans: Spans) -> None:
        self._reviewer = reviewer
        self._spans = spans

    @property
    def name(self) -> str:
        """The reviewer's."""
        return self._reviewer.name

    async def speak(self, request: Request) -> Utterance:
        """The reviewer's reply."""
        with self._spans.turn(request) as span:
            said = await self._reviewer.speak(request)
            span.set_attributes(
                {
                    "gen_ai.usage.input_tokens": said.usage.prompt_tokens,
                    "gen_ai.usage.output_tokens": said.usage.completion_tokens,
                    "peerjudge.cached": said.cached,
                    "peerjudge.simulated": said.simulated,
                }
            )
            return said

    async def close(self) -> None:
        """Close the reviewer."""
        await self._reviewer.close()
