"""Model clients built from cards; a gateway around each caches, retries, limits and books its calls."""

from peerjudge.clients.billing import (
    Billing,
    Call,
    CallBook,
    CallOutcome,
    Tally,
    bill_to,
    current_billing,
    itemize_calls,
)
from peerjudge.clients.build import ClientPool, allow_namespace, build_client, load_client
from peerjudge.clients.cache import (
    MemoryCache,
    PersistentCache,
    Reply,
    ResponseCache,
    SingleFlight,
    TextStore,
)
from peerjudge.clients.gateway import Governed
from peerjudge.clients.limits import Window
from peerjudge.clients.retry import (
    ClientCancelledError,
    MalformedReplyError,
    ProviderFailedError,
    RetryPolicy,
    WorkerLostError,
)
from peerjudge.clients.sampling import create_args, find_dialect, is_simulated
from peerjudge.clients.tokens import PRICES_FILE, Price, Prices
from peerjudge.clients.workers import WorkerPool

__all__ = [
    "PRICES_FILE",
    "Billing",
    "Call",
    "CallBook",
    "CallOutcome",
    "ClientCancelledError",
    "ClientPool",
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
    "Tally",
    "TextStore",
    "Window",
    "WorkerLostError",
    "WorkerPool",
    "allow_namespace",
    "bill_to",
    "build_client",
    "create_args",
    "current_billing",
    "find_dialect",
    "is_simulated",
    "itemize_calls",
    "load_client",
]
