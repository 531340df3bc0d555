"""The OpenTelemetry tracer for spans of runs and calls, if a tracer provider is configured.

Names and attributes follow OpenTelemetry's conventions for generative AI; all others start with
`peerjudge.`.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_PROVIDER_VARIABLE = "OTEL_PYTHON_TRACER_PROVIDER"


def tracer() -> Tracer | None:
    """Return the tracer of this program; `None` without a tracer provider."""
    # A program with a provider has imported this already; others skip the slow import.
    if "opentelemetry.trace" not in sys.modules and _PROVIDER_VARIABLE not in os.environ:
        return None
    from opentelemetry import trace

    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider):
        return None
    return provider.get_tracer("peerjudge", version("peerjudge"))
