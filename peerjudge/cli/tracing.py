"""Sends spans to where OpenTelemetry's own environment variables say, if they say so."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

from peerjudge.errors import PeerJudgeError

__all__ = ["tracing"]

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_DISABLED = "OTEL_SDK_DISABLED"
_SERVICE = "OTEL_SERVICE_NAME"

_PATIENCE = 10.0
"""How long the last spans of a run may take on their way. [s]"""
_PATIENCE_STOPPED = 0.3
"""The same for a run that was told to stop, or failed. [s]"""


@contextmanager
def tracing() -> Generator[None]:
    """Export the spans of the block by OTLP over HTTP; does nothing where no endpoint is named.

    Raises `PeerJudgeError` where one is named and the extra for it is not installed.
    """
    named = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if named is None or os.environ.get(_DISABLED, "").lower() == "true":
        yield
        return
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as cause:
        msg = f"{named} is set, which needs an exporter: pip install 'peerjudge[otel]', or unset it"
        raise PeerJudgeError(msg) from cause
    service = os.environ.get(_SERVICE, "peerjudge")
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    patience = _PATIENCE_STOPPED
    try:
        yield
        patience = _PATIENCE
    finally:
        # In a thread of its own, for a collector that does not answer must not keep the program.
        closing = threading.Thread(target=provider.shutdown, daemon=True)
        closing.start()
        closing.join(patience)
