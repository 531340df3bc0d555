"""Claims of discussions on a database server, so that runs with common discussions play each once.

A claim is a lock of the database session: the server releases it if the process dies. A file needs none,
as it has one writer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import sha256

from sqlalchemy import BigInteger, TextClause, bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from peerjudge.store.database import Location, describe_error

_KEYS = bindparam("keys", type_=ARRAY(BigInteger))
_TRY = text("SELECT key FROM unnest(:keys) AS key WHERE pg_try_advisory_lock(key)").bindparams(
    _KEYS
)
_RELEASE = text("SELECT key FROM unnest(:keys) AS key WHERE pg_advisory_unlock(key)").bindparams(
    _KEYS
)


class Claims:
    """Discussions that one run has claimed, by a session of its own.

    Args:
        session: Connection whose locks are the claims.
        location: Place of the store, for messages.
    """

    def __init__(self, session: AsyncConnection, location: Location) -> None:
        self._session = session
        self._location = location
        self._keys: dict[str, int] = {}

    async def claim(self, ids: Iterable[str], *, keep: Collection[str]) -> set[str]:
        """Return those of these discussions that no other run has claimed; they are claimed now.

        Earlier claims are released, except of the discussions in `keep`.

        Raises:
            StoreError: The server cannot be reached.
        """
        over = [self._keys.pop(each) for each in set(self._keys).difference(keep)]
        if over:
            await self._execute(_RELEASE, over)
        wanted = {each: _derive_key(each) for each in ids}
        new = {each: key for each, key in wanted.items() if each not in self._keys}
        locked = await self._execute(_TRY, list(new.values())) if new else set[int]()
        self._keys.update({each: key for each, key in new.items() if key in locked})
        return set(wanted).intersection(self._keys)

    async def _execute(self, query: TextClause, keys: list[int]) -> set[int]:
        try:
            return set((await self._session.execute(query, {"keys": keys})).scalars())
        except (SQLAlchemyError, OSError) as cause:
            raise describe_error(cause, self._location) from cause


def _derive_key(discussion: str) -> int:
    digest = sha256(f"discussion {discussion}".encode()).digest()
    return int.from_bytes(digest[:8], signed=True)
