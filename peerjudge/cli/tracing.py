"""Export of OpenTelemetry spans to the endpoint that the environment names."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

from peerjudge.errors import PeerJudgeError

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_DISABLED = "OTEL_SDK_DISABLED"
_SERVICE = "OTEL_SERVICE_NAME"

_FLUSH_TIMEOUT = 10.0
"""Time to send the last spans of a run. [s]"""
_FLUSH_TIMEOUT_STOPPED = 0.3
"""Time to send them after an interrupt or error. [s]"""


@contextmanager
def export_spans() -> Generator[None]:
    """Export the spans of the block by OTLP over HTTP; does nothing without an endpoint.

    Raises `PeerJudgeError` if there is an endpoint and the extra `otel` is not installed.
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
    timeout = _FLUSH_TIMEOUT_STOPPED
    try:
        yield
        timeout = _FLUSH_TIMEOUT
    finally:
        # In a thread: a collector that does not answer must not delay the exit.
        closing = threading.Thread(target=provider.shutdown, daemon=True)
        closing.start()
        closing.join(timeout)
