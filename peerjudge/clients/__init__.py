"""Model clients: built from cards, and governed by one wrapper that every call passes."""

from peerjudge.clients.billing import (
    Billing,
    Call,
    CallBook,
    CallOutcome,
    Tally,
    billed_to,
    current_billing,
    itemised,
)
from peerjudge.clients.build import build_client
from peerjudge.clients.cache import (
    KeptReplies,
    MemoryCache,
    Reply,
    ResponseCache,
    SingleFlight,
    Texts,
)
from peerjudge.clients.components import allow_namespace, load_client
from peerjudge.clients.crew import Crew
from peerjudge.clients.failures import (
    ClientCancelledError,
    MalformedReplyError,
    ProviderFailedError,
    WorkerLostError,
)
from peerjudge.clients.governed import Governed
from peerjudge.clients.pool import ClientPool
from peerjudge.clients.prices import PRICES_FILE, Price, Prices
from peerjudge.clients.retry import RetryPolicy
from peerjudge.clients.sampling import create_args, dialect_of, is_simulated
from peerjudge.clients.window import Window

__all__ = [
    "PRICES_FILE",
    "Billing",
    "Call",
    "CallBook",
    "CallOutcome",
    "ClientCancelledError",
    "ClientPool",
    "Crew",
    "Governed",
    "KeptReplies",
    "MalformedReplyError",
    "MemoryCache",
    "Price",
    "Prices",
    "ProviderFailedError",
    "Reply",
    "ResponseCache",
    "RetryPolicy",
    "SingleFlight",
    "Tally",
    "Texts",
    "Window",
    "WorkerLostError",
    "allow_namespace",
    "billed_to",
    "build_client",
    "create_args",
    "current_billing",
    "dialect_of",
    "is_simulated",
    "itemised",
    "load_client",
]
