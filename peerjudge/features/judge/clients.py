"""Clients of a served judge: the tokens that admit them, and what each may spend."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from peerjudge.errors import ExperimentError

SHORTEST = 16
"""Fewest characters of a token."""

_FORM = (
    f"lines of a token of {SHORTEST} or more printable characters and, if wanted, its limit in USD"
)
_MOST_BYTES = 1_000_000


@dataclass(slots=True, kw_only=True)
class Client:
    """Someone who may ask. `limit` and `spent` are in USD; `name` says which one it is, without the token."""

    name: str
    token: str = field(repr=False)
    limit: float | None = None
    spent: float = 0.0

    @property
    def exhausted(self) -> bool:
        """Whether nothing more may be asked for money."""
        return self.limit is not None and self.spent >= self.limit


class Clients:
    """The clients that are admitted, by their tokens."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self._clients = tuple(clients)

    @property
    def limited(self) -> bool:
        """Whether a client has a limit of its own."""
        return any(one.limit is not None for one in self._clients)

    def find(self, authorization: str) -> Client | None:
        """Return the client of a header `Authorization`; every token is compared, in equal time."""
        given = authorization.encode("utf-8", "surrogateescape")
        found = None
        for one in self._clients:
            if secrets.compare_digest(given, f"Bearer {one.token}".encode()):
                found = one
        return found


def build_clients(environ: Mapping[str, str], variable: str, file: Path | None) -> Clients | None:
    """Return the clients of a token file, or of the variable; `None` where neither is given.

    Raises:
        ExperimentError: Both are given, a token is too short or there twice, or the file cannot be read.
    """
    token = environ.get(variable)
    if file is not None and token is not None:
        msg = f"give the tokens in {variable} or with --token-file, not both"
        raise ExperimentError(msg)
    if file is not None:
        return Clients(_read_file(file))
    if token is None:
        return None
    if not _is_fit(token):
        msg = f"{variable} needs {SHORTEST} or more printable characters"
        raise ExperimentError(msg)
    return Clients([Client(name="the client", token=token)])


def make_client() -> Client:
    """Return a client with a new token."""
    return Client(name="the client", token=secrets.token_urlsafe(24))


def _read_file(file: Path) -> list[Client]:
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES + 1).decode()
    except (OSError, UnicodeDecodeError) as cause:
        msg = f"cannot read {file}: {cause}; --token-file has {_FORM}"
        raise ExperimentError(msg) from cause
    clients: list[Client] = []
    for number, line in enumerate(text[:_MOST_BYTES].splitlines(), 1):
        if words := f" {line}".partition(" #")[0].split():
            clients.append(_read_line(words, file, number))
    if not clients or len({one.token for one in clients}) < len(clients):
        what = "holds a token twice" if clients else "holds no token"
        msg = f"{file} {what}; give {_FORM}"
        raise ExperimentError(msg)
    return clients


def _read_line(words: Sequence[str], file: Path, number: int) -> Client:
    # The line is never repeated in an error: it holds a secret.
    try:
        token, limit = words[0], None if len(words) == 1 else float(words[1])
    except ValueError:
        token, limit = "", None
    if (
        len(words) > 2
        or not _is_fit(token)
        or not (limit is None or (isfinite(limit) and limit >= 0))
    ):
        msg = f"{file}, line {number}: give {_FORM}"
        raise ExperimentError(msg)
    return Client(name=f"the client of line {number}", token=token, limit=limit)


def _is_fit(token: str) -> bool:
    return len(token) >= SHORTEST and token.isprintable() and not any(map(str.isspace, token))
