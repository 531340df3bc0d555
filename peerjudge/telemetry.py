"""The tracer for spans of runs and calls; there is none unless somebody has set one up.

Names and attributes follow OpenTelemetry's conventions for generative AI; what those do not have is
under `peerjudge.`.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

__all__ = ["tracer"]

_PROVIDER_VARIABLE = "OTEL_PYTHON_TRACER_PROVIDER"


def tracer() -> Tracer | None:
    """The tracer of this program; `None` while no tracer provider has been set up."""
    # Whoever has set one up has imported this, which takes a while that others are spared.
    if "opentelemetry.trace" not in sys.modules and _PROVIDER_VARIABLE not in os.environ:
        return None
    from opentelemetry import trace

    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider):
        return None
    return provider.get_tracer("peerjudge", version("peerjudge"))
