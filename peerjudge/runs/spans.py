"""OpenTelemetry spans of a run: discussions, with turns inside; clients add calls inside turns."""

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

_AUTOGEN_VARIABLE = "AUTOGEN_DISABLE_RUNTIME_TRACING"


class RunSpans:
    """The spans of the open discussions of a run."""

    def __init__(self, tracer: Tracer, run: str) -> None:
        self._tracer = tracer
        self._run = run
        self._open: dict[str, Span] = {}

    @classmethod
    @asynccontextmanager
    async def open(cls, run: str) -> AsyncGenerator[Self | None]:
        """Open the spans of a run and end all of them at the end; `None` without a tracer provider."""
        provided = tracer()
        if provided is None:
            yield None
            return
        # AutoGen traces each message between the agents of a team.
        os.environ.setdefault(_AUTOGEN_VARIABLE, "true")
        spans = cls(provided, run)
        try:
            yield spans
        finally:
            for span in spans._open.values():
                span.end()

    @contextmanager
    def turn(self, request: Request) -> Generator[Span]:
        """Open the span of one turn inside that of its discussion; it records a failure."""
        from opentelemetry.trace import set_span_in_context

        reviewer = request.seat.reviewer
        discussion = self._open.get(request.discussion)
        if discussion is None:
            discussion = self._open[request.discussion] = self._tracer.start_span(
                "discussion",
                attributes={
                    "gen_ai.conversation.id": request.discussion,
                    "peerjudge.run": self._run,
                    "peerjudge.comparison": request.comparison.id,
                },
            )
        with self._tracer.start_as_current_span(
            f"invoke_agent {reviewer}",
            context=set_span_in_context(discussion),
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
        """End the span of a discussion and record its result."""
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


class TracedReviewer:
    """A reviewer whose calls are traced."""

    def __init__(self, reviewer: Reviewer, spans: RunSpans) -> None:
        self._reviewer = reviewer
        self._spans = spans

    @property
    def name(self) -> str:
        """Reviewer name."""
        return self._reviewer.name

    async def speak(self, request: Request) -> Utterance:
        """Return the reviewer's reply."""
        with self._spans.turn(request) as span:
            reply = await self._reviewer.speak(request)
            span.set_attributes(
                {
                    "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
                    "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
                    "peerjudge.cached": reply.cached,
                    "peerjudge.simulated": reply.simulated,
                }
            )
            return reply

    async def close(self) -> None:
        """Close the reviewer."""
        await self._reviewer.close()
