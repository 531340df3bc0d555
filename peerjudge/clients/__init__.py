"""Model clients built from cards; a gateway around each caches, retries, limits and books its calls."""

from peerjudge.clients.billing import Billing, Call, CallOutcome, bill_to, itemize_calls
from peerjudge.clients.build import Carrier, ClientPool, allow_namespace, build_client, load_client
from peerjudge.clients.cache import MemoryCache, PersistentCache, Reply, ResponseCache, SingleFlight
from peerjudge.clients.gateway import Governed
from peerjudge.clients.limits import Window
from peerjudge.clients.retry import (
    ClientCancelledError,
    MalformedReplyError,
    ProviderFailedError,
    RetryPolicy,
)
from peerjudge.clients.sampling import (
    FormBound,
    create_args,
    find_dialect,
    find_refused,
    is_simulated,
)
from peerjudge.clients.tokens import Price, Prices

__all__ = [
    "Billing",
    "Call",
    "CallOutcome",
    "Carrier",
    "ClientCancelledError",
    "ClientPool",
    "FormBound",
    "Governed",
    "MalformedReplyError",
    "MemoryCache",
    "PersistentCache",
    "Price",
    "Prices",
    "ProviderFailedError",
    "Reply",
    "ResponseCache",
    "RetryPolicy",
    "SingleFlight",
    "Window",
    "allow_namespace",
    "bill_to",
    "build_client",
    "create_args",
    "find_dialect",
    "find_refused",
    "is_simulated",
    "itemize_calls",
    "load_client",
]
