"""Charges of calls in a ledger: open calls are estimated, failed ones are charged by their failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from autogen_core.models import RequestUsage

from peerjudge.clients.billing import Call, CallLedger, CallOutcome
from peerjudge.clients.tokens import Price
from peerjudge.data import Usage
from peerjudge.data.cleaning import clean_count

_CHARGE = "peerjudge_charge"
"""Attribute of an error that holds the tokens billed for the failed call."""

_ERROR_STATUS = 400

# The request was not sent, or refused before it reached the model.
_NOT_SENT = frozenset(
    {
        "ClientConnectorError",  # aiohttp: no address, refused, or a failed TLS handshake
        "ConnectError",  # httpx
        "ConnectionTimeoutError",  # aiohttp: no connection in time
        "ConnectionRefusedError",
        "gaierror",
    }
)
_NOT_BILLED = frozenset({"ProviderFailedError", "RedirectedError"})

_FIRST_GUESS = 256
"""Tokens of a reply, as long as none has arrived and the request sets no limit."""


class UsualReply:
    """Mean length of a model's replies, to estimate a reply that does not arrive."""

    def __init__(self) -> None:
        self._replies = self._tokens = 0

    def learn(self, tokens: int) -> None:
        """Count a reply."""
        self._replies += 1
        self._tokens += tokens

    def estimate(self, most: int) -> int:
        """Return the expected tokens of a reply of at most `most` tokens; 0 for no limit."""
        if self._replies == 0:
            return most or _FIRST_GUESS
        mean = round(self._tokens / self._replies)
        return min(mean, most) if most else mean


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """An open call in a ledger. A call that is cancelled stays open: it may be billed."""

    ledger: CallLedger
    number: int
    call: Call
    price: Price | None

    async def settle(self, call: Call) -> None:
        """Record the paid call."""
        await self.ledger.settle(self.number, call)

    async def fail(self, error: Exception) -> None:
        """Record a failed attempt with its charge, or as lost with the estimate."""
        charge = find_charge(error)
        call = replace(self.call, error=type(error).__name__)
        if charge is None:
            call = replace(call, outcome=CallOutcome.LOST)
        else:
            paid = charge != Usage()
            cost = 0.0 if not paid else None if self.price is None else self.price.cost(charge)
            outcome = CallOutcome.PAID if paid else CallOutcome.FAILED
            call = replace(call, outcome=outcome, usage=charge, cost=cost)
        await self.ledger.settle(self.number, call)


def note_charge(error: Exception, usage: RequestUsage) -> None:
    """Attach to an error the tokens of the reply, if the server counted them."""
    prompt, reply = clean_count(usage.prompt_tokens), clean_count(usage.completion_tokens)
    if prompt is not None and reply is not None and prompt + reply:
        setattr(error, _CHARGE, Usage(prompt_tokens=prompt, completion_tokens=reply))


def find_charge(error: BaseException) -> Usage | None:
    """Return the tokens billed for a failed call: no tokens if it was refused, `None` if unknown.

    A provider may bill a call whose reply got lost on the way: after a timeout, a broken connection
    or a reply that is cut, the charge is unknown. An error status is not billed, and neither is a page in
    place of the reply: servers of models send JSON, so a proxy has answered and no model has.
    """
    chain = list(walk_causes(error))
    for each in chain:
        if hasattr(each, _CHARGE):
            return getattr(each, _CHARGE)
    for each in chain:
        status = getattr(each, "status_code", None)
        if isinstance(status, int) and status >= _ERROR_STATUS:
            return Usage()
    if any(_is_page(each) for each in chain):
        return Usage()
    names = [{kind.__name__ for kind in type(each).__mro__} for each in chain]
    # httpx over aiohttp gives every lost connection the same name; the cause is more exact.
    exact = [name for name in names if "ClientConnectionError" in name]
    refused = any(each & (_NOT_SENT | _NOT_BILLED) for each in exact or names)
    return Usage() if refused else None


def _is_page(error: BaseException) -> bool:
    """Return whether the body that an error of a reader holds is HTML: no JSON begins like it."""
    # A JSON error, an error of decoding, and AutoGen's error after the SDK has returned a text.
    held = (getattr(error, name, None) for name in ("doc", "object", "obj"))
    texts = (each.decode(errors="replace") if isinstance(each, bytes) else each for each in held)
    return any(isinstance(text, str) and text.lstrip("\ufeff \t\r\n")[:1] == "<" for text in texts)


def walk_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, its causes and its contexts, each once."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [each.__cause__, each.__context__]
